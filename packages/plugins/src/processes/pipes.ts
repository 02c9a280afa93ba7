import { execFile } from "node:child_process"
import { closeSync, constants, openSync, rmSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { promisify } from "node:util"
import { readyStarter } from "./starter.ts"
import { makeTemporary } from "./temporary.ts"

/*
 * Node connects a child by sockets. On Linux a socket cannot be opened a second time, so in such a child
 * `echo x > /dev/stderr`, `tee /dev/stdout` and `readFileSync("/dev/stdin")` fail, which work in every terminal and
 * pipeline. Hence: standard input is a file, standard output and error are real pipes.
 */

/** One direction of a pipe. `write` is for the child and has to be closed here once the child has it. */
export interface Pipe {
  readonly read: Readable
  readonly write: number
}

const inPrivateDirectory = async <A>(place: string, use: (directory: string) => Promise<A>): Promise<A> => {
  const directory = makeTemporary(place)
  try {
    return await use(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** A descriptor that reads the bytes, to be closed by the caller. The file has no name any more when this resolves. */
export const openBytes = (bytes: Uint8Array): Promise<number> =>
  inPrivateDirectory(tmpdir(), async (directory) => {
    const file = join(directory, "stdin")
    await writeFile(file, bytes, { mode: 0o600 })
    return openSync(file, constants.O_RDONLY)
  })

/** Both ends of a pipe that nobody has yet; no child inherits them. */
export interface Ends {
  readonly read: number
  readonly write: number
}

const spare: Array<Ends> = []

/** To make one takes a program of its own, as long as many of the commands that are run: some are made for later. */
const madeAtOnce = 24
/** So few are left that more are made. */
const fewLeft = 12

const openEnds = (fifo: string): Ends => {
  // Without O_NONBLOCK this would wait for a writer; with a reader there, opening for writing does not wait.
  const read = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return { read, write: openSync(fifo, constants.O_WRONLY) }
  } catch (cause) {
    closeSync(read)
    throw cause
  }
}

const makeFifos = async (args: ReadonlyArray<string>): Promise<void> => {
  const by = readyStarter()
  if (by === null) await promisify(execFile)("mkfifo", [...args])
  else {
    const { promise, reject, resolve } = Promise.withResolvers<void>()
    by.start({ file: "mkfifo", args, cwd: "/", stdio: [null, null, null] }, process.env, (news) => {
      if ("pid" in news) return
      if ("code" in news && news.code === 0) resolve()
      else reject(new Error("mkfifo failed"))
    })
    await promise
  }
}

let making: Promise<void> | null = null

/** In memory, where a file is made faster than on most disks. */
const inMemory = "/dev/shm"

/** In memory unless somebody has said another place for what is temporary. */
const inPlaceOfPipes = (use: (directory: string) => Promise<void>): Promise<void> =>
  tmpdir() === "/tmp"
    ? inPrivateDirectory(inMemory, use).catch(() => inPrivateDirectory(tmpdir(), use))
    : inPrivateDirectory(tmpdir(), use)

/** They have no names any more when this resolves. */
const makeSpare = (): Promise<void> => {
  making ??= inPlaceOfPipes(async (directory) => {
    const fifos = Array.from({ length: madeAtOnce }, (_, index) => join(directory, String(index)))
    await makeFifos(["-m", "600", ...fifos])
    for (const fifo of fifos) spare.push(openEnds(fifo))
  }).finally(() => {
    making = null
  })
  return making
}

/** Null where there are not as many yet; more are made then, and when few are left. */
export const takeEnds = (count: number): ReadonlyArray<Ends> | null => {
  const taken = spare.length < count ? null : spare.splice(0, count)
  if (process.platform === "linux" && spare.length < fewLeft) makeSpare().catch(() => {})
  return taken
}

/** Null where sockets do (macOS opens them again) or where pipes cannot be made. */
export const openPipes = async (count: number): Promise<ReadonlyArray<Pipe> | null> => {
  if (process.platform !== "linux") return null
  try {
    // somebody else may have taken what was made
    while (spare.length < count) await makeSpare()
  } catch {
    return null
  }
  return spare
    .splice(0, count)
    .map(({ read, write }) => ({ read: new Socket({ fd: read, readable: true, writable: false }), write }))
}
