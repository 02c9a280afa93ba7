import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { live } from "../effects.ts"
import { describePostgres, freshDatabase } from "../postgres.ts"
import { account, end, nothingWrong, spawnWorker, startRuns, whenEnded, whenSaid } from "./cluster.ts"
import { clusterProcess, sleeping } from "./engine.ts"

const delayMs = 2_000

describePostgres("given an attempt that failed, and a retry that waits", () => {
  live("when the worker that scheduled it is killed then another one makes it", function* () {
    const url = yield* freshDatabase
    const { events, killed } = yield* Effect.provide(
      Effect.gen(function* () {
        const first = yield* spawnWorker(url, 1, 0, 1)
        const ending = yield* Effect.forkChild(whenEnded(1))
        yield* startRuns(["run_a"], 1, { retry_delay_ms: delayMs })
        yield* whenSaid(({ event_type }) => event_type === "ATTEMPT_ENDED")
        yield* Effect.promise(() => end(first.child))
        yield* spawnWorker(url, 1, 0, 1)
        return { events: yield* Fiber.join(ending), killed: first.name }
      }).pipe(Effect.scoped),
      clusterProcess(url, sleeping(0))
    )
    const { attempts, ...counts } = account(events, 1, 1)
    assert.deepStrictEqual(counts, nothingWrong)
    assert.deepStrictEqual(
      attempts.map(({ outcome, worker }) => [outcome, worker === killed]),
      [
        ["ERROR", true],
        ["COMPLETE", false]
      ]
    )
    const [failed, again] = attempts
    const waited = (again?.startedAt ?? 0) - (failed?.endedAt ?? 0)
    process.stdout.write(`A retry that waits ${delayMs} ms began elsewhere after ${waited} ms\n`)
  })
})
