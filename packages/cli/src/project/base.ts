import { type Base, type LogUnavailable, type Rejection, reject } from "@proofline/kernel"
import { locate } from "@proofline/plugins/adapters/node-baseline"
import { Baseline, type BaseRefused } from "@proofline/plugins/ports"
import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, type Stop, stop } from "../base/problems.ts"

/** What counts as there before a run, on the command line. */
export interface BaseFlags {
  /** A commit; undefined: the project as it is. */
  readonly base?: string | undefined
}

/** What counts as there before a run that begins now. */
export const baseOf = ({ base }: BaseFlags): Effect.Effect<Base, LogUnavailable | Stop, Baseline> =>
  Effect.catchTag(capture(base), "BaseRefused", (refused) => Effect.fail(asStop(refused)))

/** Stops where there could be no such base, and keeps nothing. */
export const checkBase = ({ root }: ProjectPaths, { base }: BaseFlags): Effect.Effect<void, LogUnavailable | Stop> =>
  base === undefined
    ? Effect.void
    : Effect.catchTag(Effect.asVoid(locate(root, base)), "BaseRefused", (refused) => Effect.fail(asStop(refused)))

const asStop = ({ code, hint, message }: BaseRefused): Stop => stop(exitCodes.usage, { code, message, hint })

/** The same for those who begin a run because somebody else asks. */
export const baseOrRejection = ({ base }: BaseFlags): Effect.Effect<Base, LogUnavailable | Rejection, Baseline> =>
  Effect.catchTag(capture(base), "BaseRefused", ({ code, hint, message }) => Effect.fail(reject(code, message, hint)))

const capture = (ref: string | undefined) =>
  Effect.flatMap(Baseline, (baseline) => (ref === undefined ? baseline.capture : baseline.captureAt(ref)))
