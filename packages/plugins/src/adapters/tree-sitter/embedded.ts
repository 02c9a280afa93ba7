import type { Aside, LineRange, SourceOutline, Span } from "../../port/index.ts"
import { neverShown } from "../../text/branches.ts"
import { aroundPrograms, languageOf } from "../../text/languages.ts"
import { positions, splitLines } from "../../text/lines.ts"
import { hide, type Part } from "../../text/parts.ts"
import { partsOf } from "../../text/scan.ts"
import { type Embedded, inCells, notebookIn } from "./notebooks.ts"

/** How the name of a file ends that may hold programs; null: none of them does. */
export const hostOf = (path: string): string | null =>
  /\.(?:vue|svelte|astro|html?|ipynb)$/i.exec(path)?.[0].toLowerCase() ?? null

/** What a file holds that is a page or a component with programs in them; null: it is none, or a page without one. Pure. */
export const embeddedIn = (path: string, text: string): Embedded | null => {
  const extension = hostOf(path)
  if (extension === null) return null
  if (extension === ".ipynb") return notebookIn(text)
  const isPage = extension.startsWith(".htm")
  const elements = elementsIn(text, extension === ".astro")
  const programs = elements.filter(({ kind }) => kind === "program")
  if (isPage && programs.length === 0) return null
  const { inner: source, outer } = parted(text, programs)
  const styles = elements.filter(({ kind }) => kind === "style")
  const { inner: styled, outer: around } = parted(outer, styles)
  const markup = partsOf(around, isPage ? languageOf("a.html", []) : aroundPrograms)
  const shown = hide(around, markup).text
  const comments = [...markup, ...partsOf(styled, languageOf("a.scss", []))].filter(({ kind }) => kind === "comment")
  const nothing = [
    ...neverShown(shown, (isPage ? languageOf("a.html", []) : aroundPrograms).branches ?? []),
    ...[...shown.matchAll(frames)].map(({ 0: { length }, index }) => ({ from: index, to: index + length }))
  ]
  const at = positions(text)
  const aside =
    (kind: Aside["kind"]) =>
    ({ from, to }: Pick<Part, "from" | "to">): Aside => ({ kind, start: at(from), end: at(to) })
  const attributes = programs.map((program) => program.attributes).join(" ")
  return {
    as: /\blang\s*=\s*["']?(?:tsx|jsx)\b|\btype\s*=\s*["']?text\/(?:babel|jsx)/i.test(attributes)
      ? "a.tsx"
      : extension === ".astro" || /\blang\s*=\s*["']?(?:ts|typescript)\b/i.test(attributes)
        ? "a.ts"
        : "a.js",
    source,
    asides: [...comments.map(aside("comment")), ...nothing.map(aside("nothing"))]
  }
}

/** What only begins or ends a part: closing tags, and the tags of the parts themselves. */
const frames = /<\/[\w.:-]+\s*>|<(?:template|script|style)>|^---[ \t]*\r?$/gm

interface Element extends Pick<Part, "from" | "to"> {
  readonly kind: "program" | "style"
  readonly attributes: string
}

const element = /<!--[\s\S]*?(?:-->|$)|<(script|style)((?:\s(?:"[^"]{0,2000}"|'[^']{0,2000}'|[^<>"']){0,2000})?)>/gi

/** What stands between the tags of programs and styles. */
const elementsIn = (text: string, hasFront: boolean): ReadonlyArray<Element> => {
  const front = hasFront ? /^\ufeff?\s*---[ \t]*\r?\n([\s\S]*?)^---[ \t]*$/m.exec(text) : null
  const found: Array<Element> = []
  let done = 0
  if (front !== null && front.index === 0) {
    const from = front[0].indexOf("\n") + 1
    done = from + (front[1]?.length ?? 0)
    found.push({ kind: "program", from, to: done, attributes: "" })
  }
  for (const { 0: whole, 1: name, 2: attributes = "", index } of text.matchAll(element)) {
    if (index < done || name === undefined || attributes.endsWith("/")) continue
    const from = index + whole.length
    const close = new RegExp(`</${name}\\s*>`, "gi")
    close.lastIndex = from
    const to = close.exec(text)?.index ?? text.length
    done = to
    if (name.toLowerCase() === "style") found.push({ kind: "style", from, to, attributes })
    else if (isProgram(attributes)) found.push({ kind: "program", from, to, attributes })
  }
  return found
}

/** Other types hold data or templates. */
const isProgram = (attributes: string): boolean => {
  const [, double, single, bare] = /\stype\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(attributes) ?? []
  const type = (double ?? single ?? bare ?? "").trim()
  return type === "" || /^(?:module|(?:text|application)\/(?:(?:x-)?(?:java|ecma|type)script|babel|jsx))$/i.test(type)
}

/** A text twice: what is within the parts, and what is around them. */
const parted = (
  text: string,
  parts: ReadonlyArray<Pick<Part, "from" | "to">>
): { readonly inner: string; readonly outer: string } => {
  const blanks = (from: number, to: number) => text.slice(from, to).replace(/[^\r\n]/g, " ")
  const inner: Array<string> = []
  const outer: Array<string> = []
  let done = 0
  for (const { from, to } of parts) {
    // a statement of one program does not go on in the next
    const gap = blanks(done, from)
    inner.push(done > 0 && gap.startsWith(" ") ? `;${gap.slice(1)}` : gap, text.slice(from, to))
    outer.push(text.slice(done, from), blanks(from, to))
    done = to
  }
  inner.push(blanks(done, text.length))
  outer.push(text.slice(done))
  return { inner: inner.join(""), outer: outer.join("") }
}

/** The outline of the file, of that of its program. `text`: the file. */
export const aroundProgram = (
  program: SourceOutline,
  { asides, columns, source }: Embedded,
  text: string
): SourceOutline => {
  const outline = columns === undefined ? program : inCells(program, columns)
  return {
    ...outline,
    // a name without a value may be given one by what is around: `bind:this={element}`
    asides: [...outline.asides.filter((aside) => !isBound(aside, text)), ...asides].sort(byPlace),
    neutralised: (lines) => {
      const made = outline.neutralised(lines)
      return (made === null ? null : putBack(made, source, text)) ?? withoutLines(text, lines)
    }
  }
}

const byPlace = (a: Span, b: Span): number => a.start.row - b.start.row || a.start.column - b.start.column

const isBound = ({ end, kind, start }: Aside, text: string): boolean => {
  if (kind !== "nothing" || start.row !== end.row) return false
  const line = text.split("\n", start.row + 1)[start.row] ?? ""
  const name = /^(?:let|var)\s+([\w$]+)/.exec(line.slice(start.column, end.column))?.[1]
  return name !== undefined && text.split(new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`)).length > 2
}

/** What was changed in the program, in the file; null: more than the program is where it was changed. */
const putBack = (made: string, source: string, text: string): string | null => {
  const shorter = Math.min(made.length, source.length)
  let head = 0
  while (head < shorter && made[head] === source[head]) head++
  let tail = 0
  while (tail < shorter - head && made.at(-1 - tail) === source.at(-1 - tail)) tail++
  const end = text.length - tail
  return text.slice(head, end) === source.slice(head, end)
    ? text.slice(0, head) + made.slice(head, made.length - tail) + text.slice(end)
    : null
}

const withoutLines = (text: string, { end, start }: LineRange): string =>
  splitLines(text)
    .filter((_, row) => row + 1 < start || row + 1 > end)
    .join("")
