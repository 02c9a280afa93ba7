import { writeSync } from "node:fs"
import { exitCodes } from "../base/exitCodes.ts"

let isSaid = false

/** Says that what was to be printed is not there, and gives the exit code of that: what is not written is no proof of anything. */
export const outputLost = (error: NodeJS.ErrnoException): number => {
  if (!isSaid) {
    isSaid = true
    try {
      writeSync(
        2,
        `error: What was to be printed could not be written: ${error.message} [output_unwritable]\n    Free some space, or write to another place, and ask again.\n`
      )
    } catch {
      // nobody can be told
    }
  }
  return exitCodes.unmet
}

/** A reader that went away has not failed to write. */
export const isReaderGone = ({ code }: NodeJS.ErrnoException): boolean =>
  code === "EPIPE" || code === "ERR_STREAM_DESTROYED"

/** Says how a command ends when what it prints cannot be written. To be called once, before anything is printed. */
export const onLostReader = (command?: string): void => {
  // progress that nobody reads any more does not end a run
  process.stderr.on("error", () => {})
  // a reader of events that went away (`| head`) has seen enough; any other command goes on
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (!isReaderGone(error)) process.exit(outputLost(error))
    if (command === "events") process.exit(exitCodes.proven)
    // what nobody reads is not checked any more, so it cannot be all right
    if (command === "evidence") process.exit(exitCodes.unmet)
    // any other command ends with its own exit code: nobody reading is no proof
  })
}
