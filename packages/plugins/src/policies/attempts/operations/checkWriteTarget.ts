import { type Rejection, reject, taskOf } from "@proofline/kernel"
import { Effect } from "effect"
import { accepted } from "../../../operations/answers.ts"
import { carriedOutBy } from "../../../operations/Operation.ts"
import type { WriteTarget } from "../../../port/index.ts"
import { checkWriteTarget as declared, placeProblem } from "../../sessions/contract.ts"
import type { AttemptRef } from "../Attempts.ts"
import { type Asking, filesOf } from "../context.ts"
import { nextStepOf } from "../rejections.ts"

export const checkWriteTarget = carriedOutBy(
  declared,
  Effect.fnUntraced(function* (asking: Asking, { allow_new_files = true, file_path }) {
    const { ref, state, projectFiles } = asking
    const task = taskOf(state, ref.task_id)
    const files = task === undefined ? projectFiles : yield* Effect.mapError(filesOf(asking, state, task), asRejection)
    const target = yield* files.resolveTarget(file_path)
    const problem = placeProblem(target) ?? rightProblem(ref, target, allow_new_files)
    return accepted({
      allowed: problem === null,
      file_path: (target.path ?? file_path).slice(0, 300).toWellFormed(),
      code: problem?.code ?? "allowed",
      ...(problem === null ? {} : { error: problem.message, next_step: problem.hint })
    })
  })
)

/** Why an attempt may not write a file that it could. */
const rightProblem = (ref: AttemptRef, { kind, path }: WriteTarget, allow_new_files: boolean): Rejection | null => {
  if (ref.role !== "work") {
    return reject("read_only", "You were asked for an answer, and nothing is written for that.", nextStepOf(ref))
  }
  return kind === "missing" && !allow_new_files
    ? reject("new_file_not_allowed", `${path} does not exist.`, "Name an existing file.")
    : null
}

const asRejection = ({ code, message }: { readonly code: string; readonly message: string }): Rejection =>
  reject(code, message, "Go on without this answer, inside the directory you were started in.")
