import { filesIn } from "@proofline/kernel"
import { labelOf } from "./labels.ts"
import type { Part } from "./parts.ts"
import { escaped, isJapanese } from "./text.ts"

/** By part: the parts it needs, by index. */
export type Needs = ReadonlyArray<ReadonlySet<number>>
type Need = (later: number, earlier: number) => void
/** `need` is for what is named; `wait` adds nothing where one waits for the other already. */
type Rule = (parts: ReadonlyArray<Part>, texts: ReadonlyArray<string>, need: Need, wait: Need) => void

/** All words that belong to a part. */
export const wordsOf = ({ details, say, under }: Part): string => [under, say, ...details].filter(Boolean).join("\n")

/** Which parts need which, where the words say so. There is no circle. */
export const dependenciesOf = (parts: ReadonlyArray<Part>): Needs => {
  const needs = parts.map(() => new Set<number>())
  const texts = parts.map((part) => wordsOf(part).slice(0, 3_000))
  const need = (later: number, earlier: number) => {
    if (later !== earlier && needs[earlier] !== undefined && !reaches(needs, earlier, later)) needs[later]?.add(earlier)
  }
  const wait = (later: number, earlier: number) => {
    if (needs[later] !== undefined && !reaches(needs, later, earlier)) need(later, earlier)
  }
  for (const rule of [reversals, numbers, stages, pronouns, names, followers]) rule(parts, texts, need, wait)
  return needs
}

/** Whether one part needs another, directly or through others. */
export const reaches = (needs: Needs, from: number, to: number): boolean => {
  const seen = new Set([from])
  for (const at of seen) for (const next of needs[at] ?? []) seen.add(next)
  return seen.has(to)
}

/** `…, but before that, …`: what was said just before waits. */
const reversals: Rule = (parts, _, need) => {
  for (const [i, { marker }] of parts.entries()) {
    if (marker !== "earlier") continue
    for (let at = i - 1; at >= 0 && (at === i - 1 || parts[at + 1]?.joined === true); at--) need(at, i)
  }
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
    const any = parts.findIndex((part) => part.number === number)
    return near >= 0 ? near : any >= 0 || isCounted ? any : number - 1
  }
  const parsed = (digits = ""): number => Number(digits.normalize("NFKC"))
  for (const [i, text] of texts.entries()) {
    for (const [, before, first, joint, last, ahead] of text.matchAll(numbered)) {
      const isRange = joint !== undefined && /^(?:-|–|〜|~|to|through)$/iu.test(joint)
      const end = last === undefined ? parsed(first) : Math.min(parsed(last), parsed(first) + 30)
      for (let number = parsed(first); number <= end; number += isRange ? 1 : Math.max(1, end - number)) {
        const other = indexOf(number, i)
        if (other < 0) continue
        if (before !== undefined || ahead !== undefined) need(other, i)
        else need(i, other)
        if (number === end) break
      }
    }
    for (const [, digits, circled] of text.matchAll(japaneseNumbered))
      need(i, indexOf(circled === undefined ? parsed(digits) : circled.charCodeAt(0) - 0x245f, i))
  }
}

/** Order words, and the steps of a list. */
const stages: Rule = (parts, _texts, _need, wait) => {
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
    for (const one of before.toReversed()) wait(i, one)
    stage.push(i)
  }
}

/** The parts before one, in order. */
const earlier = (i: number): ReadonlyArray<number> => [...Array(i).keys()]

const all =
  /\b(?:all of (?:the above|them|these|this)|the above|everything(?: above)?|all (?:three|four|five|parts|steps)|them|these|both|those|for each|at the end|in the end|when (?:everything|all|that|this|it) is (?:done|finished))(?=\s*(?:$|[.,;:)\n])|\s+(?:in|to|with|into|as|and|together|pages|components|functions|modules|features|parts)\b)|上記|以上の|それら|これら|(?:すべて|全て|全部)の(?:機能|パート|手順)|(?<=^.{0,12})(?:両方|双方)/iu
const one =
  /(?:\b(?:for|of|to|into|with|using|on|against|test|use|implement|fix|document|deploy|polls|calls)\s+)(?:it|this|that)(?=\s*(?:$|[.,;:)\n])|\s+(?:in|to|with|into|as|and)\b)/iu
const japaneseOne = /^(?:それ|これ)(?=[をのにで])|^その(?=テスト|ドキュメント|後ろ|上)/u

/** `document all of the above`, `tests for it`. */
const pronouns: Rule = (parts, texts, need) => {
  for (const [i, part] of parts.entries()) {
    let first = i
    // `a, b and tests for both`: what tests its neighbours comes after them
    if (!isFollower(part)) while (parts[first]?.joined === true) first--
    if (all.test(texts[i] ?? "") && part.inner.length === 0) for (const other of earlier(first)) need(i, other)
    else if (one.test(part.say.slice(0, 400)) || japaneseOne.test(part.say)) {
      // what was enumerated before is meant as a whole
      for (let at = first - 1; at >= 0 && (at === first - 1 || parts[at + 1]?.joined === true); at--) need(i, at)
    }
  }
}

const code =
  /`([^`\n]{1,80})`|(?<![\w.])([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+|[a-z0-9]+(?:_[a-z0-9]+)+)/gu
const namesIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(code)]
    .map(([, quoted, plain]) => (quoted ?? plain ?? "").replace(/\(.*\)$/u, ""))
    .filter((name) => filesIn(name).length === 0)

/** What a part makes, in a few words each. */
const thingsOf = ({ inner, object, own, under, verb }: Part): ReadonlyArray<string> => {
  const titles = [under, ...(inner.length > 0 || verb === "" ? [own] : [])].map((title) =>
    labelOf(title.replace(/^[^:：]{0,12}[0-9０-９]{1,3}\s*[.:：)]\s*/u, ""))
  )
  return [...titles, object, ...inner.map((part) => part.object)]
    .map(headOf)
    .filter((thing) => thing.length > 1 && thing.length <= 40)
}

const headOf = (named: string): string => {
  const head = isJapanese(named)
    ? named.replace(/^.*(?:を(?:使って|使い、|用いて|もとに)|[\w./-]+[にへで])/u, "").replace(/^.*する/u, "")
    : (named.split(/\s(?:in|for|to|with|that|which|from|at|on|of|using|and|into)\s|[,(:]/u)[0] ?? "").replace(
        /^(?:an?|the|new|some)\s+/iu,
        ""
      )
  return head.replaceAll("`", "").trim().toLowerCase()
}

/** What one part makes and a later one says that it uses. */
const names: Rule = (parts, texts, need) => {
  const made = new Map<string, number>()
  const uses = parts.map((part) => {
    const things = part.grade === "make" ? thingsOf(part).map(escaped).join("|") : ""
    if (things === "") return null
    return isJapanese(things)
      ? new RegExp(`(?:${things})(?:機能|画面)?(?:を(?:使|利用|用い|呼び出|もとに|参照)|に基づ)`, "iu")
      : new RegExp(
          `\\b(?:us(?:e|es|ing)|calls?|calling|based on|on top of|depends on|depending on|after|requires?|needs)\\s+(?:the\\s+|its\\s+|that\\s+)?(?:${things})(?![\\p{L}\\p{N}])`,
          "iu"
        )
  })
  for (const [i, text] of texts.entries()) {
    for (const name of new Set(namesIn(text))) {
      const from = made.get(name)
      if (from !== undefined && parts[i]?.joined === false) need(i, from)
    }
    for (const [other, use] of uses.entries()) if (other !== i && use?.test(text) === true) need(i, other)
    const [first] = namesIn(parts[i]?.object.slice(0, 60) ?? "")
    if (parts[i]?.grade === "make" && first !== undefined && !made.has(first)) made.set(first, i)
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
  const plain = object.replaceAll("`", "")
  return /^(?:document|ドキュメント化|文書化)/u.test(verb) || tests.test(plain) || docs.test(plain)
}

/** Tests and documentation of all that there is come after it. Those of one part name it: `tests for the retry policy`. */
const followers: Rule = (parts, texts, _need, wait) => {
  const writes =
    /^(?:write|add|create|update|extend|document|implement|need|書く|作る|追加|作成|更新|実装|追記|記述|テスト|ドキュメント|文書化|$)/u
  for (const [i, part] of parts.entries()) {
    const object = part.object.replaceAll("`", "").replace(/[.。]$/u, "")
    if (!isFollower(part) || !writes.test(part.verb)) continue
    const others = earlier(i)
      .filter((one) => !isFollower(parts[one] as Part))
      .toReversed()
    if (everything.test(object)) for (const one of others) wait(i, one)
    const topic =
      /\s(?:for|of)\s+(?:the\s+|its\s+)?(.{3,60}?)(?:\s(?:in|to|with)\s.*)?$|^(.{2,40}?)の(?:単体|結合)?(?:テスト|ドキュメント)/iu.exec(
        object
      )
    const named = (topic?.[1] ?? topic?.[2])?.toLowerCase()
    if (named !== undefined)
      for (const one of others) if ((texts[one] ?? "").toLowerCase().includes(named)) wait(i, one)
  }
}
