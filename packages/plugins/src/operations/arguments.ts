import { type Failure, meant } from "@proofline/kernel"
import { Result, Schema } from "effect"
import type { Body } from "./Answer.ts"
import { type Notation, notationOf } from "./notation.ts"
import { compilePayload, type PayloadFailure } from "./payload.ts"
import { jsonBytes } from "./sizeLimit.ts"

/** Bytes of JSON that one request may hold: it is recorded as it is. */
const maxRequest = 256 * 1024

export interface Arguments<A> {
  readonly args: A
  /** Paths of fields within arguments that are ignored; for an operation without arguments, whatever it was sent. */
  readonly unexpected: ReadonlyArray<string>
}

/**
 * Reads arguments as a client sent them, or gives everything that is wrong with them. Texts of JSON are read where an
 * object, a list, a number or a boolean is asked for; null is the same as left out.
 */
export type ReadArguments<A> = (sent: unknown) => Result.Result<Arguments<A>, ReadonlyArray<Failure>>

/** Reads arguments of a struct. */
export const readerOf = <S extends Schema.Codec<unknown, unknown>>(struct: S): ReadArguments<S["Type"]> => {
  const notation = notationOf(struct)
  const hasNone = Object.keys(notation.fields).length === 0
  const decode = Schema.decodeUnknownSync(struct)
  return (sent) => {
    const asked = withoutClients(sent ?? {})
    const nothing = Result.succeed<Arguments<Body>>({ args: {}, unexpected: unknownIn(asked, []) })
    return Result.map(hasNone ? nothing : checked(notation, asked), ({ args, unexpected }) => ({
      args: decode(withoutNulls(args)),
      unexpected
    }))
  }
}

/**
 * What clients add to the arguments of their model by themselves: `wait_for_previous` Gemini CLI, the two others those that
 * cannot call without any.
 */
const ofClients: ReadonlySet<string> = new Set(["wait_for_previous", "random_string", "dummy"])

/** Without what a client has added, and what the protocol keeps for itself (`_meta`). */
export const withoutClients = (sent: unknown): unknown =>
  isBody(sent)
    ? Object.fromEntries(Object.entries(sent).filter(([name]) => !ofClients.has(name) && !name.startsWith("_")))
    : sent

const isBody = (sent: unknown): sent is Body => typeof sent === "object" && sent !== null && !Array.isArray(sent)

/** Names of arguments that are not among those that are known. */
export const unknownIn = (sent: unknown, known: ReadonlyArray<string>): ReadonlyArray<string> =>
  isBody(sent) ? Object.keys(sent).filter((name) => !known.includes(name)) : []

/** Arguments that the operation does not take: what they were meant for would be left undone without a word. */
export const unknownFaults = (unknown: ReadonlyArray<string>, known: ReadonlyArray<string>): ReadonlyArray<Failure> =>
  unknown.map((name) => {
    const near = meant(name, known)
    const instead = near === undefined ? "" : ` Did you mean \`${near}\`?`
    const takes = known.map((one) => `\`${one}\``).join(", ")
    const message = `There is no argument ${JSON.stringify(name.slice(0, 60))} here.${instead} It takes ${takes}.`
    return { key: "argument_unknown", item: null, fields: { field: name, expected: known.join(", ") }, message }
  })

const checked = (
  { fields, ranges }: Notation,
  sent: unknown
): Result.Result<Arguments<Body>, ReadonlyArray<Failure>> => {
  if (jsonBytes(sent) > maxRequest) {
    const message = `The request holds more than ${maxRequest / 1024} KiB. Send less; long texts belong into files.`
    return Result.fail([{ key: "request_too_large", item: null, fields: {}, message }])
  }
  const compiled = compilePayload(fields)
  if (Result.isFailure(compiled)) throw new Error(`Notation of ${compiled.failure.field}: ${compiled.failure.message}`)
  const known = compiled.success.fields.map(({ name }) => name)
  const unknown = unknownIn(sent, known)
  const { failures, unexpected, value } = compiled.success.check(without(sent, unknown))
  const found = [...unknownFaults(unknown, known), ...failures.map(asFailure), ...rangeFaults(ranges, value)]
  return found.length === 0 ? Result.succeed({ args: value, unexpected }) : Result.fail(found)
}

const without = (sent: unknown, names: ReadonlyArray<string>): unknown =>
  isBody(sent) ? Object.fromEntries(Object.entries(sent).filter(([name]) => !names.includes(name))) : sent

const rangeFaults = (ranges: Notation["ranges"], args: Body): ReadonlyArray<Failure> =>
  Object.entries(ranges).flatMap(([field, [least, most]]) => {
    const value = args[field]
    if (typeof value !== "number" || (value >= least && value <= most)) return []
    const expected = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `from ${least} to ${most}`
    const message = `Field ${field} must be ${expected}, not ${value}.`
    return [{ key: "field_out_of_range", item: null, fields: { field, expected }, message }]
  })

/** A field that does not fit, as a failure of the request. */
export const asFailure = ({ expected, key, message, path }: PayloadFailure): Failure => ({
  key,
  item: null,
  fields: { field: path, expected },
  message
})

const withoutNulls = (args: Body): Body =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null))
