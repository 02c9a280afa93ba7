/**
 * What can be said of how to run, each option once: flags, keys of files, fields of requests and the tables of the
 * documentation are made of it.
 */
import {
  AggregationStrategy,
  type Budget,
  ChunkingConfig,
  defaultProof,
  defaultRunConfig,
  RetryCondition,
  type RunConfig,
  WeakReason
} from "@proofline/kernel"
import { Schema, Struct } from "effect"
import { duration, durationMs, durationText, longestMs } from "./duration.ts"
import {
  type About,
  given,
  list,
  number,
  oneOf,
  optional,
  pluginName,
  text,
  trueOrFalse,
  wholeNumber
} from "./values.ts"

/** Programs that need no command line of the user. */
export const presets = ["claude", "codex", "gemini", "opencode"] as const
export type Preset = (typeof presets)[number]

/** What a model without an agent is asked by: the chat completions of OpenAI, or the messages of Anthropic. */
export const modelApis = ["openai", "anthropic"] as const
export type ModelApi = (typeof modelApis)[number]

/** What an agent is answered when it asks whether it may do something. */
export const permissionAnswers = ["allow", "deny", "ask"] as const
export type Permissions = (typeof permissionAnswers)[number]

/** By its key, which is the same wherever it may be given. */
export interface RunOption extends About {
  readonly schema: Schema.Constraint
  readonly description: string
  /** A number of ms by this key; on the command line, where its flag has no `-ms`, a duration. */
  readonly unit?: "ms"
  /** A flag of before, with the unit that its number had. */
  readonly was?: string
  /** What people write instead of the key. */
  readonly synonyms?: ReadonlyArray<string>
}

export type RunOptions = Readonly<Record<string, RunOption>>

/** What was said; undefined: nothing. */
export type Said<O extends RunOptions> = { readonly [K in keyof O]?: O[K]["schema"]["Type"] | undefined }

const limit = wholeNumber(1, 1_000_000_000_000)
const limitMs = wholeNumber(1, longestMs)
const subtasks = wholeNumber(1, 10_000)
const defaults = defaultRunConfig
const split = defaultRunConfig.chunking

/** How agents are run: on every command that runs some, and in requests. */
export const runOptions = {
  agent: {
    schema: text("the name of an agent"),
    title: "Agent",
    description: `Name of the agent that works: one of \`agents\` in proofline.yaml, a preset (${presets.join(", ")}), \`command\`, \`auto\` for the first that is installed, or \`replay:<run>\` for those of an earlier run as they were recorded. When left out: the only one of \`agents\`.`,
    examples: ["claude", "auto", "command"]
  },
  agent_command: {
    schema: text("a shell command"),
    title: "Agent command",
    description: "Shell command of the agent `command`; the prompt comes on its standard input.",
    examples: ["my-agent --headless"],
    synonyms: ["command"]
  },
  fallback: {
    schema: list(text("the name of an agent"), "names of agents"),
    title: "Fallback",
    description:
      "Agents that are asked in the place of `agent`, in this order, once it cannot work any more (quota, credentials, overload, network).",
    examples: [["codex", "gemini"]],
    synonyms: ["fallbacks", "fall_over"]
  },
  model: {
    schema: text("the name of a model"),
    description: "Model the agent shall use, where its client takes one."
  },
  planner: {
    schema: text("the name of an agent"),
    title: "Planner",
    description:
      "Name of the agent that plans and verifies: it splits tasks, makes tasks of requirements, and says whether they are met. It may be a model without tools. When left out, or when it cannot work any more, the working agent is asked.",
    examples: ["claude"]
  },
  reviewer: {
    schema: text("the name of an agent, or `none`"),
    title: "Reviewer",
    description:
      "Name of the agent that judges `validation`, or `none` for nobody. When left out, each criterion is an item that needs evidence.",
    examples: ["none", "codex"]
  },
  reviewer_command: {
    schema: text("a shell command"),
    description: "Shell command of a reviewer of its own."
  },
  workers: {
    schema: wholeNumber(1, 10_000),
    title: "Workers",
    description: "Attempts that may run at the same time.",
    default: defaults.workers,
    synonyms: ["concurrency", "parallel", "max_workers", "parallelism"]
  },
  attempts: {
    schema: wholeNumber(1, 20),
    title: "Attempts beside each other",
    description:
      "How many agents work on each task at once, each in a git worktree of its own; the first that is proven wins, and the others are ended.",
    default: 1,
    synonyms: ["parallel_attempts", "best_of", "candidates"]
  },
  max_retries: {
    schema: wholeNumber(0, 10_000),
    title: "Retries",
    description: "How often a task is tried again after its first attempt.",
    default: defaults.max_retries,
    synonyms: ["retries"]
  },
  retry_delay_ms: {
    schema: wholeNumber(0, longestMs),
    unit: "ms",
    was: "retry-delay-ms",
    title: "Wait before a retry",
    description: "Time before the first retry; each further wait is `backoff_multiplier` times as long.",
    default: defaults.retry_delay_ms,
    synonyms: ["retry_delay"]
  },
  backoff_multiplier: {
    schema: number(0, 1_000),
    title: "Growth of the wait",
    description: "The wait before retry n (from 0) is `retry_delay_ms` · `backoff_multiplier` ^ n.",
    default: defaults.backoff_multiplier,
    synonyms: ["backoff"]
  },
  retry_on: {
    schema: list(oneOf(RetryCondition.literals), "any of INCOMPLETE, ERROR and TIMEOUT"),
    title: "What is tried again",
    description: "Endings of an attempt after which the task is tried again.",
    examples: [["ERROR", "TIMEOUT"]],
    default: defaults.retry_on
  },
  timeout_ms: {
    schema: limitMs,
    unit: "ms",
    title: "Limit of an attempt",
    description: "Time after which an attempt is ended.",
    default: defaults.timeout_ms,
    synonyms: ["timeout"]
  },
  check_timeout_ms: {
    schema: limitMs,
    unit: "ms",
    title: "Limit of a check",
    description: "Time after which a check command is ended and counts as failed.",
    default: defaults.check_timeout_ms,
    synonyms: ["check_timeout"]
  },
  idle_timeout_ms: {
    schema: Schema.NullOr(limitMs),
    unit: "ms",
    title: "Limit of silence",
    description: "Time without any output after which an attempt is ended; when left out, silence is no reason.",
    default: defaults.idle_timeout_ms,
    synonyms: ["idle_timeout"]
  },
  fail_fast: {
    schema: trueOrFalse,
    title: "Stop at the first failure",
    description: "One failed task ends the run; otherwise tasks that do not depend on it go on.",
    default: defaults.fail_fast
  },
  resume_sessions: {
    schema: trueOrFalse,
    title: "Sessions go on",
    description:
      "Another attempt at a task goes on with the agent's own session of the attempt before it, where the agent can. false: every attempt begins a session of its own.",
    default: true
  },
  max_attempts: {
    schema: limit,
    title: "Most attempts",
    description: "The run stops before it begins more attempts than this; `resume` goes on with a new budget.",
    examples: [20]
  },
  max_duration: {
    schema: duration,
    title: "Longest time",
    description: "The run is stopped after so long, a number with its unit; `resume` goes on with a new budget.",
    examples: ["30m", "2h"],
    synonyms: ["max_duration_ms", "duration", "max_time"]
  },
  max_tokens: {
    schema: limit,
    title: "Most tokens",
    description:
      "No agent is asked any more once those that say what they use have used so many, input and output together.",
    examples: [2_000_000],
    synonyms: ["tokens", "token_budget"]
  },
  max_cost: {
    schema: number(0.0001, 1_000_000),
    title: "Highest cost",
    description: "No agent is asked any more once those that say what they cost have cost so many US dollars.",
    examples: [5],
    synonyms: ["max_cost_usd", "cost", "budget"]
  },
  record: {
    schema: trueOrFalse,
    description:
      "Keep all that agents are asked and do, so that `--agent replay:<run>` can play it again without a model. A run that is resumed goes on with it."
  },
  step: {
    schema: trueOrFalse,
    description: "Stop after every call of an agent; `resume --step` makes the next."
  },
  accept: {
    schema: list(oneOf(WeakReason.literals), "reasons that are accepted"),
    description:
      "Reasons for which evidence would be refused and that you accept: what they hold for counts as done, and is called weak.",
    default: []
  },
  max_waived: {
    schema: number(0, 1),
    description: "Share of the items of a task that may be skipped with a reason; one may be in any case.",
    default: defaultProof.max_waived
  },
  clean_room: {
    schema: trueOrFalse,
    title: "Clean room",
    description:
      "A command of yours that passes is run again in a fresh copy of the work, with tests, fixtures, scripts and settings of runners as they were before the run; that run decides. false: the run in the project decides.",
    default: true
  },
  protected: {
    schema: list(text("a glob"), "globs"),
    title: "Protected files",
    description:
      "Files that your commands rest on, beside those that are found: globs relative to the project. In the clean room they are as they were before the run, whatever a task says of them.",
    examples: [["scripts/check/**", "e2e/*.json"]],
    default: []
  },
  test_reports: {
    schema: list(text("a glob"), "globs"),
    title: "Reports of test runners",
    description:
      "Where test runners write their reports, beside the usual places: globs relative to the project. They are read after every command.",
    examples: [["out/junit/*.xml"]],
    default: []
  },
  checks_from: {
    schema: text("a directory outside of the project"),
    title: "Escrowed checks",
    description:
      "Directory outside of the project that holds `checks.yaml`: checks that Proofline alone runs, and of which agents are told the criterion only.",
    examples: ["../login-checks"]
  }
} satisfies RunOptions

/** What counts as proof: flags, and keys of the section `proof`. */
export const proofOptions = Struct.pick(runOptions, [
  "accept",
  "max_waived",
  "clean_room",
  "protected",
  "test_reports",
  "checks_from"
])

/** How a task is split: flags of `chunk`, and keys of the section `chunking`. */
export const splitOptions = {
  analyzer: {
    schema: pluginName("analyzer", "`heuristic` or `agent`"),
    title: "Analyzer",
    description:
      "Which analyzer plans the subtasks: `auto` asks the agent, and goes by the rules where it fails; `heuristic`, the rules, needs no model; `agent` asks the agent; plugins may bring others.",
    examples: ["heuristic", "agent"],
    default: split.analyzer
  },
  execution_mode: {
    schema: oneOf(
      ChunkingConfig.fields.execution_mode.literals,
      Object.fromEntries(
        ["hybrid", "mixed", "dag"].map((mode) => [
          mode,
          "Write `auto`: a plan in which only some subtasks wait for others is run as `hybrid` by itself."
        ])
      )
    ),
    title: "Execution mode",
    description:
      "auto: subtasks run together as far as they do not depend on each other (parallel, sequential or hybrid, as the plan says). parallel, sequential: asked for. There is no `hybrid` to choose: it is what `auto` makes of a plan in which only some wait for others.",
    default: split.execution_mode,
    synonyms: ["mode", "execution"]
  },
  min_subtasks: {
    schema: subtasks,
    title: "Least subtasks",
    description: "A plan with fewer subtasks is not used; the task is run in one piece. Not above `max_subtasks`.",
    default: split.min_subtasks,
    synonyms: ["min", "minimum"]
  },
  max_subtasks: {
    schema: subtasks,
    title: "Most subtasks",
    description: "A plan with more subtasks is not used; the task is run in one piece.",
    default: split.max_subtasks,
    synonyms: ["max", "maximum", "limit"]
  },
  max_iterations: {
    schema: wholeNumber(1, 100),
    title: "Iterations",
    description: "Attempts in one review loop of a subtask.",
    default: split.max_iterations,
    synonyms: ["iterations", "max_review_iterations"]
  },
  workspace: {
    schema: oneOf(ChunkingConfig.fields.workspace.literals),
    title: "Workspace",
    description:
      "shared: all subtasks work in the project. worktree: each works in a git worktree of its own, and its changes are merged back in order. auto: worktrees for subtasks that run at the same time in a git repository with a commit; shared everywhere else.",
    default: split.workspace,
    synonyms: ["isolation", "worktree"]
  },
  conflict_resolution: {
    schema: oneOf(AggregationStrategy.fields.conflict_resolution.literals),
    title: "Conflict resolution",
    description:
      "Where changes cannot be had together. fail: the task fails. overwrite: the later subtask wins. manual: a person decides.",
    default: split.aggregation_strategy.conflict_resolution,
    synonyms: ["conflict", "conflicts", "on_conflict"]
  }
} satisfies RunOptions

/** Of a run that makes tasks of requirements. */
export const loopOptions = {
  max_iterations: {
    schema: wholeNumber(1, 1_000_000),
    description: "How often tasks are made of requirements, run and verified at most.",
    default: 3
  },
  tasks_output_dir: {
    schema: text("the path of a directory"),
    description: "Where generated tasks files are written; generated/ beside the requirements when left out."
  },
  take_over: {
    schema: trueOrFalse,
    description:
      "Take over a requirements file that asks for less than before, or that was changed while its run was at work; and settings of proof that a task of the run may have loosened."
  }
} satisfies RunOptions

/** For which tasks a run is taken up again. */
export const retryOptions = {
  task: {
    schema: list(text("the id of a task"), "ids of tasks"),
    description:
      "Try this task again, and leave all others as they are; may be given several times. Its parts, what it is a part of and what was skipped because of it go on with it."
  },
  note: {
    schema: text("what the agent is to know"),
    description: "What the next attempts at these tasks are told, as the word of a person."
  }
} satisfies RunOptions

/** Which tasks of a file are run, and whether in one piece. */
export const taskOptions = {
  from: {
    schema: text("the id of a task"),
    description: "Begin with this task; those before it count as completed, on your word."
  },
  only: {
    schema: text("ids of tasks, with commas between"),
    description: "Run only these tasks, ids with commas between; what they depend on counts as completed, on your word."
  },
  chunk: {
    schema: trueOrFalse,
    description: "Split tasks where that helps, also when no file says so."
  }
} satisfies RunOptions

/** What starting a file asks, what starting a prompt, and what taking up a run. */
export const startOptions = { ...runOptions, ...taskOptions }
export const promptOptions = { ...runOptions, ...splitOptions }
export const resumeOptions = {
  ...retryOptions,
  ...runOptions,
  ...Struct.pick(splitOptions, ["conflict_resolution"]),
  ...loopOptions
}

/** The flag of an option is called like its key. */
export const flagName = (key: string): string => key.replace(/_ms$/, "").replaceAll("_", "-")

/** What is taken when nothing is said, as people write it; empty: nothing. */
export const usualText = ({ default: usual, unit }: RunOption): string => {
  if (typeof usual === "number") return unit === "ms" ? durationText(usual) : String(Number(usual.toFixed(2)))
  return typeof usual === "string" || Array.isArray(usual) ? String(usual) : ""
}

/** What was said, as flags: a value stands in one word with its flag, whatever it begins with. */
export const asFlags = <O extends RunOptions>(options: O, said: Said<O>): ReadonlyArray<string> =>
  Object.entries(options).flatMap(([key, { unit }]) =>
    [said[key] ?? []].flat().map((value) => `--${flagName(key)}=${value}${unit ?? ""}`)
  )

/** What schemas say of an option; a time is a number there. */
export const aboutOption = ({ default: usual, description, examples, title, unit }: RunOption): About =>
  given({
    title,
    description: unit === undefined ? description : `${description} In milliseconds.`,
    examples,
    default: usual
  })

/** Options as keys of a file, or fields of a request. */
export const fieldsOf = <O extends RunOptions>(options: O) =>
  Object.fromEntries(
    Object.entries(options).map(([key, option]) => [key, optional(option.schema, aboutOption(option))])
  ) as { readonly [K in keyof O]: Schema.optionalKey<O[K]["schema"]> }

/** Of the options those that stand in the configuration of a run as they are. */
export const settingOptions = Struct.pick(runOptions, [
  "agent",
  "fallback",
  "planner",
  "reviewer",
  "workers",
  "attempts",
  "max_retries",
  "retry_delay_ms",
  "backoff_multiplier",
  "retry_on",
  "timeout_ms",
  "check_timeout_ms",
  "idle_timeout_ms",
  "fail_fast",
  "resume_sessions"
])

const budgetOptions = Struct.pick(runOptions, ["max_attempts", "max_duration", "max_tokens", "max_cost"])

/** Those that every file may hold: at the top of proofline.yaml, under `defaults` elsewhere. */
export const fileOptions = { ...settingOptions, ...budgetOptions }

/** What was said of how to run; what is left open is decided elsewhere. `reviewer: none` is null. */
export type RunDefaults = Partial<Pick<RunConfig, keyof typeof settingOptions>> & {
  /** Limits that are left out are decided elsewhere. */
  readonly budget?: Partial<Budget>
}

/** Picks the options of files out of a mapping that also has other keys. */
export const runDefaultsOf = (said: Said<typeof fileOptions>): RunDefaults => {
  const { max_attempts, max_cost, max_duration, max_tokens, ...settings } = given(
    Struct.pick(said, Struct.keys(fileOptions))
  )
  const { agent, fallback, retry_on } = settings
  const reviewer = settings.reviewer?.trim()
  const budget = given({
    max_attempts,
    max_duration_ms: max_duration === undefined ? undefined : durationMs(max_duration),
    max_tokens,
    max_cost_usd: max_cost
  })
  return given({
    ...settings,
    agent: agent?.trim(),
    fallback: fallback?.map((name) => name.trim()),
    planner: settings.planner?.trim(),
    reviewer: reviewer === "none" ? null : reviewer,
    retry_on: retry_on === undefined ? undefined : Array.from(new Set(retry_on)),
    budget: Object.keys(budget).length === 0 ? undefined : budget
  })
}
