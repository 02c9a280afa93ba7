import { Argument, Command, Flag } from "effect/cli"
import { handle } from "../process/handle.ts"
import {
  argument,
  asked,
  boolean,
  choice,
  durationFlag,
  examples,
  fileArgument,
  followFlag,
  how,
  json,
  loop,
  neededPath,
  number,
  optionalArgument,
  page,
  path,
  pathArgument,
  runArgument,
  shared,
  split,
  where
} from "./flags.ts"
import { resumed } from "./handed.ts"

const load = {
  bisect: () => import("../commands/bisect.ts"),
  diff: () => import("../commands/diff.ts"),
  events: () => import("../commands/events.ts"),
  eventsExport: () => import("../commands/eventsExport.ts"),
  eventsImport: () => import("../commands/eventsImport.ts"),
  fork: () => import("../commands/fork.ts"),
  replay: () => import("../commands/replay.ts")
}

/** The events of runs, as they are and as files. */
export const eventsCommand = () =>
  Command.make(
    "events",
    {
      run: runArgument,
      ...where,
      visibility: choice("visibility", ["summary", "full"]).pipe(
        Flag.withDescription("Print everything, or with `summary` only what is shown by default (full).")
      ),
      follow: followFlag.pipe(Flag.withDescription("Go on until the run has ended.")),
      json: boolean("json").pipe(Flag.withHidden)
    },
    (options) => handle("events", options.json, load.events, ({ events }) => events(options))
  ).pipe(
    Command.withDescription("Print every event of a run as NDJSON, in order."),
    examples(["events --follow", "Print what happens, as it happens."]),
    Command.withSubcommands([
      Command.make(
        "export",
        {
          runs: Argument.variadic(argument("run", "A run, with its task runs; all runs when left out.")),
          out: neededPath("out").pipe(
            Flag.withDescription("The new file; compressed when its name ends in .gz, such as run.ndjson.gz.")
          ),
          redact: asked(
            "redact",
            "Put pseudonyms in the place of texts, names and paths, and leave blobs out; it can be replayed, and shows nothing."
          ),
          key: path(
            "key",
            "The file with the secret key of the pseudonyms, made when it is not there (the new file with .key behind)."
          ),
          ...where,
          json
        },
        (options) =>
          handle("events-export", options.json, load.eventsExport, ({ exportEvents }) => exportEvents(options))
      ).pipe(
        Command.withDescription(
          "Write runs to a file, events and blobs, to be replayed, verified and imported on any machine."
        ),
        examples(
          ["events export k3x9q2 --out run.ndjson.gz", "Write a run with all that belongs to it."],
          [
            "events export k3x9q2 --out run.ndjson --redact",
            "Write it without any text of yours, for others to look at."
          ]
        )
      ),
      Command.make(
        "import",
        { file: fileArgument("file", "A file of events; - reads them from stdin."), ...where, json },
        (options) =>
          handle("events-import", options.json, load.eventsImport, ({ importEvents }) => importEvents(options))
      ).pipe(
        Command.withDescription(
          "Take the runs of a file into the log; its chains are checked before anything is written."
        ),
        examples(
          ["events import run.ndjson.gz", "Take a run over from another machine."],
          ["events import run.ndjson --database-url postgresql://me@host/proofline", "Take it into a database."]
        )
      )
    ])
  )

export const diffCommand = () =>
  Command.make(
    "diff",
    {
      a: argument("run", "One run."),
      b: argument("other", "The other run, such as a fork of it."),
      ...where,
      json
    },
    (options) => handle("diff", options.json, load.diff, ({ diff }) => diff(options))
  ).pipe(
    Command.withDescription("Show where two runs part, and side by side what each came to."),
    examples(["diff k3x9q2 m4y8r3", "Compare two runs of one file, or a run and its fork."])
  )

export const forkCommand = () =>
  Command.make(
    "fork",
    {
      run: runArgument,
      at: number("at", "The last version that both runs share (the last of all)."),
      resume: asked("resume", "Go on with it at once, as --agent does too."),
      ...where,
      ...how(),
      conflict_resolution: split().conflict_resolution,
      ...loop(),
      ...shared,
      ...page,
      json
    },
    (options) =>
      handle(options.resume || options.agent !== undefined ? "run" : "fork", options.json, load.fork, ({ fork }) =>
        fork(options, resumed)
      )
  ).pipe(
    Command.withDescription("Make a new run that begins as another one did, to go on from there another way."),
    examples(
      ["fork k3x9q2 --at 40", "Begin as that run did, up to its event 40; `resume` goes on."],
      ["fork k3x9q2 --at 40 --agent codex", "Let another agent go on from there."]
    )
  )

export const replayCommand = () =>
  Command.make(
    "replay",
    {
      run: optionalArgument(
        pathArgument("run", "The run, or a file of events; - reads them from stdin. The newest run when left out.")
      ),
      until: number("until", "Judge up to this version of the run, and show the run as it was then."),
      assert: asked("assert", "Say nothing when all of it holds, and fail where anything was not judged."),
      ...where,
      json
    },
    (options) => handle("replay", options.json || options.assert, load.replay, ({ replay }) => replay(options))
  ).pipe(
    Command.withDescription("Check the hash chain of a run, and make every decision in it again."),
    examples(
      ["replay", "Replay the newest run."],
      ["replay k3x9q2 --until 40", "Replay the first 40 events, and see the run as it was then."],
      ["replay run.ndjson --assert", "Let a build fail unless all that a file holds is decided as it was recorded."]
    )
  )

/** Finds what broke a command, in the trees that a run has kept. */
export const bisectCommand = () =>
  Command.make(
    "bisect",
    {
      run: runArgument,
      good: number("good", "A version of the run at which the command passes (its beginning)."),
      bad: number("bad", "A version of the run at which it fails (its end)."),
      runs: number("runs", "Run it so often with each tree; all runs must agree (1)."),
      timeout: durationFlag("timeout").pipe(
        Flag.withDescription(
          "How long one run of the command may take; longer is a failure (as for checks of the run)."
        )
      ),
      command: Argument.variadic(argument("command", "Behind `--`: what fails now, such as npm test.")),
      ...where,
      json
    },
    (options) => handle("bisect", options.json, load.bisect, ({ bisect }) => bisect(options))
  ).pipe(
    Command.withDescription(
      "Find the attempt of a run, and the step in it, after which a command fails: it is run in throw-away copies of the project as it was then."
    ),
    examples(
      ["bisect -- npm test", "Which attempt of the newest run broke the tests."],
      ["bisect k3x9q2 --good 40 --bad 120 -- 'node check.js'", "Between two versions of a run."]
    )
  )
