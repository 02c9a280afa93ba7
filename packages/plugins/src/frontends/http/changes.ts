import { historyOf, type TaskId, treesAround } from "@proofline/kernel"
import { Effect } from "effect"
import type { FoldedRun } from "./details.ts"
import type { ChangeSpan, Project } from "./Project.ts"
import type { Approval } from "./schemas.ts"

/** What is asked, each with what the work has changed since it began. */
export const withChanges = (
  { changes }: Pick<Project["Service"], "changes">,
  approvals: ReadonlyArray<Approval>,
  folded: FoldedRun | null
): Effect.Effect<ReadonlyArray<Approval>> =>
  Effect.forEach(
    approvals,
    (approval) => {
      const span = folded === null ? null : spanOf(approval, folded)
      return span === null
        ? Effect.succeed(approval)
        : Effect.map(changes(span), (found): Approval => ({ ...approval, changes: found }))
    },
    { concurrency: 4 }
  )

/** Of a task since its last attempt began, of anything else since the run began; null: nobody knows how it was. */
const spanOf = ({ files, kind, task_id }: Approval, { history, state }: FoldedRun): ChangeSpan | null => {
  const { base } = state.run
  const attempt = task_id === null ? undefined : historyOf(history, task_id as TaskId).attempts.at(-1)
  if (attempt === undefined)
    return base === null ? null : { before: base, after: "now", base, files: kind === "conflict" ? files : null }
  const { after, before } = treesAround(state, history, attempt)
  if (before === null) return null
  const own = attempt.files_modified
  return {
    before,
    after: after ?? "now",
    base,
    files: after === null || own === null ? null : [...new Set([...own, ...(attempt.files_undecided ?? [])])]
  }
}
