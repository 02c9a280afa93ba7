import {
  enumerated,
  type Failure,
  type LeaseLost,
  type LogUnavailable,
  type Rejection,
  type RejectionKind
} from "@proofline/kernel"
import { Effect } from "effect"
import type { Answer, Body } from "../../operations/index.ts"
import type { NotDone } from "./Project.ts"
import { Conflicting, Forbidden, Refused, Unavailable, Unknown } from "./problems.ts"
import type { OperationAnswer } from "./schemas.ts"

export const logUnavailable = ({ code, hint, message }: LogUnavailable): Unavailable =>
  new Unavailable({ code, detail: message, hint })

const problemOf = {
  unknown: Unknown,
  conflict: Conflicting,
  forbidden: Forbidden,
  invalid: Refused
} as const satisfies Record<RejectionKind, unknown>

const ofRejection = ({ code, hint, kind, message, open }: Rejection): Problem => {
  const said = {
    code,
    detail: message,
    hint,
    ...(open.length === 0 ? {} : { problems: open.map((one) => ({ code, message: one, hint })) })
  }
  return new problemOf[kind](said)
}

/** The first of its problems is the one the whole is about. */
const ofNotDone = ({ kind, problems }: NotDone): Problem => {
  const [first] = problems
  return new problemOf[kind]({
    code: first?.code ?? "refused",
    detail: first?.message ?? "That was refused.",
    hint: first?.hint ?? "",
    problems
  })
}

/** An operation that was not carried out, with everything that is wrong and its place. */
export const ofAnswer = ({
  body,
  isUnavailable,
  kind = "invalid"
}: Answer): Forbidden | Conflicting | Refused | Unavailable => {
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
  // the address of an operation is there: what is not was named in its arguments
  return new problemOf[kind === "unknown" ? "invalid" : kind](said)
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

type Problem = Unknown | Conflicting | Forbidden | Refused | Unavailable

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
    hint: "GET …/runs lists those there are."
  })

export const runAmbiguous = (named: string, ids: ReadonlyArray<string>): Unknown =>
  new Unknown({
    code: "run_ambiguous",
    detail: `${named.slice(0, 200)} may be any of ${ids.length} runs: ${enumerated(ids, 5)}.`,
    hint: "Name one of these ids."
  })

export const taskUnknown = (run: string, task: string): Unknown =>
  new Unknown({
    code: "task_unknown",
    detail: `Run ${run} has no task ${task.slice(0, 200)}.`,
    hint: `GET …/runs/${encodeURIComponent(run)}/tasks lists those there are.`
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
