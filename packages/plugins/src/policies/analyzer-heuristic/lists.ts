import type { Entry } from "./blocks.ts"
import { fieldNoun, whole as japaneseWhole, kind, smallWhole } from "./japanese-words.ts"
import { asks, type Source } from "./read.ts"
import { isDemand, labelOf, type Role, roleOf } from "./roles.ts"
import type { Grade, Sentence } from "./shapes.ts"
import { isJapanese, oneLine } from "./text.ts"
import { artefacts, fieldNouns, smallWholes, wholes } from "./words.ts"

interface SentenceUnit {
  readonly kind: "sentence"
  readonly sentence: Sentence
  readonly announces: boolean
}

interface ListUnit {
  readonly kind: "list"
  readonly entries: ReadonlyArray<Entry>
  readonly role: Role
  readonly label: string
  readonly inline: boolean
}

interface Surroundings {
  readonly role: Role
  readonly title: string
  /** The prompt asks for a whole of parts: an application, a module. */
  readonly whole: boolean
}

/** What the points of a list are: parts, limits, more about what was said before, sentences, or nothing of interest. */
type ListKind = "work" | "limit" | "points" | "prose" | "none"

/** Points that are requests, by themselves or by the points below them. */
const requests = (
  source: Source,
  entries: ReadonlyArray<Entry>
): { readonly strong: number; readonly any: number; readonly made: number; readonly limits: number } => {
  const grades = entries.map((entry) => {
    const own = asks(source, entry.text)
    if (own !== null || entry.children.length === 0) return own
    const below = entry.children.map((child) => asks(source, child.text))
    return below.filter((grade) => grade !== null && grade !== "limit" && grade !== "minor").length * 2 > below.length
      ? "change"
      : null
  })
  const count = (is: (grade: Grade | "limit" | null) => boolean) => grades.filter(is).length
  return {
    strong: count((grade) => grade === "make" || grade === "change" || grade === "inform"),
    any: count((grade) => grade !== null && grade !== "limit"),
    made: count((grade) => grade === "make" || grade === "change"),
    limits: count((grade) => grade === "limit")
  }
}

/** Decides by the words above a list, then by the words in it. */
export const kindOfList = (
  source: Source,
  units: ReadonlyArray<SentenceUnit | ListUnit | { readonly kind: "limit" }>,
  at: number,
  { role, title, whole }: Surroundings
): ListKind => {
  const list = units[at]
  if (list?.kind !== "list") return "none"
  const before = units[at - 1]
  const lead = before?.kind === "sentence" ? before : null
  const open = list.entries.filter(({ done }) => !done)
  const { any, limits, made, strong } = requests(source, open)
  const words = lead === null ? "" : oneLine(source.text.slice(lead.sentence.own.start, lead.sentence.own.end))
  const label = list.label !== "" ? list.label : lead === null ? title : words
  const found = list.role ?? (lead === null ? role : endRole(words))
  if (found === "info" || role === "info") return "none"
  if (found === "limit" || (role === "limit" && found !== "work"))
    return isDemand(label === "" ? title : label) && made * 2 > open.length && made >= 2 ? "work" : "limit"
  if (open.length > 0 && limits * 2 > open.length) return "limit"
  if (open.length < 2) return open.length === list.entries.length ? "prose" : open.length === 1 ? "prose" : "none"
  const mostly = strong * 2 > open.length || (any * 2 > open.length && strong * 3 >= open.length)
  if (found === "work" || closingVerb(source, units, at) !== null) return "work"
  if (lead === null) return mostly ? "work" : "none"
  // a sentence that announces nothing says nothing about requests below it
  if (
    !lead.announces &&
    !announcing.test(words) &&
    strong * 2 > open.length &&
    made >= 2 &&
    standsAlone(lead.sentence, open[0]?.number !== null || units[at - 2] !== undefined)
  )
    return "work"
  const leading = leadKind(source, lead, words, whole, open.length)
  if (leading === "none") return "none"
  if (leading === "work") return "work"
  if (leading === "limit") return "limit"
  const owned = !lead.announces && strong * 2 <= open.length && makesOne(lead.sentence)
  return mostly && leading !== "behaviour" && !owned
    ? "work"
    : leading === "other"
      ? list.inline && any < 2
        ? "none"
        : "points"
      : "points"
}

/** The role of the last words before a colon: `with these constraints:`. */
const endRole = (words: string): Role => {
  if (!/[:：]$/u.test(words)) return null
  const label = labelOf(words.replace(/[:：]$/u, ""))
  const whole = roleOf(label)
  if (whole !== null) return whole
  const last = label.split(" ").at(-1) ?? ""
  if (/^(?:constraints|requirements|rules|conditions|guidelines|restrictions|conventions|criteria|notes?)$/i.test(last))
    return "limit"
  return /^(?:example|error|errors|output|logs?|reproduce|tried|input|response|trace)$/i.test(last) ? "info" : null
}

const narrated =
  /\b(?:I|we)(?:'ve| have)? (?:tried|did|have done|noticed|saw|see|get|got|found)\b|\b(?:tried|happens|for example|e\.g\.|such as|reproduce|already)\b|試しました|試したところ|例えば|たとえば|すでに|既に/iu
const announcing = /\b(?:following|these|below|next)\b|以下|次の|下記|次を/iu
const asked = /[?？]\s*[:：]?$/u

const leadKind = (
  { masked, text }: Source,
  { announces, sentence }: SentenceUnit,
  words: string,
  whole: boolean,
  size: number
): "work" | "none" | "limit" | "behaviour" | "other" => {
  const shown = oneLine(masked.slice(sentence.own.start, sentence.own.end)).replace(/[:：。.]$/u, "")
  if (sentence.kind === "limit") return "limit"
  if (narrated.test(words)) return "none"
  if (asked.test(words) && sentence.kind !== "work") return "none"
  const japanese = isJapanese(words)
  const nouns = shown.toLowerCase().split(/[\s,]+/u)
  const last = nouns.at(-1) ?? ""
  if (fieldNouns.has(last) || (japanese && fieldNoun.test(shown.replace(/(?:は|を|の)?(?:以下|次|下記).*$/u, ""))))
    return "behaviour"
  if (/^(?:that|which|should|must|can|will|to|when|if|where|takes|accepts|returns|shows|contains)$/.test(last))
    return nouns.some((word) => wholes.has(word)) && whole ? "work" : "behaviour"
  if (sentence.kind === "work") {
    const clause = sentence.clauses.at(-1)
    if (clause === undefined) return "other"
    if (clause.grade === "minor") return "behaviour"
    const object = oneLine(text.slice(clause.object.start, clause.object.end))
    const bare = object === "" || /^[:：]/u.test(object)
    if (bare || announcing.test(words))
      return clause.grade === "inform" && /\bquestions?\b|質問/iu.test(words) ? "none" : "work"
    if (!announces) return clause.whole && clause.grade === "make" ? "work" : "other"
    if (clause.whole) return "work"
    const noun =
      object
        .toLowerCase()
        .replace(/\s*[:：]$/u, "")
        .split(/\s+/u)
        .filter((word) => !/^(?:with|including|for)$/.test(word))
        .at(-1) ?? ""
    if (wholes.has(noun) || (artefacts.has(noun) && noun.endsWith("s"))) return "work"
    if (smallWholes.has(noun) || (japanese && smallWhole.test(object))) return size >= 5 ? "work" : "other"
    return "other"
  }
  if (japanese) {
    const topic = shown
      .replace(/^.*?(?:以下|次|下記)の(?=.)(?!とおり|通り)([^はがを]+)[はがを].*$/u, "$1")
      .replace(/(?:は|が|を)?、?(?:以下|次|下記).*$/u, "")
    const listed = announcing.test(words) || announces
    return listed && (kind.test(topic) || japaneseWhole.test(topic)) && whole ? "work" : "other"
  }
  if (!announces) return "other"
  if (/\b(?:I|we)(?:'d)?(?: would)? (?:need|want|like|require)\b/iu.test(words)) return "work"
  const short =
    nouns.length <= 6 &&
    !nouns.some((word) => /^(?:is|are|was|were|has|have|had|does|do|did|i|we|it|they|currently)$/.test(word))
  return short && nouns.some((word) => artefacts.has(word) && word.endsWith("s")) ? "work" : "other"
}

/** A limit, or how something is to behave: no words for what is listed. */
const standsAlone = ({ clauses, kind: said }: Sentence, apart: boolean): boolean =>
  said === "limit" || (apart && said === "work" && clauses.every(({ grade }) => grade === "minor"))

/** It asks for one thing, which points that say how it behaves do not make: `Add a page.` */
const makesOne = ({ clauses }: Sentence): boolean => {
  const clause = clauses.at(-1)
  return clause?.grade === "make" && !clause.whole && !clause.refers
}

const everyPoint =
  /^(?:(?:both|all|each|every one)\b)?(?:\s*of\b)?\s*(?:(?:the|these|those|them)\b)?\s*(?:(?:\d{1,2}|two|three|four|five|six|seven|eight|nine|ten)\b)?\s*(?:above\b)?\s*(?:(\p{L}+)\b)?(?:\s+(?:listed\s+)?above)?(?:\s+(?:in|under|with|using|for|as|by|to|on)\s.{1,80})?$/iu
const everyPointJapanese =
  /^(?:これら|それら|上記|以上|両方)?の?(?:[0-9０-９一二三四五六七八九十]{1,2}(?:つ|個|点|件|項目|種類))?の?(?:すべて|全て|全部|両方)?の?(?:機能|画面|ページ|項目|API|関数|コンポーネント|タスク|作業|内容|点)?(?:すべて|全て|全部)?$/u

/** `both`, `these three features`, nothing before `を実装する`. */
const isEveryPoint = (object: string): boolean => {
  if (object === "" || isJapanese(object)) return everyPointJapanese.test(object)
  const found = everyPoint.exec(object)
  return found !== null && (found[1] === undefined || (artefacts.has(found[1].toLowerCase()) && /s$/iu.test(found[1])))
}

/** The request after a list that is about all its points: `Please fix both.` Null: none. */
export const closingVerb = (
  { text }: Source,
  units: ReadonlyArray<SentenceUnit | ListUnit | { readonly kind: "limit" }>,
  at: number
): Sentence | null => {
  const after = units[at + 1]
  if (after?.kind !== "sentence") return null
  const [clause] = after.sentence.clauses
  if (clause === undefined || clause.grade === "minor" || clause.marker !== null) return null
  const object = text.slice(clause.object.start, clause.object.end)
  const bare = oneLine(object)
  if (bare === "" && !/^\s*を/u.test(text.slice(clause.own.start, clause.own.end))) return null
  return isEveryPoint(bare) &&
    !/^(?:test|document|integrate|combine|connect|review|deploy|テスト|統合|文書化|ドキュメント化)/u.test(clause.verb)
    ? after.sentence
    : null
}

/** The verb that a sentence gives to the points below it, from its last request or the one at `at`; null: none. */
export const leadVerb = (
  { text }: Source,
  lead: Sentence | null,
  at = -1
): { readonly word: string; readonly said: string; readonly grade: Grade } | null => {
  const clause = lead?.clauses.at(at)
  if (clause === undefined || clause.verb === "" || clause.grade === "minor") return null
  const said = oneLine(text.slice(clause.own.start, clause.object.start))
  return {
    word: clause.verb,
    said: said === "" ? clause.verb : said.charAt(0).toUpperCase() + said.slice(1),
    grade: clause.grade
  }
}
