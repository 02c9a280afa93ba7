import { randomBytes } from "node:crypto"
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync
} from "node:fs"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"
import { type LogUnavailable, type Recorded, RunHead, toNdjson } from "@proofline/kernel"
import { Effect, Option, Schema, Stream } from "effect"
import { exitCodes, type Stop, stop } from "../problems.ts"
import { takeBlobs } from "./blobs.ts"
import { makeReader } from "./chain.ts"
import type { Side } from "./side.ts"

/*
 * An archive is NDJSON, compressed by gzip: a header, the events of each run as they are exported, the blobs that they
 * name, and an end, without which it was cut off.
 */

const ArchivedRun = Schema.Struct({
  run_id: Schema.String,
  kind: Schema.String,
  status: Schema.String,
  ended_at: Schema.String,
  /** Of its last event. */
  version: Schema.Int,
  hash: Schema.String,
  /** What was kept of its end outside of the log. */
  head: Schema.NullOr(RunHead)
})
export type ArchivedRun = typeof ArchivedRun.Type

const Header = Schema.Struct({
  proofline_archive: Schema.Literal(1),
  made_at: Schema.String,
  log: Schema.String,
  runs: Schema.Array(ArchivedRun)
})
export type Header = typeof Header.Type

const End = Schema.Struct({ end: Schema.Struct({ events: Schema.Int, blobs: Schema.Int }) })
const Blob = Schema.Struct({ blob: Schema.String, base64: Schema.String })

/** Writes runs to a new file: it has its name once it is whole. */
export const writeArchive = Effect.fnUntraced(function* (
  file: string,
  side: Side,
  header: Header,
  blobs: ReadonlySet<string>
) {
  let events = 0
  let taken = 0
  const lineOf = (value: unknown) => `${JSON.stringify(value)}\n`
  const eventsOf = ({ run_id, version }: ArchivedRun) =>
    side.log.read(run_id).pipe(
      Stream.takeWhile((event) => event.version <= version),
      Stream.map((event) => {
        events++
        return toNdjson(event)
      })
    )
  const blobLines = Stream.fromIterable(blobs).pipe(
    Stream.mapEffect((name) =>
      Effect.gen(function* () {
        const lines: Array<string> = []
        const found = yield* takeBlobs(side, [name], (blob, bytes) =>
          Effect.sync(() => void lines.push(lineOf({ blob, base64: Buffer.from(bytes).toString("base64") })))
        )
        taken += found.taken
        return lines.join("")
      })
    )
  )
  const lines: Stream.Stream<string, LogUnavailable> = Stream.make(lineOf(header)).pipe(
    Stream.concat(Stream.flatMap(Stream.fromIterable(header.runs), eventsOf)),
    Stream.concat(blobLines),
    Stream.concat(Stream.suspend(() => Stream.make(lineOf({ end: { events, blobs: taken } }))))
  )
  const part = `${file}.${process.pid}.${randomBytes(4).toString("hex")}.part`
  const iterable = yield* Stream.toAsyncIterableEffect(lines)
  yield* Effect.tryPromise({
    try: async (signal) => {
      try {
        mkdirSync(Path.dirname(file), { recursive: true })
        await pipeline(Readable.from(iterable), createGzip(), createWriteStream(part, { flags: "wx" }), { signal })
        const written = openSync(part, "r+")
        fsyncSync(written)
        closeSync(written)
        if (existsSync(file)) throw new Error("it is there already")
        renameSync(part, file)
      } catch (cause) {
        rmSync(part, { force: true })
        throw cause
      }
    },
    catch: (cause) => unwritable(file, cause)
  })
  return { events, blobs: taken }
})

const unwritable = (file: string, cause: unknown): Stop =>
  stop(exitCodes.usage, {
    code: "out_unwritable",
    message: `The archive ${file} cannot be written: ${(cause as Error).message}.`,
    hint: "Nothing was taken out of the log. Name a new file in a directory that can be written with --to."
  })

/** Whether a file is compressed as archives are. */
export const isArchive = (file: string): boolean => {
  try {
    const open = openSync(file, "r")
    try {
      const start = Buffer.alloc(2)
      return readSync(open, start) === 2 && start[0] === 0x1f && start[1] === 0x8b
    } finally {
      closeSync(open)
    }
  } catch {
    return false
  }
}

/** What an archive holds, line by line; all that is no header comes in the order of the file. */
export interface Receiver<E, R> {
  readonly header: (header: Header) => Effect.Effect<void, E, R>
  readonly event: (event: Recorded) => Effect.Effect<void, E, R>
  readonly blob: (name: string, bytes: Uint8Array) => Effect.Effect<void, E, R>
}

/** Reads an archive from the beginning to the end; refused when it is cut off, damaged or none. */
export const readArchive = Effect.fnUntraced(function* <E, R>(
  file: string,
  { blob, event, header }: Receiver<E, R>
): Effect.fn.Return<Header, E | Stop, R> {
  const read: { header: Header | null; isEnded: boolean; events: number; blobs: number } = {
    header: null,
    isEnded: false,
    events: 0,
    blobs: 0
  }
  yield* linesOf(file).pipe(
    Stream.runForEach((line) =>
      Effect.gen(function* () {
        const value = yield* Effect.try({
          try: () => JSON.parse(line) as object,
          catch: (cause) => damaged(file, cause)
        })
        if (read.header === null) {
          const found = Schema.decodeUnknownOption(Header)(value)
          if (Option.isNone(found))
            return yield* damaged(file, new Error("it is no archive of Proofline, or of a newer one"))
          read.header = found.value
          return yield* header(found.value)
        }
        if (read.isEnded) return yield* damaged(file, new Error("it goes on behind its end"))
        if ("event_type" in value) {
          read.events++
          return yield* event(value as Recorded)
        }
        const part = Schema.decodeUnknownOption(Schema.Union([Blob, End]))(value)
        if (Option.isNone(part))
          return yield* damaged(file, new Error("it holds a line that is neither event nor blob"))
        if ("blob" in part.value) {
          read.blobs++
          return yield* blob(part.value.blob, Buffer.from(part.value.base64, "base64"))
        }
        const { blobs, events } = part.value.end
        read.isEnded = blobs === read.blobs && events === read.events
      })
    )
  )
  if (read.header === null || !read.isEnded) return yield* damaged(file, new Error("it is cut off"))
  return read.header
})

const linesOf = (file: string): Stream.Stream<string, Stop> =>
  Stream.fromAsyncIterable(decompressed(file), (cause) => damaged(file, cause))

async function* decompressed(file: string): AsyncIterable<string> {
  const source = createReadStream(file)
  const text = createGunzip()
  // an error of the one is the end of the other
  const piped = pipeline(source, text)
  piped.catch(() => {})
  yield* createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })
  await piped
}

const damaged = (file: string, cause: unknown): Stop =>
  stop(exitCodes.integrity, {
    code: "archive_damaged",
    message: `The archive ${file} cannot be used: ${(cause as Error).message}.`,
    file,
    hint: "Bring it back from a copy. What the log holds was left as it is."
  })

/** What is in an archive, with every hash computed again. */
export interface Checked {
  readonly header: Header
  readonly events: number
  readonly blobs: number
  /** Names of blobs that events name and that are not in it: they were gone when it was made. */
  readonly missing: ReadonlyArray<string>
}

/** Reads a whole archive and computes every hash again; refused when anything of it is not as it was. */
export const checkArchive = Effect.fnUntraced(function* (file: string, sha256: Side["sha256"]) {
  const readers = new Map<string, ReturnType<typeof makeReader>>()
  const held = new Set<string>()
  let events = 0
  const header = yield* readArchive(file, {
    header: ({ runs }) =>
      Effect.sync(() => {
        for (const { head, run_id } of runs) readers.set(run_id, makeReader(sha256, head))
      }),
    event: (event) =>
      Effect.suspend(() => {
        events++
        const reader = readers.get(event.stream)
        if (reader === undefined)
          return damaged(file, new Error(`it holds events of ${event.stream}, which it does not name`))
        reader.add(event)
        return Effect.void
      }),
    blob: (name, bytes) =>
      Effect.suspend(() => {
        held.add(name)
        return sha256(bytes) === name ? Effect.void : damaged(file, new Error(`its blob ${name} has other bytes`))
      })
  })
  const missing = new Set<string>()
  for (const { hash, run_id, version } of header.runs) {
    const read = readers.get(run_id)?.end()
    if (read?.fault != null)
      return yield* damaged(file, new Error(`of ${run_id}: ${read.fault.message.replace(/\.$/, "")}`))
    if (read?.head?.hash !== hash || read.head.version !== version) {
      return yield* damaged(file, new Error(`${run_id} does not end with event ${version} of the hash ${hash}`))
    }
    for (const name of read.blobs) if (!held.has(name)) missing.add(name)
  }
  return { header, events, blobs: held.size, missing: [...missing] } satisfies Checked
})
