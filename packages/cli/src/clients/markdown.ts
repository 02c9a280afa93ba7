/** A block of lines between two comments in a file for people and agents. What stands between them is ours. */
import { alone, appended, cutOut } from "./appended.ts"
import { ConfigFault } from "./ConfigFault.ts"

const begin = "<!-- proofline:begin -->"
const end = "<!-- proofline:end -->"

const blockOf = (lines: ReadonlyArray<string>): ReadonlyArray<string> => [begin, ...lines, end]

export interface Block {
  readonly lines: ReadonlyArray<string>
  readonly start: number
  readonly end: number
}

/** The block of a file; null: it has none. What is shown as code is none. */
export const blockIn = (text: string): Block | null => {
  const shown = codeIn(text)
  const markers = Array.from(text.matchAll(/^\uFEFF?[ \t]*<!-- proofline:(begin|end) -->[ \t]*\r?(?:\n|$)/gm)).filter(
    ({ index }) => !shown.some((code) => index > code.start && index < code.end)
  )
  const [first, last] = markers
  if (first === undefined) return null
  if (markers.length !== 2 || first[1] !== "begin" || last?.[1] !== "end") {
    throw new ConfigFault(
      "invalid",
      `\`${begin}\` and \`${end}\` do not stand there once each, in this order`,
      (markers[2] ?? first).index
    )
  }
  const inside = text.slice(first.index + first[0].length, last.index)
  return { lines: inside.split(/\r?\n/).slice(0, -1), start: first.index, end: last.index + last[0].length }
}

/** Code between fences that are closed: one that is not goes on to the end of the file, and what stands there is looked at. */
const codeIn = (text: string): ReadonlyArray<{ readonly start: number; readonly end: number }> => {
  const code: Array<{ readonly start: number; readonly end: number }> = []
  let open: { readonly fence: string; readonly start: number } | null = null
  for (const { 0: line, 1: fence = "", 2: rest = "", index } of text.matchAll(/^ {0,3}(`{3,}|~{3,})([^\n]*)$/gm)) {
    if (open === null) open = { fence, start: index }
    else if (fence.startsWith(open.fence) && rest.trim() === "") {
      code.push({ start: open.start, end: index + line.length })
      open = null
    }
  }
  return code
}

/** The text without what is shown as code in it. */
export const withoutCode = (text: string): string => {
  let kept = ""
  let at = 0
  for (const { end, start } of codeIn(text)) {
    kept += text.slice(at, start)
    at = end
  }
  return (kept + text.slice(at)).replaceAll(/(`+)[^`]+\1/g, "")
}

export const freshBlock = (lines: ReadonlyArray<string>): string => alone(blockOf(lines))

export const withBlock = (text: string, lines: ReadonlyArray<string>): string => appended(text, blockOf(lines))

/** With these lines where others stood; the two comments stay as they are. */
export const renewedBlock = (text: string, { end, start }: Block, lines: ReadonlyArray<string>): string => {
  const inside = text.indexOf("\n", start) + 1
  const eol = text[inside - 2] === "\r" ? "\r\n" : "\n"
  // the last comment stands alone in its line
  const last = text.lastIndexOf("\n", text.lastIndexOf("<!--", end)) + 1
  return text.slice(0, inside) + lines.map((line) => line + eol).join("") + text.slice(last)
}

export const withoutBlock = (text: string, { end, start }: Block): string => cutOut(text, start, end)
