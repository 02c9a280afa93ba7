import { canonicalJson, Digest, EventLog, Locks, Presence, type Recorded, WorkQueue } from "@proofline/kernel"
import { Context, Effect, type Scope } from "effect"
import { locksBy, presenceBy } from "../../log/holds.ts"
import { pause } from "../../log/pause.ts"
import { append } from "./append.ts"
import { type Committer, makeCommitter } from "./committer.ts"
import type { Holder } from "./holder.ts"
import { makeHolds } from "./holds.ts"
import { adopt, leave } from "./moving.ts"
import { makeQueue } from "./queue.ts"
import { followLog, othersAppended, readLog, readStream } from "./read.ts"
import { awayOf } from "./rows.ts"
import { looking, type Session } from "./session.ts"
import { makeNotifier, type Notifier } from "./waiting.ts"

/** How often we look for what other processes have committed, in ms, while somebody here waits for it. */
const pollCommitsMs = 25

/** The services over an open log, until the scope closes. */
export const makeServices = (
  session: Session,
  holder: Holder
): Effect.Effect<Context.Context<EventLog | WorkQueue | Locks | Presence>, never, Digest | Scope.Scope> =>
  Effect.gen(function* () {
    const { sha256 } = yield* Digest
    const notifier = makeNotifier()
    const committer = yield* makeCommitter(session, notifier)
    yield* Effect.forkScoped(followOthers(session, notifier))
    const scope = yield* Effect.scope
    const locks = makeHolds(session, committer, holder, session.statements.lock, scope)
    const presence = makeHolds(session, committer, holder, session.statements.presence, scope)
    return Context.make(EventLog, makeLog(session, committer, notifier, sha256)).pipe(
      Context.add(WorkQueue, makeQueue(session, committer, notifier, holder, scope)),
      Context.add(Locks, locksBy(locks.take, notifier.subscribe)),
      Context.add(Presence, presenceBy(presence.take, presence.current))
    )
  })

const makeLog = (
  session: Session,
  committer: Committer,
  notifier: Notifier,
  sha256: Digest["Service"]["sha256"]
): EventLog["Service"] => {
  const knowLast = (events: ReadonlyArray<Recorded>) => {
    const last = events.at(-1)
    if (last !== undefined) session.loss.know(last)
  }
  return {
    append: (stream, expected, events, options = {}) =>
      Effect.suspend(() => {
        const contents = events.map((event) => canonicalJson(event.content))
        return committer.submit(
          () => append(session, sha256, { stream, expected, events, contents, options }),
          ({ events }) => knowLast(events)
        )
      }),
    adopt: (stream, expected, events, options = {}) =>
      Effect.suspend(() => {
        const contents = events.map((event) => canonicalJson(event.content))
        return committer.submit(
          () => adopt(session, sha256, { stream, expected, events, contents, ...options }),
          knowLast
        )
      }),
    leave: (stream, expected, to) => committer.submit(() => leave(session, stream, expected, to)),
    away: (stream) =>
      looking(session, () => {
        const row = session.statements.away.get(stream)
        return row === undefined ? null : awayOf(row)
      }),
    read: (stream, from = 1) => readStream(session, stream, from),
    readAll: (fromPosition = 1) => readLog(session, fromPosition),
    follow: (fromPosition = 1) => followLog(session, notifier, fromPosition),
    othersAppended: othersAppended(notifier),
    check: looking(session, () => {})
  }
}

/** Polls for commits of other connections and notifies subscribers. Runs only while there are any. */
const followOthers = ({ loss, statements }: Session, notifier: Notifier): Effect.Effect<never> => {
  let seen: unknown = null
  const pollCommits = Effect.sync(() => {
    const current = dataVersion(statements, loss)
    if (current !== null && current === seen) return
    seen = current
    notifier.notify("others")
  })
  return Effect.forever(
    Effect.andThen(notifier.hasSubscribers.await, Effect.andThen(pause(pollCommitsMs), pollCommits))
  )
}

/** Null when it cannot be told, or the log is lost: the listeners had better look for themselves, and meet the failure. */
const dataVersion = (statements: Session["statements"], loss: Session["loss"]): unknown => {
  try {
    loss.check()
    return statements.dataVersion.get()?.data_version ?? null
  } catch {
    return null
  }
}
