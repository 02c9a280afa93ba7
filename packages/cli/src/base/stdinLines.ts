/** Characters of a line that are kept; the rest of a longer one is dropped, so that an endless line costs no memory. */
const maxLine = 65_536

/** Of an input that is taken as a whole: more than anybody writes by hand, such as the last message of an agent. */
const maxWhole = 16 * 1024 * 1024

/** There is more of an input than is taken. */
export class InputTooLarge extends Error {
  override readonly message = `it is longer than ${maxWhole} bytes`
}

/** All bytes of a stream, however slowly they come. Throws where there are too many. */
export const wholeOf = async (input: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of input) {
    bytes += chunk.length
    if (bytes > maxWhole) throw new InputTooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * The lines of a stream as they come, those of one chunk together, without their ends (LF or CRLF). A final line end
 * begins no other line, a byte order mark at the start is dropped.
 */
export async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<ReadonlyArray<string>> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of input) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = (lines.pop() ?? "").slice(0, maxLine)
    if (lines.length > 0) yield lines.map(lineOf)
  }
  rest += decoder.decode()
  if (rest !== "") yield [lineOf(rest)]
}

const lineOf = (text: string): string => (text.endsWith("\r") ? text.slice(0, -1) : text).slice(0, maxLine)
