import { Effect } from "effect"
import { exitCodes, type Stop, stop } from "./problems.ts"

/** The format that is asked for, of which `json` has a flag of its own. */
export const formatOf = <Format extends string>(
  { format, json }: { readonly format?: Format | "json" | undefined; readonly json: boolean },
  otherwise: Format
): Effect.Effect<Format | "json", Stop> =>
  json && format !== undefined && format !== "json"
    ? stop(exitCodes.usage, {
        code: "report_format",
        message: `--json and --format ${format} ask for two formats.`,
        hint: "Leave one of them out."
      })
    : Effect.succeed(json ? "json" : (format ?? otherwise))
