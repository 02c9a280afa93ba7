/** Of one line, in characters; the rest of a longer one is not looked at. */
const MAX_LINE = 16 * 1024 * 1024

/** The lines of a stream that comes in chunks. What is left at the end without a line end is no line. */
export const makeLines = (onLine: (line: string) => void): ((chunk: Uint8Array) => void) => {
  const decoder = new TextDecoder()
  let begun: Array<string> = []
  let length = 0
  const add = (text: string): void => {
    if (length + text.length > MAX_LINE) begun = []
    else begun.push(text)
    length += text.length
  }
  return (chunk) => {
    const [first = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n")
    add(first)
    for (const next of others) {
      if (length <= MAX_LINE) onLine(begun.join(""))
      begun = []
      length = 0
      add(next)
    }
  }
}
