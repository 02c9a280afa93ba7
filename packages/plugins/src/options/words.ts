/** How findings speak. */

const maxQuoted = 60

export const shortened = (text: string): string => {
  const characters = Array.from(text.slice(0, 2 * maxQuoted))
  const isLong = characters.length > maxQuoted || text.length > 2 * maxQuoted
  return isLong ? `${characters.slice(0, maxQuoted).join("")}…` : text
}

/** Text from a file as part of a sentence: quoted, shortened, and without control characters. */
export const quoted = (text: string): string => JSON.stringify(shortened(text))

/** The path of a key, e.g. `chunking.retry`; the path of the file itself is empty. */
export const pathTo = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`)

/** A sentence begins with a capital letter, unless it begins with something quoted. */
export const capital = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1)

/** `a`, `b` and `c` */
export const enumerate = (names: ReadonlyArray<string>, conjunction: "and" | "or" = "and"): string => {
  const marked = names.map((name) => `\`${name}\``)
  const last = marked.at(-1) ?? ""
  return marked.length < 2 ? last : `${marked.slice(0, -1).join(", ")} ${conjunction} ${last}`
}

/** Candidates looked at for a suggestion. */
const maxCandidates = 2_000
/** Longer words are not compared: nobody mistypes one letter of such a word and needs help to see it. */
const maxWord = 100

const plain = (word: string): string => word.toLowerCase().replaceAll(/[\s_.-]/g, "")

/** Edits (insert, delete, replace, swap of neighbours) from `a` to `b`; more than `limit` when there are more. */
const editsBetween = (a: string, b: string, limit: number): number => {
  const far = limit + 1
  if (Math.abs(a.length - b.length) > limit) return far
  let before: Array<number> = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    // beyond `limit` off the diagonal nothing can come out near enough
    const from = Math.max(1, i - limit)
    const to = Math.min(b.length, i + limit)
    const next = new Array<number>(b.length + 1).fill(far)
    if (i <= limit) next[0] = i
    let least = next[0] ?? far
    for (let j = from; j <= to; j += 1) {
      const same = a[i - 1] === b[j - 1]
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const edits = Math.min(
        (row[j] ?? far) + 1,
        (next[j - 1] ?? far) + 1,
        (row[j - 1] ?? far) + (same ? 0 : 1),
        swapped ? (before[j - 2] ?? far) + 1 : far
      )
      next[j] = edits
      least = Math.min(least, edits)
    }
    if (least > limit) return far
    before = row
    row = next
  }
  return row[b.length] ?? far
}

/** What the library says was expected, in words of people. */
export const plainlyExpected = (message: string): string =>
  message.replace("a string representing a finite number", "a number")

/** The candidate that was probably meant; undefined when none is near enough to be worth saying. */
export const closest = (word: string, candidates: Iterable<string>): string | undefined => {
  const target = plain(word)
  if (target === "" || target.length > maxWord) return undefined
  const limit = target.length < 4 ? 1 : target.length < 8 ? 2 : 3
  let best: { readonly name: string; readonly edits: number } | undefined
  let looked = 0
  for (const name of candidates) {
    looked += 1
    if (looked > maxCandidates) break
    const edits = editsBetween(target, plain(name), limit)
    if (edits > limit || edits >= Math.max(target.length, 1)) continue
    if (best === undefined || edits < best.edits) best = { name, edits }
  }
  return best?.name
}
