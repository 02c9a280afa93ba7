import { spawn } from "node:child_process"
import { once } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Moment, momentNow, processesSince } from "../../../packages/plugins/src/processes/proc.ts"
import { notLinux } from "../node-process/support.ts"

/** A process that runs until the end of what is done with it. */
const withProcess = <A>(use: (pid: number) => A): Effect.Effect<A> =>
  Effect.acquireUseRelease(
    Effect.promise(async () => {
      const child = spawn("sleep", ["1000"], { stdio: "ignore" })
      await once(child, "spawn")
      return child
    }),
    ({ pid }) => Effect.sync(() => use(pid ?? 0)),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

const moment = (): Moment => momentNow() ?? assert.fail("nothing tells it")

describe.skipIf(notLinux)("the processes since a moment", () => {
  it.live("given one that was made since, then it is among them, and none that was there before is", () =>
    Effect.gen(function* () {
      const since = moment()
      const found = yield* withProcess((pid) => ({
        pid,
        since: processesSince(since),
        later: processesSince(moment())
      }))
      assert.include(found.since, found.pid)
      assert.notInclude(found.since, process.pid)
      assert.notInclude(found.later, found.pid)
    })
  )

  it.live("given numbers that began anew meanwhile, then those before and behind the beginning are", () =>
    Effect.gen(function* () {
      const { last, made } = moment()
      const found = yield* withProcess((pid) => ({ pid, all: processesSince({ made, last: last + 1_000_000 }) }))
      assert.include(found.all, found.pid)
    })
  )

  it.live("given so many made meanwhile that the numbers may have come around, then all are", () =>
    Effect.sync(() => assert.include(processesSince({ ...moment(), made: -10_000_000 }), process.pid))
  )

  it.live("given no moment, then all are", () => Effect.sync(() => assert.include(processesSince(null), process.pid)))
})
