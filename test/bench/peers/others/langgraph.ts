/** LangGraph: the state of a graph is written as a checkpoint after each step, at once with `durability: "sync"`. */
import { join } from "node:path"
import { Annotation, END, Send, START, StateGraph } from "@langchain/langgraph"
import { type BaseCheckpointSaver, emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint"
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres"
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite"
import Database from "better-sqlite3"
import { type Parts, type Payload, payload, serve, slots, together, writers } from "../contract.ts"

interface Open {
  readonly saver: BaseCheckpointSaver
  readonly close: () => Promise<unknown>
}

const openSqlite = async (place: string): Promise<Open> => {
  const db = new Database(join(place, "langgraph.sqlite"))
  // its driver has NORMAL with a write-ahead log, which does not survive the loss of power
  db.pragma("synchronous = FULL")
  return { saver: new SqliteSaver(db), close: async () => db.close() }
}

const openPostgres = async (url: string): Promise<Open> => {
  const saver = PostgresSaver.fromConnString(url)
  await saver.setup()
  return { saver, close: () => saver.end() }
}

const open = (place: string) => (place.startsWith("postgres") ? openPostgres(place) : openSqlite(place))

/** A checkpoint a time whose state is one event, each behind the last. */
const appending = (atOnce: number) => async (place: string) => {
  const { close, saver } = await open(place)
  let round = 0
  return {
    times: (n: number) => {
      const name = round++
      const last = new Map<number, string>()
      return together(n, atOnce, async (writer, i) => {
        const before = last.get(writer)
        const configurable = {
          thread_id: `run_${name}_${writer}`,
          checkpoint_ns: "",
          ...(before === undefined ? {} : { checkpoint_id: before })
        }
        const checkpoint = {
          ...emptyCheckpoint(),
          id: uuid6(i),
          channel_values: { event: payload(i) },
          channel_versions: { event: i + 1 }
        }
        await saver.put({ configurable }, checkpoint, { source: "loop", step: i, parents: {} }, { event: i + 1 })
        last.set(writer, checkpoint.id)
      })
    },
    close
  }
}

const Chain = Annotation.Root({ n: Annotation<number>, total: Annotation<number>, last: Annotation<Payload> })

const stepping = async (place: string) => {
  const { close, saver } = await open(place)
  const graph = new StateGraph(Chain)
    .addNode("step", ({ n }) => ({ n: n + 1, last: payload(n) }))
    .addEdge(START, "step")
    .addConditionalEdges("step", ({ n, total }) => (n < total ? "step" : END))
    .compile({ checkpointer: saver })
  let round = 0
  return {
    times: async (total: number) => {
      const config = { configurable: { thread_id: `run_${round++}` }, recursionLimit: total + 10 }
      const { n } = await graph.invoke({ n: 0, total }, { ...config, durability: "sync" })
      if (n !== total) throw new Error(`${n} steps, not ${total}.`)
    },
    close
  }
}

const Fan = Annotation.Root({
  total: Annotation<number>,
  n: Annotation<number>,
  done: Annotation<number>({ reducer: (one, other) => one + other, default: () => 0 }),
  last: Annotation<Payload | null>({ reducer: (_, other) => other, default: () => null })
})

const dispatching = async (place: string) => {
  const { close, saver } = await open(place)
  const graph = new StateGraph(Fan)
    .addNode("part", ({ n }) => ({ done: 1, last: payload(n) }))
    .addConditionalEdges(START, ({ total }) => Array.from({ length: total }, (_, n) => new Send("part", { n })))
    .addEdge("part", END)
    .compile({ checkpointer: saver })
  let round = 0
  return {
    times: async (total: number) => {
      const config = { configurable: { thread_id: `run_${round++}` }, maxConcurrency: slots }
      const { done } = await graph.invoke({ total }, { ...config, durability: "sync" })
      if (done !== total) throw new Error(`${done} parts, not ${total}.`)
    },
    close
  }
}

const parts: Parts = {
  append: appending(1),
  append32: appending(writers),
  step: stepping,
  subtasks: dispatching
}

await serve(parts)
