import { Baseline } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"

const nothingCaptured = Effect.die("Nothing is captured for a check.")

/** Outside of a run there is nothing to compare with. */
export const withoutBase: Layer.Layer<Baseline> = Layer.succeed(Baseline, {
  capture: nothingCaptured,
  captureAt: () => nothingCaptured,
  changes: () => Effect.succeed(null),
  before: () => Effect.succeed({ _tag: "unknown" }),
  came: () => Effect.succeed(null),
  isIgnored: () => Effect.succeed(false),
  restore: () => Effect.die("Nothing is restored for a check."),
  changedIn: () => Effect.die("Nothing is restored for a check.")
})
