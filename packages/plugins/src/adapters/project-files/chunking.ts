/**
 * How tasks are split: the section `chunking` of proofline.yaml, or the whole of .claude/task-chunking.json. Every key
 * is optional, and what is left out is not filled in.
 */
import { AggregationStrategy, type ChunkingConfig, defaultChunkingConfig, type RetryConfig } from "@proofline/kernel"
import { Struct } from "effect"
import { fieldsOf, fileOptions, type RunDefaults, splitOptions } from "../../options/index.ts"
import { type Decoded, decodeFile, type Path } from "./decodeFile.ts"
import type { Source } from "./document.ts"
import { about, headerFields, mapping, oneOf, optional, trueOrFalse } from "./fileSchema.ts"
import { readJson } from "./json.ts"
import { listProblems, type Problem, refuse } from "./Problem.ts"
import { runFields, runSynonyms, synonymsOf } from "./settings.ts"

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

const { max_retries, retry_delay_ms, backoff_multiplier, retry_on } = runFields
const splitFields = fieldsOf(splitOptions)

const runs = Struct.pick(fileOptions, ["workers", "timeout_ms", "idle_timeout_ms"])

/** The run's own options that the section may hold too. */
const insteadOfRun = Object.fromEntries(
  Object.entries(runs).map(([key, { default: _, ...option }]) => {
    const description = `${option.description} In place of the run's own when tasks are split.`
    return [key, { ...option, description }]
  })
) as unknown as typeof runs

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
  min_subtasks: splitFields.min_subtasks,
  max_subtasks: splitFields.max_subtasks,
  execution_mode: splitFields.execution_mode,
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
          max_retries: [...runSynonyms.max_retries, "max", "count"],
          retry_delay_ms: [...runSynonyms.retry_delay_ms, "delay", "delay_ms"],
          backoff_multiplier: [...runSynonyms.backoff_multiplier, "multiplier"],
          retry_on: ["on"]
        }
      }
    ),
    { title: "Retry", description: "How a subtask is tried again. What is left out is as for the run's tasks." }
  ),
  fail_fast: optional(trueOrFalse, {
    title: "Stop at the first failure",
    description:
      "true: one failed subtask ends the task. false: the other subtasks go on. Left out: as `fail_fast` of the run.",
    default: defaults.fail_fast
  }),
  review_loop_per_subtask: optional(trueOrFalse, {
    title: "Review loop",
    description: "true: every subtask is judged and done again until it passes, before a retry is spent.",
    default: defaults.review_loop_per_subtask
  }),
  max_iterations: splitFields.max_iterations,
  analyzer: splitFields.analyzer,
  workspace: splitFields.workspace,
  aggregation_strategy: optional(
    mapping(
      {
        type: optional(oneOf(AggregationStrategy.fields.type.literals), {
          description:
            "merge_all: all changes together. last_wins: the later subtask's file. custom: a plugin decides.",
          default: defaults.aggregation_strategy.type
        }),
        conflict_resolution: splitFields.conflict_resolution
      },
      "a `type` or a `conflict_resolution`",
      { synonyms: { conflict_resolution: ["conflict", "conflicts", "on_conflict"], type: ["strategy", "kind"] } }
    ),
    { title: "Aggregation", description: "What becomes of files that several subtasks changed." }
  ),
  conflict_resolution: about(splitFields.conflict_resolution, {
    description:
      "Short for `conflict_resolution` of `aggregation_strategy`; when both are there they must be the same.",
    default: undefined
  }),
  ...fieldsOf(insteadOfRun)
}

/** Keys of the section. */
export const chunkingKeys: ReadonlyArray<string> = Object.keys(chunkingFields)

const inRetry = "Write it under `retry`."

const rules = {
  owner: () => null,
  synonyms: {
    enabled: ["enable", "active", "on"],
    auto_detect: ["auto", "detect"],
    retry: ["retries"],
    review_loop_per_subtask: ["review", "review_loop"],
    aggregation_strategy: ["aggregation", "strategy", "merge"],
    ...synonymsOf(splitOptions),
    ...synonymsOf(insteadOfRun)
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
