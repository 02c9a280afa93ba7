/** Another process on a log: `process.ts write|work URL …`. What it has to say is a line of JSON each. */
import { writeSync } from "node:fs"
import { EventLog, Locks, Presence, WorkQueue } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as postgresLog } from "@proofline/plugins/adapters/postgres-log"
import { Effect, Layer, Result, Schedule, type Scope, Stream } from "effect"
import { events } from "./words.ts"

const [what = "", url = "", name = "", count = "0"] = process.argv.slice(2)

const say = (said: unknown) => Effect.sync(() => writeSync(1, `${JSON.stringify(said)}\n`))

/** Two writers, of which each appends so often to streams of its own and to one of all, now and then at a wrong version. */
const write = Effect.gen(function* () {
  const log = yield* EventLog
  let conflicts = 0
  const writer = (own: string) =>
    Effect.gen(function* () {
      const versions = new Map<string, number>()
      for (let i = 0; i < Number(count); i++) {
        const stream = i % 3 === 0 ? "shared" : own
        const version = versions.get(stream) ?? 0
        const wrong = i % 5 === 4
        const answer = yield* Effect.result(
          log.append(stream, wrong ? version + 7 : version, events(`${own}_${i}`, 1 + (i % 2)))
        )
        if (Result.isSuccess(answer)) versions.set(stream, answer.success.events.at(-1)?.version ?? 0)
        else if (answer.failure._tag === "Conflict") {
          conflicts++
          versions.set(stream, answer.failure.actual)
        } else return yield* answer.failure
      }
    })
  yield* say("open")
  yield* Effect.all([writer(`${name}a`), writer(`${name}b`)], { concurrency: "unbounded" })
  yield* say({ conflicts })
})

/** Takes and keeps work, and holds a lock and a presence, until it is killed. */
const work = Effect.gen(function* () {
  const queue = yield* WorkQueue
  yield* (yield* Locks).acquire("a", 0)
  yield* (yield* Presence).announce({ kind: "run", id: "run_a" })
  yield* queue
    .take(Number(count), [])
    .pipe(
      Stream.runForEach((claim) =>
        Effect.andThen(
          say(claim.lease),
          Effect.forkChild(Effect.repeat(queue.keep([claim]), Schedule.spaced("1 second")))
        )
      )
    )
})

type Needs = EventLog | WorkQueue | Locks | Presence | Scope.Scope

await Effect.runPromise(
  Effect.scoped(Effect.suspend((): Effect.Effect<void, unknown, Needs> => (what === "write" ? write : work))).pipe(
    Effect.provide(postgresLog({ url }).pipe(Layer.provide(nodeDigest)))
  )
)
