import {
  type Appended,
  type Conflict,
  type Digest,
  EventLog,
  type LeaseLost,
  type LogUnavailable
} from "@proofline/kernel"
import { Clock, Effect, Exit, Result, type Scope } from "effect"
import {
  type AppendAnswer,
  type AppendRequest,
  type AppendResult,
  makeRequest,
  toArguments,
  toResults,
  unknownSummaries
} from "./append.ts"
import { type Batches, makeBatches } from "./batches.ts"
import { closed, lost } from "./failure.ts"
import { adopt, leave, lookAt } from "./moving.ts"
import { followLog, learnSummary, othersAppended, readLog, readStream } from "./read.ts"
import { isMistake } from "./reasons.ts"
import { remember, type Session } from "./session.ts"

export const makeLog = (
  session: Session,
  sha256: Digest["Service"]["sha256"]
): Effect.Effect<EventLog["Service"], never, Scope.Scope> =>
  Effect.map(
    makeBatches<AppendRequest, AppendResult>({
      carryOut: (requests) => appendAll(session, requests),
      joins,
      closed: closed(session.database.place)
    }),
    (batches) =>
      EventLog.of({
        append: (stream, expected, events, options = {}) =>
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            return yield* submit(batches, makeRequest(now, stream, expected, events, options))
          }),
        read: (stream, from = 1) => readStream(session, stream, from),
        readAll: (fromPosition = 1) => readLog(session, fromPosition),
        follow: (fromPosition = 1) => followLog(session, fromPosition),
        othersAppended: othersAppended(session),
        adopt: (stream, expected, events, options = {}) =>
          adopt(session, sha256, { stream, expected, events, ...options }),
        leave: (stream, expected, to) => leave(session, stream, expected, to),
        away: (stream) => Effect.map(lookAt(session, stream), ({ away }) => away),
        check: session.check
      })
  )

const submit = (
  batches: Batches<AppendRequest, AppendResult>,
  request: AppendRequest
): Effect.Effect<Appended, Conflict | LeaseLost | LogUnavailable> =>
  Effect.flatMap(batches.submit(request), (result) => Effect.fromResult(result))

/**
 * None after one that cancels, none on work that another settles, and no command twice: the second is answered with what the
 * first has written.
 */
const joins = (batch: ReadonlyArray<AppendRequest>, { events, options: { lease }, stream }: AppendRequest): boolean =>
  (batch.at(-1)?.options.cancel ?? []).length === 0 &&
  !batch.some(
    (other) =>
      (other.stream === stream && other.events[0]?.command_id === events[0]?.command_id) ||
      (other.options.settles === true && lease !== undefined && other.options.lease?.item === lease.item)
  )

const appendAll = (
  session: Session,
  requests: ReadonlyArray<AppendRequest>
): Effect.Effect<ReadonlyArray<Exit.Exit<AppendResult, LogUnavailable>>, LogUnavailable> => {
  const { database, known, notifier, sender, summaries, teller } = session
  const { place } = database
  const learn = Effect.forEach(
    unknownSummaries(summaries, requests),
    ({ expected, stream }) => learnSummary(session, stream, expected),
    { discard: true }
  )
  const isWork = requests.some(
    ({ options: { cancel = [], dispatch = [], settles } }) => settles === true || cancel.length + dispatch.length > 0
  )
  const write = Effect.suspend(() => {
    // whoever waits for work is told at once
    const tells = isWork || teller.isDue()
    const values = [...toArguments(summaries, requests), known.json(), tells ? sender : null]
    const asked = database.attempt(database.function("append", values))
    return Effect.map(tells ? asked : Effect.ensuring(asked, Effect.sync(teller.owe)), ([row]) => {
      const answer = row?.[0] as AppendAnswer
      if (answer.lost !== undefined) return requests.map(() => Exit.fail(database.lose(lost(place, `${answer.lost}`))))
      if (answer.position !== undefined) {
        if (tells) teller.told()
        notifier.notify(isWork ? "work" : "events", "ours")
      }
      return toResults(requests, answer).map((result) => {
        if (Result.isSuccess(result)) remember(session, result.success.events)
        return Exit.succeed(result)
      })
    })
  }).pipe(
    Effect.catch((error) =>
      requests.length > 1 && isMistake(error)
        ? // what is wrong with one of them shall not fail the others
          Effect.forEach(requests, (request) =>
            Effect.matchEager(appendAll(session, [request]), {
              onFailure: (failure) => Exit.fail(failure),
              onSuccess: ([exit]) => exit as Exit.Exit<AppendResult, LogUnavailable>
            })
          )
        : Effect.fail(database.failed(error))
    )
  )
  return Effect.andThen(learn, write)
}
