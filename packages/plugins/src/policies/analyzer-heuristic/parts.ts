import { unended } from "@proofline/kernel"
import { escaped } from "../../text/escaped.ts"
import { isWhole, place } from "./enumeration.ts"
import { countOf, isOrdered, isPlainLimit, labelOf, type Role, roleOf } from "./labels.ts"
import { isAboutList, kindOfList } from "./lists.ts"
import { bodyOf, type Entry, type List, layoutOf, type Section } from "./markdown.ts"
import { asks, readText } from "./read.ts"
import type { Request, Sentence } from "./requests.ts"
import { capital, isJapanese, oneLine, phrase } from "./text.ts"

/** A part of the task as the user's words name it. */
export interface Part extends Request {
  /** Heading that tells it from parts under other headings; empty: none. */
  readonly under: string
  /** The request above its list, where that says more than a verb: where, or how; empty: none. */
  readonly lead: string
  /** What else the user says of it, as it was written. */
  readonly details: ReadonlyArray<string>
  /** What has to be true of it, each by itself. */
  readonly points: ReadonlyArray<string>
  /** The requests it consists of, when a whole section is one part. */
  readonly inner: ReadonlyArray<Part>
  /** Number that the user gave it. */
  readonly number: number | null
  /** One of a sequence of steps. */
  readonly step: boolean
  /** Which of the user's sentences or lists it is from. */
  readonly group: number
}

const plain = {
  under: "",
  lead: "",
  details: [],
  points: [],
  inner: [],
  number: null,
  step: false,
  marker: null,
  joined: false
}

/** A prompt, or a section of it, as it was read. */
export interface Reading {
  parts: ReadonlyArray<Part>
  /** Sentences that every part has to obey. */
  readonly limits: Array<string>
  /** Everything else that the user says: it may matter to every part. */
  readonly context: Array<string>
  /** Words that seem to ask for something that is in none of the parts; null: none. */
  unowned: string | null
  /** A whole of parts is to be made. */
  whole: boolean
}

interface Growing extends Reading {
  /** The sentence that stands directly before, and how many parts it made. */
  lead: { readonly sentence: Sentence; readonly parts: number } | null
  /** The label that stands directly above. */
  label: string | null
  /** The next sentence is about the points of the list before it. */
  concludes: boolean
  group: number
}

const nothing = { unowned: null, whole: false, lead: null, label: null, concludes: false, group: 0 }

type Child = Reading & { readonly section: Section; readonly role: Role; readonly isListed: boolean }

/** What a prompt asks for, part by part. */
export const readPrompt = (prompt: string): Reading & { readonly shown: string } => {
  const layout = layoutOf(prompt)
  const top = readSection(layout, false)
  const parts = top.parts.filter(({ say }) => /[\p{L}\p{N}]/u.test(say))
  return { ...top, parts, shown: phrase(shownOf(layout)).masked }
}

/** Everything that is neither code nor quotation. */
const shownOf = ({ blocks, sections, title }: Section): string =>
  [title, ...blocks.map((block) => (block.kind === "opaque" ? "" : block.text)), ...sections.map(shownOf)].join("\n\n")

// --- sections -----------------------------------------------------------------------------------------------------

const readSection = (section: Section, isDescribed: boolean): Reading => {
  const own = readBlocks(section)
  const described = isDescribed || own.whole || isWhole(labelOf(section.title))
  const children = section.sections.map((child): Child => {
    const read = readSection(child, described)
    // `Find notes by title` is what a program is to do, when it describes one
    const parts = read.parts.map((part) =>
      described && part.grade === "inform" ? { ...part, grade: "make" as const } : part
    )
    const isListed = parts.some(({ listed }) => listed)
    return { section: child, role: roleOf(child.title), ...read, parts, isListed }
  })
  const working = children.filter((child) => isWork(child, described))
  for (const child of children) if (!working.includes(child)) addBackground(own, child)
  const [only] = working
  if (only === undefined) return own
  const { parts } = own
  // `# Notes app` says what its sections are parts of
  if (working.length > 1 && section.title !== "" && roleOf(section.title) === null) own.context.unshift(section.title)
  // it says what all is for: `Build a shop.`, `Tidy docs.`
  if (parts.length === 1 && (own.whole || working.length > 1) && parts[0]?.number === null) {
    own.context.push(...parts.map(({ own: words }) => words))
    own.parts = []
    // of a whole, one section alone is not all there is to do
    if (working.length === 1 && only.role !== "work" && section.sections.length > 0)
      own.unowned ??= parts[0]?.say ?? null
  }
  for (const [at, child] of working.entries()) addParts(own, child, at, working.length > 1)
  return own
}

const isWork = ({ isListed, parts, role, section, unowned }: Child, described: boolean): boolean => {
  if (role === "info" || (role === "intro" && section.sections.length === 0)) return false
  if (role === "limit") return isListed && parts.length > 1
  if (parts.length > 0 || countOf(section.title) !== null || asks(section.title)) return true
  const body = bodyOf(section)
  return role === null && described && body !== "" && (unowned !== null || !facts.test(body.split("\n", 1)[0] ?? ""))
}

/** It says how things are, or what was done. */
const facts =
  /\b(?:is|are|was|were|has|have|had|we|our|i|my|currently|already|today)\b|(?:ている|ています|です|である|した|ました|います|あります)[。．]?$/iu

const isBackground = (label: string): boolean => /^(?:context|background|背景)$/iu.test(label)

const limited = (label: string, said: string): string =>
  isPlainLimit(label) || label === "" ? said : `${labelOf(label)}: ${said}`

const addBackground = (to: Reading, { context, limits, role, section }: Child): void => {
  if (role === "limit")
    to.limits.push(...[...context, ...limits].filter(Boolean).map((line) => limited(section.title, line)))
  else {
    const body = bodyOf(section)
    const isPlain = role === "intro" || isBackground(labelOf(section.title))
    to.limits.push(...limits)
    to.context.push(isPlain ? body : [`${unended(section.title)}:`, body].join("\n").trim())
  }
}

/** A section with work: its points are parts, or it is one part. */
const addParts = (to: Reading, child: Child, at: number, isOneOfSeveral: boolean): void => {
  const { context, isListed, limits, parts, role, section, unowned } = child
  const count = countOf(section.title)
  const group = 1_000 + at
  to.limits.push(...limits)
  if (!isOneOfSeveral || (isListed && count === null)) {
    to.unowned = unowned ?? to.unowned
    to.context.push(...context)
    const under = isOneOfSeveral && role === null ? section.title : ""
    to.parts = [...to.parts, ...parts.map((part) => ({ ...part, under, group: part.group + group * 1_000 }))]
    return
  }
  const title = section.title.replaceAll(/\*\*|__/gu, "")
  const body = bodyOf(section)
  const one: Part = {
    ...plain,
    ...count,
    own: section.title,
    say: body === "" ? title : `${unended(title)}: ${body}`,
    inner: parts,
    verb: parts[0]?.verb ?? "",
    object: phrase(title),
    grade: parts.length > 0 && parts.every(({ grade }) => grade === "inform") ? "inform" : "make",
    listed: true,
    group
  }
  to.parts = [...to.parts, one]
}

// --- blocks -------------------------------------------------------------------------------------------------------

const readBlocks = ({ blocks, title }: Section): Growing => {
  const to: Growing = { ...nothing, parts: [], limits: [], context: [] }
  const role = roleOf(title)
  for (const [at, block] of blocks.entries()) {
    const next = blocks[at + 1]
    if (block.kind === "text") {
      const isLabel = next?.kind === "list" && !/[\n:：]/u.test(block.text) && roleOf(block.text) !== null
      if (role === "limit" || role === "info") to.context.push(...block.text.split("\n"))
      else if (isLabel && !asks(block.text)) to.label = block.text
      else addText(to, block.text)
      continue
    }
    if (block.kind === "list") addList(to, block, title, next?.kind === "text" ? next.text : "")
    else if (to.lead?.parts === 1) addDetail(to, block.text)
    else to.context.push(block.text)
    to.lead = null
  }
  return to
}

/** More about the part that was named last. */
const addDetail = (to: Growing, text: string, points: ReadonlyArray<string> = []): void => {
  const last = to.parts.at(-1)
  if (last === undefined) to.context.push(text)
  else {
    const more = { ...last, details: [...last.details, text], points: [...last.points, ...points] }
    to.parts = [...to.parts.slice(0, -1), more]
  }
}

/** Text by the labels that stand at the beginning of its lines: `Constraints: …`. */
const addText = (to: Growing, text: string): void => {
  const stretches: Array<{ readonly label: string; readonly lines: Array<string> }> = [{ label: "", lines: [] }]
  for (const line of text.split("\n")) {
    const [, label = "", rest = ""] = /^([^:：\n]{1,60})[:：](?=\s|$|\P{ASCII})\s*(.*)$/u.exec(line) ?? []
    const role = asks(label) ? null : roleOf(label)
    if (role !== null && (role !== "work" || rest === "" || asks(rest))) stretches.push({ label, lines: [rest] })
    else stretches.at(-1)?.lines.push(line)
  }
  for (const { label, lines } of stretches) {
    const said = lines.join("\n").trim()
    const role = roleOf(label)
    if (label !== "" && said === "") to.label = label
    else if (label === "" || role === "work") addProse(to, said)
    else if (role === "limit") to.limits.push(limited(label, oneLine(said)))
    else to.context.push(isBackground(label) ? said : `${label}: ${said}`)
  }
}

const addProse = (to: Growing, text: string): void => {
  const first = to.parts.length
  to.lead = null
  for (const sentence of text === "" ? [] : readText(text)) {
    const before = to.parts.length
    addSentence(to, sentence, before > first)
    to.lead = { sentence, parts: to.parts.length - before }
    to.label = null
    to.concludes = false
  }
}

const refersBack = /^(?:It|Its|This|That|The|そ[のれ]|こ[のれ])(?![A-Za-z])/u
const announcing =
  /^(?:two|three|four|five|some|several|a few|\d+) (?:more |other |small )?(?:things|changes|tasks|improvements|fixes|features)\b/iu
const alone = /^(?:it|this|that)(?![\w-])|^(?:それ|これ)$/iu

const addSentence = (to: Growing, { ban, kind, requests, text, whole }: Sentence, hasBefore: boolean): void => {
  if (ban !== null) to.limits.push(ban)
  if (whole) to.whole = true
  const [first] = requests
  const isMore =
    kind === "work"
      ? // `Return 404 then.`, `Style it.`
        first?.marker === null && (first.grade === "behave" || alone.test(first.object.text))
      : kind === "unclear" || refersBack.test(text)
  if (kind === "limit") to.limits.push(text)
  else if (hasBefore && isMore) addDetail(to, text, [text])
  else if (kind === "unclear") to.unowned ??= text
  // `We need three things.`
  else if (first === undefined || (requests.length === 1 && announcing.test(first.object.text))) to.context.push(text)
  else {
    // what is about the list before is no part, though it may say more
    const about = to.concludes ? requests.filter(isAboutList) : []
    if (about.some(({ object }) => object.text.split(/\s/u).length > 3 || place.test(object.masked)))
      to.context.push(text)
    const group = ++to.group
    const others = requests.filter((one) => !about.includes(one))
    to.parts = [...to.parts, ...others.map((request) => ({ ...plain, ...request, group }))]
  }
}

// --- lists --------------------------------------------------------------------------------------------------------

const addList = (to: Growing, { entries, text }: List, title: string, next: string): void => {
  const { label: given, lead } = to
  const label = given ?? title
  to.label = null
  const open = entries.filter(({ done }) => !done)
  to.context.push(...entries.filter(({ done }) => done).map((entry) => `Already done: ${entry.text}`))
  const isLed = lead !== null && lead.parts > 0
  const following = isLed || next === "" ? undefined : readText(next)[0]?.requests.find(isAboutList)
  const kind = kindOfList(open, label, lead === null ? null : { ...lead.sentence, whole: to.whole })
  const points = open.map((entry) => [entry.text, entry.more].filter(Boolean).join("\n"))
  if (open.length > 1 && (kind === "work" || (following !== undefined && kind !== "limit"))) {
    to.concludes = following !== undefined
    addEntries(to, open, following ?? lead?.sentence.requests.at(-1) ?? null, label)
  } else if (kind === "limit")
    to.limits.push(...points.map((said) => (roleOf(given ?? "") === "limit" ? limited(given ?? "", said) : said)))
  else if (kind === "details" && lead?.parts === 1) addDetail(to, text, points)
  // a list of one point is a sentence
  else if (kind === "work" && open.length === 1) addProse(to, points.join("\n"))
  else {
    if (kind === "unsure") to.unowned ??= open.find((entry) => !asks(entry.text))?.text ?? text
    to.context.push(given === null ? text : `${given}:\n${text}`)
  }
}

/** What a request says beside its verb and what that is about: where, or how. */
const restOf = ({ object, own, say, verb }: Request): string => {
  const rest = say.replace(object.text.replaceAll(/\s+/gu, " "), " ").replace(/^(?:i|we)\s+\S+/iu, "")
  const said = isJapanese(own) ? rest.replace(verb, "").replace(/^[をがも\s]+|の?お願い.*$/gu, "") : rest
  return said
    .replace(new RegExp(`(?<![\\p{L}\\p{N}])${escaped(verb)}(?![\\p{L}\\p{N}])`, "iu"), "")
    .replaceAll(/[\s:：.。．]+/gu, "")
}

const saysMore = (request: Request): boolean => !saysNothing.test(request.object.text) || restOf(request) !== ""

/** Ends with a word that what stands below goes on with: `Write tests for:`. */
const open = /\s(?:for|in|to|into|of|from|with|by|about)$/iu

/** The request above a list of things, where each is to be read with it; empty: its verb is enough. */
const leadOf = ({ requests, text }: Sentence): string => {
  const [request] = requests
  if (request === undefined || requests.length > 1 || text.length > 200 || text.includes("\n")) return ""
  const said = request.say.replace(/[\s:：.。．]+$/u, "")
  const { masked } = request.object
  const isPlaced = place.test(masked) || /[にへで](?=.)/u.test(masked) || open.test(said) || restOf(request) !== ""
  return isPlaced ? said : ""
}

const saysNothing = /^(?:(?:the following|these|this)(?: \w+)?|(?:以下|次)(?:の\S{1,8})?)?[:：]?$/iu
const isTitle = /^(?!.*\b(?:is|are|needs?|has|have|we|i)\b).{1,40}[:：]$/iu

/** The points of a list as parts; what was said above them to announce them is no part. */
const addEntries = (to: Growing, entries: ReadonlyArray<Entry>, request: Request | null, label: string): void => {
  const { lead } = to
  const [first] = to.parts
  if (to.whole && to.parts.length === 1 && first?.listed === false) {
    // `Build a library. …` and its parts
    to.parts = []
    to.context.push(first.own, ...first.details)
  }
  // beside requests, what does not look like one is another in words that are not known
  const given = entries.some(({ text }) => asks(text)) ? null : request
  const above = to.parts.length > 0 && lead !== null && lead.parts > 0 ? lead : null
  const led = above === null || given === null ? "" : leadOf(above.sentence)
  if (above !== null) {
    to.parts = to.parts.slice(0, -above.parts)
    if (led === "" && above.sentence.requests.some(saysMore)) to.context.push(above.sentence.text)
  }
  // `Backend:` above a list is a heading
  const under = lead?.sentence.kind === "statement" && isTitle.test(lead.sentence.text) ? (to.context.pop() ?? "") : ""
  const group = ++to.group
  const areSteps = isOrdered(`${label}\n${lead?.sentence.text ?? ""}`)
  for (const { below, more, number, step, text } of entries) {
    const asked = asks(text) ? readText(text)[0]?.requests[0] : undefined
    const say = given === null ? text.replace(/^(?:\*\*|__)(.*?)(?:\*\*|__)/u, "$1") : asRequest(given, text)
    const part: Part = {
      ...plain,
      own: text,
      say: /[^.。]\.$/u.test(say) && !/\. /u.test(say) ? say.slice(0, -1) : say,
      under: under.replace(/[:：]$/u, ""),
      lead: led,
      details: more === "" ? [] : [more],
      points: below.filter((point) => point !== ""),
      verb: (asked ?? request)?.verb ?? "",
      object: asked?.object ?? phrase(text),
      grade: (asked ?? request)?.grade ?? "make",
      marker: asked?.marker ?? null,
      number,
      step: step || (areSteps && number !== null),
      listed: true,
      group
    }
    to.parts = [...to.parts, part]
  }
}

/** A part as it is asked for: with the request above its list, where there is more in that than a verb. */
export const askedFor = ({ lead, own, say }: Pick<Part, "lead" | "own" | "say">): string => {
  if (lead === "") return say
  return open.test(lead) ? `${lead} ${own}` : isJapanese(lead) ? `${lead}：${own}` : `${lead}: ${own}`
}

/** A point that only names a thing, as a request. */
const asRequest = ({ own, verb }: Request, text: string): string => {
  if (isJapanese(own)) return `${text.replace(/[。．]$/u, "")}を${verb}`
  const said = verb === "need" ? "Add" : verb === "do" ? "" : capital(verb)
  const isStated = /\s(?:is|are|does|do|has|doesn't|don't|isn't|fails|crashes|should|must)\s/u.test(text)
  return `${said}${isStated ? ":" : ""} ${text}`.trim()
}
