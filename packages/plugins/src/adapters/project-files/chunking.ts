/**
 * How tasks are split: the section `chunking` of proofline.yaml, or the whole of .claude/task-chunking.json. Every key
 * is optional, and what is left out is not filled in.
 *
 *     enabled, auto_detect, fail_fast, review_loop_per_subtask: boolean
 *     min_subtasks, max_subtasks, max_iterations: number
 *     execution_mode: auto | parallel | sequential
 *     retry: {max_retries, retry_delay_ms, backoff_multiplier, retry_on}
 *     analyzer: name
 *     workspace: shared | worktree
 *     aggregation_strategy: {type: merge_all|last_wins|custom, conflict_resolution: fail|overwrite|manual}
 *     conflict_resolution                  short for the one in `aggregation_strategy`
 *     workers, timeout_ms, idle_timeout_ms  instead of the run's own
 */
import { AggregationStrategy, ChunkingConfig, type RetryConfig } from "@proofline/kernel"
import type { Source } from "./document.ts"
import { headerFields } from "./header.ts"
import { readJson } from "./json.ts"
import type { Node } from "./Node.ts"
import { listProblems, type Problem, refuse } from "./Problem.ts"
import { type RunDefaults, runFields, runSynonyms } from "./runDefaults.ts"
import {
  type Located,
  located,
  mapping,
  maxValues,
  number,
  oneOf,
  optional,
  type Read,
  type Reading,
  refined,
  type Shape,
  text,
  trueOrFalse,
  under
} from "./shape.ts"
import { pathTo, quoted } from "./words.ts"

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

const analyzerName: Shape<string> = refined(text("the name of an analyzer"), (name, subject) =>
  /^[a-z0-9-]{1,100}$/.test(name)
    ? undefined
    : {
        code: "analyzer_invalid",
        message: `${subject.name} cannot be ${quoted(name)}.`,
        hint: "Use lower-case letters, digits and `-` only, at most 100, e.g. `heuristic` or `agent`."
      }
)

const byPlan = "Write `auto`: a plan in which only some subtasks wait for others is run as `hybrid` by itself."

const subtasks = optional(located(number({ whole: true, min: 1, max: 10_000 })))
const conflictResolution = optional(located(oneOf(AggregationStrategy.fields.conflict_resolution.literals)))

const { max_retries, retry_delay_ms, backoff_multiplier, retry_on, workers, timeout_ms, idle_timeout_ms } = runFields

const { workers: workersToo, timeout_ms: timeoutToo, idle_timeout_ms: idleToo, ...retrySynonyms } = runSynonyms

const chunkingFields = {
  enabled: optional(trueOrFalse),
  auto_detect: optional(trueOrFalse),
  min_subtasks: subtasks,
  max_subtasks: subtasks,
  execution_mode: optional(
    oneOf(ChunkingConfig.fields.execution_mode.literals, { hybrid: byPlan, mixed: byPlan, dag: byPlan })
  ),
  retry: optional(
    mapping({
      fields: { max_retries, retry_delay_ms, backoff_multiplier, retry_on },
      expects: "settings such as `max_retries`",
      synonyms: {
        max_retries: [...retrySynonyms.max_retries, "max", "count"],
        retry_delay_ms: [...retrySynonyms.retry_delay_ms, "delay", "delay_ms"],
        backoff_multiplier: [...retrySynonyms.backoff_multiplier, "multiplier"],
        retry_on: ["on"]
      }
    })
  ),
  fail_fast: optional(trueOrFalse),
  review_loop_per_subtask: optional(trueOrFalse),
  max_iterations: optional(number({ whole: true, min: 1, max: 100 })),
  analyzer: optional(analyzerName),
  workspace: optional(oneOf(ChunkingConfig.fields.workspace.literals)),
  aggregation_strategy: optional(
    mapping({
      fields: {
        type: optional(oneOf(AggregationStrategy.fields.type.literals)),
        conflict_resolution: conflictResolution
      },
      expects: "a `type` or a `conflict_resolution`",
      synonyms: { conflict_resolution: ["conflict", "conflicts", "on_conflict"], type: ["strategy", "kind"] }
    })
  ),
  conflict_resolution: conflictResolution,
  workers,
  timeout_ms,
  idle_timeout_ms
}

const inRetry = "Write it under `retry`."

const rules = {
  expects: "settings such as `enabled`",
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

/** Settings as they were found, those that are compared with their places. */
export type FoundChunking = Read<typeof chunkingFields>

/** The section `chunking` of another file. */
export const chunkingSection: Shape<FoundChunking> = under("chunking", mapping({ ...rules, fields: chunkingFields }))

const fileShape = under(
  "",
  mapping({
    ...rules,
    fields: { ...chunkingFields, ...headerFields },
    misplaced: {
      ...rules.misplaced,
      chunking: "Write its settings directly in the file; the section is for proofline.yaml."
    }
  })
)

const positionOf = (node: Node, { positions }: Source): string => {
  const { column, line } = positions.at(node.start)
  return `line ${line}, column ${column}`
}

/** Tells two settings that cannot both hold, at the one that comes later. */
const tellPair = (
  source: Source,
  code: string,
  pair: readonly [string, Located<string | number>, string, Located<string | number>],
  hint: string
): void => {
  const [name, one, otherName, other] = pair
  const [first, second] =
    one.node.start <= other.node.start
      ? [
          { ...one, name },
          { ...other, name: otherName }
        ]
      : [
          { ...other, name: otherName },
          { ...one, name }
        ]
  const position = positionOf(first.node, source)
  refuse(source.findings, {
    code,
    message: `\`${second.name}\` is ${second.value}, but \`${first.name}\` is ${first.value} (${position}).`,
    hint,
    start: second.node.start,
    end: Math.max(first.node.end, second.node.end)
  })
}

/** Tells settings that contradict each other. `path` is that of the section, empty for a whole file. */
export const checkChunking = (found: FoundChunking, path: string, source: Source): void => {
  const { aggregation_strategy, conflict_resolution: short, max_subtasks: max, min_subtasks: min } = found
  if (min !== undefined && max !== undefined && min.value > max.value) {
    const hint = "Raise `max_subtasks` or lower `min_subtasks`."
    tellPair(source, "subtasks_bounds", [pathTo(path, "min_subtasks"), min, pathTo(path, "max_subtasks"), max], hint)
  }
  const long = aggregation_strategy?.conflict_resolution
  if (short !== undefined && long !== undefined && short.value !== long.value) {
    const longPath = pathTo(path, "aggregation_strategy.conflict_resolution")
    tellPair(
      source,
      "conflict_resolution_twice",
      [pathTo(path, "conflict_resolution"), short, longPath, long],
      "Keep one of them."
    )
  }
}

const strategyOf = (found: FoundChunking): Partial<AggregationStrategy> | undefined => {
  const { aggregation_strategy: long, conflict_resolution: short } = found
  const conflict_resolution = short ?? long?.conflict_resolution
  if (long === undefined && short === undefined) return undefined
  return {
    ...(long?.type === undefined ? {} : { type: long.type }),
    ...(conflict_resolution === undefined ? {} : { conflict_resolution: conflict_resolution.value })
  }
}

export const settingsOf = (found: FoundChunking): ChunkingSettings => {
  const { aggregation_strategy: _, conflict_resolution: __, max_subtasks, min_subtasks, ...settings } = found
  const strategy = strategyOf(found)
  return {
    ...settings,
    ...(min_subtasks === undefined ? {} : { min_subtasks: min_subtasks.value }),
    ...(max_subtasks === undefined ? {} : { max_subtasks: max_subtasks.value }),
    ...(strategy === undefined ? {} : { aggregation_strategy: strategy })
  }
}

const readFile = (root: Node, source: Source): FoundChunking => {
  const reading: Reading = { findings: source.findings, budget: maxValues, syntax: "json" }
  const {
    $schema: _,
    schema_version: __,
    ...found
  } = fileShape.read(root, { name: "the file", otherwise: "" }, reading) ?? {}
  checkChunking(found, "", source)
  return found
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
  const found = source.root === null ? {} : readFile(source.root, source)
  const { problems, warnings } = listProblems(source, file)
  return { problems, warnings, chunking: problems.length === 0 ? settingsOf(found) : null }
}
