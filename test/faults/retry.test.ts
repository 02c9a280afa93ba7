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
        const first = yield* spawnWorker(url, 1, 0, Number.MAX_SAFE_INTEGER)
        const ending = yield* Effect.forkChild(whenEnded(1))
        yield* startRuns(["run_a"], 1, { retry_delay_ms: delayMs })
        yield* whenSaid(
          ({ content, event_type }) =>
            event_type === "ATTEMPT_ENDED" && (content as { readonly outcome?: string }).outcome === "ERROR"
        )
        yield* Effect.promise(() => end(first.child))
        yield* spawnWorker(url, 1, 0)
        return { events: yield* Fiber.join(ending), killed: first.name }
      }).pipe(Effect.scoped),
      clusterProcess(url, sleeping(0))
    )
    const { attempts, ...counts } = account(events, 1, 1)
    assert.deepStrictEqual(counts, nothingWrong)
    // a machine that stands still for long takes a worker for dead that is not: such attempts say nothing here
    const [failed, again] = attempts.filter(({ outcome }) => outcome !== "LOST").slice(-2)
    assert.deepStrictEqual(
      [failed, again].map((one) => [one?.outcome, one?.worker === killed]),
      [
        ["ERROR", true],
        ["COMPLETE", false]
      ]
    )
    const waited = (again?.startedAt ?? 0) - (failed?.endedAt ?? 0)
    process.stdout.write(`A retry that waits ${delayMs} ms began elsewhere after ${waited} ms\n`)
  })
})
