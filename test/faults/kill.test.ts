import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { live } from "../effects.ts"
import { describePostgres, freshDatabase } from "../postgres.ts"
import {
  account,
  afterFailure,
  end,
  leasesOf,
  named,
  nothingWrong,
  type Spawned,
  spawnWorker,
  startRuns,
  whenEnded,
  whenWorking
} from "./cluster.ts"
import { clusterProcess, sleeping } from "./engine.ts"

const isFull = process.env["PROOFLINE_TEST"] === "full"
// longer attempts are as often interrupted, and fewer of them are needed until the last kill
const [slots, attemptMs, tasks] = [5, isFull ? 1_000 : 2_000, 10]

describePostgres("three workers, of which one after the other is killed", () => {
  live(
    "complete every run: nothing is lost, done twice or skipped, and what was interrupted starts elsewhere",
    function* () {
      const kills = isFull ? 100 : 5
      const url = yield* freshDatabase
      const seen = yield* Effect.provide(
        Effect.gen(function* () {
          const alive: Array<Spawned> = yield* Effect.forEach([1, 2, 3], () => spawnWorker(url, slots, attemptMs), {
            concurrency: 3
          })
          const killed: Array<{ readonly worker: string; readonly at: number }> = []
          // so many that none runs out of work before the last is killed
          const runs = Math.ceil((kills * 2_200 * slots * 3) / attemptMs / tasks)
          const ending = yield* Effect.forkChild(whenEnded(runs))
          yield* startRuns(named(runs), tasks)
          while (killed.length < kills) {
            const [victim] = alive.splice(Math.floor(Math.random() * alive.length), 1) as [Spawned]
            // where the machine is slow, a worker may be long in coming to its first work
            yield* Effect.raceFirst(whenWorking(victim), Fiber.await(ending))
            // it is random moments that are asked for
            yield* Effect.sleep(500 + Math.random() * 2_000)
            if (ending.pollUnsafe() !== undefined) break
            killed.push({ worker: victim.name, at: Date.now() })
            yield* Effect.promise(() => end(victim.child))
            alive.push(yield* spawnWorker(url, slots, attemptMs))
          }
          return { events: yield* Fiber.join(ending), killed, runs }
        }).pipe(Effect.scoped),
        clusterProcess(url, sleeping(0))
      )
      const { attempts, ...counts } = account(seen.events, seen.runs, tasks)
      const handedOut = yield* leasesOf(url)
      const failures = seen.killed.map((one) => afterFailure(attempts, one, seen.killed, handedOut))
      const interrupted = failures.reduce((sum, one) => sum + one.interrupted, 0)
      const twice = failures.reduce((sum, one) => sum + one.twice, 0)
      const restart = Math.max(...failures.map((one) => one.restart))
      const silence = Math.max(...failures.map((one) => one.silence))
      process.stdout.write(
        `${seen.killed.length} kills, ${seen.runs} runs of ${tasks}: ${JSON.stringify(counts)}; ${interrupted} interrupted, ${twice} of them twice, started elsewhere within ${restart} ms (goal 5000), others silent for at most ${silence} ms (goal 2000)\n`
      )
      assert.deepStrictEqual(counts, nothingWrong)
      assert.strictEqual(
        failures.reduce((sum, one) => sum + one.restarted, 0),
        interrupted
      )
      // most of them hit work
      assert.isAtLeast(seen.killed.length, isFull ? kills / 4 : 2)
      assert.isAbove(failures.filter((one) => one.interrupted > 0).length, seen.killed.length / 2)
    },
    600_000
  )
})
