import { counted } from "@proofline/kernel"
import type { WorkerView } from "@proofline/plugins/frontends/http/api"
import { useId } from "react"
import { Link } from "wouter"
import { useApi } from "../../api/useApi.ts"
import { Badge } from "../../parts/Badge.tsx"
import { named } from "../../parts/code/visible.ts"
import { useNow } from "../../parts/now.ts"
import { between, durationText, timeText } from "../../parts/when.ts"
import { to } from "../../route.ts"
import { byMachine, type Machine } from "./machines.ts"
import "./Workers.css"

/** How often it is asked how they are, ms. */
const everyMs = 3_000

/** By machine, with what each is at. `again`: asked anew when it changes. */
export const Workers = ({ again }: { readonly again: string }) => {
  const heading = useId()
  const now = useNow(true)
  const turn = Math.floor(now / everyMs)
  const { data } = useApi((client) => client.workers(), [], { again: `${again}:${turn}`, keep: true })
  const machines = byMachine(data?.workers ?? [])
  if (machines.length === 0) return null
  return (
    <section className="workers" aria-labelledby={heading}>
      <h2 id={heading}>Workers</h2>
      <ul className="workers-machines">
        {machines.map((machine) => (
          <MachineCard key={machine.host} machine={machine} now={now} />
        ))}
      </ul>
    </section>
  )
}

const MachineCard = ({
  machine: { holding, host, living, slots, workers },
  now
}: {
  readonly machine: Machine
  readonly now: number
}) => (
  <li className="card workers-machine">
    <div className="workers-head">
      <h3>{named(host)}</h3>
      {living === 0 ? (
        <Badge status="LOST" label="lost" />
      ) : (
        <span className="muted">
          {counted(living, "worker")}, {holding} of {counted(slots, "slot")} in use
        </span>
      )}
    </div>
    <ul className="workers-list">
      {workers.map((worker) => (
        <WorkerLine key={`${worker.name} ${worker.pid}`} worker={worker} now={now} />
      ))}
    </ul>
  </li>
)

const WorkerLine = ({ now, worker }: { readonly worker: WorkerView; readonly now: number }) => {
  const { deadline, holding, labels, leases, lost, name, pid, seen_at, silent_ms, slots, version } = worker
  return (
    <li className="workers-line">
      <p className="workers-head">
        <strong>{named(name)}</strong>
        {lost ? <Badge status="LOST" label="lost" /> : null}
        <span>
          {holding} of {counted(slots, "slot")} in use
        </span>
        {labels.length === 0 ? null : <span>{named(labels.join(", "))}</span>}
        <span
          className={lost ? "workers-lost" : "muted"}
          title={`${timeText(seen_at)}, taken for lost from ${timeText(deadline)} on`}
        >
          {lost
            ? `no sign for ${durationText(silent_ms)}: what it was at is handed to others`
            : silent_ms < everyMs
              ? "last sign just now"
              : `last sign ${durationText(silent_ms)} ago`}
        </span>
        <span className="muted">process {pid}</span>
        {version === "" ? null : <span className="muted">Proofline {version}</span>}
      </p>
      {leases.length === 0 ? null : (
        <ul className="workers-leases" aria-label={`What ${named(name)} is at`}>
          {leases.map(({ item, key, lease, run, since, task_id }) => (
            <li key={item}>
              {task_id === null ? null : (
                <>
                  <Link href={to.task(run, task_id)}>{named(task_id)}</Link> <span className="muted">of</span>{" "}
                </>
              )}
              <Link href={to.run(run)}>{named(run)}</Link>{" "}
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
