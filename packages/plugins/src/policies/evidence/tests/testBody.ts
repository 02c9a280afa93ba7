import type { Plain } from "../code/plain.ts"

/** A statement directly in a body, with all that it holds. Offsets in the plain text. */
export interface Statement {
  readonly code: string
  readonly from: number
  readonly to: number
}

/**
 * The statements of a body, without those in their blocks. A statement ends with `;`, or with its line: where no bracket
 * is open and the next line is not deeper and does not go on with it.
 */
export const statementsOf = (
  { closers, code }: Plain,
  body: { readonly from: number; readonly to: number },
  language: string
): ReadonlyArray<Statement> => {
  const isBlock = code.charAt(body.from) === "{" && (closers[body.from] ?? 0) > body.from
  const [start, end] = isBlock ? [body.from + 1, Math.min(closers[body.from] ?? 0, body.to)] : [body.from, body.to]
  const found: Array<Statement> = []
  // a block of Ruby
  let from = start + (/^do\b(?:[ \t]*\|[^|\n]*\|)?/.exec(code.slice(start, start + 200))?.[0].length ?? 0)
  const close = (to: number) => {
    const text = code.slice(from, to)
    const said = text.trim()
    if (said !== "") {
      const lead = text.length - text.trimStart().length
      found.push({ code: said, from: from + lead, to: from + lead + said.length })
    }
    from = to
  }
  for (let at = from; at < end; at++) {
    const inner = closers[at] ?? 0
    if (inner > at && inner <= end) at = inner
    else if (code.charAt(at) === ";" && language !== "bash") {
      close(at)
      from = at + 1
    } else if (code.charAt(at) === "\n" && endsHere(code, from, at, end)) close(at)
  }
  close(end)
  return found
}

const endsHere = (code: string, from: number, at: number, end: number): boolean => {
  const said = code.slice(from, at)
  if (said.trim() === "") return false
  const following = /^\s*\n([ \t]*)(\S{0,4})/.exec(code.slice(at, Math.min(end, at + 2_000)))
  if (following === null) return true
  const [, indent = "", word = ""] = following
  if (/^(?:\.(?!\.)|\?\.|&&|\|\||[)\]}])/.test(word)) return false
  const first = said.length - said.trimStart().length
  const lineStart = code.lastIndexOf("\n", from + first) + 1
  return widthOf(indent) <= widthOf(/^[ \t]*/.exec(code.slice(lineStart, lineStart + 400))?.[0] ?? "")
}

const widthOf = (indent: string): number => indent.replaceAll("\t", "        ").length
