/** Holds a lock until it is told a line: `locker.ts FILE NAME`. Says `locked`, then `unlocked`, and waits for a line. */
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import { Locks } from "@proofline/kernel"
import { Effect } from "effect"
import { logAt } from "./shared.ts"

const [file = "", name = ""] = process.argv.slice(2)
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const aLine = Effect.promise(() => lines.next())

await Effect.runPromise(
  Effect.gen(function* () {
    const locks = yield* Locks
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* locks.acquire(name, 0)
        writeSync(1, "locked\n")
        yield* aLine
      })
    )
    writeSync(1, "unlocked\n")
    yield* aLine
  }).pipe(Effect.provide(logAt(file)))
)
process.stdin.destroy()
