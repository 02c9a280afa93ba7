import { counted, isWorkedOn, type TaskView } from "@proofline/kernel"
import { type ReactNode, useState } from "react"
import { ShownBadge } from "../../parts/Badge.tsx"
import { Folded } from "../../parts/code/Printed.tsx"
import { named, visible } from "../../parts/code/visible.ts"
import { useNow } from "../../parts/now.ts"
import { When } from "../../parts/When.tsx"
import { between, durationText } from "../../parts/when.ts"
import { Attempts } from "./Attempts.tsx"
import { Fact, TaskLinks } from "./bits.tsx"
import { Checklist } from "./Checklist.tsx"
import { Retries } from "./Retries.tsx"
import "./task.css"

export interface TaskPanelProps {
  readonly runId: string
  /** As it was at the version that is shown. */
  readonly task: TaskView
  /** False: a moment of the past is shown, and what the server says of now is not asked. */
  readonly isLive: boolean
  /** The moment that is shown, ISO 8601; null before the first event. */
  readonly at: string | null
  /** What can be done with it. */
  readonly actions?: ReactNode
}

/** A task with everything that is known of it: what it is to do, what was claimed, what is proven, and every attempt. */
export const TaskPanel = ({ actions, at, isLive, runId, task }: TaskPanelProps) => {
  // whoever comes while it is at work sees the work first, and it stays in its place when that ends
  const [isWatched] = useState(isLive && task.history.at(-1)?.ended_at === null)
  const parts = [
    <Checklist key="checklist" runId={runId} task={task} isLive={isLive} />,
    <Attempts key="attempts" runId={runId} task={task} isLive={isLive} />
  ]
  return (
    <article className="task stack" aria-label={`Task ${named(task.title)}`}>
      <Glance runId={runId} task={task} isLive={isLive} at={at} actions={actions} />
      {isWatched ? parts.toReversed() : parts}
      {task.retries.length === 0 ? null : <Retries retries={task.retries} />}
    </article>
  )
}

const Glance = ({ actions, at, isLive, runId, task }: TaskPanelProps) => {
  const today = useNow(isLive && isWorkedOn(task))
  const now = isLive || at === null ? today : Date.parse(at)
  return (
    <section className="card task-glance" aria-labelledby="task-title">
      <div className="task-head">
        <h2 id="task-title">{named(task.title)}</h2>
        <ShownBadge shown={task.shown_as} />
        {actions}
      </div>
      <Why runId={runId} task={task} />
      {(task.guidance ?? []).map((text) => (
        <p key={text} className="task-said">
          <span className="muted">A person had it tried again, and said: </span>
          {visible(text)}
        </p>
      ))}
      <Facts runId={runId} task={task} now={now} />
      <Demands task={task} />
    </section>
  )
}

/** `now`: when what is not over is looked at, ms. */
const Facts = ({ now, runId, task }: Pick<TaskPanelProps, "runId" | "task"> & { readonly now: number }) => {
  const isOver = task.ended_at !== null || isWorkedOn(task)
  const took = isOver ? between(task.started_at, task.ended_at, now) : null
  return (
    <dl className="task-facts">
      <Fact name="Task">
        <code>{visible(task.task_id)}</code>
      </Fact>
      {task.parent_task_id === null ? null : (
        <Fact name="Part of">
          <TaskLinks runId={runId} ids={[task.parent_task_id]} />
        </Fact>
      )}
      {task.started_at === null ? null : (
        <Fact name="Started">
          <When at={task.started_at} />
        </Fact>
      )}
      <Fact name="Attempts">
        {task.attempts}
        {task.retry_count === 0 ? null : (
          <span className="muted"> · {counted(task.retry_count, "retry", "retries")}</span>
        )}
        {task.iteration <= 1 ? null : <span className="muted"> · review iteration {task.iteration}</span>}
      </Fact>
      {task.depends_on.length === 0 ? null : (
        <Fact name="Depends on">
          <TaskLinks runId={runId} ids={task.depends_on} />
        </Fact>
      )}
      {task.subtasks.length === 0 ? null : (
        <Fact
          name={
            task.subtasks_total === 0
              ? "Subtasks"
              : `Subtasks, ${task.subtasks_completed} of ${task.subtasks_total} complete`
          }
        >
          <TaskLinks runId={runId} ids={task.subtasks} />
        </Fact>
      )}
      {/* what becomes longer stands last */}
      <WorkedOnBy task={task} />
      {took === null || !isOver ? null : (
        <Fact name={task.ended_at === null ? "Running for" : "Took"}>{durationText(took)}</Fact>
      )}
    </dl>
  )
}

const WorkedOnBy = ({ task }: Pick<TaskPanelProps, "task">) => {
  const { agent, worker_id } = task
  return agent === null || agent === "" ? null : (
    <Fact name={isWorkedOn(task) ? "Worked on by" : "Last worked on by"}>
      {visible(agent)}
      {worker_id === null || worker_id === "" ? null : <span className="muted"> on {visible(worker_id)}</span>}
    </Fact>
  )
}

/** What is asked of whoever works on it. */
const Demands = ({ task }: Pick<TaskPanelProps, "task">) => (
  <div className="task-demands">
    <h3>Instruction</h3>
    {task.instruction.trim() === "" ? (
      <p className="muted">It has none.</p>
    ) : (
      <Folded text={task.instruction} most={3} what="instruction" />
    )}
    {task.validation.length === 0 ? null : (
      <>
        <h3>Judged by a reviewer</h3>
        <ul className="task-list">
          {task.validation.map((criterion) => (
            <li key={criterion}>{visible(criterion)}</li>
          ))}
        </ul>
      </>
    )}
    {task.checks.length === 0 ? null : (
      <>
        <h3>Checks</h3>
        <ul className="task-list">
          {task.checks.map((command) => (
            <li key={command}>
              <code>{visible(command)}</code>
            </li>
          ))}
        </ul>
      </>
    )}
  </div>
)

/** Why it does not go on, or did not end well. */
const Why = ({ runId, task }: { readonly runId: string; readonly task: TaskView }) => {
  const { message, reason, status, waiting_for } = task
  if (waiting_for.length > 0) {
    return (
      <div className="notice task-waits">
        <strong>It waits for </strong>
        <TaskLinks runId={runId} ids={waiting_for} />
      </div>
    )
  }
  if (message === "" && reason === "") return null
  const tone = status === "failed" ? "bad" : status === "blocked" || status === "retrying" ? "warn" : "other"
  const words: Readonly<Record<string, string>> = {
    failed: "It failed.",
    skipped: "It was skipped.",
    blocked: "It is blocked.",
    retrying: "It is tried again."
  }
  return (
    <div className={`notice task-why tone-${tone}`}>
      <strong>{words[status] ?? "What was said of it."}</strong>{" "}
      {reason === "" ? null : <code className="task-code">{visible(reason)}</code>}
      {message === "" ? null : <p>{visible(message)}</p>}
    </div>
  )
}
