import type { Schema } from "effect"
import { childrenOf, type TaskState, taskOf } from "../tasks/state.ts"
import type { Aggregation } from "./schemas.ts"
import { type ChunkingView, chunkOf, subtaskStateOf } from "./state.ts"

// Steps of the schema versions of this module's events. What an old event left out was concluded by rules as they were
// then; those are written here once more, so that a rule that changes does not change what an old log means.

type Json = Schema.Json
type Ref = { readonly parent_task_id: string }

/** Keys that may be left out were added: what was written before means the same. */
export const widened = (content: Json): Json => content

// Version 2: what the task has to show, as a whole, in one piece or of its parts.

export const withChecklist = (content: Json, state: ChunkingView): Json => {
  const old = content as Ref
  return { ...old, checklist: taskOf(state, old.parent_task_id)?.spec.checklist ?? [] }
}

export const withOnePiece = (content: Json, state: ChunkingView): Json => {
  const old = content as Ref & { readonly acceptance_criteria: ReadonlyArray<string> }
  const spec = taskOf(state, old.parent_task_id)?.spec
  if (spec === undefined) return { ...old, checklist: [], validation: [] }
  return state.run.config.reviewer === null
    ? {
        ...old,
        checklist: [...spec.checklist, ...old.acceptance_criteria.map((item) => ({ item }))],
        validation: spec.validation
      }
    : { ...old, checklist: spec.checklist, validation: [...spec.validation, ...old.acceptance_criteria] }
}

export const withWhole = (content: Json, state: ChunkingView): Json => {
  const old = content as Ref & { readonly aggregation_result: Aggregation }
  return { ...old, whole: wholeThen(state, old.parent_task_id, old.aggregation_result) }
}

const wholeThen = (state: ChunkingView, id: string, { evidence, lost, outcome }: Aggregation): Json => {
  const parent = taskOf(state, id)
  const chunk = parent === undefined ? null : chunkOf(state, parent)
  if (parent === undefined || chunk === null || outcome !== "merged" || chunk.failed > 0) return null
  const order = (task: TaskState) => subtaskStateOf(state, task)?.execution_order ?? 0
  const parts = childrenOf(state, parent).toSorted((a, b) => order(a) - order(b))
  const checklist = [...chunk.checklist, ...lost.map(({ item, subtask_id }) => ({ item: `${subtask_id}: ${item}` }))]
  const shownBy = (index: number) => {
    for (const part of parts) {
      const at = subtaskStateOf(state, part)?.carries.indexOf(index) ?? -1
      if (at >= 0) return part.items[at]
    }
    return undefined
  }
  const reported = checklist.map(({ item }, index) => {
    const shown = shownBy(index)
    if (shown?.verdict === "waived") return { item, status: "skipped", reason: shown.reason }
    const now = evidence.find((one) => one.index === index)
    return { item, status: "done", evidence: now === undefined ? (shown?.evidence ?? null) : now.evidence }
  })
  const summaries = parts.flatMap(({ current, spec, status }) => {
    const summary = current?.report?.summary.trim() ?? ""
    return status === "completed" && summary !== "" ? [`${spec.title}: ${summary}`] : []
  })
  const report = { summary: summaries.join("\n"), checklist: checklist.length === 0 ? null : reported }
  return { checklist, validation: parent.spec.validation, report }
}

/** Version 2 of CHUNKING_ANALYSIS says where the parts work; before, all of a run worked where its configuration said. */
export const withWorkspace = (content: Json, { run }: ChunkingView): Json => {
  const old = content as Ref & { readonly execution_mode: string | null }
  const workspace = run.config.chunking.workspace === "worktree" ? "worktree" : "shared"
  return { ...old, workspace: old.execution_mode === null ? null : workspace }
}
