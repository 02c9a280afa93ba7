import type { Rejection } from "@proofline/kernel"
import { Effect, Schema } from "effect"
import type { Answer, Body } from "../../../operations/Answer.ts"
import { accepted } from "../../../operations/answers.ts"
import { operation, text } from "../../../operations/Operation.ts"
import { jsonBytes, truncateText } from "../../../operations/sizeLimit.ts"
import { type Asking, sessionAfter } from "../asking.ts"
import { execute, now } from "../context.ts"
import { contentOf } from "../eventContent.ts"
import { CheckWriteTarget } from "../rules/commands.ts"
import { WriteTargetChecked } from "../rules/events.ts"
import { instructed } from "../rules/instructions.ts"
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
    const changed = yield* isChanged(asking, target.kind === "file" ? target.path : null)
    const { at } = yield* now
    const { events, state } = yield* execute(
      asking,
      ref.run,
      CheckWriteTarget({ session_id: ref.session_id, at, file_path, allow_new_files, target, changed })
    )
    const { phases } = state.sessions
    const checked = contentOf(events, WriteTargetChecked)
    const isAllowed = checked?.allowed === true
    const problem =
      isAllowed || phases === null ? null : writeProblem(state, phases, { file_path, target, allow_new_files, changed })
    if (isAllowed) {
      return accepted(
        allowedBody(target.path ?? file_path, phases?.phase ?? "", instructed(state, "write_target_allowed"))
      )
    }
    return accepted({
      allowed: isAllowed,
      file_path: shownPath(target.path ?? file_path),
      code: checked?.code ?? "not_checked",
      ...(problem === null ? {} : whyNot(problem)),
      ...sessionStatusOf(state, sessionAfter(asking, state))
    })
  })
})

/** Whether a file differs from the base of the run, where the contract has files asked for first; null: nobody looked. */
const isChanged = Effect.fnUntraced(function* ({ baseline, projectFiles, state }: Asking, path: string | null) {
  const { run, sessions } = state
  const isAsked = sessions.phases?.setup.contract.write_targets.required === true
  if (!isAsked || path === null || run.base === null) return null
  const file = yield* projectFiles.readText(path).pipe(Effect.orElseSucceed(() => null))
  const changes = file === null ? null : yield* baseline.changes(run.base, path, file.text)
  return file === null || changes === null ? null : changes.touched(1, file.text.split("\n").length)
})

/** Bytes of JSON of the answer that a file may be written: it is asked for before every write. */
const maxAllowed = 300

const allowedBody = (path: string, phase: string, then: string): Body => {
  const body = {
    allowed: true,
    file_path: "",
    code: "allowed",
    phase: phase.slice(0, 60).toWellFormed(),
    instruction: truncateText(then, 120)
  }
  return { ...body, file_path: truncateText(shownPath(path), maxAllowed - jsonBytes(body)) }
}

const shownPath = (path: string): string => path.slice(0, 300).toWellFormed()

const whyNot = ({ hint, message, open }: Rejection): Body => ({
  error: message,
  next_step: hint,
  ...(open.length === 0 ? {} : { explored_files: open })
})

/** Clients of check_write_target read `allowed` only, so every refusal carries it. */
export const notAllowed = ({ body, ok }: Answer): Answer =>
  ok ? { body, ok } : { ok, body: { allowed: false, ...body } }
