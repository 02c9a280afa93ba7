import type { LogUnavailable, RunId } from "@proofline/kernel"
import { Effect, Stream } from "effect"
import { positionAfter } from "../../operations/newestEvents.ts"
import type { SessionContext } from "./context.ts"

/** The session run each time something is appended to it from now on, by any process. */
export const changesOf = ({ engine, log, options }: SessionContext): Stream.Stream<RunId, LogUnavailable> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const known = yield* options.runs
      const sessions = new Set(known.map(({ run_id }) => run_id))
      // what follows the newest event of the newest session run is of other runs, or new
      const newest = known[0]?.run_id
      const from = newest === undefined ? 1 : yield* positionAfter(log, newest, (yield* engine.load(newest)).version)
      return log.follow(from).pipe(
        Stream.filter(({ content, event_type, stream }) => {
          const isNew = event_type === "RUN_STARTED" && (content as { readonly kind?: unknown }).kind === "session"
          if (isNew) sessions.add(stream)
          return sessions.has(stream)
        }),
        Stream.map(({ stream }) => stream)
      )
    })
  )
