import { enumerated, type Stretch } from "./enumeration.ts"
import type { Clause, Grade, Marker, Sentence } from "./shapes.ts"
import { isAside, isLiteral, oneLine, type Span, type Token, tokensOf, trim } from "./text.ts"
import {
  artefacts,
  changeVerbs,
  determiners,
  doubtful,
  informVerbs,
  leads,
  limitStarts,
  makeVerbs,
  minorVerbs,
  needs,
  orderWords,
  type Phrases,
  prepositions,
  wholes
} from "./words.ts"

interface Verb {
  /** Words it consists of: `set up` has two. */
  readonly size: number
  readonly word: string
  readonly grade: Grade
}

const particles = new Set(["up", "out", "off", "down", "into"])

const matches = (tokens: ReadonlyArray<Token>, at: number, words: ReadonlyArray<string>): boolean =>
  words.every((word, i) => tokens[at + i]?.word === word)

/** The verb of a request at a word; null: none. */
const verbAt = (tokens: ReadonlyArray<Token>, at: number): Verb | null => {
  const word = tokens[at]?.word ?? ""
  const next = tokens[at + 1]?.word ?? ""
  const size = particles.has(next) && !(next === "into" && word !== "look") ? 2 : 1
  if (word === "get" && next === "rid") return { size: 3, word, grade: "change" }
  if (word === "make" && /^(?:sure|certain)$/.test(next)) return { size: 2, word, grade: "minor" }
  if (word === "set" && next !== "up") return { size: 1, word, grade: "minor" }
  if (makeVerbs.has(word)) return { size, word, grade: "make" }
  if (changeVerbs.has(word)) return { size, word, grade: "change" }
  if (informVerbs.has(word)) return { size, word, grade: "inform" }
  return minorVerbs.has(word) ? { size, word, grade: "minor" } : null
}

interface Opening {
  readonly at: number
  readonly marker: Marker | null
}

/** Order words and polite words before a verb. */
const opening = (tokens: ReadonlyArray<Token>, from: number): Opening => {
  let at = from
  let marker: Marker | null = null
  for (let more = true; more; ) {
    more = false
    if (",;:".includes(tokens[at]?.word || "-") || /^[–—-]$/.test(tokens[at]?.word ?? "")) {
      at++
      more = at < tokens.length
      continue
    }
    const done = finished(tokens, at)
    if (done > 0) {
      at += done
      marker = "then"
      more = true
      continue
    }
    const order = orderWords.get(tokens[at]?.word ?? "")?.find(([words]) => matches(tokens, at, words))
    if (order !== undefined) {
      at += order[0].length
      marker = order[1] === "also" && marker !== null ? marker : order[1]
      more = true
      continue
    }
    const lead = longest(leads, tokens, at)
    if (lead > 0) {
      at += lead
      more = true
    }
  }
  return { at, marker }
}

/** How many words say that what came before is done: `once both are done`. */
const finished = (tokens: ReadonlyArray<Token>, at: number): number => {
  if (!/^(?:once|when|after|as)$/.test(tokens[at]?.word ?? "")) return 0
  const words = tokens.slice(at, at + 6).map(({ word }) => word)
  const found =
    /^(?:once|when|after|as soon as) (?:it|that|this|they|both|all|everything|these|those|all that|all of that|both of them|all of them)(?:'s| is| are| has been| have been| was| were| has| have)? (?:done|complete|completed|finished|ready|in place|implemented|working|works|work|exist|exists)(?= |$)/.exec(
      words.join(" ")
    )
  return found === null ? 0 : found[0].split(" ").length
}

const longest = (phrases: Phrases, tokens: ReadonlyArray<Token>, at: number): number =>
  (phrases.get(tokens[at]?.word ?? "") ?? []).reduce(
    (most, words) => (words.length > most && matches(tokens, at, words) ? words.length : most),
    0
  )

const finite = new Set(
  "is are was were isn't aren't fails failed fail does doesn't do don't has have had should must can can't cannot will won't crashes crashed breaks broke broken works worked seems looks takes took".split(
    " "
  )
)
const modal = new Set("can should must will would could may might shall let lets letting helps how".split(" "))
const relative = new Set("that which who when if where whenever unless whether while until because".split(" "))
const gerund = /^(?:after|before|once)$/

/** `creating` → `create`; null: no form of a verb of making. */
const fromGerund = (word: string): string | null => {
  if (!word.endsWith("ing")) return null
  const stem = word.slice(0, -3)
  const found = [stem, `${stem}e`, stem.replace(/(\w)\1$/, "$1")].find(
    (form) =>
      makeVerbs.has(form) ||
      ["refactor", "migrate", "deploy", "port", "rewrite", "extract", "document", "fix"].includes(form)
  )
  return found ?? null
}

/** A word that can begin what a verb is about. */
const beginsObject = (tokens: ReadonlyArray<Token>, at: number, verb: Verb): boolean => {
  const word = tokens[at]?.word
  if (word === undefined || /^[,;:.!?…]+$/.test(word)) return false
  if (/^(?:and|or|then)$/.test(word) || prepositions.has(word)) return false
  if (!doubtful.has(verb.word)) return true
  return (
    determiners.has(word) ||
    isLiteral(word) ||
    /^(?:tests?|docs?|documentation|readme)$/.test(word) ||
    /[_/()]/.test(word)
  )
}

interface Segment {
  readonly from: number
  readonly to: number
  readonly marker: Marker | null
  /** Has no verb of its own: `then logout`. */
  readonly bare: boolean
}

/** Requests that one sentence coordinates. */
const segmentsOf = (tokens: ReadonlyArray<Token>, from: number, marker: Marker | null): ReadonlyArray<Segment> => {
  const segments: Array<Segment> = []
  const first = verbAt(tokens, from)
  let start = from
  let current = marker
  let bare = false
  let content = 0
  let governed: "no" | "soft" | "hard" = "no"
  let items = 0
  for (let at = from + (first?.size ?? 1); at < tokens.length; at++) {
    const { word } = tokens[at] as Token
    const joint = /^(?:[,;&]|and|then|plus|but)$/.test(word)
    if (!joint) {
      content++
      if (modal.has(word) || (word === "to" && verbAt(tokens, at + 1) !== null)) governed = "hard"
      else if (relative.has(word) && governed === "no") governed = "soft"
      continue
    }
    const comma = word === "," || word === ";"
    const next = opening(tokens, at)
    const order = next.marker
    // `then` is an opening by itself, so is a comma
    const verb = verbAt(tokens, next.at)
    if (content > 0 && next.at > at && next.at < tokens.length) {
      const employs = verb?.word === "use" && order !== null && makesBy(tokens, next.at)
      const object =
        verb !== null && (verb.grade !== "minor" || employs) && beginsObject(tokens, next.at + verb.size, verb)
      const attached = items > 0 && verb !== null && !determined(tokens, next.at + verb.size) && order === null
      const tests = verb !== null && /^(?:write|document|refactor|implement|test|fix|update)$/.test(verb.word)
      const free =
        order !== null ||
        word === ";" ||
        governed === "no" ||
        (governed === "soft" && (comma || determined(tokens, next.at + (verb?.size ?? 1)) || tests)) ||
        (governed === "hard" && tests && (comma || aboutTests(tokens, next.at)))
      const strong = verb !== null && object && free && !attached && !companions(tokens, next.at + verb.size)
      const inherits =
        verb === null && (order === "then" || order === "last") && governed === "no" && noun(tokens, next.at)
      if (strong || inherits) {
        segments.push({ from: start, to: at, marker: current, bare })
        start = next.at
        current = order
        bare = inherits
        content = inherits ? 1 : 0
        governed = "no"
        items = 0
        at = next.at + (inherits ? 0 : (verb?.size ?? 1) - 1)
        continue
      }
    }
    if (word === ",") items++
    at = Math.max(at, Math.min(next.at, tokens.length) - 1)
  }
  segments.push({ from: start, to: tokens.length, marker: current, bare })
  return segments
}

/** `use it to implement B` asks for B. */
const makesBy = (tokens: ReadonlyArray<Token>, at: number): boolean =>
  tokens.slice(at + 1, at + 7).some(({ word }, i) => {
    const made = verbAt(tokens, at + 2 + i)?.grade
    return word === "to" && (made === "make" || made === "change")
  })

const determined = (tokens: ReadonlyArray<Token>, at: number): boolean => {
  const word = tokens[at]?.word ?? ""
  return determiners.has(word) || isLiteral(word) || /^(?:tests?|docs?|documentation)$/.test(word)
}

const aboutTests = (tokens: ReadonlyArray<Token>, at: number): boolean =>
  tokens.slice(at, at + 5).some(({ word }) => /^(?:tests?|docs?|documentation|readme)$/.test(word))

/** What must change together with what was said before: `and update all callers`. */
const companions = (tokens: ReadonlyArray<Token>, at: number): boolean =>
  tokens
    .slice(at, at + 4)
    .some(({ word }) => /^(?:callers|usages?|imports|references|call-?sites|occurrences|importers)$/.test(word))

const noun = (tokens: ReadonlyArray<Token>, at: number): boolean => {
  const word = tokens[at]?.word ?? ""
  return (
    /[\p{L}\p{N}\uE000\uE001]/u.test(word) &&
    !/^(?:it|they|he|she|we|you|i|there|if|when|the user|this|that)$/.test(word) &&
    !finite.has(tokens[at + 1]?.word ?? "")
  )
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)

/** A stretch without the punctuation at its end. */
const bareSpan = (text: string, span: Span): Span => {
  const { end, start } = trim(text, span)
  const mark = /[\s.,;:!?…。]+$/u.exec(text.slice(Math.max(start, end - 40), end))
  return { start, end: end - (mark?.[0].length ?? 0) }
}

const bans = /^(?:do not|don't|never|must not|should not|avoid) /

/** Where a request ends and what it forbids begins: `…, and do not change the tests`; null: it forbids nothing. */
const banIn = (tokens: ReadonlyArray<Token>): { readonly until: number; readonly from: number } | null => {
  if (tokens.at(-1)?.word === ":") return null
  let governed = false
  for (let at = 0; at < tokens.length; at++) {
    const { word } = tokens[at] as Token
    governed ||= relative.has(word) || modal.has(word)
    if (at === 0 || !/^(?:[,;]|and|but)$/.test(word)) continue
    const next = opening(tokens, at)
    const words = tokens.slice(next.at, next.at + 3).map((token) => token.word)
    const found = bans.exec(words.join(" "))
    if (found === null) continue
    // `a page that users see, but do not change`: theirs, not a ban
    const verb = verbAt(tokens, next.at + (found[0].match(/ /g)?.length ?? 1))
    if (
      !governed ||
      (word !== "and" && (verb?.grade === "make" || verb?.grade === "change" || words.at(-1) === "touch"))
    )
      return { until: at, from: next.at }
  }
  return null
}

/** The requests of an English sentence. */
export const readEnglish = (text: string, masked: string, span: Span): Sentence => {
  const all = trim(text, span)
  const found = tokensOf(masked, all).filter(({ word }) => !isAside(word))
  const ban = banIn(found)
  const cut = ban === null ? undefined : found[ban.until - 1]
  if (ban === null || cut === undefined) return readRequests(text, masked, all)
  const sentence = readRequests(text, masked, { start: all.start, end: cut.end })
  return sentence.kind === "limit"
    ? { ...sentence, own: all }
    : { ...sentence, ban: { start: (found[ban.from] as Token).start, end: all.end } }
}

const readRequests = (text: string, masked: string, own: Span): Sentence => {
  const tokens = tokensOf(masked, own).filter(({ word }) => !isAside(word))
  const statement: Sentence = { own, kind: "statement", clauses: [] }
  const start = opening(tokens, 0)
  if (start.at >= tokens.length) return statement
  if (limits(tokens, start.at)) return { ...statement, kind: "limit" }
  if (gerund.test(tokens[start.at]?.word ?? "")) {
    const clauses = subordinate(text, masked, tokens, start.at, own.end)
    if (clauses.length > 0) return { own, kind: "work", clauses }
  }
  const found = requestAt(text, tokens, start)
  if (found === null) {
    const listed = labelled(text, masked, tokens, start)
    return listed === null ? statement : { own, kind: "work", clauses: [listed] }
  }
  const clauses = clausesOf(text, masked, tokens, found, own.end)
  return clauses.length === 0 ? statement : { own, kind: "work", clauses }
}

interface Request extends Opening {
  /** What is said before the verb and belongs to all of it: `In src/a.ts`. */
  readonly prefix: string
  /** Words of a need that stand for a verb; 0: it has a verb. */
  readonly need: number
}

/** Labels that say nothing about the request after them. */
const announces =
  /^(?:(?:my|the|your|feature)\s+)?(?:task|todo|to-do|goal|request|feature|issue|objective|work|action)s?$/iu

/** What only limits the work. */
const limits = (tokens: ReadonlyArray<Token>, at: number): boolean => {
  const size = longest(limitStarts, tokens, at)
  return size > 0 && /[\p{L}\p{N}\uE000\uE001]/u.test(tokens[at + size]?.word ?? "")
}

const requestAt = (text: string, tokens: ReadonlyArray<Token>, { at, marker }: Opening): Request | null => {
  if (isRequest(tokens, at)) {
    const colon = announced(tokens, at)
    if (colon === null) return { at, marker, prefix: "", need: 0 }
    const after = opening(tokens, colon + 1)
    const lead = slice(text, tokens, at, colon)
    return { at: after.at, marker: after.marker ?? marker, prefix: announcing.test(lead) ? "" : lead, need: 0 }
  }
  const need = longest(needs, tokens, at)
  if (need > 0 && noun(tokens, at + need) && tokens[at + need]?.word !== "to") return { at, marker, prefix: "", need }
  const colon = tokens.findIndex(({ word }, i) => i > at && word === ":")
  if (colon > at && colon - at <= 8) {
    const after = opening(tokens, colon + 1)
    if (isRequest(tokens, after.at))
      return {
        at: after.at,
        marker: after.marker ?? marker,
        prefix:
          colon - at <= 4 && !announces.test(slice(text, tokens, at, colon)) ? slice(text, tokens, at, colon) : "",
        need: 0
      }
  }
  if (/^(?:in|on|for|inside|within|using|under|at|with|from|to|as part of)$/.test(tokens[at]?.word ?? "")) {
    for (let comma = at + 1; comma < Math.min(tokens.length, at + 25); comma++) {
      if (tokens[comma]?.word !== ",") continue
      const after = opening(tokens, comma + 1)
      if (isRequest(tokens, after.at))
        return { at: after.at, marker: after.marker ?? marker, prefix: slice(text, tokens, at, comma), need: 0 }
    }
  }
  return null
}

/** Where `do the following:` or `set up the project:` ends, when requests come after it; null: it announces nothing. */
const announced = (tokens: ReadonlyArray<Token>, at: number): number | null => {
  const colon = tokens.findIndex(({ word }, i) => i > at && i < at + 14 && word === ":")
  const after = opening(tokens, colon + 1).at
  const verb = verbAt(tokens, after)
  return colon !== -1 && verb !== null && isRequest(tokens, after) && beginsObject(tokens, after + verb.size, verb)
    ? colon
    : null
}

const announcing = /\b(?:following|these|things|tasks|steps|changes|do)\b/iu

const slice = (text: string, tokens: ReadonlyArray<Token>, from: number, to: number): string =>
  oneLine(text.slice(tokens[from]?.start ?? 0, tokens[to - 1]?.end ?? 0))

const isRequest = (tokens: ReadonlyArray<Token>, at: number): boolean => {
  const verb = verbAt(tokens, at)
  if (verb === null) return tokens[at]?.word === "do" && tokens.some(({ word }, i) => i > at && word === ":")
  const after = tokens.slice(at + verb.size, at + verb.size + 2).map(({ word }) => word)
  if (finite.has(after[0] ?? "")) return false
  if (after[0] !== undefined && !/[\p{L}\p{N}\uE000-\uE002#,:]/u.test(after[0])) return false
  return !(finite.has(after[1] ?? "") && !determiners.has(after[0] ?? "")) || after[0] === ","
}

const clausesOf = (
  text: string,
  masked: string,
  tokens: ReadonlyArray<Token>,
  { at, marker, need, prefix }: Request,
  closing: number
): ReadonlyArray<Clause> => {
  const segments = segmentsOf(tokens, at, marker)
  let verb: Verb & { readonly said: string } = { size: 0, word: "", grade: "make", said: "" }
  return segments.map(({ bare, from, marker: order, to }, i): Clause => {
    const here = verbAt(tokens, from)
    if (i === 0 && need > 0)
      verb = { size: need, word: "need", grade: "make", said: slice(text, tokens, from, from + need) }
    else if (!bare && here !== null) verb = { ...here, said: slice(text, tokens, from, from + here.size) }
    const object = from + (bare ? 0 : verb.size)
    const end = to < tokens.length ? (tokens[to] as Token).start : (tokens.at(-1)?.end ?? 0)
    const last = to < tokens.length ? end : lastOf(masked, end, closing)
    const own = bareSpan(text, { start: (tokens[from] as Token).start, end: last })
    const stretch: Stretch = { text, masked, tokens, from: object, to, end: own.end }
    const said = `${prefix === "" ? "" : `${prefix}${/^(?:in|on|for|inside|within|using|under|at|with|from|to)\b/i.test(prefix) ? "," : ":"} `}`
    const speak = (words: string) => {
      const glue = /^[,;:]/u.test(words) ? "" : " "
      return said === "" ? capital(`${verb.said}${glue}${words}`) : `${said}${lower(verb.said)}${glue}${words}`
    }
    const listed = enumerated(stretch, verb.word, speak)
    const words = oneLine(text.slice(tokens[object]?.start ?? own.end, own.end))
    return {
      own,
      marker: order ?? (i === segments.length - 1 ? closes(verb.word, text.slice(own.start, own.end)) : null),
      verb: verb.word,
      grade: verb.word === "use" && i > 0 && makesBy(tokens, from) ? "make" : verb.grade,
      object: { start: Math.min(tokens[object]?.start ?? own.end, own.end), end: own.end },
      say: words === "" ? capital(oneLine(text.slice(own.start, own.end))) : speak(words),
      items: listed.items,
      refers: refers(tokens, object),
      whole: listed.whole
    }
  })
}

/** An order word at the end: `run the tests at the end`. A comma that is added at the end only has its place there. */
const closes = (verb: string, words: string): Marker | null => {
  const last = words.slice(-80)
  if (
    /\s(?:when|once|after|as soon as) (?:everything|all|all of (?:it|this|that|them))(?: else)?(?: is| are| has been| have been)? (?:done|finished|complete|completed|in place|ready|working)$/iu.test(
      last
    )
  )
    return "last"
  return /\s(?:at the very end|at the end|in the end)$/iu.test(last) &&
    /^(?:run|execute|verify|test|check|review|deploy|publish|release|update|document|summari[sz]e|report|clean|format|lint)$/u.test(
      verb
    )
    ? "last"
    : null
}

/** Brackets after the last word belong to it. */
const lastOf = (masked: string, end: number, closing: number): number => {
  const found = /^\s*\uE002+/u.exec(masked.slice(end, closing))
  return found === null ? end : end + found[0].length
}

const lower = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1)

const pronoun = /^(?:it|them|this|that|these|those)$/

const refers = (tokens: ReadonlyArray<Token>, at: number): boolean => {
  const word = tokens[at]?.word ?? ""
  const next = tokens[at + 1]?.word
  if (/^(?:it|them)$/.test(word)) return true
  return pronoun.test(word) && (next === undefined || /^[,;:.!?]+$/.test(next) || prepositions.has(next))
}

/** `After creating A, build B`: both are asked for, in this order. */
const subordinate = (
  text: string,
  masked: string,
  tokens: ReadonlyArray<Token>,
  at: number,
  closing: number
): ReadonlyArray<Clause> => {
  const base = fromGerund(tokens[at + 1]?.word ?? "")
  const comma = tokens.findIndex(({ word }, i) => i > at + 2 && word === ",")
  if (base === null || comma === -1) return []
  const main = opening(tokens, comma + 1)
  const verb = verbAt(tokens, main.at)
  if (verb === null || verb.grade === "minor" || !isRequest(tokens, main.at)) return []
  const rest = clausesOf(text, masked, tokens, { ...main, prefix: "", need: 0 }, closing)
  const words = slice(text, tokens, at + 2, comma)
  const own = { start: (tokens[at + 1] as Token).start, end: (tokens[comma - 1] as Token).end }
  const first: Clause = {
    own,
    marker: null,
    verb: base,
    grade: makeVerbs.has(base) ? "make" : "change",
    object: { start: (tokens[at + 2] as Token).start, end: own.end },
    say: `${capital(base)} ${words}`,
    items: [],
    refers: false,
    whole: false
  }
  const order: Marker = tokens[at]?.word === "before" ? "earlier" : "then"
  return [first, ...rest.map((clause, i) => (i === 0 ? { ...clause, marker: order } : clause))]
}

/** `Features: login, logout, search` without any verb. */
const labelled = (
  text: string,
  masked: string,
  tokens: ReadonlyArray<Token>,
  { at, marker }: Opening
): Clause | null => {
  const colon = tokens.findIndex(({ word }, i) => i > at && word === ":")
  if (colon === -1 || colon - at > 8) return null
  const label = tokens.slice(at, colon).map(({ word }) => word)
  const made = label.findIndex((word, i) => label[i - 1] === "to" && makeVerbs.has(word))
  if (made === -1 && !label.some((word) => artefacts.has(word) || wholes.has(word))) return null
  const verb = made === -1 ? "" : (label[made] ?? "")
  const end = bareSpan(text, { start: tokens[at]?.start ?? 0, end: tokens.at(-1)?.end ?? 0 }).end
  const lead = slice(text, tokens, at, colon)
  const speak = (words: string) => (verb === "" ? `${lead}: ${words}` : `${capital(verb)} ${words}`)
  const { items } = enumerated(
    { text, masked, tokens, from: at, to: tokens.length, end },
    verb === "" ? "implement" : verb,
    speak
  )
  if (items.length < 2) return null
  const own = { start: tokens[at]?.start ?? 0, end }
  return {
    own,
    marker,
    verb,
    grade: "make",
    object: own,
    say: oneLine(text.slice(own.start, end)),
    items,
    refers: false,
    whole: true
  }
}

/** The first words of a point or a line. */
const beginning = (masked: string, { end, start }: Span): ReadonlyArray<Token> =>
  tokensOf(masked, { start, end: Math.min(end, start + 200) }).filter(({ word }) => !isAside(word))

/** What words ask for that begin like a request: `Add a page`, `a.ts: add a page`; null: nothing. */
export const asksEnglish = (masked: string, span: Span): Grade | "limit" | null => {
  const tokens = beginning(masked, span)
  const { at } = opening(tokens, 0)
  if (limits(tokens, at)) return "limit"
  if (isRequest(tokens, at)) return verbAt(tokens, at)?.grade ?? null
  const colon = tokens.slice(at, at + 6).findIndex(({ word }) => word === ":")
  if (colon <= 0) return null
  const after = opening(tokens, at + colon + 1).at
  return isRequest(tokens, after) ? (verbAt(tokens, after)?.grade ?? null) : null
}

/** The order word at the beginning of a point. */
export const markerInEnglish = (masked: string, span: Span): Marker | null => opening(beginning(masked, span), 0).marker
