import { Effect, Option, Stream } from "effect"
import type { RunId } from "../domain/Ids.ts"
import type { LogUnavailable } from "../domain/LogUnavailable.ts"
import type { EventLog } from "../log/EventLog.ts"
import type { Engine } from "./Engine.ts"
import type { SessionsOptions } from "./sessionsLayer.ts"

/** The session run each time something is appended to it from now on, by any process. */
export const changesOf = (
  engine: Engine["Service"],
  log: EventLog["Service"],
  runs: SessionsOptions["runs"]
): Stream.Stream<RunId, LogUnavailable> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const known = yield* runs
      const sessions = new Set(known.map(({ run_id }) => run_id))
      const from = yield* endOf(engine, log, known[0]?.run_id)
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

/** The position behind the newest event of the newest session run: what follows it is of other runs, or new. */
const endOf = Effect.fnUntraced(function* (
  engine: Engine["Service"],
  log: EventLog["Service"],
  newest: RunId | undefined
) {
  if (newest === undefined) return 1
  const { version } = yield* engine.load(newest)
  const last = yield* Stream.runHead(log.read(newest, version))
  return Option.match(last, { onNone: () => 1, onSome: ({ position }) => position + 1 })
})
