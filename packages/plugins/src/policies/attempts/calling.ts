import type { LogUnavailable, Rejection } from "@proofline/kernel"
import { Effect, Result } from "effect"
import type { Answer, View } from "../../operations/Answer.ts"
import { accepted, malformed, refused, truncated, withUnexpectedFields } from "../../operations/answers.ts"
import { atVersion, inSpan } from "../../operations/inSpan.ts"
import { newestEvents } from "../../operations/newestEvents.ts"
import { byName } from "../../operations/Operation.ts"
import { notAllowed, runIn } from "../sessions/contract.ts"
import type { AttemptRef } from "./Attempts.ts"
import { attemptLog, attemptProgress, attemptStanding, attemptTask, isOfTask } from "./answers.ts"
import { type Asking, type AttemptContext, callFor, refOf } from "./context.ts"
import { attemptOperations } from "./operations/index.ts"
import { attemptOver, notInAttempt, tokenUnknown } from "./rejections.ts"
import { isUnderWay } from "./underWay.ts"

const operations = byName(attemptOperations)

/** The attempt a token belongs to, as long as it is under way. */
export const authenticate = Effect.fnUntraced(function* (
  { engine, tokens }: AttemptContext,
  token: string
): Effect.fn.Return<AttemptRef, Rejection | LogUnavailable> {
  const call = yield* tokens.read(token)
  if (call === null) return yield* Effect.fail(tokenUnknown)
  const run = runIn(yield* engine.load(call.run_id))
  return isUnderWay(run, call) ? refOf(call) : yield* Effect.fail(attemptOver(call))
})

/** Carries out an operation of an attempt; it is answered, never refused by failure. */
export const call = (
  context: AttemptContext,
  ref: AttemptRef,
  name: string,
  args: unknown
): Effect.Effect<Answer, LogUnavailable> =>
  Effect.gen(function* () {
    const before = yield* context.engine.load(ref.run)
    yield* atVersion(before.version)
    const isReported = yield* context.reports.isWritten(callFor(ref))
    const asking: Asking = { ...context, ref, before, state: runIn(before), isReported }
    return yield* Effect.catchTag(carryOut(asking, name, args), "Rejection", (rejection) =>
      Effect.succeed(refused(rejection, attemptStanding(ref, isReported)))
    )
  }).pipe(
    Effect.map((answer) => truncated(name === "check_write_target" ? notAllowed(answer) : answer)),
    inSpan(name, ref.run)
  )

const carryOut = Effect.fnUntraced(function* (
  asking: Asking,
  name: string,
  args: unknown
): Effect.fn.Return<Answer, Rejection | LogUnavailable> {
  const { isReported, ref } = asking
  const operation = operations.get(name)
  if (operation === undefined) return yield* Effect.fail(notInAttempt(ref, name))
  const request = operation.read(args)
  if (Result.isFailure(request)) return malformed(request.failure, attemptStanding(ref, isReported))
  const answer = yield* request.success.run(asking)
  return withUnexpectedFields(answer, request.success.unexpected)
})

/** What is to be seen of the attempt's own task. Changes nothing. */
export const see = Effect.fnUntraced(function* (
  { engine, log, reports }: AttemptContext,
  ref: AttemptRef,
  view: View
): Effect.fn.Return<Answer, LogUnavailable> {
  const snapshot = yield* engine.load(ref.run)
  const { version } = snapshot
  const state = runIn(snapshot)
  switch (view) {
    case "task":
      return truncated(accepted(attemptTask(state, ref, yield* reports.isWritten(callFor(ref)))))
    case "progress":
      return truncated(accepted(attemptProgress(state, ref)))
    case "log":
      return truncated(
        accepted(attemptLog(ref, yield* newestEvents(log, ref.run, version, isOfTask(ref.task_id)), engine.manifest))
      )
  }
})
