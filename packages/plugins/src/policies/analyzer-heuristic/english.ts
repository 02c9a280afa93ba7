import { enumerated } from "./englishLists.ts"
import { asRequests, type Item, isWhole } from "./enumeration.ts"
import { opening } from "./opening.ts"
import { type Grade, type Marker, type Request, type Sentence, without, words } from "./requests.ts"
import { bare, capital, cut, oneLine, type Phrase } from "./text.ts"

const verbs: Readonly<Record<Grade, string>> = {
  make: "implement create build add write develop design define introduce generate draft prepare provide scaffold code program produce construct compose bootstrap author initialise initialize",
  change:
    "fix refactor rework update rewrite migrate port convert extract replace remove delete drop rename move optimize optimise improve clean configure deploy publish integrate connect wire hook merge upgrade downgrade bump document test enable disable change install adjust switch restructure reorganize reorganise simplify translate localize localise secure harden polish finish complete extend enhance modify edit correct resolve repair debug patch address eliminate deprecate split unify consolidate decouple automate benchmark release redesign reimplement restore revert reduce increase expose hide transform inline isolate separate standardize standardise normalize normalise run execute apply verify ship mock stub format annotate swap sync clone copy tag pin do tweak revamp tidy regenerate rebuild dockerize containerize instrument reword revise rearrange thread set make",
  inform:
    "review investigate explain analyze analyse research describe summarize summarise list compare audit evaluate estimate identify check find tell inspect diagnose examine look report",
  behave:
    "cover handle return show display store save accept allow support validate respect include send log cache parse print render read load limit sort filter persist reject ignore treat raise emit start stop open close redirect export import track notify sanitize compress hash encrypt paginate throttle resize upload download retry schedule crop highlight stream escape serve"
}
const grades = new Map(
  Object.entries(verbs).flatMap(([grade, known]) => known.split(" ").map((verb) => [verb, grade as Grade] as const))
)
/** Nouns as often, at the beginning of a line: `Search box`. */
const nouns = words(
  "test document design list review report format code program draft patch hook switch search filter sort export import log cache release benchmark mock stub port display sync copy address store limit check start stop"
)
/** After a comma or `and` these begin another request. Others may go on with what was said before: `and run it`. */
const beginners = words(
  "implement create build add write develop define introduce generate fix refactor rewrite remove delete replace migrate convert configure document update rename improve optimize extend explain describe summarize compare review"
)
/** Words after a verb with which it is one, and no noun. */
const determined =
  /^(?:the|an?|all|each|every|its|their|our|your|my|any|some|both|new|one|two|three|four|five|six|unit|integration|e2e|missing|another|more|tests?|docs?|documentation|how|why|what|\d+)(?![\w-])|^[`\uE000\uE001A-Z]|^\S*[_/(]/u
/** What must change together with what was said before. */
const companions = /^(?:\S+\s+){0,3}(?:callers|usages?|imports|references|call-?sites|occurrences|importers)\b/iu

interface Verb {
  readonly word: string
  readonly grade: Grade
  /** Of the verb with its particle and the blank after it. */
  readonly size: number
}

const verbAt = (masked: string): Verb | null => {
  const [wish] = /^(?:i|we)(?: need| want| require|'d like| would like)\s+(?!to\b)(?=\S)/iu.exec(masked) ?? []
  if (wish !== undefined) return { word: "need", grade: "make", size: wish.length }
  const [whole = "", verb = ""] = phrasal.exec(masked) ?? []
  const word = verb.toLowerCase()
  const grade = grades.get(word)
  // methods of HTTP are no verbs; `Support for this is broken` says how something is
  if (grade === undefined || /^(?:GET|PUT|POST|PATCH|DELETE|HEAD|OPTIONS)$/u.test(verb)) return null
  const isStated = (grade === "behave" || nouns.has(word)) && finite.test(masked.split(subordinate)[0] ?? "")
  return isStated ? null : { word, grade, size: whole.length }
}

const phrasal =
  /^(?!make (?:sure|certain)\b|do not\b)([a-z]+)(?:\s+(?:up|out|off|down|rid of))?(?::\s*|\s+(?!(?:is|are|was|were|has)\b)|(?=[.,;!?]|$))/iu
const finite =
  /\b(?:is|are|was|were|isn't|aren't|has|have|had|does|do|doesn't|don't|fails?|failed|should|must|can|can't|cannot|will|won't|seems?|takes?|took|looks?|works?|breaks?|crash(?:es|ed)?)\b/iu
const subordinate = /\s(?:that|which|who|when|if|where|how|why|what|whether|so|until)\s|[,;:]/u

/** Whether a line begins a request. */
export const asksEnglish = ({ masked }: Phrase): boolean => {
  const rest = masked.slice(opening(masked).size)
  const verb = verbAt(rest)
  const object = rest.slice(verb?.size)
  if (verb === null || determined.test(object)) return verb !== null
  return !nouns.has(verb.word) && /^(?!(?:and|or|then|in|on|to|for|into|at|with|from|by)\b)[\p{L}\p{N}]/iu.test(object)
}

const limits =
  /^(?:do not|don't|don’t|never|avoid|no|without|must|only|make sure|ensure|keep|use|using|follow|remember|note|be|stick to|prefer|leave|respect|assume|should|not|stay|bear in mind|take care|mind)\s+\S/iu
const bans = /^(?:do not|don't|don’t|never|must not|should not|avoid)\s/iu
/** `In src/a.ts, implement …`, `auth.ts: replace …`. */
const prefix =
  /^(?:(?:in|on|for|inside|within|using|under|at|with|from|as part of)\s[^,:]{1,120}[,:]|[^:\n]{1,80}:)\s+/iu

/** The requests of an English sentence. */
export const readEnglish = (sentence: Phrase): Sentence => {
  const { marker, size } = opening(sentence.masked)
  const rest = cut(sentence, size)
  if (limits.test(rest.masked)) return without(sentence.text, "limit")
  const start = verbAt(rest.masked) === null ? (prefix.exec(rest.masked)?.[0].length ?? 0) : 0
  const main = cut(rest, start)
  if (start === 0 ? verbAt(main.masked) !== null : asksEnglish(main)) {
    const next = opening(main.masked)
    const said = spoken(cut(main, next.size), next.marker ?? marker, oneLine(rest.text.slice(0, start)))
    return { ...without(sentence.text, "work"), ...said }
  }
  const isQuestion = /\?\s*$/u.test(sentence.text)
  return without(sentence.text, isQuestion ? "question" : isUnclear(sentence) ? "unclear" : "statement")
}

/** It begins like a request, though with a verb that is not known: `Pay with a card`. */
const imperative =
  /^(?!(?:The|This|That|These|Those|There|It|We|I|You|They|Our|My|Your|Its|All|Each|Every|Some|Any|Many|Most|If|When|While|As|For|From|With|By|In|On|At|To|Also|But|And|Or|Because|Since|See|Thanks|Both|After|Before)\b)\p{Lu}\p{Ll}+(?<!s|ing|ed|ly|ion|ment)\s+(?:the|an?|all|each|every|their|his|her|with|by|in|on|for|to|from|via|through|at|into|your|its|any)\s/u
const condition = /^(?:after|before|once|when|if|while|until|unless|as soon as)\s[^,]{2,200},\s+/iu

/** Whether a sentence that is no plain request seems to ask for something: `After creating A, implement B`. */
const isUnclear = (sentence: Phrase): boolean => {
  const given = condition.exec(sentence.masked)?.[0].length ?? 0
  return given > 0
    ? asksEnglish(cut(sentence, given))
    : imperative.test(sentence.text) && !finite.test(sentence.text.split(subordinate)[0] ?? "")
}

/** After the noun that an object is about. */
const headEnd = /\s(?:in|on|to|for|into|under|at|with|from|using|that|which|including|of|by)\s|[,:;.(\uE002]/u

const joints = /\s*[,;]\s*(?:(?:and|but|plus)\s+)?|\s+(?:and|but|plus|&)\s+|\s+(?=then\s)/giu
/** What stands after these says more about what stands before them. */
const governing = new RegExp(
  `\\b(?:that|which|who|when|where|if|whenever|unless|whether|while|until|because|how|what|why|so|can|should|must|will|would|could|may|lets?|letting|to (?:${[...grades.keys()].join("|")}))\\b`,
  "iu"
)

/** Requests that one sentence joins, and what its last words forbid. What does not plainly begin a new one does not. */
const spoken = (rest: Phrase, first: Marker | null, prefix: string): Pick<Sentence, "ban" | "requests" | "whole"> => {
  const requests: Array<Request> = []
  let whole = false
  let marker = first
  let start = 0
  const close = (end: number) => {
    const said = bare(cut(rest, start, end))
    const verb = verbAt(said.masked)
    if (verb === null) return
    if (verb.grade === "make" && isWhole(said.masked.slice(verb.size).split(headEnd)[0] ?? "")) whole = true
    requests.push(...requestsOf(said, verb, marker, prefix))
  }
  for (const { 0: joint, index } of rest.masked.matchAll(joints)) {
    if (index < start) continue
    const before = rest.masked.slice(start, index)
    const end = index + joint.length
    const next = opening(rest.masked.slice(end, end + 300))
    const from = end + next.size
    const after = rest.masked.slice(from, from + 200)
    const isStage = next.marker !== null && next.marker !== "also"
    if (governing.test(before) && !(isStage && /[,;]/u.test(joint))) continue
    const isBan = bans.test(after)
    if (!isBan && !begins(before, after, isStage, joint)) continue
    close(index)
    if (isBan) return { requests, whole, ban: rest.text.slice(from) }
    start = from
    marker = next.marker
  }
  close(rest.text.length)
  return { requests, whole, ban: null }
}

const begins = (before: string, after: string, isStage: boolean, joint: string): boolean => {
  const said = verbAt(before)
  const verb = verbAt(after)
  if (said === null || said.size >= before.length || verb === null) return false
  if (isStage) return verb.grade !== "behave"
  const object = after.slice(verb.size)
  // `review it and fix what you find` is one thing
  const isOne = said.grade === "inform" && verb.grade !== "inform"
  const isPlain = joint.includes(";") || determined.test(object)
  return beginners.has(verb.word) && isPlain && !isOne && !companions.test(object)
}

const requestsOf = (said: Phrase, verb: Verb, marker: Marker | null, prefix: string): ReadonlyArray<Request> => {
  const speak = (words: string) => (prefix === "" ? capital(words) : `${prefix} ${words}`)
  const object = cut(said, verb.size)
  const verbal = oneLine(said.text.slice(0, verb.size))
  const items = enumerated(object, verb.word, verb.grade)
  return asRequests(
    { own: said.text, say: speak(oneLine(said.text)), verb: verb.word, grade: verb.grade, object, marker },
    items.map((item) => ({ ...item, say: speak(hasVerb(item) ? item.say : `${verbal} ${item.say}`) }))
  )
}

/** `add g` of `add f, add g and fix h`. */
const hasVerb = ({ object: { masked } }: Item): boolean => {
  const verb = verbAt(masked)
  return verb !== null && beginners.has(verb.word) && verb.size < masked.length
}
