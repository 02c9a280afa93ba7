import type { TaskView } from "@proofline/kernel"
import type { ResumeRequest } from "@proofline/plugins/frontends/http/api"
import { useState } from "react"
import { useProject } from "../../api/project.tsx"
import { useAction } from "../../api/useAction.ts"
import { useApi } from "../../api/useApi.ts"
import type { RunNow } from "../../fold/protocol.ts"
import { useAct } from "../../parts/acts.ts"
import { visible } from "../../parts/code/visible.ts"
import { FailureNotice } from "../../parts/FailureNotice.tsx"
import { Field } from "../../parts/Field.tsx"
import { useKeptFocus } from "../../parts/useKeptFocus.ts"
import { AskDialog } from "../runs/AskDialog.tsx"
import { More, OptionFields, saidIn } from "../runs/OptionFields.tsx"
import { ofTasks } from "../runs/resumeOptions.ts"

interface TryAgainProps {
  readonly run: RunNow
  readonly task: TaskView
}

const isOver = ({ status }: TaskView): boolean => status === "failed" || status === "skipped"

/** Tries a task again by itself, or goes on with it alone. */
export const TryAgain = ({ run, task }: TryAgainProps) => {
  const canStart = useProject().about?.can_start ?? false
  const [isAsked, setAsked] = useState(false)
  const [place, keepFocus] = useKeptFocus<HTMLSpanElement>(`${task.status} ${isAsked}`)
  const can = canStart && run.kind !== "session" && run.status !== "completed" && task.status !== "completed"
  useAct("try again", can && run.is_live ? () => setAsked(true) : null)
  return (
    <span className="task-act" tabIndex={-1} ref={place}>
      {/* while a run goes on, what is open in it is gone on with; where nobody does, the key asks for it */}
      {can && (run.status !== "running" || isOver(task)) ? (
        <button type="button" disabled={!run.is_live} onClick={() => setAsked(true)}>
          {isOver(task) ? "Try again …" : "Go on with this …"}
        </button>
      ) : null}
      {isAsked ? (
        <TryAgainDialog
          run={run}
          task={task}
          onClose={() => setAsked(false)}
          onDone={() => {
            keepFocus()
            setAsked(false)
          }}
        />
      ) : null}
    </span>
  )
}

interface DialogProps extends TryAgainProps {
  readonly onClose: () => void
  readonly onDone: () => void
}

const TryAgainDialog = ({ onClose, onDone, run: { run_id }, task }: DialogProps) => {
  const { about } = useProject()
  const resume = useAction()
  const params = { run: run_id, task: task.task_id }
  const before = useApi((client) => client.tasks.retry({ params }), [run_id, task.task_id])
  const submit = (form: FormData) => {
    const note = String(form.get("note")).trim()
    const payload: ResumeRequest = {
      ...saidIn(ofTasks, form),
      task: [task.task_id],
      ...(note === "" ? {} : { note })
    }
    resume.run((client) => client.runs.resume({ params: { run: run_id }, payload }), onDone)
  }
  return (
    <AskDialog
      title={isOver(task) ? "Try this task again" : "Go on with this task alone"}
      action={resume}
      failed="It is not tried again."
      className="primary"
      text={resume.isBusy ? "Beginning …" : isOver(task) ? "Try it again" : "Go on with it"}
      stay="Not now"
      isOff={before.data === null}
      onClose={onClose}
      onSubmit={submit}
    >
      {before.error === null ? (
        <p>{before.data === null ? "Looking up what that does …" : visible(before.data.text)}</p>
      ) : (
        <FailureNotice failure={before.error} title="It cannot be tried again by itself." />
      )}
      <Field label="What its agent is told (optional)" hint="The next attempts read it, and it is kept in the log.">
        {(id, hint) => <textarea id={id} name="note" rows={3} aria-describedby={hint} />}
      </Field>
      <More title="With other settings">
        <div className="dialog-fields">
          <OptionFields options={ofTasks} agents={about?.agents ?? []} unset="as before" />
        </div>
      </More>
    </AskDialog>
  )
}
