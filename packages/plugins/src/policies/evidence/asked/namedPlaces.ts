import type { Declaration, LineRange, SourceOutline } from "../../../port/index.ts"
import { isTestFile } from "../tests/testCases.ts"
import { at, call, ofItself, owners } from "./namedCode.ts"
import { saidOf } from "./said.ts"

/**
 * The functions on which, as the text of an item says, its work is: `Add retry to fetchAll()`, `Call init() in main()`, `Make
 * load_users log its path`. A name counts when it is written as a call, between backticks, of several words, or behind `function`
 * or `method`. What is only spoken of is none: `as in save()`, `Add a call to load()`, `Fix the tests of load()`. Pure.
 */
export const functionsNamedIn = (item: string): ReadonlyArray<string> => {
  const text = saidOf(item)
  const places = [...text.matchAll(place)].filter(({ 0: found, groups, index }) => {
    const goesOn = at(ofItself, text, index + found.length) !== null
    return goesOn && isPlace(groups?.["word"]?.toLowerCase() ?? "", text.slice(0, index))
  })
  const objects = [made.exec(text), changed.exec(text), subject.exec(text)].filter((found) => found !== null)
  const japanese = text.includes("を") ? [...text.matchAll(inJapanese)] : []
  return [...new Set([...places, ...objects, ...japanese].flatMap(({ groups }) => nameIn(groups) ?? []))]
}

const nameIn = (groups: Readonly<Record<string, string | undefined>> | undefined): string | undefined => {
  const { bare, called, kind, quoted } = groups ?? {}
  return called ?? quoted ?? kind ?? (bare !== undefined && severalWords.test(bare) ? bare : undefined)
}

/** `fetchAll`, `load_users`: no word of a sentence. */
const severalWords = /^_*(?:[a-z\d]+[A-Z][\w$]*|[A-Za-z\d]+(?:_[A-Za-z\d]+)+)$/

const name = String.raw`[A-Za-z_$][\w$]*[!?]?`
const called = String.raw`\x60?${owners}(?<called>${name})${call}\x60?`
/** What a function is called, and the word for it. */
const named = String.raw`(?:the\s+)?(?:${called}|\x60${owners}(?<quoted>${name})\x60|(?:function|method)\s+\x60?${owners}(?<kind>${name})\x60?(?![\w$(])|${owners}(?<bare>${name})(?![\w$(./-]))(?:\s+(?:function|method)\b)?`
const place = new RegExp(
  String.raw`\b(?<word>to|in|into|inside|within|from)\s+(?:the\s+)?(?:(?:start|beginning|top|end|body)\s+of\s+)?${named}`,
  "gi"
)
/** It is not the function, but something of it, or what uses it. */
const ofOthers = String.raw`(?!['’]|\s+(?:api|callers?|calls?|comments?|docs?|docstrings?|documentation|endpoints?|examples?|exports?|fixtures?|imports?|mocks?|references?|routes?|stubs?|tests?|types?|usages?|uses|users)\b)`
/** Anything may follow: `Make load() fast`. */
const made = new RegExp(String.raw`^(?:ensure(?:\s+that)?|have|let|make|teach)\s+${named}${ofOthers}`, "i")
/** It is the function itself: not `Improve load() error messages`. */
const changed = new RegExp(
  String.raw`^(?:adapt|change|extend|fix|harden|improve|modify|optimi[sz]e|refactor|rewrite|simplify|speed\s+up|update)\s+${named}${ofOthers}(?=${ofItself.source})`,
  "i"
)
const subject = new RegExp(String.raw`^${called}${ofOthers}\s+(?:always\s+|never\s+|no\s+longer\s+)?[a-z]+s\b`)
const inJapanese = new RegExp(
  String.raw`${called}\s*(?:関数|メソッド)?(?:の中|内)?(?:に|で)(?!(?:基づ|従|なら|似|リネーム|改名|置き換))`,
  "g"
)

const isPlace = (word: string, before: string): boolean => {
  if (word === "to")
    return /^\W*(?:add|adds|append|apply|attach|introduce|prepend)\b/i.test(before) && !leadsTo.test(before)
  if (word === "from") return /^\W*(?:call|calls|invoke|remove|delete|drop|return|raise|throw)\b/i.test(before)
  return !isSpokenOf.test(before)
}

/** What something is in relation to what follows; words that need a place other than it. */
const leadsTo =
  /\b(?:access|alias|alternative|call|calls|companion|counterpart|delegation|fallback|forwarding|identical|equal|equivalent|link|links|next|opposite|pointer|reference|references|relative|replacement|shortcut|similar|synonym|wrapper)\s+$/i
const isSpokenOf =
  /\b(?:as|like|than|used|defined|declared|described|documented|found|listed|done|exists?|existing|already|currently|now|happens?|written)\s+$/i

/** A version of a file. */
export interface Placed {
  readonly path: string
  /** The tokens of each line, without comments. */
  readonly tokens: ReadonlyArray<string>
  readonly outline: SourceOutline | null
}

/**
 * The functions of which cited lines are no work: each was in the file before and was not changed, and the lines neither
 * are in it, nor name it, nor hold what it uses or what uses it, be it through other functions of the file. Empty: the lines may be work on
 * one of them, or nobody can tell. Pure.
 */
export const unrelatedTo = (
  names: ReadonlyArray<string>,
  now: Placed,
  before: Placed,
  cited: LineRange
): ReadonlyArray<string> => {
  const known = names.filter((name) => functionsOf(before, name).length > 0 && functionsOf(now, name).length > 0)
  if (known.length < names.length || known.length === 0 || isTestFile(now.path)) return []
  return known.every((name) => isUnchanged(name, now, before) && !isRelated(name, now, cited)) ? known : []
}

const functionsOf = ({ outline }: Placed, name: string): ReadonlyArray<Declaration> =>
  (outline?.declarations ?? []).filter((one) => one.kind === "function" && one.name === name)

const rowsIn = ({ tokens }: Placed, { end, start }: Declaration): ReadonlyArray<string> =>
  tokens.slice(start.row, end.row + 1).filter((row) => row !== "")

const isUnchanged = (name: string, now: Placed, before: Placed): boolean => {
  const textOf = (file: Placed) => JSON.stringify(functionsOf(file, name).map((one) => rowsIn(file, one)))
  return textOf(now) === textOf(before)
}

/** How a name that others are made of begins at least: `group_digits`, of `group_digits_view`. */
const minStem = 4

const isRelated = (name: string, file: Placed, cited: LineRange): boolean => {
  const [first, last] = [cited.start - 1, cited.end - 1]
  const declarations = file.outline?.declarations ?? []
  const whole = declarations.filter(({ end, start }) => start.row <= first && end.row >= last)
  // a constructor is called as its type is, and what is made for a function often bears its name
  const heads = [...whole.map(({ start }) => file.tokens[start.row] ?? ""), ...file.tokens.slice(first, last + 1)]
  if (whole.some((one) => one.name === name)) return true
  if (name.length >= minStem && heads.some((text) => text.includes(name))) return true
  const own = functionsOf(file, name)
  // comments and annotations before it belong to it
  const isIn = own.some(
    ({ end, start }) => first <= end.row && (last >= start.row || isBlank(file.tokens.slice(last + 1, start.row)))
  )
  if (isIn) return true
  const bodies = bodiesOf(file)
  const around = [...bodies].filter(([, { rows }]) => rows.some(([from, to]) => from <= last && to >= first))
  const rows = file.tokens.slice(first, last + 1)
  const words = new Set([...rows.flatMap(wordsIn), ...around.flatMap(([, { words }]) => [...words])])
  if (reachable(words, bodies).has(name)) return true
  const used = reachable(bodies.get(name)?.words ?? new Set(), bodies)
  const given = [...around.map(([name]) => name), ...rows.flatMap(givenIn(around.length > 0))]
  return given.some((one) => used.has(one))
}

const isBlank = (rows: ReadonlyArray<string>): boolean => rows.length < 50 && rows.every((row) => row === "")

interface Body {
  readonly rows: ReadonlyArray<readonly [first: number, last: number]>
  readonly words: ReadonlySet<string>
}

/** Functions and types of a file by their names. */
const bodiesOf = (file: Placed): ReadonlyMap<string, Body> => {
  const named = (file.outline?.declarations ?? []).flatMap((one) =>
    one.name === null || one.kind !== "function" ? [] : [{ ...one, name: one.name }]
  )
  return new Map(
    [...Map.groupBy(named, ({ name }) => name)].map(([name, all]) => [
      name,
      {
        rows: all.map(({ end, start }) => [start.row, end.row] as const),
        words: new Set(all.flatMap((one) => rowsIn(file, one)).flatMap(wordsIn))
      }
    ])
  )
}

/** Words, and all that functions of these names say. */
const reachable = (words: ReadonlySet<string>, bodies: ReadonlyMap<string, Body>): ReadonlySet<string> => {
  const found = new Set(words)
  for (const word of found) for (const next of bodies.get(word)?.words ?? []) found.add(next)
  return found
}

/** What a row gives a value to: in a function, members alone, since its locals are nobody else's. */
const givenIn =
  (isInFunction: boolean) =>
  (row: string): ReadonlyArray<string> =>
    isInFunction
      ? [...row.matchAll(/(?:\.|->|@)\s*([\p{L}_$][\w$]*)\s*(?:[+\-*/|&]?=)(?!=)/gu)].map(([, name = ""]) => name)
      : [
          ...[...row.matchAll(/([\p{L}_$][\w$]*)[\s"')\]]*(?::|=(?![=>])|\+=)/gu)].map(([, name = ""]) => name),
          ...[...row.matchAll(/\b(?:class|def|define|enum|fn|func|function|interface|struct|type)\s+([\w$]+)/g)].map(
            ([, name = ""]) => name
          )
        ]

const wordsIn = (text: string): ReadonlyArray<string> => text.match(/[\p{L}_$][\w$]*[!?]?/gu) ?? []
