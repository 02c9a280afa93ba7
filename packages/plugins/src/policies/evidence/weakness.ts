import {
  isLineFact,
  isLineReceipt,
  isShown,
  type KernelState,
  type KindReceipt,
  type LineFact,
  type LineReceipt,
  subtaskStateOf,
  type TaskState,
  tasksOf,
  type Weakness
} from "@proofline/kernel"
import type { EvidenceKind } from "./contract.ts"
import { citedKind } from "./kinds.ts"
import { type Cited, factOf, kindCited, lineCited } from "./reasons.ts"

/**
 * What the other tasks of a run have been accepted with, in the order of the tasks, as their last attempts found it. A task
 * and its own subtasks speak of the same items.
 */
export const citedByOthers = (
  state: KernelState,
  task: TaskState,
  kinds: ReadonlyArray<EvidenceKind>
): ReadonlyArray<Cited> => ofOthers(state, task, foundBy(kinds))

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

/** A task that is as it was says the same again: of thousands, few have changed since the last one was judged. */
const onceATask = <A>(of: (task: TaskState) => A): ((task: TaskState) => A) => {
  const known = new WeakMap<TaskState, A>()
  return (task) => {
    const before = known.get(task)
    if (before !== undefined) return before
    const now = of(task)
    known.set(task, now)
    return now
  }
}

const foundBy =
  (kinds: ReadonlyArray<EvidenceKind>) =>
  (task: TaskState): ReadonlyArray<Cited> =>
    hasLinesOnly(task) ? foundInLines(task) : foundIn(task, kinds)

const hasLinesOnly = onceATask(({ items }): boolean =>
  items.every(({ receipt }) => receipt === null || isLineReceipt(receipt))
)

/** What is found in lines is the same whatever other kinds there are. */
const foundInLines = onceATask((task) => foundIn(task, []))

const foundIn = (task: TaskState, kinds: ReadonlyArray<EvidenceKind>): ReadonlyArray<Cited> => {
  const lines = (task.current?.facts ?? []).filter(isLineFact)
  return task.items.flatMap(({ item, receipt, verdict }) => {
    if (!isShown(verdict) || receipt === null) return []
    const cited = isLineReceipt(receipt) ? ofLines(lines, receipt) : ofKind(kinds, item, receipt)
    return cited === null ? [] : [{ item, task_id: task.spec.id, ...cited }]
  })
}

const ofLines = (facts: ReadonlyArray<LineFact>, receipt: LineReceipt) => {
  const fact = factOf(facts, receipt)
  return fact === undefined ? null : lineCited(fact)
}

const ofKind = (kinds: ReadonlyArray<EvidenceKind>, item: string, { fact, reference, scheme }: KindReceipt) => {
  const evidence = `${scheme}:${reference}`
  const cited = citedKind(kinds, evidence)
  return cited === null ? null : kindCited(cited, evidence, item, { index: 0, evidence, scheme, fact })
}

export const untouched: Weakness = {
  reason: "untouched",
  message: "None of these lines was changed since the run began."
}
