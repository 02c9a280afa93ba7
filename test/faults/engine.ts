import { randomUUID } from "node:crypto"
import { composePlugins, Engine, IdGenerator, Worker } from "@proofline/kernel"
import { type Script, scripted } from "@proofline/kernel/testing"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as postgresLog } from "@proofline/plugins/adapters/postgres-log"
import { Effect, Layer } from "effect"
import { judge } from "../kernel/support/judge.ts"

const ids = Layer.succeed(IdGenerator, {
  runId: Effect.sync(() => `run_${randomUUID()}`),
  commandId: Effect.sync(() => `cmd_${randomUUID()}`),
  sessionId: Effect.sync(() => `ses_${randomUUID()}`),
  token: Effect.sync(() => randomUUID())
})

/** Attempts that take so long and go well, but for the first ones of each task. */
export const sleeping =
  (ms: number, failing = 0): Script =>
  (_, attempt) =>
    Effect.as(Effect.sleep(ms), { outcome: attempt > failing ? "COMPLETE" : "ERROR" })

/** The kernel over a log in Postgres, as a process of a cluster has it. */
export const clusterProcess = (url: string, script: Script) =>
  Worker.layer.pipe(
    Layer.provideMerge(Engine.layer(composePlugins([scripted(script), judge]))),
    Layer.provideMerge(postgresLog({ url })),
    Layer.provideMerge(nodeDigest),
    Layer.provideMerge(ids)
  )
