import { Effect } from "effect"
import { asStop } from "./commands/shared.ts"
import { printProblems, sayProblems } from "./output.ts"
import { exitCodes, type Problem, Stop } from "./problems.ts"

/** How the command that ran ends; written once. */
export const ending: { code: number } = { code: exitCodes.proven }

type Failure = Stop | Parameters<typeof asStop>[0]

/** Runs a command's handler: its number is the exit code, its problems go where the caller looks for them. */
export const handle = <R>(kind: string, json: boolean, effect: Effect.Effect<number, Failure, R>) =>
  effect.pipe(
    Effect.mapError((error) => (error instanceof Stop ? error : asStop(error as Parameters<typeof asStop>[0]))),
    Effect.catch((error) => Effect.as(showProblems(kind, json, error.problems), error.exitCode)),
    Effect.andThen((code) =>
      Effect.sync(() => {
        ending.code = code
      })
    )
  )

/** Tells of what was refused, on stderr and in a document. */
export const showProblems = (kind: string, json: boolean, problems: ReadonlyArray<Problem>) =>
  // what it prints is JSON whatever happens, and there a problem stands once
  kind === "call"
    ? printProblems(kind, problems)
    : Effect.andThen(sayProblems(problems), json ? printProblems(kind, problems) : Effect.void)
