import { StringDecoder } from "node:string_decoder"

const maxLines = 100
/** Characters: a longer line is looked at and kept as far as that. */
const maxLine = 1_000

export interface KeptLines {
  readonly push: (chunk: Uint8Array) => void
  /** The lines that were to be kept, at most a hundred. */
  readonly lines: () => ReadonlyArray<string>
}

/** Finds lines in what is printed, as it comes, behind the first `from` bytes: those before are kept anyway. */
export const keptLines = (keeps: (line: string) => boolean, from: number): KeptLines => {
  const decoder = new StringDecoder("utf8")
  const found: Array<string> = []
  let passed = 0
  let rest = ""
  const look = (line: string): void => {
    if (found.length < maxLines && keeps(line)) found.push(line)
  }
  return {
    push: (chunk) => {
      const skipped = Math.max(0, from - passed)
      passed += chunk.length
      if (chunk.length <= skipped || found.length >= maxLines) return
      const lines = decoder.write(Buffer.from(chunk.subarray(skipped))).split("\n")
      lines[0] = `${rest}${lines[0]}`
      rest = (lines.pop() ?? "").slice(0, maxLine)
      for (const line of lines) look(line.slice(0, maxLine))
    },
    lines: () => {
      if (rest !== "") look(rest)
      rest = ""
      return found
    }
  }
}
