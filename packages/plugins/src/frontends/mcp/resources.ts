import type { LogUnavailable, RunId } from "@proofline/kernel"
import { Context, Effect, Layer, Schedule, Stream } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import type { View } from "../../operations/index.ts"
import { Sessions } from "../../policies/sessions/contract.ts"
import type { CallerOf } from "./tools.ts"

interface Shown {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly view: View
}

/** Constant texts: nothing that an agent or a file says stands in them. */
const shown: ReadonlyArray<Shown> = [
  {
    uri: "proofline://task/current",
    name: "current-task",
    title: "Current task",
    description: "The task to work on, the phase with its instruction, and what it expects. Reading changes nothing.",
    view: "task"
  },
  {
    uri: "proofline://progress",
    name: "progress",
    title: "Progress",
    description: "How far the work is: counts, the phase, and the tasks as trees. Reading changes nothing.",
    view: "progress"
  },
  {
    uri: "proofline://run/log",
    name: "run-log",
    title: "Run log",
    description: "The newest events, one line each, the newest first. Reading changes nothing.",
    view: "log"
  }
]

const mimeType = "application/json"

/** All resources; each of them may change with every event of the session run. */
export const resourceUris: ReadonlyArray<string> = shown.map(({ uri }) => uri)

/**
 * Registers what is to be seen of the work as resources, and says when they have changed: to the server, and to `tell`, for
 * those whom the server does not reach.
 */
export const resources = (
  callerOf: CallerOf,
  tell: (uri: string) => Effect.Effect<void> = () => Effect.void
): Layer.Layer<never, never, McpServer.McpServer | Sessions> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* McpServer.McpServer
      const { changes } = yield* Sessions
      const services = yield* Effect.context<never>()
      yield* Effect.forEach(
        shown,
        ({ view, ...resource }) =>
          server.addResource({
            resource: new McpSchema.Resource({ ...resource, mimeType }),
            annotations: Context.empty(),
            services,
            handle: read(callerOf, resource.uri, view)
          }),
        { discard: true }
      )
      yield* Effect.forkScoped(
        Stream.runForEach(updatedUris(changes), (uri) =>
          Effect.andThen(server.notifications["notifications/resources/updated"]({ uri }), tell(uri))
        ).pipe(Effect.tapCause((cause) => Effect.logError("News of resources ended", cause)))
      )
    })
  )

const read = (callerOf: CallerOf, uri: string, view: View) =>
  Effect.gen(function* () {
    const { body } = yield* (yield* callerOf).view(view)
    return { contents: [{ uri, mimeType, text: JSON.stringify(body) }] }
  }).pipe(
    Effect.catchCause((cause) =>
      Effect.andThen(
        Effect.logError(`${uri} failed`, cause),
        // what went wrong is in the log of the server; the client learns nothing of its insides
        Effect.fail(new McpSchema.InternalError({ message: "The resource could not be read. Try again in a moment." }))
      )
    )
  )

/** All at once after something happened, at most four times a second; what happens meanwhile is said with the next. */
export const updatedUris = (changes: Stream.Stream<RunId, LogUnavailable>): Stream.Stream<string> =>
  changes.pipe(
    Stream.retry(Schedule.spaced("1 second")),
    Stream.orDie,
    Stream.buffer({ capacity: 1, strategy: "sliding" }),
    Stream.mapEffect((run) => Effect.as(Effect.sleep("250 millis"), run)),
    Stream.flatMap(() => Stream.fromIterable(resourceUris))
  )
