import type { AttemptView, TaskView } from "@proofline/kernel"
import { useEffect, useRef, useState } from "react"
import { useSearch } from "wouter"
import { Badge } from "../../parts/Badge.tsx"
import { Disclosure } from "../../parts/code/Disclosure.tsx"
import { visible } from "../../parts/code/visible.ts"
import { useNow } from "../../parts/now.ts"
import { between, durationText, timeText } from "../../parts/when.ts"
import { AttemptBody } from "./AttemptBody.tsx"
import { attemptIn } from "./address.ts"
import { becameOf } from "./claims.ts"
import { workerText } from "./links.ts"

interface AttemptsProps {
  readonly runId: string
  readonly task: TaskView
  readonly isLive: boolean
}

/** Every attempt, newest first; the one that the address names, else the newest, is open. */
export const Attempts = ({ isLive, runId, task }: AttemptsProps) => {
  const named = attemptIn(useSearch())
  const [chosen, setChosen] = useState<ReadonlyMap<number, boolean>>(new Map())
  const section = useRef<HTMLElement>(null)
  const { history } = task
  const isThere = named !== null && history.some(({ attempt }) => attempt === named)
  const newest = history.at(-1)?.attempt
  useEffect(() => {
    if (!isThere || named === null) return
    setChosen((before) => new Map(before).set(named, true))
    const shown = section.current?.querySelector(`[data-attempt="${named}"]`)
    shown?.scrollIntoView({ block: "start" })
    shown?.querySelector("button")?.focus({ preventScroll: true })
  }, [isThere, named])
  return (
    <section ref={section} className="card" aria-labelledby="task-attempts">
      <h3 id="task-attempts">Attempts</h3>
      {history.length === 0 ? (
        <p className="muted">
          {task.subtasks.length > 0 ? "Its parts are worked on in its place." : "Nobody has worked on it so far."}
        </p>
      ) : (
        <ul className="task-attempts">
          {history.toReversed().map((attempt) => (
            <li key={attempt.attempt} data-attempt={attempt.attempt} className="task-attempt">
              <Disclosure
                level={4}
                isOpen={
                  chosen.get(attempt.attempt) ?? (isThere ? attempt.attempt === named : attempt.attempt === newest)
                }
                onToggle={(isOpen) => setChosen((before) => new Map(before).set(attempt.attempt, isOpen))}
                title={`Attempt ${attempt.attempt}`}
                aside={<Head attempt={attempt} isLive={isLive} />}
              >
                {() => <AttemptBody runId={runId} task={task} attempt={attempt} isLive={isLive} />}
              </Disclosure>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const Head = ({ attempt, isLive }: { readonly attempt: AttemptView; readonly isLive: boolean }) => {
  const { accepted, agent, ended_at, refusals, started_at } = attempt
  const [status, label] = becameOf(attempt)
  const isRunning = ended_at === null
  const now = useNow(isLive && isRunning)
  const took = isRunning && !isLive ? null : (attempt.duration_ms ?? between(started_at, ended_at, now))
  return (
    <span className="task-attempt-head">
      <Badge status={status} label={label} />
      {agent === "" ? (
        <span>its parts, put together without an agent</span>
      ) : (
        <>
          <span>{visible(agent)}</span>
          <span className="muted">on {visible(workerText(attempt))}</span>
        </>
      )}
      <time className="muted" dateTime={started_at} title={started_at}>
        {timeText(started_at)}
      </time>
      {accepted.length === 0 ? null : <Badge status="proven" label={`${accepted.length} accepted`} />}
      {refusals.length === 0 ? null : <Badge status="refuted" label={`${refusals.length} refused`} />}
      {/* it grows: nothing stands after it */}
      {took === null ? null : <span className="muted">{durationText(took)}</span>}
    </span>
  )
}
