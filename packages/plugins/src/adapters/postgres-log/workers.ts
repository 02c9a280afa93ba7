import type { LogUnavailable, RunId, WorkerOverview, WorkItem } from "@proofline/kernel"
import { Effect } from "effect"
import type { Session } from "./session.ts"

/** Who takes work, with what they hold; those that did not answer in time stay for a minute, with a deadline that passed. */
export const listWorkers = ({ database }: Session): Effect.Effect<ReadonlyArray<WorkerOverview>, LogUnavailable> =>
  Effect.suspend(() => {
    const { ask, names } = database
    return Effect.map(
      ask({
        name: "workers",
        text: `select w.name, w.host, w.pid, w.slots, w.labels, w.version, w.seen_at, w.deadline,
            w.deadline < now() as lost, (extract(epoch from now() - w.seen_at) * 1000)::int as silent_ms,
            (select coalesce(jsonb_agg(jsonb_build_array(i.item, i.lease, i.claimed_at) order by i.claimed_at), '[]')
              from ${names.schema}.work_item i where i.state = 'claimed' and i.worker = w.name)
          from ${names.schema}.worker w where w.slots > 0 and w.deadline > now() - interval '1 minute' order by w.host, w.pid, w.name`,
        values: []
      }),
      (rows) => rows.map(overviewOf)
    )
  })

/** Work of a run that is neither settled nor cancelled. */
export const haveWorkOf = ({ database }: Session, run: RunId): Effect.Effect<boolean, LogUnavailable> =>
  Effect.map(
    database.ask({
      name: "work_of",
      text: `select exists (select from ${database.names.schema}.work_item where run = $1 and state in ('queued', 'claimed'))`,
      values: [run]
    }),
    ([row]) => row?.[0] === true
  )

const overviewOf = (row: ReadonlyArray<unknown>): WorkerOverview => {
  const [name, host, pid, slots, labels, version, seenAt, deadline, lost, silentMs, held] = row
  const leases = (held as ReadonlyArray<readonly [item: string, lease: number, since: string]>).map(
    ([text, lease, since]) => {
      const item: WorkItem = JSON.parse(text)
      return {
        item: item.id,
        run: item.run,
        task_id: item.task_id,
        key: item.key,
        lease,
        since: new Date(since).toISOString()
      }
    }
  )
  return {
    // without what makes it another one after each silence
    name: (name as string).replace(/\/[^/]+\/\d+$/, ""),
    host: host as string,
    pid: pid as number,
    slots: slots as number,
    holding: leases.length,
    labels: labels as ReadonlyArray<string>,
    version: version as string,
    seen_at: (seenAt as Date).toISOString(),
    deadline: (deadline as Date).toISOString(),
    lost: lost as boolean,
    silent_ms: Math.max(0, silentMs as number),
    leases
  }
}
