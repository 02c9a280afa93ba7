import type { Rejection } from "@proofline/kernel"
import { Effect, Schema } from "effect"
import type { Answer, Body } from "../../../operations/Answer.ts"
import { accepted } from "../../../operations/answers.ts"
import { operation, text } from "../../../operations/Operation.ts"
import { type Asking, sessionAfter } from "../asking.ts"
import { execute, now } from "../context.ts"
import { contentOf } from "../eventContent.ts"
import { CheckWriteTarget } from "../rules/commands.ts"
import { WriteTargetChecked } from "../rules/events.ts"
import { writeProblem } from "../rules/targets.ts"
import { sessionStatusOf } from "../sessionStatus.ts"

export const checkWriteTarget = operation({
  name: "check_write_target",
  title: "Check a write target",
  description: "Whether a file may be written now, why, and what to do if not. Ask before every write.",
  readOnly: false,
  idempotent: true,
  args: Schema.Struct({
    file_path: text("Path relative to the project root."),
    allow_new_files: Schema.optionalKey(
      Schema.Boolean.annotate({ description: "Whether the file may be a new one; true when left out." })
    )
  }),
  answer: Schema.Struct({ allowed: Schema.Boolean, file_path: Schema.String, code: Schema.String }),
  run: Effect.fnUntraced(function* (asking: Asking, { allow_new_files = true, file_path }) {
    const { ref, projectFiles } = asking
    const target = yield* projectFiles.resolveTarget(file_path)
    const { at } = yield* now
    const { events, state } = yield* execute(
      asking,
      ref.run,
      CheckWriteTarget({ session_id: ref.session_id, at, file_path, allow_new_files, target })
    )
    const { phases } = state.sessions
    const checked = contentOf(events, WriteTargetChecked)
    const isAllowed = checked?.allowed === true
    const problem =
      isAllowed || phases === null ? null : writeProblem(state, phases, { file_path, target, allow_new_files })
    return accepted({
      allowed: isAllowed,
      file_path: shownPath(target.path ?? file_path),
      code: checked?.code ?? "not_checked",
      ...(problem === null ? {} : whyNot(problem)),
      ...sessionStatusOf(state, sessionAfter(asking, state))
    })
  })
})

const shownPath = (path: string): string => path.slice(0, 300).toWellFormed()

const whyNot = ({ hint, message, open }: Rejection): Body => ({
  error: message,
  next_step: hint,
  ...(open.length === 0 ? {} : { explored_files: open })
})

/** Clients of check_write_target read `allowed` only, so every refusal carries it. */
export const notAllowed = ({ body, ok }: Answer): Answer =>
  ok ? { body, ok } : { ok, body: { allowed: false, ...body } }
