import { Digest, LogUnavailable } from "@proofline/kernel"
import { Clock, Data, Effect, Layer, Schedule } from "effect"
import { goOnShared } from "../../log/goOn.ts"
import { asNamed, BlobMissing, BlobStore, isBlobName } from "../../port/index.ts"
import { type Address, readAddress } from "./address.ts"
import { type Asked, signed } from "./sign.ts"

export interface S3BlobsOptions {
  /** `s3://bucket/prefix?endpoint=URL&region=NAME` */
  readonly url: string
  /** Where keys come from. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Blobs as objects `<prefix>/ab/<sha256>` of a bucket in S3, or in a store that speaks like it. An object has its name
 * once it is whole; what is read is hashed before it is handed on.
 */
export const layer = ({ env, url }: S3BlobsOptions): Layer.Layer<BlobStore, LogUnavailable, Digest> =>
  Layer.effect(
    BlobStore,
    Effect.gen(function* () {
      const { sha256 } = yield* Digest
      const address = readAddress(url, env)
      if ("message" in address) return yield* new LogUnavailable({ code: "log_failed", ...address })
      return {
        put: (data) =>
          Effect.gen(function* () {
            const bytes = typeof data === "string" ? Buffer.from(data) : data
            const ref = { sha256: sha256(bytes), bytes: bytes.byteLength }
            if (bytes.byteLength > askedFirst && (yield* isThere(address, ref.sha256))) return ref
            yield* ask(address, "PUT", ref.sha256, bytes)
            return ref
          }),
        get: (name) =>
          Effect.gen(function* () {
            const bytes = isBlobName(name) ? yield* ask(address, "GET", name) : null
            return bytes === null
              ? yield* new BlobMissing({ sha256: name })
              : yield* asNamed(name, bytes, sha256, address.name)
          })
      } satisfies BlobStore["Service"]
    })
  )

/** Of larger ones it is asked whether they are there before they are sent. */
const askedFirst = 256 * 1_024

/** A request that gets no answer for so long, ms. */
const answerMaxMs = 60_000

/** What a moment later may go well. */
class Momentary extends Data.TaggedError("Momentary")<{ readonly why: string }> {}

const isThere = (address: Address, name: string) => Effect.map(ask(address, "HEAD", name), (found) => found !== null)

/** The body of the answer; null: there is no such object. */
const ask = (address: Address, method: Asked["method"], name: string, body: Uint8Array = new Uint8Array()) => {
  const url = new URL(address.base)
  url.pathname += `/${name.slice(0, 2)}/${name}`
  const bodySha256 = method === "PUT" ? name : emptySha256
  return Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.tryPromise({
      try: async (signal) => {
        const headers = signed({ method, url, headers: {}, bodySha256 }, address.keys, address.region, new Date(now))
        const { host, ...sent } = headers
        const answer = await fetch(url, {
          method,
          headers: sent,
          redirect: "error",
          signal: AbortSignal.any([signal, AbortSignal.timeout(answerMaxMs)]),
          ...(method === "PUT" ? { body: body as Uint8Array<ArrayBuffer> } : {})
        })
        return { status: answer.status, bytes: new Uint8Array(await answer.arrayBuffer()) }
      },
      catch: (cause) => new Momentary({ why: reachable(cause) })
    })
  ).pipe(
    Effect.flatMap(({ bytes, status }) => answered(address, method, status, bytes)),
    Effect.retry({
      schedule: Schedule.jittered(Schedule.exponential("200 millis")),
      times: 4,
      while: (error) => error._tag === "Momentary"
    }),
    Effect.catchTag("Momentary", ({ why }) => Effect.fail(failed(address, why)))
  )
}

const answered = (
  address: Address,
  method: Asked["method"],
  status: number,
  bytes: Uint8Array
): Effect.Effect<Uint8Array | null, Momentary | LogUnavailable> => {
  if (status === 200) return Effect.succeed(bytes)
  // it says in a few words what is wrong; a HEAD says nothing
  const code = /<Code>(\w{1,60})<\/Code>/.exec(Buffer.from(bytes.subarray(0, 4_096)).toString())?.[1] ?? ""
  if (status === 404 && method !== "PUT" && code !== "NoSuchBucket") return Effect.succeed(null)
  if (status === 429 || status >= 500)
    return Effect.fail(new Momentary({ why: `it answered with ${status} ${code}`.trim() }))
  return Effect.fail(
    status === 401 || status === 403
      ? new LogUnavailable({
          code: "log_unwritable",
          message: `The blobs in ${address.name} cannot be read or written: the store refused it (${status} ${code}).`,
          hint: "Look at the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, their rights on the bucket, its region, and the clock of this machine."
        })
      : failed(address, `it answered with ${status} ${code}`.trim())
  )
}

const reachable = (cause: unknown): string => {
  const { code } = ((cause as { readonly cause?: unknown }).cause ?? cause) as { readonly code?: unknown }
  return `it cannot be reached${typeof code === "string" ? ` (${code})` : ""}`
}

const failed = ({ base, name }: Address, why: string): LogUnavailable =>
  new LogUnavailable({
    code: "log_failed",
    message: `The blobs in ${name} at ${base.host} cannot be used: ${why}.`,
    hint: `Look whether the store runs, and whether bucket, endpoint and region are right. ${goOnShared}`
  })

const emptySha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
