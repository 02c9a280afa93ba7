import { Effect, Stream } from "effect"
import type { RunId } from "../base/Ids.ts"
import { LogUnavailable } from "../base/LogUnavailable.ts"
import type { Recorded } from "../base/Recorded.ts"
import type { EventLog } from "../log/EventLog.ts"
import type { Composition } from "./compose.ts"
import { UnknownEvent } from "./manifest.ts"

/** Names of plugins that a run was made with, by its first event, and that are not here. */
export const pluginsMissing = (
  { content }: Pick<Recorded, "content">,
  { versions }: Pick<Composition, "versions">
): ReadonlyArray<string> => {
  const here = new Set(versions.map(({ name }) => name))
  const { plugins = [] } = content as { readonly plugins?: ReadonlyArray<{ readonly name: string }> }
  return plugins.map(({ name }) => name).filter((name) => !here.has(name))
}

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
      ? Effect.flatMap(Stream.runHead(log.read(defect.stream)), (first) => {
          const missing = first._tag === "None" ? [] : pluginsMissing(first.value, composition)
          return Effect.fail(missing.length === 0 ? logNewer(defect) : pluginMissing(defect.stream, missing))
        })
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
