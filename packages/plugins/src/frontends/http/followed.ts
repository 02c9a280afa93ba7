import type { RunId } from "@proofline/kernel"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Malformed, TooMany } from "./problems.ts"
import { logUnavailable } from "./refusals.ts"
import { Events } from "./stream.ts"

interface Asked {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly query: { readonly after?: number | undefined }
  readonly headers: { readonly "last-event-id"?: string | undefined }
}

/** The stream of events that was asked for; `run` is null for those of all runs, and known otherwise. */
export const followed = Effect.fnUntraced(function* (run: RunId | null, { headers, query, request }: Asked) {
  const events = yield* Events
  const given = headers["last-event-id"] ?? ""
  if (given !== "" && !/^\d{1,15}$/.test(given)) return yield* Effect.fail(notNumbered(given))
  const after = given === "" ? (query.after ?? 0) : Number(given)
  if (after > 0 && !(yield* Effect.mapError(events.reaches(after), logUnavailable))) {
    return yield* Effect.fail(beyond(after))
  }
  if ((yield* events.open) >= events.maxStreams) return yield* Effect.fail(tooManyStreams)
  return HttpServerResponse.stream(events.follow({ run, after, hangUp: () => hangUp(request) }), {
    contentType: "text/event-stream",
    // what stands between might wait until it has more
    headers: { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" }
  })
})

/** The client's own end may never be heard of: it is not asked. */
const hangUp = ({ source }: HttpServerRequest.HttpServerRequest): void => {
  const { socket } = source as { readonly socket?: { readonly destroy?: () => void } }
  socket?.destroy?.()
}

const notNumbered = (given: string) =>
  new Malformed({
    code: "position_invalid",
    detail: `Last-Event-ID holds no position: ${JSON.stringify(given.slice(0, 50))}.`,
    hint: "Send the `id` of the last event as it came, or leave it out to begin at the beginning."
  })

const beyond = (after: number) =>
  new Malformed({
    code: "position_unknown",
    detail: `The log does not go as far as position ${after}: it is another one, or was restored.`,
    hint: "Leave it out to begin at the beginning; GET …/about says where the log ends."
  })

const tooManyStreams = new TooMany({
  code: "too_many_streams",
  detail: "As many streams of events are open as this server holds.",
  hint: "Close some; one stream of all runs is enough for a page."
})
