import { Effect, Result, Schema } from "effect"
import { Malformed } from "./problems.ts"

/** Members of a page when nothing is said of it. */
export const usualLimit = 100

/** What a list goes on after: opaque to who asks, the same whatever was added meanwhile. */
export const cursorOf = (kind: string, ...place: ReadonlyArray<string | number>): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify([kind, ...place]))))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

/** Reads a cursor of that kind back; undefined stays so. */
export const readCursor = <A extends ReadonlyArray<string | number>>(
  kind: string,
  place: Schema.ConstraintDecoder<A>,
  cursor: string | undefined
): Effect.Effect<A | undefined, Malformed> => {
  if (cursor === undefined) return Effect.succeed(undefined)
  const read = Result.try((): unknown => {
    const bytes = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"))
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, (one) => one.charCodeAt(0))))
  })
  const [first, ...rest] = Result.isSuccess(read) && Array.isArray(read.success) ? read.success : []
  const decoded = first === kind ? Schema.decodeUnknownOption(place)(rest) : null
  return decoded?._tag === "Some" ? Effect.succeed(decoded.value) : Effect.fail(cursorInvalid)
}

export const cursorInvalid = new Malformed({
  code: "cursor_invalid",
  detail: "`cursor` is none that this list has given.",
  hint: "Pass `next_cursor` of the answer before as it is, or leave it out to begin at the beginning."
})

/** A list separated by commas of which every member is known; undefined: nothing was asked for. */
export const listOf = <A extends string>(
  name: string,
  known: ReadonlyArray<A>,
  given: string | undefined
): Effect.Effect<ReadonlySet<A> | undefined, Malformed> => {
  if (given === undefined || given.trim() === "") return Effect.succeed(undefined)
  const asked = new Set(given.split(",").map((one) => one.trim()))
  const unknown = [...asked].filter((one) => !known.some((each) => each === one))
  return unknown.length === 0
    ? Effect.succeed(new Set(known.filter((one) => asked.has(one))))
    : Effect.fail(
        new Malformed({
          code: "request_invalid",
          detail: `\`${name}\` names what there is not: ${unknown.join(", ").slice(0, 200)}.`,
          hint: `There are: ${known.join(", ")}.`
        })
      )
}
