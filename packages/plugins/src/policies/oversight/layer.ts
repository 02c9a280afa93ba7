import {
  type Digest,
  type Engine,
  type EventLog,
  type LogUnavailable,
  type Rejection,
  reject,
  rejectForbidden
} from "@proofline/kernel"
import { Effect, Layer, Result } from "effect"
import type { Answer } from "../../operations/Answer.ts"
import { malformed, refused, truncated, withUnexpectedFields } from "../../operations/answers.ts"
import { inSpan } from "../../operations/inSpan.ts"
import { byName } from "../../operations/Operation.ts"
import { type Asking, makeContext, type OversightOptions } from "./context.ts"
import { Oversight } from "./Oversight.ts"
import { oversightOperations } from "./operations/index.ts"

/** Oversight over the engine and the log of a project. */
export const oversightLayer = (options: OversightOptions): Layer.Layer<Oversight, never, Engine | EventLog | Digest> =>
  Layer.effect(
    Oversight,
    Effect.map(makeContext(options), (context) =>
      Oversight.of({ call: (operation, args, { isPerson }) => call({ ...context, isPerson }, operation, args) })
    )
  )

const operations = byName(oversightOperations)

const call = (asking: Asking, name: string, args: unknown): Effect.Effect<Answer, LogUnavailable> =>
  carryOut(asking, name, args).pipe(
    Effect.catchTag("Rejection", (rejection) => Effect.succeed(refused(rejection, {}))),
    Effect.map(truncated),
    inSpan(name, null)
  )

const carryOut = Effect.fnUntraced(function* (
  asking: Asking,
  name: string,
  args: unknown
): Effect.fn.Return<Answer, Rejection | LogUnavailable> {
  // nothing is said of what a person would be asked with
  if (name === "answer_approval" && !asking.isPerson) return yield* personOnly
  const operation = operations.get(name)
  if (operation === undefined) {
    return yield* reject("operation_unknown", `There is no operation ${name}.`, "Call list_runs.")
  }
  const request = operation.read(args)
  if (Result.isFailure(request)) return malformed(request.failure, {})
  return withUnexpectedFields(yield* request.success.run(asking), request.success.unexpected)
})

const personOnly = rejectForbidden(
  "person_only",
  "Only a person may answer this, and over this connection nobody can tell that one does.",
  "Show the user the question with list_approvals; they answer it with `proofline answer`."
)
