import type { LineRange } from "../../../port/index.ts"
import { between, codeNamesIn, isOfProduct, noun, ofCode } from "../asked/commentItems.ts"
import { asksForRemoval } from "../asked/removals.ts"
import { saidOf } from "../asked/said.ts"
import { isRowIn } from "../code/rowsIn.ts"
import { lineChanges } from "./changes.ts"
import { type Commented, commentsAt, commentsOf } from "./comments.ts"
import { ordinals } from "./lineProof.ts"
import { type CutPlace, cutPlaces, isPlaceIn } from "./places.ts"

/**
 * Whether an item asks to take comments or documentation of code out, and for nothing else: `Remove the old comment in
 * a.py`, `Delete the TODO in add()`. Comments that a product has (`Remove the comments table`) are none. Pure.
 */
export const asksForCommentRemoval = (item: string): boolean => {
  const text = saidOf(item).replace(/\b(type|pragma): /i, "$1 ")
  if (!asksForRemoval(item) || isOfProduct(text)) return false
  if (inJapanese.test(text)) return true
  const [first = "", ...more] = text.replace(/\.$/, "").split(/[;:]\s+|\.\s+|,\s+(?:and\s+)?|\s+(?:and|then|plus)\s+/i)
  const isOfComments = (clause: string): boolean =>
    marked.test(clause.replace(/`(?![/#])([^`]*)`/g, "$1")) ||
    (plainly.test(clause) && (codeNamesIn(text).length > 0 || ofCode.test(clause)))
  // what follows may be another place
  return isOfComments(first) && more.every((clause) => isOfComments(clause) || /^\S+(?:\.\w+|\(\))$/.test(clause))
}

const verb = "(?:(?:remove|delete|drop|strip|take out|get rid of|clean up) )?"
/** It is taken out itself, and no part of something else. */
const ends = String.raw`(?=$|[,)]|\s+(?:in|from|of|for|on|at|above|before|behind|below|after|beside|around|near|inside|within|about|to|that|which|by)\b)`
const plainly = new RegExp(`^${verb}${between}${noun}${ends}`, "i")
/** Nothing but code has these. */
const marked = new RegExp(
  `^${verb}${between}(?:doc-?strings?|(?:js|ts|go|rust|java|k|php)-?docs?|commented[- ]out (?:code|lines?|blocks?|functions?|imports?|statements?|calls?)|TODOs?(?: (?:comments?|notes?|markers?))?|FIXMEs?(?: comments?)?|(?:type:?[ -]ignores?|no(?:qa|lint|sec|sonar)s?|@?ts-(?:ignore|expect-error|nocheck)s?|(?:eslint|stylelint|rubocop|pylint|shellcheck)[- :]disable\\S*|@?(?:biome|prettier|istanbul|[cv]8|phpstan|deno-lint)[- ]ignore\\S*|@?psalm-suppress|pragma:? no[ -]?cover)(?: (?:comments?|directives?))?|pragmas?|(?:encoding|magic) comments?|\`(?:\\/\\/|\\/\\*|#)[^\`]+\`|(?:lint|linter|type|compiler|shellcheck|rubocop|resharper|eslint|mypy|pylint) (?:suppressions?|directives?|ignores?|pragmas?))${ends}`,
  "i"
)
const inJapanese =
  /(?:コメント(?:アウト(?:された)?[^。、を]{0,12})?|TODO|FIXME|docstring|ドックストリング|JSDoc)を(?:すべて|全て)?(?:削除|除去|取り除|消)/i

/** What was taken out of the comments of a file, and is said nowhere in it any more. */
export interface Uncommented {
  /** Where whole rows of them were taken out. */
  readonly places: ReadonlyArray<CutPlace>
  /** Rows of code behind which one stood. */
  readonly rows: ReadonlyArray<number>
  /** What stands for each row, without comments. */
  readonly tokens: ReadonlyArray<string>
}

/** A version of a file, with what stands for each row without its comments. */
interface Version {
  readonly file: Commented
  readonly tokens: ReadonlyArray<string>
}

/** What an item wants to be taken out of the comments of a file, and was. Pure. */
export const uncommented = (item: string, now: Version, before: Version): Uncommented => {
  const said = new Set(commentsOf(now.file).map(plain))
  const gone = new Map(
    [...commentsOf(before.file).map(plain).entries()].filter(([, text]) => text !== "" && !said.has(text))
  )
  const meant = new Map([...commentsAt(item, before.file, gone)].filter(([, text]) => isMarked(item, text)))
  if (meant.size === 0) return { places: [], rows: [], tokens: now.tokens }
  // with these comments alone: what differs then and not without them is where they stood
  const old = before.tokens.map((text, row) => (meant.has(row) ? `${text} #${meant.get(row)}` : text))
  const [all, code] = [lineChanges(old, now.tokens), lineChanges(before.tokens, now.tokens)]
  const [cutAnyhow, newAnyhow] = [new Set(code.cuts), new Set(code.rows)]
  const [texts, oldTexts] = [now, before].map(({ file }) => file.lines.map((line) => line.trimEnd()))
  const compared = texts ?? []
  return {
    places: cutPlaces(
      { rows: [], cuts: all.cuts.filter((row) => !cutAnyhow.has(row)), compared: now.tokens },
      { ...lineChanges(oldTexts ?? [], compared), compared }
    ),
    rows: all.rows.filter((row) => !newAnyhow.has(row)),
    tokens: now.tokens
  }
}

const plain = (comment: string): string => comment.replace(/\s+/g, "")

/** Where an item names the mark of a comment, the comment has it. */
const isMarked = (item: string, comment: string): boolean => {
  const mark = /\b(TODO|FIXME)s?\b/i.exec(item)?.[1]
  return mark === undefined || comment.toLowerCase().includes(mark.toLowerCase())
}

/** What was taken out there, by name, so that it keeps its name when it moves. */
export const uncommentedIn = (
  { places, rows, tokens }: Uncommented,
  range: LineRange,
  sha256: (text: string) => string
): ReadonlyArray<string> => {
  // a comment belongs to what stands behind it
  const isAt = (place: CutPlace): boolean =>
    isPlaceIn(place, range, tokens.length, true) || place.gaps.some(({ behind }) => isRowIn(range, behind))
  const found = [
    ...places.filter(isAt).map(({ row }) => ({ row, end: "" })),
    ...rows.filter((row) => isRowIn(range, row)).map((row) => ({ row, end: "=" }))
  ]
  const ordinal = found.length === 0 ? [] : ordinals(tokens)
  return found.map(({ end, row }) => `-#${sha256(tokens[row] ?? "").slice(0, 8)}.${ordinal[row] ?? 0}${end}`)
}
