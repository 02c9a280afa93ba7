import { fileUses } from "@proofline/kernel"
import type { Draft } from "./parts.ts"
import { labelOf } from "./roles.ts"
import { termsOf } from "./terms.ts"
import { filesIn, isJapanese } from "./text.ts"

/** All words that belong to a part. */
export const wordsOf = ({ details, points, say }: Draft): string => [say, ...points, ...details].join("\n")

/** Which parts each part needs, by index. There is no cycle. */
export const dependenciesOf = (drafts: ReadonlyArray<Draft>): ReadonlyArray<ReadonlySet<number>> => {
  const needs = drafts.map(() => new Set<number>())
  const texts = drafts.map((draft) => wordsOf(draft).slice(0, 3_000))
  let reversed = false
  const need = (later: number, earlier: number) => {
    if (later === earlier || later < 0 || earlier < 0 || needs[later] === undefined || needs[earlier] === undefined)
      return
    if ((reversed || later < earlier) && reaches(needs, earlier, later)) return
    if (later < earlier) reversed = true
    needs[later].add(earlier)
  }
  for (const rule of [reversals, numbers, stages, pronouns, titles, names, followers, resources])
    rule(drafts, texts, need, needs)
  return needs
}

type Need = (later: number, earlier: number) => void
type Rule = (
  drafts: ReadonlyArray<Draft>,
  texts: ReadonlyArray<string>,
  need: Need,
  needs: ReadonlyArray<ReadonlySet<number>>
) => void

/** Whether one part needs another, directly or through others. */
export const reaches = (needs: ReadonlyArray<ReadonlySet<number>>, from: number, to: number): boolean => {
  const seen = new Set<number>([from])
  const open = [from]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === to) return true
    for (const next of needs[at] ?? [])
      if (!seen.has(next)) {
        seen.add(next)
        open.push(next)
      }
  }
  return false
}

/** `but before that, …` */
const reversals: Rule = (drafts, _texts, need) => {
  drafts.forEach(({ group, marker }, i) => {
    if (marker !== "earlier") return
    const last = drafts[i - 1]
    for (
      let at = i - 1;
      at >= 0 &&
      (at === i - 1 || (drafts[at]?.group === last?.group && last?.group !== group && last?.listed === true));
      at--
    )
      need(at, i)
  })
}

const step =
  /(?<![\p{L}\p{N}])(before\s+)?(?:steps?|tasks?|parts?|items?|points?|phases?|手順|ステップ|タスク|項目|フェーズ)\s*[#＃]?\s*([0-9０-９]{1,2})(?:\s*(?:-|–|〜|~|to|through|and|,|&|と|、)\s*([0-9０-９]{1,2})(?![\d.]))?/giu
const japaneseStep =
  /(?<![\d.０-９])([0-9０-９]{1,2})(?:番目?|つ目)?(?:で|の)(?:作|定義|実装|追加|生成|用意|結果|設計|モデル|関数|クラス|API|型|スキーマ|インターフェース)|([①-⑳])(?=[のでをとに])/gu

/** `the interface from step 1`, `1で作った`. */
const numbers: Rule = (drafts, texts, need) => {
  const counted = drafts.some(({ number }) => number !== null)
  const indexOf = (number: number, from: number): number => {
    const group = drafts[from]?.group
    const near = drafts.findIndex((draft) => draft.number === number && draft.group === group)
    if (near !== -1) return near
    const any = drafts.findIndex((draft) => draft.number === number)
    return any !== -1 || counted ? any : number - 1
  }
  const parsed = (digits: string): number => Number(digits.normalize("NFKC"))
  texts.forEach((text, i) => {
    for (const [, before, one = "", other] of text.matchAll(step)) {
      const first = parsed(one)
      const last = other === undefined ? first : parsed(other)
      for (let number = first; number <= Math.min(last, first + 20); number++) {
        const target = indexOf(number, i)
        if (before !== undefined) need(target, i)
        else if (target < i) need(i, target)
      }
    }
    for (const [, digits, circle] of text.matchAll(japaneseStep)) {
      const target = indexOf(digits === undefined ? (circle ?? "").charCodeAt(0) - 0x245f : parsed(digits), i)
      if (target < i) need(i, target)
    }
  })
}

/** First, then, finally. */
const stages: Rule = (drafts, _texts, need, needs) => {
  const sequenced = drafts.some(({ marker }) => marker === "first" || marker === "then")
  const additive = drafts.some(({ marker }) => marker === "also")
  let before: ReadonlyArray<number> = []
  let current: Array<number> = []
  let opened = false
  const begin = (i: number, previous: ReadonlyArray<number>) => {
    before = previous
    current = [i]
  }
  drafts.forEach(({ group, joined, marker, step: isStep }, i) => {
    const last = drafts[i - 1]
    if (joined) current.push(i)
    else if (isStep && last?.step === true && last.group === group) begin(i, [i - 1])
    else if (marker === "first") {
      opened = true
      begin(i, [])
    } else if (marker === "then") begin(i, current)
    else if (marker === "last") {
      // `Also …. Finally, …`: it ends what is said, not what is done
      const said = additive && !sequenced
      begin(i, said ? [] : ends(needs, i))
    } else if (marker === "also" || marker === "earlier") {
      current.push(i)
      return
    } else if (opened && current.length > 0 && drafts[current[0] ?? 0]?.marker === "first") begin(i, current)
    else if (opened || last?.group === group) current.push(i)
    else begin(i, [])
    for (const earlier of before) need(i, earlier)
  })
}

/** Parts before this one that no other part depends on. */
const ends = (needs: ReadonlyArray<ReadonlySet<number>>, until: number): ReadonlyArray<number> => {
  const needed = new Set<number>()
  for (let i = 0; i < until; i++) for (const earlier of needs[i] ?? []) needed.add(earlier)
  return [...Array(until).keys()].filter((i) => !needed.has(i))
}

const all =
  /\b(?:all (?:of )?the above|the above|all of (?:them|these|those)|them all|each of (?:them|these)|both of (?:them|these)|(?:for|of|use|uses|using|test|tests|document|documents|integrate|integrates|combine|combines|connect|connects|wire|call|calls|between|covering|cover) (?:them|these|those|both|all (?:two|three|four|five|six|of)|the (?:two|three|four|five|other))|(?:test|document|integrate|combine|connect|wire up|wire|assemble|glue|hook up|verify|deploy|release) (?:everything|all parts|the pieces|the parts|it all))(?![\p{L}\p{N}])|上記|それら|これら|両方|双方|(?:全て|すべて|全部)を(?:統合|結合|接続|まとめ|テスト|組み合わせ)|(?:全て|すべて|全部)の(?:テスト|ドキュメント|機能を(?:統合|テスト))/iu
const one =
  /^(?:\p{L}+\s+){1,6}?(?:for|of|use|uses|using|test|document|deploy|publish|review|call|calls|calling|around|from|to|implement|implements|implementing|integrate|benchmark|release|refactor|consume|consumes|on)\s+(?:it|this|that)(?=\s*(?:$|[.,;:!)]|in\b|with\b|and\b|on\b|to\b|as\b|into\b|from\b))|^(?:test|document|deploy|publish|review|integrate|benchmark|release|refactor|implement)\s+(?:it|this|that)(?![\p{L}\p{N}])/iu
const polled =
  /^\p{L}+\s+(?:an?|the|one|some)\s+(?:[\p{L}-]+\s+){1,4}(?:that|which|to)\s+\p{L}+\s+(?:it|them|this)(?=\s*(?:$|[.,;:!)]))/iu
const japaneseOne =
  /^(?:それ|これ)(?=[をのにで])|^その(?=テスト|ドキュメント|後ろ|上)|(?:作成|定義|実装|追加)(?:し|され)た(?=\p{L})/u

/** `document all of the above`, `tests for it`. */
const pronouns: Rule = (drafts, texts, need) => {
  drafts.forEach((draft, i) => {
    let first = i
    // `a, b and tests for both`: what tests its neighbours comes after them
    if (!isFollower(draft)) while (drafts[first]?.joined === true) first--
    const text = texts[i] ?? ""
    if (all.test(text)) for (let earlier = 0; earlier < first; earlier++) need(i, earlier)
    else if (one.test(draft.say) || polled.test(draft.say) || (draft.japanese && japaneseOne.test(draft.say)))
      need(i, first - 1)
  })
}

/** What the heading of one part names and a later one speaks of: `using the cart`. */
const titles: Rule = (drafts, texts, need) => {
  const alone = drafts.filter(({ under }) => under !== "").length
  if (alone < 2) return
  const named = drafts.map(({ under }) => {
    const title = labelOf(under.replace(/^[^:：]{0,12}[0-9０-９]{1,3}\s*[.:：)]\s*/u, "")).toLowerCase()
    if (under === "" || title.length < 2 || title.length > 40 || generic.test(title)) return null
    return isJapanese(title)
      ? new RegExp(`(?<![\\p{Script=Han}\\p{Script=Katakana}ー])${literal(title)}(?=[をにのがはで])`, "u")
      : new RegExp(
          `(?<![\\p{L}\\p{N}])(?:the|this|that|its|using|from|into|with)\\s+${literal(title)}(?![\\p{L}\\p{N}])`,
          "u"
        )
  })
  texts.forEach((text, i) => {
    const low = text.toLowerCase()
    for (let earlier = 0; earlier < i; earlier++)
      if (drafts[earlier]?.under !== drafts[i]?.under && named[earlier]?.test(low) === true) need(i, earlier)
  })
}

const identifier =
  /`([^`\n]{1,80})`|(?<![\w.])([A-Za-z_$][\w$]*\(\)|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+|[a-z0-9]+(?:_[a-z0-9]+)+|\/[a-z][\w:{}/-]*)/gu
const identifiers = (text: string): ReadonlyArray<string> => [
  ...new Set([...text.matchAll(identifier)].map((found) => (found[1] ?? found[2] ?? "").replace(/\(.*\)$/u, "")))
]

const indefinite = /^(?:an?|the|new|some|another|one)\s+/iu
const definition =
  /(?:^|[\s`])(?:interfaces?|types?|schemas?|schemata|models?|contracts?|protocols?|specs?|specification|enums?|migrations?|dto|dtos)(?=$|[\s`:,.])|(?:インターフェース|型定義|型|スキーマ|モデル|テーブル設計|設計|仕様|定義)$/iu

/** What one part introduces and a later one speaks of. */
const names: Rule = (drafts, texts, need) => {
  const introduced = new Map<string, number>()
  drafts.forEach((draft, i) => {
    const own = identifiers(headOf(draft.object))
    const text = texts[i] ?? ""
    for (const name of identifiers(text)) {
      const from = introduced.get(name)
      if (from !== undefined && name !== own[0]) need(i, from)
    }
    const [first] = own
    if (
      draft.grade === "make" &&
      first !== undefined &&
      filesIn(first).length === 0 &&
      !introduced.has(first) &&
      draft.object.indexOf(first) < 40
    )
      introduced.set(first, i)
  })
  const phrases = drafts.map(phraseOf)
  const terms = texts.map(termsOf)
  const nouns = drafts.map(nounOf)
  drafts.forEach((draft, i) => {
    if (draft.joined) return
    for (let earlier = 0; earlier < i; earlier++) {
      const from = drafts[earlier] as Draft
      if (from.grade !== "make" && from.grade !== "change") continue
      if (mentions(draft, texts[i] ?? "", from, phrases[earlier] ?? "", nouns, earlier)) need(i, earlier)
      else if (
        from.grade === "make" &&
        definition.test(headOf(from.object)) &&
        draft.grade !== "inform" &&
        uses(draft, texts[i] ?? "", from.object, terms, i, earlier)
      )
        need(i, earlier)
    }
  })
}

const headOf = (object: string): string =>
  object.split(/\s(?:in|for|to|with|that|which|from|at|on|of|using|and|into)\s|[,(:（：]/u)[0]?.trim() ?? ""

const phraseOf = ({ japanese, object }: Draft): string =>
  japanese
    ? object
        .replace(/^.*(?:を(?:使って|使い、|用いて|利用して|もとに|呼び出す)|に基づ(?:いて|き、))/u, "")
        .replace(/^[\w./-]+[にへで]/u, "")
        .trim()
    : headOf(object).replace(indefinite, "").toLowerCase().replaceAll("`", "").trim()

/** The word for the thing that a part makes: `endpoint` of `` an endpoint `/a` ``. */
const nounOf = ({ object }: Draft): string =>
  headOf(object.replaceAll(/`[^`]*`|"[^"]*"/gu, " "))
    .toLowerCase()
    .split(/\s+/u)
    .at(-1) ?? ""

const generic =
  /^(?:app|application|code|data|file|files|user|users|project|system|it|them|support|tests?|docs|change|changes|page|pages|name|text|list|value|error|errors|bug|feature|features|work|rest|way|time)$/

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)

const mentions = (
  draft: Draft,
  text: string,
  from: Draft,
  phrase: string,
  nouns: ReadonlyArray<string>,
  earlier: number
): boolean => {
  if (phrase.length < 2 || phrase.length > 60 || from.grade !== "make") return false
  if (from.japanese) {
    if (!text.includes(phrase) || draft.object === from.object) return false
    return (
      new RegExp(`${literal(phrase)}(?![\\p{Script=Han}\\p{Script=Katakana}A-Za-z])`, "u").test(text) &&
      !/^[\p{Script=Hiragana}]+$/u.test(phrase) &&
      !draft.listed !== draft.listed &&
      (draft.group !== from.group || draft.verb !== from.verb || /の|を使|に基づ|から/u.test(text))
    )
  }
  const low = text.toLowerCase().replaceAll("`", "")
  if (
    phrase.includes(" ") &&
    low.includes(phrase) &&
    new RegExp(
      `(?<![\\p{L}\\p{N}])(?:the|this|that|new|our)\\s+(?:new\\s+)?${literal(phrase)}(?![\\p{L}\\p{N}])`,
      "u"
    ).test(low)
  )
    return true
  const noun = nouns[earlier] ?? ""
  if (
    noun.length < 4 ||
    generic.test(noun) ||
    !low.includes(noun) ||
    nouns.filter((other) => other === noun).length > 1
  )
    return false
  if (!/^(?:an?|new|one)\s/iu.test(from.object) && !/^(?:the\s)?[\p{L}\p{N}\s-]{1,40}$/u.test(from.object)) return false
  return new RegExp(
    `(?<![\\p{L}\\p{N}])(?:the|this|that|these|those)\\s+(?:new\\s+)?${literal(noun)}(?=\\s*(?:$|[.,;:!?)\\n]|(?:in|on|to|for|with|from|and|is|are|when|that|which|of|at|by|into|so)\\s))`,
    "u"
  ).test(low)
}

/** Whether a part uses what another defines: an interface, a type, a schema. */
const uses = (
  draft: Draft,
  text: string,
  object: string,
  terms: ReadonlyArray<ReadonlySet<string>>,
  later: number,
  earlier: number
): boolean => {
  if (definition.test(headOf(draft.object)) && draft.grade === "make" && draft.verb === "define") return false
  const own = termsOf(object.split(/\s(?:in|to|with|that|which|from|at|on|using|and|into)\s|[,(:（：]/u)[0] ?? "")
  const noun = /(?:interface|type|schema|model|contract|protocol|spec|enum|migration)/iu
    .exec(headOf(object))?.[0]
    ?.toLowerCase()
  if (
    noun !== undefined &&
    new RegExp(`(?<![\\p{L}])(?:the|this|that|its)\\s+(?:new\\s+)?${noun}s?(?![\\p{L}])`, "iu").test(text)
  )
    return true
  if (/^(?:implement|実装)/u.test(draft.verb) && /^(?:it|them)(?![\p{L}])/iu.test(draft.object)) return true
  const shared = [...own].filter((term) => terms[later]?.has(term) === true && !definition.test(` ${term}`))
  return (
    shared.some((term) => terms.filter((other) => other.has(term)).length <= Math.max(2, terms.length - 1)) &&
    earlier < later
  )
}

const tests =
  /^(?:(?:the|some|more|all|missing|new|an?|comprehensive|automated|basic|corresponding|regression|smoke|unit|integration|e2e|end-to-end|acceptance|functional)\s+(?:and\s+)?)*(?:tests?(?:\s+(?:suite|cases?|coverage))?|specs?)(?![\p{L}\p{N}])|(?:単体|ユニット|結合|統合|E2E|自動)?テスト(?:コード|ケース|スイート)?$/iu
const docs =
  /^(?:(?:the|some|all|api|user|usage|developer|public|a|an|short)\s+)*(?:docs?|documentation|readme(?:\.md)?|changelog(?:\.md)?|release notes|usage (?:guide|examples?)|docstrings?)(?![\p{L}\p{N}])|^(?:README(?:\.md)?|ドキュメント|使い方|説明書|API仕様書|変更履歴)/iu
const alone =
  /^[^.]{0,40}?(?:tests?(?:\s+(?:suite|cases?|coverage))?|specs?|docs?|documentation|readme(?:\.md)?|changelog(?:\.md)?|release notes|docstrings|テスト(?:コード|ケース)?|ドキュメント|README(?:\.md)?|使い方|変更履歴)(?:\s+(?:accordingly|as well|too))?$/iu

/** Words for all that there is, with which tests and documentation say what they are about. */
const everything =
  /\b(?:for|of|cover|covers|covering|about|on)\s+(?:everything|all|both|each|every|these|them|those|it all)(?![\p{L}\p{N}])|^(?:everything|all|both|each|every|these|them|those)(?![\p{L}\p{N}])|(?:各|それぞれ|全体|全部|すべて|全て|全機能|双方|両方)/iu

/** Tests, documentation and integration come after what they are about. */
const followers: Rule = (drafts, texts, need, needs) => {
  const terms = texts.map(termsOf)
  drafts.forEach((draft, i) => {
    const object = draft.object.replaceAll("`", "")
    const tested = /^(?:test|cover|verify|テスト|単体テスト)/u.test(draft.verb) || tests.test(object)
    const documented = /^(?:document|ドキュメント化|文書化)/u.test(draft.verb) || docs.test(object)
    const joins = /^(?:integrate|wire|connect|combine|hook|assemble|統合|結合|接続|連携|組み込)/u.test(draft.verb)
    if (!tested && !documented && !joins) return
    const topic = [...(terms[i] ?? [])]
    const named = drafts.flatMap((from, earlier) =>
      earlier < i &&
      !isFollower(from) &&
      topic.some((term) => terms[earlier]?.has(term) === true && termsOf(from.object).has(term))
        ? [earlier]
        : []
    )
    const written =
      /^(?:write|add|create|update|extend|document|test|cover|verify|implement|need|書く|作る|追加|作成|更新|実装|追記|記述|テスト|ドキュメント|文書化|$)/u.test(
        draft.verb
      )
    const bare = !joins
      ? written && (alone.test(object) || object === "")
      : object === "" || /^(?:everything|all|全体|すべて)/iu.test(object)
    const found =
      named.length > 0
        ? named
        : bare || (!joins && everything.test(object))
          ? [...Array(i).keys()].filter((earlier) => !isFollower(drafts[earlier] as Draft))
          : []
    for (const earlier of found.toReversed()) if (!reaches(needs, i, earlier)) need(i, earlier)
  })
}

const isFollower = (draft: Draft): boolean => {
  const object = draft.object.replaceAll("`", "")
  return /^(?:test|document)/u.test(draft.verb) || tests.test(object) || docs.test(object) || draft.grade === "inform"
}

/** Parts that name the same file run one after the other, unless they only read it. */
const resources: Rule = (drafts, texts, need, needs) => {
  const last = new Map<string, { readonly writer: number | null; readonly readers: ReadonlyArray<number> }>()
  const after = (i: number, before: number | null) => {
    if (before !== null && !reaches(needs, i, before)) need(i, before)
  }
  drafts.forEach((_, i) => {
    for (const [path, use] of fileUses(texts[i] ?? "")) {
      const { readers, writer } = last.get(path) ?? { writer: null, readers: [] }
      after(i, writer)
      if (use !== "read") for (const reader of readers) after(i, reader)
      last.set(path, use === "read" ? { writer, readers: [...readers, i] } : { writer: i, readers: [] })
    }
  })
}
