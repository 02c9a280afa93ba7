import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { type AgentStep, TimedStep } from "@proofline/kernel"
import { Schema } from "effect"

/** What real clients have said in whole runs, a folder for each: `npm run test:clients -- --record` makes them anew. */
export const recordings = fileURLToPath(new URL("recordings/", import.meta.url))

/** What an agent told of its work, without the times. */
export const stepsOf = (bytes: Uint8Array): ReadonlyArray<AgentStep> =>
  new TextDecoder()
    .decode(bytes)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Schema.decodeUnknownSync(TimedStep)(line).step)

const player = fileURLToPath(new URL("player.ts", import.meta.url))

/** PATH with a program in front that plays what was recorded of a client. */
export const playing = (root: string, name: string, program: string): string => {
  const bin = join(root, ".proofline", "bin")
  mkdirSync(bin, { recursive: true })
  const words = [process.execPath, "--no-warnings", player, join(recordings, name)]
  writeFileSync(join(bin, program), `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(" ")}\n`)
  chmodSync(join(bin, program), 0o755)
  return [bin, process.env["PATH"]].join(delimiter)
}
