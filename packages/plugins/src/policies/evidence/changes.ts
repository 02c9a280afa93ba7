import { diffArrays } from "diff"

/** What became of the lines of a file. Rows count from 0. */
export interface LineChanges {
  /** Rows of today's text that are new or were changed, ascending. */
  readonly rows: ReadonlyArray<number>
  /** Rows behind which something was taken out and nothing put in its place, ascending; -1: before the first. */
  readonly cuts: ReadonlyArray<number>
}

/** Edits looked for between two texts: the effort grows with their square. */
const maxEdits = 2_000

/**
 * What was changed from one text to another, line by line; empty lines do not count. Where the texts are too different to
 * be compared, all lines between the first and the last difference count as new.
 */
export const lineChanges = (before: ReadonlyArray<string>, now: ReadonlyArray<string>): LineChanges => {
  const old = before.filter((line) => line !== "")
  const rowsOf = now.flatMap((line, row) => (line === "" ? [] : [row]))
  const young = rowsOf.map((row) => now[row] ?? "")
  const shorter = Math.min(old.length, young.length)
  let head = 0
  while (head < shorter && old[head] === young[head]) head++
  let tail = 0
  while (tail < shorter - head && old[old.length - 1 - tail] === young[young.length - 1 - tail]) tail++
  const [taken, added] = between(old.slice(head, old.length - tail), young.slice(head, young.length - tail))
  const rowAt = (index: number): number => rowsOf[index] ?? -1
  return { rows: added.map((index) => rowAt(head + index)), cuts: taken.map((index) => rowAt(head + index - 1)) }
}

/** Indexes before which something was taken out and nothing put in its place, and of the lines that were added. */
const between = (
  old: ReadonlyArray<string>,
  young: ReadonlyArray<string>
): readonly [taken: ReadonlyArray<number>, added: ReadonlyArray<number>] => {
  const all = young.map((_, index) => index)
  if (old.length === 0) return [[], all]
  if (young.length === 0) return [[0], []]
  const parts = diffArrays([...old], [...young], { maxEditLength: maxEdits })
  if (parts === undefined) return [[], all]
  const taken: Array<number> = []
  const added: Array<number> = []
  let index = 0
  for (const [i, part] of parts.entries()) {
    const next = parts[i + 1]
    if (part.removed) {
      // what was put in its place says it
      if (next?.added !== true) taken.push(index)
      continue
    }
    // of two parts that changed places either may be called the one that was moved
    if (part.added || isSwapped(parts[i - 1], part, next)) for (let i = 0; i < part.count; i++) added.push(index + i)
    index += part.count
  }
  return [taken, added]
}

interface Part {
  readonly added: boolean
  readonly removed: boolean
  readonly count: number
  readonly value: ReadonlyArray<string>
}

const isSwapped = (previous: Part | undefined, { count }: Part, next: Part | undefined): boolean =>
  previous?.removed === true &&
  next?.added === true &&
  count <= previous.count &&
  previous.count === next.count &&
  previous.value.every((line, i) => line === next.value[i])
