import { statsKeys } from "@proofline/kernel"
import { Argument, Command, Flag } from "effect/cli"
import { handle } from "../process/handle.ts"
import { argument, examples, how, json, text, where } from "./flags.ts"

/** Figures of what was run. */
export const statsCommand = () =>
  Command.make(
    "stats",
    {
      by: text("by", `What is kept apart: ${statsKeys.join(", ")}, or several with commas between (agent).`),
      since: text("since", "Only runs that began at this date or later: 2026-01-31."),
      ...where,
      json
    },
    (options) =>
      handle(
        "stats",
        options.json,
        () => import("../commands/stats.ts"),
        ({ stats }) => stats(options)
      )
  ).pipe(
    Command.withDescription("Count what agents claimed, what held, and what a proven item took: time, tokens, cost."),
    examples(
      ["stats", "Compare the agents."],
      ["stats --by task,agent --since 2026-01-31", "Compare them task by task, in runs since then."]
    )
  )

/** What other rules would have decided. */
export const backtestCommand = () =>
  Command.make(
    "backtest",
    {
      policy: Flag.String("policy").pipe(
        Flag.atLeast(0),
        Flag.withDescription(
          'A plugin that judges in place of ours or beside it: evidence-regex, evidence, or one of yours by its path or package, with its options as ./gate.ts={"people":2}. Several are tried together.'
        )
      ),
      accept: how().accept,
      since: text("since", "Only runs that began at this date or later: 2026-01-31."),
      runs: Argument.variadic(argument("run", "A run, with its task runs; all runs when left out.")),
      ...where,
      json
    },
    (options) =>
      handle(
        "backtest",
        options.json,
        () => import("../commands/backtest.ts"),
        ({ backtest }) => backtest(options)
      )
  ).pipe(
    Command.withDescription(
      "Judge the claims of past runs by other rules, from the log alone, and see which decisions would change and which were right."
    ),
    examples(
      ["backtest --policy evidence-regex", "Compare the text rules of the beginning with today's."],
      ["backtest --accept untouched", "See what is refused for this reason alone."],
      ["backtest --policy ./two-people.ts --since 2026-01-31", "Try a gate of yours on the runs since then."]
    )
  )
