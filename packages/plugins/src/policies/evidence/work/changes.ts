import { diffArrays } from "diff"

/** What became of the lines of a file. Rows count from 0. */
export interface LineChanges {
  /** Rows of today's text that are new or were changed, ascending. */
  readonly rows: ReadonlyArray<number>
  /** Rows behind which something was taken out and nothing put in its place, ascending; -1: before the first. */
  readonly cuts: ReadonlyArray<number>
}

/** Rows of two texts of which those of one took the place of those of the other, without empty ones. */
export interface Replaced {
  readonly before: ReadonlyArray<number>
  readonly now: ReadonlyArray<number>
}

/** What was changed, and all that was put in the place of something else: as a whole first, then part by part. */
export interface LineComparison extends LineChanges {
  readonly replaced: ReadonlyArray<Replaced>
}

/** Edits looked for between two texts: the effort grows with their square. */
const maxEdits = 2_000

/**
 * What was changed from one text to another, line by line; empty lines do not count. Where the texts are too different to
 * be compared, all lines between the first and the last difference count as new.
 */
export const lineChanges = (before: ReadonlyArray<string>, now: ReadonlyArray<string>): LineChanges => {
  const { cuts, rows } = compareLines(before, now)
  return { rows, cuts }
}

export const compareLines = (before: ReadonlyArray<string>, now: ReadonlyArray<string>): LineComparison => {
  const oldRows = filledIn(before)
  const rowsOf = filledIn(now)
  const old = oldRows.map((row) => before[row] ?? "")
  const young = rowsOf.map((row) => now[row] ?? "")
  const shorter = Math.min(old.length, young.length)
  let head = 0
  while (head < shorter && old[head] === young[head]) head++
  let tail = 0
  while (tail < shorter - head && old[old.length - 1 - tail] === young[young.length - 1 - tail]) tail++
  const [taken, added, parts] = between(old.slice(head, old.length - tail), young.slice(head, young.length - tail))
  const rowAt = (index: number): number => rowsOf[index] ?? -1
  const whole = { before: oldRows.slice(head, old.length - tail), now: rowsOf.slice(head, young.length - tail) }
  return {
    rows: added.map((index) => rowAt(head + index)),
    cuts: taken.map((index) => rowAt(head + index - 1)),
    replaced: [whole, ...(parts === null ? [] : replacedIn(parts, whole))]
  }
}

const filledIn = (lines: ReadonlyArray<string>): ReadonlyArray<number> =>
  lines.flatMap((line, row) => (line === "" ? [] : [row]))

const replacedIn = (parts: ReadonlyArray<Part>, { before, now }: Replaced): ReadonlyArray<Replaced> => {
  let [old, young] = [0, 0]
  return parts.flatMap(({ added, count, removed }, i): ReadonlyArray<Replaced> => {
    if (removed) {
      old += count
      return []
    }
    const from = young
    young += count
    if (!added) {
      old += count
      return []
    }
    const previous = parts[i - 1]
    return previous?.removed === true
      ? [{ before: before.slice(old - previous.count, old), now: now.slice(from, young) }]
      : []
  })
}

/** Indexes before which something was taken out and nothing put in its place, and of the lines that were added; the parts where they are known. */
const between = (
  old: ReadonlyArray<string>,
  young: ReadonlyArray<string>
): readonly [taken: ReadonlyArray<number>, added: ReadonlyArray<number>, parts: ReadonlyArray<Part> | null] => {
  const all = young.map((_, index) => index)
  if (old.length === 0) return [[], all, null]
  if (young.length === 0) return [[0], [], null]
  const parts = diffArrays([...old], [...young], { maxEditLength: maxEdits })
  if (parts === undefined) return [[], all, null]
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
  return [taken, added, parts]
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
