import { createWriteStream, rmSync } from "node:fs"
import * as Path from "node:path"
import { pipeline } from "node:stream/promises"
import { makeTemporary } from "@proofline/plugins/adapters/node-process"
import { Effect } from "effect"
import { exitCodes, stop } from "../base/problems.ts"

/** What comes on stdin as a file that can be read more than once, until the scope closes. */
export const stdinFile = Effect.acquireRelease(
  Effect.sync(() => makeTemporary()),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
).pipe(
  Effect.flatMap((folder) => {
    const file = Path.join(folder, "stdin")
    return Effect.tryPromise({
      try: (signal) => pipeline(process.stdin, createWriteStream(file), { signal }),
      catch: (cause) =>
        stop(exitCodes.usage, {
          code: "events_unreadable",
          message: `What came on stdin could not be kept: ${(cause as Error).message}.`,
          hint: "Let TMPDIR name a directory with space, or name a file instead of `-`."
        })
    }).pipe(Effect.as(file))
  })
)
