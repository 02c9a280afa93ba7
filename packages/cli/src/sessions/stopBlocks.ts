import { createHash, randomBytes } from "node:crypto"
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { Schema } from "effect"

/** How often an agent was kept from stopping since its user last spoke, and where the log stood the last time. */
export interface Blocks {
  readonly run: string
  /** Of the newest event of the run. */
  readonly position: number
  readonly blocks: number
}

/** `missing`: no record is there. `unusable`: something that is no record of ours, or cannot be read. */
export type Recorded = Blocks | "missing" | "unusable"

const Whole = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const decode = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ run: Schema.String, position: Whole, blocks: Whole }))
)

/** Bytes; a record is far smaller. */
const maxBytes = 4_096

/** Ms after which nobody goes on with a record. */
const keptMs = 7 * 24 * 60 * 60 * 1_000

const recordName = /^[0-9a-f]{64}\.json(\.[0-9a-f]{12}\.tmp)?$/

const folderIn = (state: string): string => Path.join(state, "stop-hook")

/** The record of a client's session, whose name may be anything. */
const fileOf = (state: string, session: string): string =>
  Path.join(folderIn(state), `${createHash("sha256").update(session).digest("hex")}.json`)

const isOurs = (file: string): boolean => {
  const stats = lstatSync(file)
  return stats.isFile() && stats.size <= maxBytes
}

const isMissing = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === "ENOENT"

export const readBlocks = (state: string, session: string): Recorded => {
  const file = fileOf(state, session)
  try {
    return isOurs(file) ? decode(readFileSync(file, "utf8")) : "unusable"
  } catch (cause) {
    return isMissing(cause) ? "missing" : "unusable"
  }
}

/** Whether it was written: whole, and over nothing but a record. */
export const writeBlocks = (state: string, session: string, blocks: Blocks): boolean => {
  const file = fileOf(state, session)
  try {
    mkdirSync(folderIn(state), { recursive: true })
    removeOld(folderIn(state))
    if (!isFree(file)) return false
    const whole = `${file}.${randomBytes(6).toString("hex")}.tmp`
    try {
      writeFileSync(whole, JSON.stringify(blocks), { flag: "wx", mode: 0o600 })
      renameSync(whole, file)
    } catch (cause) {
      rmSync(whole, { force: true })
      throw cause
    }
    return true
  } catch {
    return false
  }
}

const isFree = (file: string): boolean => {
  try {
    return isOurs(file)
  } catch (cause) {
    return isMissing(cause)
  }
}

/** The next stop is the first again. */
export const forgetBlocks = (state: string, session: string): void => {
  const file = fileOf(state, session)
  try {
    if (isOurs(file)) rmSync(file)
  } catch {
    // a record that stays lets the agent stop at the latest at the bound
  }
}

const removeOld = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    if (!recordName.test(name)) continue
    const file = Path.join(folder, name)
    try {
      const stats = lstatSync(file)
      if (stats.isFile() && stats.size <= maxBytes && stats.mtimeMs < Date.now() - keptMs) rmSync(file)
    } catch {
      // another stop has removed it, or nobody may
    }
  }
}
