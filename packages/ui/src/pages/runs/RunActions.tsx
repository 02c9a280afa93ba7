import type { LogVerification, ResumeRequest } from "@proofline/plugins/frontends/http/api"
import { resumeOptions } from "@proofline/plugins/options"
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react"
import { useProject } from "../../api/project.tsx"
import { type Action, useAction } from "../../api/useAction.ts"
import type { RunNow } from "../../fold/protocol.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { FailureNotice } from "../../parts/FailureNotice.tsx"
import { Field } from "../../parts/Field.tsx"
import { More, OptionFields, saidIn } from "./OptionFields.tsx"
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
  const [asks, setAsks] = useState<"cancel" | "resume" | "verify" | null>(null)
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
        <button type="button" disabled={isOff} onClick={() => setAsks("verify")}>
          Verify …
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
      {asks === "verify" ? (
        <VerifyDialog
          action={verify}
          onClose={() => {
            verify.clear()
            close()
          }}
          onVerify={() =>
            verify.run(
              (client) => client.runs.verify({ params: { run: run.run_id } }),
              (found) => {
                close()
                setVerified(found)
              }
            )
          }
        />
      ) : null}
      {verified === null ? null : <Verification verified={verified} onClose={() => setVerified(null)} />}
      {asks === "cancel" ? <CancelDialog run={run} onClose={close} onDone={done} /> : null}
      {asks === "resume" ? <ResumeDialog run={run} onClose={close} onDone={done} /> : null}
    </>
  )
}

interface AskProps extends Omit<RunActionsProps, "isOff"> {
  readonly onClose: () => void
}

interface AskDialogProps {
  readonly title: string
  readonly action: Action
  /** What is said when it was not done. */
  readonly failed: string
  /** Of the button that does it. */
  readonly className: "primary" | "danger"
  readonly text: string
  /** On the button that leaves all as it is. */
  readonly stay: string
  readonly onClose: () => void
  readonly onSubmit: (form: FormData) => void
  readonly children: ReactNode
}

/** Says what will happen, and does it when it is asked for. */
const AskDialog = (props: AskDialogProps) => {
  const { action, children, className, failed, onClose, onSubmit, stay, text, title } = props
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSubmit(new FormData(event.currentTarget))
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {children}
        {action.failure === null ? null : <FailureNotice failure={action.failure} title={failed} />}
        <div className="row dialog-buttons">
          <button type="button" onClick={onClose}>
            {stay}
          </button>
          <button type="submit" className={className} disabled={action.isBusy}>
            {text}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

const tasks = (count: number): string => `${count} ${count === 1 ? "task" : "tasks"}`

/** What will happen, said before. */
const cancelled = ({ kind, tasks_active }: RunNow): string =>
  [
    tasks_active > 0
      ? `Agents are at work on ${tasks(tasks_active)}: they are stopped.`
      : kind === "requirements"
        ? "Its task run that is under way is cancelled with it, and its agents are stopped."
        : "No agent is at work now; none begins any more.",
    "What they changed in files stays there, what is proven stays proven, and the run can be resumed later."
  ].join(" ")

const resumed = ({ kind, status, tasks_completed, tasks_total }: RunNow): string =>
  status === "running"
    ? "For a run whose process has ended without a word: it goes on where its log ends. While it is at work, this is refused."
    : [
        kind === "requirements"
          ? "Requirements that are not met are worked on again."
          : `${tasks(Math.max(0, tasks_total - tasks_completed))} of ${tasks_total} not completed: what failed or was skipped is tried again.`,
        "What is proven stays. Agents begin at once and change files of the project; budgets count anew."
      ].join(" ")

const VerifyDialog = ({ action, onClose, onVerify }: VerifyProps) => (
  <AskDialog
    title="Verify this run?"
    action={action}
    failed="The run was not verified."
    className="primary"
    text={action.isBusy ? "Verifying …" : "Verify the run"}
    stay="Not now"
    onClose={onClose}
    onSubmit={onVerify}
  >
    <p>
      It is looked whether the log is as it was written, event by event, and whether every receipt still holds in the
      files as they are now. No agent and no command is run, and nothing is changed.
    </p>
  </AskDialog>
)

interface VerifyProps {
  readonly action: Action
  readonly onClose: () => void
  readonly onVerify: () => void
}

const CancelDialog = ({ onClose, onDone, run }: AskProps) => {
  const cancel = useAction()
  const submit = (form: FormData) => {
    const reason = String(form.get("reason")).trim()
    const payload = reason === "" ? {} : { reason }
    cancel.run((client) => client.runs.cancel({ params: { run: run.run_id }, payload }), onDone)
  }
  return (
    <AskDialog
      title="Cancel this run?"
      action={cancel}
      failed="The run was not cancelled."
      className="danger"
      text="Cancel the run"
      stay="Let it run"
      onClose={onClose}
      onSubmit={submit}
    >
      <p>{cancelled(run)}</p>
      <Field label="Why (optional)" hint="It is kept in the log.">
        {(id, hint) => <input id={id} name="reason" aria-describedby={hint} />}
      </Field>
    </AskDialog>
  )
}

/** It goes on with all of its tasks; one that makes none of requirements has no loop. */
const { note: _note, task: _task, ...resumeWholeOptions } = resumeOptions
const { max_iterations: _, tasks_output_dir: __, take_over: ___, ...resumeTaskOptions } = resumeWholeOptions

const ResumeDialog = ({ onClose, onDone, run }: AskProps) => {
  const { about } = useProject()
  const resume = useAction()
  const options = run.kind === "requirements" ? resumeWholeOptions : resumeTaskOptions
  const submit = (form: FormData) => {
    const payload: ResumeRequest = saidIn(options, form)
    resume.run((client) => client.runs.resume({ params: { run: run.run_id }, payload }), onDone)
  }
  return (
    <AskDialog
      title="Resume this run"
      action={resume}
      failed="The run was not resumed."
      className="primary"
      text={resume.isBusy ? "Resuming …" : "Resume the run"}
      stay="Not now"
      onClose={onClose}
      onSubmit={submit}
    >
      <p>{resumed(run)}</p>
      <More title="With other settings">
        <div className="dialog-fields">
          <OptionFields options={options} agents={about?.agents ?? []} unset="as before" />
        </div>
      </More>
    </AskDialog>
  )
}
