import type { SplitFinding } from "@proofline/kernel"
import { type Needs, reaches, wordsOf } from "./order.ts"
import { askedFor, type Part } from "./parts.ts"
import { filesIn, isJapanese, oneLine } from "./text.ts"

/** What must be true when a part is done; each can be checked by itself. */
export const acceptance = (part: Part): ReadonlyArray<string> => criteria(part, (one) => [criterionOf(one)])

/** What of that the task says itself. */
export const stated = (part: Part): ReadonlyArray<string> => criteria(part, () => [])

const criteria = (part: Part, ofPart: (part: Part) => ReadonlyArray<string>): ReadonlyArray<string> => {
  const own = part.inner.length > 0 ? part.inner.flatMap((inner) => criteria(inner, ofPart)) : ofPart(part)
  return [...new Set([...own, ...part.points].map(oneLine).filter((text) => text !== ""))]
}

const english = { answer: "The answer is there", tests: "The tests exist and pass", exists: "exists", done: "Done" }
const japanese = { answer: "回答がある", tests: "テストが存在し、成功する", exists: "が存在する", done: "完了している" }
const tests = /^(?:\S+\s+){0,3}tests?\b|テスト(?:コード|ケース)?$/iu
const writes = /^(?:write|add|create|implement|extend|書く|追加する|作成する|実装する|作る)$/u

const criterionOf = (part: Part): string => {
  const { grade, lead, object, verb } = part
  const said = askedFor(part)
  const words = isJapanese(said) ? japanese : english
  const [line = ""] = said.split("\n")
  if (grade === "inform") return `${words.answer}: ${line}`
  if (lead === "" && tests.test(object.text) && writes.test(verb)) return `${words.tests}: ${object.text}`
  // `Add a header to the following files:` makes none of them
  const isFile = grade === "make" && lead === "" && filesIn(object.text)[0] === object.text.replaceAll("`", "")
  return isFile ? `\`${filesIn(object.text)[0]}\` ${words.exists}` : `${words.done}: ${line}`
}

/** Whether a part asks for no more than information. */
export const onlyInforms = (part: Part): boolean =>
  part.grade === "inform" &&
  !/(?:\b(?:in|into|to|as)|write\b.*)\s+`?[\w./-]+\.\w{1,8}\b|\.(?:md|txt|rst|csv|json)`?\s*に/iu.test(
    wordsOf(part).replace(/^[^:\n]*?\b(?:in|into|to)\s+[\w./-]+\.\w{1,8}(?=\s+(?:is|for)\b)/iu, "")
  )

/** Source of the figure: task chunking §2.2. */
const largeScope = 5
/** Words that name a count of that size. */
const counts =
  /(?<![\p{L}\p{N}.])(?:[5-9]|\d{2,3}|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|a dozen) (?:[\p{L}-]+ ){0,3}?(?:functions?|endpoints?|components?|pages|screens|modules|services|methods|classes|routes|commands|features|files|tables|models|forms|views|hooks|scripts)(?![\p{L}\p{N}])|(?:(?<![0-9０-９.])(?:[5-9５-９]|[0-9０-９]{2,3})|[五六七八九十])\s*(?:つ|個|種類|件|本)?の?(?:関数|機能|エンドポイント|コンポーネント|画面|ページ|モジュール|サービス|メソッド|クラス|コマンド|ファイル|テーブル|モデル|API)/giu

/** The four criteria, each with the words that led there. */
export const findings = (prompt: string, shown: string, parts: ReadonlyArray<Part>, needs: Needs) => {
  const files = [...new Set(parts.flatMap((part) => filesIn(wordsOf(part))))]
  const free = parts.filter((_, i) =>
    parts.some((__, other) => i !== other && !reaches(needs, i, other) && !reaches(needs, other, i))
  )
  const listed = parts.filter((part) => part.listed)
  const enumerated = listed.length > 1 ? listed : free.length < 2 ? parts : []
  const counted = [...shown.matchAll(counts)].map(([found]) => found)
  const finding = (criterion: SplitFinding["criterion"], found: ReadonlyArray<string>): SplitFinding => {
    const words = parts.length > 1 || criterion === "large_scope" ? foundIn(prompt, found) : []
    return { criterion, met: words.length > 0, words }
  }
  const owns = (some: ReadonlyArray<Part>) => some.map(({ own }) => own)
  return [
    finding("multiple_files", files.length > 1 ? files : []),
    finding("independent_parts", owns(free)),
    finding("explicit_enumeration", enumerated.length > 1 ? owns(enumerated) : []),
    finding("large_scope", [...counted, ...(parts.length >= largeScope ? owns(parts) : [])])
  ]
}

/** Words as the prompt has them, one line of each. */
const foundIn = (prompt: string, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const lines = words.map((word) => [...(word.split("\n", 1)[0] ?? "")].slice(0, 120).join("").trim())
  return [...new Set(lines)].filter((line) => line !== "" && prompt.includes(line)).slice(0, 50)
}
