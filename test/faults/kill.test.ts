import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { live } from "../effects.ts"
import { describePostgres, freshDatabase } from "../postgres.ts"
import {
  account,
  afterFailure,
  end,
  keepRunning,
  leasesOf,
  nothingWrong,
  type Spawned,
  spawnWorker,
  whenEnded,
  whenWorking
} from "./cluster.ts"
import { clusterProcess, sleeping } from "./engine.ts"

const isFull = process.env["PROOFLINE_TEST"] === "full"
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
          // nobody runs out of work before the last is killed, however slow the machine is
          const stop = yield* keepRunning(Math.ceil((2 * slots * 3) / tasks), tasks)
          while (killed.length < kills) {
            const [victim] = alive.splice(Math.floor(Math.random() * alive.length), 1) as [Spawned]
            yield* whenWorking(victim)
            // it is random moments that are asked for
            yield* Effect.sleep(500 + Math.random() * 2_000)
            killed.push({ worker: victim.name, at: Date.now() })
            yield* Effect.promise(() => end(victim.child))
            alive.push(yield* spawnWorker(url, slots, attemptMs))
          }
          const runs = yield* stop
          return { events: yield* whenEnded(runs), killed, runs }
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
      assert.isAbove(failures.filter((one) => one.interrupted > 0).length, kills / 2)
    },
    600_000
  )
})
