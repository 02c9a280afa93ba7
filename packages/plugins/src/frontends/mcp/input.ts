import { Effect, Layer, Result, Sink, Stream } from "effect"
import { Stdio } from "effect/Stdio"
import { isTooDeep, maxDepth, tooDeep } from "../../operations/depth.ts"
import { type Line, lineReader } from "./lines.ts"

/**
 * Standard input without what is no message, is too long, goes down too deep, or has the id of a request that is not
 * answered yet: each is answered with the protocol's error, and what comes behind it is still read. The server would drop
 * all it has received so far instead. `ended` is run once it has ended.
 */
export const readableInput = (ended: Effect.Effect<void> = Effect.void): Layer.Layer<Stdio, never, Stdio> =>
  Layer.effect(
    Stdio,
    Effect.map(Stdio, (stdio) => {
      const { withoutCancelled, withoutUsed } = unanswered()
      return {
        ...stdio,
        stdin: linesIn(stdio.stdin).pipe(
          Stream.onEnd(ended),
          Stream.filter((line) => typeof line !== "string" || line.trim() !== ""),
          Stream.mapEffect((line) => {
            const read = typeof line === "string" ? readMessage(line) : tooLong(line)
            const { faults, text } = Result.isSuccess(read)
              ? withoutUsed(read.success)
              : { faults: [read.failure], text: null }
            const taken = text === null ? [] : [`${text}\n`]
            if (faults.length === 0) return Effect.succeed(taken)
            const answers = faults.map((fault) => `${JSON.stringify(fault)}\n`)
            return Effect.as(Stream.run(Stream.fromIterable(answers), stdio.stdout({ endOnDone: false })), taken)
          }),
          Stream.flatMap(Stream.fromIterable),
          Stream.encodeText
        ),
        stdout: (options) =>
          Sink.mapInput(stdio.stdout(options), (written: string | Uint8Array) =>
            withoutCancelled(typeof written === "string" ? written : Buffer.from(written).toString("utf8")).replace(
              notGreeted,
              greetFirst
            )
          )
      }
    })
  )

/** What the server says of a request that neither follows a handshake nor names its revision, and what is to be done. */
const notGreeted = /(?<="error":\{"code":-32602,"message":")Invalid request metadata(?=")/
const greetFirst =
  "Invalid request metadata: no handshake has been made. Send initialize and notifications/initialized first; since revision 2026-07-28 name the revision and the client in _meta of each request instead."

/** The ids of requests that are not answered yet, as they come in, are cancelled and are answered. */
const unanswered = () => {
  const open = new Set<string>()
  const cancelled = new Set<string>()
  const noteCancelled = (one: unknown): void => {
    if (!isFields(one) || one["method"] !== "notifications/cancelled" || !isFields(one["params"])) return
    const key = JSON.stringify(one["params"]["requestId"])
    if (open.has(key)) cancelled.add(key)
  }
  /** It is a request, and its id is used already. */
  const isUsed = (one: unknown): boolean => {
    if (!isFields(one) || !Object.hasOwn(one, "method") || !Object.hasOwn(one, "id")) return false
    const key = JSON.stringify(one["id"])
    if (open.has(key)) return true
    open.add(key)
    return false
  }
  return {
    /** What of a message may be read, and the answers to what may not; a text that is null: nothing. */
    withoutUsed: ({
      text,
      value
    }: Message): { readonly text: string | null; readonly faults: ReadonlyArray<Fault> } => {
      for (const one of Array.isArray(value) ? value : [value]) noteCancelled(one)
      if (!Array.isArray(value)) return isUsed(value) ? { text: null, faults: [idUsed(value)] } : { text, faults: [] }
      const used = new Set(value.filter(isUsed))
      const left = value.filter((one) => !used.has(one))
      return used.size === 0
        ? { text, faults: [] }
        : { text: left.length === 0 ? null : JSON.stringify(left), faults: [...used].map(idUsed) }
    },
    /**
     * Messages are written whole, each with the line feed that ends it. What is none answers nothing. A client that has
     * cancelled a request waits for no answer, and takes an error for one that it does not know.
     */
    withoutCancelled: (written: string): string => {
      const isAwaited = (one: unknown): boolean => {
        if (!isFields(one) || Object.hasOwn(one, "method")) return true
        const key = JSON.stringify(one["id"])
        open.delete(key)
        return !cancelled.delete(key) || !Object.hasOwn(one, "error")
      }
      const lines = written.split("\n").map((line) => {
        const value = Result.getOrNull(parsed(line))
        if (!Array.isArray(value)) return isAwaited(value) ? line : null
        const left = value.filter(isAwaited)
        if (left.length === value.length) return line
        return left.length === 0 ? null : JSON.stringify(left)
      })
      return lines.filter((line) => line !== null).join("\n")
    }
  }
}

const parsed = (text: string): Result.Result<unknown, unknown> => Result.try((): unknown => JSON.parse(text))

const idUsed = (value: unknown): Fault =>
  error(idOf(value), -32600, "Invalid request: this id belongs to a request that is not answered yet. Use another one.")

const linesIn = <E>(stdin: Stream.Stream<Uint8Array, E>): Stream.Stream<Line, E> =>
  Stream.suspend(() => {
    const { push, rest } = lineReader(maxLine)
    return Stream.concat(
      Stream.flatMap(stdin, (bytes) => Stream.fromIterable(push(bytes))),
      Stream.suspend(() => Stream.fromIterable(rest()))
    )
  })

/** Bytes of one message, as over HTTP. */
const maxLine = 1024 * 1024

/** Of what a message is around the arguments of a tool: itself, and its parameters. */
const levelsAround = 2

/** The protocol's error. */
type Fault = ReturnType<typeof error>

interface Message {
  readonly value: unknown
  /** As the server reads it. */
  readonly text: string
}

/**
 * A message, or why it cannot be read. Arguments of a tool that came as a text of JSON, or as null, are the object they
 * stand for: some clients write them so.
 */
export const readMessage = (text: string): Result.Result<Message, Fault> => {
  const read = parsed(text)
  if (Result.isFailure(read)) {
    const message = "Parse error: this is no JSON. Send one JSON-RPC message."
    return Result.fail(error(null, -32700, message))
  }
  const value = read.success
  if (isTooDeep(value, maxDepth + levelsAround)) return Result.fail(tooDeepFor(idOf(value)))
  const invalid = faultOf(value)
  if (invalid !== null) {
    return Result.fail(error(idOf(value), -32600, `Invalid request: ${invalid}`))
  }
  if (namesCursor(value)) {
    const message = "Invalid params: there is no such cursor, since every list comes whole. Leave it out."
    return Result.fail(error(idOf(value), invalidParams, message))
  }
  const mended = withArguments(value)
  const fault = faultOfParams(mended)
  if (fault !== null) return Result.fail(error(idOf(value), invalidParams, `Invalid params: ${fault}`))
  return Result.succeed(mended === value ? { value, text } : { value: mended, text: JSON.stringify(mended) })
}

const error = (id: string | number | null, code: number, message: string, data?: Fields) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) }
})

/** With the code that the other front-ends have for it. */
const tooDeepFor = (id: string | number | null): Fault => {
  const { error: code, message, next_step } = tooDeep.body
  return error(id, -32600, `Invalid request: ${message} ${next_step}`, { error: code })
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const tooLong = ({ id }: Exclude<Line, string>): Result.Result<Message, Fault> => {
  const message = `Invalid request: a message holds ${maxLine / 1024} KiB at most. Send less; long texts belong into files.`
  return Result.fail(error(id, -32600, message))
}

/** Why it is no request, no notification, no answer and not several of them; null: it is one. */
const faultOf = (value: unknown): string | null => {
  if (Array.isArray(value)) {
    const faults = value.flatMap((one, i) => {
      const fault = Array.isArray(one) ? "a batch in a batch." : faultOf(one)
      return fault === null ? [] : [`at ${i} of the batch: ${fault}`]
    })
    return faults[0] ?? null
  }
  if (!isFields(value)) return "this is no JSON-RPC message."
  const has = (name: string) => Object.hasOwn(value, name)
  if (!has("method") && !has("result") && !has("error")) return "this is no JSON-RPC message."
  if (value["jsonrpc"] !== "2.0") return 'jsonrpc is "2.0" in every message.'
  if (has("method") && typeof value["method"] !== "string") return "method is a text."
  const { id } = value
  const isId = typeof id === "string" || Number.isSafeInteger(id)
  // an error may answer what nobody could read, and a notification has no id
  const isLeftOut = has("method") ? !has("id") : has("error") && (id === undefined || id === null)
  return isId || isLeftOut ? null : "id is a text or a whole number; a notification has none."
}

const idOf = (value: unknown): string | number | null => {
  const id = isFields(value) ? value["id"] : null
  return typeof id === "string" || typeof id === "number" ? id : null
}

/** What the message asks for is wrong, not the message. */
export const invalidParams = -32602

/** A page of a list is asked for; the server would give the whole list once more. */
const namesCursor = (value: unknown): boolean => {
  if (!isFields(value) || !Object.hasOwn(value, "id") || !isFields(value["params"])) return false
  const { cursor } = value["params"]
  return /\/list$/.test(String(value["method"])) && typeof cursor === "string" && cursor !== ""
}

/** What the parameters of a request must have in every revision; `?`: may be left out, `{}`: is an object, else a text. */
const paramsOf: Readonly<Record<string, string>> = {
  initialize: "protocolVersion capabilities{} clientInfo{} clientInfo.name clientInfo.version",
  "tools/call": "name arguments{}?",
  "prompts/get": "name arguments{}?",
  "resources/read": "uri",
  "resources/subscribe": "uri",
  "resources/unsubscribe": "uri",
  "logging/setLevel": "level",
  "completion/complete": "ref{} ref.type argument{} argument.name argument.value"
}

/** What is wrong with the parameters of a request; null: nothing, or nothing that is known here. */
const faultOfParams = (value: unknown): string | null => {
  if (!isFields(value) || !Object.hasOwn(value, "id") || !Object.hasOwn(value, "method")) return null
  const { method } = value
  const params = value["params"] ?? {}
  if (!isFields(params)) return "params is an object."
  const known = paramsOf[String(method)]
  for (const said of [...(known === undefined ? [] : known.split(" ")), "_meta{}?"]) {
    const name = said.replace(/[{}?]/g, "")
    const found = name.split(".").reduce<unknown>((at, key) => (isFields(at) ? at[key] : undefined), params)
    if (found === undefined && said.endsWith("?")) continue
    if (said.includes("{}") ? isFields(found) : typeof found === "string") continue
    const kind = said.includes("{}") ? "an object" : "a text"
    return `${name} ${found === undefined ? "is missing: it" : "does not fit: it"} is ${kind} in ${String(method)}.`
  }
  return null
}

const withArguments = (value: unknown): unknown => {
  if (!isFields(value) || value["method"] !== "tools/call" || !isFields(value["params"])) return value
  const given = value["params"]["arguments"]
  const read = given === null ? {} : typeof given === "string" ? Result.getOrNull(parsed(given)) : null
  return isFields(read) ? { ...value, params: { ...value["params"], arguments: read } } : value
}
