import { contents, type Rejection, writeProblem } from "@proofline/kernel"
import { Effect, Schema } from "effect"
import type { Answer, Body } from "../../../operations/Answer.ts"
import { accepted } from "../../../operations/answers.ts"
import { contentOf } from "../../../operations/eventContent.ts"
import { operation, text } from "../../../operations/Operation.ts"
import { type Asking, sessionAfter } from "../asking.ts"
import { execute, now } from "../context.ts"
import { standingOf } from "../standing.ts"

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
    const { ref, workspace } = asking
    const target = yield* workspace.place(file_path)
    const { at } = yield* now
    const { events, snapshot } = yield* execute(asking, ref.run, {
      _tag: "CheckWriteTarget",
      session_id: ref.session_id,
      at,
      file_path,
      allow_new_files,
      target
    })
    const { state } = snapshot
    const checked = contentOf(events, "WRITE_TARGET_CHECKED", contents.WRITE_TARGET_CHECKED)
    const isAllowed = checked?.allowed === true
    const problem =
      isAllowed || state.pull === null ? null : writeProblem(state, state.pull, { file_path, target, allow_new_files })
    return accepted({
      allowed: isAllowed,
      file_path: shownPath(target.path ?? file_path),
      code: checked?.code ?? "not_checked",
      ...(problem === null ? {} : whyNot(problem)),
      ...standingOf(state, sessionAfter(asking, state))
    })
  })
})

const shownPath = (path: string): string => path.slice(0, 300).toWellFormed()

const whyNot = ({ hint, message, open }: Rejection): Body => ({
  error: message,
  next_step: hint,
  ...(open.length === 0 ? {} : { explored_files: open })
})

/** Who asks whether it may write reads `allowed` and nothing else. */
export const notAllowed = ({ body, ok }: Answer): Answer =>
  ok ? { body, ok } : { ok, body: { allowed: false, ...body } }
