import type { Aside, LineRange, SourceOutline, Span } from "../../../port/index.ts"
import { withoutEnd } from "../../../text/lines.ts"
import { isAggregate } from "./aggregate.ts"
import { openMarks } from "./openMarks.ts"

/** From the first to the last character of the lines that is code; or, in words, why there is none. */
export const codeIn = (
  path: string,
  lines: ReadonlyArray<string>,
  outline: SourceOutline,
  range: LineRange
): Span | string => {
  const rows = rowsOf(lines, outline)
  const [from, to] = [range.start - 1, range.end - 1]
  const first = rows.next[from] ?? lines.length
  const last = rows.previous[to] ?? -1
  const start = rows.code[first]
  const end = rows.code[last]
  if (first > to || start == null || end == null) {
    const imports = isAggregate(path, lines, outline) ? importsIn(rows, lines, from, to) : null
    const what = whatIn(rows, from, to)
    const instead = what.includes("imports") ? " Cite the code that uses what is imported." : ""
    return imports ?? `The lines hold only ${listed(what)}.${instead}`
  }
  return countIn(rows.acting, from, to) === 0
    ? "The lines hold only statements that do nothing."
    : { start: { row: first, column: start[0] }, end: { row: last, column: end[1] } }
}

/** From the first to the last line that holds an import; null: none does. */
const importsIn = ({ what }: Rows, lines: ReadonlyArray<string>, from: number, to: number): Span | null => {
  const rows: Array<number> = []
  for (let row = from; row <= to; row++) if (countIn(what.imports, row, row) > 0) rows.push(row)
  const [first, last] = [rows[0], rows.at(-1)]
  if (first === undefined || last === undefined) return null
  return { start: { row: first, column: 0 }, end: { row: last, column: (lines[last] ?? "").trimEnd().length } }
}

/** Every line of a file by what it holds, so that any range of it is looked up and not read again. */
export interface Rows {
  /** From and to which column there is code; null where there is none. */
  readonly code: ReadonlyArray<readonly [from: number, to: number] | null>
  /** The nearest line with code, from here on and up to here. */
  readonly next: Int32Array
  readonly previous: Int32Array
  /** How many lines before this one hold code that does something, and what else they hold. */
  readonly acting: Uint32Array
  readonly what: Readonly<Record<What, Uint32Array>>
}

const whats = ["comments", "imports", "brackets", "blank lines"] as const
type What = (typeof whats)[number]

const made = new WeakMap<SourceOutline, Rows>()

export const rowsOf = (lines: ReadonlyArray<string>, outline: SourceOutline): Rows => {
  const before = made.get(outline)
  if (before !== undefined) return before
  const rows = readRows(lines, outline)
  made.set(outline, rows)
  return rows
}

const readRows = (lines: ReadonlyArray<string>, { asides, strings }: SourceOutline): Rows => {
  const marks = openMarks(lines)
  const inStrings = rowsBehind(strings)
  const inComments = rowsBehind(asides.filter(({ kind }) => kind === "comment"))
  const isMark = (row: number): boolean => marks.has(row) && !inStrings.has(row)
  const quiet = outermost(asides.filter(({ kind }) => kind !== "nothing"))
  const idle = outermost(asides.filter(({ kind }) => kind === "nothing"))
  const counts = () => new Uint32Array(lines.length + 1)
  const what = { comments: counts(), imports: counts(), brackets: counts(), "blank lines": counts() }
  const acting = counts()
  const code = lines.map((raw, row): Rows["code"][number] => {
    for (const each of [...whats.map((one) => what[one]), acting]) each[row + 1] = each[row] ?? 0
    const note = (one: What) => {
      what[one][row + 1] = (what[one][row] ?? 0) + 1
    }
    const line = withoutEnd(raw).replace(/^\ufeff/, " ")
    if (line.trim() === "") {
      if (inStrings.has(row) && !inComments.has(row)) {
        acting[row + 1] = (acting[row] ?? 0) + 1
        return [0, 0]
      }
      note("blank lines")
      return null
    }
    if (isMark(row)) {
      note("comments")
      return null
    }
    const plain = masked(line, row, quiet, (kind) => kind !== "nothing" && note(named[kind]))
    if (plain.trim() === "") return null
    if (isClosing(plain.trim())) {
      note("brackets")
      return null
    }
    const rest = masked(plain, row, idle, () => {}).trim()
    if (rest !== "" && !isClosing(rest)) acting[row + 1] = (acting[row] ?? 0) + 1
    return [plain.length - plain.trimStart().length, endOf(plain)]
  })
  return { code, acting, what, ...nearest(code) }
}

/** The rows of each that come after its first one. */
const rowsBehind = (spans: ReadonlyArray<Span>): ReadonlySet<number> =>
  new Set(spans.flatMap(({ end, start }) => Array.from({ length: end.row - start.row }, (_, at) => start.row + 1 + at)))

const nearest = (code: Rows["code"]): Pick<Rows, "next" | "previous"> => {
  const next = new Int32Array(code.length).fill(code.length)
  const previous = new Int32Array(code.length).fill(-1)
  for (let row = 0, at = -1; row < code.length; row++) {
    if (code[row] !== null) at = row
    previous[row] = at
  }
  for (let row = code.length - 1, at = code.length; row >= 0; row--) {
    if (code[row] !== null) at = row
    next[row] = at
  }
  return { next, previous }
}

/** 0, where `to` comes before `from`. */
export const countIn = (counts: Uint32Array, from: number, to: number): number =>
  to < from ? 0 : (counts[to + 1] ?? 0) - (counts[from] ?? 0)

const whatIn = ({ what }: Rows, from: number, to: number): ReadonlyArray<What> =>
  whats.filter((one) => countIn(what[one], from, to) > 0)

const named = { comment: "comments", import: "imports" } as const

const closing = new Set([..." \t\r\f\v,;)]}"])

/** Where code ends: what closes or separates may belong to something around. */
const endOf = (text: string): number => {
  let end = text.length
  while (end > 0 && closing.has(text[end - 1] ?? "")) end--
  return end
}

/** What merely ends something: brackets, and the words that do the same. */
const isClosing = (text: string): boolean =>
  !/[\p{L}\p{N}_$@#%&*+\-/<=>!?^|~"'`\\:.]/u.test(text) || closingWord.test(text)

const closingWord =
  /^(?:end|fi|done|esac|endif|endforeach|endwhile|endfor|endswitch|begin|then|do|\?>|<\?(?:php|=)?)[\s;)}\],.]*$/

/** The line with everything that the asides cover blanked out. */
const masked = (
  line: string,
  row: number,
  asides: ReadonlyArray<Aside>,
  note: (kind: Aside["kind"]) => void
): string => {
  const parts: Array<string> = []
  let done = 0
  for (let at = firstEndingAt(asides, row); at < asides.length; at++) {
    const aside = asides[at]
    if (aside === undefined || aside.start.row > row) break
    const from = Math.max(done, aside.start.row < row ? 0 : aside.start.column)
    const to = Math.min(line.length, aside.end.row > row ? line.length : aside.end.column)
    if (from >= to) continue
    note(aside.kind)
    parts.push(line.slice(done, from), " ".repeat(to - from))
    done = to
  }
  return parts.length === 0 ? line : parts.join("") + line.slice(done)
}

const firstEndingAt = (asides: ReadonlyArray<Aside>, row: number): number => {
  let low = 0
  let high = asides.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((asides[middle]?.end.row ?? 0) < row) low = middle + 1
    else high = middle
  }
  return low
}

/** Without those that lie inside another one, so that starts and ends are in the same order. */
const outermost = (asides: ReadonlyArray<Aside>): ReadonlyArray<Aside> => {
  const kept: Array<Aside> = []
  for (const aside of asides) {
    const last = kept.at(-1)?.end
    const isFurther =
      last === undefined || last.row < aside.end.row || (last.row === aside.end.row && last.column < aside.end.column)
    if (isFurther) kept.push(aside)
  }
  return kept
}

const listed = (what: ReadonlyArray<string>): string =>
  what.length < 2 ? (what[0] ?? "blank lines") : `${what.slice(0, -1).join(", ")} and ${what.at(-1)}`
