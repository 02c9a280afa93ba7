/** Numbers of lines, from 1, by offsets. */
export const lineStarts = (text: string): ReadonlyArray<number> => {
  const starts = [0]
  for (let i = text.indexOf("\n"); i !== -1; i = text.indexOf("\n", i + 1)) starts.push(i + 1)
  return starts
}

export const lineAt = (starts: ReadonlyArray<number>, offset: number): number => {
  let low = 0
  let high = starts.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle
  }
  return low + 1
}

/** The bracket that closes the one at `at`, in text without strings and comments; null when there is none. */
export const closing = (code: string, at: number): number | null => {
  const stack: Array<string> = []
  for (let i = at; i < code.length; i++) {
    const char = code[i] ?? ""
    const pair = "([{".indexOf(char)
    if (pair !== -1) stack.push(")]}"[pair] ?? "")
    else if (")]}".includes(char)) {
      if (stack.pop() !== char) return null
      if (stack.length === 0) return i
    }
  }
  return null
}

export const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? ""
