import "effect/schema/SchemaJITCompiler/enable"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Logger } from "effect"
import { Argument, CliError, CliOutput, Command, Flag } from "effect/cli"
import { call } from "./commands/call.ts"
import { cancel } from "./commands/cancel.ts"
import { chunk } from "./commands/chunk.ts"
import { demo } from "./commands/demo.ts"
import { events } from "./commands/events.ts"
import { checkEvidence } from "./commands/evidence.ts"
import { exportHistory } from "./commands/exportHistory.ts"
import { history } from "./commands/history.ts"
import { claudeStop } from "./commands/hook.ts"
import { init } from "./commands/init.ts"
import { mcp } from "./commands/mcp.ts"
import { checkPlugins } from "./commands/plugins.ts"
import { exportReceipts } from "./commands/receipts.ts"
import { replay } from "./commands/replay.ts"
import { resume } from "./commands/resume.ts"
import { run } from "./commands/run.ts"
import { runRequirements } from "./commands/runRequirements.ts"
import { sample, sampleKinds } from "./commands/sample.ts"
import { serve } from "./commands/serve.ts"
import { answer, endSessionRun, listSessions, openSession, revokeSession } from "./commands/session.ts"
import { asStop } from "./commands/shared.ts"
import { report, reportFormats, show, showFormats } from "./commands/show.ts"
import { validate } from "./commands/validate.ts"
import { verify } from "./commands/verify.ts"
import { runStatus, statusWithTrees, watch } from "./commands/watch.ts"
import { interruptedCode } from "./ending.ts"
import {
  before,
  boolean,
  choice,
  durationFlag,
  how,
  json,
  loop,
  optional,
  optionalArgument,
  page,
  port,
  runArgument,
  served,
  split,
  tasks,
  where
} from "./flags.ts"
import { printProblems, sayProblems, wantsColor } from "./output.ts"
import { exitCodes, type Problem, Stop } from "./problems.ts"
import { helpText } from "./render/help.ts"
import { styleFor } from "./render/style.ts"
import { version } from "./version.ts"

/** Exit code of the command that ran; written once. */
let exitCode: number = exitCodes.proven

type Failure = Stop | Parameters<typeof asStop>[0]

/** Runs a command's handler: its number is the exit code, its problems go where the caller looks for them. */
const handle = <R>(kind: string, json: boolean, effect: Effect.Effect<number, Failure, R>) =>
  effect.pipe(
    Effect.mapError((error) => (error instanceof Stop ? error : asStop(error as Parameters<typeof asStop>[0]))),
    Effect.catch((error) => Effect.as(showProblems(kind, json, error.problems), error.exitCode)),
    Effect.andThen((code) =>
      Effect.sync(() => {
        exitCode = code
      })
    )
  )

const showProblems = (kind: string, json: boolean, problems: ReadonlyArray<Problem>) =>
  // what it prints is JSON whatever happens, and there a problem stands once
  kind === "call"
    ? printProblems(kind, problems)
    : Effect.andThen(sayProblems(problems), json ? printProblems(kind, problems) : Effect.void)

/** How a command is used most. */
const examples = (...all: ReadonlyArray<readonly [command: string, description: string]>) =>
  Command.withExamples(all.map(([command, description]) => ({ command: `proofline ${command}`, description })))

/** An older spelling: accepted, and not spoken of. */
const older = (name: string) => Flag.String(name).pipe(Flag.withHidden, optional)

const outFlag = optional(Flag.String("out")).pipe(Flag.withDescription("Write to this file instead of stdout."))
const checkFlag = Flag.String("check").pipe(
  Flag.atLeast(0),
  Flag.withDescription("A shell command that must exit with 0 when all is done. May be given several times.")
)
const itemFlag = Flag.String("item").pipe(
  Flag.atLeast(0),
  Flag.withDescription("A checklist item that needs evidence. May be given several times.")
)
const followFlag = boolean("follow").pipe(Flag.withAlias("f"))

const work = [
  Command.make(
    "run",
    {
      file: Argument.String("tasks.yaml").pipe(Argument.withDescription("The file with the tasks.")),
      ...where,
      ...before,
      ...how,
      ...tasks,
      dryRun: boolean("dry-run").pipe(Flag.withDescription("Show what would be run, and touch nothing.")),
      ...page,
      json
    },
    (options) => handle("run", options.json, run(options))
  ).pipe(
    Command.withDescription("Run the tasks of a file until every one is proven or has failed."),
    examples(
      ["run tasks.yaml --agent claude", "Let Claude Code work on the tasks; codex, gemini and opencode are known too."],
      ["run tasks.yaml --agent command --agent-command './my-agent.sh'", "Let a program of your own work on them."],
      ["run tasks.yaml --dry-run", "See what would be run."]
    )
  ),
  Command.make(
    "run-requirements",
    {
      file: Argument.String("requirements.yaml").pipe(
        Argument.withDescription("The file that says what must hold when all is done.")
      ),
      ...where,
      ...before,
      ...how,
      ...loop,
      chunk: tasks.chunk,
      dryRun: boolean("dry-run").pipe(Flag.withDescription("Show what would be verified, and touch nothing.")),
      ...page,
      json
    },
    (options) => handle("run-requirements", options.json, runRequirements(options))
  ).pipe(
    Command.withDescription("Make tasks of requirements, run and verify them, until every requirement is met."),
    examples(
      ["run-requirements requirements.yaml --agent claude", "Go on until every acceptance criterion is proven."],
      ["run-requirements requirements.yaml --agent claude --max-iterations 5 --max-cost 5", "With limits."]
    )
  ),
  Command.make(
    "chunk",
    {
      prompt: Argument.String("prompt").pipe(
        Argument.withDescription("What is to be done, in words; - reads them from stdin.")
      ),
      ...where,
      ...before,
      ...how,
      ...split,
      check: checkFlag,
      item: itemFlag,
      plan: boolean("plan").pipe(Flag.withDescription("Show how it would be split, and start nothing.")),
      ...page,
      json
    },
    (options) => handle(options.plan ? "chunk" : "run", options.json, chunk(options))
  ).pipe(
    Command.withDescription("Split one large task, run the parts, and accept it when every part holds."),
    examples(
      ['chunk "Add login, logout and sessions" --agent claude', "Let the parts be worked on side by side."],
      ['chunk "Add login, logout and sessions" --plan', "See how it would be split."]
    )
  )
] as const

const look = [
  Command.make(
    "show",
    {
      run: runArgument,
      follow: followFlag.pipe(Flag.withDescription("Stay with a run that goes on until it has ended.")),
      format: choice("format", showFormats).pipe(
        Flag.withDescription("How it is written (text); html is one page that needs nothing else.")
      ),
      out: outFlag,
      task: optional(Flag.String("task")).pipe(Flag.withDescription("Show only this task and its subtasks.")),
      ...where,
      json: boolean("json").pipe(Flag.withDescription("The same as --format json."))
    },
    (options) => handle("show", options.json, show(options))
  ).pipe(
    Command.withDescription(
      "Show a run: what it has shown, its tasks, what was refused and why, and the evidence with its code. No command and no agent is started."
    ),
    examples(
      ["show", "Look at the newest run."],
      ["show --follow", "Watch it until it has ended."],
      ["show k3x9q2 --task login", "Look at one task of a run, which may be named by a part of its id."],
      ["show --format html --out report.html", "Write it as one page, for others."]
    )
  ),
  Command.make(
    "status",
    {
      run: optionalArgument(
        Argument.String("run").pipe(Argument.withDescription("A run, to see nothing but its tree; `show` tells more."))
      ),
      ...where,
      all: boolean("all").pipe(Flag.withDescription("Show all runs, not only those that go on.")),
      json
    },
    (options) =>
      handle("status", options.json, options.run === undefined ? statusWithTrees(options) : runStatus(options))
  ).pipe(
    Command.withDescription("Say what runs now, who drives it and on which task it is, and what ended last."),
    examples(["status", "See what runs now."], ["status --json", "The same for a script."])
  ),
  Command.make(
    "history",
    {
      kind: optional(Flag.String("kind")).pipe(
        Flag.withDescription("List only runs of this kind: tasks, requirements, prompt or session.")
      ),
      of: optional(Flag.String("of")).pipe(Flag.withDescription("List only the task runs of this requirements run.")),
      show: older("show"),
      loopb: boolean("loopb").pipe(Flag.withHidden),
      loopbChildren: older("loopb-children"),
      ...where,
      json
    },
    (options) =>
      handle(
        options.show === undefined ? "history" : options.loopb ? "run-requirements" : "run",
        options.json,
        history(options)
      )
  ).pipe(
    Command.withDescription("List all runs of the project, the newest first."),
    examples(
      ["history", "List what was ever run here."],
      ["history --kind requirements", "List the requirements runs."],
      ["history export --run k3x9q2", "Write a run as JSON files, for other tools."]
    ),
    Command.withSubcommands([
      Command.make(
        "export",
        {
          dir: optional(Flag.String("dir")).pipe(
            Flag.withDescription("Write into this directory (.task-orchestrator-history of the project).")
          ),
          run: optional(Flag.String("run")).pipe(
            Flag.withDescription("Write only this run; a requirements run with its task runs.")
          ),
          ...where,
          json
        },
        (options) => handle("history-export", options.json, exportHistory(options))
      ).pipe(
        Command.withDescription("Write all runs as JSON files: task runs, and requirements runs in loopb/."),
        examples(["history export", "Write all runs."])
      )
    ])
  ),
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
    (options) => handle("events", false, events(options))
  ).pipe(
    Command.withDescription("Print every event of a run as NDJSON, in order."),
    examples(["events --follow", "Print what happens, as it happens."])
  ),
  Command.make(
    "report",
    {
      run: runArgument,
      format: choice("format", reportFormats),
      out: outFlag,
      ...where,
      json: boolean("json").pipe(Flag.withDescription("The same as --format json."))
    },
    (options) => handle("report", options.json, report(options))
  ).pipe(
    Command.withDescription("Show what stands behind a run; an older spelling of a part of `show`."),
    Command.unlisted
  ),
  Command.make("watch", { run: runArgument, ...where, json }, (options) =>
    handle("status", options.json, watch(options))
  ).pipe(
    Command.withDescription("Show a run as a tree until it has ended; an older spelling of `show --follow`."),
    Command.unlisted
  )
] as const

const proof = [
  Command.make(
    "verify",
    {
      run: runArgument,
      ref: optional(Flag.String("ref")).pipe(
        Flag.withDescription("Compare with this commit instead of the files as they are.")
      ),
      receipts: optional(Flag.String("receipts")).pipe(
        Flag.withDescription("Verify these exported receipts, without the log; with a run named, against its log too.")
      ),
      publicKey: optional(Flag.String("public-key")).pipe(
        Flag.withDescription("Check the signature of --receipts with this Ed25519 key (PEM).")
      ),
      ...where,
      json
    },
    (options) => handle("verify", options.json, verify(options))
  ).pipe(
    Command.withDescription("Check that everything a run proved still holds, without any agent."),
    examples(
      ["verify", "Check the newest run against the files as they are."],
      ["verify --ref main", "Check it against a commit."],
      ["verify receipts.json --public-key public.pem", "Check what somebody else exported, without the log."]
    )
  ),
  Command.make("replay", { run: runArgument, ...where, json }, (options) =>
    handle("replay", options.json, replay(options))
  ).pipe(
    Command.withDescription("Check the hash chain of a run, and make every decision in it again."),
    examples(["replay", "Replay the newest run."])
  ),
  Command.make("receipts").pipe(
    Command.withDescription("Give what a run proved to other tools."),
    Command.withSubcommands([
      Command.make(
        "export",
        {
          run: runArgument,
          out: outFlag,
          key: optional(Flag.String("key")).pipe(
            Flag.withDescription(
              "Sign with this Ed25519 key (PEM, not encrypted); PROOFLINE_SIGNING_KEY when left out."
            )
          ),
          ...where
        },
        (options) => handle("receipts", false, exportReceipts(options))
      ).pipe(
        Command.withDescription("Write the receipts of a run as an in-toto statement in a DSSE envelope."),
        examples(["receipts export --key key.pem --out receipts.json", "Sign what the newest run proved."])
      )
    ])
  ),
  Command.make("evidence").pipe(
    Command.withDescription("Judge evidence outside of a run."),
    Command.withSubcommands([
      Command.make(
        "check",
        {
          evidence: Argument.variadic(
            Argument.String("evidence").pipe(
              Argument.withDescription("Evidence as path:line or path:start-end, relative to the project.")
            )
          ),
          root: optional(Flag.String("root")).pipe(
            Flag.withDescription("The project directory; the current one when left out.")
          ),
          stdin: boolean("stdin").pipe(Flag.withDescription("Read evidence from stdin too, one a line.")),
          json: boolean("json").pipe(
            Flag.withDescription("Print one JSON object a line, in the order of the evidence.")
          )
        },
        (options) => handle("evidence", false, checkEvidence(options))
      ).pipe(
        Command.withDescription("Judge evidence as a run would: for editors, hooks and CI."),
        examples(["evidence check src/auth.ts:42-58", "Judge some lines."])
      )
    ])
  )
] as const

const steer = [
  Command.make(
    "resume",
    {
      run: runArgument,
      ...where,
      ...how,
      conflict_resolution: split.conflict_resolution,
      ...loop,
      ...page,
      json
    },
    (options) => handle("run", options.json, resume(options))
  ).pipe(
    Command.withDescription("Go on with a run that was interrupted or is not completed."),
    examples(
      ["resume", "Go on with the newest run that is not completed."],
      ["resume --max-cost 5", "Go on with a new budget."]
    )
  ),
  Command.make(
    "cancel",
    {
      run: runArgument,
      reason: optional(Flag.String("reason")).pipe(
        Flag.withDescription("Say why; it is recorded with the end of the run.")
      ),
      ...where,
      json
    },
    (options) => handle("run", options.json, cancel(options))
  ).pipe(
    Command.withDescription("End a run; what is proven stays, and `resume` goes on with it."),
    examples(['cancel --reason "The plan has changed."', "End the newest run, and say why."])
  ),
  Command.make(
    "answer",
    {
      answer: optionalArgument(
        Argument.String("answer").pipe(Argument.withDescription("The answer; without it the question is shown."))
      ),
      comment: optional(Flag.String("comment")).pipe(Flag.withDescription("Tell the agent this beside the answer.")),
      ...where,
      json
    },
    (options) => handle("answer", options.json, answer(options))
  ).pipe(
    Command.withDescription("Answer what only a person may decide in a session run."),
    examples(
      ["answer", "See what is asked."],
      ['answer yes --comment "Without the second page."', "Answer, and say more."]
    )
  )
] as const

const connect = [
  Command.make("mcp", { ...where, ...before, ...served }, (options) => handle("mcp", false, mcp(options))).pipe(
    Command.withDescription("Let an agent that is open already work under Proofline, over MCP on stdin and stdout."),
    examples(["mcp", "Serve the project of the current directory; a client starts this by itself."])
  ),
  Command.make(
    "serve",
    {
      ...where,
      ...before,
      ...served,
      port,
      open: boolean("open").pipe(Flag.withDescription("Open the page in the browser.")),
      json: boolean("json").pipe(Flag.withDescription("Print addresses and token as one line of JSON."))
    },
    (options) => handle("serve", options.json, serve(options))
  ).pipe(
    Command.withDescription(
      "Serve the project over HTTP on this machine: a page, an API, and MCP for any number of agents."
    ),
    examples(["serve --open", "See all runs in the browser."])
  ),
  Command.make("session").pipe(
    Command.withDescription("See and decide who works in the session run, and under which token."),
    Command.withSubcommands([
      Command.make(
        "open",
        {
          agent: Flag.String("agent").pipe(
            Flag.withDescription("What the agent is called: tasks are assigned to it by this name.")
          ),
          ttlMs: durationFlag("ttl").pipe(Flag.withDescription("The session ends when it is silent for so long (1h).")),
          ...where,
          json
        },
        (options) => handle("session", options.json, openSession(options))
      ).pipe(
        Command.withDescription("Open a session for an agent; its token is shown once."),
        examples(["session open --agent ci", "Open a session for a script."])
      ),
      Command.make("list", { ...where, json }, (options) =>
        handle("sessions", options.json, listSessions(options))
      ).pipe(Command.withDescription("List the sessions of the session run that goes on.")),
      Command.make(
        "revoke",
        {
          session: Argument.String("session").pipe(Argument.withDescription("The id of the session.")),
          ...where,
          json
        },
        (options) => handle("session", options.json, revokeSession(options))
      ).pipe(Command.withDescription("End a session at once.")),
      Command.make("end", { ...where, json }, (options) =>
        handle("session", options.json, endSessionRun(options))
      ).pipe(Command.withDescription("Give up the session run that goes on."))
    ])
  ),
  Command.make("hook").pipe(
    Command.withDescription("Answer the hooks of agents' clients."),
    Command.withSubcommands([
      Command.make(
        "claude-stop",
        {
          ...where,
          agent: optional(Flag.String("agent")).pipe(
            Flag.withDescription("What the agent is called in the session run; Claude Code's own name when left out.")
          )
        },
        (options) => handle("hook", false, claudeStop(options))
      ).pipe(
        Command.withDescription(
          "Keep Claude Code at work while what it does in the session run is not proven: for `Stop` in .claude/settings.json."
        )
      )
    ])
  ),
  Command.make(
    "call",
    {
      operation: Argument.String("operation").pipe(
        Argument.withDescription("One of the tools that agents have, such as get_run.")
      ),
      arguments: optionalArgument(
        Argument.String("arguments").pipe(
          Argument.withDescription("Its arguments, an object of JSON; - reads them from stdin.")
        )
      ),
      approvals: served.approvals,
      ...where,
      json: boolean("json").pipe(Flag.withHidden)
    },
    (options) => handle("call", true, call(options))
  ).pipe(
    Command.withDescription(
      "Call one of the tools that agents have from a script. For an agent's own work PROOFLINE_TOKEN holds the token of its session."
    ),
    examples(
      ["call list_runs", "List the runs, as JSON."],
      [`call get_run '{"run_id": "run_20260101_100000_k3x9q2"}'`, "Ask with arguments."]
    )
  )
] as const

const setUp = [
  Command.make(
    "init",
    {
      ...where,
      lang: choice("lang", ["en", "ja"]).pipe(
        Flag.withDescription("The language of what agents read: phase contract and planning guide (en).")
      ),
      contract: choice("contract", ["default", "full"]).pipe(
        Flag.withDescription(
          "The phases of pull mode: plan, work and verification, or with `full` the whole way to the merge (default)."
        )
      ),
      json
    },
    (options) => handle("init", options.json, init(options))
  ).pipe(
    Command.withDescription("Write the files of a new project; what exists is kept."),
    examples(["init", "Begin in the current directory."])
  ),
  Command.make(
    "sample",
    {
      kind: Argument.Literals("requirements|tasks", sampleKinds).pipe(
        Argument.withDescription("Which file to print: requirements.yaml or tasks.yaml.")
      ),
      cwd: where.cwd,
      out: optional(Flag.String("out")).pipe(
        Flag.withDescription("Write to this new file instead of stdout; one that exists is never touched.")
      )
    },
    (options) => handle("sample", false, sample(options))
  ).pipe(
    Command.withDescription("Print an example of an input file, with comments."),
    examples(["sample requirements --out requirements.yaml", "Begin a file of requirements."])
  ),
  Command.make(
    "validate",
    {
      file: Argument.String("file").pipe(
        Argument.withDescription(
          "A tasks.yaml, requirements.yaml, proofline.yaml, task-chunking.json or phase_contract.yml."
        )
      ),
      json
    },
    (options) => handle("validate", options.json, validate(options))
  ).pipe(
    Command.withDescription("Tell everything that is wrong with an input file."),
    examples(["validate tasks.yaml", "Check a file before it is run."])
  ),
  Command.make("plugins").pipe(
    Command.withDescription("Look after the plugins of a project."),
    Command.withSubcommands([
      Command.make("check", { cwd: where.cwd, json }, (options) =>
        handle("plugins", options.json, checkPlugins(options))
      ).pipe(Command.withDescription("Load and compose them as a run would, and tell everything that is wrong."))
    ])
  ),
  Command.make(
    "demo",
    {
      demo: optionalArgument(
        Argument.String("demo").pipe(
          Argument.withDescription(
            "checklist shows claims that are refused; chunking a large task that is split; requirements tasks that are made until all is met; pull-mode an agent that comes by itself, over MCP (checklist)."
          )
        )
      ),
      ...how,
      dir: optional(Flag.String("dir")).pipe(
        Flag.withDescription("An empty or new directory for the project; a temporary one when left out.")
      ),
      json
    },
    (options) => handle("run", options.json, demo(options))
  ).pipe(
    Command.withDescription("See it work on a small project, with a scripted agent that does not do well at first."),
    examples(
      ["demo", "See claims refused until they are proven."],
      ["demo requirements --agent claude", "See a real agent meet requirements."]
    )
  )
] as const

const proofline = Command.make("proofline").pipe(
  Command.withDescription('Proofline runs AI coding agents and accepts "done" only with evidence that holds.'),
  examples(
    ["init", "Write the files of a new project."],
    ["run tasks.yaml --agent claude", "Let an agent work on the tasks of a file until every one is proven."],
    ["show", "See what the newest run has shown, what was refused and why, and the code behind it."],
    ["status", "See what runs now."]
  ),
  Command.withSubcommands([
    { group: "Do work", commands: work },
    { group: "Look at work", commands: look },
    { group: "Judge and prove", commands: proof },
    { group: "Steer", commands: steer },
    { group: "Connect agents", commands: connect },
    { group: "Set up", commands: setUp }
  ])
)

const invalidInvocation = (
  errors: ReadonlyArray<CliError.CliError>,
  path: ReadonlyArray<string>
): ReadonlyArray<Problem> => {
  const hint = `See \`${path.join(" ")} --help\`.`
  const alone = { code: "usage_missing_subcommand", message: `\`${path.join(" ")}\` needs a subcommand.`, hint }
  const problems = errors.map((error): Problem => {
    if (error._tag === "UserError") return error.cause as Problem
    const [near] = "suggestions" in error ? error.suggestions : []
    return {
      code: `usage_${error._tag.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase()}`,
      message: error.message.split("\n")[0] ?? error.message,
      hint: near === undefined ? hint : `Did you mean \`${near}\`? ${hint}`
    }
  })
  return problems.length > 0 ? problems : [alone]
}

const main = (args: ReadonlyArray<string>) =>
  Command.runWith(proofline, { version, renderErrors: false })(args).pipe(
    Effect.catchIf(CliError.isCliError, (error) => {
      const help = error._tag === "ShowHelp"
      if (help && error.errors.length === 0 && error.commandPath.length === 1) return Effect.void
      const path = help ? error.commandPath : ["proofline"]
      // a client takes 2 of a hook for a block, again and again
      exitCode = args[0] === "hook" ? exitCodes.unmet : exitCodes.usage
      return showProblems(
        path[1] ?? "proofline",
        // `evidence` prints one object a line and nothing else
        args.includes("--json") && path[1] !== "evidence",
        invalidInvocation(help ? error.errors : [error], path)
      )
    }),
    Effect.provideService(CliOutput.Presenter, {
      // an invocation that was wrong gets its problems, not a page of help on stdout
      present: (event) =>
        event._tag === "Help" && event.reason === "Implicit" && args.length > 0
          ? Effect.void
          : CliOutput.defaultPresenter.present(event)
    }),
    Effect.provideService(CliOutput.Formatter, {
      ...CliOutput.defaultFormatter({ colors: false }),
      formatHelpDoc: (doc) =>
        helpText(doc, styleFor(wantsColor(process.stdout)), Math.min(process.stdout.columns || 100, 100))
    }),
    // stdout belongs to documents and reports
    Effect.provideService(Logger.LogToStderr, true),
    Effect.provide(NodeServices.layer)
  )

/** Runs the command line and ends the process with its exit code. Ctrl-C ends agents first; a second one does not wait. */
export const start = (args: ReadonlyArray<string>): void => {
  // progress that nobody reads any more does not end a run
  process.stderr.on("error", () => {})
  // a reader of events that went away (`| head`) has seen enough; any other command goes on
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") process.exit(exitCodes.unmet)
    if (args[0] === "events") process.exit(exitCodes.proven)
    // what nobody reads is not checked any more, so it cannot be all right
    if (args[0] === "evidence") process.exit(exitCodes.unmet)
    // any other command ends with its own exit code: nobody reading is no proof
  })
  const fiber = Effect.runFork(main(args))
  let signals = 0
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (++signals > 1) process.exit(interruptedCode())
      exitCode = interruptedCode()
      fiber.interruptUnsafe()
    })
  }
  fiber.addObserver((exit) => {
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
      process.stderr.write(`error: ${broken(Cause.squash(exit.cause))}\n`)
      exitCode = exitCodes.unmet
    }
    process.exit(exitCode)
  })
}

const broken = (defect: unknown): string =>
  `Proofline itself failed: ${defect instanceof Error ? defect.message : String(defect)} [internal_error]\n    The log is intact; \`proofline resume\` goes on. Please report this, with PROOFLINE_DEBUG=1 for the place.${
    process.env["PROOFLINE_DEBUG"] && defect instanceof Error ? `\n${defect.stack}` : ""
  }`
