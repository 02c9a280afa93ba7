/** The lines of a text with their line ends (LF or CRLF). A final line end does not begin another line. */
export const splitLines = (text: string): ReadonlyArray<string> => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** A line without its line end. */
export const withoutEnd = (line: string): string => line.replace(/\r?\n$/, "")

/** Where the lines of a text begin. */
export const lineStarts = (text: string): ReadonlyArray<number> => {
  const starts = [0]
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return starts
}

/** The row, from 0, that an offset stands in. */
export const rowAt = (starts: ReadonlyArray<number>, offset: number): number => {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return Math.max(0, low)
}

/** Tells row and column of offsets. */
export const positions = (text: string): ((offset: number) => { readonly row: number; readonly column: number }) => {
  const starts = lineStarts(text)
  return (offset) => {
    const row = rowAt(starts, offset)
    return { row, column: offset - (starts[row] ?? 0) }
  }
}
