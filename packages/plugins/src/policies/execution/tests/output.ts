import type { Output } from "./model.ts"

const begin = String.fromCharCode(27)
const bell = String.fromCharCode(7)

/** Sequences for colours, for the cursor and for links. */
const sequences = new RegExp(
  `${begin}(?:\\[[0-9;:?]*[ -/]*[@-~]|\\][^${bell}${begin}]*(?:${bell}|${begin}\\\\)?|[@-Z\\\\^_])`,
  "g"
)

const longest = 4_000

export const plain = (text: string): string =>
  (text.includes(begin) ? text.replace(sequences, "") : text).replaceAll("\r\n", "\n")

/** What a plain text says in lines; of one that was written over, what was written last. */
export const outputOf = (text: string): Output => ({
  text,
  lines: text.split("\n").map((line) => {
    const shown = line.includes("\r") ? line.trimEnd().slice(line.trimEnd().lastIndexOf("\r") + 1) : line
    return shown.length > longest ? "" : shown.trimEnd()
  })
})
