import { filesIn } from "@proofline/kernel"
import { escaped } from "../../text/escaped.ts"
import { labelOf } from "./labels.ts"
import { digits } from "./marks.ts"
import type { Part } from "./parts.ts"
import { isJapanese } from "./text.ts"

/** By part: the parts it needs, by index. */
export type Needs = ReadonlyArray<ReadonlySet<number>>
/** `need` adds nothing where one part waits for the other already. */
type Rule = (parts: ReadonlyArray<Part>, texts: ReadonlyArray<string>, need: Need) => void
type Need = (later: number, earlier: number) => void

/** All words that belong to a part. */
export const wordsOf = ({ details, say, under }: Part): string => [under, say, ...details].filter(Boolean).join("\n")

/** Which parts need which, where the words say so. There is no circle. */
export const dependenciesOf = (parts: ReadonlyArray<Part>): Needs => {
  const needs = parts.map(() => new Set<number>())
  const texts = parts.map((part) => wordsOf(part).slice(0, 3_000))
  const need = (later: number, earlier: number) => {
    const isKnown = reaches(needs, earlier, later) || reaches(needs, later, earlier)
    if (!isKnown && needs[earlier] !== undefined) needs[later]?.add(earlier)
  }
  for (const rule of [reversals, numbers, stages, names, references]) rule(parts, texts, need)
  return needs
}

/** Whether one part needs another, directly or through others. */
export const reaches = (needs: Needs, from: number, to: number): boolean => {
  const seen = new Set([from])
  for (const at of seen) for (const next of needs[at] ?? []) seen.add(next)
  return seen.has(to)
}

/** The parts before one, in order. */
const earlier = (i: number): ReadonlyArray<number> => [...Array(Math.max(0, i)).keys()]

/** What stands just before a part: all of it, where it is enumerated. */
const justBefore = (parts: ReadonlyArray<Part>, i: number): ReadonlyArray<number> => {
  let first = i - 1
  while (parts[first]?.joined === true) first--
  return earlier(i).slice(Math.max(0, first))
}

/** `…, but before that, …`: what was said just before waits. */
const reversals: Rule = (parts, _, need) => {
  for (const [i, { marker }] of parts.entries())
    if (marker === "earlier") for (const one of justBefore(parts, i)) need(one, i)
}

const numbered =
  /(?<![\p{L}\p{N}])(before\s+)?(?:(?:steps?|tasks?|parts?|items?|points?|phases?)\s*#?|(?<=(?:after|depends on|depending on|needs|requires|before)\s)#?|手順|ステップ|タスク|項目|フェーズ|パート)\s*([0-9０-９]{1,2})(?![\p{L}\p{N}%.]*\p{N})(?!\s*(?:hours?|minutes?|seconds?|days?|ms|s|px|times|attempts|retries|items|users|characters)\b)(?:\s*(-|–|〜|~|to|through|and|,|&|と|、)\s*(?:step\s*)?#?([0-9０-９]{1,2})(?!\d|\.\d))?(の前)?/giu
const japaneseNumbered =
  /(?<![\d.０-９])([0-9０-９]{1,2})(?:番目?|つ目)?(?:で|の)(?:作|定義|実装|追加|生成|用意|結果|設計|モデル|関数|クラス|API|型|スキーマ|完了|後)|([①-⑳])(?=[のでをとに])/gu

/** `the interface from step 1`, `after 2`, `1で作った`. */
const numbers: Rule = (parts, texts, need) => {
  const isCounted = parts.some(({ number }) => number !== null)
  const indexOf = (number: number, from: number): number => {
    const near = parts.findIndex((part) => part.number === number && part.group === parts[from]?.group)
    if (near >= 0) return near
    return isCounted ? parts.findIndex((part) => part.number === number) : number - 1
  }
  for (const [i, text] of texts.entries()) {
    for (const [, before, one = "", joint = "", other = one, ahead] of text.matchAll(numbered)) {
      const [first, last] = [digits(one), digits(other)]
      const between = /^(?:-|–|〜|~|to|through)$/iu.test(joint) ? earlier(Math.min(last - first, 30)) : []
      for (const number of [...between.map((more) => first + more), first, last])
        if (before !== undefined || ahead !== undefined) need(indexOf(number, i), i)
        else need(i, indexOf(number, i))
    }
    for (const [, number, circled] of text.matchAll(japaneseNumbered)) need(i, indexOf(digits(number ?? circled), i))
  }
}

/** Order words, and the steps of a list. */
const stages: Rule = (parts, _, need) => {
  let before: ReadonlyArray<number> = []
  let stage: Array<number> = []
  for (const [i, { group, joined, marker, step }] of parts.entries()) {
    const previous = parts[i - 1]
    const isNext =
      marker === "then" || marker === "last" || (step && previous?.step === true && previous.group === group)
    if (joined && previous?.marker === marker) {
      // it stands beside the one before
    } else if (isNext) {
      before = marker === "last" ? earlier(i) : stage
      stage = []
    } else if (!joined) {
      if (marker !== "also" && (marker !== null || before.length > 0 || previous?.group !== group)) stage = []
      before = []
    }
    for (const one of before.toReversed()) need(i, one)
    stage.push(i)
  }
}

const all =
  /\b(?:all of (?:the above|them|these|this)|the above|everything(?: above)?|all (?:three|four|five|parts|steps)|them|these|both|those|for each|at the end|in the end|when (?:everything|all|that|this|it) is (?:done|finished))(?=\s*(?:$|[.,;:)\n])|\s+(?:in|to|with|into|as|and|together|pages|components|functions|modules|features|parts)\b)|上記|以上の|それら|これら|(?:すべて|全て|全部)の(?:機能|パート|手順)|(?<=^.{0,12})(?:両方|双方)/iu
const one =
  /(?:\b(?:for|of|to|into|with|using|on|against|test|use|implement|fix|document|deploy|polls|calls)\s+)(?:it|this|that)(?=\s*(?:$|[.,;:)\n])|\s+(?:in|to|with|into|as|and)\b)/iu
const japaneseOne = /^(?:それ|これ)(?=[をのにで])|^その(?=テスト|ドキュメント|後ろ|上)/u

const code =
  /`([^`\n]{1,80})`|(?<![\w.])([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+|[a-z0-9]+(?:_[a-z0-9]+)+)/gu
const namesIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(code)]
    .map(([, quoted, plain]) => (quoted ?? plain ?? "").replace(/\(.*\)$/u, ""))
    .filter((name) => name !== "" && filesIn(name).length === 0)

/** What a part makes, in a few words each. */
const thingsOf = ({ inner, object, own, under, verb }: Part): ReadonlyArray<string> => {
  const titles = [under, ...(inner.length > 0 || verb === "" ? [own] : [])].map((title) =>
    labelOf(title.replace(/^[^:：]{0,12}[0-9０-９]{1,3}\s*[.:：)]\s*/u, ""))
  )
  return [...titles, object.text, ...inner.map((part) => part.object.text)]
    .map(headOf)
    .filter((thing) => thing.length > 1 && thing.length <= 40)
}

const headEnds = /\s(?:in|for|to|with|that|which|from|at|on|of|using|and|into)\s.*$|[,(:].*$|^(?:an?|the|new|some)\s/giu
const headOf = (named: string): string => {
  const head = isJapanese(named)
    ? named.replace(/^.*(?:を(?:使って|使い、|用いて|もとに)|[\w./-]+[にへで]|する)/u, "")
    : named.replace(headEnds, "")
  return head.replaceAll("`", "").trim().toLowerCase()
}

/** How a text says that it uses one of some things. */
const useOf = (things: string): string =>
  isJapanese(things)
    ? `(?:${things})(?:機能|画面)?(?:を(?:使|利用|用い|呼び出|もとに|参照)|に基づ)`
    : `\\b(?:us(?:e|es|ing)|calls?|calling|based on|on top of|depends on|depending on|after|requires?|needs)\\s+(?:the\\s+|its\\s+|that\\s+)?(?:${things})(?![\\p{L}\\p{N}])`

/** What one part makes and another says that it uses, or a later one names in code. */
const names: Rule = (parts, texts, need) => {
  const named = texts.map((text) => new Set(namesIn(text)))
  const made = new Set<string>()
  for (const [i, part] of parts.entries()) {
    if (part.grade !== "make") continue
    const things = thingsOf(part).map(escaped).join("|")
    const use = things === "" ? null : new RegExp(useOf(things), "iu")
    const [name = ""] = namesIn(part.object.text.slice(0, 60)).filter((one) => !made.has(one))
    made.add(name)
    for (const [other, text] of texts.entries())
      if (use?.test(text) === true || (other > i && parts[other]?.joined === false && named[other]?.has(name) === true))
        need(other, i)
  }
}

const tests =
  /^(?:(?:the|some|more|all|missing|new|an?|comprehensive|automated|basic|regression|unit|integration|e2e|end-to-end|acceptance)\s+(?:and\s+)?)*tests?(?:\s+(?:suite|cases?|coverage))?(?![\p{L}\p{N}])|(?:単体|ユニット|結合|統合|E2E|自動)?テスト(?:コード|ケース)?$/iu
const docs =
  /^(?:(?:the|some|all|api|user|usage|a|short)\s+)*(?:docs?|documentation|readme(?:\.md)?|changelog(?:\.md)?|release notes|usage (?:guide|examples?)|docstrings?)(?![\p{L}\p{N}])|^(?:README(?:\.md)?|ドキュメント|使い方|変更履歴)/iu
/** They say nothing of what they are about: then it is all that there is. */
const everything =
  /^[^.]{0,40}?(?:tests?(?:\s+(?:suite|cases?|coverage))?|docs?|documentation|readme(?:\.md)?|changelog(?:\.md)?|release notes|docstrings?|テスト(?:コード|ケース)?|ドキュメント|README(?:\.md)?|使い方|変更履歴)(?:\s+(?:accordingly|as well|too|in \S+))?$|\b(?:for|of|cover|covering|about)\s+(?:everything|all|both|each|every|these|them|those)(?![\p{L}\p{N}])|^(?:everything|all|both|these|them|those)(?![\p{L}\p{N}])|(?:各|それぞれ|全体|全部|すべて|全て|双方|両方)/iu

const isFollower = ({ object, verb }: Part): boolean => {
  const plain = object.text.replaceAll("`", "")
  return /^(?:document|ドキュメント化|文書化)/u.test(verb) || tests.test(plain) || docs.test(plain)
}

const topics =
  /\s(?:for|of)\s+(?:the\s+|its\s+)?(.{3,60}?)(?:\s(?:in|to|with)\s.*)?$|^(.{2,40}?)の(?:単体|結合)?(?:テスト|ドキュメント)/iu

/** `document all of the above`, `tests for it`, `update the README`: what refers to others comes after them. */
const references: Rule = (parts, texts, need) => {
  const areFollowers = parts.map(isFollower)
  for (const [i, part] of parts.entries()) {
    let first = i
    // `a, b and tests for both`: what tests its neighbours comes after them
    if (areFollowers[i] === false) while (parts[first]?.joined === true) first--
    const isOne = one.test(part.say.slice(0, 400)) || japaneseOne.test(part.say)
    const isAll = part.inner.length === 0 && all.test(texts[i] ?? "")
    for (const other of isAll ? earlier(first) : isOne ? justBefore(parts, first) : []) need(i, other)
    if (areFollowers[i] === false) continue
    const object = part.object.text.replaceAll("`", "").replace(/[.。]$/u, "")
    const [, english, topic = english] = topics.exec(object.toLowerCase()) ?? []
    // tests and documentation of all that there is; those of one part name it: `tests for the retry policy`
    const isMeant = (text = "") =>
      everything.test(object) || (topic !== undefined && text.toLowerCase().includes(topic))
    for (const other of earlier(i).toReversed())
      if (areFollowers[other] === false && isMeant(texts[other])) need(i, other)
  }
}
