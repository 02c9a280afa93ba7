/**
 * How tasks are split: the section `chunking` of proofline.yaml, or the whole of .claude/task-chunking.json. Every key
 * is optional, and what is left out is not filled in.
 */
import { AggregationStrategy, ChunkingConfig, defaultChunkingConfig, type RetryConfig } from "@proofline/kernel"
import { Struct } from "effect"
import { type Decoded, decodeFile, type Path } from "./decodeFile.ts"
import type { Source } from "./document.ts"
import { about, headerFields, mapping, oneOf, optional, pluginName, trueOrFalse, wholeNumber } from "./fileSchema.ts"
import { readJson } from "./json.ts"
import { listProblems, type Problem, refuse } from "./Problem.ts"
import { type RunDefaults, runFields, runSynonyms } from "./settings.ts"

/**
 * What a file says about splitting tasks. `workers`, `timeout_ms` and `idle_timeout_ms` take the place of the run's own
 * in a run whose tasks are split.
 */
export interface ChunkingSettings
  extends Partial<Omit<ChunkingConfig, "retry" | "aggregation_strategy">>,
    Pick<RunDefaults, "workers" | "timeout_ms" | "idle_timeout_ms"> {
  readonly retry?: Partial<RetryConfig>
  readonly aggregation_strategy?: Partial<AggregationStrategy>
}

export interface ChunkingResult {
  readonly problems: ReadonlyArray<Problem>
  readonly warnings: ReadonlyArray<Problem>
  /** Null exactly when there are problems. */
  readonly chunking: ChunkingSettings | null
}

const byPlan = "Write `auto`: a plan in which only some subtasks wait for others is run as `hybrid` by itself."

const subtasks = wholeNumber(1, 10_000)
const conflictResolution = oneOf(AggregationStrategy.fields.conflict_resolution.literals)

const { max_retries, retry_delay_ms, backoff_multiplier, retry_on, workers, timeout_ms, idle_timeout_ms } = runFields

const { workers: workersToo, timeout_ms: timeoutToo, idle_timeout_ms: idleToo, ...retrySynonyms } = runSynonyms

const insteadOf = (description: string) => ({
  description: `${description} In place of the run's own when tasks are split.`,
  default: undefined
})

const defaults = defaultChunkingConfig

const chunkingFields = {
  enabled: optional(trueOrFalse, {
    title: "Split tasks",
    description: "false: no task is split, whatever else is said.",
    default: defaults.enabled
  }),
  auto_detect: optional(trueOrFalse, {
    title: "Split by itself",
    description:
      "true: every task is analysed, and split when that is worth it. false: only tasks that are asked to be split.",
    default: defaults.auto_detect
  }),
  min_subtasks: optional(subtasks, {
    title: "Least subtasks",
    description: "A plan with fewer subtasks is not used; the task is run in one piece. Not above `max_subtasks`.",
    default: defaults.min_subtasks
  }),
  max_subtasks: optional(subtasks, {
    title: "Most subtasks",
    description: "A plan with more subtasks is not used; the task is run in one piece.",
    default: defaults.max_subtasks
  }),
  execution_mode: optional(
    oneOf(ChunkingConfig.fields.execution_mode.literals, { hybrid: byPlan, mixed: byPlan, dag: byPlan }),
    {
      title: "Execution mode",
      description:
        "auto: subtasks run together as far as they do not depend on each other (parallel, sequential or hybrid, as the plan says). parallel, sequential: asked for. There is no `hybrid` to choose: it is what `auto` makes of a plan in which only some wait for others.",
      default: defaults.execution_mode
    }
  ),
  retry: optional(
    mapping(
      {
        max_retries: about(max_retries, {
          description: "How often a subtask is tried again after its first attempt.",
          default: defaults.retry.max_retries
        }),
        retry_delay_ms: about(retry_delay_ms, { default: defaults.retry.retry_delay_ms }),
        backoff_multiplier: about(backoff_multiplier, { default: defaults.retry.backoff_multiplier }),
        retry_on: about(retry_on, {
          description: "Endings of an attempt after which the subtask is tried again.",
          default: defaults.retry.retry_on
        })
      },
      "settings such as `max_retries`",
      {
        synonyms: {
          max_retries: [...retrySynonyms.max_retries, "max", "count"],
          retry_delay_ms: [...retrySynonyms.retry_delay_ms, "delay", "delay_ms"],
          backoff_multiplier: [...retrySynonyms.backoff_multiplier, "multiplier"],
          retry_on: ["on"]
        }
      }
    ),
    { title: "Retry", description: "How a subtask is tried again. What is left out keeps its default." }
  ),
  fail_fast: optional(trueOrFalse, {
    title: "Stop at the first failure",
    description: "true: one failed subtask ends the task. false: the other subtasks go on.",
    default: defaults.fail_fast
  }),
  review_loop_per_subtask: optional(trueOrFalse, {
    title: "Review loop",
    description: "true: every subtask is judged and done again until it passes, before a retry is spent.",
    default: defaults.review_loop_per_subtask
  }),
  max_iterations: optional(wholeNumber(1, 100), {
    title: "Iterations",
    description: "Attempts in one review loop of a subtask.",
    default: defaults.max_iterations
  }),
  analyzer: optional(pluginName("analyzer", "`heuristic` or `agent`"), {
    title: "Analyzer",
    description:
      "Which analyzer plans the subtasks: `heuristic` needs no model, `agent` asks the agent; plugins may bring others.",
    examples: ["heuristic", "agent"],
    default: defaults.analyzer
  }),
  workspace: optional(oneOf(ChunkingConfig.fields.workspace.literals), {
    title: "Workspace",
    description:
      "shared: all subtasks work in the project. worktree: each works in a git worktree of its own, and its changes are merged back in order. auto: worktrees for subtasks that run at the same time in a git repository with a commit; shared everywhere else.",
    default: defaults.workspace
  }),
  aggregation_strategy: optional(
    mapping(
      {
        type: optional(oneOf(AggregationStrategy.fields.type.literals), {
          description:
            "merge_all: all changes together. last_wins: the later subtask's file. custom: a plugin decides.",
          default: defaults.aggregation_strategy.type
        }),
        conflict_resolution: optional(conflictResolution, {
          description:
            "Where changes cannot be had together. fail: the task fails. overwrite: the later subtask wins. manual: a person decides.",
          default: defaults.aggregation_strategy.conflict_resolution
        })
      },
      "a `type` or a `conflict_resolution`",
      { synonyms: { conflict_resolution: ["conflict", "conflicts", "on_conflict"], type: ["strategy", "kind"] } }
    ),
    { title: "Aggregation", description: "What becomes of files that several subtasks changed." }
  ),
  conflict_resolution: optional(conflictResolution, {
    title: "Conflict resolution",
    description: "Short for `conflict_resolution` of `aggregation_strategy`; when both are there they must be the same."
  }),
  workers: about(workers, insteadOf("Attempts of subtasks that may run at the same time.")),
  timeout_ms: about(timeout_ms, insteadOf("Milliseconds after which an attempt is ended.")),
  idle_timeout_ms: about(
    idle_timeout_ms,
    insteadOf("Milliseconds without any output after which an attempt is ended; null: silence is no reason to end it.")
  )
}

/** Keys of the section. */
export const chunkingKeys: ReadonlyArray<string> = Object.keys(chunkingFields)

const inRetry = "Write it under `retry`."

const rules = {
  owner: () => null,
  synonyms: {
    enabled: ["enable", "active", "on"],
    auto_detect: ["auto", "detect"],
    min_subtasks: ["min", "minimum"],
    max_subtasks: ["max", "maximum", "limit"],
    execution_mode: ["mode", "execution"],
    retry: ["retries"],
    review_loop_per_subtask: ["review", "review_loop"],
    max_iterations: ["iterations", "max_review_iterations"],
    workspace: ["isolation", "worktree"],
    aggregation_strategy: ["aggregation", "strategy", "merge"],
    conflict_resolution: ["conflict", "conflicts", "on_conflict"],
    workers: workersToo,
    timeout_ms: timeoutToo,
    idle_timeout_ms: idleToo
  },
  misplaced: {
    max_retries: inRetry,
    retry_delay_ms: inRetry,
    backoff_multiplier: inRetry,
    retry_on: inRetry,
    type: "Write it under `aggregation_strategy`."
  }
} as const

const expects = "settings such as `enabled`"

/** The section `chunking` of another file. */
export const chunkingSection = mapping(chunkingFields, expects, { ...rules, path: "chunking" })

/** What .claude/task-chunking.json may say. */
export const ChunkingFile = mapping({ ...chunkingFields, ...headerFields }, expects, {
  ...rules,
  path: "",
  misplaced: {
    ...rules.misplaced,
    chunking: "Write its settings directly in the file; the section is for proofline.yaml."
  }
}).annotate({
  title: "Proofline task chunking",
  description:
    ".claude/task-chunking.json: how large tasks are split into subtasks, as in the section `chunking` of proofline.yaml. Every key is optional; comments and a comma behind the last value are allowed.",
  examples: [
    Struct.pick(defaultChunkingConfig, [
      "enabled",
      "auto_detect",
      "min_subtasks",
      "max_subtasks",
      "execution_mode",
      "retry",
      "fail_fast",
      "review_loop_per_subtask"
    ])
  ]
})

type Written = typeof chunkingSection.Type

/** Two settings of a file, by their paths. */
type Pair = readonly [Path, Path]

/** Tells two settings that cannot both hold, at the one that comes later. */
const tellPair = (
  code: string,
  hint: string,
  pair: Pair,
  { at }: Pick<Decoded<unknown>, "at">,
  source: Source
): void => {
  const [first, second] = pair
    .map((path) => ({ name: path.join("."), node: at(...path) }))
    .toSorted((one, other) => one.node.start - other.node.start)
  if (first === undefined || second === undefined) return
  const shown = ({ node }: typeof first) => ("value" in node ? node.value : "")
  const { column, line } = source.positions.at(first.node.start)
  refuse(source.findings, {
    code,
    message: `\`${second.name}\` is ${shown(second)}, but \`${first.name}\` is ${shown(first)} (line ${line}, column ${column}).`,
    hint,
    start: second.node.start,
    end: Math.max(first.node.end, second.node.end)
  })
}

/** What of the settings could be read, those that are compared among them. */
type Bounds = {
  readonly min_subtasks?: number | undefined
  readonly max_subtasks?: number | undefined
  readonly conflict_resolution?: string | undefined
  readonly aggregation_strategy?: { readonly conflict_resolution?: string | undefined } | undefined
}

/** Tells settings that contradict each other. `path` is that of the section, empty for a whole file. */
export const checkChunking = (
  found: Bounds,
  path: Path,
  decoded: Pick<Decoded<unknown>, "at">,
  source: Source
): void => {
  const { aggregation_strategy, conflict_resolution: short, max_subtasks: max, min_subtasks: min } = found
  if (min !== undefined && max !== undefined && min > max) {
    const pair: Pair = [
      [...path, "min_subtasks"],
      [...path, "max_subtasks"]
    ]
    tellPair("subtasks_bounds", "Raise `max_subtasks` or lower `min_subtasks`.", pair, decoded, source)
  }
  const long = aggregation_strategy?.conflict_resolution
  if (short !== undefined && long !== undefined && short !== long) {
    const pair: Pair = [
      [...path, "conflict_resolution"],
      [...path, "aggregation_strategy", "conflict_resolution"]
    ]
    tellPair("conflict_resolution_twice", "Keep one of them.", pair, decoded, source)
  }
}

export const settingsOf = (written: Written): ChunkingSettings => {
  const { aggregation_strategy: long, conflict_resolution: short, retry, ...settings } = written
  const conflict_resolution = short ?? long?.conflict_resolution
  const retry_on = retry?.retry_on === undefined ? undefined : Array.from(new Set(retry.retry_on))
  return {
    ...settings,
    ...(retry === undefined ? {} : { retry: { ...retry, ...(retry_on === undefined ? {} : { retry_on }) } }),
    ...(long === undefined && short === undefined
      ? {}
      : { aggregation_strategy: { ...long, ...(conflict_resolution === undefined ? {} : { conflict_resolution }) } })
  }
}

const readFile = (source: Source): ChunkingSettings => {
  if (source.root === null) return {}
  const decoded = decodeFile(ChunkingFile, source.root, source, "json")
  if (decoded.found !== undefined) checkChunking(decoded.found, [], decoded, source)
  const { $schema: _, schema_version: __, ...settings } = decoded.value ?? {}
  return settingsOf(settings)
}

/**
 * Reads the text of a .claude/task-chunking.json, which may hold comments, and tells everything that is wrong with it
 * at once, in the order of the file. Never throws.
 */
export const parseChunking = (content: string, file: string): ChunkingResult => {
  const source = readJson(content)
  if (source.root === null && source.findings.problems.length === 0) {
    refuse(source.findings, {
      code: "file_empty",
      message: "The file is empty.",
      hint: "Write `{}` to split tasks by the defaults, or remove the file.",
      start: 0,
      end: 0
    })
  }
  const chunking = readFile(source)
  const { problems, warnings } = listProblems(source, file)
  return { problems, warnings, chunking: problems.length === 0 ? chunking : null }
}
