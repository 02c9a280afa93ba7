import { randomBytes } from "node:crypto"
import {
  closeSync,
  constants,
  fstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  unlinkSync,
  writeFileSync
} from "node:fs"
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { type AgentRequest, LogUnavailable } from "@proofline/kernel"
import { Effect, Predicate } from "effect"
import { makeDirectory } from "../../log/logDirectories.ts"
import { isFull } from "../../log/noSpace.ts"
import type { AgentCall } from "../../policies/attempts/contract.ts"
import { liveFile, type OutputPiece, type OutputStream, readPiece } from "./liveFiles.ts"

/** A report is a few KB. More is a mistake, and a part of it could be taken for the whole. */
const MAX_REPORT_BYTES = 8 * 1024 * 1024
/** The directory of the run may be removed by the last attempt while the next one enters it. */
const MAX_TRIES = 5
/** What a command used is a line of JSON. */
const MAX_USAGE_BYTES = 64 * 1024
const LONGEST_NAME = 64

/** The files of one call of one agent. */
export interface AttemptFiles {
  readonly directory: string
  readonly prompt: string
  /** Does not exist until the agent writes it. */
  readonly report: string
  /** Likewise. */
  readonly usage: string
}

/** Ids come from users: no separator, no dot, bounded. Two ids may give one name; the random suffix tells them apart. */
const fileName = (id: string): string => id.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, LONGEST_NAME) || "_"

export const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : "unknown"

const unavailable = (cause: unknown): LogUnavailable => {
  const code = codeOf(cause)
  const full = isFull(cause)
  const denied = code === "EACCES" || code === "EPERM" || code === "EROFS"
  return new LogUnavailable({
    code: full ? "log_disk_full" : denied ? "log_unwritable" : "log_failed",
    message: `The files for the agent could not be written to the state directory (${code}).`,
    hint: full ? "Free some space, then resume the run." : "Make the state directory writable, then resume the run."
  })
}

/** Where the files of a run's agents are while they work. */
export const runDirectory = (stateDir: string, run_id: string): string =>
  join(resolve(stateDir), "tmp", fileName(run_id))

const freshDirectory = async (run: string, name: string, tries = MAX_TRIES): Promise<string> => {
  try {
    // Readable by its owner only, and never one that was there before.
    return mkdtempSync(join(run, `${name}-`))
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT" || tries === 0) throw cause
    await makeDirectory(run)
    return await freshDirectory(run, name, tries - 1)
  }
}

const directoryName = ({ attempt, role, task_id }: AgentCall): string => `${fileName(task_id)}-${attempt}-${role}`

/** The file that says whose a directory is: the names of two tasks may be one as a name of a directory. */
const CALL = "call.json"

const callText = ({ attempt, role, run_id, task_id }: AgentCall): string =>
  JSON.stringify({ run_id, task_id, attempt, role })

export const makeFiles = (stateDir: string, request: AgentRequest): Effect.Effect<AttemptFiles, LogUnavailable> =>
  Effect.tryPromise({
    try: async () => {
      const directory = await freshDirectory(runDirectory(stateDir, request.run_id), directoryName(request))
      const files = {
        directory,
        prompt: join(directory, "prompt.md"),
        report: join(directory, "report"),
        usage: join(directory, "usage.json")
      }
      try {
        writeFileSync(files.prompt, request.prompt)
        writeFileSync(join(directory, CALL), callText(request))
      } catch (cause) {
        await rm(directory, { recursive: true, force: true })
        throw cause
      }
      return files
    },
    catch: unavailable
  })

/** Never fails: what cannot be removed now does no harm, for no later call ever looks there. */
export const removeFiles = (files: AttemptFiles): Effect.Effect<void> =>
  Effect.promise(async () => {
    try {
      await removeDirectory(files.directory)
      rmdirSync(dirname(files.directory))
    } catch {
      // Another attempt of the run still has files there, or the agent took the directory's rights away.
    }
  })

/** So few are removed at once: to ask another thread for each takes several times as long. */
const FEW = 16

const removeDirectory = async (directory: string): Promise<void> => {
  const entries = readdirSync(directory, { withFileTypes: true })
  if (entries.length > FEW || entries.some((entry) => entry.isDirectory())) {
    return await rm(directory, { recursive: true, force: true })
  }
  for (const { name } of entries) unlinkSync(join(directory, name))
  rmdirSync(directory)
}

/** Removes what a killed Proofline left of a run. Only while nobody works on the run. Never fails. */
export const removeRunFiles = (stateDir: string, run_id: string): Effect.Effect<void> =>
  Effect.promise(() => rm(runDirectory(stateDir, run_id), { recursive: true, force: true }).catch(() => {}))

export type Report = { readonly text: string | null } | { readonly unreadable: string }

/** What the agent wrote to the report file; no text when it wrote none. Read once, after everything of it has ended. */
export const readReport = (files: AttemptFiles): Effect.Effect<Report> => readBounded(files.report, MAX_REPORT_BYTES)

/** What a command wrote to its usage file; null: nothing that can be read. */
export const readUsage = (files: AttemptFiles): Effect.Effect<string | null> =>
  Effect.map(readBounded(files.usage, MAX_USAGE_BYTES), (found) => ("unreadable" in found ? null : found.text))

const readBounded = (path: string, maxBytes: number): Effect.Effect<Report> =>
  Effect.sync(() => {
    try {
      // A named pipe in its place must not make us wait.
      const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
      try {
        const found = fstatSync(file)
        if (!found.isFile()) return { unreadable: "it is not a file" }
        if (found.size > maxBytes) return { unreadable: `it has more than ${maxBytes} bytes` }
        return { text: new TextDecoder().decode(readFileSync(file)) }
      } finally {
        closeSync(file)
      }
    } catch (cause) {
      return codeOf(cause) === "ENOENT" ? { text: null } : { unreadable: codeOf(cause) }
    }
  })

/** The directories of an agent that works, the newest first: one that was killed may have left its own. */
const directoriesOf = async (stateDir: string, call: AgentCall): Promise<ReadonlyArray<string>> => {
  const run = runDirectory(stateDir, call.run_id)
  const names = await readdir(run).catch(() => [])
  const found = await Promise.all(
    names
      .filter((name) => name.startsWith(`${directoryName(call)}-`))
      .map(async (name) => {
        const directory = join(run, name)
        const of = await readFile(join(directory, CALL), "utf8").catch(() => "")
        return of === callText(call) ? [{ directory, at: (await stat(join(directory, CALL))).mtimeMs }] : []
      })
  )
  return found
    .flat()
    .sort((a, b) => b.at - a.at)
    .map(({ directory }) => directory)
}

/** Leaves a text as the report of an agent that works, whole or not at all; false: none does. */
export const writeReport = (stateDir: string, call: AgentCall, text: string): Effect.Effect<boolean, LogUnavailable> =>
  Effect.tryPromise({
    try: async () => {
      const [directory] = await directoriesOf(stateDir, call)
      if (directory === undefined) return false
      const fresh = join(directory, `report.${process.pid}.${randomBytes(6).toString("hex")}`)
      try {
        await writeFile(fresh, text, { flag: "wx" })
        await rename(fresh, join(directory, "report"))
        return true
      } catch (cause) {
        await rm(fresh, { force: true })
        // it has ended meanwhile, and its files are gone
        if (codeOf(cause) === "ENOENT") return false
        throw cause
      }
    },
    catch: unavailable
  })

export const isReportWritten = (stateDir: string, call: AgentCall): Effect.Effect<boolean, LogUnavailable> =>
  Effect.tryPromise({
    try: async () => {
      const [directory] = await directoriesOf(stateDir, call)
      return (
        directory !== undefined &&
        (await stat(join(directory, "report")).then(
          (found) => found.isFile() && found.size > 0,
          () => false
        ))
      )
    },
    catch: unavailable
  })

/** What an agent that works has printed, from a byte on, or so many before the end; null: there is no such agent. */
export const liveOutput = (
  stateDir: string,
  call: AgentCall,
  stream: OutputStream,
  from: number
): Effect.Effect<OutputPiece | null> =>
  Effect.promise(async () => {
    const [directory] = await directoriesOf(stateDir, call).catch(() => [])
    return directory === undefined ? null : await readPiece(liveFile(directory, stream), from)
  })
