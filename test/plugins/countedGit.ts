/** How often git is started. */

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { Effect } from "effect"
import { shell } from "./repositories.ts"

/** The git of this machine, with a line in a file for each time it is started. */
export const counting = (room: string) => {
  const [log, bin] = [Path.join(room, "log"), Path.join(room, "bin")]
  const real = shell(room, "command -v git").trim()
  mkdirSync(bin)
  writeFileSync(log, "")
  writeFileSync(Path.join(bin, "git"), `#!/bin/sh\necho >> '${log}'\nexec '${real}' "$@"\n`)
  chmodSync(Path.join(bin, "git"), 0o755)
  return { path: `${bin}:${process.env["PATH"]}`, started: () => readFileSync(log, "utf8").length }
}

export const withPath = <A, E, R>(path: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const before = process.env["PATH"]
  return Effect.acquireUseRelease(
    Effect.sync(() => Object.assign(process.env, { PATH: path })),
    () => effect,
    () => Effect.sync(() => Object.assign(process.env, { PATH: before }))
  )
}
