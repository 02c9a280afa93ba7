import { type AgentRole, type LogUnavailable, type Rejection, repairText, taskOf } from "@proofline/kernel"
import { Effect, Result } from "effect"
import type { Answer, Body } from "../../operations/Answer.ts"
import { accepted, malformed, mismatch, withUnexpectedFields } from "../../operations/answers.ts"
import { reportedId } from "../sessions/contract.ts"
import { attemptStanding, taskShown } from "./answers.ts"
import { type Asking, callFor } from "./context.ts"
import { judged, nothingSaid } from "./judging.ts"
import { attemptOver, taskNotYours, wrongRole } from "./rejections.ts"
import { readSubmission } from "./submission.ts"

/** Takes an answer of the agent's role, in place of the file that it would have written. */
export const submit = Effect.fnUntraced(function* (
  { before, isReported, ref, state, ...context }: Asking,
  data: unknown
): Effect.fn.Return<Answer, Rejection | LogUnavailable> {
  const read = readSubmission(ref.role, repairText(data))
  if (Result.isFailure(read)) return malformed(read.failure, attemptStanding(ref, isReported))
  const { answer, unexpected } = read.success
  const { failures, warnings } = ref.role === "work" ? yield* judged(context, before, ref, answer) : nothingSaid
  if (failures.length > 0) return mismatch(failures, attemptStanding(ref, isReported))
  if (!(yield* context.reports.write(callFor(ref), JSON.stringify(answer)))) return yield* attemptOver(ref)
  const task = taskOf(state, ref.task_id)
  const taken = accepted({
    success: true,
    taken: true,
    ...(task === undefined ? {} : { task: { id: ref.task_id, title: task.spec.title, new_status: "in_progress" } }),
    ...taskShown(state, ref),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...attemptStanding(ref, true)
  })
  return withUnexpectedFields(taken, unexpected)
})

/** The same of an agent of this role alone. `named` is where it may say for which task: its own, if for any. */
export const submitAs = (
  asking: Asking,
  role: AgentRole,
  operation: string,
  { data, named, mustName = false }: { readonly data: Body; readonly named: Body; readonly mustName?: boolean }
): Effect.Effect<Answer, Rejection | LogUnavailable> => {
  const { ref } = asking
  const id = reportedId(named)
  if ((id !== "" || mustName) && id !== ref.task_id) return Effect.fail(taskNotYours(ref))
  return ref.role === role ? submit(asking, data) : Effect.fail(wrongRole(ref, operation))
}

/** Without the task that it is said to be for. */
export const withoutTask = ({ task_id: _named, ...data }: Body): Body => data
