import { Effect, Stream } from "effect"
import type { LogUnavailable } from "../domain/LogUnavailable.ts"
import type { Recorded } from "../domain/Recorded.ts"
import { reject } from "../domain/Rejection.ts"
import type { SessionState, State } from "../domain/State.ts"
import { sessionOf } from "../domain/session.ts"
import type { EventLog } from "../log/EventLog.ts"
import { refused, small } from "./answers.ts"
import type { Engine } from "./Engine.ts"
import type { Answer, Sessions } from "./Sessions.ts"
import type { SessionsOptions } from "./sessionsLayer.ts"
import { concerns, logView, noRunView, progressView, taskView } from "./views.ts"

/** So many events are looked through for those that concern a session, and so many are read at once. */
const maxScanned = 2_000
const pageSize = 200
/** More lines than an answer has room for are not asked for. */
const maxLines = 100

/** What is to be seen of the work; nothing is written, and no session is taken to be at work because of it. */
export const makeView = (
  engine: Engine["Service"],
  log: EventLog["Service"],
  runs: SessionsOptions["runs"]
): Sessions["Service"]["view"] =>
  Effect.fnUntraced(function* (ref, view): Effect.fn.Return<Answer, LogUnavailable> {
    const run = ref?.run ?? (yield* runs).find(({ isRunning }) => isRunning)?.run_id
    if (run === undefined) return noRunView(view)
    const { state, version } = yield* engine.load(run)
    const session = ref === null ? null : sessionOf(state, ref.session_id)
    if (session === undefined) {
      return refused(
        reject("session_unknown", `There is no session ${ref?.session_id}.`, "Ask the user to open a new session."),
        {}
      )
    }
    switch (view) {
      case "task":
        return taskView(state, session)
      case "progress":
        return progressView(state, session)
      case "log": {
        const { events, isAll } = yield* newestOf(log, state, version, session)
        return logView(state, version, events, isAll)
      }
    }
  }, Effect.map(small))

/** The newest events that concern a session, the newest first; `isAll`: there are no others. */
const newestOf = Effect.fnUntraced(function* (
  log: EventLog["Service"],
  state: State,
  version: number,
  session: SessionState | null
): Effect.fn.Return<{ readonly events: ReadonlyArray<Recorded>; readonly isAll: boolean }, LogUnavailable> {
  const events: Array<Recorded> = []
  let end = version
  while (end > 0 && events.length < maxLines && version - end < maxScanned) {
    const from = Math.max(1, end - pageSize + 1)
    const page = yield* log.read(state.run_id, from).pipe(Stream.take(end - from + 1), Stream.runCollect)
    for (const event of page.toReversed()) {
      if (session === null || concerns(state, session, event)) events.push(event)
    }
    end = from - 1
  }
  return { events: events.slice(0, maxLines), isAll: end === 0 && events.length <= maxLines }
})
