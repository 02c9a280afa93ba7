import { type RefObject, useEffect, useRef, useState } from "react"
import { Link, useSearch } from "wouter"
import { useApi } from "../../api/useApi.ts"
import { useMoment, useQuery, useSeek } from "../../fold/hooks.tsx"
import type { RefusalRow, RunNow } from "../../fold/protocol.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Code } from "../../parts/code/Code.tsx"
import { Printed } from "../../parts/code/Printed.tsx"
import { named, visible } from "../../parts/code/visible.ts"
import { FailureNotice } from "../../parts/FailureNotice.tsx"
import { Empty } from "../../parts/Notice.tsx"
import { number } from "../../parts/number.ts"
import { timeText } from "../../parts/when.ts"
import { to } from "../../route.ts"
import { Reasons } from "../task/bits.tsx"
import { Claimed } from "../task/Checklist.tsx"
import "./refusals.css"

const page = 20

/** Everything that was refused until the moment that is shown: claim beside code beside reason, and what came of it. */
export const Refusals = ({ run }: { readonly run: RunNow }) => {
  const [most, setMost] = useState(page)
  const named = Number(new URLSearchParams(useSearch()).get("event") ?? Number.NaN)
  const answer = useQuery("refusals", { from: 0, to: most, event: Number.isNaN(named) ? null : named })
  const list = useRef<HTMLOListElement>(null)
  const rows = answer?.rows ?? []
  const isThere = rows.some(({ version }) => version === named)
  const isLeft = answer !== undefined && rows.length < answer.total
  useEffect(() => {
    if (!isThere) return
    const card = list.current?.querySelector<HTMLElement>(`[data-refusal="${named}"]`)
    card?.scrollIntoView({ block: "start" })
    card?.focus({ preventScroll: true })
  }, [named, isThere])
  if (answer === undefined) return <p className="muted">Looking for refusals …</p>
  if (answer.total === 0) {
    return (
      <Empty title={run.is_live ? "Nothing was refused." : "Nothing had been refused at this event."}>
        <p>
          A claim whose evidence does not hold, a command that does not pass and a review that sends work back stand
          here.
        </p>
      </Empty>
    )
  }
  return (
    <section className="refusals" aria-label="Refusals">
      <h2 className="visually-hidden">Refusals, the newest first</h2>
      <ol ref={list} className="refusals-list">
        {rows.map((row) => (
          <Card key={row.version} run={run} row={row} isNamed={row.version === named} />
        ))}
      </ol>
      {isLeft ? (
        <button type="button" onClick={() => setMost(rows.length + page)}>
          Show more ({number(answer.total - rows.length)} left)
        </button>
      ) : null}
    </section>
  )
}

const latestMost = 3

/** The newest of them, for the first screen of a run. */
export const LatestRefusals = ({ run }: { readonly run: RunNow }) => {
  const answer = useQuery("refusals", { from: 0, to: latestMost, event: null })
  if (answer === undefined || answer.total === 0) return null
  return (
    <section className="refusals" aria-labelledby="refusals-latest">
      <div className="row refusals-head">
        <h2 id="refusals-latest">Refused</h2>
        {answer.total <= answer.rows.length ? null : (
          <Link href={to.refusals(run.run_id)}>All {number(answer.total)}</Link>
        )}
      </div>
      <ol className="refusals-list">
        {answer.rows.map((row) => (
          <Card key={row.version} run={run} row={row} isNamed={false} />
        ))}
      </ol>
    </section>
  )
}

const kinds: Readonly<Record<RefusalRow["kind"], string>> = {
  claim: "claim refused",
  check: "check not passed",
  review: "sent back by a review",
  other: "refused"
}

const Card = ({ isNamed, row, run }: { readonly run: RunNow; readonly row: RefusalRow; readonly isNamed: boolean }) => {
  const seek = useSeek()
  const card = useRef<HTMLLIElement>(null)
  const isSeen = useSeen(card)
  const { attempt, item, kind, task_id, timestamp, title, version } = row
  return (
    <li ref={card} className="card refusal" data-refusal={version} tabIndex={-1} aria-current={isNamed || undefined}>
      <div className="refusal-head">
        <Badge status="refuted" label={kinds[kind]} />
        <h3 className="clip">{named(item ?? title ?? row.event_type)}</h3>
        <span className="muted refusal-where">
          {task_id === null ? null : (
            <Link href={to.task(run.run_id, task_id, attempt)}>
              {named(title ?? task_id)}
              {attempt === null ? "" : `, attempt ${attempt}`}
            </Link>
          )}
          <button type="button" className="refusal-moment" onClick={() => seek(version)} title={timeText(timestamp)}>
            Event {number(version)}
          </button>
        </span>
      </div>
      <div className="refusal-three">
        <div className="refusal-part">
          <h4>Claim</h4>
          <p>
            {row.claim !== null ? (
              <>
                Attempt {attempt} <Claimed claim={row.claim} />
              </>
            ) : kind === "claim" ? (
              "Nothing that could be read was claimed of it."
            ) : attempt === null ? (
              visible(row.event_type)
            ) : (
              `Attempt ${attempt} said that it is done.`
            )}
          </p>
        </div>
        <div className="refusal-part">
          <h4>{kind === "check" ? "Output" : kind === "review" ? "Asked to change" : "Code"}</h4>
          <div className="refusal-code">
            {row.printed !== "" ? (
              <Printed text={row.printed.trim()} label={`What stands behind event ${version}`} />
            ) : row.claim?.evidence == null || row.claim.evidence === "" || task_id === null || attempt === null ? (
              <p className="muted">No lines were cited.</p>
            ) : isSeen ? (
              <Cited run={run.run_id} task={task_id} attempt={attempt} evidence={row.claim.evidence} event={version} />
            ) : null}
          </div>
        </div>
        <div className="refusal-part">
          <h4>Reason</h4>
          <Reasons refusals={row.reasons} />
        </div>
      </div>
      <Next row={row} run={run.run_id} />
    </li>
  )
}

/** What the next attempt did about it, up to now: where an earlier moment is shown, that is said. */
const Next = ({ row: { attempt, next, task_id }, run }: { readonly run: string; readonly row: RefusalRow }) => {
  const moment = useMoment()
  if (task_id === null || attempt === null) return null
  if (next === null) return <p className="refusal-next muted">There was no other attempt so far.</p>
  const { claim, is_over, outcome, reasons } = next
  return (
    <div className="refusal-next">
      <span>
        <span aria-hidden="true">↳ </span>
        {moment === null ? null : <span className="muted">As of now: </span>}
        <Link href={to.task(run, task_id, next.attempt)}>Attempt {next.attempt}</Link>{" "}
        {claim === null ? (
          is_over ? (
            outcome === null ? (
              "claimed nothing of it"
            ) : null
          ) : (
            "is at work"
          )
        ) : (
          <Claimed claim={claim} />
        )}
      </span>
      {outcome === null ? null : (
        <Badge
          status={outcome === "accepted" ? "proven" : "refuted"}
          label={outcome === "accepted" ? "held" : "refused again"}
        />
      )}
      {reasons.length === 0 ? null : <Reasons refusals={reasons} />}
    </div>
  )
}

/** The lines as the attempt left them, else as they are now. */
const Cited = ({
  attempt,
  event,
  evidence,
  run,
  task
}: {
  readonly run: string
  readonly task: string
  readonly attempt: number
  readonly evidence: string
  readonly event: number
}) => {
  const { data, error } = useApi(
    (client) => client.tasks.cited({ params: { run, task, attempt }, query: { evidence } }),
    [run, task, attempt, evidence]
  )
  if (error !== null) return <FailureNotice failure={error} title="The lines cannot be shown." />
  if (data === null) return <p className="muted">Reading the lines …</p>
  const { cited, now, was } = data
  if (cited === null) return <p className="muted">That cites no lines.</p>
  const shown = was ?? now
  if (shown === null) return <p className="muted">There is no such file, or nobody kept it.</p>
  const end = shown.from + shown.lines.length - 1
  return (
    <>
      <p className="muted refusal-when">
        {was === null ? "As the file is now; nobody kept it as it was." : `As attempt ${attempt} left it.`}
        {cited.start > end ? ` It ends at line ${number(end)}.` : ""}
      </p>
      <Code {...shown} cited={[cited.start, cited.end]} label={`${visible(evidence)}, event ${event}`} />
    </>
  )
}

/** True from the moment on that it has come into sight. */
const useSeen = (element: RefObject<HTMLElement | null>): boolean => {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (isSeen || element.current === null) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [isSeen, element])
  return isSeen
}
