import { type Grade, words } from "./requests.ts"
import { bare, cut, isExact, isFileName, oneLine, type Phrase } from "./text.ts"

/** One thing that the object of a verb enumerates. */
interface Item {
  readonly own: string
  readonly say: string
  readonly object: Phrase
}

type Speak = (words: string) => string

/** Several things of a kind, after which each may be named. */
const kinds =
  /\b(endpoints|functions|components|pages|screens|views|modules|services|classes|methods|routes|commands|handlers|hooks|features|models|tests|scripts|migrations|jobs|forms|flows|buttons|files|controllers|adapters|parsers|tools|apis|packages|plugins|utilities|helpers|parts|tasks|things|changes|sections|widgets|dialogs|interfaces|types|tables|documents|algorithms|clients|drivers|middlewares)$/iu
/** What is a property of one thing, and no work of its own. */
const properties =
  /\b(?:fields?|columns?|propert(?:y|ies)|attributes?|param(?:eter)?s?|arg(?:ument)?s?|options?|props?|keys?|values?|labels?|tags?|colou?rs?|flags?|variables?|characters?|languages?|inputs?|states?|status(?:es)?|roles?|environments?|browsers?|sizes?|levels?|formats?|units?|rows?|reasons?|examples?|cases?|criteria|names?|emails?|ages?|ids?|passwords?|usernames?|titles?|descriptions?|prices?|dates?|phone|address|url|body|subject|author|amount|quantity|count|weight|height|width|city|country|gender|birthday|timestamp|avatar|icon|summary|text|total|red|green|blue|yellow|black|white|warnings?|errors?|strings?|numbers?|booleans?|newlines|commas|quotes|spaces|spelling|grammar)$/iu
const qualities =
  /^(?:(?:very|well|fully|more|highly)\b.*|fast|safe|simple|small|clean|quick|easy|robust|modern|minimal|secure|light|dark|friendly|good|nice|elegant|efficient|consistent|concise|clear|correct|stable|strict|typed|tested|documented|short|speed|safety|simplicity|quality|performance|security|accessibility|readability|maintainability|clarity|reliability|scalability|efficiency|care|precision|better|faster|cleaner|safer|simpler|smaller|large|big|old|new|async|\w{3,}(?:able|ible|ful|less|ous|ive))$/iu
const products =
  /^(?:react|vue|angular|svelte|next|node|node\.js|express|typescript|javascript|python|go|rust|java|docker|kubernetes|postgres|postgresql|mysql|mongodb|sqlite|redis|kafka|graphql|grpc|tailwind|css|html|sass|redux|zod|vite|jest|vitest|prisma|webpack|lodash|axios)$/iu
/** Pairs that are one thing. */
const pairs =
  /^(?:drag drop|copy paste|cut paste|(?:search|find) replace|terms conditions|read write|up down|left right|start (?:end|stop)|min max|request response|key value|pan zoom|play pause|date time|open close|on off|input output|undo redo|light dark|show hide|expand collapse|back forth|before after|client server|push pull|pros cons|setup teardown|rows columns|previous next|loading error|copy cut paste|cut copy paste)$/iu
/** What they enumerate belongs together: none of it can be done alone. */
const joins = words(
  "merge connect integrate combine compare sync swap unify consolidate split separate rename install export import bump upgrade downgrade move run find tell check list look wire hook decouple delete remove drop make set copy"
)
/** Where the words begin that say more about a thing. */
const says =
  /\s(?:that|which|who|whose|where|when|whenever|if|unless|so|because|since|while|until|such|like|between|about|based|whether|how|what|why|as|than|instead|e\.g\.?|i\.e\.?|except|rather|depending)(?=\s)/iu
const place = /\s(?:in|into|to|onto|on|under|inside|within|for|from|using|via|with|by|at|across|over)\s/iu

/** Enumerated pieces; none: alternatives, or nothing is enumerated. */
const pieces = (list: Phrase): ReadonlyArray<Phrase> => {
  if (/\b(?:or|and\/or|vs|versus|etc)\b|\.\.\.|…/iu.test(list.masked)) return []
  const commas = splitAt(list, /\s*[,;]\s*/gu)
  const last = commas.at(-1)
  if (last === undefined) return []
  const isOxford = /^(?:and|&|plus)\s/iu.test(last.masked)
  const ends = isOxford ? [cut(last, last.masked.indexOf(" "))] : splitAt(last, /\s+(?:and|&|plus|as well as)\s+/giu)
  const found = [...commas.slice(0, -1), ...ends].map((one) =>
    bare(cut(one, /^(?:also|finally|then)\s+/iu.exec(one.masked)?.[0].length ?? 0))
  )
  // `fix a, b`: one of them says more about the other
  const isPlain = commas.length !== 2 || isOxford || ends.length > 1
  const isShort = found.every(({ masked }) => masked !== "" && masked.split(/\s+/u).length <= 12)
  return isPlain && isShort && found.length > 1 && (commas.length > 1 || ends.length <= 3) ? found : []
}

const splitAt = (list: Phrase, separator: RegExp): ReadonlyArray<Phrase> => {
  const found: Array<Phrase> = []
  let from = 0
  for (const { 0: mark, index } of list.masked.matchAll(separator)) {
    found.push(cut(list, from, index))
    from = index + mark.length
  }
  return [...found, cut(list, from)]
}

const hasArticle = (masked: string): boolean =>
  /^(?:(?:an?|the|another|one|our|my|your)\s|(?:(?:unit|integration|e2e)\s)?(?:tests|docs|documentation)\b)/iu.test(
    masked
  )
const withoutArticle = (masked: string): string => masked.replace(/^(?:an?|the|another|one|our|my|your|both)\s+/iu, "")

/** Whether each piece can be a piece of work. */
const areWorks = (found: ReadonlyArray<Phrase>): boolean => {
  const named = found.map(({ masked }) => withoutArticle(masked.split(place)[0] ?? ""))
  const some = (is: RegExp) => named.filter((one) => is.test(one)).length
  if (
    properties.test(named.at(-1) ?? "") ||
    some(properties) * 2 >= named.length ||
    some(qualities) * 2 >= named.length
  )
    return false
  return (
    some(products) === 0 &&
    some(/^(?:[\d.%$€-]+\w{0,3}|(?:its|their|his|her|it|them|they|not|no|if|when|but)\b.*)$/iu) === 0 &&
    // `commands init, add and remove`
    some(
      /^(?:commands|endpoints|methods|functions|routes|pages|operations|types|modules|classes|events|tabs|columns)\s/iu
    ) === 0 &&
    some(/\b(?:is|are|was|has|should|must|can|will)\b|\s[–—-]+(?=\s|$)/iu) === 0
  )
}

/** What the object of a verb enumerates in so many words; fewer than two: it is one piece. */
export const enumerated = (object: Phrase, verb: string, grade: Grade, speak: Speak): ReadonlyArray<Item> => {
  if (joins.has(verb) || grade === "inform" || grade === "behave") return []
  for (const rule of [afterColon, withList, forList, placedList, directList]) {
    const found = rule(object, verb, grade, speak)
    if (found.length > 1) return found
  }
  return []
}

type Rule = (object: Phrase, verb: string, grade: Grade, speak: Speak) => ReadonlyArray<Item>

const items = (found: ReadonlyArray<Phrase>, say: (piece: string, i: number) => string): ReadonlyArray<Item> =>
  found.map((object, i) => ({ own: object.text, object, say: say(oneLine(object.text), i) }))

/** `five functions in a.ts: mean, median and mode`. */
const afterColon: Rule = (object, _verb, _grade, speak) => {
  const colon = object.masked.indexOf(":")
  const before = colon < 0 ? "" : object.masked.slice(0, colon)
  const kind = kinds.exec(before.split(place)[0] ?? "")?.[1]
  const found = colon < 0 ? [] : pieces(cut(object, colon + 1))
  if (kind === undefined || says.test(before) || !areWorks(found) || found.some(({ masked }) => says.test(masked)))
    return []
  const at = place.exec(before)
  const tail = at === null ? "" : ` ${oneLine(object.text.slice(at.index, colon))}`
  return items(found, (piece) => speak(`${/\s/u.test(piece) ? "" : `the ${singular(kind)} `}${piece}${tail}`))
}

const singular = (plural: string): string =>
  plural
    .toLowerCase()
    .replace(/ies$/u, "y")
    .replace(/(?<=ss)es$|(?<![sy])s$/u, "")

const container =
  /^(.*\b(?:module|app|application|system|service|apis?|site|website|library|package|tool|toolkit|cli|platform|game|bot|server|backend|frontend|project|portal|suite|framework|plugin|engine|store|shop|blog|feature|manager|editor|admin|crm|cms|tracker|planner))\s+(?:with|including|containing|featuring|offering|providing|consisting of|that (?:has|supports)|which (?:has|supports))\s+(?:support for\s+)?/iu

/** `an authentication module with login, logout and session management`. */
const withList: Rule = ({ masked, text }, _verb, grade, speak) => {
  const [whole, holder] = container.exec(masked) ?? []
  if (whole === undefined || holder === undefined || grade !== "make" || says.test(holder)) return []
  const list = cut({ masked, text }, whole.length)
  const end = place.exec(list.masked.slice(Math.max(0, list.masked.lastIndexOf(","))))
  const until = end === null ? list.text.length : Math.max(0, list.masked.lastIndexOf(",")) + end.index
  const found = pieces(cut(list, 0, until))
  const isNamed = found.some(({ masked: one }) => /(?:^|\s)[A-Z]\S*$/u.test(one) && !isExact(one))
  if (
    found.length < 3 ||
    isNamed ||
    !areWorks(found) ||
    found.some(({ masked: one }) => says.test(one) || place.test(one))
  )
    return []
  const owner = withoutArticle(oneLine(text.slice(0, holder.length)))
  const tail = until < list.text.length ? ` ${oneLine(list.text.slice(until))}` : ""
  return items(found, (piece) => speak(`${piece} for the ${owner}${tail}`))
}

/** `endpoints for users, orders and products`. */
const forList: Rule = (object, _verb, _grade, speak) => {
  const at = /\sfor\s+/iu.exec(object.masked)
  const head = object.masked.slice(0, at?.index ?? 0)
  if (at === null || !kinds.test(head) || place.test(head) || says.test(object.masked)) return []
  const list = cut(object, at.index + at[0].length)
  const end = place.exec(list.masked)
  const found = pieces(cut(list, 0, end?.index ?? list.text.length))
  const isPlain = found.length > 2 || found.every(({ masked }) => isExact(masked))
  if (!isPlain || !areWorks(found)) return []
  const tail = end === null ? "" : ` ${oneLine(list.text.slice(end.index))}`
  return items(found, (piece) => speak(`${oneLine(object.text.slice(0, head.length))} for ${piece}${tail}`))
}

/** `login in src/login.js and logout in src/logout.js`, `a limiter in a.ts and a helper in b.ts`: each has a place of its own. */
const placedList: Rule = (object, _verb, _grade, speak) => {
  const found = pieces(object)
  const isPlaced = (masked: string) => /\s(?:in|into|to|for|under)\s+\S/iu.test(masked)
  const inFile = ({ masked }: Phrase) => /\s(?:in|into|to|under)\s+`?\uE001+`?$/u.test(masked)
  const areAll =
    found.length > 1 && (found.every(inFile) || found.every(({ masked }) => hasArticle(masked) && isPlaced(masked)))
  return areAll && areWorks(found) && !found.some(({ masked }) => says.test(masked)) ? items(found, speak) : []
}

/** A verb with several objects: `login, logout and search in src/a.ts`. */
const directList: Rule = (object, verb, grade, speak) => {
  const found = pieces(object)
  const last = found.at(-1)
  if (last === undefined) return []
  // what stands after the last one belongs to all of them
  const at = place.exec(last.masked) ?? says.exec(last.masked)
  const tail = at === null ? "" : oneLine(last.text.slice(at.index))
  const short = at === null ? found : [...found.slice(0, -1), bare(cut(last, 0, at.index))]
  if (short.some(({ masked }) => place.test(masked) || says.test(masked) || /:/u.test(masked)) || !areWorks(short))
    return []
  if (!isPlain(short, verb, grade, tail === "" ? "" : (at?.[0] ?? "").trim(), last)) return []
  const kind = kinds.exec(short.at(-1)?.masked ?? "")?.[1]
  const shared =
    kind !== undefined &&
    !found.every(({ masked }) => hasArticle(masked)) &&
    short.slice(0, -1).every(({ masked }) => !/\s/u.test(withoutArticle(masked)))
  const end = tail === "" ? "" : ` ${tail}`
  // what tests or documents these has them as its object, not as its tail
  if (/^for (?:these|those|them|both|it|this|that|each|everything)\b/iu.test(tail)) return items(found, speak)
  return items(short, (piece, i) =>
    speak(
      `${!shared || kind === undefined ? piece : i < short.length - 1 ? `${piece} ${singular(kind)}` : piece.slice(0, piece.length - kind.length) + singular(kind)}${end}`
    )
  )
}

/** Whether an enumeration of objects names work, in so many words. */
const isPlain = (
  found: ReadonlyArray<Phrase>,
  verb: string,
  grade: Grade,
  preposition: string,
  last: Phrase
): boolean => {
  const shown = found.map(({ masked }) => masked)
  const sizes = shown.map((one) => withoutArticle(one).split(/\s+/u).length)
  const isAttached = /^(?:add|append|assign|define|apply)$/u.test(verb) && /^(?:to|from)$/iu.test(preposition)
  if (isAttached)
    return shown.every((one) => /^(?:an?|another)\s/iu.test(one)) || /\s(?:to|from)\s+`?\uE001/iu.test(last.masked)
  if (/^(?:between|both|this|that)\s/iu.test(shown[0] ?? "")) return false
  if (shown.every(isExact)) return shown.every((one) => isFileName(one.replaceAll("`", ""))) || grade === "make"
  if (shown.every(hasArticle)) return true
  if (!/^(?:implement|create|build|add|write|develop|design|need)$/u.test(verb)) return false
  // `a fast, safe parser` and `a login and signup page` are one thing; `a header, footer and sidebar` are three
  if (hasArticle(shown[0] ?? "")) {
    const isOne = /^the\s/iu.test(shown[0] ?? "") && kinds.test(shown.at(-1) ?? "")
    return isOne || (shown.length > 2 && sizes.every((size) => size === 1))
  }
  if (pairs.test(shown.join(" "))) return false
  if (shown.length > 2) return sizes.every((size) => size <= 5)
  if (!/^(?:implement|create|build|develop)$/u.test(verb)) return false
  return sizes.every((size) => size === sizes[0] && size <= 3)
}
