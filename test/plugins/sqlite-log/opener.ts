/**
 * Opens a log as a user who may not write there and says why it could not: `opener.ts FILE`. Root may write everywhere,
 * so it becomes nobody first.
 */
import { writeSync } from "node:fs"
import { EventLog } from "@proofline/kernel"
import { Effect } from "effect"
import { fact, logAt } from "./shared.ts"

const [file = ""] = process.argv.slice(2)
if (process.getuid?.() === 0) process.seteuid?.(65_534)

const refused = await Effect.runPromise(
  Effect.gen(function* () {
    const log = yield* EventLog
    yield* log.append("run_a", 0, [fact("cmd_1")])
  }).pipe(Effect.provide(logAt(file)), Effect.flip)
)
writeSync(1, `${JSON.stringify(refused)}\n`)
