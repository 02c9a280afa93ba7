import type { WorkerView } from "@proofline/plugins/frontends/http/api"
import { useId } from "react"
import { Link } from "wouter"
import { useRevision, useServer } from "../../api/live.ts"
import { useApi } from "../../api/useApi.ts"
import { named } from "../../parts/code/visible.ts"
import { useNow } from "../../parts/now.ts"
import { between, durationText, timeText } from "../../parts/when.ts"
import { to } from "../../route.ts"
import "./WorkersPanel.css"

/** Who takes work of a log that several machines share; nothing where nobody does. */
export const WorkersPanel = () => {
  const revision = useRevision()
  const server = useServer()
  const again = `${revision}:${server.state === "live"}`
  const { data } = useApi((client) => client.workers(), [], { again, keep: true })
  return (data?.workers.length ?? 0) === 0 ? null : <Workers again={again} />
}

/** How often they are asked for, ms: they come and go without an event. */
const everyMs = 3_000

const Workers = ({ again }: { readonly again: string }) => {
  const heading = useId()
  const now = useNow(true)
  const turn = Math.floor(now / everyMs)
  const { data } = useApi((client) => client.workers(), [], { again: `${again}:${turn}`, keep: true })
  const workers = data?.workers ?? []
  if (workers.length === 0) return null
  return (
    <section className="workers" aria-labelledby={heading}>
      <h2 id={heading}>Workers</h2>
      <ul className="workers-list card">
        {workers.map((worker) => (
          <WorkerLine key={worker.name} worker={worker} now={now} />
        ))}
      </ul>
    </section>
  )
}

const WorkerLine = ({ now, worker }: { readonly worker: WorkerView; readonly now: number }) => {
  const { deadline, holding, labels, leases, name, seen_at, slots, version } = worker
  const isLate = Date.parse(deadline) < now - everyMs
  return (
    <li className="workers-line">
      <p className="workers-head">
        <strong>{named(name)}</strong>
        <span>
          {holding} of {slots} {slots === 1 ? "slot" : "slots"} in use
        </span>
        {labels.length === 0 ? null : <span>{named(labels.join(", "))}</span>}
        <span className={isLate ? "workers-late" : "muted"} title={`${timeText(seen_at)}, until ${timeText(deadline)}`}>
          {isLate ? "no sign for " : "last sign "}
          {durationText(between(seen_at, null, now))}
          {isLate ? "" : " ago"}
        </span>
        {version === "" ? null : <span className="muted">Proofline {version}</span>}
      </p>
      {leases.length === 0 ? null : (
        <ul className="workers-leases" aria-label={`What ${named(name)} is at`}>
          {leases.map(({ item, key, lease, run, since, task_id }) => (
            <li key={item}>
              <Link href={task_id === null ? to.run(run) : to.task(run, task_id)}>{named(task_id ?? run)}</Link>{" "}
              <span className="muted">
                {named(key)}, lease {lease}, for {durationText(between(since, null, now))}
              </span>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}
