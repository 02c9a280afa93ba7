import type { EngineChange, KernelEvent } from "@proofline/kernel"
import { Effect, Stream } from "effect"
import { isLive, wantsColor } from "../output.ts"
import { type State, stateOf } from "../state.ts"
import { retryLine } from "./chunkTree.ts"
import { eventLine } from "./lines.ts"
import { loopWording } from "./loopLines.ts"
import { type Style, styleFor } from "./style.ts"
import { runTree } from "./tree.ts"

/** Redraws this often at most, ms. */
const frameMs = 80

/** Shows on stderr what happens in a run: a tree that is redrawn on a terminal, lines elsewhere. */
export const showProgress = <E, R>(changes: Stream.Stream<Change, E, R>): Effect.Effect<void, E, R> =>
  Effect.suspend(() => {
    const out = process.stderr
    const style = styleFor(wantsColor(out))
    const show = isLive(out) ? liveTree(out, style) : plainLines(out, style)
    return changes.pipe(
      Stream.runForEach((change) => Effect.sync(() => show.add(change))),
      Effect.ensuring(Effect.sync(() => show.end()))
    )
  })

type Change = Pick<EngineChange, "event" | "snapshot">

interface Show {
  readonly add: (change: Change) => void
  readonly end: () => void
}

const plainLines = (out: NodeJS.WriteStream, style: ReturnType<typeof styleFor>): Show => ({
  add: (change) => {
    const line = changeLine(change, style)
    if (line !== null) out.write(`${line}\n`)
  },
  end: () => {}
})

/** How a requirements run has ended stands in the lines of its loop. */
const silent: ReadonlySet<string> = new Set(["RUN_COMPLETED", "RUN_INCOMPLETE"])

const changeLine = ({ event, snapshot }: Change, style: Style): string | null => {
  const state = stateOf(snapshot)
  if (state.run.kind !== "requirements") return eventLine(event, style)
  const text = loopWording(event, style)
  if (text !== null) return `${style.dim(event.timestamp.slice(11, 19))} ${text}`
  return silent.has(event.event_type) ? null : eventLine(event, style)
}

const liveTree = (out: NodeJS.WriteStream, style: ReturnType<typeof styleFor>): Show => {
  let drawn = 0
  let latest: State | null = null
  let timer: NodeJS.Timeout | null = null
  /** By subtask, of this process. */
  const retries = new Map<string, ReadonlyArray<string>>()
  const log: Array<string> = []
  const clear = () => (drawn === 0 ? "" : `\u001b[${drawn}A\r\u001b[J`)
  const draw = () => {
    timer = null
    if (latest === null) return
    const tree = runTree(latest, style, out.columns || 80, Math.max(4, (out.rows || 24) - 2), retries)
    out.write(
      `${clear()}${log
        .splice(0)
        .map((line) => `${line}\n`)
        .join("")}${tree.join("\n")}\n`
    )
    drawn = tree.length
  }
  return {
    add: (change) => {
      const { event } = change
      const state = stateOf(change.snapshot)
      // the loop of a requirements run has no tasks of its own
      if (state.run.kind !== "requirements") latest = state
      if (event.event_type === "SUBTASK_RETRY") {
        const retry = event.content as unknown as Extract<KernelEvent, { readonly type: "SUBTASK_RETRY" }>["content"]
        retries.set(retry.subtask_id, [...(retries.get(retry.subtask_id) ?? []), retryLine(retry)])
      }
      // what was refused stays on the screen, above the tree
      if (lasting.has(event.event_type) || state.run.kind === "requirements") {
        const line = changeLine(change, style)
        if (line !== null) log.push(line)
      }
      timer ??= setTimeout(draw, frameMs)
    },
    end: () => {
      if (timer !== null) clearTimeout(timer)
      draw()
    }
  }
}

const lasting = new Set([
  "RUN_STARTED",
  "CHECKLIST_ITEM_REJECTED",
  "GATE_REFUSED",
  "VERIFICATION_RUN",
  "CHUNKING_SKIPPED",
  "ACTIVITY_FAILED",
  "SUBTASK_COMPLETE",
  "SUBTASK_FAILED",
  "TASK_COMPLETED",
  "TASK_FAILED",
  "RUN_RESUMED"
])
