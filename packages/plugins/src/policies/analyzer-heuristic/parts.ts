import { countOf, isOrdered, isPlainLimit, labelOf, type Role, roleOf } from "./labels.ts"
import { isAboutList, kindOfList } from "./lists.ts"
import { type Block, bodyOf, type Entry, layoutOf, type Section } from "./markdown.ts"
import { asks, isWhole, readText } from "./read.ts"
import type { Grade, Marker, Request, Sentence } from "./requests.ts"
import { capital, isJapanese, oneLine, phrase } from "./text.ts"

/** A part of the task as the user's words name it. */
export interface Part {
  /** Where the user names it, word for word. */
  readonly own: string
  /** A request that is complete in itself. */
  readonly say: string
  /** Heading that tells it from parts under other headings; empty: none. */
  readonly under: string
  /** What else the user says of it, as it was written. */
  readonly details: ReadonlyArray<string>
  /** What has to be true of it, each by itself. */
  readonly points: ReadonlyArray<string>
  /** The requests it consists of, when a whole section is one part. */
  readonly inner: ReadonlyArray<Part>
  readonly verb: string
  /** What it is about, without the verb. */
  readonly object: string
  readonly grade: Grade
  readonly marker: Marker | null
  /** Number that the user gave it. */
  readonly number: number | null
  /** One of a sequence of steps. */
  readonly step: boolean
  readonly listed: boolean
  readonly joined: boolean
  /** Which of the user's sentences or lists it is from. */
  readonly group: number
}

/** A prompt, or a section of it, as it was read. */
export interface Reading {
  readonly parts: ReadonlyArray<Part>
  /** Sentences that every part has to obey. */
  readonly limits: ReadonlyArray<string>
  /** Everything else that the user says: it may matter to every part. */
  readonly context: ReadonlyArray<string>
  /** Words that seem to ask for something that is in none of the parts; null: none. */
  readonly unowned: string | null
}

interface Growing {
  parts: Array<Part>
  readonly limits: Array<string>
  readonly context: Array<string>
  unowned: string | null
  /** The sentence that stands directly before, and how many parts it made. */
  lead: { readonly sentence: Sentence; readonly parts: number } | null
  /** The label that stands directly above. */
  label: string | null
  /** A whole of parts is to be made. */
  whole: boolean
  /** Its parts are points of lists. */
  listed: boolean
  group: number
}

/** What a prompt asks for, part by part. */
export const readPrompt = (prompt: string): Reading & { readonly shown: string } => {
  const layout = layoutOf(prompt)
  const top = readSection(layout, false)
  return {
    ...top,
    parts: top.parts.filter(({ say }) => /[\p{L}\p{N}]/u.test(say)),
    shown: phrase(shownOf(layout)).masked
  }
}

/** Everything that is neither code nor quotation. */
const shownOf = ({ blocks, sections, title }: Section): string =>
  [title, ...blocks.map((block) => (block.kind === "opaque" ? "" : block.text)), ...sections.map(shownOf)].join("\n\n")

// --- sections -----------------------------------------------------------------------------------------------------

type Read = Omit<Growing, "lead" | "label" | "group">

interface Child extends Read {
  readonly section: Section
  readonly role: Role
}

const readSection = (section: Section, isDescribed: boolean): Read => {
  const own = readBlocks(section)
  const described = isDescribed || own.whole || isWhole(labelOf(section.title))
  const children = section.sections.map((child): Child => {
    const read = readSection(child, described)
    const parts = described ? read.parts.map(asBehaviour) : read.parts
    return { section: child, role: roleOf(child.title), ...read, parts }
  })
  const working = children.filter((child) => isWork(child, described))
  for (const child of children) if (!working.includes(child)) addBackground(own, child)
  const [only] = working
  if (only === undefined) return own
  const { parts } = own
  // `# Notes app` says what its sections are parts of
  if (working.length > 1 && section.title !== "" && roleOf(section.title) === null) own.context.unshift(section.title)
  const introduces = parts.length === 1 && (own.whole || working.length > 1) && parts.every(isIntroduction)
  if (introduces) {
    own.context.push(...parts.map(({ own: words }) => words))
    own.parts = []
    // of a whole, one section alone is not all there is to do
    if (working.length === 1 && only.role !== "work" && section.sections.length > 0)
      own.unowned ??= parts[0]?.say ?? null
  }
  for (const [at, child] of working.entries()) addParts(own, child, at, working.length > 1)
  return { ...own, listed: own.listed || (working.length === 1 && only.listed) }
}

/** `Find notes by title` is what a program is to do, when it describes one. */
const asBehaviour = (part: Part): Part =>
  part.grade === "inform" && /^(?:find|list|compare|check|tell|look|report|summari[sz]e|identify)$/u.test(part.verb)
    ? { ...part, grade: "behave" }
    : part

/** It says what all is for: `Build a shop.`, `Tidy docs.` */
const isIntroduction = ({ inner, number }: Part): boolean => inner.length === 0 && number === null

const isWork = ({ listed, parts, role, section, unowned }: Child, described: boolean): boolean => {
  if (role === "info" || (role === "intro" && section.sections.length === 0)) return false
  if (role === "limit") return listed && parts.length > 1
  if (parts.length > 0 || countOf(section.title) !== null || asks(section.title)) return true
  const body = bodyOf(section)
  return role === null && described && body !== "" && (unowned !== null || !facts.test(body.split("\n", 1)[0] ?? ""))
}

/** It says how things are, or what was done. */
const facts =
  /\b(?:is|are|was|were|has|have|had|we|our|i|my|currently|already|today)\b|(?:ている|ています|です|である|した|ました|います|あります)[。．]?$/iu

const addBackground = (to: Read, { context, limits, role, section }: Child): void => {
  const body = bodyOf(section)
  if (role === "limit") {
    const said = [...context, ...limits].filter((line) => line !== "")
    to.limits.push(...said.map((line) => (isPlainLimit(section.title) ? line : `${labelOf(section.title)}: ${line}`)))
  } else {
    to.limits.push(...limits)
    to.context.push(
      role === "intro" || /^(?:context|background|背景)$/iu.test(labelOf(section.title))
        ? body
        : [`${section.title}:`, body].join("\n").trim()
    )
  }
}

/** A section with work: its points are parts, or it is one part. */
const addParts = (to: Read, child: Child, at: number, isOneOfSeveral: boolean): void => {
  const { context, limits, listed, parts, role, section, unowned } = child
  to.limits.push(...limits)
  const group = 1_000 + at
  if (!isOneOfSeveral || (listed && countOf(section.title) === null)) {
    if (unowned !== null) to.unowned ??= unowned
    to.context.push(...context)
    const under = isOneOfSeveral && role === null ? section.title : ""
    to.parts.push(...parts.map((part) => ({ ...part, under, group: part.group + group * 1_000 })))
    return
  }
  const title = section.title.replaceAll(/\*\*|__/gu, "")
  const count = countOf(title)
  const body = bodyOf(section)
  const [first] = parts
  to.parts.push({
    own: section.title,
    say: body === "" ? title : `${title}: ${body}`,
    under: "",
    details: [],
    points: [],
    inner: parts,
    verb: first?.verb ?? "",
    object: title,
    grade: first === undefined || parts.some(({ grade }) => grade !== "inform") ? "make" : "inform",
    marker: null,
    number: count?.number ?? null,
    step: count?.step ?? false,
    listed: true,
    joined: false,
    group
  })
}

// --- blocks -------------------------------------------------------------------------------------------------------

const readBlocks = ({ blocks, title }: Section): Read => {
  const to: Growing = {
    parts: [],
    limits: [],
    context: [],
    unowned: null,
    lead: null,
    label: null,
    whole: false,
    listed: false,
    group: 0
  }
  const role = roleOf(title)
  let about = false
  for (const [at, block] of blocks.entries()) {
    const next = blocks[at + 1]
    if (block.kind === "text") {
      addText(to, block.text, role, next?.kind === "list", about)
      about = false
    } else if (block.kind === "list") about = addList(to, block, title, next)
    else if (to.lead?.parts === 1) detail(to, block.text)
    else to.context.push(block.text)
    if (block.kind !== "text") to.lead = null
  }
  return to
}

/** More about the part that was named last. */
const detail = (to: Growing, text: string, points: ReadonlyArray<string> = []): void => {
  const last = to.parts.at(-1)
  if (last === undefined) to.context.push(text)
  else
    to.parts = [
      ...to.parts.slice(0, -1),
      { ...last, details: [...last.details, text], points: [...last.points, ...points] }
    ]
}

/** Text by the labels that stand at the beginning of its lines: `Constraints: …`. */
const addText = (to: Growing, text: string, role: Role, isBeforeList: boolean, isAfterList: boolean): void => {
  if (role === "limit" || role === "info") {
    to.context.push(...text.split("\n"))
    return
  }
  const lines: Array<{ readonly label: string | null; text: string }> = [{ label: null, text: "" }]
  for (const line of text.split("\n")) {
    const [, label, rest = ""] = /^([^:：\n]{1,60})[:：](?=\s|$|\P{ASCII})\s*(.*)$/u.exec(line) ?? []
    const alone = isBeforeList && line === text && roleOf(line) !== null && !asks(line)
    const isLabel =
      label !== undefined && roleOf(label) !== null && !asks(label) && (roleOf(label) !== "work" || rest === "")
    if (isLabel || alone) lines.push({ label: label ?? line, text: alone ? "" : rest })
    else (lines.at(-1) as { text: string }).text += `\n${line}`
  }
  for (const { label, text: said } of lines) {
    if (label === null) addProse(to, said.trim(), isAfterList)
    else if (said.trim() === "") to.label = label
    else if (roleOf(label) === "limit")
      to.limits.push(isPlainLimit(label) ? oneLine(said) : `${label}: ${oneLine(said)}`)
    else if (roleOf(label) === "work") addProse(to, said.trim(), false)
    else to.context.push(/^(?:context|background|背景)$/iu.test(label) ? said.trim() : `${label}: ${said.trim()}`)
  }
}

const addProse = (to: Growing, text: string, isAfterList: boolean): void => {
  to.lead = null
  const lists = inlineList(text)
  if (lists !== null) {
    addProse(to, lists.before, false)
    addList(to, { kind: "list", text: lists.text, entries: lists.entries }, "", undefined)
    addProse(to, lists.after, false)
    return
  }
  const first = to.parts.length
  const sentences = text === "" ? [] : readText(text)
  for (const [at, sentence] of sentences.entries()) {
    const before = to.parts.length
    addSentence(to, sentence, before > first, isAfterList && at === 0)
    to.lead = { sentence, parts: to.parts.length - before }
    to.label = null
  }
}

const refersBack = /^(?:It|Its|This|That|The|そ[のれ]|こ[のれ])(?![A-Za-z])/u
const announcing =
  /^(?:two|three|four|five|some|several|a few|\d+) (?:more |other |small )?(?:things|changes|tasks|improvements|fixes|features)\b/iu
const alone = /^(?:it|this|that)(?![\w-])|^(?:それ|これ)$/iu

const addSentence = (to: Growing, sentence: Sentence, hasBefore: boolean, isAboutTheList: boolean): void => {
  const { ban, kind, requests, text, whole } = sentence
  if (ban !== null) to.limits.push(ban)
  if (whole) to.whole = true
  switch (kind) {
    case "limit":
      to.limits.push(text)
      return
    case "unclear":
      if (hasBefore) detail(to, text, [text])
      else to.unowned ??= text
      return
    case "question":
    case "statement":
      if (hasBefore && refersBack.test(text)) detail(to, text, [text])
      else to.context.push(text)
      return
    case "work": {
      to.group++
      const [first] = requests
      // `We need three things.`
      if (requests.length === 1 && first !== undefined && announcing.test(first.object.text)) {
        to.context.push(text)
        return
      }
      // `Return 404 then.`, `Style it.`: more about what was asked for before
      if (hasBefore && first?.marker === null && (first.grade === "behave" || alone.test(first.object.text)))
        detail(to, text, [text])
      else {
        const about = isAboutTheList ? requests.filter(isAboutList) : []
        if (about.some(({ object }) => object.text.split(/\s/u).length > 3)) to.context.push(text)
        to.parts.push(...requests.filter((one) => !about.includes(one)).map((request) => partOf(request, to.group)))
      }
    }
  }
}

const partOf = ({ object, ...request }: Request, group: number): Part => ({
  ...request,
  object: object.text,
  under: "",
  details: [],
  points: [],
  inner: [],
  number: null,
  step: false,
  group
})

// --- lists --------------------------------------------------------------------------------------------------------

/** Whether the text after it is about its points. */
const addList = (
  to: Growing,
  { entries, text }: Extract<Block, { kind: "list" }>,
  title: string,
  next: Block | undefined
): boolean => {
  const { lead } = to
  const { label: given } = to
  const label = given ?? title
  to.label = null
  const open = entries.filter(({ done }) => !done)
  if (open.length < entries.length)
    to.context.push(...entries.filter(({ done }) => done).map((entry) => `Already done: ${entry.text}`))
  const following =
    next?.kind === "text" && (lead === null || lead.parts === 0)
      ? readText(next.text)[0]?.requests.find(isAboutList)
      : undefined
  const kind = kindOfList(open, { lead: lead?.sentence ?? null, label, role: roleOf(label), whole: to.whole })
  const isWork = kind === "work" || (following !== undefined && kind !== "limit")
  if (isWork && open.length > 1) {
    addEntries(to, open, following ?? lead?.sentence.requests.at(-1) ?? null, `${label}\n${lead?.sentence.text ?? ""}`)
    return following !== undefined
  }
  if (kind === "limit") to.limits.push(...open.map((entry) => limitOf(entry, given ?? "")))
  else if (kind === "details" && lead?.parts === 1) detail(to, text, open.map(wordsOf))
  // a list of one point is a sentence
  else if (kind === "work" && open.length === 1) addProse(to, open.map(wordsOf).join("\n"), false)
  else {
    if (kind === "unsure") to.unowned ??= open.find((entry) => !asks(entry.text))?.text ?? text
    to.context.push(given === null ? text : `${given}:\n${text}`)
  }
  return false
}

const wordsOf = ({ more, text }: Entry): string => [text, more].filter(Boolean).join("\n")

const limitOf = (entry: Entry, label: string): string => {
  const words = wordsOf(entry)
  return label === "" || isPlainLimit(label) || roleOf(label) !== "limit" ? words : `${labelOf(label)}: ${words}`
}

const saysNothing = /^(?:(?:the following|these|this)(?: \w+)?|(?:以下|次)(?:の\S{1,8})?)?[:：]?$/iu
const isTitle = /^(?!.*\b(?:is|are|needs?|has|have|we|i)\b).{1,40}[:：]$/iu

/** The points of a list as parts; what was said above them to announce them is no part. */
const addEntries = (to: Growing, entries: ReadonlyArray<Entry>, request: Request | null, announced: string): void => {
  const { lead } = to
  const [first] = to.parts
  if (to.whole && to.parts.length === 1 && first?.listed === false) {
    // `Build a library. …` and its parts
    to.parts = []
    to.context.push(first.own, ...first.details)
  } else if (lead !== null && lead.parts > 0) {
    to.parts = to.parts.slice(0, -lead.parts)
    if (lead.sentence.requests.some(({ object }) => !saysNothing.test(object.text))) to.context.push(lead.sentence.text)
  }
  // `Backend:` above a list is a heading
  const under = lead?.sentence.kind === "statement" && isTitle.test(lead.sentence.text) ? (to.context.pop() ?? "") : ""
  to.group++
  to.listed = true
  const ordered = isOrdered(announced)
  // beside requests, what does not look like one is another in words that are not known
  const isMixed = entries.some(({ text }) => asks(text))
  for (const entry of entries) {
    const [asked] = readText(entry.text)[0]?.requests ?? []
    const isRequest = asked !== undefined && asks(entry.text)
    const say =
      isRequest || isMixed || request === null
        ? entry.text.replace(/^(?:\*\*|__)(.*?)(?:\*\*|__)/u, "$1")
        : asRequest(request, entry.text)
    to.parts.push({
      own: entry.text,
      say: /[^.。]\.$/u.test(say) && !/\. /u.test(say) ? say.slice(0, -1) : say,
      under: under.replace(/[:：]$/u, ""),
      details: entry.more === "" ? [] : [entry.more],
      points: entry.below.filter((point) => point !== ""),
      inner: [],
      verb: (isRequest ? asked?.verb : request?.verb) ?? "",
      object: isRequest ? (asked?.object.text ?? "") : entry.text,
      grade: (isRequest ? asked?.grade : request?.grade) ?? "make",
      marker: asked?.marker ?? null,
      number: entry.number,
      step: entry.step || (ordered && entry.number !== null),
      listed: true,
      joined: false,
      group: to.group
    })
  }
}

/** A point that only names a thing, as a request. */
const asRequest = ({ own, verb }: Request, text: string): string => {
  const [, name, more] = /^([^：\n]{1,60}?)(?:：|:\s)\s*(.{1,80})$/u.exec(text) ?? []
  if (isJapanese(own))
    return name === undefined ? `${text.replace(/[。．]$/u, "")}を${verb}` : `${name}（${more}）を${verb}`
  const said = verb === "need" ? "Add" : verb === "do" ? "" : capital(verb)
  return /\s(?:is|are|does|do|has|doesn't|don't|isn't|fails|crashes|should|must)\s/u.test(text)
    ? `${said}: ${text}`
    : `${said} ${text}`.trim()
}

const marks = [
  /[①-⑳]/gu,
  /(?<![\p{L}\p{N}])[(（](?:\d{1,2}|[a-h]|i{1,3}|iv)[)）](?=\s*\S)/gu,
  /(?<=^|[\s:：;,、。])(?:\d{1,2}|[a-h])[)）](?=\s*\S)/gu,
  /(?<=^|[\s:：;,、。])\d{1,2}\.(?=\s+\S)/gu
]
const labels = [
  "1 a i ①",
  "2 b ii ②",
  "3 c iii ③",
  "4 d iv ④",
  "5 e v ⑤",
  "6 f ⑥",
  "7 g ⑦",
  "8 h ⑧",
  "9 ⑨",
  "10 ⑩"
].map((same) => same.split(" "))

interface InlineList {
  readonly before: string
  readonly text: string
  readonly entries: ReadonlyArray<Entry>
  readonly after: string
}

/** A list within running text: `(1) … (2) …`, `a) … b) …`, `①…②…`; null: there is none. */
const inlineList = (text: string): InlineList | null => {
  if (text.length > 10_000) return null
  for (const mark of marks) {
    const found = [...text.matchAll(mark)].filter(
      ({ 0: one }, i) => labels[i]?.includes(one.replaceAll(/[()（）.]/gu, "")) === true
    )
    const [first] = found
    if (first === undefined || found.length < 2) continue
    const end = /[.!?](?=\s)|[。！？\n]/u.exec(text.slice(found.at(-1)?.index))
    const until = end === null ? text.length : (found.at(-1)?.index ?? 0) + end.index
    const entries = found.map(({ 0: { length }, index }, i): Entry => {
      const said = text.slice(index + length, found[i + 1]?.index ?? until)
      return {
        text: said.replace(/(?:[\s,;、；.。]|(?<=[\s,;、])(?:and|then|および|及び|と))+$/iu, "").trim(),
        more: "",
        below: [],
        number: i + 1,
        step: false,
        done: false
      }
    })
    return {
      before: text.slice(0, first.index).trim(),
      text: text.slice(first.index, until),
      entries,
      after: text.slice(until).replace(/^[.。!！?？\s]+/u, "")
    }
  }
  return null
}
