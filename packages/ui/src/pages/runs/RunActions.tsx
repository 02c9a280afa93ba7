import { counted } from "@proofline/kernel"
import type { LogVerification, ResumeRequest } from "@proofline/plugins/frontends/http/api"
import { useState } from "react"
import { useProject } from "../../api/project.tsx"
import { type Action, useAction } from "../../api/useAction.ts"
import type { RunNow } from "../../fold/protocol.ts"
import { Field } from "../../parts/Field.tsx"
import { useKeptFocus } from "../../parts/useKeptFocus.ts"
import { AskDialog } from "./AskDialog.tsx"
import { More, OptionFields, saidIn } from "./OptionFields.tsx"
import { ofTasks, ofWhole } from "./resumeOptions.ts"
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
  const [group, keepFocus] = useKeptFocus<HTMLDivElement>(`${run.status} ${asks}`)
  const done = () => {
    keepFocus()
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

/** What will happen, said before. */
const cancelled = ({ kind, tasks_active }: RunNow): string =>
  [
    tasks_active > 0
      ? `Agents are at work on ${counted(tasks_active, "task")}: they are stopped.`
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
          : `${counted(Math.max(0, tasks_total - tasks_completed), "task")} of ${tasks_total} not completed: what failed or was skipped is tried again.`,
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

const ResumeDialog = ({ onClose, onDone, run }: AskProps) => {
  const { about } = useProject()
  const resume = useAction()
  const options = run.kind === "requirements" ? ofWhole : ofTasks
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
