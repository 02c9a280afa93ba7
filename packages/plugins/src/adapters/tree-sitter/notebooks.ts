import type { Aside, Position, SourceOutline, Span } from "../../port/index.ts"

/** A program that stands within a file of something else, everything at its place, and what is around it. */
export interface Embedded {
  /** A name that a file of its language may have. */
  readonly as: string
  /** The file with blanks in place of all that is no program. */
  readonly source: string
  /** What shows nothing by itself, in what is around. */
  readonly asides: ReadonlyArray<Aside>
  /** By row, where each of its columns is in the file; left out: everything is where it was. */
  readonly columns?: ReadonlyMap<number, ReadonlyArray<number>>
}

/** Files that a kernel runs, by how it calls its language. */
const kernels: Readonly<Record<string, string>> = {
  python: "a.py",
  javascript: "a.js",
  typescript: "a.ts",
  scala: "a.scala",
  rust: "a.rs",
  go: "a.go",
  kotlin: "a.kt",
  "c#": "a.cs",
  "c++": "a.cpp",
  ruby: "a.rb",
  bash: "a.sh"
}

/** The program in the cells of a notebook, each row without the JSON around it; null: none that a grammar reads. Pure. */
export const notebookIn = (text: string): Embedded | null => {
  const named = /"language(?:_info)?":\s{0,9}(?:\{[^{}]{0,800}?"name":\s{0,9})?"([^"]+)"/.exec(text)?.[1] ?? "python"
  const as = kernels[named.toLowerCase()]
  if (as === undefined) return null
  const columns = new Map<number, Columns>()
  const asides: Array<Aside> = []
  const aside = (kind: Aside["kind"], row: number, from: number, to: number) =>
    asides.push({ kind, start: { row, column: from }, end: { row, column: to } })
  let cell: string | null = null
  let at: "code" | "text" | "other program" | null = null
  const source = text.split("\n").map((raw, row) => {
    const line = raw.replace(/\r$/, "")
    cell = /^\s*"cell_type":\s*"(\w+)"/.exec(line)?.[1] ?? cell
    if (/^\s*"source":\s*\[\s*$/.test(line)) at = cell === "code" ? "code" : "text"
    else if (at !== null && /^\s*\],?\s*$/.test(line)) at = null
    else if (at !== null) {
      const [, before = "", said = ""] = /^(\s*")((?:[^"\\]|\\.)*)",?\s*$/.exec(line) ?? []
      if (at !== "code") return ""
      const end = before.length + said.replace(/(?:\\r)?\\n$/, "").length
      const made = unescaped(line.slice(before.length, end), before.length)
      // of another language, or for the notebook itself
      if (/^%%(?!time)\w/.test(made.text)) at = "other program"
      if (at !== "code" || /^\s*[%!?]/.test(made.text)) return ""
      // no string of the program says it
      aside("comment", row, 0, before.length)
      if (end < line.length) aside("comment", row, end, line.length)
      columns.set(row, made.columns)
      return made.text
    }
    if (frame.test(line)) aside("nothing", row, 0, line.length)
    return ""
  })
  if (columns.size === 0) return null
  return { as, source: source.join("\n"), asides, columns }
}

/** What every cell has. */
const frame =
  /^\s*(?:"cell_type":\s*"\w+"|"execution_count":\s*(?:null|\d+)|"id":\s*"[^"]*"|"metadata":\s*\{\s*\}|"source":\s*\[),?\s*$/

/** For every column of a row where it is in the file. */
type Columns = ReadonlyArray<number>

/** What a text in JSON says, with the place of each of its characters and of its end. */
const unescaped = (said: string, from: number): { readonly text: string; readonly columns: Columns } => {
  const columns: Array<number> = []
  const parts = said.match(/\\u[\da-fA-F]{4}|\\.|[^\\]/g) ?? []
  let at = from
  const text = parts
    .map((part) => {
      columns.push(at)
      at += part.length
      if (part.length === 1) return part
      return part[1] === "u"
        ? String.fromCharCode(Number.parseInt(part.slice(2), 16))
        : (escapes[part[1] ?? ""] ?? part[1])
    })
    .join("")
  return { text, columns: [...columns, at] }
}

const escapes: Readonly<Record<string, string>> = { n: " ", r: " ", t: "\t", b: " ", f: " " }

/** Everything at its place in the file. */
export const inCells = (outline: SourceOutline, columns: ReadonlyMap<number, Columns>): SourceOutline => {
  const moved = ({ column, row }: Position): Position => ({
    row,
    column: columns.get(row)?.[column] ?? columns.get(row)?.at(-1) ?? column
  })
  const span = <A extends Span>(one: A): A => ({ ...one, start: moved(one.start), end: moved(one.end) })
  return {
    ...outline,
    // how deep a line of a cell is does not show before its quote
    isIndented: false,
    // a cell may be written to take the place of another one
    declarations: outline.declarations.map((one) => ({ ...span(one), bodyStart: moved(one.bodyStart), hidden: null })),
    asides: outline.asides.map(span),
    strings: outline.strings.map(span),
    faults: outline.faults.map(span),
    neutralised: () => null
  }
}
