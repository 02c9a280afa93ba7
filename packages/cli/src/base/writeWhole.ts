import { randomBytes } from "node:crypto"
import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { Effect } from "effect"
import { exitCodes, type Stop, stop } from "./problems.ts"

/** All of it or nothing, also when the machine stops in between. A link in its place is replaced, not followed. */
export const writeWhole = (file: string, text: string): Effect.Effect<void, Stop> =>
  Effect.try({
    try: () => writeWholeSync(file, text),
    catch: (cause) =>
      stop(exitCodes.usage, {
        code: "out_unwritable",
        message: `${file} cannot be written: ${(cause as Error).message}.`,
        hint: "Name a file in a directory that exists and can be written."
      })
  })

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
