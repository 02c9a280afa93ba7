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
        if (fault === null) return Effect.succeed(true)
        const answer = `${JSON.stringify(fault.body)}\n`
        return Effect.as(Stream.run(Stream.succeed(answer), stdio.stdout({ endOnDone: false })), false)
      }),
      Stream.map((line) => `${line}\n`),
      Stream.encodeText
    )
  }))
)

/** Levels of lists and objects that a message may have: whoever reads it goes down them one by one. */
const maxDepth = 200

interface Fault {
  /** It is no JSON at all. */
  readonly isParse: boolean
  /** The protocol's error. */
  readonly body: object
}

/** Why a message cannot be read; null: it can. */
export const faultOf = (text: string): Fault | null => {
  const parsed = Result.try((): unknown => JSON.parse(text))
  if (Result.isFailure(parsed)) {
    return { isParse: true, body: error(null, -32700, "Parse error: this is no JSON. Send one JSON-RPC message.") }
  }
  if (isWithin(parsed.success)) return null
  const id = (parsed.success as { readonly id?: unknown } | null)?.id
  const isId = typeof id === "string" || typeof id === "number"
  const message = `Invalid request: it is nested more than ${maxDepth} levels deep. Send less deep values.`
  return { isParse: false, body: error(isId ? id : null, -32600, message) }
}

const error = (id: string | number | null, code: number, message: string) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message }
})

const isWithin = (value: unknown): boolean => {
  let level: ReadonlyArray<unknown> = [value]
  for (let depth = 0; depth <= maxDepth; depth++) {
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []))
    if (level.length === 0) return true
  }
  return false
}
