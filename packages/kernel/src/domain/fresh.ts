import { aggregatedReport } from "./chunks.ts"
import type { KernelEvent } from "./Event.ts"
import type { ChunkState, State, TaskState } from "./State.ts"

/** What a task, an item and an attempt are before anything happened to them. */
export const untouched = {
  status: "pending",
  verdict: "unproven",
  evidence: null,
  reason: null,
  receipt: null,
  weak: []
} as const

export const nothingKnown = {
  outcome: null,
  error: null,
  cancelled: false,
  report: null,
  facts: null,
  failures: [],
  verification: null,
  judgment: null,
  criteria: null,
  files_modified: null,
  iteration: 1
} as const

export const noLoop = { started: false, reviewed: false, refused: 0, again: 0 } as const

export const analysing: ChunkState = {
  stage: "analysing",
  checklist: [],
  acceptance_criteria: [],
  failure: null,
  started_at: "",
  duration_ms: 0,
  execution_mode: "parallel",
  subtasks: [],
  open: 0,
  failed: 0,
  total_retries: 0,
  ticks: 0,
  outcome: null,
  decided: []
}

/** It goes on as any other task; where it says nothing of what must be true in the end, it gets criteria. */
export const inOnePiece = (state: State, task: TaskState, acceptance_criteria: ReadonlyArray<string>): TaskState => {
  const isReviewed = state.config.reviewer !== null
  const checklist = isReviewed
    ? task.spec.checklist
    : [...task.spec.checklist, ...acceptance_criteria.map((item) => ({ item }))]
  return {
    ...task,
    status: "pending",
    chunk: { ...(task.chunk ?? analysing), stage: "skipped", acceptance_criteria },
    spec: {
      ...task.spec,
      checklist,
      validation: isReviewed ? [...task.spec.validation, ...acceptance_criteria] : task.spec.validation
    },
    items: checklist.map((item) => ({ ...item, ...untouched }))
  }
}

type Aggregated = Extract<KernelEvent, { readonly type: "CHUNKING_AGGREGATION" }>["content"]

/** What the parts have shown is looked at once more, as a report of the whole. */
export const aggregated = (state: State, task: TaskState, content: Aggregated): TaskState => {
  const { conflicts_detected, total_files_modified, ...outcome } = content.aggregation_result
  const { chunk } = task
  if (chunk === null) return task
  const ended = { ...chunk, outcome, duration_ms: content.duration_ms }
  if (outcome.outcome !== "merged" || chunk.failed > 0) return { ...task, chunk: ended }
  const attempt = task.attempts + 1
  const lost = outcome.lost.map(({ item, subtask_id }) => ({ item: `${subtask_id}: ${item}` }))
  const checklist = [...chunk.checklist, ...lost]
  const whole = {
    ...task,
    spec: { ...task.spec, checklist },
    items: checklist.map((item) => ({ ...item, ...untouched }))
  }
  return {
    ...whole,
    attempts: attempt,
    files: outcome.files_modified,
    chunk: { ...ended, stage: "aggregated" },
    current: {
      attempt,
      agent: "",
      worker_id: "",
      item_id: "",
      lease: 0,
      ...nothingKnown,
      outcome: "COMPLETE",
      report: { ...aggregatedReport(state, whole, outcome.evidence), problems: [] }
    }
  }
}
