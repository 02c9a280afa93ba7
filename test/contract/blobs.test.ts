import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { LogUnavailable } from "@proofline/kernel"
import { layer as fileBlobs } from "@proofline/plugins/adapters/file-blobs"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as postgresBlobs } from "@proofline/plugins/adapters/postgres-log/blobs"
import { layer as s3Blobs } from "@proofline/plugins/adapters/s3-blobs"
import { BlobStore } from "@proofline/plugins/ports"
import { Effect, Layer, type Scope } from "effect"
import pg from "pg"
import { signed } from "../../packages/plugins/src/adapters/s3-blobs/sign.ts"
import { room } from "../plugins/repositories.ts"
import { describePostgres, freshDatabase } from "../postgres.ts"
import { keys, scriptedS3 } from "./scriptedS3.ts"

/** A store that is empty, and how somebody else changes the bytes of a blob in it. */
interface Store {
  readonly layer: Layer.Layer<BlobStore, LogUnavailable>
  readonly change: (name: string, bytes: string) => Effect.Effect<void>
}

const env = { AWS_ACCESS_KEY_ID: keys.id, AWS_SECRET_ACCESS_KEY: keys.secret, AWS_SESSION_TOKEN: keys.token }

const directory = room("proofline-blob-contract-")

const stores: ReadonlyArray<{
  readonly name: string
  readonly describes: typeof describePostgres
  readonly fresh: Effect.Effect<Store, never, Scope.Scope>
}> = [
  {
    name: "a directory",
    describes: describe,
    fresh: Effect.map(directory, (path) => ({
      layer: fileBlobs({ directory: path }).pipe(Layer.provide(nodeDigest)),
      change: (name, bytes) => Effect.sync(() => writeFileSync(join(path, name.slice(0, 2), name), bytes))
    }))
  },
  {
    name: "Postgres",
    describes: describePostgres,
    fresh: Effect.map(freshDatabase, (url) => ({
      layer: postgresBlobs({ url: `${url}?schema=blobs` }).pipe(Layer.provide(nodeDigest)),
      change: (name, bytes) =>
        Effect.promise(async () => {
          const client = new pg.Client({ connectionString: url })
          await client.connect()
          await client.query("update blobs.blob set data = $2 where sha256 = $1", [name, Buffer.from(bytes)])
          await client.end()
        })
    }))
  },
  {
    name: "a scripted S3",
    describes: describe,
    fresh: Effect.map(scriptedS3, ({ endpoint, objects }) => ({
      layer: s3Blobs({ url: `s3://here/a%20b/c?endpoint=${endpoint}&region=eu-test-1`, env }).pipe(
        Layer.provide(nodeDigest)
      ),
      change: (name, bytes) =>
        Effect.sync(() => void objects.set(`/here/a%20b/c/${name.slice(0, 2)}/${name}`, Buffer.from(bytes)))
    }))
  }
]

const put = (data: string | Uint8Array) => Effect.flatMap(BlobStore, (blobs) => blobs.put(data))
const get = (sha: string) => Effect.flatMap(BlobStore, (blobs) => blobs.get(sha))

const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

for (const { describes, fresh, name } of stores) {
  const within = <A, E>(use: (store: Store) => Effect.Effect<A, E, BlobStore>) =>
    Effect.scoped(Effect.flatMap(fresh, (store) => Effect.provide(use(store), store.layer)))

  describes(`blobs in ${name}`, () => {
    it.live("are given back by the hash of their bytes, whatever they are", () =>
      within(() =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* put("abc"), { sha256: abc, bytes: 3 })
          const large = Buffer.alloc(9 * 1_024 * 1_024 + 1, "proofline ")
          for (const data of ["abc", "", "é😀\u0000", new Uint8Array([0, 255, 1]), large]) {
            const ref = yield* put(data)
            assert.strictEqual(ref.bytes, Buffer.from(data as string).length)
            assert.isTrue(Buffer.from(data as string).equals(yield* get(ref.sha256)))
          }
          assert.deepStrictEqual(yield* put(large), yield* put(new Uint8Array(large)))
        })
      )
    )

    it.live("are missing when nobody put them, and by a name that is no hash", () =>
      within(() =>
        Effect.gen(function* () {
          for (const wrong of [abc, "", "..", "../secrets/key", abc.toUpperCase(), `${abc}0`]) {
            assert.strictEqual((yield* Effect.flip(get(wrong)))._tag, "BlobMissing")
          }
        })
      )
    )

    it.live("are never handed out with other bytes than their name says", () =>
      within(({ change }) =>
        Effect.gen(function* () {
          yield* put("abc")
          yield* put("other")
          yield* change(abc, "abd")
          const refused = yield* Effect.flip(get(abc))
          assert.isTrue(refused._tag === "LogUnavailable" && refused.code === "log_corrupt")
          assert.include(refused.message, abc)
        })
      )
    )

    it.live("are put once by many at the same time", () =>
      within(() =>
        Effect.gen(function* () {
          const puts = Array.from({ length: 10 }, () => put("abc"))
          const refs = yield* Effect.all(puts, { concurrency: "unbounded" })
          assert.deepStrictEqual(refs, Array(10).fill({ sha256: abc, bytes: 3 }))
          assert.strictEqual(Buffer.from(yield* get(abc)).toString(), "abc")
        })
      )
    )
  })
}

describe("a store that speaks like S3", () => {
  const opened = (url: string, more: Readonly<Record<string, string | undefined>> = {}) =>
    s3Blobs({ url, env: { ...env, ...more } }).pipe(Layer.provide(nodeDigest))
  const refusal = (url: string, more?: Readonly<Record<string, string | undefined>>) =>
    Effect.flip(Effect.provide(put("abc"), opened(url, more)))

  it("is asked with the signature of the example in its documentation", () => {
    const headers = signed(
      {
        method: "GET",
        url: new URL("https://examplebucket.s3.amazonaws.com/test.txt"),
        headers: { range: "bytes=0-9" },
        bodySha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
      },
      {
        accessKeyId: "AKIAIOSFODNN7EXAMPLE",
        secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        sessionToken: undefined
      },
      "us-east-1",
      new Date("2013-05-24T00:00:00Z")
    )
    assert.match(`${headers["authorization"]}`, /f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41$/)
  })

  it.live("is asked again when it has no time, and given up when it goes on so", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { endpoint, script } = yield* scriptedS3
        const store = opened(`s3://here?endpoint=${endpoint}`)
        const busy = { status: 503, body: "<Error><Code>SlowDown</Code></Error>" }
        script.push(busy, busy)
        assert.strictEqual((yield* Effect.provide(put("abc"), store)).sha256, abc)
        script.push(...Array(5).fill(busy))
        const refused = yield* Effect.flip(Effect.provide(get(abc), store))
        assert.isTrue(refused._tag === "LogUnavailable" && refused.code === "log_failed")
        assert.include(refused.message, "503 SlowDown")
      })
    )
  )

  it.live("is refused by name, and never with a secret, when it cannot be used", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { endpoint } = yield* scriptedS3
        const here = `s3://here?endpoint=${endpoint}`
        const secret = "wrong-s3cr3t"
        const rows = [
          [here, { AWS_SECRET_ACCESS_KEY: secret }, "log_unwritable", "SignatureDoesNotMatch"],
          [`s3://nowhere?endpoint=${endpoint}`, {}, "log_failed", "NoSuchBucket"],
          [here, { AWS_ACCESS_KEY_ID: undefined }, "log_failed", "keys"],
          [`s3://me:${secret}@here`, {}, "log_failed", "keys"],
          ["s3://X", {}, "log_failed", "bucket"],
          ["s3://here?endpoint=ftp://x", {}, "log_failed", "endpoint"],
          [`s3://here?endpoint=https://me:${secret}@x`, {}, "log_failed", "endpoint"],
          ["s3://here?acl=public", {}, "log_failed", "endpoint and region"],
          ["https://here", {}, "log_failed", "s3://"]
        ] as const
        for (const [url, more, code, said] of rows) {
          const refused = yield* refusal(url, more)
          assert.strictEqual(refused.code, code, url)
          assert.include(refused.message, said)
          assert.match(refused.hint, /\.$/)
          assert.notInclude(`${refused.message} ${refused.hint}`, secret)
          assert.notInclude(`${refused.message} ${refused.hint}`, keys.secret)
        }
      })
    )
  )
})
