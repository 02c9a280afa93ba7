import type { Failure } from "@proofline/kernel"
import { Result, Schema } from "effect"
import type { Body } from "./Answer.ts"
import { type Notation, notationOf } from "./notation.ts"
import { compilePayload, type PayloadFailure } from "./payload.ts"
import { jsonBytes } from "./sizeLimit.ts"

/** Bytes of JSON that one request may hold: it is recorded as it is. */
const maxRequest = 256 * 1024

export interface Arguments<A> {
  readonly args: A
  /** Paths of fields that are ignored. */
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
  return (sent) =>
    // some clients send a filler where there is nothing to say
    Result.map(hasNone ? Result.succeed(nothing) : checked(notation, sent ?? {}), ({ args, unexpected }) => ({
      args: decode(withoutNulls(args)),
      unexpected
    }))
}

const nothing: Arguments<Body> = { args: {}, unexpected: [] }

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
  const { failures, unexpected, value } = compiled.success.check(sent)
  const found = [...failures.map(asFailure), ...rangeFaults(ranges, value)]
  return found.length === 0 ? Result.succeed({ args: value, unexpected }) : Result.fail(found)
}

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
