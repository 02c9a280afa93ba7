import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { start } from "@proofline/plugins/adapters/private-postgres"
import { Effect, Exit, Fiber, Scope } from "effect"
import { live } from "../effects.ts"
import { hasTurn } from "../often.ts"
import { describePostgres, freshDatabase } from "../postgres.ts"
import {
  account,
  afterFailure,
  named,
  nothingWrong,
  type Spawned,
  spawnWorker,
  startRuns,
  stopAtWork,
  whenEnded,
  whenWorking
} from "./cluster.ts"
import { clusterProcess, sleeping } from "./engine.ts"
import { linkTo } from "./proxy.ts"

const [slots, tasksOfRun] = [4, 10]
const isFull = process.env["PROOFLINE_TEST"] === "full"
/** Much longer than it takes until others have taken over. */
const pauseMs = isFull ? 30_000 : 10_000
/** Shorter than the pause, and in the long run also longer. */
const attempts = isFull ? [1_000, 40_000] : [2_000]

/** Work for three workers until some time after the pause. */
const runsFor = (attemptMs: number): number =>
  Math.ceil(((pauseMs + 12_000) / attemptMs) * ((slots * 3) / tasksOfRun)) + 2

interface Paused {
  readonly victim: Spawned
  readonly pause: () => void
  readonly goOn: () => void
}

/** Three workers of which one is paused while it works, and what the log says at the end. */
const paused = Effect.fnUntraced(function* (
  url: string,
  attemptMs: number,
  what: string,
  make: (url: string) => Effect.Effect<Paused, never, Scope.Scope>
) {
  const isShort = attemptMs < pauseMs
  // long work is all begun at once: then others have room for it only if they come later
  const [runs, tasks] = isShort ? [runsFor(attemptMs), tasksOfRun] : [1, slots]
  const others = Effect.forEach([1, 2], () => spawnWorker(url, slots, attemptMs))
  const { at, events, victim, isAlive } = yield* Effect.provide(
    Effect.gen(function* () {
      if (isShort) yield* others
      const { goOn, pause, victim } = yield* make(url)
      const ending = yield* Effect.forkChild(whenEnded(runs))
      yield* startRuns(named(runs), tasks)
      if (!isShort) yield* Effect.andThen(whenWorking(victim), others)
      const at = yield* stopAtWork(victim, { goOn, pause }, ending)
      yield* Effect.sleep(pauseMs)
      goOn()
      const events = yield* Fiber.join(ending)
      return { at, events, victim, isAlive: victim.child.exitCode === null && victim.child.signalCode === null }
    }).pipe(Effect.scoped),
    clusterProcess(url, sleeping(0))
  )
  const { attempts, ...counts } = account(events, runs, tasks)
  const seen = afterFailure(attempts, { worker: victim.name, at })
  const again = attempts.filter(({ startedAt, worker }) => worker === victim.name && startedAt > at + pauseMs).length
  process.stdout.write(
    `${what} for ${pauseMs} ms, attempts of ${attemptMs} ms: ${JSON.stringify(counts)}; ${seen.interrupted} interrupted, started elsewhere within ${seen.restart} ms (goal 5000), others silent for at most ${seen.silence} ms (goal 2000); afterwards it began ${again}\n`
  )
  assert.deepStrictEqual(counts, nothingWrong)
  assert.strictEqual(seen.restarted, seen.interrupted)
  assert.isAbove(seen.interrupted, 0)
  assert.isTrue(isAlive)
  if (isShort) assert.isAbove(again, 0)
})

const limitMs = 400_000

describePostgres.concurrent(`a worker that does not answer for ${pauseMs / 1_000} s`, () => {
  for (const attemptMs of attempts) {
    if (hasTurn(0, 4)) {
      live(
        `is replaced within seconds when it is stopped, its late reports of work of ${attemptMs} ms are refused, and it works on`,
        function* () {
          yield* paused(yield* freshDatabase, attemptMs, "Stopped", (url) =>
            Effect.map(spawnWorker(url, slots, attemptMs), (victim) => ({
              victim,
              pause: () => victim.child.kill("SIGSTOP"),
              goOn: () => victim.child.kill("SIGCONT")
            }))
          )
        },
        limitMs
      )
    }
    if (hasTurn(1, 4)) {
      live(
        `is replaced within seconds when its link is cut, its late reports of work of ${attemptMs} ms are refused, and it works on`,
        function* () {
          yield* paused(yield* freshDatabase, attemptMs, "Link cut", (url) =>
            Effect.gen(function* () {
              const link = yield* linkTo(url)
              const victim = yield* spawnWorker(link.url, slots, attemptMs)
              return { victim, pause: link.cut, goOn: link.mend }
            })
          )
        },
        limitMs
      )
    }
  }

  if (hasTurn(2, 4)) {
    live(
      "does again what it gave up when its link was cut and nobody else was there to take it",
      function* () {
        const url = yield* freshDatabase
        const attemptMs = 4_000
        const events = yield* Effect.provide(
          Effect.gen(function* () {
            const link = yield* linkTo(url)
            const victim = yield* spawnWorker(link.url, slots, attemptMs)
            const ending = yield* Effect.forkChild(whenEnded(1))
            yield* startRuns(named(1), tasksOfRun)
            yield* whenWorking(victim)
            link.cut()
            yield* Effect.sleep(5_000)
            link.mend()
            return yield* Fiber.join(ending)
          }).pipe(Effect.scoped),
          clusterProcess(url, sleeping(0))
        )
        const { attempts, ...counts } = account(events, 1, tasksOfRun)
        process.stdout.write(
          `Link cut for 5000 ms from the only worker: ${attempts.length} attempts of ${tasksOfRun} tasks\n`
        )
        assert.deepStrictEqual(counts, nothingWrong)
        assert.isAbove(attempts.length, tasksOfRun)
      },
      limitMs
    )
  }

  if (hasTurn(3, 4)) {
    live(
      "goes on by itself when Postgres was restarted under load",
      function* () {
        const directory = mkdtempSync(join(tmpdir(), "proofline-restart-"))
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(directory, { recursive: true, force: true })))
        // the server is another user where this process is root
        chmodSync(directory, 0o711)
        const first = yield* Scope.make()
        const postgres = yield* Scope.provide(start({ directory }), first)
        const { url } = postgres
        const runs = 12
        const events = yield* Effect.provide(
          Effect.gen(function* () {
            yield* Effect.forEach([1, 2, 3], () => spawnWorker(url, slots, 1_000))
            const ending = yield* Effect.forkChild(whenEnded(runs))
            yield* startRuns(named(runs), tasksOfRun)
            yield* Effect.sleep(2_500)
            // an immediate shutdown: nothing is finished and nobody is told
            process.kill(postgres.pid, "SIGQUIT")
            yield* postgres.ended
            yield* Scope.close(first, Exit.void)
            yield* start({ directory })
            return yield* Fiber.join(ending)
          }),
          clusterProcess(url, sleeping(0))
        ).pipe(Effect.scoped)
        const { attempts, ...counts } = account(events, runs, tasksOfRun)
        process.stdout.write(
          `Postgres restarted: ${JSON.stringify(counts)}; ${attempts.length} attempts of ${runs * tasksOfRun} tasks\n`
        )
        assert.deepStrictEqual(counts, nothingWrong)
      },
      limitMs
    )
  }
})
