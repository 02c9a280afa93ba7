import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync
} from "node:fs"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import { PassThrough, Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"
import { EventView, LogUnavailable, type Recorded, RunHead, toNdjson } from "@proofline/kernel"
import { abandonedParts, partOf } from "@proofline/plugins/adapters/sqlite-log/salvage"
import { isFull, makeDirectoryNow } from "@proofline/plugins/log"
import { Effect, Option, Schema, Stream } from "effect"
import { notFile, type ProjectPaths, statOf } from "../base/paths.ts"
import { asStop, exitCodes, type Stop, stop } from "../base/problems.ts"
import { freeSpace } from "../base/writeWhole.ts"
import { takeBlobs } from "./blobs.ts"
import { makeReader, type Read } from "./chain.ts"
import type { Side } from "./side.ts"

/*
 * An archive is NDJSON, compressed by gzip or not: a header, the events of each run as they are exported, the blobs that
 * they name, and an end, without which it was cut off.
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
const headerOf = Schema.decodeUnknownOption(Header)
const eventOf = Schema.decodeUnknownOption(EventView)
const restOf = Schema.decodeUnknownOption(Schema.Union([Blob, End]))

/**
 * Writes runs to a new file, compressed where its name ends in `.gz`: it has its name once it is whole. Where somebody has taken
 * a name meanwhile that nobody chose, it gets another one.
 */
export const writeArchive = Effect.fnUntraced(function* (
  file: string,
  side: { readonly log: Pick<Side["log"], "read">; readonly blobs: Pick<Side["blobs"], "get"> },
  header: Header,
  blobs: ReadonlySet<string>,
  isChosen = true
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
  const part = partOf(file)
  const iterable = yield* Stream.toAsyncIterableEffect(lines)
  const placed = yield* Effect.tryPromise({
    try: async (signal) => {
      try {
        makeDirectoryNow(Path.dirname(file))
        // whoever had the id of this process before has ended too
        for (const left of [part, ...abandonedArchives(Path.dirname(file))]) rmSync(left, { force: true })
        const packed = file.endsWith(".gz") ? createGzip() : new PassThrough()
        await pipeline(Readable.from(iterable), packed, createWriteStream(part, { flags: "wx" }), { signal })
        const written = openSync(part, "r+")
        fsyncSync(written)
        closeSync(written)
        return nameTaken(part, file, isChosen)
      } catch (cause) {
        rmSync(part, { force: true })
        throw cause
      }
    },
    // what it is made of may be what cannot be read
    catch: (cause) => (cause instanceof LogUnavailable ? asStop(cause) : unwritable(file, cause))
  })
  return { file: placed, events, blobs: taken }
})

/** Beside the state: whoever clears that leaves archives. */
export const archivesOf = ({ heads }: Pick<ProjectPaths, "heads">): string => heads.replace(/heads$/, "archive")

/** How an archive is called that nobody gave a name. */
export const archiveName = (before: string, stamp: string): string => `${ownPrefix}${before}-${stamp}.ndjson.gz`

const ownPrefix = "runs-before-"

/** The next name of those that were meant, from 1, which begin with the one without a number. */
const numbered = (file: string, n: number): string =>
  n === 1 ? file : file.replace(/(?:\.ndjson\.gz)?$/, (ending) => `-${n}${ending}`)

/** The first of them that nobody has so far. */
export const freeName = (file: string): string => {
  for (let n = 1; ; n++) if (!existsSync(numbered(file, n))) return numbered(file, n)
}

/** Gives a whole file the name, or the next one where that was not chosen; never one that is there. Throws what the system throws. */
const nameTaken = (part: string, file: string, isChosen: boolean): string => {
  for (let n = 1; ; n++) {
    const name = numbered(file, n)
    try {
      takeName(part, name)
      return name
    } catch (cause) {
      if (codeOf(cause) !== "EEXIST") throw cause
      if (isChosen) throw new Error("it is there already")
    }
  }
}

const takeName = (part: string, name: string): void => {
  try {
    linkSync(part, name)
    rmSync(part)
  } catch (cause) {
    if (!withoutLinks.has(codeOf(cause))) throw cause
    closeSync(openSync(name, "wx"))
    renameSync(part, name)
  }
}

const codeOf = (cause: unknown): string => `${(cause as NodeJS.ErrnoException).code}`

/** What file systems say that have no second names. */
const withoutLinks: ReadonlySet<string> = new Set(["EPERM", "EMLINK", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"])

/** Those of a directory that were never finished: the processes that wrote them have ended. */
export const abandonedArchives = (directory: string): ReadonlyArray<string> =>
  abandonedParts(directory).filter((part) => Path.basename(part).startsWith(ownPrefix))

/** A file that is not there so far. */
export const newFile = (file: string, flag: string): Effect.Effect<string, Stop> =>
  existsSync(file)
    ? stop(exitCodes.usage, {
        code: "out_exists",
        message: `${file} is there already.`,
        file,
        hint: `Name a new file with ${flag}.`
      })
    : Effect.succeed(file)

const unwritable = (file: string, cause: unknown): Stop =>
  stop(exitCodes.usage, {
    code: "out_unwritable",
    message: `The file ${file} cannot be written: ${(cause as Error).message}.`,
    hint: isFull(cause)
      ? freeSpace
      : "Nothing of the log was changed. Name a new file in a directory that can be written."
  })

/** Whether a file is an archive, or looks like one: it is compressed, or begins with the header of one. */
export const isArchive = (file: string): boolean => {
  const start = startOf(file)
  return isCompressed(start) || start.toString("latin1").startsWith('{"proofline_archive":')
}

const startOf = (file: string): Buffer => {
  try {
    if (isOther(file)) throw new Error(notFile)
    const open = openSync(file, "r")
    try {
      const start = Buffer.alloc(32)
      return start.subarray(0, readSync(open, start))
    } finally {
      closeSync(open)
    }
  } catch {
    return Buffer.alloc(0)
  }
}

/** Reading a device or a pipe might never end, and what was read of it cannot be read again. */
const isOther = (file: string): boolean => statOf(file)?.isFile() === false

const isCompressed = (start: Buffer): boolean => start[0] === 0x1f && start[1] === 0x8b

/** What a file of events holds, line by line; all that is no header comes in the order of the file. */
export interface Receiver<E, R> {
  readonly header: (header: Header) => Effect.Effect<void, E, R>
  /** `line`: where it stands, from 1. */
  readonly event: (event: Recorded, line: number) => Effect.Effect<void, E, R>
  readonly blob: (name: string, bytes: Uint8Array) => Effect.Effect<void, E, R>
}

/**
 * Reads a file of events from the beginning to the end: an archive, or what `proofline events` prints, which has no header,
 * no blobs and no end; both may be compressed. Refused when it is cut off, damaged or none. `shown`: as people know it.
 */
export const readEvents = Effect.fnUntraced(function* <E, R>(
  file: string,
  { blob, event, header }: Receiver<E, R>,
  shown = file
): Effect.fn.Return<Header | null, E | Stop, R> {
  const isPacked = isCompressed(startOf(file))
  const read: { header: Header | null; isEnded: boolean; line: number; events: number; blobs: number } = {
    header: null,
    isEnded: false,
    line: 0,
    events: 0,
    blobs: 0
  }
  const wrong = (why: unknown) => damaged(shown, isPacked || read.header !== null ? "archive" : "events", read, why)
  if (isOther(file)) return yield* wrong(notFile)
  const lines = Stream.fromAsyncIterable(linesOf(file, isPacked), wrong)
  yield* Stream.runForEach(lines, (line) =>
    Effect.gen(function* () {
      read.line++
      const value = yield* Effect.try({ try: () => JSON.parse(line) as unknown, catch: () => wrong(notJson) })
      if (read.line === 1 && isHeader(value)) {
        const found = headerOf(value)
        if (Option.isNone(found)) return yield* wrong(noArchive)
        read.header = found.value
        return yield* header(found.value)
      }
      if (read.isEnded) return yield* wrong("it goes on behind its end")
      const recorded = eventOf(value)
      if (Option.isSome(recorded)) {
        read.events++
        return yield* event(recorded.value, read.line)
      }
      const part = restOf(value)
      if (read.header === null) return yield* wrong(isPacked ? noArchive : notEvent)
      if (Option.isNone(part)) return yield* wrong("it is neither event nor blob")
      if ("blob" in part.value) {
        read.blobs++
        return yield* blob(part.value.blob, Buffer.from(part.value.base64, "base64"))
      }
      const { blobs, events } = part.value.end
      read.isEnded = blobs === read.blobs && events === read.events
      if (!read.isEnded) return yield* wrong(`${events} events and ${blobs} blobs were written, and not all are there`)
    })
  )
  if (read.header === null && read.events === 0) return yield* wrong("it holds no event")
  if (read.header !== null && !read.isEnded) return yield* wrong("it is cut off")
  return read.header
})

const noHeader = (file: string): Stop => damaged(file, "archive", { line: 1, events: 0 }, noArchive)

const noArchive = "it is no archive of Proofline, or of a newer one"
const notEvent = "it is no event as `proofline events` prints it"
const notJson = "the line is no JSON: it is cut off there, or was changed"

const isHeader = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "proofline_archive" in value

async function* linesOf(file: string, isPacked: boolean): AsyncIterable<string> {
  const source = createReadStream(file)
  const text = isPacked ? createGunzip() : new PassThrough()
  // an error of the one is the end of the other
  const piped = pipeline(source, text)
  piped.catch(() => {})
  yield* createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })
  await piped
}

/** What the system says of a file that cannot be read, in words. */
const unread: Readonly<Record<string, string>> = {
  EACCES: "it may not be read",
  ENOENT: "there is no such file"
}

/** What is wrong, and from which line on nothing of it counts. */
const damaged = (
  file: string,
  form: "archive" | "events",
  { events, line }: { readonly line: number; readonly events: number },
  cause: unknown
): Stop => {
  const { code = "" } = cause as NodeJS.ErrnoException
  const why = unread[code] ?? (cause instanceof Error ? cause.message : String(cause))
  const isNone = form === "events" && events === 0
  return stop(isNone ? exitCodes.usage : exitCodes.integrity, {
    code: isNone ? "events_unreadable" : `${form}_damaged`,
    message: `The ${form === "archive" ? "archive" : "file"} ${file} cannot be used: ${why}.`,
    file,
    ...(line === 0 ? {} : { line }),
    hint: isNone
      ? "Name a file that `proofline events`, `events export` or `log archive` wrote."
      : "Bring it back from a copy. What the log holds was left as it is."
  })
}

/** A run as a file holds it, with every hash computed again. */
export interface HeldRun {
  readonly run_id: string
  /** Of its last event. */
  readonly version: number
  readonly hash: string
  /** What was kept of its end outside of the log; null: nothing, or the file does not say. */
  readonly head: RunHead | null
  /** Its texts are pseudonyms: it shows nothing. */
  readonly redacted: boolean
  /** Of which run it is a part; null: of none. */
  readonly parent_run_id: string | null
}

/** What is in a file, with every hash computed again. */
export interface Checked<H extends Header | null = Header | null> {
  readonly header: H
  readonly runs: ReadonlyArray<HeldRun>
  readonly events: number
  readonly blobs: number
  /** Names of blobs that events name and that are not in it: they were gone when it was made. */
  readonly missing: ReadonlyArray<string>
}

/** Reads a whole file of events and computes every hash again; refused when anything of it is not as it was. */
export const checkEvents = Effect.fnUntraced(function* (
  file: string,
  sha256: Side["sha256"],
  shown = file
): Effect.fn.Return<Checked, Stop> {
  const readers = new Map<string, ReturnType<typeof makeReader>>()
  const heads = new Map<string, RunHead | null>()
  const held = new Set<string>()
  const redacted = new Set<string>()
  const parents = new Map<string, string>()
  const read: { header: Header | null; events: number } = { header: null, events: 0 }
  const wrong = (why: string, line = 0) =>
    damaged(shown, read.header === null ? "events" : "archive", { line, events: 1 }, why)
  const header = yield* readEvents(
    file,
    {
      header: (found) =>
        Effect.sync(() => {
          read.header = found
          for (const { head, run_id } of found.runs) {
            heads.set(run_id, head)
            readers.set(run_id, makeReader(sha256, head))
          }
        }),
      event: (event, line) =>
        Effect.suspend(() => {
          read.events++
          const known = readers.get(event.stream)
          if (known === undefined && read.header !== null)
            return wrong(`it holds events of ${event.stream}, which it does not name`, line)
          const reader = known ?? makeReader(sha256, null)
          readers.set(event.stream, reader)
          if (isRedacted(event)) redacted.add(event.stream)
          const parent = parentIn(event)
          if (parent !== null) parents.set(event.stream, parent)
          return reader.add(event) ? Effect.void : wrong(faultIn(event.stream, reader.end()), line)
        }),
      blob: (name, bytes) =>
        Effect.suspend(() => {
          held.add(name)
          return sha256(bytes) === name ? Effect.void : wrong(`its blob ${name} has other bytes`)
        })
    },
    shown
  )
  const missing = new Set<string>()
  const runs: Array<HeldRun> = []
  for (const [run_id, reader] of readers) {
    const found = reader.end()
    if (found.fault !== null) return yield* wrong(faultIn(run_id, found))
    const { hash, version } = found.head ?? { hash: "", version: 0 }
    const said = header?.runs.find((run) => run.run_id === run_id)
    if (said !== undefined && (said.hash !== hash || said.version !== version)) {
      return yield* wrong(`${run_id} does not end with event ${said.version} of the hash ${said.hash}`)
    }
    // what pseudonyms stand for is nowhere
    for (const name of redacted.has(run_id) ? [] : found.blobs) if (!held.has(name)) missing.add(name)
    runs.push({
      run_id,
      version,
      hash,
      head: heads.get(run_id) ?? null,
      redacted: redacted.has(run_id),
      parent_run_id: parents.get(run_id) ?? null
    })
  }
  return { header, runs, events: read.events, blobs: held.size, missing: [...missing] }
})

/** The same of an archive alone. */
export const checkArchive = (file: string, sha256: Side["sha256"]): Effect.Effect<Checked<Header>, Stop> =>
  Effect.flatMap(checkEvents(file, sha256), ({ header, ...checked }) =>
    header === null ? noHeader(file) : Effect.succeed({ header, ...checked })
  )

/** The first event of a run that was told again with pseudonyms says so. */
const isRedacted = ({ content, event_type }: Pick<Recorded, "content" | "event_type">): boolean =>
  event_type === "RUN_STARTED" && (content as { readonly redacted?: unknown }).redacted != null

const parentIn = ({ content, event_type }: Recorded): string | null =>
  event_type === "RUN_STARTED" ? ((content as { readonly parent_run_id?: string | null }).parent_run_id ?? null) : null

const faultIn = (run: string, { fault }: Read): string => `of ${run}: ${fault?.message.replace(/\.$/, "")}`
