import { type Block, blocksOf, inlineList } from "./blocks.ts"
import { asksEnglish } from "./english.ts"
import { closingVerb, kindOfList, leadVerb } from "./lists.ts"
import { asks, markerOf, read, type Source } from "./read.ts"
import { isCounted, isExclusion, isPlainLimit, type Role, roleOf } from "./roles.ts"
import {
  type Division,
  divisionOf,
  entryText,
  entryTexts,
  introduces,
  isDescribed,
  isImperative,
  isStated,
  limitTexts,
  plain,
  type Section,
  text,
  type Unit
} from "./sections.ts"
import type { Clause, Grade, Marker, Sentence } from "./shapes.ts"
import { isJapanese, mask, oneLine, type Span, sentencesOf, trim } from "./text.ts"

/** A part of the task as the user's words name it. */
export interface Draft {
  readonly japanese: boolean
  /** Where the user names it. */
  readonly own: Span
  /** A request that is complete in itself. */
  readonly say: string
  /** Heading that tells it from parts under other headings; empty: none. */
  readonly under: string
  /** The requests it consists of, when a whole section is one part. */
  readonly inner: ReadonlyArray<Draft>
  /** What it is about, without the verb. */
  readonly object: string
  /** In lower case; empty: the user gave none. */
  readonly verb: string
  readonly grade: Grade
  /** Points that the user put below it. */
  readonly points: ReadonlyArray<string>
  /** Sentences that say more about it. */
  readonly details: ReadonlyArray<string>
  readonly marker: Marker | null
  /** Number that the user gave it. */
  readonly number: number | null
  /** One of a sequence of steps. */
  readonly step: boolean
  /** It is enumerated beside the one before. */
  readonly joined: boolean
  /** One of several that a sentence or a list enumerates. */
  readonly listed: boolean
  /** Which of the user's sentences, lists or sections it is from. */
  readonly group: number
}

/** A prompt as it was read. */
export interface Reading {
  readonly drafts: ReadonlyArray<Draft>
  /** Sentences that every part has to obey. */
  readonly limits: ReadonlyArray<string>
  /** Sentences that say what all this is for. */
  readonly context: ReadonlyArray<string>
  /** Words that seem to ask for something that is in none of the drafts; null: none. */
  readonly unowned: string | null
  /** Everything that is neither code nor quotation, for words that count anywhere. */
  readonly shown: string
}

/** A list may be too long to be spread. */
const append = <A>(to: Array<A>, from: ReadonlyArray<A>) => {
  for (const one of from) to.push(one)
}

/** What a prompt asks for, part by part. */
export const readPrompt = (text: string): Reading => {
  const source = { text, masked: mask(text) }
  const blocks = blocksOf(text)
  const sections = sectionsOf(source, blocks)
  const shown = blocks
    .flatMap((block) => (block.kind === "list" ? block.entries.map((entry) => entry.text) : [block.text]))
    .map(({ end, start }) => source.masked.slice(start, end))
    .join("\n\n")
  return { ...assemble(source, sections), shown }
}

const sectionsOf = (source: Source, blocks: ReadonlyArray<Block>): ReadonlyArray<Section> => {
  const { text } = source
  const sections: Array<Section> = [{ title: null, level: 0, role: null, units: [] }]
  const above: Array<{ readonly level: number; readonly role: Role }> = []
  let paragraph = 0
  let pending: { readonly role: Role; readonly label: string } | null = null
  for (const [at, block] of blocks.entries()) {
    if (block.kind === "heading") {
      pending = null
      while ((above.at(-1)?.level ?? 0) >= block.level) above.pop()
      const inherited = above.findLast(({ role }) => role !== null)?.role ?? null
      const role = roleOf(text.slice(block.text.start, block.text.end)) ?? inherited
      above.push({ level: block.level, role })
      sections.push({ title: block.text, level: block.level, role, units: [] })
      continue
    }
    const units = (sections.at(-1) as Section).units
    if (block.kind === "list") {
      units.push({
        kind: "list",
        entries: block.entries,
        role: pending?.role ?? null,
        label: pending?.label ?? "",
        inline: false
      })
      pending = null
      continue
    }
    paragraph++
    pending = headOfList(source, block.text, blocks[at + 1])
    if (pending !== null) continue
    for (const { label, role, span } of labelled(source, block.text)) {
      pending = span.end > span.start ? null : { role, label }
      if (span.end <= span.start) continue
      if (role === "limit") {
        const words = oneLine(text.slice(span.start, span.end))
        units.push({ kind: "limit", text: isPlainLimit(label) ? words : `${label.trim()}: ${words}` })
        continue
      }
      if (role === "info") continue
      append(units, proseUnits(source, span, paragraph))
    }
  }
  return sections
}

/** A line of its own above a list that is a label though it has no mark: `Requirements`. Null: it is none. */
const headOfList = (
  source: Source,
  span: Span,
  next: Block | undefined
): { readonly role: Role; readonly label: string } | null => {
  const label = source.text.slice(span.start, Math.min(span.end, span.start + 60))
  if (next?.kind !== "list" || span.end - span.start > 40 || /[\n.。!！?？:：]/u.test(label)) return null
  const role = roleOf(label)
  return role === null || asks(source, span) !== null ? null : { role, label }
}

interface Labelled {
  readonly role: Role
  readonly label: string
  readonly span: Span
}

/** A paragraph by the labels that stand at the beginning of its lines: `Constraints: …`. */
const labelled = ({ masked, text }: Source, span: Span): ReadonlyArray<Labelled> => {
  const found: Array<Labelled> = []
  let start = span.start
  let role: Role = null
  let label = ""
  let begun = span.start
  const close = (end: number) => {
    const body = trim(text, { start: begun, end })
    if (body.end > body.start || label !== "") found.push({ role, label, span: body })
  }
  while (start < span.end) {
    const next = text.indexOf("\n", start)
    const end = next === -1 || next > span.end ? span.end : next
    const mark = /^([^:：\n]{1,60})[:：](?=\s|$|\P{ASCII})/u.exec(masked.slice(start, Math.min(end, start + 80)))
    const words = mark === null ? "" : text.slice(start, start + (mark[1] ?? "").length)
    const named = mark === null ? null : roleOf(words)
    // `Implement these features:` is a request
    const here =
      named === "work" && asks({ masked, text }, { start, end: start + words.length }) !== null ? null : named
    if (mark !== null && here !== null && (here !== "work" || text.slice(start + mark[0].length, end).trim() === "")) {
      close(start)
      role = here
      label = words
      begun = start + mark[0].length
    }
    start = end + 1
  }
  close(span.end)
  return found
}

/** Sentences of running text, and the lists within it. */
const proseUnits = (source: Source, span: Span, paragraph: number): ReadonlyArray<Unit> => {
  const { masked, text } = source
  const entries = span.end - span.start > 20_000 ? [] : inlineList(text, masked, span)
  const [first] = entries
  const last = entries.at(-1)
  if (first === undefined || last === undefined) return sentenceUnits(source, span, paragraph)
  const mark = /(?:[(（]?(?:\d{1,2}|[a-z])[)）.]|[①-⑳])\s*$/u.exec(text.slice(span.start, first.text.start))
  const before = { start: span.start, end: first.text.start - (mark?.[0].length ?? 0) }
  const lead = sentenceUnits(source, before, paragraph).map(
    (unit, i, all): Unit => (unit.kind === "sentence" && i === all.length - 1 ? { ...unit, announces: true } : unit)
  )
  const after = trim(text, { start: last.text.end, end: span.end })
  const skip = /^[.。!！?？;；,、\s]+/u.exec(text.slice(after.start, after.end))?.[0].length ?? 0
  return [
    ...lead,
    { kind: "list", entries, role: null, label: "", inline: true },
    ...sentenceUnits(source, { start: after.start + skip, end: after.end }, paragraph)
  ]
}

const sentenceUnits = (source: Source, span: Span, paragraph: number): ReadonlyArray<Unit> =>
  lineGroups(source, span).flatMap((group) =>
    sentencesOf(source.text, source.masked, group).map(
      (sentence): Unit => ({
        kind: "sentence",
        sentence: read(source, sentence),
        paragraph,
        announces: /[:：]\s*$/u.test(source.text.slice(Math.max(sentence.start, sentence.end - 4), sentence.end))
      })
    )
  )

/** Lines that belong together: a line that begins a request of its own begins a sentence. */
const lineGroups = (source: Source, span: Span): ReadonlyArray<Span> => {
  const { text } = source
  const groups: Array<Span> = []
  let from = span.start
  for (let start = span.start; start < span.end; ) {
    const found = text.indexOf("\n", start)
    const end = found === -1 || found > span.end ? span.end : found
    const after = text.indexOf("\n", end + 1)
    const next = { start: end + 1, end: after === -1 || after > span.end ? span.end : after }
    if (end < span.end && breaks(source, { start, end }, next)) {
      groups.push({ start: from, end })
      from = end + 1
    }
    start = end + 1
  }
  if (from < span.end) groups.push({ start: from, end: span.end })
  return groups
}

const breaks = (source: Source, line: Span, next: Span): boolean => {
  const { text } = source
  const words = text.slice(Math.max(line.start, line.end - 300), line.end).trim()
  if (/[.!?。！？:：]$/u.test(words)) return true
  const following = trim(text, { start: next.start, end: Math.min(next.end, next.start + 200) })
  if (isJapanese(words)) return asks(source, { start: Math.max(line.start, line.end - 300), end: line.end }) !== null
  return (
    /^\p{Lu}/u.test(text.slice(following.start, following.start + 2)) &&
    !/[,;]$|\b(?:and|or|the|a|of|to|for|with|in)$/iu.test(words) &&
    asksEnglish(source.masked, following) !== null
  )
}

interface Growing {
  readonly drafts: Array<Draft>
  readonly limits: Array<string>
  readonly context: Array<string>
  readonly unowned: Array<string>
}

/** Verbs whose object may be what was said before and that are work all the same. */
const follows =
  /^(?:test|document|deploy|publish|integrate|review|benchmark|release|refactor|implement|use|テスト|ドキュメント化|文書化|デプロイ|公開|リリース|レビュー|リファクタリング)/u

/** What is read of a prompt, section by section. */
interface Assembly {
  readonly all: Growing
  /** What stands above the only section with work, and says the whole of it. */
  readonly lead: Array<Draft>
  /** Something is to be made: what a program is to do is work as well. */
  made: boolean
  group: number
}

const assemble = (source: Source, sections: ReadonlyArray<Section>): Omit<Reading, "shown"> => {
  const division = divisionOf(source, sections)
  const assembly: Assembly = {
    all: { drafts: [], limits: [], context: [], unowned: [] },
    lead: [],
    made: isDescribed(source, sections, division.whole),
    group: 0
  }
  sections.forEach((section, i) => {
    if (section.role === "info") return
    if (section.role === "limit" && division.works[i] !== "list") {
      const title = titleOf(source, section)
      append(
        assembly.all.limits,
        limitTexts(source, section).map((words) => (isExclusion(title) ? `${plain(title)}: ${words}` : words))
      )
    } else addSection(source, division, assembly, section, i)
  })
  const { all, lead } = assembly
  // of a whole, one section alone is not all there is to do
  if (sections[division.only]?.role !== "work")
    append(
      all.unowned,
      lead.map(({ say }) => say)
    )
  return {
    ...all,
    unowned: all.unowned[0] ?? null,
    drafts: all.drafts.filter(({ say }) => /[\p{L}\p{N}]/u.test(say)),
    limits: [...new Set(all.limits)]
  }
}

const titleOf = (source: Source, { title }: Section): string => (title === null ? "" : text(source, title))

/** A section with work: it is one part, has parts, or says what the parts of others are for. */
const addSection = (source: Source, division: Division, assembly: Assembly, section: Section, i: number): void => {
  const { collapse, only, parts, whole } = division
  const { all, lead } = assembly
  const inner: Growing = { drafts: [], limits: all.limits, context: [], unowned: [] }
  assembly.group = readSection(source, section, whole, inner, assembly.group + 1)
  if (collapse && parts.has(section)) {
    // a section that is one part has all its sentences
    const drafts = assembly.made ? inner.drafts.map(behaves) : inner.drafts
    const merged = sectionDraft(source, section, drafts, assembly.group)
    if (merged !== null) all.drafts.push(merged)
    return
  }
  append(all.context, inner.context)
  append(all.unowned, inner.unowned)
  if (inner.drafts.some(({ grade }) => grade === "make")) assembly.made = true
  const isAbove = standsAbove(source, division, section, i)
  if (isAbove || (i < only && whole && inner.drafts.length === 1 && lead.length === 0)) {
    if (!isAbove) append(lead, inner.drafts)
    append(
      all.context,
      inner.drafts.map((draft) => text(source, draft.own))
    )
    return
  }
  const under = underOf(source, division, section, i)
  append(all.drafts, under === null ? inner.drafts : inner.drafts.map((draft) => ({ ...draft, under })))
}

/** What stands above parts says what they are for. */
const standsAbove = (source: Source, division: Division, section: Section, i: number): boolean => {
  const { collapse, firstOf, lists, parts, works } = division
  if (works[i] === "list") return false
  return introduces(source, section) ? lists + parts.size > 0 : i < firstOf && (collapse || lists > 1)
}

/** The title under which its parts are named, where there are parts of several sections. */
const underOf = (source: Source, division: Division, section: Section, i: number): string | null => {
  const { collapse, lists, parts, works } = division
  const title = titleOf(source, section)
  const isNamed = lists + (collapse ? parts.size : 0) > 1 && title !== "" && section.role === null
  return isNamed && works[i] === "list" ? title : null
}

/** `Find notes by title` is what a program is to do, when it describes one. */
const behaves = (draft: Draft): Draft =>
  draft.grade === "inform" && /^(?:find|list|compare|check|tell|look|report|summari[sz]e|identify)$/u.test(draft.verb)
    ? { ...draft, grade: "minor" }
    : draft

/** A whole section as one part. */
const sectionDraft = (
  source: Source,
  { title, units }: Section,
  drafts: ReadonlyArray<Draft>,
  group: number
): Draft | null => {
  if (title === null) return null
  const name = plain(text(source, title))
  const sentences = units.flatMap((unit) =>
    unit.kind === "sentence"
      ? [text(source, unit.sentence.own)]
      : unit.kind === "list"
        ? entryTexts(source, unit.entries)
        : []
  )
  const [first] = drafts
  const number = /\d{1,3}/.exec(name.normalize("NFKC"))?.[0]
  return {
    japanese: isJapanese(name + sentences.join("")),
    own: first?.own ?? title,
    say: sentences.length === 0 ? name : sentences.join(" "),
    under: sentences.length === 0 ? "" : name,
    inner: drafts,
    object: drafts.length === 0 ? name : drafts.map(({ object }) => object).join(" "),
    verb: first?.verb ?? "",
    grade: (drafts.find(({ grade }) => grade !== "inform") ?? first)?.grade ?? "make",
    points: [],
    details: [],
    marker: first?.marker ?? null,
    number: isCounted(name) && number !== undefined ? Number(number) : null,
    step: /^\s*(?:step|phase|手順|ステップ)/iu.test(name),
    listed: true,
    joined: false,
    group
  }
}

const readSection = (source: Source, section: Section, whole: boolean, into: Growing, first: number): number => {
  let group = first
  const title = section.title === null ? "" : text(source, section.title)
  const kinds = section.units.map((unit, i) =>
    unit.kind === "list" ? kindOfList(source, section.units, i, { role: section.role, title, whole }) : null
  )
  const firstWork = kinds.indexOf("work")
  const lead = firstWork > 0 ? section.units[firstWork - 1] : undefined
  const adds =
    lead?.kind === "sentence" && lead.sentence.clauses.some(({ marker }) => marker === "also" || marker === "then")
  let paragraph = -1
  section.units.forEach((unit, i) => {
    group++
    if (unit.kind === "limit") into.limits.push(unit.text)
    else if (unit.kind === "sentence") {
      const closing = kinds[i - 1] === "work" && closingVerb(source, section.units, i - 1) !== null
      const above = kinds[i + 1] === "work" || (i < firstWork && !adds)
      if (closing || above) {
        const { ban, clauses, kind, own } = unit.sentence
        const [, ...more] = closing ? clauses : []
        if (kind === "limit") into.limits.push(text(source, own))
        // a verb for all points is in each of them
        else {
          const said = text(source, (closing ? clauses[0] : undefined)?.own ?? own)
          if (above || /\s(?:in|under|with|using|for|as|by|to|on)\s|を.+[にで]|[にで].+を/iu.test(said))
            into.context.push(said)
        }
        if (more.length > 0) sentenceDrafts(source, { ...unit.sentence, clauses: more }, true, into, group)
        else if (ban !== undefined) into.limits.push(text(source, ban))
      } else sentenceDrafts(source, unit.sentence, unit.paragraph === paragraph, into, group)
      paragraph = unit.paragraph
    } else if (kinds[i] === "work") listDrafts(source, section, i, title, into, group)
    else if (kinds[i] === "limit") append(into.limits, entryTexts(source, unit.entries))
    else if (kinds[i] === "points") addDetails(into, entryTexts(source, unit.entries), "points")
    else if (kinds[i] === "prose")
      for (const entry of unit.entries) sentenceDrafts(source, read(source, entry.text), false, into, group)
  })
  return group
}

/** More about the part that was named last; about all, when a sentence named several. */
const addDetails = ({ drafts, limits }: Growing, texts: ReadonlyArray<string>, field: "details" | "points") => {
  const last = drafts.at(-1)
  if (last === undefined || drafts.at(-2)?.group === last.group) append(limits, texts)
  else drafts[drafts.length - 1] = { ...last, [field]: [...last[field], ...texts] }
}

const negative =
  /^(?:please\s+)?(?:do not|don't|don’t|never|avoid|no|without|only|must not)\b|(?:ない|禁止|不可|ません)/iu

/** How something is done or read, which is no work by itself. */
const manner =
  /^(?:use|ensure|keep|avoid|follow|respect|remember|include|consider|prefer|treat|let|put|place|give|take|note|read|load|open|start|stop|call|ignore|skip|set|close|使用する|利用する|参照する|参考する|注意する|意識する|遵守する|考慮する|添付する|お願いする|前提する)$/u

const sentenceDrafts = (source: Source, sentence: Sentence, sameParagraph: boolean, into: Growing, group: number) => {
  const words = text(source, sentence.own)
  if (sentence.ban !== undefined) into.limits.push(text(source, sentence.ban))
  if (sentence.kind === "limit") {
    if (negative.test(words) || !sameParagraph || into.drafts.length === 0) into.limits.push(words)
    else addDetails(into, [words], "details")
    return
  }
  if (sentence.kind === "statement" || announcement.test(words)) {
    if (into.drafts.length > 0 && !/[?？]$/u.test(words)) addDetails(into, [words], "details")
    else {
      into.context.push(words)
      if (isImperative(words)) into.unowned.push(words)
    }
    return
  }
  for (const [i, clause] of sentence.clauses.entries()) {
    const said = text(source, clause.own)
    const answers =
      (i > 0 && /^(?:tell|report|let)$/.test(clause.verb)) ||
      (into.drafts.at(-1)?.grade === "inform" && isAnswer(source, clause))
    // `and then fix it` is a step of its own
    const step = (clause.marker === "then" || clause.marker === "last") && clause.verb !== "make"
    const refines = answers || clause.grade === "minor" || (clause.refers && !step && !follows.test(clause.verb))
    if (refines && into.drafts.length > 0) addDetails(into, [said], "details")
    else if (clause.grade === "minor" && (manner.test(clause.verb) || clause.refers || isStated(said)))
      into.context.push(said)
    else if (clause.refers && sameParagraph && into.drafts.length === 0 && into.context.length > 0) {
      const topic = into.context.pop() ?? ""
      append(
        into.drafts,
        clauseDrafts(source, clause, group).map((draft) => ({ ...draft, say: `${draft.say}: ${topic}`, object: topic }))
      )
    } else append(into.drafts, clauseDrafts(source, clause, group))
  }
}

/** It only says that something follows. */
const announcement =
  /\b(?:as follows|the following(?: \p{L}+)?)\s*[.:：]?$|(?:以下|次)の(?:とおり|通り)(?:です|に.{1,12})?[。：:]?$/iu

/** What an investigation comes to: it belongs to it. */
const findings =
  /^(?:(?:your|the|all|a|any)\s+)*(?:findings|results?|conclusions?|summary|report|recommendations?|answers?|notes)(?![\p{L}\p{N}])|^(?:調査)?(?:結果|内容|まとめ)/iu

const causes =
  /^(?:(?:the|all|any|root)\s+)*(?:causes?|reasons?|problems?)(?![\p{L}\p{N}])|^(?:問題点|原因|課題|改善点|理由)/iu
const writes =
  /^(?:write|document|describe|record|list|まとめる|書く|記載する|記述する|追記する|整理する|記録する|報告する)$/u

const isAnswer = (source: Source, { object, verb }: Clause): boolean => {
  const words = text(source, object).replace(/^down\s+/u, "")
  return findings.test(words) || (writes.test(verb) && causes.test(words))
}

const clauseDrafts = (source: Source, clause: Clause, group: number): ReadonlyArray<Draft> => {
  const base = {
    japanese: isJapanese(source.text.slice(clause.own.start, clause.own.end)),
    verb: clause.verb,
    grade: clause.grade,
    points: [],
    details: [],
    under: "",
    inner: [],
    number: null,
    step: false,
    group
  }
  return clause.items.length < 2
    ? [
        {
          ...base,
          own: clause.own,
          say: clause.say,
          object: text(source, clause.object),
          marker: clause.marker,
          listed: false,
          joined: false
        }
      ]
    : clause.items.map((item, i) => ({
        ...base,
        own: item.own,
        say: item.say,
        object: text(source, item.own),
        marker: item.marker ?? (i === 0 ? clause.marker : null),
        listed: true,
        joined: i > 0 && item.marker === null
      }))
}

/** `GET /a：一覧` → `GET /a（一覧）を作成する`. */
const requested = (words: string, verb: string): string =>
  `${words.replace(/^([^：]{1,60})：\s*([^：]{1,60})$/u, "$1（$2）")}を${verb}`

const listDrafts = (source: Source, section: Section, at: number, title: string, into: Growing, group: number) => {
  const unit = section.units[at]
  if (unit?.kind !== "list") return
  const before = section.units[at - 1]
  const lead = before?.kind === "sentence" ? before.sentence : null
  const verb = leadVerb(source, lead) ?? leadVerb(source, closingVerb(source, section.units, at), 0)
  const announced = [unit.label, title, lead === null ? "" : text(source, lead.own)].join(" ")
  const ordered =
    /\b(?:steps|in (?:this |the following )?order|one after (?:the other|another)|sequentially)\b|手順|ステップ|順(?:番)?に|この順/iu.test(
      announced
    )
  for (const entry of unit.entries) {
    if (entry.done) continue
    const grade = asks(source, entry.text)
    const words = plain(text(source, entry.text))
    if (words === "" && entry.children.length === 0) continue
    if (grade === "limit") {
      into.limits.push(entryText(source, entry))
      continue
    }
    const [first = entry.text, ...more] = sentencesOf(source.text, source.masked, entry.text)
    const sentence = read(source, first)
    const [clause] = sentence.clauses
    const japanese = isJapanese(words)
    const main = plain(text(source, first)).replace(/[.。]$/u, "")
    into.drafts.push({
      japanese,
      own: first,
      say:
        grade !== null || verb === null
          ? main
          : japanese
            ? requested(main, verb.word)
            : `${verb.said}${/^(?:The|An?|It|When|If)\s/u.test(main) ? ":" : ""} ${main}`,
      object:
        clause === undefined || sentence.clauses.length > 1 || (japanese && !words.includes("を"))
          ? main
          : text(source, clause.object),
      verb: clause?.verb ?? verb?.word ?? "",
      grade: grade ?? verb?.grade ?? "make",
      points: entryTexts(source, entry.children),
      under: "",
      inner: [],
      details: more.map((span) => plain(text(source, span))),
      marker: clause?.marker ?? markerOf(source, first),
      number: entry.number,
      step: entry.step || (ordered && entry.number !== null),
      listed: true,
      joined: false,
      group
    })
  }
}
