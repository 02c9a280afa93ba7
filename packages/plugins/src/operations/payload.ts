/** Payloads of phases: the notation of a contract compiled to schemas, and what is wrong with what an agent sent. */
import { Result, Schema, type SchemaIssue } from "effect"
import {
  type NotationFault,
  type NotationField,
  type NotationMember,
  type NotationType,
  parseFieldName,
  parseNotation
} from "./payloadNotation.ts"

export type { NotationFault } from "./payloadNotation.ts"

// biome-ignore lint/suspicious/noExplicitAny: of any fields
type AnySchema = Schema.Codec<any, any>

export interface PayloadFailure {
  readonly key: "field_missing" | "field_invalid"
  /** From the payload, e.g. `tasks[2].checklist[0].item`; empty: the payload itself. */
  readonly path: string
  /** In words, e.g. `a text`. */
  readonly expected: string
  /** A sentence. */
  readonly message: string
}

export interface CompiledPayload {
  /** Fits what `check` gives back when it finds nothing wrong; fields it does not know are kept. */
  readonly schema: AnySchema
  readonly fields: ReadonlyArray<{
    readonly name: string
    /** It may be left out or null. */
    readonly optional: boolean
    readonly notation: string
  }>
  /**
   * Everything that is wrong, in order of the fields, at most 50: the last one then says how many there are. Where the
   * notation asks for a list, an object, a number or a bool and the value is a text of JSON, that is read, once;
   * `value` is the payload with these read, `{}` when it is no object. `unexpected`: paths of fields the notation does
   * not know, at most 50; they are kept.
   */
  readonly check: (payload: unknown) => {
    readonly value: Readonly<Record<string, unknown>>
    readonly failures: ReadonlyArray<PayloadFailure>
    readonly unexpected: ReadonlyArray<string>
  }
}

/** The schema of a notation, e.g. `list[{item, status}]`. */
export const compileNotation = (notation: string): Result.Result<AnySchema, NotationFault> =>
  Result.map(parseNotation(notation), (type) => typeReaderOf(type, orNull(type)).schema)

/** The payload of a phase, by field name; `field` of a fault is the name as it is written in the contract. */
export const compilePayload = (
  expected: Readonly<Record<string, string>>
): Result.Result<CompiledPayload, { readonly field: string } & NotationFault> => {
  const known = compiled.get(expected)
  if (known !== undefined) return known
  const fresh = Result.map(fieldsOf(expected), (fields) => payloadOf(expected, fields))
  compiled.set(expected, fresh)
  return fresh
}

const compiled = new WeakMap<object, ReturnType<typeof compilePayload>>()

const fieldsOf = (
  expected: Readonly<Record<string, string>>
): Result.Result<ReadonlyArray<NotationField>, { readonly field: string } & NotationFault> => {
  const fields: Array<NotationField> = []
  for (const [field, notation] of Object.entries(expected)) {
    const name = parseFieldName(field)
    if (Result.isFailure(name)) return Result.fail({ field, ...name.failure })
    if (fields.some((other) => other.name === name.success.name)) {
      const message = `The field ${name.success.name} is there twice, with and without a ?.`
      return Result.fail({ field, message, at: 0, hint: "Leave one of them out." })
    }
    const type = parseNotation(notation)
    if (Result.isFailure(type)) return Result.fail({ field, ...type.failure })
    fields.push({
      name: name.success.name,
      optional: name.success.optional || type.success.nullable,
      type: type.success
    })
  }
  return Result.succeed(fields)
}

const payloadOf = (
  expected: Readonly<Record<string, string>>,
  fields: ReadonlyArray<NotationField>
): CompiledPayload => {
  const names = fields.map(({ name, optional }) => (optional ? `${name}?` : name)).join(", ")
  const root = shapeOf({ kind: "struct", fields, text: `{${names}}` })
  const decode = Schema.decodeUnknownResult(root.schema, { errors: "all" })
  const notations = Object.values(expected)
  return {
    schema: root.schema,
    fields: fields.map(({ name, optional }, i) => ({ name, optional, notation: (notations[i] ?? "").trim() })),
    check: (payload) => {
      const value = readAs(root, payload)
      const decoded = decode(value)
      return {
        value: isObject(value) ? value : {},
        failures: Result.isSuccess(decoded) ? [] : failuresOf(value, faultsOf(decoded.failure.issue, [])),
        unexpected: unknownFields(root, value)
      }
    }
  }
}

// —— schemas

/** One place of a payload: any of the shapes, or nothing where it is optional. */
interface TypeReader {
  readonly shapes: ReadonlyArray<Shape>
  readonly optional: boolean
  readonly expected: string
  readonly schema: AnySchema
}

interface Shape {
  readonly kind: NotationMember["kind"]
  readonly expected: string
  readonly schema: AnySchema
  readonly is: (value: unknown) => boolean
  readonly item: TypeReader | null
  readonly fields: ReadonlyMap<string, TypeReader>
}

/** Beside its shapes a place may hold the values of `nothing`. */
const typeReaderOf = ({ members }: NotationType, nothing: ReadonlyArray<AnySchema>): TypeReader => {
  const shapes = members.map(shapeOf)
  const [only] = shapes
  const expected = shapes.map((shape) => shape.expected).join(" or ")
  const schema =
    only !== undefined && shapes.length + nothing.length === 1
      ? only.schema
      : Schema.Union([...shapes.map(({ schema }) => schema), ...nothing]).annotate({ expected })
  return { shapes, optional: nothing.length > 0, expected, schema }
}

const orNull = ({ nullable }: NotationType): ReadonlyArray<AnySchema> => (nullable ? [Schema.Null] : [])
const orAbsent: ReadonlyArray<AnySchema> = [Schema.Null, Schema.Undefined]

const shapeOf = (member: NotationMember): Shape => {
  const item = member.kind === "list" && member.item !== null ? typeReaderOf(member.item, orNull(member.item)) : null
  const fields = new Map(
    member.kind === "struct"
      ? member.fields.map(({ name, optional, type }) => [name, typeReaderOf(type, optional ? orAbsent : [])])
      : []
  )
  const expected = expectedOf(member)
  const schema = schemaOf(member, expected, item, fields)
  return { kind: member.kind, expected, schema, is: Schema.is(schema), item, fields }
}

const schemaOf = (
  member: NotationMember,
  expected: string,
  item: TypeReader | null,
  fields: ReadonlyMap<string, TypeReader>
): AnySchema => {
  switch (member.kind) {
    case "any":
      return anything
    case "value":
      return anything.check(Schema.makeFilter((value) => value !== null, { expected }))
    case "str":
      return Schema.String.annotate({ expected }).check(whole)
    case "int":
      return Schema.Number.annotate({ expected }).check(Schema.makeFilter(Number.isSafeInteger, { expected }))
    case "float":
      return Schema.Number.annotate({ expected }).check(Schema.makeFilter(Number.isFinite, { expected }))
    case "bool":
      return Schema.Boolean.annotate({ expected })
    case "literals":
      return Schema.Literals(member.texts).annotate({ expected })
    case "dict":
      return Schema.Record(Schema.String, anything).annotate({ expected }).check(wholeNames)
    case "list":
      return Schema.Array(item?.schema ?? anything).annotate({ expected })
    case "struct":
      return structOf(fields, expected)
  }
}

/** An object that may hold more than it must: agents add fields, and refusing them would teach nothing. */
const structOf = (fields: ReadonlyMap<string, TypeReader>, expected: string): AnySchema =>
  Schema.StructWithRest(
    Schema.Struct(
      Object.fromEntries(
        [...fields].map(([name, reader]) => [
          name,
          reader.optional
            ? Schema.optionalKey(reader.schema)
            : reader.schema.pipe(Schema.annotateKey({ messageMissingKey: reader.expected }))
        ])
      )
    ),
    [Schema.Record(Schema.String.check(Schema.makeFilter((name) => !fields.has(name))), anything)]
  )
    .annotate({ expected })
    .check(wholeNames)

/** Levels of lists and objects where the notation sets no bound: what comes after must not meet the stack's end. */
const levelsMax = 64

/** Why a value cannot be recorded; undefined: it can. */
const unrecordable = (value: unknown): string | undefined => {
  const left: Array<{ readonly value: unknown; readonly level: number }> = [{ value, level: 1 }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { level, value } = next
    if (typeof value === "string" && !value.isWellFormed()) return brokenText
    if (typeof value === "number" && !Number.isFinite(value)) return "no finite number"
    if (value === undefined || typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") {
      return "no JSON"
    }
    if (typeof value !== "object" || value === null) continue
    if (level > levelsMax) return `nested more than ${levelsMax} levels deep`
    if (!Array.isArray(value) && !namesAreWhole(value)) return brokenText
    for (const inner of Object.values(value)) left.push({ value: inner, level: level + 1 })
  }
  return undefined
}

const brokenText = "a text with half a character (a lone surrogate)"

const namesAreWhole = (value: object): boolean => Object.keys(value).every((name) => name.isWellFormed())

const whole = Schema.makeFilter((text: string) => (text.isWellFormed() ? undefined : brokenText), {
  expected: "a text of whole characters"
})

const wholeNames = Schema.makeFilter((value: object) => (namesAreWhole(value) ? undefined : "named by broken texts"), {
  expected: "names of whole characters"
})

const anything = Schema.Unknown.check(
  Schema.makeFilter(unrecordable, { expected: `a value of JSON, at most ${levelsMax} levels deep` })
)

const expectedOf = (member: NotationMember): string => {
  switch (member.kind) {
    case "any":
      return "a value"
    case "value":
      return "a value other than null"
    case "str":
      return "a text"
    case "int":
      return "a whole number"
    case "float":
      return "a number"
    case "bool":
      return "true or false"
    case "dict":
      return "an object"
    case "literals":
      return `${member.texts.length > 1 ? "one of " : ""}${member.texts.map((text) => JSON.stringify(text)).join(", ")}`
    case "list":
      return member.item === null ? "a list" : `a list, ${cut(member.text, 200)}`
    case "struct":
      return `an object, ${cut(member.text, 200)}`
  }
}

// —— reading texts of JSON

const readAt = (reader: TypeReader, value: unknown): unknown => {
  if (value === null || value === undefined) return value
  const [only, ...others] = reader.shapes
  const isNull = reader.optional && value === "null"
  if (only !== undefined && others.length === 0) {
    const read = readAs(only, value)
    return isNull && !only.is(read) ? null : read
  }
  if (reader.shapes.some((shape) => shape.is(value))) return value
  if (isNull) return null
  const readings = reader.shapes.map((shape) => ({ shape, read: readAs(shape, value) }))
  const fitting = readings.find(({ read, shape }) => shape.is(read))
  if (fitting !== undefined) return fitting.read
  // none fits: read as the only one it can have been meant for, so that what is wrong inside is found
  const candidates = readings.filter(({ read, shape }) => isMeantFor(shape, read))
  return candidates.length === 1 ? candidates[0]?.read : value
}

const readAs = (shape: Shape, sent: unknown): unknown => {
  const value = typeof sent === "string" ? readText(shape, sent) : sent
  const { fields, item } = shape
  if (item !== null && Array.isArray(value)) {
    const read = value.map((inner) => readAt(item, inner))
    return read.some((inner, i) => inner !== value[i]) ? read : value
  }
  if (fields.size === 0 || !isObject(value)) return value
  const read = [...fields].flatMap(([name, reader]) => {
    if (!Object.hasOwn(value, name)) return []
    const inner = readAt(reader, value[name])
    return inner === value[name] ? [] : [[name, inner] as const]
  })
  return read.length === 0 ? value : { ...value, ...Object.fromEntries(read) }
}

const readText = (shape: Shape, text: string): unknown => {
  if (!["list", "dict", "struct", "int", "float", "bool"].includes(shape.kind)) return text
  try {
    const value: unknown = JSON.parse(text)
    return isMeantFor(shape, value) ? value : text
  } catch {
    return text
  }
}

const isMeantFor = ({ kind }: Shape, value: unknown): boolean => {
  switch (kind) {
    case "list":
      return Array.isArray(value)
    case "dict":
    case "struct":
      return isObject(value)
    case "int":
    case "float":
      return typeof value === "number"
    case "bool":
      return typeof value === "boolean"
    default:
      return false
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

// —— what is wrong

type Path = ReadonlyArray<PropertyKey>

interface Fault {
  readonly path: Path
  readonly missing: boolean
  readonly expected: string
  /** What it is instead; null: to be seen from the value. */
  readonly found: string | null
}

const faultsOf = (issue: SchemaIssue.Issue, path: Path): ReadonlyArray<Fault> => {
  switch (issue._tag) {
    case "Pointer":
      return faultsOf(issue.issue, [...path, ...issue.path])
    case "Composite":
      return issue.issues.flatMap((inner) => faultsOf(inner, path))
    case "Encoding":
      return faultsOf(issue.issue, path)
    case "AnyOf": {
      const faults = likeliest(
        issue.issues.map((inner) => faultsOf(inner, path)).filter((some) => isInside(some, path))
      )
      return faults ?? [{ path, missing: false, expected: wordOf(issue.ast.annotations), found: null }]
    }
    case "Filter": {
      const said = issue.issue._tag === "InvalidValue" ? issue.issue.annotations?.["message"] : undefined
      const found = typeof said === "string" ? said : null
      return [{ path, missing: false, expected: wordOf(issue.filter.annotations), found }]
    }
    case "MissingKey":
      return [{ path, missing: true, expected: issue.annotations?.messageMissingKey ?? "a value", found: null }]
    default:
      return [
        { path, missing: false, expected: wordOf("ast" in issue ? issue.ast.annotations : undefined), found: null }
      ]
  }
}

/** Of alternatives that are an object or a list like the value, the one with the fewest faults; null: several have. */
const likeliest = (branches: ReadonlyArray<ReadonlyArray<Fault>>): ReadonlyArray<Fault> | null => {
  const fewest = Math.min(...branches.map(({ length }) => length))
  const [best, ...others] = branches.filter(({ length }) => length === fewest)
  return best === undefined || others.length > 0 ? null : best
}

const isInside = (faults: ReadonlyArray<Fault>, path: Path): boolean =>
  faults.every((fault) => fault.path.length > path.length || fault.found !== null)

const wordOf = (annotations: { readonly expected?: unknown } | undefined): string =>
  typeof annotations?.expected === "string" ? annotations.expected : "a value"

const failuresMax = 50

const failuresOf = (payload: unknown, faults: ReadonlyArray<Fault>): ReadonlyArray<PayloadFailure> => {
  const named = faults.length > failuresMax ? faults.slice(0, failuresMax - 1) : faults
  const failures = named.map((fault) => failureOf(payload, fault))
  if (named.length === faults.length) return failures
  const message = `And ${faults.length - named.length} more fields do not fit; repair these first, then send it again.`
  return [...failures, { key: "field_invalid", path: "", expected: "a payload that fits", message }]
}

const failureOf = (payload: unknown, { expected, found, missing, path }: Fault): PayloadFailure => {
  const written = writtenPath(path)
  const value = valueAt(payload, path)
  if (missing || (path.length > 0 && value === undefined)) {
    const message = `Field ${written} is missing; expected ${expected}.`
    return { key: "field_missing", path: written, expected, message }
  }
  const subject = path.length === 0 ? "The payload" : `Field ${written}`
  const message = `${subject} is ${found ?? described(value)}; expected ${expected}.`
  return { key: "field_invalid", path: written, expected, message }
}

const described = (value: unknown): string => {
  if (value === null) return "null"
  if (typeof value === "string") return value === "" ? "an empty text" : `the text ${JSON.stringify(cut(value, 60))}`
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list"
  if (typeof value === "object") return Object.keys(value).length === 0 ? "an empty object" : "an object"
  if (typeof value === "number") return `the number ${value}`
  return typeof value === "boolean" ? `${value}` : `no JSON (${typeof value})`
}

const valueAt = (payload: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key)
        ? (value as Readonly<Record<PropertyKey, unknown>>)[key]
        : undefined,
    payload
  )

const writtenPath = (path: Path): string =>
  path.reduce<string>((before, key) => {
    if (typeof key === "number") return `${before}[${key}]`
    const name = String(key)
    if (!/^[\p{L}_$][\p{L}\p{M}\p{N}_$-]*$/u.test(name)) return `${before}[${JSON.stringify(cut(name, 60))}]`
    return before === "" ? cut(name, 60) : `${before}.${cut(name, 60)}`
  }, "")

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text

const unknownMax = 50

const unknownFields = (root: Shape, payload: unknown): ReadonlyArray<string> => {
  const found: Array<string> = []
  const visit = (shape: Shape, value: unknown, path: Path): void => {
    if (found.length === unknownMax) return
    const { item } = shape
    if (item !== null && Array.isArray(value)) {
      value.forEach((inner, i) => {
        visitReader(item, inner, [...path, i])
      })
    }
    if (shape.kind !== "struct" || !isObject(value)) return
    for (const [name, inner] of Object.entries(value)) {
      const reader = shape.fields.get(name)
      if (reader !== undefined) visitReader(reader, inner, [...path, name])
      else if (found.length < unknownMax) found.push(writtenPath([...path, name]))
    }
  }
  const visitReader = (reader: TypeReader, value: unknown, path: Path): void => {
    if (typeof value !== "object" || value === null) return
    const [first, ...others] = reader.shapes.filter((shape) => isMeantFor(shape, value))
    const shape = others.length === 0 ? first : reader.shapes.find((shape) => shape.is(value))
    if (shape !== undefined) visit(shape, value, path)
  }
  visit(root, payload, [])
  return found
}
