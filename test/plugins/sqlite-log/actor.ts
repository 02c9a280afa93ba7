/** What another process does with a log: `actor.ts ACT FILE`. It says how it went, and goes on when it is told a line. */
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import { driveRun, EventLog, Locks, type Presence, WorkQueue } from "@proofline/kernel"
import { Effect, type Scope, Stream } from "effect"
import { fact, logAt } from "./shared.ts"

const [act = "", file = ""] = process.argv.slice(2)
// root may write everywhere
if (act === "append as nobody" && process.getuid?.() === 0) process.seteuid?.(65_534)

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const told = Effect.promise(() => lines.next())
const say = (line: string) => Effect.sync(() => writeSync(1, `${line}\n`))

const begins = (run: string) => ({
  ...fact(`cmd_${run}`, { kind: "tasks", name: run, parent_run_id: null }),
  event_type: "RUN_STARTED"
})

type Act = Effect.Effect<unknown, unknown, EventLog | Locks | Presence | Scope.Scope | WorkQueue>

const acts: Readonly<Record<string, Act>> = {
  "append as nobody": Effect.flatMap(EventLog, (log) => log.append("run_a", 0, [fact("cmd_1")])),
  "race to drive": Effect.gen(function* () {
    yield* say("ready")
    yield* told
    const lost = yield* Effect.match(driveRun("run_a"), {
      onSuccess: () => null,
      onFailure: (refused) => (refused._tag === "RunIsDriven" ? refused.driver.pid : refused.message)
    })
    yield* say(lost === null ? "won" : `lost ${lost}`)
    yield* told
  }),
  "drive and claim": Effect.gen(function* () {
    yield* driveRun("run_a")
    const queue = yield* WorkQueue
    yield* Stream.runForEach(queue.take(1, []), ({ lease }) => say(`claimed ${lease.number}`))
  }),
  "begin runs": Effect.gen(function* () {
    const log = yield* EventLog
    for (let i = 0; i < 400; i++) yield* log.append(`run_${i}`, 0, [begins(`run_${i}`)])
  }),
  lock: Effect.gen(function* () {
    yield* Effect.flatMap(Locks, (locks) => locks.acquire("a", 0))
    yield* say("locked")
    yield* told
  })
}

await (acts[act] ?? Effect.die(`There is no act "${act}".`)).pipe(
  Effect.scoped,
  Effect.provide(logAt(file)),
  Effect.catch((refused) => say(JSON.stringify(refused))),
  Effect.runPromise
)
process.stdin.destroy()
