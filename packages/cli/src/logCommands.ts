import { Argument, Command } from "effect/cli"
import { argument, examples, json, text, where } from "./flags.ts"
import { handle } from "./handle.ts"

const load = {
  logCopy: () => import("./commands/logCopy.ts")
}

/** What is done with the log itself. */
export const logCommands = [
  Command.make("log").pipe(
    Command.withDescription("Look after the log of a project: copy runs to another one."),
    Command.withSubcommands([
      Command.make(
        "copy",
        {
          from: text("from", "The log that the runs are in: a state directory or the file of a log (the project's)."),
          to: text("to", "The log that they are copied to (the project's)."),
          runs: Argument.variadic(argument("run", "A run, with its task runs; all runs when left out.")),
          ...where,
          json
        },
        (options) => handle("log-copy", options.json, load.logCopy, ({ logCopy }) => logCopy(options))
      ).pipe(
        Command.withDescription(
          "Copy runs to another log, their hashes unchanged; what is not completed goes on there alone. Run again, it goes on where it stopped."
        ),
        examples(
          ["log copy --to ../backup", "Copy all runs to another state directory."],
          ["log copy k3x9q2 --to ../other/.proofline/state", "Move a run to another project's log."]
        )
      )
    ])
  )
] as const
