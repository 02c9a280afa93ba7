import { Digest } from "@proofline/kernel"
import { Effect } from "effect"
import { HttpMiddleware, HttpPlatform, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

/** The tag of an answer with these bytes. */
export const tagOf = (sha256: string): string => `"${sha256.slice(0, 32)}"`

/** Whether one of the tags that a client names is this one; what was compressed on its way has a weak one. */
const isKnown = (ifNoneMatch: string | undefined, tag: string): boolean =>
  (ifNoneMatch ?? "").split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === tag)

/** The answer, or that it is the one the client has. */
export const unlessKnown = (
  { headers }: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse,
  tag: string
): HttpServerResponse.HttpServerResponse => {
  if (!isKnown(headers["if-none-match"], tag)) return HttpServerResponse.setHeader(response, "etag", tag)
  const cacheControl = response.headers["cache-control"]
  return HttpServerResponse.empty({
    status: 304,
    headers: { etag: tag, ...(cacheControl === undefined ? {} : { "cache-control": cacheControl }) }
  })
}

/** Compresses what is larger than 1 KiB, and no streams of events, which are to be sent at once. */
export const compressed = HttpRouter.middleware(
  Effect.map(HttpPlatform.HttpPlatform, (platform) => {
    const compress = HttpMiddleware.compression({
      algorithms: ["br", "gzip"],
      // 11, which zlib takes else, makes a tenth less of it in a hundred times the time
      levels: { br: 5 },
      compressible: (type) =>
        !type.startsWith("text/event-stream") && /^(?:text\/|application\/.*json|image\/svg)/.test(type)
    })
    return (app) => Effect.provideService(compress(app), HttpPlatform.HttpPlatform, platform)
  })
).layer

/** Gives every JSON that is read a tag, by which a client need not load it again. */
export const tagged = HttpRouter.middleware(
  Effect.gen(function* () {
    const { sha256 } = yield* Digest
    return (app) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const response = yield* app
        const { body, status } = response
        const isRead = request.method === "GET" || request.method === "HEAD"
        return isRead && status === 200 && body._tag === "Uint8Array"
          ? unlessKnown(request, response, tagOf(sha256(body.body)))
          : response
      })
  })
).layer
