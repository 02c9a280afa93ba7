import type { Problem } from "@proofline/kernel"
import { Data } from "effect"

export type { Problem }

/** Exit codes; part of the contract with scripts. */
export const exitCodes = {
  proven: 0,
  unmet: 1,
  usage: 2,
  needsPerson: 3,
  breaker: 4,
  integrity: 5,
  interrupted: 130
} as const

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
