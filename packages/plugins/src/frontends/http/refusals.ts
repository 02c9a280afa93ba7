import type { Failure, LeaseLost, LogUnavailable, Rejection } from "@proofline/kernel"
import { Effect } from "effect"
import type { Answer, Body } from "../../operations/index.ts"
import type { NotDone } from "./Project.ts"
import { Conflicting, Forbidden, Refused, Unavailable, Unknown } from "./problems.ts"
import type { OperationAnswer } from "./schemas.ts"

/** Refusals of the kernel about what is not there. */
const unknown = new Set(["run_unknown", "run_missing", "task_unknown", "unknown_task", "session_run_missing"])

/** Refusals of the kernel about how things are; any other is about what was asked. */
const conflicts = new Set([
  "attempt_not_current",
  "log_changed",
  "log_cut",
  "log_rewritten",
  "no_question",
  "question_changed",
  "person_required",
  "plugin_missing",
  "run_contended",
  "run_is_no_session",
  "run_not_running",
  "run_over",
  "verification_running"
])

export const logUnavailable = ({ code, hint, message }: LogUnavailable): Unavailable =>
  new Unavailable({ code, detail: message, hint })

const ofRejection = ({ code, hint, message, open }: Rejection): Unknown | Conflicting | Refused => {
  const said = {
    code,
    detail: message,
    hint,
    ...(open.length === 0 ? {} : { problems: open.map((one) => ({ code, message: one, hint })) })
  }
  if (unknown.has(code)) return new Unknown(said)
  return conflicts.has(code) ? new Conflicting(said) : new Refused(said)
}

/** The first of its problems is the one the whole is about. */
const ofNotDone = ({ kind, problems }: NotDone): Unknown | Conflicting | Refused => {
  const [first] = problems
  const said = {
    code: first?.code ?? "refused",
    detail: first?.message ?? "That was refused.",
    hint: first?.hint ?? "",
    problems
  }
  if (kind === "unknown") return new Unknown(said)
  return kind === "conflict" ? new Conflicting(said) : new Refused(said)
}

/** Refusals of operations about who asks. */
const notForThem = new Set([
  "attempt_only",
  "not_in_attempt",
  "operator_only",
  "person_only",
  "session_unknown",
  "token_mismatch",
  "token_missing",
  "token_unknown",
  "wrong_role"
])

const goneBy = new Set(["attempt_over", "session_closed"])

/** An operation that was not carried out, with everything that is wrong and its place. */
export const ofAnswer = ({ body, isUnavailable }: Answer): Forbidden | Conflicting | Refused | Unavailable => {
  const { error: code, failures, message, next_step: hint } = body as unknown as Refusal
  const problems = failures?.map(({ fields: { field }, key, message }) => ({
    code: key,
    message,
    hint,
    ...(typeof field === "string" ? { field } : {})
  }))
  const answer = asJson(body)
  const said = { code, detail: message, hint, ...(problems === undefined ? {} : { problems }), answer }
  if (isUnavailable === true) return new Unavailable(said)
  if (notForThem.has(code)) return new Forbidden(said)
  return conflicts.has(code) || goneBy.has(code) ? new Conflicting(said) : new Refused(said)
}

/** As it is written. */
export const asJson = (body: Body): OperationAnswer => JSON.parse(JSON.stringify(body))

/** What every refusal of an operation says. */
interface Refusal {
  readonly error: string
  readonly message: string
  readonly next_step: string
  readonly failures?: ReadonlyArray<Pick<Failure, "key" | "fields" | "message">>
}

export const operationUnknown = (name: string, known: ReadonlyArray<string>): Unknown =>
  new Unknown({
    code: "operation_unknown",
    detail: `There is no operation ${JSON.stringify(name.slice(0, 100))}.`,
    hint: `There are ${known.join(", ")}.`
  })

type Problem = Unknown | Conflicting | Refused | Unavailable

/** What the kernel and the project refuse, as problems. */
export const refusing = <A, R>(
  effect: Effect.Effect<A, Rejection | LogUnavailable | LeaseLost | NotDone | Problem, R>
): Effect.Effect<A, Problem, R> =>
  Effect.catch(effect, (error): Effect.Effect<never, Problem> => {
    switch (error._tag) {
      case "Rejection":
        return Effect.fail(ofRejection(error))
      case "LogUnavailable":
        return Effect.fail(logUnavailable(error))
      case "NotDone":
        return Effect.fail(ofNotDone(error))
      case "LeaseLost":
        // nobody here shows a lease
        return Effect.die(error)
      default:
        return Effect.fail(error)
    }
  })

/** Where the address itself is there, what is not there was named in the body: that is refused. */
export const refusedInBody = <A, E, R>(effect: Effect.Effect<A, E | Unknown, R>) =>
  Effect.catchIf(
    effect,
    (error): error is Unknown => error instanceof Unknown,
    ({ code, detail = "", hint, problems }) =>
      Effect.fail(new Refused({ code, detail, hint, ...(problems === undefined ? {} : { problems }) }))
  )

export const runUnknown = (run: string): Unknown =>
  new Unknown({
    code: "run_unknown",
    detail: `There is no run ${run.slice(0, 200)}.`,
    hint: "GET /api/v1/runs lists those there are."
  })

export const taskUnknown = (run: string, task: string): Unknown =>
  new Unknown({
    code: "task_unknown",
    detail: `Run ${run} has no task ${task.slice(0, 200)}.`,
    hint: `GET /api/v1/runs/${encodeURIComponent(run)}/tasks lists those there are.`
  })

export const attemptUnknown = (task: string, attempt: number, last: number): Unknown =>
  new Unknown({
    code: "attempt_unknown",
    detail: `Task ${task} has no attempt ${attempt}.`,
    hint: last === 0 ? "None was begun so far." : `There are 1 to ${last}.`
  })

export const itemUnknown = (task: string, index: number, items: number): Unknown =>
  new Unknown({
    code: "item_unknown",
    detail: `The checklist of task ${task} has no item ${index}.`,
    hint: items === 0 ? "It is empty." : `Items count from 0 to ${items - 1}.`
  })

export const blobMissing = (sha256: string): Unknown =>
  new Unknown({
    code: "blob_missing",
    detail: `The text ${sha256} is not in the store any more.`,
    hint: "Restore `.proofline/state/blobs` from a backup."
  })
