import type { KernelEvent } from "@proofline/kernel"
import {
  accepted,
  attemptEnded,
  attemptStarted,
  instruction,
  items,
  listed,
  reported,
  runStarted,
  taskId
} from "./history.ts"

/** Subtasks of each task of `wideRun`. */
export const partsEach = 8

/** Tasks of `wideRun` that are under way at the same time. */
const together = 16

/**
 * The facts of a run of so many tasks, each split into eight subtasks and brought to its end: 50 facts a task, and one
 * for the run. All tasks are registered first; then 16 at a time go on in turn, as workers side by side write them.
 */
export function* wideRun(tasks: number): Generator<KernelEvent> {
  yield runStarted
  for (let n = 0; n < tasks; n++) yield* listed(taskId(n), "asked")
  for (let n = 0; n < tasks; n += together) {
    yield* inTurn(Array.from({ length: Math.min(together, tasks - n) }, (_, i) => divided(taskId(n + i))))
  }
}

/** One fact of each, until none of them has any left. */
function* inTurn(histories: ReadonlyArray<Generator<KernelEvent>>): Generator<KernelEvent> {
  let open = histories
  while (open.length > 0) {
    const left: Array<Generator<KernelEvent>> = []
    for (const history of open) {
      const next = history.next()
      if (next.done === true) continue
      yield next.value
      left.push(history)
    }
    open = left
  }
}

function* divided(parent_task_id: string): Generator<KernelEvent> {
  const parts = Array.from({ length: partsEach }, (_, i) => part(parent_task_id, i))
  yield { type: "TASK_STARTED", content: { task_id: parent_task_id } }
  yield {
    type: "CHUNKING_START",
    content: {
      parent_task_id,
      original_prompt: instruction,
      analysis_started: true,
      checklist: items.map((item) => ({ item }))
    }
  }
  yield {
    type: "CHUNKING_ANALYSIS",
    content: {
      parent_task_id,
      analyzer: "bench",
      started_at: "2026-01-02T03:04:05.678Z",
      is_decomposable: true,
      decomposition_reason: "It has parts.",
      subtask_count: partsEach,
      dependencies_detected: false,
      execution_mode: "parallel",
      workspace: "shared",
      criteria: [{ criterion: "independent_parts", met: true, words: ["login", "page"] }],
      subtasks: parts.map(({ planned }) => planned)
    }
  }
  for (const { created } of parts) yield { type: "SUBTASK_CREATED", content: created }
  for (const { created } of parts) yield* worked(created)
  yield {
    type: "CHUNKING_AGGREGATION",
    content: {
      parent_task_id,
      aggregation_strategy: "merge_all",
      conflict_resolution: "fail",
      aggregation_result: {
        total_files_modified: partsEach,
        conflicts_detected: false,
        outcome: "merged",
        files_modified: parts.map((_, i) => `src/login/part-${i}.ts`),
        conflicts: [],
        message: "",
        evidence: [],
        lost: []
      },
      duration_ms: 12_345,
      whole: {
        checklist: items.map((item) => ({ item })),
        validation: ["It works"],
        report: { summary: "", checklist: null }
      }
    }
  }
  yield {
    type: "CHUNKING_COMPLETE",
    content: {
      parent_task_id,
      total_subtasks: partsEach,
      completed_subtasks: partsEach,
      failed_subtasks: 0,
      total_retries: 0,
      total_duration_ms: 23_456
    }
  }
  yield { type: "TASK_COMPLETED", content: { task_id: parent_task_id, attempts: 1, proven: 1, waived: 0 } }
}

type Created = Extract<KernelEvent, { readonly type: "SUBTASK_CREATED" }>["content"]

const part = (parent_task_id: string, i: number) => {
  const title = `Part ${i + 1}`
  const prompt = `Make part ${i + 1} of the login page refuse a wrong password.`
  const planned = {
    title,
    prompt,
    dependencies: [],
    acceptance_criteria: ["It refuses a wrong password."],
    checklist: i === 0 ? [0, 1] : [],
    paths: [`src/login/part-${i}.ts`],
    changes_files: true
  }
  const created: Created = {
    ...planned,
    parent_task_id,
    subtask_id: `${parent_task_id}-${i + 1}`,
    execution_order: 1,
    subtask_index: i + 1,
    total_subtasks: partsEach,
    validation: planned.acceptance_criteria,
    checklist: i === 0 ? items.map((item) => ({ item })) : [],
    carries: planned.checklist,
    priority: 0
  }
  return { planned, created }
}

/** An attempt that is completed; the items of the task are shown by its first part. */
function* worked({ checklist, parent_task_id, prompt, subtask_id }: Created): Generator<KernelEvent> {
  const about = { task_id: subtask_id, attempt: 1 }
  yield {
    type: "SUBTASK_START",
    content: { parent_task_id, subtask_id, prompt, retry_count: 0, worker_id: "w1" }
  }
  yield attemptStarted(about)
  yield attemptEnded(about)
  if (checklist.length > 0) yield reported(about)
  if (checklist.length > 0) yield accepted(about, items[0] ?? "", 0)
  yield {
    type: "SUBTASK_COMPLETE",
    content: {
      parent_task_id,
      subtask_id,
      subtask_result: { status: "COMPLETE", output_summary: "All done.", files_modified: ["src/login/handler.ts"] },
      retry_count: 0,
      attempts: 1,
      proven: checklist.length > 0 ? 1 : 0,
      waived: 0
    }
  }
}
