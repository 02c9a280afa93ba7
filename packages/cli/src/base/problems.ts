import type { LeaseLost, LogFault, LogUnavailable, Problem, Rejection, RunIsDriven } from "@proofline/kernel"
import { Data } from "effect"
import { exitCodes } from "./exitCodes.ts"

export { exitCodes, type Problem }

/** The command ends here, with problems to show and an exit code. */
export class Stop extends Data.TaggedError("Stop")<{
  readonly exitCode: number
  readonly problems: ReadonlyArray<Problem>
}> {}

export const stop = (exitCode: number, ...problems: ReadonlyArray<Problem>): Stop => new Stop({ exitCode, problems })

/** `file:line:column: message`, then what to do. */
export const problemText = (problem: Problem): string => {
  const position = [problem.file, problem.line, problem.column].filter((part) => part !== undefined).join(":")
  return `${position === "" ? "" : `${position}: `}${problem.message} [${problem.code}]${problem.hint === "" ? "" : `\n    ${problem.hint}`}`
}

/** How the kernel refuses, or cannot go on. */
export type KernelFailure = Rejection | LogUnavailable | RunIsDriven | LeaseLost

/** Failures of the kernel as problems with an exit code. */
export const asStop = (error: KernelFailure): Stop => {
  switch (error._tag) {
    case "Rejection":
      return stop(exitCodes.usage, {
        code: error.code,
        kind: error.kind,
        message: error.message,
        hint: error.hint
      })
    case "RunIsDriven":
      return stop(exitCodes.usage, {
        code: "run_is_driven",
        kind: "conflict",
        message: error.message,
        hint: "Wait until it has ended, or stop that process first; then resume."
      })
    case "LeaseLost":
      return stop(exitCodes.unmet, {
        code: "lease_lost",
        kind: "conflict",
        message: error.message,
        hint: "Somebody else took over; see `proofline status`."
      })
    case "LogUnavailable":
      if (error.code === "run_elsewhere" || error.code === "plugin_missing")
        return stop(exitCodes.usage, { ...logProblem(error), kind: "conflict" })
      return stop(brokenLogs.has(error.code) ? exitCodes.integrity : exitCodes.unmet, logProblem(error))
    default:
      // types are no promise of what a plugin fails with
      return stop(exitCodes.unmet, internalProblem(error))
  }
}

/** A fault of Proofline. */
export const internalProblem = (defect: unknown): Problem => ({
  code: "internal_error",
  message: `Proofline itself failed: ${defect instanceof Error ? defect.message : String(defect)}`,
  hint: `What was recorded is in the log as it was; a run that was going on is taken up with \`proofline resume\`. Please report this, with PROOFLINE_DEBUG=1 for the place.${
    process.env["PROOFLINE_DEBUG"] && defect instanceof Error ? `\n${defect.stack}` : ""
  }`
})

/** The one problem of such a failure. */
export const problemIn = (failure: KernelFailure): Problem => asStop(failure).problems[0] as Problem

/** What no other try, and no space on the disk, makes good. */
export const brokenLogs: ReadonlySet<string> = new Set<LogUnavailable["code"] | LogFault["code"]>([
  "log_corrupt",
  "log_changed",
  "log_cut",
  "log_rewritten",
  "log_lost"
])

const logProblem = ({ code, hint, message }: LogUnavailable): Problem => ({ code, message, hint })
