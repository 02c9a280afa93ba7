import { type Location, Locations } from "@proofline/kernel"
import { treeMoved } from "@proofline/plugins/policies/checkouts"
import { Effect } from "effect"

export type Of = (typeof Locations)["Service"]["of"]

/** Where the worker's engine is, but for this. */
export const where =
  (over: Partial<Location>): Of =>
  (_, engine) =>
    Effect.succeed({
      engine,
      root: null,
      report: (result) => Effect.succeed({ result }),
      overtaken: new Set([treeMoved]),
      begins: () => Effect.succeed(undefined),
      ended: () => Effect.void,
      ...over
    })

/** Workers that are run here carry out their work at these. */
export const locatedAt = (of: Of) => Effect.provideService(Locations, { of })
