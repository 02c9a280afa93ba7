import { Argument, Command, Flag } from "effect/cli"
import { handle } from "../process/handle.ts"
import { argument, asked, examples, fileArgument, json, path, where } from "./flags.ts"

const load = {
  doctor: () => import("../commands/doctor.ts"),
  logArchive: () => import("../commands/logArchive.ts"),
  logRestore: () => import("../commands/logRestore.ts"),
  logCopy: () => import("../commands/logCopy.ts")
}

/** What is done with the log itself. */
export const logCommands = {
  doctor: () =>
    Command.make(
      "doctor",
      {
        fix: asked("fix", "Do what can be done about it without losing anything, and say what was done."),
        repair: asked(
          "repair",
          "Write all that can be proven of a damaged log into a new file; the old one is not changed."
        ),
        out: path("out", "The new file that --repair writes (beside the old one). None is ever written over."),
        ...where,
        json
      },
      (options) => handle("doctor", options.json, load.doctor, ({ doctor }) => doctor(options))
    ).pipe(
      Command.withDescription(
        "Look for what keeps a project from working here: programs, settings, agents, clients, damage in the log; each with what to do."
      ),
      examples(
        ["doctor", "See whether anything is wrong; nothing is changed."],
        ["doctor --fix", "Let it mend what loses nothing."],
        ["doctor --repair", "Save what can be proven into a new log."]
      )
    ),
  log: () =>
    Command.make("log").pipe(
      Command.withDescription("Look after the log of a project: copy runs to another one, archive old ones."),
      Command.withSubcommands([
        Command.make(
          "copy",
          {
            from: path(
              "from",
              "The log that the runs are in: a state directory, the file of a log, or the URL of a database (the project's)."
            ).pipe(Flag.withMetavar("log")),
            to: path("to", "The log that they are copied to (the project's).").pipe(Flag.withMetavar("log")),
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
            ["log copy --to postgresql://me@host/proofline", "Move to a database that many machines share."],
            ["log copy k3x9q2 --to ../other/.proofline/state", "Move a run to another project's log."]
          )
        ),
        Command.make(
          "archive",
          {
            before: Flag.String("before").pipe(Flag.withDescription("Runs that ended before this date: 2026-01-31.")),
            to: path("to", "The new file (in .proofline/archive of the project)."),
            yes: asked("yes", "Do it; without, it is said what would be done."),
            ...where,
            json
          },
          (options) => handle("log-archive", options.json, load.logArchive, ({ logArchive }) => logArchive(options))
        ).pipe(
          Command.withDescription(
            "Take ended runs out of the log into a file, events and blobs, which is read back first; the log says where they are."
          ),
          examples(
            ["log archive --before 2026-01-31", "See what would be archived."],
            ["log archive --before 2026-01-31 --yes", "Archive it."]
          )
        ),
        Command.make(
          "restore",
          { file: fileArgument("file", "What `log archive` wrote."), ...where, json },
          (options) => handle("log-restore", options.json, load.logRestore, ({ logRestore }) => logRestore(options))
        ).pipe(
          Command.withDescription("Bring the runs of an archive back into the log."),
          examples(["log restore runs.ndjson.gz", "Bring them back."])
        )
      ])
    )
}
