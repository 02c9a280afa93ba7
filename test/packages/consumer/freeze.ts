// A plugin of one's own in TypeScript, typed by the packages alone: it counts attempts, and lets a release have one.
import { definePlugin, reject } from "@proofline/kernel"
import { Result } from "effect"

interface Slice {
  readonly started: number
}

export default definePlugin<Slice>({
  name: "freeze",
  version: "1",
  initial: { started: 0 },
  evolve: (slice, event) => (event.type === "ATTEMPT_STARTED" ? { started: slice.started + 1 } : slice),
  guard: (command, state, { started }) =>
    command._tag === "StartAttempt" && state.name.startsWith("release") && started > 0
      ? Result.fail(reject("frozen", "One attempt is enough for a release.", "Run it under another name."))
      : Result.void
})
