import { Engine, type RunId } from "@proofline/kernel"
import { Context, Effect, Stream } from "effect"

/** Told of the run that is driven in this process, when it has begun. */
export const Begun = Context.Reference<(run: RunId) => Effect.Effect<void>>("proofline/commands/begun/Begun", {
  defaultValue: () => () => Effect.void
})

/** Waits for the first event that this process appends to the run, and tells whoever shows it where it is. */
export const tellWhenBegun = Effect.fnUntraced(function* (run: RunId) {
  const { changes } = yield* Engine
  const tell = yield* Begun
  yield* changes.pipe(
    Stream.filter(({ event }) => event.stream === run),
    Stream.take(1),
    Stream.runForEach(() => tell(run))
  )
})
