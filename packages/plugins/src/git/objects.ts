import type { Readable } from "node:stream"
import { Effect, Exit, type Scope, Semaphore } from "effect"
import type { Child } from "../processes/child.ts"
import { GitFailed, gitLimitMs, gitLine, killGroup, notStarted, spawnGit, tooSlow, type Where } from "./run.ts"

/** A blob's bytes; its size when it is larger than was asked for; null when there is none. */
export type Blob = Uint8Array | number | null

/** Reads objects by id, one after the other. */
export type ReadBlob = (id: string, maxBytes: number) => Effect.Effect<Blob, GitFailed>

interface Options {
  readonly mayFetch?: boolean
}

const command = ["cat-file", "--batch"]

/** One process for many objects: it begins with the first one, and ends with the scope. Of one that failed another begins. */
export const openObjects = (where: Where, options: Options = {}): Effect.Effect<ReadBlob, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync((): { open: Reader | null } => ({ open: null })),
      ({ open }) => Effect.sync(() => open?.close())
    ),
    (held) => {
      const close = Effect.sync(() => {
        held.open?.close()
        held.open = null
      })
      const oneAtATime = Semaphore.makeUnsafe(1)
      return (id, maxBytes) =>
        Effect.tryPromise({
          try: () => {
            held.open ??= reader(where, options)
            return held.open.read(id, maxBytes)
          },
          catch: (cause) => (cause instanceof GitFailed ? cause : ended(cause))
        }).pipe(
          // what is not there yet is fetched, from somewhere that may never answer
          Effect.timeoutOrElse({ duration: gitLimitMs, orElse: () => tooSlow(command) }),
          // one that was left in the middle of an answer cannot be asked again
          Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : close)),
          oneAtATime.withPermit
        )
    }
  )

/** A single blob. */
export const blobOf = (where: Where, id: string, maxBytes: number): Effect.Effect<Blob, GitFailed> =>
  Effect.scoped(Effect.flatMap(openObjects(where), (read) => read(id, maxBytes)))

/** Keeps bytes as they are, and gives their id. */
export const keepBlob = (where: Where, bytes: string | Uint8Array): Effect.Effect<string, GitFailed> =>
  gitLine(where, ["hash-object", "-w", "--no-filters", "--stdin"], { input: bytes })

const ended = (cause: unknown): GitFailed =>
  new GitFailed({
    reason: "failed",
    message: `\`git cat-file\` ended early: ${cause instanceof Error ? cause.message : String(cause)}.`,
    said: "",
    exit_code: null,
    printed: ""
  })

interface Reader {
  readonly read: (id: string, maxBytes: number) => Promise<Blob>
  readonly close: () => void
}

const reader = (where: Where, options: Options): Reader => {
  const child = spawnGit(where, command, options)
  const failed = failureOf(where, child)
  const output = outputOf(child.stdout as Readable)
  child.stderr?.resume()
  // `<id> blob <size>`, a line feed, the bytes and a line feed; or `<id> missing` and a line feed
  const ask = async (id: string, maxBytes: number): Promise<Blob> => {
    child.stdin?.write(`${id}\n`)
    const [, type, size] = (await output.line()).split(" ")
    if (size === undefined || type === "missing") return null
    const length = Number(size)
    const fits = type === "blob" && length <= maxBytes
    const bytes = fits ? await output.take(length) : await output.skip(length)
    await output.skip(1)
    return type !== "blob" ? null : (bytes ?? length)
  }
  return {
    read: (id, maxBytes) => Promise.race([ask(id, maxBytes), failed]),
    close: () => killGroup(child, "SIGTERM")
  }
}

/** Never resolves. */
const failureOf = (where: Where, child: Child): Promise<never> => {
  const failed = new Promise<never>((_, reject) => {
    child.on("error", (cause) => reject(notStarted(where, cause)))
    child.stdin?.on("error", reject)
  })
  failed.catch(() => {})
  return failed
}

const outputOf = (stream: Readable) => {
  const chunks = stream.iterator() as AsyncIterator<Buffer>
  let rest: Buffer = Buffer.alloc(0)
  const more = async (): Promise<Buffer> => {
    const next = await chunks.next()
    if (next.done) throw new Error("it printed no more")
    return next.value
  }
  return {
    line: async (): Promise<string> => {
      for (;;) {
        const end = rest.indexOf(10)
        if (end >= 0) {
          const line = rest.toString("utf8", 0, end)
          rest = rest.subarray(end + 1)
          return line
        }
        rest = Buffer.concat([rest, await more()])
      }
    },
    take: async (length: number): Promise<Uint8Array> => {
      const parts = [rest]
      let bytesRead = rest.length
      while (bytesRead < length) {
        const part = await more()
        parts.push(part)
        bytesRead += part.length
      }
      const all = Buffer.concat(parts)
      rest = all.subarray(length)
      return all.subarray(0, length)
    },
    skip: async (length: number): Promise<null> => {
      let left = length
      while (left > rest.length) {
        left -= rest.length
        rest = await more()
      }
      rest = rest.subarray(left)
      return null
    }
  }
}
