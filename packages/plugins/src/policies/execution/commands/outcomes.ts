import { type AblationRun, type BaseCheck, type Census, type RestsOn, ranNoTests } from "@proofline/kernel"
import type { CommandResult } from "../../../port/index.ts"

type Ended = Pick<CommandResult, "exit_code" | "signal" | "timed_out"> & { readonly census?: Census }

/** No command ran: neither an exit code nor a signal. */
export const isUnstarted = ({ exit_code, signal, timed_out }: Ended): boolean =>
  exit_code === null && signal === null && !timed_out

export const notStarted = "It could not be started."

/** What a run at the base says of a command. One that could not be run says nothing, and one that ran no tests did not pass. */
export const outcomeOf = (
  { exit_code, signal, timed_out, ...counted }: Ended,
  output: string
): Pick<BaseCheck, "outcome" | "message"> => {
  if (timed_out) return { outcome: "unknown", message: "It ran out of time." }
  if (isUnstarted({ exit_code, signal, timed_out }))
    return { outcome: "unknown", message: `It could not be started: ${output.trim()}` }
  if (exit_code === 126 || exit_code === 127)
    return { outcome: "unknown", message: `It was not found there, or could not be run: it exited with ${exit_code}.` }
  return { outcome: exit_code === 0 && !ranNoTests(counted) ? "green" : "red", message: "" }
}

/** A command that was not even run. */
export const notRun = (command: string, rests_on: ReadonlyArray<RestsOn>, message: string): BaseCheck => ({
  command,
  outcome: "unknown",
  message,
  exit_code: null,
  signal: null,
  timed_out: false,
  duration_ms: 0,
  output: null,
  output_tail: "",
  rests_on
})

export const atBase = {
  namesProject:
    "It names the directory of the project itself, so a copy of the project cannot be tried with it. Name files by their path in the project."
}

/** How a command that passes in the project ended in a copy of it. */
export const asWritten = ({ exit_code, timed_out, ...counted }: AblationRun): string =>
  timed_out
    ? "There it runs out of time."
    : exit_code === null
      ? "There it is ended by a signal, or cannot be started."
      : ranNoTests(counted) && exit_code === 0
        ? "There it runs no tests."
        : `There it exits with ${exit_code}.`
