/**
 * The notation in which a phase contract says what it expects, e.g. `list[{item, status: done|skipped, evidence?}]`:
 *
 * - types: `str`, `int`, `float` (also `number`), `bool`, `any`, `dict` (also `object`, `{}`), `list` (also `[]`)
 * - `list[T]` or `T[]`: a list of `T`; `{a, b: T}`: an object, a field without a type is any value but null
 * - `b?` or `T?`: may be left out where it is a field, and may be null
 * - `T|U`: either; a word that names no type is the text itself, and so is everything in quotes. One that stands alone
 *   and looks like a type must be in quotes.
 */
import { Result } from "effect"

export interface NotationFault {
  readonly message: string
  /** Offset in the notation, in UTF-16 code units from 0. */
  readonly at: number
  /** What to write instead. */
  readonly hint: string
}

/** What may stand at one place: any of the members, and null where it is nullable. */
export interface NotationType {
  readonly members: ReadonlyArray<NotationMember>
  readonly nullable: boolean
}

/** `value` is anything but null: a field without a type. `text` is the notation of the member. */
export type NotationMember =
  | { readonly kind: ScalarKind | "value" }
  | { readonly kind: "literals"; readonly texts: ReadonlyArray<string> }
  | { readonly kind: "list"; readonly item: NotationType | null; readonly text: string }
  | { readonly kind: "struct"; readonly fields: ReadonlyArray<NotationField>; readonly text: string }

type ScalarKind = "any" | "str" | "int" | "float" | "bool" | "dict"

export interface NotationField {
  readonly name: string
  /** It may be left out or null. */
  readonly optional: boolean
  readonly type: NotationType
}

/** Lists and objects within one another; nobody writes more by hand, and the stack is finite. */
const depthMax = 32

const scalars: ReadonlyMap<string, ScalarKind> = new Map([
  ["any", "any"],
  ["str", "str"],
  ["int", "int"],
  ["float", "float"],
  ["number", "float"],
  ["bool", "bool"],
  ["dict", "dict"],
  ["object", "dict"]
])

/** Names that types have elsewhere: taken for texts they would refuse everything, without a word. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ["string", "str"],
  ["integer", "int"],
  ["boolean", "bool"],
  ["true", "bool"],
  ["false", "bool"],
  ["array", "list"],
  ["null", "? behind the type that may be null"]
])

const typeNames = "str, int, float, bool, any, dict, list, list[T] and {field, field?: T}"

/** The name of a field as it is written, `?` behind it when it may be left out. */
export const parseFieldName = (
  written: string
): Result.Result<{ readonly name: string; readonly optional: boolean }, NotationFault> =>
  parse(written, (reader) => {
    const field = readFieldName(reader)
    if (!reader.ended())
      reader.fail("behind the name of a field there may only be a ?.", "Write the type as its value.")
    return field
  })

export const parseNotation = (notation: string): Result.Result<NotationType, NotationFault> =>
  parse(notation, (reader) => {
    if (reader.ended()) return reader.fail("The notation is empty.", "Write any where every value will do.")
    const type = readType(reader, 1)
    if (!reader.ended()) reader.fail(`${reader.shown()} stands behind a whole type.`, "Join alternatives with |.")
    return type
  })

class Fault extends Error {
  readonly found: NotationFault
  constructor(found: NotationFault) {
    super(found.message)
    this.found = found
  }
}

const parse = <A>(notation: string, read: (reader: Reader) => A): Result.Result<A, NotationFault> => {
  try {
    return Result.succeed(read(readerOf(notation)))
  } catch (error) {
    if (error instanceof Fault) return Result.fail(error.found)
    throw error
  }
}

interface Reader {
  /** Offset of what comes next, blanks skipped. */
  readonly at: () => number
  readonly ended: () => boolean
  /** What comes next, for a message. */
  readonly shown: () => string
  readonly eat: (mark: string) => boolean
  /** A name or a bare text; null: none comes next. */
  readonly word: () => string | null
  /** A text in quotes; null: none comes next. */
  readonly quoted: () => string | null
  /** The notation from an offset up to here, blanks as one. */
  readonly since: (start: number) => string
  readonly fail: (message: string, hint: string, at?: number) => never
}

const readerOf = (notation: string): Reader => {
  let position = 0
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position
    const found = pattern.exec(notation)
    if (found !== null) position += found[0].length
    return found
  }
  const at = (): number => {
    match(/\s*/y)
    return position
  }
  const fail = (message: string, hint: string, where = at()): never => {
    throw new Fault({ message: message.charAt(0).toUpperCase() + message.slice(1), at: where, hint })
  }
  return {
    at,
    fail,
    ended: () => at() === notation.length,
    shown: () =>
      at() === notation.length
        ? "the end of the notation"
        : `\`${String.fromCodePoint(notation.codePointAt(at()) ?? 0)}\``,
    eat: (mark) => {
      if (!notation.startsWith(mark, at())) return false
      position += mark.length
      return true
    },
    word: () => {
      at()
      return match(/[\p{L}\p{N}_$][\p{L}\p{M}\p{N}_$.-]*/uy)?.[0] ?? null
    },
    quoted: () => {
      const start = at()
      const quote = notation[start]
      if (quote !== '"' && quote !== "'") return null
      const end = notation.indexOf(quote, start + 1)
      if (end < 0) return fail(`The text in quotes does not end.`, `Close it with ${quote}.`, start)
      position = end + 1
      return notation.slice(start + 1, end)
    },
    since: (start) => notation.slice(start, position).trim().replaceAll(/\s+/g, " ")
  }
}

/** A word that names no type, and its offset. */
interface Bare {
  readonly word: string
  readonly at: number
}

interface Alternative {
  readonly type: NotationType
  readonly bare: Bare | null
}

const readType = (reader: Reader, depth: number): NotationType => {
  if (depth > depthMax) {
    reader.fail(`More than ${depthMax} lists and objects lie within one another.`, "Write dict or list further inside.")
  }
  const first = readAlternative(reader, depth)
  if (!reader.eat("|")) {
    if (first.bare !== null) failIfMistyped(reader, first.bare)
    return first.type
  }
  const types = [first.type]
  do types.push(readAlternative(reader, depth).type)
  while (reader.eat("|"))
  const members = types.flatMap(({ members }) => members)
  const texts = members.flatMap((member) => (member.kind === "literals" ? member.texts : []))
  return {
    members: [
      ...members.filter(({ kind }) => kind !== "literals"),
      ...(texts.length === 0 ? [] : [{ kind: "literals" as const, texts: [...new Set(texts)] }])
    ],
    nullable: types.some(({ nullable }) => nullable)
  }
}

/** A mistyped type would otherwise refuse every value but its own name. */
const failIfMistyped = (reader: Reader, { at, word }: Bare): void => {
  const lower = word.toLowerCase()
  if (lower !== "text" && ![...scalars.keys(), "list"].some((name) => lower.startsWith(name) || isNear(lower, name)))
    return
  reader.fail(
    `\`${word}\` is no type.`,
    `Types are ${typeNames}; a text that looks like one is written in quotes: "${word}".`,
    at
  )
}

/** One letter is wrong, missing or too many. */
const isNear = (word: string, name: string): boolean => {
  const longest = Math.max(word.length, name.length)
  let same = 0
  while (same < longest && word[same] === name[same]) same += 1
  return (
    word.slice(same + 1) === name.slice(same + 1) ||
    word.slice(same) === name.slice(same + 1) ||
    word.slice(same + 1) === name.slice(same)
  )
}

const readAlternative = (reader: Reader, depth: number): Alternative => {
  const start = reader.at()
  const { bare, member } = readMember(reader, depth)
  let type: NotationType = { members: [member], nullable: false }
  for (let lists = 0; ; ) {
    if (reader.eat("?")) type = { ...type, nullable: true }
    else if (reader.eat("[")) {
      if (bare !== null) failIfMistyped(reader, bare)
      if (!reader.eat("]")) reader.fail("Only list takes a type in brackets.", "Write list[T] or T[].")
      lists += 1
      if (depth + lists > depthMax) {
        reader.fail(`More than ${depthMax} lists lie within one another.`, "Write list further inside.")
      }
      type = { members: [{ kind: "list", item: type, text: reader.since(start) }], nullable: false }
    } else return { type, bare }
  }
}

const readMember = (reader: Reader, depth: number): { readonly member: NotationMember; readonly bare: Bare | null } => {
  const start = reader.at()
  if (reader.eat("{")) return { member: readStruct(reader, start, depth), bare: null }
  if (reader.eat("[")) {
    if (!reader.eat("]")) reader.fail("A list is expected to begin with its name.", "Write list[T] or T[].", start)
    return { member: { kind: "list", item: null, text: "[]" }, bare: null }
  }
  const quoted = reader.quoted()
  if (quoted !== null) return { member: { kind: "literals", texts: [quoted] }, bare: null }
  const word = reader.word()
  if (word === null) {
    return reader.fail(`A type is expected where ${reader.shown()} stands.`, `Types are ${typeNames}.`)
  }
  if (word === "list") return { member: readList(reader, start, depth), bare: null }
  const kind = scalars.get(word)
  if (kind !== undefined) return { member: { kind }, bare: null }
  const knownType = elsewhere.get(word)
  if (knownType !== undefined) {
    reader.fail(
      `\`${word}\` is no type here.`,
      `Write ${knownType}, or "${word}" in quotes for the text itself.`,
      start
    )
  }
  if (/^\p{N}/u.test(word)) {
    reader.fail(`\`${word}\` is no type.`, `Write int or float, or "${word}" in quotes for the text itself.`, start)
  }
  return { member: { kind: "literals", texts: [word] }, bare: { word, at: start } }
}

const readList = (reader: Reader, start: number, depth: number): NotationMember => {
  if (!reader.eat("[") || reader.eat("]")) return { kind: "list", item: null, text: "list" }
  const item = readType(reader, depth + 1)
  if (!reader.eat("]")) {
    reader.fail(`A list is not closed where ${reader.shown()} stands.`, "Close list[ with ] behind the type.")
  }
  return { kind: "list", item, text: reader.since(start) }
}

const readStruct = (reader: Reader, start: number, depth: number): NotationMember => {
  if (reader.eat("}")) return { kind: "dict" }
  const fields: Array<NotationField> = []
  do {
    const at = reader.at()
    const { name, optional } = readFieldName(reader)
    if (fields.some((field) => field.name === name)) {
      reader.fail(`The field ${name} is there twice.`, "Leave one of them out.", at)
    }
    const type: NotationType = reader.eat(":")
      ? readType(reader, depth + 1)
      : { members: [{ kind: "value" }], nullable: false }
    fields.push({ name, optional: optional || type.nullable, type })
  } while (reader.eat(","))
  if (!reader.eat("}")) {
    reader.fail(
      `An object is not closed where ${reader.shown()} stands.`,
      "Separate fields with a comma, write a type behind a colon, and close with }."
    )
  }
  return { kind: "struct", fields, text: reader.since(start) }
}

const readFieldName = (reader: Reader): { readonly name: string; readonly optional: boolean } => {
  const at = reader.at()
  const name = reader.word()
  if (name === null) {
    return reader.fail(
      `The name of a field is expected where ${reader.shown()} stands.`,
      "Names are made of letters, digits, _, $, - and dots."
    )
  }
  // every object answers to these, so that nothing could tell whether they were sent
  if (name in {}) reader.fail(`A field cannot be named ${name}.`, "Choose another name.", at)
  return { name, optional: reader.eat("?") }
}
