/** A process that appends: `appender.ts FILE RUN COUNT` adds so many events to a run, one by one. */
import { EventLog } from "@proofline/kernel"
import { Effect, Stream } from "effect"
import { logAt } from "../sqlite-log/shared.ts"
import { facts } from "./facts.ts"

const [file = "", run = "", count = "0"] = process.argv.slice(2)

await Effect.runPromise(
  Effect.gen(function* () {
    const log = yield* EventLog
    let { length } = yield* Stream.runCollect(log.read(run))
    for (const event of facts(Number(count), length + 1)) yield* log.append(run, length++, [event])
  }).pipe(Effect.provide(logAt(file)))
)
