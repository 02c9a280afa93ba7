import { Effect, Layer, Result, Stream } from "effect"
import { Stdio } from "effect/Stdio"

/**
 * Standard input without what is no JSON: each such line is answered with the protocol's parse error, and what comes
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
      Stream.filterEffect((line) =>
        isJson(line)
          ? Effect.succeed(true)
          : Effect.as(Stream.run(Stream.succeed(parseError), stdio.stdout({ endOnDone: false })), false)
      ),
      Stream.map((line) => `${line}\n`),
      Stream.encodeText
    )
  }))
)

const isJson = (line: string): boolean => Result.isSuccess(Result.try((): unknown => JSON.parse(line)))

const parseError = `${JSON.stringify({
  jsonrpc: "2.0",
  id: null,
  error: { code: -32700, message: "Parse error: this line is no JSON. Send one JSON-RPC message a line." }
})}\n`
