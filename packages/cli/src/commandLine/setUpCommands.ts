import { Argument, Command, Flag } from "effect/cli"
import { sampleKinds } from "../base/choices.ts"
import { handle } from "../process/handle.ts"
import {
  argument,
  asked,
  choice,
  examples,
  fileArgument,
  how,
  json,
  newCwd,
  optional,
  optionalArgument,
  path,
  places,
  text,
  where
} from "./flags.ts"
import { demoCommands } from "./handed.ts"

const load = {
  agents: () => import("../commands/agents.ts"),
  config: () => import("../commands/config.ts"),
  demo: () => import("../commands/demo.ts"),
  docs: () => import("../commands/docs.ts"),
  init: () => import("../commands/init.ts"),
  plugins: () => import("../commands/plugins.ts"),
  prime: () => import("../commands/prime.ts"),
  sample: () => import("../commands/sample.ts"),
  schema: () => import("../commands/schema.ts"),
  validate: () => import("../commands/validate.ts")
}

/** What begins a project, and looks after its files. */
export const setUpCommands = {
  init: () =>
    Command.make(
      "init",
      {
        ...places,
        cwd: newCwd,
        lang: choice("lang", ["en", "ja"]).pipe(
          Flag.withDescription("The language of what agents read: phase contract and planning guide (en).")
        ),
        contract: choice("contract", ["default", "full"]).pipe(
          Flag.withDescription(
            "The phases of pull mode: plan, work and verification, or with `full` the whole way to the merge (default)."
          )
        ),
        from: text(
          "from",
          "Make tasks.yaml of what is open in the list of another tool: .taskmaster/tasks/tasks.json, .beads/issues.jsonl, or Markdown with boxes, such as a tasks.md of Spec Kit."
        ),
        yes: asked("yes", "Write lines for agents into AGENTS.md, or CLAUDE.md and GEMINI.md, without asking."),
        remove: asked("remove", "Take these lines out again, and do nothing else."),
        json
      },
      (options) => handle("init", options.json, load.init, ({ init }) => init(options))
    ).pipe(
      Command.withDescription(
        "Write the files of a new project, with the agents and the test command that are found, and lines for agents into AGENTS.md; what exists is kept."
      ),
      examples(
        ["init", "Begin in the current directory."],
        ["init --yes", "Begin without a question."],
        ["init --remove --yes", "Take the lines for agents out again."],
        ["init --from specs/001-login/tasks.md", "Begin with the open tasks of a list that Spec Kit has made."]
      )
    ),
  sample: () =>
    Command.make(
      "sample",
      {
        kind: Argument.Literals("requirements|tasks", sampleKinds).pipe(
          Argument.withDescription("Which file to print: requirements.yaml or tasks.yaml.")
        ),
        cwd: where.cwd,
        out: path("out", "Write to this new file instead of stdout; one that exists is never touched.")
      },
      (options) => handle("sample", false, load.sample, ({ sample }) => sample(options))
    ).pipe(
      Command.withDescription("Print an example of an input file, with comments."),
      examples(["sample requirements --out requirements.yaml", "Begin a file of requirements."])
    ),
  validate: () =>
    Command.make(
      "validate",
      {
        file: fileArgument(
          "file",
          "A tasks.yaml, requirements.yaml, proofline.yaml, task-chunking.json or phase_contract.yml."
        ),
        ...places,
        json
      },
      (options) => handle("validate", options.json, load.validate, ({ validate }) => validate(options))
    ).pipe(
      Command.withDescription("Tell everything that is wrong with an input file."),
      examples(["validate tasks.yaml", "Check a file before it is run."])
    ),
  config: () =>
    Command.make("config").pipe(
      Command.withDescription("See the settings of a project."),
      Command.withSubcommands([
        Command.make(
          "show",
          {
            ...where,
            origin: asked("origin", "Say where each of it is said: file and line, environment, or default."),
            json
          },
          (options) => handle("config", options.json, load.config, ({ showConfig }) => showConfig(options))
        ).pipe(
          Command.withDescription("Show what holds for the project when a command says nothing else."),
          examples(["config show --origin", "See which file and line each setting comes from."])
        )
      ])
    ),
  schema: () =>
    Command.make("schema").pipe(
      Command.withDescription("Print the JSON Schemas of input files, events and every JSON output."),
      Command.withSubcommands([
        Command.make("list", { json }, (options) =>
          handle("schemas", options.json, load.schema, ({ listSchemas }) => listSchemas(options))
        ).pipe(Command.withDescription("Say which there are, and what each describes.")),
        Command.make("print", { name: argument("name", "One of `schema list`, e.g. tasks.") }, (options) =>
          handle("schemas", false, load.schema, ({ printSchema }) => printSchema(options))
        ).pipe(
          Command.withDescription("Print one of them."),
          examples(["schema print tasks", "See what a tasks.yaml may hold."])
        )
      ])
    ),
  agents: () =>
    Command.make(
      "agents",
      {
        cwd: where.cwd,
        ask: asked("ask", "Ask each that is installed one short question; its provider may charge for that."),
        json
      },
      (options) => handle("agents", options.json, load.agents, ({ listAgents }) => listAgents(options))
    ).pipe(
      Command.withDescription("Show which agents are installed here, and how they are driven."),
      examples(["agents --ask", "See which of them answer."])
    ),
  prime: () =>
    Command.make("prime", { ...where, json }, (options) =>
      handle("prime", options.json, load.prime, ({ prime }) => prime(options))
    ).pipe(
      Command.withDescription(
        "Print what an agent has to know that works in this project, and what is open now: for a hook at the start of its session, or for the agent to ask."
      ),
      examples(["prime", "See what agents are told."])
    ),
  plugins: () =>
    Command.make("plugins").pipe(
      Command.withDescription("Look after the plugins of a project."),
      Command.withSubcommands([
        Command.make("check", { cwd: where.cwd, json }, (options) =>
          handle("plugins", options.json, load.plugins, ({ checkPlugins }) => checkPlugins(options))
        ).pipe(Command.withDescription("Load and compose them as a run would, and tell everything that is wrong."))
      ])
    ),
  docs: () =>
    Command.make(
      "docs",
      {
        topic: optionalArgument(argument("topic", "A page, to be printed here, such as evidence or reference/errors.")),
        port: optional(Flag.Int("port")).pipe(
          Flag.withDescription("The port on 127.0.0.1; 0 takes any that is free (4601, or any when that is taken).")
        ),
        open: asked("open", "Open the first page in the browser."),
        json: asked("json", "Print the address as one line of JSON; of a topic its text.")
      },
      (options) => handle("docs", options.json, load.docs, ({ docs }) => docs(options))
    ).pipe(
      Command.withDescription("Read the documentation of this version: in the browser, offline, or a page of it here."),
      examples(
        ["docs --open", "Read and search it in the browser."],
        ["docs evidence", "Print the page about evidence."]
      )
    ),
  demo: () =>
    Command.make(
      "demo",
      {
        demo: optionalArgument(
          argument(
            "demo",
            "checklist shows claims that are refused; chunking a large task that is split; requirements tasks that are made until all is met; pull-mode an agent that comes by itself, over MCP (checklist)."
          )
        ),
        ...how(),
        dir: path("dir", "An empty or new directory for the project; a temporary one when left out.", "directory"),
        json
      },
      (options) => handle("run", options.json, load.demo, ({ demo }) => demo(options, demoCommands))
    ).pipe(
      Command.withDescription("See it work on a small project, with a scripted agent that does not do well at first."),
      examples(
        ["demo", "See claims refused until they are proven."],
        ["demo requirements --agent claude", "See a real agent meet requirements."]
      )
    )
}
