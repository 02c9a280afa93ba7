import { LogUnavailable } from "@proofline/kernel"
import { Effect, Exit, Latch, Result, type Scope } from "effect"
import { closed, isBusy, isStorageError, toUnavailable } from "./failure.ts"
import type { Session } from "./session.ts"
import { type Notifier, patiently } from "./waiting.ts"

/** Requests that share one commit at most, so that one commit never holds up the event loop for long. */
const batchMax = 256

/** Commits for one request each, one after the other: then there is one writer, with whom nobody else would share. */
const aloneMin = 8

/** How long one writer may go on before the event loop turns, in ms. */
const turnMs = 1

/**
 * The one place that writes. Requests that arrive while a commit is being made durable share the next one. A request is
 * synchronous code that may run again from the start, until its batch commits; one that is refused has written nothing,
 * what one that throws has written is undone.
 */
export interface Committer {
  /**
   * Answers once the request is durable, or refused. Interrupted before its turn, it is not carried out. `onDurable` is called
   * with what it gave, before the answer.
   */
  readonly submit: <A, E>(
    work: () => Result.Result<A, E>,
    onDurable?: (answer: A) => void
  ) => Effect.Effect<A, E | LogUnavailable>
  /** Those who wait for what others change. */
  readonly waiters: Set<Waiter>
}

/**
 * Synchronous code that is carried out within the transaction which changes what others wait for, so that it needs none of its
 * own. It gives what is to be done once that is durable; null where it has written nothing. What it throws undoes it.
 */
export type Waiter = () => (() => void) | null

interface Request {
  readonly work: () => Result.Result<unknown, unknown>
  readonly onDurable: ((answer: never) => void) | undefined
  readonly resume: (exit: Answer) => void
  abandoned: boolean
}

type Answer = Exit.Exit<unknown, unknown>

export const makeCommitter = (session: Session, notifier: Notifier): Effect.Effect<Committer, never, Scope.Scope> =>
  Effect.gen(function* () {
    // bounded by its callers: each waits for its answer before it asks again
    let waiting: Array<Request> = []
    let isClosed = false
    const waiters = new Set<Waiter>()
    /** Nobody was at a commit since the event loop turned. */
    let isIdle = true
    let alone = 0
    let turnedAt = 0
    const arrived = Latch.makeUnsafe(false)
    const close = () => {
      isClosed = true
      const left = waiting
      waiting = []
      refuse(left, closed(session.file))
      writeDown()
    }
    /** The rows of the last commands; where that fails, whoever writes next does it. */
    const writeDown = () => {
      const { commands } = session
      if (!commands.areLeft()) return
      const work = () => Result.succeed(commands.writeDown())
      try {
        commitAll([{ work, onDurable: undefined, resume: () => {}, abandoned: false }])
      } catch {}
    }
    const commitAll = (batch: ReadonlyArray<Request>) => {
      const { answers, then } = session.loss.writing(() => {
        try {
          return commit(session, batch, waiters)
        } catch (error) {
          if (waiters.size === 0 || error instanceof LogUnavailable || isStorageError(error)) throw error
          // a waiter fails for itself, when it asks by itself
          return commit(session, batch, nobody)
        }
      })
      alone = batch.length === 1 ? alone + 1 : 0
      for (let i = 0; i < batch.length; i++) {
        const answer = answers[i]
        if (answer !== undefined && Exit.isSuccess(answer)) batch[i]?.onDurable?.(answer.value as never)
      }
      for (const tell of then) tell()
      return answers
    }
    const forever = Effect.gen(function* () {
      for (;;) {
        yield* arrived.await
        arrived.closeUnsafe()
        isIdle = false
        while (waiting.length > 0) {
          const batch = waiting.slice(0, batchMax)
          waiting = waiting.slice(batchMax)
          const answers = yield* patiently(session.file, () => commitAll(batch)).pipe(
            Effect.onInterrupt(() => Effect.sync(() => refuse(batch, closed(session.file)))),
            Effect.result
          )
          if (Result.isSuccess(answers)) {
            if (session.news) notifier.notify("ours")
            // a writer that is alone goes on from here by itself
            isIdle = alone >= aloneMin
            for (let i = 0; i < batch.length; i++) batch[i]?.resume(answers.success[i] as Answer)
            isIdle = false
          } else {
            refuse(batch, answers.failure)
          }
          // those who were answered, and then those whom they let go on, ask again before the next batch is made up
          yield* Effect.andThen(Effect.yieldNow, Effect.yieldNow)
        }
        isIdle = true
      }
    })
    /** Carried out on the spot, for a writer that is alone; null where it has to wait. */
    const atOnce = (work: Request["work"], onDurable: Request["onDurable"]): Answer | null => {
      try {
        const [answer] = commitAll([{ work, onDurable, resume: () => {}, abandoned: false }])
        if (session.news) notifier.notify("ours")
        return answer as Answer
      } catch (error) {
        if (isBusy(error)) return null
        return Exit.fail(toUnavailable(session.file, error))
      }
    }
    const queued = (work: Request["work"], onDurable: Request["onDurable"]) =>
      Effect.callback<unknown, unknown>((resume) => {
        const request: Request = { work, onDurable, resume, abandoned: false }
        waiting.push(request)
        arrived.openUnsafe()
        return Effect.sync(() => {
          request.abandoned = true
        })
      })
    const submit = (work: Request["work"], onDurable: Request["onDurable"]): Effect.Effect<unknown, unknown> => {
      if (isClosed) return Effect.fail(closed(session.file))
      if (!isIdle || alone < aloneMin) return queued(work, onDurable)
      const answer = atOnce(work, onDurable)
      if (answer === null) return queued(work, onDurable)
      const now = performance.now()
      if (now - turnedAt < turnMs) return answer
      // whoever asks meanwhile shares the next commit with this writer
      turnedAt = now
      isIdle = false
      return Effect.flatMap(Effect.yieldNow, () => {
        if (waiting.length === 0) isIdle = true
        return answer
      })
    }
    yield* Effect.addFinalizer(() => Effect.sync(close))
    yield* Effect.forkScoped(forever)
    return {
      waiters,
      // the queue holds requests of all types; each is answered with what its own work gave
      submit: <A, E>(work: () => Result.Result<A, E>, onDurable?: (answer: A) => void) =>
        Effect.suspend(() => submit(work, onDurable)) as Effect.Effect<A, E | LogUnavailable>
    }
  })

/** One transaction for all. Throws after a rollback when the storage fails or is locked: then none was carried out. */
const commit = (session: Session, batch: ReadonlyArray<Request>, waiters: ReadonlySet<Waiter>) => {
  const { commands, db, heads, loss, statements } = session
  statements.begin.run()
  try {
    commands.enter()
    heads.enter(loss.checkBefore())
    session.news = false
    const answers = carriedOut(session, batch)
    const then = session.news ? [...waiters].flatMap((waiter) => waiter() ?? []) : []
    statements.commit.run()
    return { answers, then }
  } catch (error) {
    // SQLite ends the transaction itself on some errors
    if (db.isTransaction) statements.rollback.run()
    heads.forget()
    throw error
  }
}

const nobody: ReadonlySet<Waiter> = new Set()

const carriedOut = (session: Session, batch: ReadonlyArray<Request>): ReadonlyArray<Answer> => {
  const [one] = batch
  return batch.length === 1 && one !== undefined
    ? [carryOut(session, one, wholeTransaction(session))]
    : carriedOutTogether(session, batch)
}

/** Without savepoints, which keep a copy of every page that a request changes; with them where a request throws. */
const carriedOutTogether = (session: Session, batch: ReadonlyArray<Request>): ReadonlyArray<Answer> => {
  try {
    return batch.map(({ abandoned, work }) => (abandoned ? Exit.interrupt() : exitOf(work())))
  } catch (error) {
    if (isStorageError(error)) throw error
    const whole = wholeTransaction(session)
    whole.drop()
    session.heads.forget()
    session.news = false
    const undo = savepoint(session)
    return batch.map((request) => carryOut(session, request, undo))
  }
}

const exitOf = (result: Result.Result<unknown, unknown>): Answer =>
  Result.isSuccess(result) ? Exit.succeed(result.success) : Exit.fail(result.failure)

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
    return exitOf(result)
  } catch (error) {
    if (isStorageError(error)) throw error
    undo.drop()
    heads.forget()
    return error instanceof LogUnavailable ? Exit.fail(error) : Exit.die(error)
  }
}

const refuse = (requests: ReadonlyArray<Request>, failure: LogUnavailable): void => {
  for (const { resume } of requests) resume(Exit.fail(failure))
}
