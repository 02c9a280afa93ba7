import { Argument, Command, Flag } from "effect/cli"
import { auditFormats, reportFormats, showFormats } from "../base/choices.ts"
import { clientNames } from "../clients/table.ts"
import { handle, printsDocument } from "../process/handle.ts"
import { bisectCommand, diffCommand, eventsCommand, forkCommand, replayCommand } from "./eventCommands.ts"
import {
  argument,
  asked,
  before,
  boolean,
  choice,
  cwdOrRoot,
  durationFlag,
  examples,
  fileArgument,
  followFlag,
  how,
  json,
  loop,
  number,
  optional,
  optionalArgument,
  outFlag,
  page,
  path,
  pathArgument,
  port,
  retry,
  runArgument,
  served,
  shared,
  split,
  tasks,
  text,
  where
} from "./flags.ts"
import { requirementsRun, resumed } from "./handed.ts"
import { logCommands } from "./logCommands.ts"
import { receiptCommands } from "./receiptCommands.ts"
import { setUpCommands } from "./setUpCommands.ts"
import { backtestCommand, statsCommand } from "./statsCommands.ts"
import { workerCommands } from "./workerCommands.ts"

/** Where each command is, loaded when it is asked for. */
const load = {
  audit: () => import("../commands/audit.ts"),
  call: () => import("../commands/call.ts"),
  cancel: () => import("../commands/cancel.ts"),
  chunk: () => import("../commands/chunk.ts"),
  drill: () => import("../commands/drill.ts"),
  evidence: () => import("../commands/evidence.ts"),
  exportHistory: () => import("../commands/exportHistory.ts"),
  history: () => import("../commands/history.ts"),
  hook: () => import("../commands/hook.ts"),
  mcp: () => import("../commands/mcp.ts"),
  mcpInstall: () => import("../commands/mcpInstall.ts"),
  resume: () => import("../commands/resume.ts"),
  run: () => import("../commands/run.ts"),
  runRequirements: () => import("../commands/runRequirements.ts"),
  serve: () => import("../commands/serve.ts"),
  answer: () => import("../commands/answer.ts"),
  session: () => import("../commands/session.ts"),
  show: () => import("../commands/show.ts"),
  watch: () => import("../commands/watch.ts"),
  workers: () => import("../commands/workers.ts")
}

/** An older spelling: accepted, and not spoken of. */
const older = (name: string) => Flag.String(name).pipe(Flag.withHidden, optional)

const checkFlag = Flag.String("check").pipe(
  Flag.atLeast(0),
  Flag.withDescription("A shell command that must exit with 0 when all is done. May be given several times.")
)
const itemFlag = Flag.String("item").pipe(
  Flag.atLeast(0),
  Flag.withDescription("A checklist item that needs evidence. May be given several times.")
)

const work = {
  run: () =>
    Command.make(
      "run",
      {
        file: fileArgument("tasks.yaml", "The file with the tasks."),
        ...where,
        ...before,
        ...shared,
        ...how(),
        ...tasks(),
        dryRun: asked("dry-run", "Show what would be run, and touch nothing."),
        ...page,
        json
      },
      (options) => handle("run", options.json, load.run, ({ run }) => run(options, requirementsRun))
    ).pipe(
      Command.withDescription("Run the tasks of a file until every one is proven or has failed."),
      examples(
        [
          "run tasks.yaml --agent claude",
          "Let Claude Code work on the tasks; codex, gemini and opencode are known too."
        ],
        ["run tasks.yaml --agent command --agent-command './my-agent.sh'", "Let a program of your own work on them."],
        ["run tasks.yaml --dry-run", "See what would be run."]
      )
    ),
  "run-requirements": () =>
    Command.make(
      "run-requirements",
      {
        file: fileArgument("requirements.yaml", "The file that says what must hold when all is done."),
        ...where,
        ...before,
        ...shared,
        ...how(),
        ...loop(),
        chunk: tasks().chunk,
        dryRun: asked("dry-run", "Show what would be verified, and touch nothing."),
        ...page,
        json
      },
      (options) =>
        handle("run-requirements", options.json, load.runRequirements, ({ runRequirements }) =>
          runRequirements(options, resumed)
        )
    ).pipe(
      Command.withDescription("Make tasks of requirements, run and verify them, until every requirement is met."),
      examples(
        ["run-requirements requirements.yaml --agent claude", "Go on until every acceptance criterion is proven."],
        ["run-requirements requirements.yaml --agent claude --max-iterations 5 --max-cost 5", "With limits."]
      )
    ),
  chunk: () =>
    Command.make(
      "chunk",
      {
        prompt: argument("prompt", "What is to be done, in words; - reads them from stdin."),
        ...where,
        ...before,
        ...shared,
        ...how(),
        ...split(),
        check: checkFlag,
        item: itemFlag,
        plan: asked("plan", "Show how it would be split, and start nothing."),
        ...page,
        json
      },
      (options) => handle(options.plan ? "chunk" : "run", options.json, load.chunk, ({ chunk }) => chunk(options))
    ).pipe(
      Command.withDescription("Split one large task, run the parts, and accept it when every part holds."),
      examples(
        ['chunk "Add login, logout and sessions" --agent claude', "Let the parts be worked on side by side."],
        ['chunk "Add login, logout and sessions" --plan', "See how it would be split."]
      )
    )
}

const look = {
  show: () =>
    Command.make(
      "show",
      {
        run: runArgument,
        follow: followFlag.pipe(Flag.withDescription("Stay with a run that goes on until it has ended.")),
        format: choice("format", showFormats).pipe(
          Flag.withDescription("How it is written (text); html is one page that needs nothing else.")
        ),
        out: outFlag,
        task: text("task", "Show only this task and its subtasks."),
        ...where,
        json: asked("json", "The same as --format json.")
      },
      (options) => handle("show", printsDocument(options), load.show, ({ show }) => show(options))
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
  status: () =>
    Command.make(
      "status",
      {
        run: optionalArgument(argument("run", "A run, to see nothing but its tree; `show` tells more.")),
        ...where,
        all: asked("all", "Show all runs, not only those that go on."),
        workers: asked("workers", "Show who takes work of a log that several machines share, and what each is at."),
        json
      },
      (options) =>
        options.workers
          ? handle("workers", options.json, load.workers, ({ statusOfWorkers }) => statusOfWorkers(options))
          : handle("status", options.json, load.watch, ({ runStatus, statusWithTrees }) =>
              options.run === undefined ? statusWithTrees(options) : runStatus(options)
            )
    ).pipe(
      Command.withDescription("Say what runs now, who drives it and on which task it is, and what ended last."),
      examples(["status", "See what runs now."], ["status --json", "The same for a script."])
    ),
  history: () =>
    Command.make(
      "history",
      {
        kind: text("kind", "List only runs of this kind: tasks, requirements, prompt or session."),
        of: text("of", "List only the task runs of this requirements run."),
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
          load.history,
          ({ history }) => history(options)
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
            dir: path("dir", "Write into this directory (.task-orchestrator-history of the project).", "directory"),
            run: text("run", "Write only this run; a requirements run with its task runs."),
            ...where,
            json
          },
          (options) =>
            handle("history-export", options.json, load.exportHistory, ({ exportHistory }) => exportHistory(options))
        ).pipe(
          Command.withDescription("Write all runs as JSON files: task runs, and requirements runs in loopb/."),
          examples(["history export", "Write all runs."])
        )
      ])
    ),
  stats: statsCommand,
  events: eventsCommand,
  diff: diffCommand,
  report: () =>
    Command.make(
      "report",
      {
        run: runArgument,
        format: choice("format", reportFormats).pipe(Flag.withDescription("How it is written (terminal).")),
        out: outFlag,
        ...where,
        json: asked("json", "The same as --format json.")
      },
      (options) => handle("report", printsDocument(options), load.show, ({ report }) => report(options))
    ).pipe(
      Command.withDescription("Show what stands behind a run; an older spelling of a part of `show`."),
      Command.unlisted
    ),
  watch: () =>
    Command.make("watch", { run: runArgument, ...where, json }, (options) =>
      handle("status", options.json, load.watch, ({ watch }) => watch(options))
    ).pipe(
      Command.withDescription("Show a run as a tree until it has ended; an older spelling of `show --follow`."),
      Command.unlisted
    )
}

const proof = {
  replay: replayCommand,
  bisect: bisectCommand,
  backtest: backtestCommand,
  evidence: () =>
    Command.make("evidence").pipe(
      Command.withDescription("Judge evidence outside of a run."),
      Command.withSubcommands([
        Command.make(
          "check",
          {
            evidence: Argument.variadic(
              pathArgument("evidence", "Evidence as path:line or path:start-end, relative to the project.")
            ),
            cwd: cwdOrRoot,
            stdin: asked("stdin", "Read evidence from stdin too, one a line."),
            json: asked("json", "Print one JSON object a line, in the order of the evidence.")
          },
          (options) => handle("evidence", options.json, load.evidence, ({ checkEvidence }) => checkEvidence(options))
        ).pipe(
          Command.withDescription("Judge evidence as a run would: for editors, hooks and CI."),
          examples(["evidence check src/auth.ts:42-58", "Judge some lines."])
        )
      ])
    ),
  audit: () =>
    Command.make(
      "audit",
      {
        paths: Argument.variadic(
          pathArgument("path", "Task lists, or directories with some; all of the project when left out.")
        ),
        cwd: where.cwd,
        format: choice("format", auditFormats).pipe(Flag.withDescription("How it is written (text).")),
        json: asked("json", "The same as --format json.")
      },
      (options) => handle("audit", printsDocument(options), load.audit, ({ audit }) => audit(options))
    ).pipe(
      Command.withDescription(
        "Read the task lists of other tools, and tell which boxes are ticked without evidence that holds: no config, no model, nothing is changed."
      ),
      examples(
        ["audit", "Look at every list that git knows."],
        ["audit specs/001-login/tasks.md --json", "Look at one list, for a script."],
        ["audit --format sarif", "For code scanning."]
      )
    ),
  drill: () =>
    Command.make("drill", { cwd: where.cwd, json }, (options) =>
      handle("drill", options.json, load.drill, ({ drill }) => drill(options))
    ).pipe(
      Command.withDescription(
        "Plant cheats and genuine changes in a throw-away copy of your repository, and see which are refused: no model, nothing of yours is changed."
      ),
      examples(["drill", "See what would be refused in this project."], ["drill --json", "The same for a script."])
    )
}

const steer = {
  resume: () =>
    Command.make(
      "resume",
      {
        run: runArgument,
        ...where,
        ...retry(),
        ...how(),
        conflict_resolution: split().conflict_resolution,
        ...loop(),
        ...shared,
        ...page,
        json
      },
      (options) => handle("run", options.json, load.resume, ({ resume }) => resume(options))
    ).pipe(
      Command.withDescription("Go on with a run that was interrupted or is not completed."),
      examples(
        ["resume", "Go on with the newest run that is not completed, unless a later run of its file is."],
        ["resume --max-cost 5", "Go on with a new budget."],
        ["resume last --task login --note 'The port is 8081.'", "Try one task again, and tell its agent something."]
      )
    ),
  fork: forkCommand,
  cancel: () =>
    Command.make(
      "cancel",
      {
        run: runArgument,
        reason: text("reason", "Say why; it is recorded with the end of the run."),
        ...where,
        json
      },
      (options) => handle("run", options.json, load.cancel, ({ cancel }) => cancel(options))
    ).pipe(
      Command.withDescription("End a run; what is proven stays, and `resume` goes on with it."),
      examples(['cancel --reason "The plan has changed."', "End the newest run, and say why."])
    ),
  answer: () =>
    Command.make(
      "answer",
      {
        answer: optionalArgument(argument("answer", "The answer; without it the question is shown.")),
        comment: text("comment", "Tell the agent this beside the answer."),
        question: text("question", "The question, by its id, where several wait."),
        run: text("run", "The run that asks; the one that waits when left out."),
        task: text("task", "The task with an item that cannot be done, where several wait."),
        item: number("item", "Number of the item, from 1; all that is asked about the task when left out."),
        ...where,
        json
      },
      (options) => handle("answer", options.json, load.answer, ({ answer }) => answer(options))
    ).pipe(
      Command.withDescription(
        "Answer what only a person may decide: a phase of a session run, or what an agent cannot do."
      ),
      examples(
        ["answer", "See what is asked."],
        ['answer yes --comment "Without the second page."', "Answer, and say more."],
        ["answer waive --task login --item 2", "Do without an item that cannot be done."],
        ["answer allow", "Let an agent do what it asks leave for."]
      )
    )
}

const connect = {
  mcp: () =>
    Command.make("mcp", { ...where, ...before, ...served() }, (options) =>
      handle("mcp", false, load.mcp, ({ mcp }) => mcp(options))
    ).pipe(
      Command.withDescription("Let an agent that is open already work under Proofline, over MCP on stdin and stdout."),
      examples(
        ["mcp", "Serve the project of the current directory; a client starts this by itself."],
        ["mcp install claude", "Set Claude Code up for the project; what is written is shown first."]
      ),
      Command.withSubcommands([
        Command.make(
          "install",
          {
            client: Argument.Literals("client", clientNames).pipe(
              Argument.withDescription(`Which client: ${clientNames.join(", ")}.`)
            ),
            remove: asked("remove", "Take out what was installed, and nothing else."),
            replace: asked("replace", "Replace an entry of Proofline's name too that says something else."),
            yes: asked("yes", "Write without asking; without a terminal nothing is written otherwise."),
            cwd: where.cwd,
            json
          },
          (options) => handle("mcp-install", options.json, load.mcpInstall, ({ mcpInstall }) => mcpInstall(options))
        ).pipe(
          Command.withDescription(
            "Set a client up for the project: the server, the Stop hook of Claude Code, and the lines that its agent reads. Shows every change first."
          ),
          examples(
            ["mcp install claude", "See what would be written for Claude Code, and agree."],
            ["mcp install codex --yes", "Set Codex up without a question."],
            ["mcp install claude --remove", "Take it out again."]
          )
        )
      ])
    ),
  serve: () =>
    Command.make(
      "serve",
      {
        ...where,
        ...before,
        ...served(),
        project: Flag.String("project").pipe(
          Flag.atLeast(0),
          Flag.withMetavar("directory"),
          Flag.withDescription("A project to be served, in the place of the current one. May be given several times.")
        ),
        recent: asked("recent", "Serve all projects in which a run was begun or taken up lately."),
        port,
        open: asked("open", "Open the page in the browser."),
        json: asked("json", "Print addresses and token as one line of JSON.")
      },
      (options) => handle("serve", options.json, load.serve, ({ serve }) => serve(options))
    ).pipe(
      Command.withDescription(
        "Serve the project over HTTP on this machine, or several: a page, an API, and MCP for any number of agents."
      ),
      examples(
        ["serve --open", "See all runs in the browser."],
        ["serve --project web --project api", "Two projects on one page."],
        ["serve --recent --open", "All projects that were used lately."]
      )
    ),
  session: () =>
    Command.make("session").pipe(
      Command.withDescription("See and decide who works in the session run, and under which token."),
      Command.withSubcommands([
        Command.make(
          "open",
          {
            agent: Flag.String("agent").pipe(
              Flag.withDescription("What the agent is called: tasks are assigned to it by this name.")
            ),
            ttlMs: durationFlag("ttl").pipe(
              Flag.withDescription("The session ends when it is silent for so long (1h).")
            ),
            ...where,
            json
          },
          (options) => handle("session", options.json, load.session, ({ openSession }) => openSession(options))
        ).pipe(
          Command.withDescription("Open a session for an agent; its token is shown once."),
          examples(["session open --agent ci", "Open a session for a script."])
        ),
        Command.make("list", { ...where, json }, (options) =>
          handle("sessions", options.json, load.session, ({ listSessions }) => listSessions(options))
        ).pipe(Command.withDescription("List the sessions of the session run that goes on.")),
        Command.make(
          "revoke",
          {
            session: argument("session", "The id of the session."),
            ...where,
            json
          },
          (options) => handle("session", options.json, load.session, ({ revokeSession }) => revokeSession(options))
        ).pipe(Command.withDescription("End a session at once.")),
        Command.make("end", { ...where, json }, (options) =>
          handle("session", options.json, load.session, ({ endSessionRun }) => endSessionRun(options))
        ).pipe(Command.withDescription("Give up the session run that goes on."))
      ])
    ),
  hook: () =>
    Command.make("hook").pipe(
      Command.withDescription("Answer the hooks of agents' clients."),
      Command.withSubcommands([
        Command.make(
          "claude-stop",
          {
            ...where,
            agent: text("agent", "What the agent is called in the session run; Claude Code's own name when left out."),
            maxBlocks: number("max-blocks", "Keep the agent from stopping so many times in a row at most (10).")
          },
          (options) => handle("hook", false, load.hook, ({ claudeStop }) => claudeStop(options))
        ).pipe(
          Command.withDescription(
            "Keep Claude Code at work while what it does in the session run is not proven: for `Stop` in .claude/settings.json."
          )
        )
      ])
    ),
  call: () =>
    Command.make(
      "call",
      {
        operation: argument("operation", "One of the tools that agents have, such as get_run."),
        arguments: optionalArgument(
          argument("arguments", "Its arguments, an object of JSON; - reads them from stdin.")
        ),
        run: text(
          "run",
          "Of an operation that a plugin declares: the run that it works on, instead of that of a session."
        ),
        approvals: served().approvals,
        ...where,
        json: boolean("json").pipe(Flag.withHidden)
      },
      (options) => handle("call", true, load.call, ({ call }) => call(options))
    ).pipe(
      Command.withDescription(
        "Call one of the tools that agents have from a script. For an agent's own work PROOFLINE_TOKEN holds the token of its session."
      ),
      examples(
        ["call list_runs", "List the runs, as JSON."],
        [`call get_run '{"run_id": "run_20260101_100000_k3x9q2"}'`, "Ask with arguments."]
      )
    )
}

/** By what a person wants to do. */
const groups = {
  "Do work": work,
  "Look at work": look,
  "Judge and prove": { ...receiptCommands, ...proof },
  Steer: steer,
  "Connect agents": connect,
  "Use many machines": workerCommands,
  "Look after the log": logCommands,
  "Set up": setUpCommands
}

type Makers = { readonly [K in keyof typeof groups]: (typeof groups)[K] }[keyof typeof groups]
type Made<C> = C extends unknown ? { readonly [K in keyof C]: C[K] extends () => infer A ? A : never }[keyof C] : never

const commandsNamed = (word: string | undefined) =>
  Object.entries(groups).flatMap(([group, commands]) => {
    const makers = Object.entries<() => Made<Makers>>(commands)
    const made = makers.flatMap(([name, make]) => (word === undefined || name === word ? [make()] : []))
    return made.length === 0 ? [] : [{ group, commands: made }]
  })

/**
 * The command line. `word`: what it is called with first; where that is a command, the others are not made, which takes
 * longer than to read it.
 */
export const commandLine = (word?: string) => {
  const named = commandsNamed(word)
  return Command.make("proofline").pipe(
    Command.withDescription('Proofline runs AI coding agents and accepts "done" only with evidence that holds.'),
    examples(
      ["init", "Write the files of a new project."],
      ["run tasks.yaml --agent claude", "Let an agent work on the tasks of a file until every one is proven."],
      ["show", "See what the newest run has shown, what was refused and why, and the code behind it."],
      ["status", "See what runs now."]
    ),
    Command.withSubcommands(named.length === 0 ? commandsNamed(undefined) : named)
  )
}
