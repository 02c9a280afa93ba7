import { Effect } from "effect"
import { LogUnavailable } from "../base/LogUnavailable.ts"
import { UnknownEvent } from "./manifest.ts"

/** An event that is thrown because nobody here knows it is told as `log_newer`. */
export const orLogNewer = <A, E, R>(reading: Effect.Effect<A, E, R>): Effect.Effect<A, E | LogUnavailable, R> =>
  Effect.catchDefect(reading, (defect) =>
    defect instanceof UnknownEvent ? Effect.fail(logNewer(defect)) : Effect.die(defect)
  )

const logNewer = ({ message }: UnknownEvent): LogUnavailable =>
  new LogUnavailable({
    code: "log_newer",
    message,
    hint: "Use the version of Proofline and the plugins that wrote the log."
  })
