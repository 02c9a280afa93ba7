import { Effect } from "effect"
import { exitCodes, type Stop, stop } from "../base/problems.ts"

/** What an agent is called on the command line, by the rules of proofline.yaml. */
export const agentNamed = (name: string): Effect.Effect<string, Stop> =>
  /^[\p{L}\p{M}\p{N}_.-]{1,100}$/u.test(name)
    ? Effect.succeed(name)
    : Effect.fail(
        stop(exitCodes.usage, {
          code: "agent_name_invalid",
          message: `An agent cannot be called ${JSON.stringify(name.slice(0, 100))}.`,
          hint: "Use letters, digits, `_`, `.` and `-` only, at most 100."
        })
      )
