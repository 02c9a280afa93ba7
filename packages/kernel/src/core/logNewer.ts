import { Effect, Stream } from "effect"
import type { RunId } from "../base/Ids.ts"
import { LogUnavailable } from "../base/LogUnavailable.ts"
import type { Recorded } from "../base/Recorded.ts"
import type { EventLog } from "../log/EventLog.ts"
import type { Composition } from "./compose.ts"
import { UnknownEvent } from "./manifest.ts"

/** Names of plugins with which a run begins or goes on from this event, and that are not here. */
export const pluginsMissing = (
  event: Pick<Recorded, "event_type" | "content">,
  { host, versions }: Pick<Composition, "host" | "versions">
): ReadonlyArray<string> => {
  const names = host?.madeWith(event) ?? []
  return names.filter((name) => versions.every((here) => here.name !== name))
}

/** The same of all events of a run. */
export const pluginsMissingIn = (
  events: Stream.Stream<Recorded, LogUnavailable>,
  composition: Composition
): Effect.Effect<ReadonlyArray<string>, LogUnavailable> =>
  Stream.runFold(
    events,
    (): ReadonlyArray<string> => [],
    (missing, event) => {
      const more = pluginsMissing(event, composition).filter((name) => !missing.includes(name))
      return more.length === 0 ? missing : [...missing, ...more]
    }
  )

/** What is said of such a run, whoever asks. */
export const pluginMissing = (run: RunId, names: ReadonlyArray<string>): LogUnavailable =>
  new LogUnavailable({
    code: "plugin_missing",
    message: `Run ${run} was made with plugins that are not here: ${names.join(", ")}.`,
    hint: "Name them under `plugins:` in proofline.yaml again."
  })

/** An event that is thrown because nobody here knows it is told as `log_newer`. */
export const orLogNewer = <A, E, R>(reading: Effect.Effect<A, E, R>): Effect.Effect<A, E | LogUnavailable, R> =>
  Effect.catchDefect(reading, (defect) =>
    defect instanceof UnknownEvent ? Effect.fail(logNewer(defect)) : Effect.die(defect)
  )

/** The same; where a plugin that the run was made with is not here, that is what is said. */
export const orPluginMissing = <A, E, R>(
  reading: Effect.Effect<A, E, R>,
  log: EventLog["Service"],
  composition: Composition
): Effect.Effect<A, E | LogUnavailable, R> =>
  Effect.catchDefect(reading, (defect) =>
    defect instanceof UnknownEvent
      ? Effect.flatMap(pluginsMissingIn(log.read(defect.stream), composition), (missing) =>
          Effect.fail(missing.length === 0 ? logNewer(defect) : pluginMissing(defect.stream, missing))
        )
      : Effect.die(defect)
  )

const logNewer = ({ message, owner }: UnknownEvent): LogUnavailable => {
  const changed =
    owner === null
      ? ""
      : ` Where plugin ${owner} was changed since, its author adds an upcaster for what it wrote before.`
  return new LogUnavailable({
    code: "log_newer",
    message,
    hint: `Use the version of Proofline and the plugins that wrote the log.${changed}`
  })
}
