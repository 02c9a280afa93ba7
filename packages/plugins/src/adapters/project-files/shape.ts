/** Shapes: what a value in a file must look like. A shape reads a node and tells everything that is wrong with it. */
import type { Json } from "@proofline/kernel"
import type { Entry, ListNode, MappingNode, Node } from "./Node.ts"
import { type Finding, type Findings, refuse } from "./Problem.ts"
import { capital, closest, enumerate, pathTo, quoted, shortened } from "./words.ts"

/** What is found while a file is read. */
export interface Reading {
  readonly findings: Findings
  /** Values that may still be read: aliases can make a small file stand for an endless one. */
  budget: number
  /** What hints are written in. */
  readonly syntax: "yaml" | "json"
}

/** Values read in one file; one of 5 MiB without aliases has at most as many. */
export const maxValues = 3_000_000

/** How sentences speak of a value. */
export interface Subject {
  /** E.g. `` `name` of task "a" ``. */
  readonly name: string
  /** What may be done instead of giving it a value, e.g. `, or leave the key out`. */
  readonly otherwise: string
  /** Where it is given, keys below are named by their whole path from the root of the file, which is empty. */
  readonly path?: string
}

export interface Shape<A> {
  /** The value as part of a hint: "Write …". */
  readonly expects: string
  /** Undefined: refused, and the findings say why. */
  readonly read: (node: Node, subject: Subject, reading: Reading) => A | undefined
}

/** A value with its place. */
export interface Located<A> {
  readonly value: A
  readonly node: Node
}

const refuseAt = (
  node: Node,
  subject: Subject,
  reading: Reading,
  finding: Pick<Finding, "code" | "message" | "hint">
): undefined => {
  const { code, message, hint } = finding
  const { start, end } = node
  const fault = message.replace(subject.name, "")
  refuse(reading.findings, { code, message: capital(message), hint, start, end, fault })
  return undefined
}

/** What a node is, as part of a sentence. */
const described = (node: Node): string => {
  switch (node.kind) {
    case "text":
      return `the text ${quoted(node.value)}`
    case "number":
      return `the number ${shortened(node.source)}`
    case "boolean":
      return `the value ${node.value}`
    case "null":
      return "nothing"
    case "list":
      return "a list"
    case "mapping":
      return "a mapping"
    case "other":
      return "a value of another type"
  }
}

const wrongType = (node: Node, subject: Subject, type: string, hint: string, reading: Reading): undefined =>
  node.kind === "other" && node.told
    ? undefined
    : refuseAt(node, subject, reading, {
        code: "wrong_type",
        message: `${subject.name} must be ${type}, not ${described(node)}.`,
        hint
      })

const blank = (node: Node, subject: Subject, expects: string, reading: Reading): undefined =>
  refuseAt(node, subject, reading, {
    code: "blank_value",
    message: `${subject.name} has no content.`,
    hint: `Write ${expects}${subject.otherwise}.`
  })

export const mapped = <A, B>(shape: Shape<A>, to: (value: A, node: Node) => B): Shape<B> => ({
  expects: shape.expects,
  read: (node, subject, reading) => {
    const value = shape.read(node, subject, reading)
    return value === undefined ? undefined : to(value, node)
  }
})

/** Keys below the value are named by their whole path, and the value itself stands at `path`. */
export const under = <A>(path: string, shape: Shape<A>): Shape<A> => ({
  expects: shape.expects,
  read: (node, subject, reading) => shape.read(node, { ...subject, path }, reading)
})

export const located = <A>(shape: Shape<A>): Shape<Located<A>> => mapped(shape, (value, node) => ({ value, node }))

/** The same values, less those `why` gives a reason against. */
export const refined = <A>(
  shape: Shape<A>,
  why: (value: A, subject: Subject) => Pick<Finding, "code" | "message" | "hint"> | undefined
): Shape<A> => ({
  expects: shape.expects,
  read: (node, subject, reading) => {
    const value = shape.read(node, subject, reading)
    const reason = value === undefined ? undefined : why(value, subject)
    return reason === undefined ? value : refuseAt(node, subject, reading, reason)
  }
})

const textHint = (node: Node, expects: string, { syntax }: Reading): string => {
  switch (node.kind) {
    case "number":
      return `Put it in quotes: ${quoted(node.source)}.`
    case "boolean":
      return `Put it in quotes: "${node.value}".`
    case "mapping":
      return syntax === "yaml"
        ? "Put the text in quotes if its colon made it a mapping; otherwise write one text."
        : `Write ${expects} as one text.`
    default:
      return `Write ${expects} as one text.`
  }
}

/** Text with at least one character that is not a blank, as it is written. */
export const text = (expects: string): Shape<string> => ({
  expects,
  read: (node, subject, reading) => {
    if (node.kind === "null") return blank(node, subject, expects, reading)
    if (node.kind !== "text") return wrongType(node, subject, "text", textHint(node, expects, reading), reading)
    if (node.value.includes("\0")) {
      return refuseAt(node, subject, reading, {
        code: "control_character",
        message: `${subject.name} holds the character U+0000, which no program can be given.`,
        hint: "Remove it."
      })
    }
    return node.value.trim() === "" ? blank(node, subject, expects, reading) : node.value
  }
})

/** Text without the blanks and line ends around it, which YAML's block texts bring along. */
export const trimmed = (expects: string): Shape<string> => mapped(text(expects), (value) => value.trim())

/** `hints`: what to do instead of other values that people write, by the value in lower case. */
export const oneOf = <const A extends string>(
  values: ReadonlyArray<A>,
  hints: Readonly<Record<string, string>> = {}
): Shape<A> => {
  const expects = enumerate(values, "or")
  return {
    expects,
    read: (node, subject, reading) => {
      if (node.kind === "null") return blank(node, subject, expects, reading)
      if (node.kind !== "text") return wrongType(node, subject, expects, `Write ${expects}.`, reading)
      const { value } = node
      const found = values.find((candidate) => candidate === value)
      if (found !== undefined) return found
      return refuseAt(node, subject, reading, {
        code: "value_not_allowed",
        message: `${subject.name} cannot be ${quoted(value)}.`,
        hint: () => {
          const written = value.trim().toLowerCase()
          if (Object.hasOwn(hints, written)) return hints[written] ?? ""
          const near = closest(value, values)
          return near === undefined ? `Write ${expects}.` : `Did you mean \`${near}\`? Allowed is ${expects}.`
        }
      })
    }
  }
}

export const trueOrFalse: Shape<boolean> = {
  expects: "true or false",
  read: (node, subject, reading) => {
    if (node.kind === "null") return blank(node, subject, "true or false", reading)
    if (node.kind !== "boolean") return wrongType(node, subject, "true or false", "Write true or false.", reading)
    return node.value
  }
}

export interface NumberRules {
  /** Whole numbers only. */
  readonly whole: boolean
  readonly min: number
  readonly max: number
}

const numberHint = (node: Node, expects: string): string =>
  node.kind === "text" && node.value.trim() !== "" && Number.isFinite(Number(node.value))
    ? `Write it without quotes: ${shortened(node.value.trim())}.`
    : `Write ${expects}.`

export const number = (rules: NumberRules): Shape<number> => {
  const type = rules.whole ? "a whole number" : "a number"
  const expects = `${type} from ${rules.min} to ${rules.max}`
  return {
    expects,
    read: (node, subject, reading) => {
      if (node.kind === "null") return blank(node, subject, expects, reading)
      if (node.kind !== "number") return wrongType(node, subject, type, numberHint(node, expects), reading)
      const { value } = node
      const fits = value >= rules.min && value <= rules.max && (!rules.whole || Number.isInteger(value))
      if (fits) return value
      return refuseAt(node, subject, reading, {
        code: "number_not_allowed",
        message: `${subject.name} cannot be ${shortened(node.source)}.`,
        hint: `Write ${expects}.`
      })
    }
  }
}

/** The shape's values, and nothing for none. */
export const orNull = <A>(shape: Shape<A>): Shape<A | null> => ({
  expects: `${shape.expects} or null`,
  read: (node, subject, reading) => (node.kind === "null" ? null : shape.read(node, subject, reading))
})

const exhausted = (reading: Reading, node: Node): boolean => {
  reading.budget -= 1
  if (reading.budget === 0) {
    refuseAt(node, { name: "the file", otherwise: "" }, reading, {
      code: "yaml_alias_limit",
      message: `with its aliases written out, the file holds more than ${maxValues} values.`,
      hint: "Use fewer aliases."
    })
  }
  return reading.budget <= 0
}

/** How sentences speak of one item of a list; `n` counts from 1. */
type ItemName = (n: number, list: string) => string

const itemOf: ItemName = (n, list) => `item ${n} of ${list}`

const readItems = <A>(
  item: Shape<A>,
  list: ListNode,
  subject: Subject,
  reading: Reading,
  itemName: ItemName
): ReadonlyArray<A> => {
  const values: Array<A> = []
  for (const [index, node] of list.items.entries()) {
    if (exhausted(reading, node)) break
    const name = itemName(index + 1, subject.name)
    const value = item.read(node, { name, otherwise: ", or remove the item" }, reading)
    if (value !== undefined) values.push(value)
  }
  return values
}

/** Items that are refused are left out, so that the others can still be compared. */
export const list = <A>(item: Shape<A>, expects: string, itemName: ItemName = itemOf): Shape<ReadonlyArray<A>> => ({
  expects,
  read: (node, subject, reading) => {
    if (node.kind === "null") return blank(node, subject, expects, reading)
    if (node.kind === "list") return readItems(item, node, subject, reading, itemName)
    const hint =
      reading.syntax === "yaml"
        ? `Write ${expects}, each on a line that begins with \`- \`.`
        : `Write ${expects}, in square brackets.`
    return wrongType(node, subject, "a list", hint, reading)
  }
})

/** A list of at least one item. */
export const nonEmpty = <A>(
  shape: Shape<ReadonlyArray<A>>,
  empty: (subject: Subject) => Pick<Finding, "code" | "message" | "hint">
): Shape<ReadonlyArray<A>> => ({
  expects: shape.expects,
  read: (node, subject, reading) => {
    const isEmpty = node.kind === "null" || (node.kind === "list" && node.items.length === 0)
    return isEmpty ? refuseAt(node, subject, reading, empty(subject)) : shape.read(node, subject, reading)
  }
})

/** A list; a single item stands for a list of one. */
export const listOrOne = <A>(item: Shape<A>, expects: string): Shape<ReadonlyArray<A>> => ({
  expects,
  read: (node, subject, reading) => {
    if (node.kind === "null") return blank(node, subject, expects, reading)
    if (node.kind === "list") return readItems(item, node, subject, reading, itemOf)
    const value = item.read(node, subject, reading)
    return value === undefined ? undefined : [value]
  }
})

export interface Field<A> {
  readonly shape: Shape<A>
  readonly required: boolean
}

export const required = <A>(shape: Shape<A>): Field<A> => ({ shape, required: true })
export const optional = <A>(shape: Shape<A>): Field<A> => ({ shape, required: false })

type Fields = Readonly<Record<string, Field<unknown>>>

/** What was read of a mapping: a key that is missing or was refused is absent. */
export type Read<F extends Fields> = { readonly [K in keyof F]?: F[K] extends Field<infer A> ? A : never }

export interface MappingRules<F extends Fields> {
  readonly fields: F
  readonly expects: string
  /** The mapping in sentences about its keys, e.g. `task "a"`; null: its keys need no owner. Default: its subject. */
  readonly owner?: (node: MappingNode, subject: Subject) => string | null
  /** What people write instead of a key, by the key that is meant. */
  readonly synonyms?: Readonly<Partial<Record<keyof F & string, ReadonlyArray<string>>>>
  /** Keys that belong to another place, each with the hint that says where. */
  readonly misplaced?: Readonly<Record<string, string>>
}

const unknownKeyHint = <F extends Fields>(key: string, rules: MappingRules<F>, { syntax }: Reading): string => {
  const { fields, misplaced = {}, synonyms } = rules
  if (Object.hasOwn(misplaced, key)) return misplaced[key] ?? ""
  if (key === "<<" && syntax === "yaml") return "Write the keys out: merging is not part of YAML 1.2."
  const names = Object.keys(fields)
  const suggestion = names.find((name) => synonyms?.[name]?.includes(key)) ?? closest(key, names)
  return suggestion === undefined ? `Remove it; known keys are ${enumerate(names)}.` : `Did you mean \`${suggestion}\`?`
}

const refuseUnknownKey = <F extends Fields>(
  entry: Entry,
  owner: string | null,
  path: string | undefined,
  rules: MappingRules<F>,
  reading: Reading
): void =>
  refuse(reading.findings, {
    code: "unknown_key",
    message:
      path === undefined
        ? `The key ${quoted(entry.key)} is not known${owner === null ? "" : ` in ${owner}`}.`
        : `The key ${quoted(pathTo(path, entry.key))} is not known.`,
    fault: entry.key,
    hint: () => unknownKeyHint(entry.key, rules, reading),
    start: entry.keyStart,
    end: entry.keyEnd
  })

const nameOf = (key: string, owner: string | null): string => {
  // a key may hold anything, and a sentence stays on its line
  const name = /\p{Cc}/u.test(key) ? quoted(key) : `\`${key}\``
  return owner === null ? name : `${name} of ${owner}`
}

const fieldOf = <F extends Fields>(fields: F, key: string): Field<unknown> | undefined =>
  Object.hasOwn(fields, key) ? fields[key] : undefined

export const mapping = <F extends Fields>(rules: MappingRules<F>): Shape<Read<F>> => ({
  expects: rules.expects,
  read: (node, subject, reading) => {
    if (node.kind === "null") return blank(node, subject, rules.expects, reading)
    if (node.kind !== "mapping") {
      const how = reading.syntax === "yaml" ? "as lines of `key: value`" : "in braces"
      return wrongType(node, subject, "a mapping", `Write ${rules.expects}, ${how}.`, reading)
    }
    const { path } = subject
    const owner = rules.owner === undefined ? subject.name : rules.owner(node, subject)
    const values: Record<string, unknown> = {}
    const present = new Set<string>()
    for (const entry of node.entries) {
      if (exhausted(reading, entry.value)) break
      const field = fieldOf(rules.fields, entry.key)
      if (field === undefined) {
        refuseUnknownKey(entry, owner, path, rules, reading)
        continue
      }
      present.add(entry.key)
      const otherwise = field.required ? "" : ", or leave the key out"
      const below = path === undefined ? undefined : pathTo(path, entry.key)
      const part: Subject =
        below === undefined
          ? { name: nameOf(entry.key, owner), otherwise }
          : { name: nameOf(below, null), otherwise, path: below }
      const value = field.shape.read(entry.value, part, reading)
      if (value !== undefined) values[entry.key] = value
    }
    for (const [key, field] of Object.entries(rules.fields)) {
      if (!field.required || present.has(key)) continue
      refuseAt(node, { ...subject, name: owner ?? subject.name }, reading, {
        code: "missing_key",
        message: `${owner ?? "the file"} has no \`${key}\`.`,
        hint: `Add \`${key}:\` with ${field.shape.expects}.`
      })
    }
    return values as Read<F>
  }
})

/** A mapping whose keys are names chosen by the user. */
export const byName = <A>(name: Shape<string>, value: Shape<A>, expects: string): Shape<ReadonlyMap<string, A>> => ({
  expects,
  read: (node, subject, reading) => {
    if (node.kind === "null") return blank(node, subject, expects, reading)
    if (node.kind !== "mapping") return wrongType(node, subject, "a mapping", `Write ${expects}.`, reading)
    const values = new Map<string, A>()
    for (const entry of node.entries) {
      if (exhausted(reading, entry.value)) break
      const key: Node = { kind: "text", value: entry.key, start: entry.keyStart, end: entry.keyEnd }
      const named = name.read(key, { name: `a name in ${subject.name}`, otherwise: "" }, reading)
      const read = value.read(entry.value, { name: nameOf(entry.key, subject.name), otherwise: "" }, reading)
      if (named !== undefined && read !== undefined) values.set(named, read)
    }
    return values
  }
})

/** A value of any kind, as it is in JSON. */
const anyValue: Shape<Json> = {
  expects: "a value",
  read: (node, subject, reading) => {
    switch (node.kind) {
      case "text":
      case "number":
      case "boolean":
        return node.value
      case "null":
        return null
      case "list":
        return readItems(anyValue, node, subject, reading, itemOf)
      case "mapping":
        return anyMapping.read(node, subject, reading)
      case "other":
        return wrongType(node, subject, "a text, a number, true, false, null, a list or a mapping", "", reading)
    }
  }
}

/** A mapping of any keys to any values, as it is in JSON. */
export const anyMapping: Shape<Readonly<Record<string, Json>>> = {
  expects: "a mapping",
  read: (node, subject, reading) => {
    if (node.kind !== "mapping") return wrongType(node, subject, "a mapping", "Write `key: value`.", reading)
    return Object.fromEntries(
      node.entries.flatMap(({ key, value }) => {
        if (exhausted(reading, value)) return []
        const read = anyValue.read(value, { name: nameOf(key, subject.name), otherwise: "" }, reading)
        return read === undefined ? [] : [[key, read]]
      })
    )
  }
}

/** True when a text without quotes was read as a mapping because of its colon: one key, and none that is known. */
const isUnquotedText = (node: MappingNode, known: ReadonlyArray<string>): boolean => {
  const [only] = node.entries
  return (
    node.entries.length === 1 &&
    only !== undefined &&
    !known.includes(only.key) &&
    closest(only.key, known) === undefined
  )
}

/** A text, or a mapping that says more. */
export const textOr = <A, F extends Fields>(
  short: Shape<A>,
  rules: MappingRules<F>,
  to: (value: Read<F>, node: Node) => A | undefined
): Shape<A> => {
  const long = mapping(rules)
  const keys = Object.keys(rules.fields)
  return {
    expects: short.expects,
    read: (node, subject, reading) => {
      if (node.kind !== "mapping") return short.read(node, subject, reading)
      if (isUnquotedText(node, keys)) {
        return refuseAt(node, subject, reading, {
          code: "unquoted_colon",
          message: `${subject.name} is read as a mapping, because its text holds a colon.`,
          hint: `Put the whole text in quotes, or write a mapping of ${enumerate(keys)}.`
        })
      }
      const value = long.read(node, subject, reading)
      return value === undefined ? undefined : to(value, node)
    }
  }
}
