import { statsKeys } from "@proofline/kernel"
import { Command } from "effect/cli"
import { examples, json, text, where } from "./flags.ts"
import { handle } from "./handle.ts"

/** Figures of what was run. */
export const statsCommand = Command.make(
  "stats",
  {
    by: text("by", `What is kept apart, with commas between: ${statsKeys.join(", ")} (agent).`),
    since: text("since", "Only runs that began at this date or later: 2026-01-31."),
    ...where,
    json
  },
  (options) =>
    handle(
      "stats",
      options.json,
      () => import("./commands/stats.ts"),
      ({ stats }) => stats(options)
    )
).pipe(
  Command.withDescription("Count what agents claimed, what held, and what a proven item took: time, tokens, cost."),
  examples(
    ["stats", "Compare the agents."],
    ["stats --by task,agent --since 2026-01-31", "Compare them task by task, in runs since then."]
  )
)
