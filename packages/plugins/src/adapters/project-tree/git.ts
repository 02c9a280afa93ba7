import { type ChildProcess, spawn } from "node:child_process"
import type { Readable } from "node:stream"
import { readingEnvironment } from "../../git/environment.ts"
import { quiet } from "../../git/readGit.ts"

/** A blob's bytes; its size when it is larger than was asked for; null when there is none. */
export type Blob = Uint8Array | number | null

/** Reads objects one after the other through a single process. */
export interface Objects {
  readonly blob: (id: string, maxBytes: number) => Promise<Blob>
  readonly close: () => void
}

export const openObjects = (cwd: string): Objects => {
  const child = spawn("git", [...quiet, "cat-file", "--batch"], {
    cwd,
    env: readingEnvironment(),
    stdio: ["pipe", "pipe", "ignore"]
  })
  const failed = failureOf(child)
  const output = reader(child.stdout)
  let last: Promise<unknown> = Promise.resolve()
  const ask = async (id: string, maxBytes: number): Promise<Blob> => {
    child.stdin.write(`${id}\n`)
    const [, type, size] = (await output.line()).split(" ")
    if (size === undefined || type === "missing") return null
    const length = Number(size)
    const fits = type === "blob" && length <= maxBytes
    const bytes = fits ? await output.take(length) : await output.skip(length)
    await output.skip(1)
    return type !== "blob" ? null : (bytes ?? length)
  }
  return {
    blob: (id, maxBytes) => {
      const answer = last.then(() => Promise.race([ask(id, maxBytes), failed]))
      last = answer.catch(() => {})
      return answer
    },
    close: () => child.kill()
  }
}

/** Never resolves. */
const failureOf = (child: ChildProcess): Promise<never> => {
  const failed = new Promise<never>((_, reject) => {
    child.on("error", reject)
    child.stdin?.on("error", reject)
  })
  failed.catch(() => {})
  return failed
}

const reader = (stream: Readable) => {
  const chunks = stream.iterator() as AsyncIterator<Buffer>
  let rest: Buffer = Buffer.alloc(0)
  const more = async (): Promise<Buffer> => {
    const next = await chunks.next()
    if (next.done) throw new Error("git ended early")
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
