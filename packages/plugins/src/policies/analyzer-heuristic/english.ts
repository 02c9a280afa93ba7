import { enumerated } from "./enumeration.ts"
import { type Grade, type Marker, type Request, type Sentence, words } from "./requests.ts"
import { bare, capital, cut, oneLine, type Phrase, withoutAsides } from "./text.ts"

const verbs: ReadonlyArray<readonly [Grade, ReadonlySet<string>]> = [
  [
    "make",
    words(
      "implement create build add write develop design define introduce generate draft prepare provide scaffold code program produce construct compose bootstrap author initialise initialize"
    )
  ],
  [
    "change",
    words(
      "fix refactor rework update rewrite migrate port convert extract replace remove delete drop rename move optimize optimise improve clean configure deploy publish integrate connect wire hook merge upgrade downgrade bump document test enable disable change install adjust switch restructure reorganize reorganise simplify translate localize localise secure harden polish finish complete extend enhance modify edit correct resolve repair debug patch address eliminate deprecate split unify consolidate decouple automate benchmark release redesign reimplement restore revert reduce increase expose hide transform inline isolate separate standardize standardise normalize normalise run execute apply verify ship mock stub format annotate swap sync clone copy tag pin do tweak revamp tidy regenerate rebuild dockerize containerize instrument reword revise rearrange thread set make"
    )
  ],
  [
    "inform",
    words(
      "review investigate explain analyze analyse research describe summarize summarise list compare audit evaluate estimate identify check find tell inspect diagnose examine look report"
    )
  ],
  [
    "behave",
    words(
      "cover handle return show display store save accept allow support validate respect include send log cache parse print render read load limit sort filter persist reject ignore treat raise emit start stop open close redirect export import track notify sanitize compress hash encrypt paginate throttle resize upload download retry schedule crop highlight stream escape serve"
    )
  ]
]
/** Nouns as often, at the beginning of a line: `Search box`. */
const nouns = words(
  "test document design list review report format code program draft patch hook switch search filter sort export import log cache release benchmark mock stub port display sync copy address store limit check start stop"
)
/** After `and` so are these: both count only before an object with an article. */
const nounsToo = new Set([
  ...nouns,
  ...words(
    "edit run update delete remove change upgrade find look merge split move show save load read print make set open close include"
  )
])

const leads =
  /^(?:please|kindly|hi|hello|hey|ok(?:ay)?|so|now|just|simply|(?:can|could|would|will) (?:you|we)|you (?:should|must|need to|have to)|i(?: want|'d like| would like| need) you to|(?:i|we)(?: want to|'d like to| would like to| need to| should| must| have to)|let's|let us|(?:your|the|our) (?:task|job|goal|idea) is to|help (?:me|us)(?: to)?|try to|go ahead and|it would be great to|and|but|or)(?![\w'])[\s,:]*/iu
const done =
  "(?:once|when|after|as soon as) (?:(?:it|that|this|they|both|all|everything|these|those|all (?:of )?(?:that|them|this)|both of them)(?:'s| is| are| has been| have been)? ?)?(?:done|completed?|finished|ready|in place|implemented|working|works?)"
const orders: ReadonlyArray<readonly [RegExp, Marker]> = [
  [/^(?:but )?(?:before (?:that|this|doing that|you do that)|beforehand)(?!\w)[\s,:]*/iu, "earlier"],
  [/^(?:first of all|first(?:ly)?|to (?:begin|start) with|(?:start|begin) by)(?!\w)[\s,:]*/iu, "first"],
  [
    new RegExp(
      `^(?:and )?(?:then|next|after (?:that|this|which|doing so)|afterwards?|subsequently|thereafter|later|second(?:ly)?|third(?:ly)?|fourth(?:ly)?|${done})(?!\\w)[\\s,:]*`,
      "iu"
    ),
    "then"
  ],
  [/^(?:finally|last(?:ly)?|at (?:last|the end)|in the end|to finish)(?!\w)[\s,:]*/iu, "last"],
  [
    /^(?:also|additionally|in addition|furthermore|moreover|besides|separately|independently|meanwhile|in parallel|as well)(?!\w)[\s,:]*/iu,
    "also"
  ]
]

/** Order words and polite words before a verb, and how long they are. */
const opening = (masked: string): { readonly size: number; readonly marker: Marker | null } => {
  let size = 0
  let marker: Marker | null = null
  for (let more = true; more && size < 300; ) {
    const rest = masked.slice(size, size + 100)
    const order = orders.find(([pattern]) => pattern.test(rest))
    const found = order === undefined ? leads.exec(rest) : order[0].exec(rest)
    if (order !== undefined) marker = order[1] === "also" ? (marker ?? "also") : order[1]
    size += found?.[0].length ?? 0
    more = found !== null
  }
  return { size, marker }
}

interface Verb {
  readonly word: string
  readonly grade: Grade
  /** Of the verb with its particle and the blank after it. */
  readonly size: number
}

const verbAt = (masked: string): Verb | null => {
  const [whole, word = ""] =
    /^([A-Za-z]+)(?:\s+(?:up|out|off|down|rid of))?(?::\s*|\s+|(?=[.,;!?]|$))/u.exec(masked) ?? []
  // methods of HTTP are no verbs
  if (whole === undefined || /^(?:GET|PUT|POST|PATCH|DELETE|HEAD|OPTIONS)$/u.test(word)) return null
  const low = word.toLowerCase()
  if (/^make (?:sure|certain)\b/iu.test(masked)) return null
  const grade = verbs.find(([, known]) => known.has(low))?.[0]
  return grade === undefined ? null : { word: low, grade, size: whole.length }
}

const determined =
  /^(?:the|an?|all|each|every|its?|their|our|your|my|any|some|both|new|one|two|three|four|five|six|unit|integration|end-to-end|e2e|missing|another|more|tests?|docs?|documentation|them|this|that|these|those|\d+)(?![\w-])|^[`\uE000\uE001A-Z]|^\S*[_/(]/u

/** Whether words can be what a verb is about. */
const isObject = ({ word }: Pick<Verb, "word">, masked: string): boolean =>
  determined.test(masked) ||
  (!nounsToo.has(word) &&
    /^[\p{L}\p{N}]/u.test(masked) &&
    !/^(?:and|or|then|in|on|to|for|into|at|with|from|by|is|are|was|has)\b/iu.test(masked))

const governing =
  /\b(?:that|which|who|when|where|if|whenever|unless|whether|while|until|because|how|what|why|so|can|should|must|will|would|could|may|lets?|letting)\b/iu
const purpose = /\bto (?=[a-z]+)/giu
const isGoverned = (masked: string): boolean =>
  governing.test(masked) ||
  [...masked.matchAll(purpose)].some(({ 0: { length }, index }) => verbAt(masked.slice(index + length)) !== null)

interface Clause {
  readonly words: Phrase
  readonly marker: Marker | null
  /** Null: it goes on with the verb of the one before. */
  readonly verb: Verb | null
}

const joints = /\s*[,;]\s*(?:(?:and|but|plus)\s+)?|\s+(?:and|but|plus|&)\s+|\s+(?=then\s)/giu
/** What must change together with what was said before. */
const companions =
  /^(?:me|us)\b|^(?:\S+\s+){0,3}(?:callers|usages?|imports|references|call-?sites|occurrences|importers)\b/iu
/** What is done to what was made before. */
const follows = words("run execute verify apply ship check deploy release commit push")
const pronoun = /^(?:it|this|that|them|these|those)(?![\w-])/iu

/** Requests that one sentence joins. Where the words leave open whether a new one begins, it does not. */
const clausesOf = (rest: Phrase, first: Verb | null, marker: Marker | null): ReadonlyArray<Clause> => {
  const clauses: Array<Clause> = []
  let current: Omit<Clause, "words"> = { marker, verb: first }
  let start = 0
  const close = (end: number) => clauses.push({ ...current, words: bare(cut(rest, start, end)) })
  for (const { 0: joint, index } of rest.masked.matchAll(joints)) {
    if (index <= start + (current.verb?.size ?? 0)) continue
    const from = index + joint.length
    const { marker: order, size } = opening(rest.masked.slice(from, from + 300))
    const after = rest.masked.slice(from + size, from + size + 200)
    const verb = verbAt(after)
    const isOrder = order !== null && order !== "also"
    const governed = isGoverned(rest.masked.slice(start, index))
    const object = verb === null ? "" : after.slice(verb.size)
    const begins =
      verb !== null &&
      (verb.grade !== "behave" || determined.test(object)) &&
      isObject(verb, object) &&
      !companions.test(object) &&
      // `review it and fix what you find` is one thing
      (isOrder || current.verb?.grade !== "inform" || verb.grade === "inform") &&
      (isOrder || !(pronoun.test(object) || follows.has(verb.word))) &&
      (!governed || (isOrder && /[,;]/u.test(joint)))
    const inherits = verb === null && (order === "then" || order === "last") && !governed && isThing(after)
    if (!begins && !inherits) continue
    close(index)
    start = from + size
    current = { marker: order, verb }
  }
  close(rest.text.length)
  return clauses
}

/** `logout` of `then logout`. */
const isThing = (masked: string): boolean =>
  /^[\p{L}\p{N}\uE000\uE001]/u.test(masked) &&
  !/^(?:it|they|we|you|i|there|if|when|the user)\b/iu.test(masked) &&
  !finite.test(masked.split(/[,;]/u)[0] ?? "")

const finite =
  /\b(?:is|are|was|were|isn't|aren't|has|have|had|does|do|doesn't|don't|fails?|failed|should|must|can|can't|cannot|will|won't|seems?|takes?|took|looks?|works?|breaks?|crash(?:es|ed)?)\b/iu

const limits =
  /^(?:do not|don't|don’t|never|avoid|no|without|must|only|make sure|ensure|keep|use|using|follow|remember|note|be|stick to|prefer|leave|respect|assume|should|not|stay|bear in mind|take care|mind)\s+\S/iu
const bans = /(?:,\s*(?:and|but)?|\s(?:and|but))\s+(?=(?:do not|don't|don’t|never|must not|should not|avoid)\s)/iu

/** The requests of an English sentence. */
export const readEnglish = (sentence: Phrase): Sentence => {
  const ban = bans.exec(sentence.masked)
  if (ban === null || isGoverned(sentence.masked.slice(0, ban.index))) return readRequests(sentence)
  const found = readRequests(cut(sentence, 0, ban.index))
  return found.kind === "limit" || found.kind === "statement"
    ? { ...found, text: sentence.text }
    : { ...found, ban: sentence.text.slice(ban.index + ban[0].length) }
}

const readRequests = (sentence: Phrase): Sentence => {
  const { text } = sentence
  const nothing = { text, requests: [], ban: null, whole: false }
  const { marker, size } = opening(sentence.masked)
  const rest = cut(sentence, size)
  if (limits.test(rest.masked)) return { ...nothing, kind: "limit" }
  const found = requestsAt(rest, marker)
  if (found !== null) return { ...nothing, kind: "work", ...found }
  if (/\?\s*$/u.test(text)) return { ...nothing, kind: "question" }
  return {
    ...nothing,
    kind:
      imperative.test(text) && !finite.test(text.split(/\s(?:when|if|that|which|who)\s/u)[0] ?? "")
        ? "unclear"
        : "statement"
  }
}

/** It begins like a request, though with a verb that is not known: `Pay with a card`. */
const imperative =
  /^(?!(?:The|This|That|These|Those|There|It|We|I|You|They|Our|My|Your|Its|All|Each|Every|Some|Any|Many|Most|If|When|While|As|For|From|With|By|In|On|At|To|Also|But|And|Or|Because|Since|See|Thanks|Both|After|Before)\b)\p{Lu}\p{Ll}+(?<!s|ing|ed|ly|ion|ment)\s+(?:the|an?|all|each|every|their|his|her|with|by|in|on|for|to|from|via|through|at|into|your|its|any)\s/u

/** `Support for this is broken` says how something is. */
const isStated = (masked: string, { grade, word }: Verb): boolean =>
  (grade === "behave" || nounsToo.has(word)) &&
  finite.test(masked.split(/\s(?:that|which|who|when|if|where|how|why|what|whether|so|until)\s|[,;:]/u)[0] ?? "")

type Found = Pick<Sentence, "requests" | "whole">

const requestsAt = (rest: Phrase, marker: Marker | null): Found | null => {
  const verb = verbAt(rest.masked)
  if (verb !== null && !isStated(rest.masked, verb)) return spoken(clausesOf(rest, verb, marker), "")
  const need = /^(?:i|we)(?: need| want| require|'d like| would like)\s+(?!to\b)(?=\S)/iu.exec(rest.masked)
  if (need !== null) {
    const asked = { word: "need", grade: "make", size: need[0].length } as const
    return spoken(clausesOf(rest, asked, marker), "")
  }
  return after(rest, marker) ?? prefixed(rest, marker)
}

/** `After creating the schema, implement the API`; `Before …, …` the other way round. */
const after = (rest: Phrase, marker: Marker | null): Found | null => {
  const [whole, word = "", gerund = ""] =
    /^(after|before|once)\s+([a-z]+)ing\s+(?=[^,]{2,200},\s)/iu.exec(rest.masked) ?? []
  if (whole === undefined) return null
  const comma = rest.masked.indexOf(",")
  const next = opening(rest.masked.slice(comma + 1).trimStart())
  const main = cut(cut(rest, comma + 1), next.size)
  const verb = verbAt(main.masked)
  const own = [`${gerund} `, `${gerund}e `, `${gerund.slice(0, -1)} `].map(verbAt).find((found) => found !== null)
  if (verb === null || own === undefined) return null
  const object = cut(rest, whole.length, comma)
  const say = `${capital(own.word)} ${oneLine(object.text)}`
  const clause: Request = {
    own: cut(rest, 0, comma).text,
    say,
    verb: own.word,
    object,
    grade: own.grade,
    marker,
    listed: false,
    joined: false
  }
  const later = spoken(clausesOf(main, verb, word.toLowerCase() === "before" ? "earlier" : "then"), "")
  return { ...later, requests: [clause, ...later.requests] }
}

/** `In src/a.ts, implement …`, `Task: add …`, `auth.ts: replace …`. */
const prefixed = (rest: Phrase, marker: Marker | null): Found | null => {
  const [place] =
    /^(?:in|on|for|inside|within|using|under|at|with|from|as part of)\s[^,:]{1,120}[,:]\s+/iu.exec(rest.masked) ?? []
  const [label] = place === undefined ? (/^[^:\n]{1,80}:\s+/u.exec(rest.masked) ?? []) : []
  const prefix = place ?? label
  if (prefix === undefined) return null
  const next = opening(rest.masked.slice(prefix.length))
  const main = cut(cut(rest, prefix.length), next.size)
  const verb = verbAt(main.masked)
  if (verb === null || !isObject(verb, main.masked.slice(verb.size))) return null
  const announces =
    place === undefined &&
    (/^(?:(?:my|the|your|feature)\s+)?(?:task|todo|to-do|goal|request|feature|issue|objective|work|action)s?:/iu.test(
      prefix
    ) ||
      prefix.split(/\s+/u).length > 5)
  return spoken(
    clausesOf(main, verb, next.marker ?? marker),
    announces ? "" : oneLine(rest.text.slice(0, prefix.length))
  )
}

const wholes =
  /\b(?:module|app|application|system|service|apis?|site|website|dashboard|library|package|tool|toolkit|cli|platform|game|bot|server|backend|frontend|client|sdk|project|portal|suite|framework|plugin|extension|engine|store|shop|blog|feature|functionality|pipeline|manager|editor|player|calculator|program|microservice|admin|crm|cms|marketplace|forum|infrastructure|utilities|helpers|workflow|product|prototype|tracker|planner|compiler|wiki)$/iu
export const isWhole = (noun: string): boolean => wholes.test(withoutAsides(noun).trim())

/** The noun that an object is about: what stands before its first preposition. */
const headOf = (object: string): string =>
  object
    .split(/\s(?:in|on|to|for|into|under|at|with|from|using|that|which|including|of|by)\s|[,:;.(\uE002]/u)[0]
    ?.trim() ?? ""

const spoken = (clauses: ReadonlyArray<Clause>, prefix: string): Found => {
  let last: Verb | null = null
  let whole = false
  const requests = clauses.flatMap(({ marker, verb, words: said }): ReadonlyArray<Request> => {
    const own = verb ?? last
    if (own === null) return []
    last = own
    const object = verb === null ? said : cut(said, verb.size)
    if (own.grade === "make" && isWhole(headOf(object.masked))) whole = true
    const verbal =
      verb === null ? capital(own.word) : oneLine(said.text.slice(0, said.text.length - object.text.length))
    const speak = (said_: string) =>
      [prefix, prefix === "" ? capital(verbal) : verbal, said_]
        .filter(Boolean)
        .join(" ")
        .replace(/ (?=,)/u, "")
    const items = enumerated(object, own.word, own.grade, speak)
    const made = { verb: own.word, grade: own.grade, marker }
    if (items.length < 2)
      return [{ ...made, own: said.text, say: speak(oneLine(object.text)), object, listed: false, joined: false }]
    return items.map((item, i) => ({ ...made, ...item, listed: true, joined: i > 0 }))
  })
  return { requests, whole }
}

/** Whether a line begins a request. */
export const asksEnglish = (line: Phrase): boolean => {
  const { size } = opening(line.masked)
  const rest = line.masked.slice(size)
  const verb = verbAt(rest)
  if (verb === null || isStated(rest, verb)) return false
  return isObject({ word: nouns.has(verb.word) ? verb.word : "" }, rest.slice(verb.size))
}
