import { EventLog, type LogUnavailable } from "@proofline/kernel"
import { Effect } from "effect"

/** How often it is looked whether the log is still there. */
const lookEvery = "1 second"

/** So long a server that has lost its log says so to those who ask, before it ends. */
const lingers = "5 seconds"

/** Waits until the log is lost, and says how. What may be mended is left to those that meet it. */
const untilLost: Effect.Effect<LogUnavailable, never, EventLog> = Effect.flatMap(EventLog, ({ check }) =>
  Effect.suspend(function look(): Effect.Effect<LogUnavailable> {
    const again = Effect.andThen(Effect.sleep(lookEvery), Effect.suspend(look))
    return Effect.matchEffect(check, {
      onFailure: (why) => (why.code === "log_lost" ? Effect.succeed(why) : again),
      onSuccess: () => again
    })
  })
)

/** Fails once the log is lost and those who ask were told, `told` or not, for a while. */
export const endsWhenLost = (told: Effect.Effect<void> = Effect.sleep(lingers)) =>
  Effect.flatMap(untilLost, (why) => Effect.andThen(told, Effect.fail(why)))
