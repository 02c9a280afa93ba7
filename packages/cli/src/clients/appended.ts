/** Lines at the end of a text file, put there and taken out again so that the same bytes are left. */

export const eolOf = (text: string): string => (/\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n")

/** As these lines are written in a file of their own. */
export const alone = (lines: ReadonlyArray<string>): string => `${lines.join("\n")}\n`

/** A file that ends without an end of line does so with them too. */
export const appended = (text: string, lines: ReadonlyArray<string>): string => {
  const eol = eolOf(text)
  const added = lines.join(eol)
  return text === "" || text.endsWith("\n") ? `${text}${eol}${added}${eol}` : `${text}${eol}${eol}${added}`
}

/** Without the lines from one offset to another, and without the empty one before them. */
export const cutOut = (text: string, start: number, end: number): string => {
  const isOpenEnd = end === text.length && !text.endsWith("\n")
  const from = withoutEmptyLine(text, start)
  return text.slice(0, isOpenEnd ? withoutEol(text, from) : from) + text.slice(end)
}

const withoutEmptyLine = (text: string, at: number): number => {
  const before = withoutEol(text, at)
  return before === 0 || text[before - 1] === "\n" ? before : at
}

const withoutEol = (text: string, at: number): number => {
  if (text[at - 1] !== "\n") return at
  return text[at - 2] === "\r" ? at - 2 : at - 1
}
