import { exitCodes } from "./exitCodes.ts"

/** Says how a command ends when what it prints cannot be written. To be called once, before anything is printed. */
export const onLostReader = (command?: string): void => {
  // progress that nobody reads any more does not end a run
  process.stderr.on("error", () => {})
  // a reader of events that went away (`| head`) has seen enough; any other command goes on
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") process.exit(exitCodes.unmet)
    if (command === "events") process.exit(exitCodes.proven)
    // what nobody reads is not checked any more, so it cannot be all right
    if (command === "evidence") process.exit(exitCodes.unmet)
    // any other command ends with its own exit code: nobody reading is no proof
  })
}
