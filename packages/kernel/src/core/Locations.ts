import { Context, Effect, type Scope } from "effect"
import type { RunId } from "../base/Ids.ts"
import type { LogUnavailable } from "../base/LogUnavailable.ts"
import type { Claim } from "../base/Work.ts"
import type { ActivityFailure, AnyCommand } from "./contract.ts"
import type { Engine } from "./Engine.ts"

/** What a piece of work came to, as it is to be recorded. */
export interface Report {
  /** Null: there is nothing to say. */
  readonly result: AnyCommand | null
  /** Recorded together with it; undefined: nothing. */
  readonly also?: AnyCommand | undefined
}

/** Where one piece of work is carried out. */
export interface Location {
  /** Its plugins work in the directory of this location. */
  readonly engine: Engine["Service"]
  /** The project's root there, absolute; null: that of the run. */
  readonly root: string | null
  /**
   * Makes what the work has left there a part of its report. Asked again where what goes with the result was overtaken:
   * rejected with a code of `overtaken`.
   */
  readonly report: (result: AnyCommand | null) => Effect.Effect<Report, ActivityFailure | LogUnavailable>
  readonly overtaken: ReadonlySet<string>
  /** What is recorded when the work begins another run. */
  readonly begins: (child: RunId) => Effect.Effect<AnyCommand | undefined, LogUnavailable>
  /** The other run has ended: what it came to is a part of the report. */
  readonly ended: (child: RunId) => Effect.Effect<void>
}

/** Why a worker does not carry out what it was given. Nothing is recorded: another worker may. */
export interface LocationRefused {
  readonly _tag: "LocationRefused"
  readonly message: string
}

/** Where work is carried out; the location is left when the scope closes. Without an adapter: where the worker's engine is. */
export const Locations = Context.Reference<{
  readonly of: (
    claim: Claim,
    engine: Engine["Service"]
  ) => Effect.Effect<Location, ActivityFailure | LocationRefused | LogUnavailable, Scope.Scope>
}>("@proofline/kernel/core/Locations", {
  defaultValue: () => ({ of: (_, engine) => Effect.succeed(here(engine)) })
})

const here = (engine: Engine["Service"]): Location => ({
  engine,
  root: null,
  report: (result) => Effect.succeed({ result }),
  overtaken: new Set(),
  begins: () => Effect.succeed(undefined),
  ended: () => Effect.void
})
