import {
  type Item,
  isAboutOthers,
  isWhole,
  itemsOf,
  listOf,
  type Piece,
  pieces,
  place,
  says,
  withoutArticle
} from "./enumeration.ts"
import { type Grade, words } from "./requests.ts"
import { cut, isExact, isFileName, oneLine, type Phrase } from "./text.ts"

/** Several things of a kind, after which each may be named. */
const kinds =
  /\b(endpoints|functions|components|pages|screens|views|modules|services|classes|methods|routes|commands|handlers|hooks|features|models|tests|scripts|migrations|jobs|forms|flows|buttons|files|controllers|adapters|parsers|tools|apis|packages|plugins|utilities|helpers|parts|tasks|things|changes|sections|widgets|dialogs|interfaces|types|tables|documents|algorithms|clients|drivers|middlewares)$/iu
/** Pairs that are one thing. */
const pairs =
  /^(?:drag drop|copy paste|cut paste|(?:search|find) replace|terms conditions|read write|up down|left right|start (?:end|stop)|min max|request response|key value|pan zoom|play pause|date time|open close|on off|input output|undo redo|light dark|show hide|expand collapse|back forth|before after|client server|push pull|pros cons|setup teardown|rows columns|previous next|loading error|copy cut paste|cut copy paste)$/iu
/** What they enumerate belongs together: none of it can be done alone. */
const joins = words(
  "merge connect integrate combine compare sync swap unify consolidate split separate rename install export import bump upgrade downgrade move run find tell check list look wire hook decouple delete remove drop make set copy"
)
const article =
  /^(?:(?:an?|the|another|one|our|my|your)\s|(?:(?:unit|integration|e2e)\s)?(?:tests|docs|documentation)\b)/iu
const hasArticle = (masked: string): boolean => article.test(masked)

/** What the object of a verb enumerates in so many words; fewer than two: it is one piece. */
export const enumerated = (object: Phrase, verb: string, grade: Grade): ReadonlyArray<Item> => {
  if (joins.has(verb) || grade === "inform" || grade === "behave") return []
  const held = grade === "make" ? heldList(object) : []
  return held.length > 1 ? held : directList(object, verb, grade)
}

/** Enumerated pieces that say nothing but what they are, and what is said of all of them. */
const plainList = (list: Phrase): ReturnType<typeof listOf> => {
  const { found, tail } = listOf(list)
  const isOpen = found.some(({ object: { masked } }) => place.test(masked) || says.test(masked) || masked.includes(":"))
  return { found: isOpen ? [] : found, tail }
}

const holder =
  /^([^:]+?)\s(?:with|including|containing|featuring|offering|providing|consisting of|that (?:has|supports)|which (?:has|supports))\s+(?:support for\s+)?/iu

/** `a module with login, logout and sessions`. */
const heldList = (object: Phrase): ReadonlyArray<Item> => {
  const [whole = "", head = ""] = holder.exec(object.masked) ?? []
  if (!isWhole(head) || says.test(head)) return []
  const { found, tail } = plainList(cut(object, whole.length))
  // `a site with React and Tailwind`
  const isProduct = ({ object: { masked } }: Piece) => /(?:^|\s)[A-Z]\S*$/u.test(masked) && !isExact(masked)
  const owner = withoutArticle(oneLine(object.text.slice(0, head.length)))
  return found.length < 3 || found.some(isProduct) ? [] : itemsOf(found, (piece) => `${piece} for the ${owner}${tail}`)
}

/** A verb with several objects: `login, logout and search in src/a.ts`. */
const directList = (object: Phrase, verb: string, grade: Grade): ReadonlyArray<Item> => {
  const all = pieces(object)
  // `a limiter in a.ts and a helper in b.ts`, `a page and tests for it`: what stands after the last one is its own
  const places = all.filter((piece) => place.test(piece.object.masked)).length
  const isAbout = isAboutOthers(object)
  if (isAbout || places > 1) {
    if (all.every((piece) => hasArticle(piece.object.masked) && !says.test(piece.object.masked)))
      return itemsOf(all, (piece) => piece)
    // `login, logout and tests for them`: the last one is about the others
    if (isAbout) return []
  }
  const { found, tail } = plainList(object)
  const shown = found.map((piece) => piece.object.masked)
  if (!isPlain(shown, verb, grade, tail)) return []
  // `login, logout and signup endpoints`
  const [kind] = kinds.exec(shown.at(-1) ?? "") ?? []
  const isShared = shown.slice(0, -1).every((one) => !/\s/u.test(withoutArticle(one))) && !shown.every(hasArticle)
  const one = (kind ?? "").replace(/ies$/u, "y").replace(/(?<=ss)es$|(?<![sy])s$/u, "")
  const shownAs = (piece: string) => (isShared && one !== "" ? `${piece.replace(kinds, "").trim()} ${one}` : piece)
  return itemsOf(found, (piece) => `${shownAs(piece)}${tail}`)
}

/** Whether an enumeration of objects names work, in so many words. */
const isPlain = (shown: ReadonlyArray<string>, verb: string, grade: Grade, tail: string): boolean => {
  const [first = "", ...others] = shown
  const sizes = shown.map((one) => withoutArticle(one).split(/\s+/u).length)
  if (others.length === 0 || /^(?:between|both|this|that)\s/iu.test(first)) return false
  // what is added to one thing belongs together, unless each is a thing of its own
  if (/^ (?:to|from)\s/iu.test(tail) && /^(?:add|append|assign|define|apply)$/u.test(verb))
    return shown.every((one) => /^(?:an?|another)\s/iu.test(one))
  if (shown.every(isExact)) return grade === "make" || shown.every((one) => isFileName(one.replaceAll("`", "")))
  if (shown.every(hasArticle)) return true
  if (!/^(?:implement|create|build|add|write|develop|design|need)$/u.test(verb)) return false
  // `a fast, safe parser` is one thing, `the login and signup pages` are two
  if (hasArticle(first)) return /^the\s/iu.test(first) && kinds.test(shown.at(-1) ?? "")
  if (others.length > 1) return sizes.every((size) => size <= 5)
  const areAlike = sizes.every((size) => size === sizes[0] && size <= 3) && !pairs.test(shown.join(" "))
  return areAlike && /^(?:implement|create|build|develop)$/u.test(verb)
}
