import { Effect } from "effect"
import { asStop, exitCodes, internalProblem, type KernelFailure, type Problem, Stop } from "../base/problems.ts"
import { printProblems, sayProblems } from "./output.ts"

/** How the command that ran ends, written once; and the kind of the document that it owes, if any. */
export const ending: { code: number; document: string | null } = { code: exitCodes.proven, document: null }

/** A command that another one ends in. */
export type Handed<Options> = (options: Options) => Effect.Effect<number, Stop | KernelFailure>

/**
 * Runs a command's handler: its number is the exit code, its problems go where the caller looks for them. The file of
 * the handler is loaded here, so that no command waits for what the others need.
 */
export const handle = <Handlers, R>(
  kind: string,
  json: boolean,
  load: () => Promise<Handlers>,
  use: (handlers: Handlers) => Effect.Effect<number, Stop | KernelFailure, R>
) =>
  Effect.suspend(() => {
    ending.document = json ? kind : null
    return Effect.promise(load)
  }).pipe(
    Effect.flatMap(use),
    Effect.mapError((error) => (error instanceof Stop ? error : asStop(error))),
    Effect.catch((error) => Effect.as(showProblems(kind, json, error.problems), error.exitCode)),
    Effect.catchDefect((defect) =>
      Effect.as(showProblems(kind, json, [internalProblem(defect)]), exitCodes.unmet as number)
    ),
    Effect.andThen((code) =>
      Effect.sync(() => {
        ending.code = code
      })
    )
  )

/** Whether a command that has formats prints a document; so it does where it is refused. */
export const printsDocument = ({
  format,
  json
}: {
  readonly format?: string | undefined
  readonly json: boolean
}): boolean => json || format === "json"

/** What it prints is JSON whatever happens, and there a problem stands once. */
export const isJsonAlone = (kind: string | null): boolean => kind === "call"

/** Tells of what was refused, on stderr and in a document. */
export const showProblems = (kind: string, json: boolean, problems: ReadonlyArray<Problem>) =>
  isJsonAlone(kind)
    ? printProblems(kind, problems)
    : Effect.andThen(sayProblems(problems), json ? printProblems(kind, problems) : Effect.void)
