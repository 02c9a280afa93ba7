import { LogUnavailable } from "@proofline/kernel"
import { Deferred, Effect, Exit, Queue, Result, type Scope } from "effect"
import { closed, isStorageError } from "./failure.ts"
import type { Session } from "./session.ts"
import { type Notifier, patiently } from "./waiting.ts"

/** Requests that share one commit at most, so that one commit never holds up the event loop for long. */
const batchMax = 256

/**
 * The one place that writes. Requests that arrive while a commit is being made durable share the next one, each under
 * a savepoint of its own. A request is synchronous code that may run again from the start, until its batch commits.
 */
export interface Committer {
  /** Answers once the request is durable, or refused. Interrupted before its turn, it is not carried out. */
  readonly submit: <A, E>(work: () => Result.Result<A, E>) => Effect.Effect<A, E | LogUnavailable>
}

interface Request {
  readonly work: () => Result.Result<unknown, unknown>
  readonly done: Deferred.Deferred<unknown, unknown>
  abandoned: boolean
}

type Answer = Exit.Exit<unknown, unknown>

export const makeCommitter = (session: Session, notifier: Notifier): Effect.Effect<Committer, never, Scope.Scope> =>
  Effect.gen(function* () {
    // bounded by its callers: each waits for its answer before it asks again
    const requests = yield* Queue.unbounded<Request>()
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        refuse(takeAll(requests), closed(session.file))
        Queue.shutdownUnsafe(requests)
      })
    )
    yield* Effect.forkScoped(commitForever(session, notifier, requests))
    return {
      submit: <A, E>(work: () => Result.Result<A, E>) =>
        Effect.suspend(() => {
          const done = Deferred.makeUnsafe<A, E | LogUnavailable>()
          // the queue holds requests of all types; each is answered with what its own work gave
          const request: Request = { work, done: done as Request["done"], abandoned: false }
          if (!Queue.offerUnsafe(requests, request)) return Effect.fail(closed(session.file))
          return Effect.onInterrupt(Deferred.await(done), () =>
            Effect.sync(() => {
              request.abandoned = true
            })
          )
        })
    }
  })

const commitForever = (session: Session, notifier: Notifier, requests: Queue.Queue<Request>): Effect.Effect<never> =>
  Effect.gen(function* () {
    for (;;) {
      const batch = yield* Queue.takeBetween(requests, 1, batchMax)
      const answers = yield* patiently(session.file, () => session.loss.writing(() => commit(session, batch))).pipe(
        Effect.onInterrupt(() => Effect.sync(() => refuse(batch, closed(session.file)))),
        Effect.result
      )
      if (Result.isSuccess(answers)) {
        for (let i = 0; i < batch.length; i++) answer(batch[i] as Request, answers.success[i] as Answer)
        if (session.news) notifier.notify("ours")
      } else {
        refuse(batch, answers.failure)
      }
      // those who were answered, and then those whom they let go on, ask again before the next batch is made up
      yield* Effect.andThen(Effect.yieldNow, Effect.yieldNow)
    }
  })

/** One transaction for all. Throws after a rollback when the storage fails or is locked: then none was carried out. */
const commit = (session: Session, batch: ReadonlyArray<Request>): ReadonlyArray<Answer> => {
  const { db, heads, loss, statements } = session
  statements.begin.run()
  try {
    loss.check()
    heads.enter()
    session.news = false
    const undo = batch.length === 1 ? wholeTransaction(session) : savepoint(session)
    const answers = batch.map((request) => carryOut(session, request, undo))
    statements.commit.run()
    return answers
  } catch (error) {
    // SQLite ends the transaction itself on some errors
    if (db.isTransaction) statements.rollback.run()
    heads.forget()
    throw error
  }
}

/** How the writes of one request are kept or dropped within the transaction. */
interface Undo {
  readonly begin: () => void
  readonly keep: () => void
  readonly drop: () => void
}

const savepoint = ({ statements }: Session): Undo => ({
  begin: () => statements.savepoint.run(),
  keep: () => statements.release.run(),
  drop: () => {
    statements.undo.run()
    statements.release.run()
  }
})

/** A request that is alone needs no savepoint of its own. */
const wholeTransaction = ({ statements }: Session): Undo => ({
  begin: () => {},
  keep: () => {},
  drop: () => {
    statements.rollback.run()
    statements.begin.run()
  }
})

/**
 * What goes wrong with one request (it meets an unreadable event, or its content cannot be summarised, which is a
 * defect) undoes this request only.
 */
const carryOut = ({ heads }: Session, request: Request, undo: Undo): Answer => {
  if (request.abandoned) return Exit.interrupt()
  undo.begin()
  try {
    const result = request.work()
    undo.keep()
    return Result.isSuccess(result) ? Exit.succeed(result.success) : Exit.fail(result.failure)
  } catch (error) {
    if (isStorageError(error)) throw error
    undo.drop()
    heads.forget()
    return error instanceof LogUnavailable ? Exit.fail(error) : Exit.die(error)
  }
}

const answer = ({ done }: Request, exit: Answer): void => {
  Deferred.doneUnsafe(done, exit)
}

const refuse = (requests: ReadonlyArray<Request>, failure: LogUnavailable): void => {
  for (const request of requests) answer(request, Exit.fail(failure))
}

const takeAll = (queue: Queue.Queue<Request>): ReadonlyArray<Request> => {
  const requests: Array<Request> = []
  for (;;) {
    const taken = Queue.takeUnsafe(queue)
    if (taken === undefined || Exit.isFailure(taken)) return requests
    requests.push(taken.value)
  }
}
