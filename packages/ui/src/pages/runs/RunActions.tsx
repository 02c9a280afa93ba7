import type { LogVerification, ResumeRequest } from "@proofline/plugins/frontends/http/api"
import { type FormEvent, useEffect, useRef, useState } from "react"
import { useProject } from "../../api/project.tsx"
import { type Action, useAction } from "../../api/useAction.ts"
import type { RunNow } from "../../fold/protocol.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { FailureNotice } from "../../parts/FailureNotice.tsx"
import { Field, Tick } from "../../parts/Field.tsx"
import { OptionFields, textOf, tickedOf, wholeOf } from "./OptionFields.tsx"
import { Verification } from "./Verification.tsx"

interface RunActionsProps {
  readonly run: RunNow
  /** Nothing can be done: it is not shown as it is now. */
  readonly isOff: boolean
  /** Something was done. */
  readonly onDone: () => void
}

/** What can be done with a run as it is: verify, take up again, cancel. */
export const RunActions = ({ isOff, onDone, run }: RunActionsProps) => {
  const { about } = useProject()
  const [asks, setAsks] = useState<"cancel" | "resume" | null>(null)
  const [verified, setVerified] = useState<LogVerification | null>(null)
  const verify = useAction()
  const close = () => setAsks(null)
  // the button that asked for it goes away with the status that it changes, and the focus would go with it
  const group = useRef<HTMLDivElement>(null)
  const isDone = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the new status may be there before the answer, or after it
  useEffect(() => {
    if (!isDone.current || document.activeElement !== document.body) return
    isDone.current = false
    group.current?.focus()
  }, [run.status, asks])
  const done = () => {
    isDone.current = true
    close()
    onDone()
  }
  const canResume = (about?.can_start ?? false) && run.status !== "completed" && run.kind !== "session"
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs */}
      <div
        className="run-actions row"
        role="group"
        aria-label="What can be done with the run"
        tabIndex={-1}
        ref={group}
      >
        <button
          type="button"
          disabled={isOff || verify.isBusy}
          onClick={() => verify.run((client) => client.runs.verify({ params: { run: run.run_id } }), setVerified)}
        >
          {verify.isBusy ? "Verifying …" : "Verify"}
        </button>
        {canResume ? (
          <button
            type="button"
            disabled={isOff}
            className={run.status === "running" ? "" : "primary"}
            onClick={() => setAsks("resume")}
          >
            Resume …
          </button>
        ) : null}
        {run.status === "running" ? (
          <button type="button" disabled={isOff} className="danger" onClick={() => setAsks("cancel")}>
            Cancel …
          </button>
        ) : null}
      </div>
      {verify.failure === null ? null : (
        <Dialog title="Verification" onClose={verify.clear}>
          <FailureNotice failure={verify.failure} title="The run was not verified." />
        </Dialog>
      )}
      {verified === null ? null : <Verification verified={verified} onClose={() => setVerified(null)} />}
      {asks === "cancel" ? <CancelDialog run={run} onClose={close} onDone={done} /> : null}
      {asks === "resume" ? <ResumeDialog run={run} onClose={close} onDone={done} /> : null}
    </>
  )
}

interface AskProps extends Omit<RunActionsProps, "isOff"> {
  readonly onClose: () => void
}

const Buttons = ({
  action,
  className,
  onClose,
  stay,
  text
}: {
  readonly action: Action
  readonly className: string
  readonly onClose: () => void
  readonly stay: string
  readonly text: string
}) => (
  <div className="row dialog-buttons">
    <button type="button" onClick={onClose}>
      {stay}
    </button>
    <button type="submit" className={className} disabled={action.isBusy}>
      {text}
    </button>
  </div>
)

const CancelDialog = ({ onClose, onDone, run }: AskProps) => {
  const cancel = useAction()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const payload = textOf(new FormData(event.currentTarget), "reason")
    cancel.run((client) => client.runs.cancel({ params: { run: run.run_id }, payload }), onDone)
  }
  return (
    <Dialog title="Cancel this run?" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p>Agents that are at work are stopped. What is proven stays proven, and the run can be resumed later.</p>
        <Field label="Why (optional)" hint="It is kept in the log.">
          {(id, hint) => <input id={id} name="reason" aria-describedby={hint} />}
        </Field>
        {cancel.failure === null ? null : <FailureNotice failure={cancel.failure} title="The run was not cancelled." />}
        <Buttons action={cancel} className="danger" onClose={onClose} stay="Let it run" text="Cancel the run" />
      </form>
    </Dialog>
  )
}

const requestOf = (form: FormData): ResumeRequest => {
  const { conflict_resolution } = textOf(form, "conflict_resolution")
  return {
    ...textOf(form, "agent"),
    ...textOf(form, "agent_command"),
    ...textOf(form, "reviewer"),
    ...wholeOf(form, "workers"),
    ...wholeOf(form, "max_retries"),
    ...tickedOf(form, "take_over"),
    ...(conflict_resolution === undefined
      ? {}
      : { conflict_resolution: conflict_resolution as NonNullable<ResumeRequest["conflict_resolution"]> })
  }
}

const ResumeDialog = ({ onClose, onDone, run }: AskProps) => {
  const { about } = useProject()
  const resume = useAction()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const payload = requestOf(new FormData(event.currentTarget))
    resume.run((client) => client.runs.resume({ params: { run: run.run_id }, payload }), onDone)
  }
  return (
    <Dialog title="Resume this run" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p>
          {run.status === "running"
            ? "For a run whose process has ended without a word. While it is at work, this is refused."
            : "What is proven stays; what failed or was skipped is tried again."}
        </p>
        <div className="dialog-fields">
          <OptionFields agents={about?.agents ?? []} unset="as before" />
          <Field label="When two subtasks changed the same">
            {(id) => (
              <select id={id} name="conflict_resolution">
                <option value="">as before</option>
                <option value="fail">fail</option>
                <option value="overwrite">the later one wins</option>
                <option value="manual">a person decides</option>
              </select>
            )}
          </Field>
        </div>
        {run.kind === "requirements" ? (
          <Tick name="take_over">Take over the requirements file, if it was changed while the run was at work</Tick>
        ) : null}
        {resume.failure === null ? null : <FailureNotice failure={resume.failure} title="The run was not resumed." />}
        <Buttons
          action={resume}
          className="primary"
          onClose={onClose}
          stay="Not now"
          text={resume.isBusy ? "Resuming …" : "Resume the run"}
        />
      </form>
    </Dialog>
  )
}
