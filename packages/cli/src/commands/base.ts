import { type Base, type LogUnavailable, type Rejection, reject } from "@proofline/kernel"
import { Baseline } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { exitCodes, type Stop, stop } from "../problems.ts"

/** What counts as there before a run, on the command line. */
export interface BaseFlags {
  /** A commit; undefined: the project as it is. */
  readonly base?: string | undefined
}

/** What counts as there before a run that begins now. */
export const baseOf = ({ base }: BaseFlags): Effect.Effect<Base, LogUnavailable | Stop, Baseline> =>
  Effect.catchTag(capture(base), "BaseRefused", ({ code, hint, message }) =>
    Effect.fail(stop(exitCodes.usage, { code, message, hint }))
  )

/** The same for those who begin a run because somebody else asks. */
export const baseOrRejection = ({ base }: BaseFlags): Effect.Effect<Base, LogUnavailable | Rejection, Baseline> =>
  Effect.catchTag(capture(base), "BaseRefused", ({ code, hint, message }) => Effect.fail(reject(code, message, hint)))

const capture = (ref: string | undefined) =>
  Effect.flatMap(Baseline, (baseline) => (ref === undefined ? baseline.capture : baseline.captureAt(ref)))
