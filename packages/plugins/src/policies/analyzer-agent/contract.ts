/** Index of the text that shares most with an item. Rare words say more; among equals the first, and where nothing is shared, the last. */
export const fittingPart = (item: string, texts: ReadonlyArray<string>): number =>
  nearestPart(item, texts) ?? texts.length - 1

/** The same; null: nothing is shared. */
export const nearestPart = (item: string, texts: ReadonlyArray<string>): number | null => {
  const words = wordsOf(item)
  const known = texts.map(wordsOf)
  let best: number | null = null
  let most = 0
  for (const [index, has] of known.entries()) {
    let shared = 0
    for (const word of words) if (has.has(word)) shared += 1 / known.filter((other) => other.has(word)).length
    if (shared > most + rounding) {
      best = index
      most = shared
    }
  }
  return best
}

const rounding = 1e-9

/** Words in lower case, with those inside names; pairs of characters where words are not set apart. */
const wordsOf = (text: string): ReadonlySet<string> => {
  const words = new Set<string>()
  let before = ""
  for (const [run] of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (unspaced.test(run)) {
      for (let at = 0; at + 1 < run.length; at++) words.add(run.slice(at, at + 2))
      continue
    }
    for (const word of [run, ...run.split(/(?<=\p{Ll})(?=\p{Lu})/u)]) {
      const lower = word.toLowerCase()
      if (lower.length > 2 && !common.has(lower)) words.add(lower)
    }
    // `log out` is `logout`
    if (before !== "") words.add(before + run.toLowerCase())
    before = run.toLowerCase()
  }
  return words
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

const common = new Set(
  "the and for with from into that this are was its all any has have must can not but one when then than each every should will".split(
    " "
  )
)
