/*
 * Fenced blocks as in CommonMark: a fence is at least three ` or ~ at the start of a line, after at most three blanks.
 * It is closed by a line of the same character, at least as many and nothing else, so a longer fence contains shorter
 * ones. What follows an opening fence is its info string; after backticks it has no backtick.
 */
const OPENING = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/
const CLOSING = /^ {0,3}(`{3,}|~{3,})[ \t]*$/

interface Fence {
  readonly indent: number
  readonly mark: string
  readonly lines: Array<string>
}

const opened = (line: string): Fence | null => {
  const match = OPENING.exec(line)
  return match === null ? null : { indent: match[1]?.length ?? 0, mark: match[2] ?? "", lines: [] }
}

const closes = (fence: Fence, line: string): boolean => CLOSING.exec(line)?.[1]?.startsWith(fence.mark) ?? false

/** Takes away as many leading blanks as the fence has. */
const dedented = (fence: Fence, line: string): string => {
  const blanks = line.length - line.trimStart().length
  return line.slice(Math.min(fence.indent, blanks))
}

const content = (fence: Fence): string => fence.lines.join("\n")

/**
 * The content of the last fenced block, without its fences; null when there is none. A last block that is never closed
 * counts only when no block is: whoever closed one block has shown the whole of it, and the open one may be cut off.
 */
export const lastFencedBlock = (text: string): string | null => {
  let closed: Fence | null = null
  let open: Fence | null = null
  for (const line of text.split(/\r?\n/)) {
    if (open === null) open = opened(line)
    else if (closes(open, line)) {
      closed = open
      open = null
    } else open.lines.push(dedented(open, line))
  }
  const block = closed ?? open
  return block === null ? null : content(block)
}

const isBlank = (text: string): boolean => text.trim() === ""

const beginsFenced = (text: string): boolean => opened(text.trimStart().split("\n", 1)[0] ?? "") !== null

/**
 * The answer by the contract: the report file, else the last fenced block. Blank text is no answer. A report file that
 * begins with a fence is read like that text: no format that is asked for begins so.
 */
export const answerOf = (report: string | null, text: string): string | null => {
  const isReported = report !== null && !isBlank(report)
  if (isReported && !beginsFenced(report)) return report
  const block = lastFencedBlock(isReported ? report : text)
  return block === null || isBlank(block) ? null : block
}
