import type { Item, Marker } from "./shapes.ts"
import { isFileName, isLiteral, mask, oneLine, type Span, type Token, tokensOf, trim } from "./text.ts"
import {
  accompaniments,
  artefacts,
  fieldNouns,
  fieldWords,
  idioms,
  informVerbs,
  jointVerbs,
  makeVerbs,
  prepositions,
  products,
  qualities,
  sharedTails,
  smallWholes,
  stops,
  vagueVerbs,
  wholes
} from "./words.ts"

/** The object of a verb: some words of a sentence. `end` is where it ends in the prompt. */
export interface Stretch {
  readonly text: string
  readonly masked: string
  readonly tokens: ReadonlyArray<Token>
  readonly from: number
  readonly to: number
  readonly end: number
}

/** What the object of a verb enumerates; no items: it is one piece. */
interface Listed {
  readonly items: ReadonlyArray<Item>
  readonly whole: boolean
}

type Speak = (words: string) => string

/** Words of the stretch from one to another, the latter excluded. */
interface Piece {
  readonly from: number
  readonly to: number
  readonly marker: Marker | null
}

const separator = /^(?:[,;]|and|&|plus|\+)$/
const markers: ReadonlyMap<string, Marker> = new Map([
  ["then", "then"],
  ["next", "then"],
  ["finally", "last"],
  ["lastly", "last"],
  ["afterwards", "then"]
])

/** Enumerated pieces; `null`: alternatives, or nothing is enumerated. */
const split = (tokens: ReadonlyArray<Token>, from: number, to: number): ReadonlyArray<Piece> | null => {
  const commas: Array<number> = []
  for (let at = from; at < to; at++) {
    const word = tokens[at]?.word ?? ""
    if (word === "or" || word === "and/or" || word === "vs" || word === "versus") return null
    if (word === "," || word === ";") commas.push(at)
  }
  const rough = [from - 1, ...commas, to].flatMap((edge, i, edges) =>
    i === 0 ? [] : [{ from: (edges[i - 1] ?? 0) + 1, to: edge }]
  )
  const oxford = commas.length > 0 && rough.some((piece) => separator.test(tokens[piece.from]?.word ?? ""))
  const fine =
    commas.length === 0
      ? cutAll(tokens, from, to)
      : rough.flatMap((piece, i) =>
          i === rough.length - 1 && !oxford ? cutOnce(tokens, piece.from, piece.to) : [piece]
        )
  if (commas.length === 1 && fine.length === 2 && !oxford) return null
  const marked = fine.some(
    (piece) => markers.has(word(tokens, piece.from)) || markers.has(word(tokens, piece.from + 1))
  )
  const pieces = fine
    .map((piece) => bare(tokens, piece, marked))
    .filter((piece) => piece.to > piece.from && !/^(?:etc|etc\.|so|others|more)$/.test(word(tokens, piece.from)))
  return pieces.length < 2 ? null : pieces
}

const word = (tokens: ReadonlyArray<Token>, at: number): string => tokens[at]?.word ?? ""

const cutAll = (tokens: ReadonlyArray<Token>, from: number, to: number): ReadonlyArray<Omit<Piece, "marker">> => {
  const pieces: Array<Omit<Piece, "marker">> = []
  let start = from
  for (let at = from; at < to; at++)
    if (separator.test(word(tokens, at))) {
      pieces.push({ from: start, to: at })
      start = at + 1
    } else if (word(tokens, at) === "as" && word(tokens, at + 1) === "well" && word(tokens, at + 2) === "as") {
      pieces.push({ from: start, to: at })
      start = at + 3
    }
  return [...pieces, { from: start, to }]
}

const cutOnce = (tokens: ReadonlyArray<Token>, from: number, to: number): ReadonlyArray<Omit<Piece, "marker">> => {
  for (let at = to - 1; at > from; at--)
    if (separator.test(word(tokens, at)))
      return [
        { from, to: at },
        { from: at + 1, to }
      ]
  return [{ from, to }]
}

const bare = (tokens: ReadonlyArray<Token>, piece: Omit<Piece, "marker">, marked: boolean): Piece => {
  let { from } = piece
  let marker: Marker | null = null
  for (; from < piece.to; from++) {
    const here = word(tokens, from)
    if (marked && markers.has(here)) marker = markers.get(here) ?? null
    else if (marked && here === "first") marker = "first"
    else if (!separator.test(here) && here !== "also") break
  }
  let { to } = piece
  while (to > from && /^[,;:.!?…]+$/.test(word(tokens, to - 1))) to--
  return { from, to, marker }
}

const isDeterminer = (here: string): boolean => /^(?:the|a|an|one|each|every|new|another|all|our|your|my)$/.test(here)
const isIndefinite = (here: string): boolean => /^(?:a|an|one|another|new)$/.test(here)

/** What the object of a verb enumerates. */
export const enumerated = (stretch: Stretch, verb: string, speak: Speak): Listed => {
  const { from, to, tokens } = stretch
  const none: Listed = { items: [], whole: false }
  if (jointVerbs.has(verb) && verb !== "set") return none
  const colon = find(tokens, from, to, (here) => here === ":")
  if (colon < to) return afterColon(stretch, colon, verb, speak) ?? none
  const stop = find(
    tokens,
    from,
    to,
    (here, at) => stops.has(here) || (here === "to" && isVerb(word(tokens, at + 1)) && at > from)
  )
  const head = nounOf(tokens, from, stop)
  const whole = wholes.has(head)
  const named = kindList(stretch, stop, verb, speak)
  if (named.length > 1) return { items: named, whole: false }
  const direct = directList(stretch, stop, verb, speak)
  if (direct.length > 1) return { items: direct, whole: false }
  const described = parallel(stretch, verb, speak)
  if (described.length > 1) return { items: described, whole: false }
  const contained = withList(stretch, stop, head, verb, speak)
  if (contained.length > 1) return { items: contained, whole: true }
  const bracketed = bracketList(stretch, speak)
  return { items: bracketed, whole }
}

const isVerb = (here: string): boolean =>
  makeVerbs.has(here) ||
  (/^[a-z]{2,}$/.test(here) &&
    !isDeterminer(here) &&
    !/^(?:this|that|its|their|these|those|it|them)$/.test(here) &&
    verbLike.has(here))
const verbLike = new Set(
  "add create edit delete remove update use support allow make show display list manage handle fetch load save send store validate run test check get set view browse search filter sort find track export import read write parse render prevent avoid improve reflect match return accept open close log sign register reset upload download keep ensure let be have do switch convert".split(
    " "
  )
)

const find = (
  tokens: ReadonlyArray<Token>,
  from: number,
  to: number,
  is: (here: string, at: number) => boolean
): number => {
  for (let at = from; at < to; at++) if (is(word(tokens, at), at)) return at
  return to
}

/** The noun that an object is about: the word before its first preposition. */
const nounOf = (tokens: ReadonlyArray<Token>, from: number, to: number): string =>
  word(tokens, find(tokens, from + 1, to, (here) => prepositions.has(here) || /^[,;:.!?]+$/.test(here)) - 1)

const spanOf = ({ end, text, tokens }: Stretch, { from, to }: Omit<Piece, "marker">): Span => {
  const start = tokens[from]?.start ?? end
  const next = tokens[to]?.start ?? end
  const span = trim(text, { start, end: Math.max(start, Math.min(next, end)) })
  const mark = /[\s,;:.!?…*]+$/u.exec(text.slice(Math.max(span.start, span.end - 40), span.end))
  return { start: span.start, end: span.end - (mark?.[0].length ?? 0) }
}

const said = (stretch: Stretch, piece: Omit<Piece, "marker">): string => {
  const { end, start } = spanOf(stretch, piece)
  return oneLine(stretch.text.slice(start, end))
}

const item = (stretch: Stretch, piece: Piece, say: string): Item => ({
  own: spanOf(stretch, piece),
  say,
  marker: piece.marker
})

/** `five functions in a.ts: mean, median and mode`. */
const afterColon = (stretch: Stretch, colon: number, verb: string, speak: Speak): Listed | null => {
  const { from, to, tokens } = stretch
  const pieces = split(tokens, colon + 1, to)
  const group = nounOf(tokens, from, colon)
  if (pieces === null || fieldNouns.has(group) || !isWork(tokens, pieces)) return null
  if (pieces.some((piece) => piece.to - piece.from > 25)) return null
  // `a form: name, email`: one thing and what it has
  const one = isIndefinite(word(tokens, from)) && !wholes.has(group)
  if (one && pieces.length < 5) return null
  if (
    find(tokens, from, colon, (here) => /^(?:that|which|should|must|takes|accepts|returns|when|if)$/.test(here)) < colon
  )
    return null
  const items = ofKind(stretch, pieces, group, from === colon ? "" : placeIn(stretch, colon), verb, speak)
  return { items, whole: wholes.has(group) }
}

const dash = /^(?:–|—|--?)$/

/** Things named after the word for their kind: `the scripts, a.sh and b.sh`, `three modules – a, b and c`, `functions a and b`. */
const kindList = (stretch: Stretch, stop: number, verb: string, speak: Speak): ReadonlyArray<Item> => {
  const { from, to, tokens } = stretch
  const mark = find(tokens, from, stop, (here) => here === "," || dash.test(here))
  const group = nounOf(tokens, from, mark)
  if (dash.test(word(tokens, mark))) {
    const end = find(tokens, mark + 1, to, (here) => dash.test(here))
    const pieces = split(tokens, mark + 1, end)
    if (pieces === null || !(isPlural(group) && !fieldNouns.has(group)) || !isWork(tokens, pieces)) return []
    if (pieces.some((piece) => piece.to - piece.from > 8)) return []
    return ofKind(stretch, pieces, group, `${placeIn(stretch, mark)}${rest(stretch, end + 1)}`, verb, speak)
  }
  const exact = (pieces: ReadonlyArray<Piece>) => pieces.every((piece) => isExact(word(tokens, piece.from)))
  if (mark < stop && group === word(tokens, mark - 1) && isPlural(group) && !fieldNouns.has(group)) {
    const place = find(tokens, mark + 1, stop, (here) => prepositions.has(here))
    const pieces = split(tokens, mark + 1, word(tokens, place - 1) === "," ? place - 1 : place)
    if (pieces !== null && exact(pieces))
      return ofKind(stretch, pieces, group, `${placeIn(stretch, mark)}${rest(stretch, place)}`, verb, speak)
  }
  const pieces = split(tokens, from, stop)
  const [first, ...others] = pieces ?? []
  const kind = first === undefined ? "" : word(tokens, first.to - 2)
  if (first === undefined || first.to - first.from < 2 || !isPlural(kind) || fieldNouns.has(kind)) return []
  const last = others.at(-1)
  if (last === undefined) return []
  const cut = find(tokens, last.from + 1, last.to, (here) => prepositions.has(here))
  const names = [{ ...first, from: first.to - 1 }, ...others.slice(0, -1), { ...last, to: cut }]
  if (!isWork(tokens, names) || !names.every((piece) => piece.to - piece.from === 1)) return []
  if (prepositions.has(word(tokens, names[0]?.from ?? from))) return []
  return ofKind(stretch, names, kind, rest(stretch, cut), verb, speak)
}

/** `in src/a.ts` of `three functions in src/a.ts`. */
const placeIn = (stretch: Stretch, until: number): string => {
  const place = find(stretch.tokens, stretch.from + 1, until, (here) => prepositions.has(here) || here === "using")
  return place < until ? ` ${said(stretch, { from: place, to: until })}` : ""
}

const rest = (stretch: Stretch, from: number): string => {
  const words = from < stretch.to ? said(stretch, { from, to: stretch.to }) : ""
  return words === "" ? "" : ` ${words}`
}

const ofKind = (
  stretch: Stretch,
  pieces: ReadonlyArray<Piece>,
  group: string,
  tail: string,
  verb: string,
  speak: Speak
): ReadonlyArray<Item> => {
  const kind = isPlural(group) && verb !== "" ? `the ${singular(group)} ` : ""
  return pieces.map((piece) =>
    item(stretch, piece, speak(`${piece.to - piece.from === 1 ? kind : ""}${said(stretch, piece)}${tail}`))
  )
}

const singular = (plural: string): string =>
  plural.endsWith("ies")
    ? `${plural.slice(0, -3)}y`
    : /(?:ss|x|ch|sh)es$/.test(plural)
      ? plural.slice(0, -2)
      : plural.endsWith("s") && !plural.endsWith("ss")
        ? plural.slice(0, -1)
        : plural

/** Several artefacts of a kind: `endpoints`, not `class`. */
const isPlural = (noun: string): boolean => artefacts.has(noun) && singular(noun) !== noun

const wordsOf = (tokens: ReadonlyArray<Token>, { from, to }: Omit<Piece, "marker">): ReadonlyArray<string> =>
  tokens.slice(from, to).map((token) => token.word)

/** Properties, qualities and values are no work. */
const isWork = (tokens: ReadonlyArray<Token>, pieces: ReadonlyArray<Piece>): boolean => {
  const last = pieces.at(-1)
  if (last !== undefined && fieldNouns.has(nounOf(tokens, last.from, last.to))) return false
  const share = (is: (words: ReadonlyArray<string>) => boolean) =>
    pieces.filter((piece) => is(wordsOf(tokens, piece).filter((here) => !isDeterminer(here)))).length / pieces.length
  if (share((words) => words.length > 0 && words.every((here) => fieldWords.has(here))) > 0.5) return false
  if (share((words) => words.length > 0 && words.every((here) => isQuality(here))) >= 0.5) return false
  if (share((words) => words.every((here) => /^[\d.%$€-]+\w{0,3}$/.test(here))) > 0.3) return false
  return !pieces.some((piece) =>
    /^(?:its|their|his|her|it|them|they|not|no|if|when|but)$/.test(word(tokens, piece.from))
  )
}

const isQuality = (here: string): boolean =>
  qualities.has(here) ||
  (/(?:able|ible|ful|less|ous)$/.test(here) && here.length > 6) ||
  /^(?:well|very|fully|highly|more)(?:-|$)/.test(here)

const isExact = (here: string): boolean => isLiteral(here) || /[_./()]|^\W/.test(here)

/** A verb with several objects: `login, logout and search in src/a.ts`. */
const directList = (stretch: Stretch, stop: number, verb: string, speak: Speak): ReadonlyArray<Item> => {
  const { from, text, to, tokens } = stretch
  const pieces = split(tokens, from, stop)
  const [first, ...rest] = pieces ?? []
  const last = rest.at(-1)
  if (pieces === null || first === undefined || last === undefined) return []
  if (
    pieces.some((piece) => piece.to - piece.from > 14) ||
    /^(?:between|both|this|that|its|their)$/.test(word(tokens, first.from))
  )
    return []
  const inner = (piece: Piece) => find(tokens, piece.from, piece.to, (here) => prepositions.has(here))
  const firstCut = inner(first)
  const middle = rest.slice(0, -1)
  const placed = firstCut < first.to && firstCut > first.from
  if (
    placed &&
    middle.every((piece) => inner(piece) === piece.to) &&
    !rest.every((piece) => isDeterminer(word(tokens, piece.from)))
  )
    return inner(last) < last.to && middle.length === 0
      ? own(stretch, pieces, stop, verb, speak)
      : atPlaces(stretch, pieces, firstCut, verb, speak)
  if (placed || middle.some((piece) => inner(piece) < piece.to)) return own(stretch, pieces, stop, verb, speak)
  // a tail of the last piece that belongs to all
  const cut = inner(last)
  const tailFrom = cut < last.to && cut > last.from ? cut : stop
  const shared =
    ((tailFrom < to && sharedTails.has(word(tokens, tailFrom))) || word(tokens, tailFrom) === "to") &&
    // `a page and tests for these`
    !/^(?:these|those|them|both|it|this|that|each)$/.test(word(tokens, tailFrom + 1))
  const short: ReadonlyArray<Piece> = [...pieces.slice(0, -1), { ...last, to: Math.min(last.to, tailFrom) }]
  if (!isWork(tokens, short) || !plausible(stretch, short, verb, tailFrom)) return []
  const tail = tailFrom < to ? ` ${said(stretch, { from: tailFrom, to })}` : ""
  const group = nounOf(tokens, last.from, Math.min(last.to, tailFrom))
  // `the docs and the tests`: each has a noun of its own
  const grouped =
    isPlural(group) &&
    last.to - last.from > 1 &&
    !isDeterminer(word(tokens, last.from)) &&
    short.slice(0, -1).some((piece) => !artefacts.has(nounOf(tokens, piece.from, piece.to)))
  return short.map((piece, i) => {
    const isLast = i === short.length - 1
    const words = said(stretch, piece)
    const noun = nounOf(tokens, piece.from, piece.to)
    const named =
      !grouped || (!isLast && artefacts.has(noun))
        ? words
        : isLast
          ? `${words.slice(0, words.length - group.length)}${text.slice(spanOf(stretch, piece).end - group.length, spanOf(stretch, piece).end).slice(0, singular(group).length) === singular(group) ? singular(group) : group}`
          : `${words} ${singular(group)}`
    return item(stretch, piece, speak(`${named}${isLast || shared ? tail : ""}`))
  })
}

const relative = /^(?:which|that|who)$/

/** `an importer that reads the feed and a scheduler that runs it`: each with a clause of its own. */
const parallel = (stretch: Stretch, verb: string, speak: Speak): ReadonlyArray<Item> => {
  const { from, to, tokens } = stretch
  const begins = (at: number) => isIndefinite(word(tokens, at)) || isExact(word(tokens, at))
  if (!(makeVerbs.has(verb) || verb === "need") || !begins(from)) return []
  const pieces: Array<Piece> = []
  let start = from
  for (let at = from + 1; at < to; at++) {
    if (!/^(?:,|and)$/.test(word(tokens, at))) continue
    const next = /^and$/.test(word(tokens, at + 1)) ? at + 2 : at + 1
    const own = find(tokens, next + 1, Math.min(to, next + 6), (here) => relative.test(here)) < Math.min(to, next + 6)
    if (!begins(next) || !own || find(tokens, start, at, (here) => relative.test(here)) === at) continue
    pieces.push({ from: start, to: at, marker: null })
    start = next
    at = next
  }
  return pieces.length === 0
    ? []
    : [...pieces, { from: start, to, marker: null }].map((piece) => item(stretch, piece, speak(said(stretch, piece))))
}

/** Every piece with words of its own: nothing is shared but the verb. */
const own = (
  stretch: Stretch,
  pieces: ReadonlyArray<Piece>,
  stop: number,
  verb: string,
  speak: Speak
): ReadonlyArray<Item> => {
  const { to, tokens } = stretch
  if (
    !isWork(tokens, pieces) ||
    (vagueVerbs.has(verb) &&
      !pieces.every((piece) => isDeterminer(word(tokens, piece.from)) || isExact(word(tokens, piece.from))))
  )
    return []
  // `shortcuts to the editor and a dialog to the toolbar`: each has a place of its own
  const placed = pieces.every(
    (piece, i) =>
      (i === 0 || isDeterminer(word(tokens, piece.from))) &&
      find(tokens, piece.from + 1, piece.to, (here) => prepositions.has(here)) < piece.to
  )
  if (
    pieces.length === 2 &&
    !placed &&
    !pieces.every((piece) => isDeterminer(word(tokens, piece.from)) || isExact(word(tokens, piece.from)))
  )
    return []
  if (!pieces.slice(1).every((piece) => isDeterminer(word(tokens, piece.from)) || piece.to - piece.from >= 3)) return []
  return pieces.map((piece, i) =>
    item(stretch, piece, speak(said(stretch, i === pieces.length - 1 && stop < to ? { ...piece, to } : piece)))
  )
}

/** `tests for a, b and c`; `the errors in a.ts and b.ts`. */
const atPlaces = (
  stretch: Stretch,
  pieces: ReadonlyArray<Piece>,
  cut: number,
  verb: string,
  speak: Speak
): ReadonlyArray<Item> => {
  const { from, tokens } = stretch
  const [first, ...others] = pieces
  if (first === undefined) return []
  const last = others.at(-1) ?? first
  const ends = find(tokens, last.from + 1, last.to, (here) => prepositions.has(here) && sharedTails.has(here))
  const places: ReadonlyArray<Piece> = [{ ...first, from: cut + 1 }, ...others.slice(0, -1), { ...last, to: ends }]
  const group = word(tokens, cut - 1)
  const files = places.every((piece) =>
    wordsOf(tokens, piece)
      .filter((here) => !isDeterminer(here))
      .slice(0, 1)
      .every(isFileName)
  )
  const several =
    word(tokens, cut) === "for" &&
    !fieldNouns.has(group) &&
    (/^(?:support|documentation|coverage)$/.test(group) || isPlural(group)) &&
    (places.length > 2 || places.every((piece) => isExact(word(tokens, piece.from)))) &&
    isWork(tokens, places)
  if (!files && !several) return []
  if (files && isIndefinite(word(tokens, from))) return []
  const what = said(stretch, { from, to: cut + 1 })
  return places.map((piece) =>
    item(stretch, piece, speak(`${verb === "" ? "" : `${what} `}${said(stretch, piece)}${rest(stretch, ends)}`))
  )
}

const plausible = (stretch: Stretch, pieces: ReadonlyArray<Piece>, verb: string, tailFrom: number): boolean => {
  const { to, tokens } = stretch
  const [first, ...rest] = pieces
  const last = rest.at(-1)
  if (first === undefined || last === undefined) return false
  const heads = pieces.map((piece) => word(tokens, piece.from))
  const exact = heads.every(isExact)
  const all = heads.every((head) => isDeterminer(head) || isExact(head))
  const group = nounOf(tokens, last.from, last.to)
  const plural = isPlural(group)
  const sizes = pieces.map((piece) => piece.to - piece.from)
  // `a fast, safe parser`, `a login and signup page`: one thing
  if (isIndefinite(heads[0] ?? "") && !rest.some((piece) => isDeterminer(word(tokens, piece.from)))) {
    const nouns = sizes.slice(1).every((size) => size === 1) && (sizes[0] ?? 0) === 2
    const long = (sizes[0] ?? 0) >= 3 && sizes.slice(1).every((size) => size >= 2)
    if (pieces.length === 2 || (!nouns && !long)) return false
  }
  if (
    pieces.slice(0, -1).some((piece) => wordsOf(tokens, piece).every((here) => isQuality(here) || isDeterminer(here)))
  )
    return false
  const place = tailFrom < to ? word(tokens, tailFrom) : ""
  const target = tailFrom < to ? nounOf(tokens, tailFrom + 1, to) : ""
  const attached =
    /^(?:add|append|attach|insert|apply|remove|assign)$/.test(verb) &&
    (place === "to" || place === "from") &&
    !wholes.has(target) &&
    !smallWholes.has(target) &&
    !isFileName(target)
  if (attached && sizes.every((size) => size === 1)) return false
  if (/^(?:add|remove|define)$/.test(verb) && place === "to" && exact && !isFileName(heads[0] ?? ""))
    return wholes.has(target) || isFileName(target)
  if (pieces.length === 2) {
    const pair = [lastWord(tokens, first), lastWord(tokens, last)].join(" ")
    if (idioms.has(pair)) return false
    if (all) return !(verb === "delete" || verb === "remove")
    if (plural && heads[0] === "the") return true
    return (
      /^(?:implement|create|build|add|write|develop|design|need)$/.test(verb) &&
      sizes.every((size) => size <= 3) &&
      !pieces.some((piece) => wordsOf(tokens, piece).some(isQuality)) &&
      !wordsOf(tokens, last).some(
        (here) => accompaniments.has(here) && sizes[1] === 1 && sizes[0] === 1 && here === "types"
      )
    )
  }
  if (!vagueVerbs.has(verb) && !informVerbs.has(verb)) return true
  if (verb === "delete" && exact) return false
  return all || plural || sizes.every((size) => size >= 2)
}

const lastWord = (tokens: ReadonlyArray<Token>, { to }: Piece): string => word(tokens, to - 1)

const openers =
  /^(?:with|including|containing|having|featuring|offering|comprising|covering|supporting|providing|consisting)$/

/** `an authentication module with login, logout and session management`. */
const withList = (stretch: Stretch, stop: number, head: string, verb: string, speak: Speak): ReadonlyArray<Item> => {
  const { from, to, tokens } = stretch
  if (!openers.test(word(tokens, stop)) || !(makeVerbs.has(verb) || verb === "need")) return []
  const start = stop + (word(tokens, stop + 1) === "of" ? 2 : 1)
  const skip = find(tokens, start, to, (here) => !/^(?:support|for|the|following|both)$/.test(here))
  const end = find(
    tokens,
    skip,
    to,
    (here, at) => at > skip && (stops.has(here) || prepositions.has(here)) && here !== "for"
  )
  const pieces = split(tokens, word(tokens, skip - 1) === "the" ? skip - 1 : skip, end)
  if (pieces === null || pieces.some((piece) => piece.to - piece.from > 10) || !isWork(tokens, pieces)) return []
  const several = isPlural(head) && !fieldNouns.has(head) && head !== "forms" && head !== "tables"
  const enough = wholes.has(head) || several ? 3 : smallWholes.has(head) ? 5 : Number.POSITIVE_INFINITY
  if (pieces.length < enough) return []
  const all = (words: ReadonlySet<string>) =>
    pieces.filter((piece) => wordsOf(tokens, piece).some((here) => words.has(here))).length
  if (all(products) * 2 >= pieces.length || all(accompaniments) * 2 > pieces.length) return []
  const container = said(stretch, { from: isDeterminer(word(tokens, from)) ? from + 1 : from, to: stop })
  const [first, ...others] = pieces
  // `endpoints for books, authors and reviews`
  const cut = first === undefined ? 0 : find(tokens, first.from + 1, first.to, (here) => here === "for")
  const spread =
    first !== undefined && cut + 1 < first.to && others.every((piece) => !wordsOf(tokens, piece).includes("for"))
  const kind = spread ? `${said(stretch, { from: first.from, to: cut + 1 })} ` : ""
  return pieces.map((piece, i) => {
    const own = spread && i === 0 ? { ...piece, from: cut + 1 } : piece
    return item(stretch, own, speak(`${kind}${said(stretch, own)} for the ${container}${rest(stretch, end)}`))
  })
}

/** `CRUD endpoints (create, read, update, delete)`. */
const bracketList = (stretch: Stretch, speak: Speak): ReadonlyArray<Item> => {
  const { end, from, masked, text, tokens } = stretch
  const start = tokens[from]?.start ?? end
  const found = /\uE002+/u.exec(masked.slice(start, end))
  if (found === null) return []
  const at = start + found.index
  const inside = text.slice(at + 1, at + found[0].length - 1)
  const inner = mask(inside)
  const words = tokensOf(inner, { start: 0, end: inner.length }).map(({ end: stops_, start: begins, word: here }) => ({
    word: here,
    start: begins + at + 1,
    end: stops_ + at + 1
  }))
  if (/^(?:e\.g|i\.e|eg|ie|like|for|such|see|optional|not|no)/.test(words[0]?.word ?? "")) return []
  const pieces = split(words, 0, words.length)
  const before = tokens.filter((token, i) => i >= from && token.end <= at)
  const last = before.at(-1)?.word ?? ""
  const main = nounOf(tokens, from, from + before.length)
  const head = wholes.has(main) ? main : last
  const several = isPlural(last) && !fieldNouns.has(last)
  if (pieces === null || pieces.length < (several ? 2 : 3) || !(several || wholes.has(head)) || !isWork(words, pieces))
    return []
  if (pieces.some((piece) => piece.to - piece.from > 8)) return []
  const container = oneLine(text.slice(before.find(({ word: here }) => !isDeterminer(here))?.start ?? at, at))
  const after = oneLine(text.slice(at + found[0].length, end))
  const tail = after === "" ? "" : ` ${after}`
  const part: Stretch = { text, masked, tokens: words, from: 0, to: words.length, end: at + found[0].length - 1 }
  return pieces.map((piece) => item(part, piece, speak(`${said(part, piece)} for the ${container}${tail}`)))
}
