import {
  isLineReceipt,
  type KernelState,
  type KindReceipt,
  subtaskStateOf,
  type TaskState,
  tasksOf,
  type Weakness
} from "@proofline/kernel"
import type { EvidenceKind } from "./contract.ts"
import { citedKind } from "./kinds.ts"
import { kindCited } from "./reasons.ts"
import { type Cited, ofLines, onceATask, shownBy, shownInLines } from "./shown.ts"

/**
 * What the other tasks of a run have been accepted with, in the order of the tasks, as their last attempts found it, and what was
 * noted of those of the runs before that it builds on. A task and its own subtasks speak of the same items.
 */
export const citedByOthers = (
  state: KernelState,
  task: TaskState,
  kinds: ReadonlyArray<EvidenceKind>
): ReadonlyArray<Cited> => [...ofOthers(state, task, foundBy(kinds)), ...ofEarlier(state)]

const ofEarlier = ({ tasks: { earlier } }: KernelState): ReadonlyArray<Cited> =>
  earlier.flatMap(({ shown = [], task_id }) => shown.map((one) => ({ ...one, task_id })))

/** What there is of each of the other tasks, one after the other. */
const ofOthers = <A>(
  state: KernelState,
  task: TaskState,
  of: (other: TaskState) => ReadonlyArray<A>
): ReadonlyArray<A> => {
  const parent = subtaskStateOf(state, task)?.parent_task_id
  const found: Array<A> = []
  for (const other of tasksOf(state)) {
    // all that an attempt beside others shows is its task's
    if (other.alternative || other.spec.id === task.spec.id || other.spec.id === parent) continue
    const all = of(other)
    if (all.length === 0 || subtaskStateOf(state, other)?.parent_task_id === task.spec.id) continue
    for (const one of all) found.push(one)
  }
  return found
}

const foundBy =
  (kinds: ReadonlyArray<EvidenceKind>) =>
  (task: TaskState): ReadonlyArray<Cited> =>
    hasLinesOnly(task) ? shownInLines(task) : foundIn(task, kinds)

const hasLinesOnly = onceATask(({ items }): boolean =>
  items.every(({ receipt }) => receipt === null || isLineReceipt(receipt))
)

const foundIn = (task: TaskState, kinds: ReadonlyArray<EvidenceKind>): ReadonlyArray<Cited> =>
  shownBy(task, ({ item, receipt }, lines) =>
    isLineReceipt(receipt) ? ofLines(lines, receipt) : ofKind(kinds, item, receipt)
  )

const ofKind = (kinds: ReadonlyArray<EvidenceKind>, item: string, { fact, reference, scheme }: KindReceipt) => {
  const evidence = `${scheme}:${reference}`
  const cited = citedKind(kinds, evidence)
  return cited === null ? null : kindCited(cited, evidence, item, { index: 0, evidence, scheme, fact })
}

export const untouched: Weakness = {
  reason: "untouched",
  message: "None of these lines was changed since the run began."
}
