/** Tries once to drive a run: `racer.ts FILE RUN`. Says `ready`, waits for a line, says `won` or `lost PID`, waits again. */
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import { driveRun } from "@proofline/kernel"
import { Effect } from "effect"
import { logAt } from "./shared.ts"

const [file = "", run = ""] = process.argv.slice(2)
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const aLine = Effect.promise(() => lines.next())

await Effect.runPromise(
  Effect.gen(function* () {
    writeSync(1, "ready\n")
    yield* aLine
    const told = yield* Effect.match(driveRun(run), {
      onSuccess: () => "won",
      onFailure: (refused) => (refused._tag === "RunIsDriven" ? `lost ${refused.driver.pid}` : refused.message)
    })
    writeSync(1, `${told}\n`)
    yield* aLine
  }).pipe(Effect.scoped, Effect.provide(logAt(file)))
)
process.stdin.destroy()
