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
