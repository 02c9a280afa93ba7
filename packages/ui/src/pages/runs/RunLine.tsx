import { proofText } from "@proofline/kernel"
import type { RunRow } from "@proofline/plugins/frontends/http/api"
import { memo } from "react"
import { Link } from "wouter"
import { Badge } from "../../parts/Badge.tsx"
import { Progress } from "../../parts/Progress.tsx"
import { between, durationText, shortTimeText, timeText } from "../../parts/when.ts"
import { to } from "../../route.ts"

interface RunLineProps {
  readonly row: RunRow
  readonly now: number
  /** To be compared. */
  readonly isChosen: boolean
  readonly onChoose: (id: string, isChosen: boolean) => void
  /** It stands below the run that started it. */
  readonly isPart: boolean
}

/** One run in a list. */
export const RunLine = memo(
  ({ isChosen, isPart, now, onChoose, row }: RunLineProps) => (
    <div className={isPart ? "runs-line runs-line-part" : "runs-line"} data-run={row.run_id}>
      <label className="runs-choose">
        <span className="visually-hidden">Choose {row.name} to compare</span>
        <input
          type="checkbox"
          checked={isChosen}
          onChange={(event) => onChoose(row.run_id, event.currentTarget.checked)}
        />
      </label>
      <div className="runs-status">
        <Badge status={row.status} />
      </div>
      <div className="runs-name">
        <Link href={to.run(row.run_id)} className="runs-link">
          {row.name === "" ? row.run_id : row.name}
        </Link>
        <p className="runs-what muted">
          <Asked row={row} />
          {row.counts === null ? null : (
            <span className="runs-proof" data-verdict={row.verdict}>
              {proofText({ counts: row.counts, reviewers: row.reviewers, weak: row.weak })}
            </span>
          )}
          {whatOf(row, isPart).map((part) => (
            <span key={part}>{part}</span>
          ))}
          <span className="runs-id">{row.run_id}</span>
          {row.parent_run_id === null || isPart ? null : (
            <Link href={to.run(row.parent_run_id)}>its requirements run</Link>
          )}
        </p>
      </div>
      <RowProgress row={row} />
      <time className="runs-when muted" dateTime={row.started_at} title={timeText(row.started_at)}>
        {shortTimeText(row.started_at, now)}
      </time>
      <span className="runs-took">
        <span className="visually-hidden">{row.status === "running" ? "for" : "took"} </span>
        {durationText(between(row.started_at, row.ended_at, now))}
      </span>
    </div>
  ),
  // a run that has ended does not tick
  (before, after) =>
    isSame(before.row, after.row) &&
    before.isChosen === after.isChosen &&
    before.isPart === after.isPart &&
    (before.now === after.now || after.row.ended_at !== null)
)

/** What waits for a person, before anything else. */
const Asked = ({ row: { asked, permissions } }: { readonly row: RunRow }) => {
  const [first] = asked
  const [wanted] = permissions
  if (wanted !== undefined) {
    return (
      <Link href={to.approvals} className="runs-asked" title={wanted.detail}>
        waits for you: may {wanted.agent}: {wanted.title}
        {permissions.length > 1 ? ` and ${permissions.length - 1} more` : ""}
      </Link>
    )
  }
  if (first === undefined) return null
  return (
    <Link href={to.approvals} className="runs-asked" title={first.reason}>
      waits for you: {first.item}
      {asked.length > 1 ? ` and ${asked.length - 1} more` : ""}
    </Link>
  )
}

/** Each answer of the server makes the rows anew, the same as before or not. */
const isSame = (a: RunRow, b: RunRow): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)

const whatOf = ({ active, kind, loop, phase }: RunRow, isPart: boolean): ReadonlyArray<string> => {
  const [first, ...others] = active
  return [
    ...(isPart ? [] : [kind]),
    ...(loop === null ? [] : [loop.status.replaceAll("_", " ")]),
    ...(loop === null || loop.iteration === 0 ? [] : [`iteration ${loop.iteration}/${loop.max_iterations}`]),
    ...(phase === null ? [] : [phase]),
    ...(first === undefined ? [] : [others.length === 0 ? `at work on ${first}` : `at work on ${active.length} tasks`])
  ]
}

const RowProgress = ({ row }: { readonly row: RunRow }) => {
  const { items_closed, items_total, loop, tasks_completed, tasks_failed, tasks_skipped, tasks_total } = row
  if (loop !== null) {
    const { requirements_met, requirements_total } = loop
    return (
      <Counted
        text={`${requirements_met}/${requirements_total} requirements`}
        more=""
        label={`${requirements_met} of ${requirements_total} requirements met`}
        done={requirements_met}
        lost={0}
        total={requirements_total}
      />
    )
  }
  const lost = tasks_failed + tasks_skipped
  return (
    <Counted
      text={`${tasks_completed}/${tasks_total} tasks`}
      more={items_total === 0 ? "" : `${items_closed}/${items_total} items`}
      label={`${tasks_completed} of ${tasks_total} tasks done${lost === 0 ? "" : `, ${lost} failed or skipped`}; ${items_closed} of ${items_total} checklist items closed`}
      done={tasks_completed}
      lost={lost}
      total={tasks_total}
    />
  )
}

const Counted = ({
  done,
  label,
  lost,
  more,
  text,
  total
}: {
  readonly text: string
  readonly more: string
  readonly label: string
  readonly done: number
  readonly lost: number
  readonly total: number
}) => (
  <div className="runs-progress">
    <Progress
      label={label}
      segments={[
        { tone: "good", count: done },
        { tone: "bad", count: lost },
        { tone: "open", count: Math.max(0, total - done - lost) }
      ]}
    />
    <span className="runs-counts" aria-hidden="true">
      <span>{text}</span>
      <span className="muted">{more}</span>
    </span>
  </div>
)
