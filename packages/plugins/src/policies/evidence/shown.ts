import {
  type ItemState,
  isLineFact,
  isLineReceipt,
  isShown,
  type LineFact,
  type LineReceipt,
  type Receipt,
  type TaskState
} from "@proofline/kernel"

/** What is cited of a file for an item. */
export interface Cited {
  readonly item: string
  /** The task of the item; null: the one that is judged. */
  readonly task_id: string | null
  readonly path: string
  /** Names of what it shows there. */
  readonly shows: ReadonlyArray<string>
  /** It speaks of the file as a whole, not of lines in it. */
  readonly whole: boolean
}

/** What evidence shows, without whom it is cited for. */
export type Showing = Pick<Cited, "path" | "shows" | "whole">

/** What lines show of their file; null: they were not found. */
export const lineCited = ({ path, proof }: LineFact): Showing | null =>
  path === null ? null : { path, shows: proof?.change?.lines ?? [], whole: false }

/** A task that is as it was says the same again: of thousands, few have changed since the last one was judged. */
export const onceATask = <A>(of: (task: TaskState) => A): ((task: TaskState) => A) => {
  const known = new WeakMap<TaskState, A>()
  return (task) => {
    const before = known.get(task)
    if (before !== undefined) return before
    const now = of(task)
    known.set(task, now)
    return now
  }
}

/** What the accepted items of a task were shown by. */
export const shownBy = (
  task: TaskState,
  of: (item: Held, lines: ReadonlyArray<LineFact>) => Showing | null
): ReadonlyArray<Cited> => {
  const lines = (task.current?.facts ?? []).filter(isLineFact)
  return task.items.flatMap((item) => {
    if (!isShown(item.verdict) || item.receipt === null) return []
    const shown = of({ ...item, receipt: item.receipt }, lines)
    return shown === null ? [] : [{ item: item.item, task_id: task.spec.id, ...shown }]
  })
}

interface Held extends ItemState {
  readonly receipt: Receipt
}

/** What the lines of a task show. They are the same whatever other kinds there are. */
export const shownInLines = onceATask((task) =>
  shownBy(task, ({ receipt }, lines) => (isLineReceipt(receipt) ? ofLines(lines, receipt) : null))
)

/** What the lines of a receipt show. */
export const ofLines = (facts: ReadonlyArray<LineFact>, receipt: LineReceipt): Showing | null => {
  const fact = factOf(facts, receipt)
  return fact === undefined ? null : lineCited(fact)
}

/** The fact that a receipt was made of. */
const factOf = (facts: ReadonlyArray<LineFact>, receipt: LineReceipt): LineFact | undefined =>
  facts.find(
    (fact) =>
      fact.outcome === "ok" &&
      fact.receipt?.path === receipt.path &&
      fact.receipt.start === receipt.start &&
      fact.receipt.end === receipt.end &&
      fact.receipt.sha256 === receipt.sha256
  )
