import { momentHint, momentOf } from "@proofline/plugins/options"
import { Effect } from "effect"
import { exitCodes, type Stop, stop } from "./problems.ts"

/** The moment that a flag names. */
export const momentSaid = (flag: string, text: string): Effect.Effect<string, Stop> => {
  const moment = momentOf(text)
  return moment === undefined
    ? stop(exitCodes.usage, {
        code: "date_invalid",
        message: `${flag} is no date: ${JSON.stringify(text.slice(0, 50))}.`,
        hint: momentHint
      })
    : Effect.succeed(moment)
}
