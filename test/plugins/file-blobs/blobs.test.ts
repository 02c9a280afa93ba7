import { createHash } from "node:crypto"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { it } from "@effect/vitest"
import { EventLog } from "@proofline/kernel"
import { layer as fileBlobs } from "@proofline/plugins/adapters/file-blobs"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { BlobStore } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"
import { afterAll, assert } from "vitest"
import { program } from "../programs.ts"
import { logAt } from "../sqlite-log/shared.ts"

const root = mkdtempSync(join(tmpdir(), "proofline-blobs-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const blobsAt = (directory: string) => fileBlobs({ directory }).pipe(Layer.provide(nodeDigest))
const put = (data: string | Uint8Array) => Effect.flatMap(BlobStore, (blobs) => blobs.put(data))
const get = (sha: string) => Effect.flatMap(BlobStore, (blobs) => blobs.get(sha))

const sha = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

it.live("keeps a blob under the first two digits of its hash and its hash, and gives it back", () => {
  const directory = join(root, "kept", "deep")
  return Effect.gen(function* () {
    assert.deepStrictEqual(yield* put("abc"), { sha256: sha, bytes: 3 })
    assert.deepStrictEqual(readdirSync(directory), ["ba"])
    assert.deepStrictEqual(readdirSync(join(directory, "ba")), [sha])
    assert.strictEqual(Buffer.from(yield* get(sha)).toString(), "abc")
    const text = yield* put("é😀")
    assert.deepStrictEqual([text.bytes, Buffer.from(yield* get(text.sha256)).toString()], [6, "é😀"])
    const bytes = new Uint8Array([0, 255, 1])
    assert.deepStrictEqual(new Uint8Array(yield* get((yield* put(bytes)).sha256)), bytes)
    const empty = yield* put("")
    assert.strictEqual((yield* get(empty.sha256)).length, 0)
  }).pipe(Effect.provide(blobsAt(directory)))
})

it.live("leaves a blob that is there alone", () => {
  const directory = join(root, "again")
  return Effect.gen(function* () {
    yield* put("abc")
    const file = join(directory, "ba", sha)
    const { ino, mtimeNs } = statSync(file, { bigint: true })
    yield* put("abc")
    const after = statSync(file, { bigint: true })
    assert.deepStrictEqual([after.ino, after.mtimeNs], [ino, mtimeNs])
    assert.deepStrictEqual(readdirSync(join(directory, "ba")), [sha])
  }).pipe(Effect.provide(blobsAt(directory)))
})

it.live("stores a blob that many put at once", () => {
  const directory = join(root, "many")
  return Effect.gen(function* () {
    yield* Effect.all(
      Array.from({ length: 20 }, () => put("abc")),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(readdirSync(join(directory, "ba")), [sha])
    assert.strictEqual(Buffer.from(yield* get(sha)).toString(), "abc")
  }).pipe(Effect.provide(blobsAt(directory)))
})

it.live("says that a blob is missing, also for a name that is no hash", () => {
  mkdirSync(join(root, "secrets"))
  writeFileSync(join(root, "secrets", "key"), "secret")
  return Effect.gen(function* () {
    for (const name of [sha, "", "../secrets/key", "..", sha.toUpperCase()]) {
      const missing = yield* Effect.flip(get(name))
      assert.strictEqual(missing._tag, "BlobMissing")
    }
  }).pipe(Effect.provide(blobsAt(join(root, "empty"))))
})

it.live("makes nothing in the place of a directory that was taken away with the log in it", () => {
  const state = join(root, "state")
  const directory = join(state, "blobs")
  return Effect.gen(function* () {
    yield* put("abc")
    renameSync(state, join(root, "elsewhere"))
    const refused = yield* Effect.flip(put("more"))
    assert.strictEqual(refused._tag, "LogUnavailable")
    assert.isFalse(existsSync(state))
    const lost = yield* Effect.flip(Effect.flatMap(EventLog, ({ check }) => check))
    assert.strictEqual(lost.code, "log_lost")
    renameSync(join(root, "elsewhere"), state)
    assert.deepStrictEqual((yield* put("abc")).sha256, sha)
  }).pipe(Effect.provide(Layer.merge(blobsAt(directory), logAt(join(state, "proofline.db")))))
})

it.live("names a place that cannot be written and leaves nothing there", () => {
  writeFileSync(join(root, "plain"), "")
  const directory = join(root, "plain", "blobs")
  return Effect.gen(function* () {
    const refused = yield* Effect.flip(put("abc"))
    assert.strictEqual(refused.code, "log_unwritable")
    assert.include(refused.message, directory)
    assert.match(refused.hint, /writable/)
  }).pipe(Effect.provide(blobsAt(directory)))
})

it.live("has no half blob under its name when its process is killed", () =>
  Effect.gen(function* () {
    const directory = join(root, "killed")
    const child = program(new URL("./putter.ts", import.meta.url), [directory], { stdout: "pipe" })
    const acknowledged: Array<string> = []
    const reader = createInterface({ input: child.stdout as NodeJS.ReadableStream })
    reader.on("line", (line) => {
      acknowledged.push(line)
      if (acknowledged.length === 20) child.kill("SIGKILL")
    })
    yield* Effect.promise(() => new Promise((resolve) => reader.once("close", resolve)))
    const stored = readdirSync(directory).flatMap((room) =>
      readdirSync(join(directory, room))
        .filter((name) => !name.startsWith(".part-"))
        .map((name) => join(room, name))
    )
    assert.isAtLeast(acknowledged.length, 20)
    for (const name of acknowledged) assert.include(stored, join(name.slice(0, 2), name))
    for (const path of stored) {
      const bytes = readFileSync(join(directory, path))
      assert.strictEqual(join(path), join(path.slice(0, 2), createHash("sha256").update(bytes).digest("hex")))
    }
  })
)
