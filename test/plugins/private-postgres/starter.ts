/** Another process with a private Postgres: `starter.ts DIRECTORY`. It says what it has, and stays. */
import { writeSync } from "node:fs"
import { start } from "@proofline/plugins/adapters/private-postgres"
import { Effect } from "effect"

const [directory = ""] = process.argv.slice(2)
await Effect.runPromise(
  Effect.scoped(
    Effect.flatMap(start({ directory, settings: { fsync: "off" } }), ({ pid, url }) => {
      writeSync(1, `${JSON.stringify({ pid, url })}\n`)
      return Effect.never
    })
  )
)
