import { asItStands, otherEvidence, parentOf, type TaskState, taskOf, unended } from "@proofline/kernel"
import type { Body } from "../../operations/Answer.ts"
import { failuresOf } from "../../operations/answers.ts"
import { checklistBody, endOf } from "../../operations/excerpts.ts"
import { assignmentStatusOf } from "./rules/assignment.ts"
import { type Assignment, assignmentOf, type SessionState } from "./rules/state.ts"
import type { AnyRun } from "./state.ts"

/**
 * Whether an agent sees the summary of a dependency: not when it planned the task for itself and had no part in the
 * dependency.
 */
const isHandedOn = (from: Assignment | null, to: Assignment | null): boolean =>
  from === null ||
  to === null ||
  to.created_by !== to.assignee ||
  [from.assignee, from.created_by].includes(to.assignee)

/**
 * A task with its context: what it is part of, and what came of the work before it. `session`: what may be cited beside
 * lines is not told once more where it has fetched another task.
 */
export const taskBody = (state: AnyRun, task: TaskState, session: SessionState | null = null): Body => {
  const assignment = assignmentOf(state, task)
  const parent = parentOf(state, task)
  const before = task.spec.depends_on.flatMap((id) => {
    const dependency = taskOf(state, id)
    const summary = dependency?.current?.report?.summary ?? ""
    return dependency === undefined || summary === "" || !isHandedOn(assignmentOf(state, dependency), assignment)
      ? []
      : [`${id}: ${endOf(summary, 400)}`]
  })
  const isTold = session?.fetched.some((id) => id !== task.spec.id) === true
  const others = task.items.length === 0 || isTold ? [] : otherEvidence(state)
  const failures = task.status === "retrying" ? (task.current?.failures ?? []) : []
  return {
    task_id: task.spec.id,
    title: task.spec.title,
    description: endOf(task.spec.instruction, 3_000),
    status: assignmentStatusOf(asItStands(state.run, task)),
    ...(task.items.length === 0 ? {} : { checklist: checklistBody(task) }),
    ...(others.length === 0 ? {} : { evidence_kinds: others }),
    ...(parent === undefined
      ? {}
      : {
          context: `Part of ${parent.spec.id}: ${unended(parent.spec.title)}. ${endOf(parent.spec.instruction, 1_000)}`
        }),
    ...(before.length === 0 ? {} : { handoff: before.join("\n") }),
    ...(assignment?.reason ? { reason: assignment.reason } : {}),
    ...(failures.length === 0 ? {} : { last_report: failuresOf(failures) })
  }
}
