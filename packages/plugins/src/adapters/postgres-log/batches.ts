import type { LogUnavailable } from "@proofline/kernel"
import { Deferred, Effect, Exit, Latch, Result, type Scope } from "effect"

/** Requests that share one statement at most. */
const batchMax = 256

/** Requests that arrive while a statement is on its way share the next one. */
export interface Batches<Request, Answer> {
  /** Interrupted before its turn, it is not carried out. */
  readonly submit: (request: Request) => Effect.Effect<Answer, LogUnavailable>
}

interface Waiting<Request, Answer> {
  readonly request: Request
  readonly done: Deferred.Deferred<Answer, LogUnavailable>
  abandoned: boolean
}

export interface BatchOptions<Request, Answer> {
  /** One statement for all; an answer for each. */
  readonly carryOut: (
    requests: ReadonlyArray<Request>
  ) => Effect.Effect<ReadonlyArray<Exit.Exit<Answer, LogUnavailable>>, LogUnavailable>
  /** Whether a request may share the statement of those before it; the first that may not waits for the next. */
  readonly joins?: (batch: ReadonlyArray<Request>, request: Request) => boolean
  readonly closed: LogUnavailable
}

export const makeBatches = <Request, Answer>({
  carryOut,
  closed,
  joins = () => true
}: BatchOptions<Request, Answer>): Effect.Effect<Batches<Request, Answer>, never, Scope.Scope> =>
  Effect.gen(function* () {
    let waiting: Array<Waiting<Request, Answer>> = []
    let isClosed = false
    const arrived = Latch.makeUnsafe(false)
    const take = (): ReadonlyArray<Waiting<Request, Answer>> => {
      const batch: Array<Waiting<Request, Answer>> = []
      const requests: Array<Request> = []
      const later: Array<Waiting<Request, Answer>> = []
      for (const one of waiting) {
        if (one.abandoned) continue
        if (later.length === 0 && batch.length < batchMax && joins(requests, one.request)) {
          batch.push(one)
          requests.push(one.request)
        } else {
          later.push(one)
        }
      }
      waiting = later
      return batch
    }
    const answer = (
      batch: ReadonlyArray<Waiting<Request, Answer>>,
      exits: ReadonlyArray<Exit.Exit<Answer, LogUnavailable>>
    ) => {
      for (const [i, { done }] of batch.entries()) Deferred.doneUnsafe(done, exits[i] ?? Exit.fail(closed))
    }
    const forever = Effect.gen(function* () {
      for (;;) {
        yield* arrived.await
        arrived.closeUnsafe()
        for (let batch = take(); batch.length > 0; batch = take()) {
          const exits = yield* carryOut(batch.map(({ request }) => request)).pipe(
            Effect.onInterrupt(() => Effect.sync(() => answer(batch, []))),
            Effect.result
          )
          const failed = Result.isFailure(exits) ? Exit.fail(exits.failure) : null
          answer(
            batch,
            Result.isSuccess(exits) ? exits.success : batch.map(() => failed as Exit.Exit<never, LogUnavailable>)
          )
          // those who were answered, and then those whom they let go on, ask again before the next batch is made up
          yield* Effect.andThen(Effect.yieldNow, Effect.yieldNow)
        }
      }
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isClosed = true
        answer(waiting, [])
      })
    )
    yield* Effect.forkScoped(forever)
    return {
      submit: (request) =>
        Effect.suspend(() => {
          if (isClosed) return Effect.fail(closed)
          const one: Waiting<Request, Answer> = { request, done: Deferred.makeUnsafe(), abandoned: false }
          waiting.push(one)
          arrived.openUnsafe()
          return Effect.onInterrupt(Deferred.await(one.done), () =>
            Effect.sync(() => {
              one.abandoned = true
            })
          )
        })
    }
  })
