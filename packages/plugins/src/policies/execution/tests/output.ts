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

/** Tools that run the tests of several packages at once say before each line which it is of: turbo, pnpm, yarn. */
const ofPackage = /^(?:(?:@[\w.-]+\/)?[\w.-]+:[a-z][\w:-]*|[\w./@-]+ test(?::[\w-]+)*|\[[@\w./-]+\]):(?: |$)/m

/** Fewer lines are of something that only looks like it. */
const fewest = 3

/** What each package printed, and what stands before no line of one; the text alone where there are none. */
export const byPackage = (text: string): ReadonlyArray<string> => {
  if (/^\s*[<{]/.test(text) || !ofPackage.test(text)) return [text]
  const lines = text.split("\n").map((line) => ({ line, before: ofPackage.exec(line)?.[0] ?? "" }))
  const count = new Map<string, number>()
  for (const { before } of lines) count.set(before.trim(), (count.get(before.trim()) ?? 0) + 1)
  const found = new Map<string, Array<string>>()
  for (const { before, line } of lines) {
    const isOfPackage = (count.get(before.trim()) ?? 0) >= fewest
    const key = isOfPackage ? before.trim() : ""
    const list = found.get(key)
    const own = isOfPackage ? line.slice(before.length) : line
    if (list === undefined) found.set(key, [own])
    else list.push(own)
  }
  return [...found.values()].map((lines) => lines.join("\n"))
}
