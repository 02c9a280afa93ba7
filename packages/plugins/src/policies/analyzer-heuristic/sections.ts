import type { Entry } from "./blocks.ts"
import { whole as japaneseWhole } from "./japanese-words.ts"
import { kindOfList } from "./lists.ts"
import { asks, type Source } from "./read.ts"
import { isCounted, isIntroduction, labelOf, type Role } from "./roles.ts"
import type { Sentence } from "./shapes.ts"
import { isJapanese, oneLine, type Span } from "./text.ts"
import { wholes } from "./words.ts"

/** What stands in a section, in order. `announces`: it ends with a colon. */
export type Unit =
  | { readonly kind: "sentence"; readonly sentence: Sentence; readonly paragraph: number; readonly announces: boolean }
  | {
      readonly kind: "list"
      readonly entries: ReadonlyArray<Entry>
      readonly role: Role
      readonly label: string
      readonly inline: boolean
    }
  | { readonly kind: "limit"; readonly text: string }

/** A heading with everything up to the next one; the first has no title. */
export interface Section {
  readonly title: Span | null
  readonly level: number
  readonly role: Role
  readonly units: Array<Unit>
}

/** The words of a stretch, in one line. */
export const text = (source: Source, { end, start }: Span): string => oneLine(source.text.slice(start, end))

/** It only holds other sections that are parts. */
const isParent = (sections: ReadonlyArray<Section>, works: ReadonlyArray<unknown>, at: number): boolean => {
  const level = sections[at]?.level ?? 0
  for (let i = at + 1; i < sections.length && (sections[i]?.level ?? 0) > level; i++) if (works[i] !== null) return true
  return false
}

/** How a section asks for work: by the points of a list, or by its sentences; null: it does not. */
export type Works = "list" | "prose" | null

/** Which sections ask for work. One that only says what there is to be is asked for as those beside it are. */
const sectionsWork = (source: Source, sections: ReadonlyArray<Section>, whole: boolean): ReadonlyArray<Works> => {
  const works = sections.map((section) => sectionWorks(source, section, whole))
  const described = isDescribed(source, sections, whole)
  const asked = sections.map((section, i) => (works[i] === null ? features(source, section, described) : null))
  const levels = new Set(
    sections.flatMap(({ level }, i) => (works[i] !== null || asked[i] === "request" ? [level] : []))
  )
  const known = works.map((kind, i) => kind ?? asked[i] ?? null)
  return works.map((kind, i) =>
    asked[i] !== null && levels.has(sections[i]?.level ?? 0) && !isParent(sections, known, i) ? "prose" : kind
  )
}

/** A whole is to be made, of which sections describe the parts. */
export const isDescribed = (source: Source, sections: ReadonlyArray<Section>, whole: boolean): boolean =>
  whole || sections.some(({ title }) => title !== null && isWhole(text(source, title)))

const isWhole = (title: string): boolean =>
  isJapanese(title)
    ? japaneseWhole.test(labelOf(title))
    : wholes.has(labelOf(title).toLowerCase().split(" ").at(-1) ?? "")

/** A section that names what there is to be, as a request, or only as it will be once a whole is made. */
const features = (source: Source, { role, title, units }: Section, whole: boolean): "request" | "described" | null => {
  if (title === null || role !== null || isIntroduction(text(source, title))) return null
  const sentences = units.flatMap((unit) => (unit.kind === "sentence" ? [unit.sentence] : []))
  if (sentences.some((sentence) => isAsked(source, sentence))) return "request"
  const [first] = sentences
  return whole && first?.kind === "statement" && !present.test(text(source, first.own)) ? "described" : null
}

const isAsked = (source: Source, { kind, own }: Sentence): boolean => {
  const words = text(source, own)
  if (kind !== "statement") return kind === "work"
  return isJapanese(words) ? asks(source, own) === "minor" : isImperative(words)
}

/** Whether it begins like a request, though with a verb that is not in the vocabulary: `Pay with a card`. */
export const isImperative = (words: string): boolean => imperative.test(words) && !isStated(words)

/** Whether it says how something is: `Support for this is broken`. */
export const isStated = (words: string): boolean =>
  finite.test(words.split(/\s(?:when|if|that|which|what|who|where|how|while|unless|because|so)\s/iu)[0] ?? "")

const finite =
  /\b(?:is|are|was|were|isn't|aren't|has|have|had|does|do|doesn't|don't|fails?|failed|should|must|can|can't|cannot|will|won't|seems?|takes?|took|looks?|works?|breaks?|crash(?:es|ed)?)\b|[?？]$/iu

const imperative =
  /^(?!(?:The|This|That|These|Those|There|It|We|I|You|They|Our|My|Your|Its|All|Each|Every|Some|Any|Many|Most|If|When|While|As|For|From|With|By|In|On|At|To|Also|But|And|Or|Because|Since|See)\b)\p{Lu}\p{Ll}+(?<!s|ing|ed|ly|ion|ment)\s+(?:the|an?|all|each|every|their|his|her|with|by|in|on|for|to|from|via|through|at|into|your|its|any)\s/u
/** It says how things are, or what was done. */
const present =
  /\b(?:is|are|was|were|has|have|had|we|our|i|my|currently|already|today)\b|(?:ている|ています|です|である|した|ました|います|あります)[。．]?$/iu

const sectionWorks = (source: Source, section: Section, whole: boolean): Works => {
  if (section.role === "info") return null
  const title = section.title === null ? "" : text(source, section.title)
  const list = section.units.some(
    (unit, i) =>
      unit.kind === "list" && kindOfList(source, section.units, i, { role: section.role, title, whole }) === "work"
  )
  if (list) return "list"
  if (section.role === "limit") return null
  const asked = section.units.some(
    (unit) => unit.kind === "sentence" && unit.sentence.clauses.some(({ grade }) => grade !== "minor")
  )
  if (asked) return "prose"
  if (section.title === null) return null
  const grade = asks(source, section.title)
  const titled = isCounted(title) || (grade !== null && grade !== "minor" && grade !== "limit")
  return titled && (section.units.length > 0 || isCounted(title)) ? "prose" : null
}

/** A text without the marks of emphasis around its words. */
export const plain = (words: string): string => words.replaceAll(/\*\*|__/gu, "").trim()

/** What a section that only limits says. */
export const limitTexts = (source: Source, { units }: Section): ReadonlyArray<string> =>
  units.flatMap((unit) =>
    unit.kind === "sentence"
      ? [text(source, { ...unit.sentence.own, end: (unit.sentence.ban ?? unit.sentence.own).end })]
      : unit.kind === "limit"
        ? [unit.text]
        : entryTexts(source, unit.entries)
  )

/** A point with everything below it. */
export const entryText = (source: Source, entry: Entry): string =>
  [plain(text(source, entry.text)), ...entryTexts(source, entry.children)].filter(Boolean).join("; ")

/** Points of a list, each with everything below it. */
export const entryTexts = (source: Source, entries: ReadonlyArray<Entry>): ReadonlyArray<string> =>
  entries.map((entry) => entryText(source, entry))

/** What the sections of a prompt are to one another. */
export interface Division {
  readonly works: ReadonlyArray<Works>
  /** Some sentence asks for something to be made. */
  readonly whole: boolean
  /** Sections of prose that may be one part each; whether they are. */
  readonly parts: ReadonlySet<Section>
  readonly collapse: boolean
  readonly lists: number
  /** The first section with parts, and the only one that has work below a title; -1: none. */
  readonly firstOf: number
  readonly only: number
}

export const divisionOf = (source: Source, sections: ReadonlyArray<Section>): Division => {
  const whole = sections.some(({ units }) =>
    units.some(
      (unit) =>
        unit.kind === "sentence" && unit.sentence.clauses.some((clause) => clause.whole && clause.grade === "make")
    )
  )
  const works = sectionsWork(source, sections, whole)
  const parts = new Set(
    sections.filter(
      (section, i) =>
        section.title !== null && works[i] === "prose" && !introduces(source, section) && !isParent(sections, works, i)
    )
  )
  const lists = works.filter((kind) => kind === "list").length
  const listed = sections.filter((section, i) => section.title !== null && works[i] === "list").length
  const collapse = parts.size >= 2 || (parts.size === 1 && listed > 0)
  const firstOf = sections.findIndex((section, i) => (collapse && parts.has(section)) || works[i] === "list")
  const only =
    collapse || lists > 1 || parts.size + listed !== 1
      ? -1
      : works.findIndex((kind, i) => kind !== null && sections[i]?.title !== null)
  return { works, whole, parts, collapse, lists, firstOf, only }
}

export const introduces = (source: Source, { title }: Section): boolean =>
  title !== null && isIntroduction(text(source, title))
