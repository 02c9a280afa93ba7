import { randomBytes } from "node:crypto"
import { chmodSync, closeSync, fsyncSync, openSync, readlinkSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { isFull } from "@proofline/plugins/log"
import { Effect } from "effect"
import { statOf } from "./paths.ts"
import { exitCodes, type Stop, stop } from "./problems.ts"

/**
 * All of it or nothing, also when the machine stops in between. A link in its place is replaced, not followed; what is no file is
 * left as it is.
 */
export const writeWhole = (file: string, text: string): Effect.Effect<void, Stop> =>
  Effect.try({
    try: () => {
      const other = noFile(file)
      if (other !== null) throw new Error(`it is ${other}`)
      writeWholeSync(file, text)
    },
    catch: (cause) =>
      stop(exitCodes.usage, {
        code: "out_unwritable",
        message: `${file} cannot be written: ${(cause as Error).message}.`,
        hint: isFull(cause) ? freeSpace : "Name a file in a directory that exists and can be written."
      })
  })

/** What to do where there was no space for a file. */
export const freeSpace = "Nothing of it was written. Free some space on its disk, then call this again."

/** What is there that is no file; null: a file, or nothing. */
export const noFile = (file: string): string | null => {
  const found = statOf(file)
  if (found === undefined) return null
  if (found.isFile()) return isStream(file) ? "a stream of this process" : null
  if (found.isDirectory()) return "a directory"
  return found.isFIFO() ? "a pipe" : found.isSocket() ? "a socket" : "a device"
}

/** Such as `/dev/stdout`, which may lead to a file. */
const isStream = (file: string): boolean => {
  try {
    return readlinkSync(file).startsWith("/proc/")
  } catch {
    return false
  }
}

/** The same for those who have their own words for a failure. `mode`: its permissions; left out: those of a new file. */
export const writeWholeSync = (file: string, text: string, mode?: number): void => {
  const whole = `${file}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`
  try {
    const descriptor = openSync(whole, "wx")
    try {
      writeFileSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    if (mode !== undefined) chmodSync(whole, mode & 0o7777)
    renameSync(whole, file)
  } catch (cause) {
    rmSync(whole, { force: true })
    throw cause
  }
}
