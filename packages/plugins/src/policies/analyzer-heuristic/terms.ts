import { isJapanese } from "./text.ts"

const common = new Set(
  "the and for with that this from into then first next finally also all each any its their our your are was were will should must can not has have been being when once after before does done use uses using used new add create implement write build make fix update test tests testing document docs documentation file files function functions code unit integration them these those both above part step task of to in on at by as is it be or an so if up".split(
    " "
  )
)

/** A word without its ending, so that `sessions` and `session` are the same. */
const stem = (word: string): string => {
  if (word.length <= 4) return word.replace(/(?<=[^s])s$/u, "")
  return word
    .replace(/ies$/u, "y")
    .replace(/(?:ations?|ements?|ments?|ings?|ers?|ors?|ed|es|s|e)$/u, (end) =>
      word.length - end.length >= 3 ? "" : end
    )
    .replace(/([^aeiouls])\1$/u, "$1")
}

const segmenter = new Intl.Segmenter("ja", { granularity: "word" })

/** What a text speaks about, for comparison: words without endings, identifiers as they are, and neighbours joined. */
export const termsOf = (text: string): ReadonlySet<string> => {
  const shown = text.slice(0, 1_500)
  const terms = new Set<string>()
  let before = ""
  for (const [word] of shown.matchAll(/[A-Za-z_$][\w$]*(?:[.\-/][\w$]+)*/gu)) {
    const low = word.toLowerCase()
    if (/[._/\d$-]|[a-z][A-Z]/u.test(word)) terms.add(low)
    for (const piece of low.split(/[._/$-]/u)) if (piece.length > 2 && !common.has(piece)) terms.add(stem(piece))
    if (before !== "" && !common.has(low)) terms.add(stem(before + low))
    before = low
  }
  for (const [route] of shown.matchAll(/\/[\w:{}/-]+/gu)) terms.add(route.toLowerCase())
  if (isJapanese(shown))
    for (const { isWordLike, segment } of segmenter.segment(shown))
      if (
        isWordLike === true &&
        segment.length > 1 &&
        /[\p{Script=Han}\p{Script=Katakana}]/u.test(segment) &&
        !doing.test(segment)
      )
        terms.add(segment)
  return terms
}

const doing = /^(?:実装|作成|追加|修正|削除|変更|更新|機能|処理|関数|テスト|対応|以下|上記|場合|こと|もの)$/u
