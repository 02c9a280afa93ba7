import { Effect } from "effect"

/** Carries out an operation in a span of its own; what it asks the engine for is below it. `run`: null, when it is yet to be found. */
export const inSpan = (operation: string, run: string | null) =>
  Effect.withSpan("Operation.call", { attributes: { operation, ...(run === null ? {} : { run }) } })

/** Notes with the operation under way how many events its run has. */
export const atVersion = (version: number): Effect.Effect<void> => Effect.annotateCurrentSpan({ version })
