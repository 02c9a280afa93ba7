import { Effect, Layer, Result, Stream } from "effect"
import { Stdio } from "effect/Stdio"

/**
 * Standard input without what is no JSON or goes down too deep: each such line is answered with the protocol's parse error, and what comes
 * behind it is still read. The server would drop all it has received so far instead.
 */
export const readableInput: Layer.Layer<Stdio, never, Stdio> = Layer.effect(
  Stdio,
  Effect.map(Stdio, (stdio) => ({
    ...stdio,
    stdin: stdio.stdin.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.filter((line) => line.trim() !== ""),
      Stream.filterEffect((line) => {
        const fault = faultOf(line)
        return fault === null
          ? Effect.succeed(true)
          : Effect.as(Stream.run(Stream.succeed(fault), stdio.stdout({ endOnDone: false })), false)
      }),
      Stream.map((line) => `${line}\n`),
      Stream.encodeText
    )
  }))
)

/** Levels of lists and objects that a message may have: whoever reads it goes down them one by one. */
const maxDepth = 200

/** The protocol's error for a line that cannot be read; null: it can. */
const faultOf = (line: string): string | null => {
  const parsed = Result.try((): unknown => JSON.parse(line))
  if (Result.isFailure(parsed))
    return error(null, -32700, "Parse error: this line is no JSON. Send one JSON-RPC message a line.")
  if (isWithin(parsed.success)) return null
  const id = (parsed.success as { readonly id?: unknown } | null)?.id
  const isId = typeof id === "string" || typeof id === "number"
  return error(
    isId ? id : null,
    -32600,
    `Invalid request: it is nested more than ${maxDepth} levels deep. Send less deep values.`
  )
}

const error = (id: string | number | null, code: number, message: string): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`

const isWithin = (value: unknown): boolean => {
  let level: ReadonlyArray<unknown> = [value]
  for (let depth = 0; depth <= maxDepth; depth++) {
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []))
    if (level.length === 0) return true
  }
  return false
}
