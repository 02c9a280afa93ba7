/** effect/workflow on its cluster of one runner: activities and workflows are messages, kept in SQL with their replies. */
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, ManagedRuntime, Redacted, Schema } from "effect"
import { ClusterWorkflowEngine, SingleRunner } from "effect/cluster"
import { Digest } from "effect/crypto"
import { Activity, Workflow } from "effect/workflow"
import { type Parts, payload, serve, slots } from "../contract.ts"
import { layer as nodeSqlite } from "./nodeSqlite.ts"

const Result = Schema.Struct({
  task_id: Schema.String,
  attempt: Schema.Int,
  index: Schema.Int,
  item: Schema.String,
  status: Schema.String,
  verdict: Schema.String,
  evidence: Schema.String,
  sha256: Schema.String,
  note: Schema.String
})

const activity = (name: string, n: number) =>
  Activity.make({ name, success: Result, execute: Effect.succeed(payload(n)) })

const Chain = Workflow.make("Chain", {
  payload: { id: Schema.String, n: Schema.Int },
  idempotencyKey: ({ id }) => id
})
const chain = Chain.toLayer(
  Effect.fnUntraced(function* ({ n }) {
    for (let i = 0; i < n; i++) yield* activity(`step/${i}`, i)
  })
)

const Part = Workflow.make("Part", {
  payload: { id: Schema.String, n: Schema.Int },
  idempotencyKey: ({ id, n }) => `${id}/${n}`,
  success: Result
})
const part = Part.toLayer(({ n }) => activity("part", n))

const Fan = Workflow.make("Fan", {
  payload: { id: Schema.String, n: Schema.Int },
  idempotencyKey: ({ id }) => id
})
const fan = Fan.toLayer(({ id, n }) =>
  Effect.forEach(
    Array.from({ length: n }, (_, i) => i),
    (i) => Part.execute({ id, n: i }),
    { concurrency: slots, discard: true }
  )
)

const sql = (place: string) =>
  place.startsWith("postgres")
    ? PgClient.layer({ url: Redacted.make(place) })
    : nodeSqlite(join(place, "effect.sqlite"))

const engine = (place: string) =>
  Layer.mergeAll(chain, part, fan).pipe(
    Layer.provideMerge(ClusterWorkflowEngine.layer),
    Layer.provideMerge(SingleRunner.layer()),
    Layer.provide(sql(place)),
    Layer.provide(Digest.layerWebCrypto)
  )

const running = (workflow: typeof Chain | typeof Fan) => async (place: string) => {
  const runtime = ManagedRuntime.make(engine(place))
  let round = 0
  return {
    times: (n: number) => runtime.runPromise(workflow.execute({ id: `run_${round++}`, n })),
    close: () => runtime.dispose()
  }
}

const parts: Parts = { step: running(Chain), subtasks: running(Fan) }

await serve(parts)
