import { Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { durationMs, presets } from "./settings.ts"

export const optional = <A>(flag: Flag.Flag<A>): Flag.Flag<A | undefined> =>
  flag.pipe(Flag.optional, Flag.map(Option.getOrUndefined))
export const optionalArgument = <A>(argument: Argument.Argument<A>) =>
  argument.pipe(Argument.optional, Argument.map(Option.getOrUndefined))

export const duration = (name: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(
      (text) => Option.fromUndefinedOr(durationMs(text)),
      (text) => `"${text}" is not a duration: write 90s, 5m, 1h or 500ms`
    ),
    optional
  )

const atLeast = (name: string, least: number) =>
  Flag.Int(name).pipe(
    Flag.filter(
      (n) => n >= least,
      (n) => `${n} is too small: at least ${least}`
    ),
    optional
  )

export const where = {
  cwd: optional(Flag.String("cwd")).pipe(Flag.withDescription("Project directory; the current one when left out")),
  state: optional(Flag.String("state")).pipe(
    Flag.withDescription("State directory; .proofline/state of the project when left out")
  )
}
/** What was there before a run. */
export const before = {
  base: optional(Flag.String("base")).pipe(
    Flag.withDescription(
      "Count what was done since this commit as work of the run (the project as it is when it begins)"
    )
  )
}
export const boolean = (name: string) => Flag.Boolean(name).pipe(Flag.withDefault(false))
export const json = boolean("json").pipe(Flag.withDescription("One JSON document on stdout, everything else on stderr"))

/** What counts as proof. */
export const proof = {
  accept: Flag.String("accept").pipe(
    Flag.atLeast(0),
    Flag.withDescription(
      "Reasons for which evidence would be refused and that you accept, with commas between; what they hold for is called weak"
    )
  ),
  maxWaived: Flag.Finite("max-waived").pipe(
    Flag.filter(
      (n) => n >= 0 && n <= 1,
      (n) => `${n} is no share: from 0 to 1`
    ),
    optional,
    Flag.withDescription("Share of the items of a task, from 0 to 1, that may be skipped with a reason (a third)")
  )
}

export const how = {
  ...proof,
  agent: optional(Flag.String("agent")).pipe(
    Flag.withDescription(`Who works: ${presets.join(", ")}, command, or a name from proofline.yaml`)
  ),
  agentCommand: optional(Flag.String("agent-command")).pipe(
    Flag.withDescription("Shell command of --agent command; the prompt comes on stdin")
  ),
  model: optional(Flag.String("model")).pipe(
    Flag.withDescription("Model the agent shall use, where its client takes one")
  ),
  reviewer: optional(Flag.String("reviewer")).pipe(
    Flag.withDescription("Who judges `validation`: an agent, or none; the working agent is asked when left out")
  ),
  reviewerCommand: optional(Flag.String("reviewer-command")).pipe(
    Flag.withDescription("Shell command of the reviewer")
  ),
  workers: atLeast("workers", 1).pipe(Flag.withDescription("Attempts at the same time (3)")),
  maxRetries: atLeast("max-retries", 0).pipe(Flag.withDescription("Retries of a task (2)")),
  retryDelayMs: atLeast("retry-delay-ms", 0).pipe(Flag.withDescription("Wait before the first retry in ms (2000)")),
  timeoutMs: duration("timeout").pipe(Flag.withDescription("Limit of one attempt: 90s, 5m, 1h (30m)")),
  checkTimeoutMs: duration("check-timeout").pipe(Flag.withDescription("Limit of one check command (10m)")),
  failFast: optional(Flag.Boolean("fail-fast")).pipe(Flag.withDescription("Stop at the first task that fails")),
  maxAttempts: atLeast("max-attempts", 1).pipe(
    Flag.withDescription("Budget: attempts until it stops; resume goes on (no limit)")
  ),
  maxDurationMs: duration("max-duration").pipe(Flag.withDescription("Budget: time until it stops: 30m, 2h (no limit)")),
  maxTokens: atLeast("max-tokens", 1).pipe(
    Flag.withDescription("Budget: tokens, of agents that say what they use (no limit)")
  ),
  maxCost: Flag.Finite("max-cost").pipe(
    Flag.filter(
      (n) => n > 0,
      (n) => `${n} is too small: more than 0`
    ),
    optional,
    Flag.withDescription("Budget: US dollars, of agents that say what they cost (no limit)")
  ),
  step: boolean("step").pipe(Flag.withDescription("Stop after every call of an agent; resume --step makes the next"))
}

export const choice = <const A extends string>(name: string, values: ReadonlyArray<A>) =>
  Flag.Literals(name, values).pipe(optional)

/** How a task is split. */
export const split = {
  analyzer: optional(Flag.String("analyzer")).pipe(
    Flag.withDescription(
      "Who plans the split: auto (the agent, and the rules where it fails), agent, heuristic (rules, no model), or one of a plugin (auto)"
    )
  ),
  executionMode: choice("execution-mode", ["auto", "parallel", "sequential"]).pipe(
    Flag.withDescription("auto: parallel where nothing depends on another (auto)")
  ),
  minSubtasks: atLeast("min-subtasks", 1).pipe(Flag.withDescription("Fewer are not split (2)")),
  maxSubtasks: atLeast("max-subtasks", 1).pipe(Flag.withDescription("More are not made (10)")),
  maxIterations: atLeast("max-iterations", 1).pipe(Flag.withDescription("Attempts in one review loop (3)")),
  workspace: choice("workspace", ["auto", "shared", "worktree"]).pipe(
    Flag.withDescription("auto: a git worktree for each subtask where some run at the same time (auto)")
  ),
  conflictResolution: choice("conflict-resolution", ["fail", "overwrite", "manual"]).pipe(
    Flag.withDescription("When two subtasks changed the same: fail, the later one wins, or a person decides (fail)")
  )
}

/** Of a requirements run. */
export const loop = {
  maxIterations: atLeast("max-iterations", 1).pipe(
    Flag.withDescription("How often tasks are made of requirements, run and verified at most (3)")
  ),
  tasksOutputDir: optional(Flag.String("tasks-output-dir")).pipe(
    Flag.withDescription("Where generated tasks files are written; generated/ beside the requirements when left out")
  ),
  takeOver: boolean("take-over").pipe(
    Flag.withDescription("Take over a requirements file that was changed while its run was at work")
  )
}

/** What a server shows, and under which contract a run begins in it. */
export const served = {
  ...proof,
  agent: optional(Flag.String("agent")).pipe(
    Flag.withDescription("What the agent is called; its client's own name when left out")
  ),
  tools: choice("tools", ["core", "standard", "all"]).pipe(
    Flag.withDescription("Tools that are shown: those of an agent's own work, most others too, or all (core)")
  ),
  approvals: boolean("approvals").pipe(
    Flag.withDescription("Take the answers of a person over this server too: only for clients that a person works with")
  ),
  contract: optional(Flag.String("contract")).pipe(
    Flag.withDescription("Phase contract of a new run: default, full, or a file (the project's own)")
  ),
  intent: optional(Flag.String("intent")).pipe(Flag.withDescription("What is wanted, where the contract asks")),
  gate: choice("gate", ["auto", "full"]).pipe(Flag.withDescription("full: every optional phase runs (auto)")),
  flag: Flag.String("flag").pipe(
    Flag.atLeast(0),
    Flag.withDescription("A flag of the contract, e.g. no_doc; may be given several times")
  )
}

export const port = optional(Flag.Int("port")).pipe(
  Flag.withDescription("Port on 127.0.0.1; 0 takes any that is free (4600, or any when that is taken)")
)

/** To see what runs in the browser. */
export const page = {
  ui: boolean("ui").pipe(Flag.withDescription("Serve the page while it runs, and open it; the address goes to stderr")),
  port
}

export const runArgument = optionalArgument(
  Argument.String("run").pipe(Argument.withDescription("Id of the run; the newest fitting one when left out"))
)
