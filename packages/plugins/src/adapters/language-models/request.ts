import { request as plainRequest } from "node:http"
import { request as secureRequest } from "node:https"
import { Effect } from "effect"
import type { Headers } from "../../agents/wait.ts"

export interface Asking {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Is told of every piece of the answer. */
  readonly heard: () => void
  /** What the end of a stream looks like: whatever comes after it is not waited for. */
  readonly isOver: (end: string) => boolean
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** `broken`: there is no answer, or not all of it; `too_large`: nobody can have meant so much. */
export interface RequestFailed {
  readonly _tag: "RequestFailed"
  readonly reason: "broken" | "too_large"
  /** Of the system. */
  readonly code: string
}

/** Bytes of an answer. */
const maxAnswerBytes = 8 * 1_024 * 1_024

/** Characters in which the end of a stream is looked for. */
const endLength = 200

/**
 * One POST and the whole of its answer. It goes to this address and to no other: a redirect is an answer like any other.
 * Interrupting it closes the connection. The time it takes has no limit here, which `fetch` has: five minutes to the
 * first byte, and a model on a small machine may think for longer.
 */
export const post = ({ body, headers, heard, isOver, url }: Asking): Effect.Effect<Answered, RequestFailed> =>
  Effect.callback((resume) => {
    if (!URL.canParse(url)) return resume(Effect.fail({ _tag: "RequestFailed", reason: "broken", code: "no address" }))
    const failed = (reason: RequestFailed["reason"], code: string) => {
      resume(Effect.fail({ _tag: "RequestFailed", reason, code }))
      sent.destroy()
    }
    const open = url.startsWith("https:") ? secureRequest : plainRequest
    const sent = open(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(body) }
    })
    sent.on("error", (cause: NodeJS.ErrnoException) => failed("broken", cause.code ?? "no connection"))
    sent.on("response", (answer) => {
      const decoder = new TextDecoder()
      let text = ""
      let bytes = 0
      const end = () =>
        resume(
          Effect.succeed({ status: answer.statusCode ?? 0, headers: answer.headers, text: text + decoder.decode() })
        )
      answer.on("data", (chunk: Buffer) => {
        heard()
        bytes += chunk.byteLength
        if (bytes > maxAnswerBytes) return failed("too_large", `more than ${maxAnswerBytes} bytes`)
        text += decoder.decode(chunk, { stream: true })
        if (!isOver(text.slice(-endLength))) return
        end()
        sent.destroy()
      })
      answer.on("end", end)
      answer.on("error", (cause: NodeJS.ErrnoException) => failed("broken", cause.code ?? "no connection"))
      answer.on("close", () => failed("broken", "ECONNRESET"))
    })
    sent.end(body)
    return Effect.sync(() => sent.destroy())
  })
