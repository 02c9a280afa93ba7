/** Test fixture: a process that says `ready`, waits for a line, and mints one token: `minter.ts STATE`. */
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import { layer } from "@proofline/plugins/adapters/attempt-tokens"
import { AttemptTokens } from "@proofline/plugins/policies/attempts"
import { Effect } from "effect"

const [stateDir = ""] = process.argv.slice(2)
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
writeSync(1, "ready\n")
await lines.next()
const token = await Effect.runPromise(
  Effect.flatMap(AttemptTokens, ({ mint }) => mint({ run_id: "r", task_id: "t", attempt: 1, role: "work" })).pipe(
    Effect.provide(layer({ stateDir }))
  )
)
writeSync(1, `${token}\n`)
process.stdin.destroy()
