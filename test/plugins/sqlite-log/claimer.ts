/** Holds work and drives a run until it is killed: `claimer.ts FILE RUN`. Says `claimed LEASE`, then `driving`. */
import { writeSync } from "node:fs"
import { driveRun, WorkQueue } from "@proofline/kernel"
import { Effect, Stream } from "effect"
import { logAt } from "./shared.ts"

const [file = "", run = ""] = process.argv.slice(2)

await Effect.runPromise(
  Effect.gen(function* () {
    yield* driveRun(run)
    writeSync(1, "driving\n")
    const queue = yield* WorkQueue
    yield* Stream.runForEach(queue.take(1, []), ({ lease }) =>
      Effect.sync(() => writeSync(1, `claimed ${lease.number}\n`))
    )
  }).pipe(Effect.scoped, Effect.provide(logAt(file)))
)
