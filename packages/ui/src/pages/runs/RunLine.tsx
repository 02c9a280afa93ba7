import { proofText } from "@proofline/kernel/standing"
import type { RunRow } from "@proofline/plugins/frontends/http/api"
import { memo } from "react"
import { Link } from "wouter"
import { ShownBadge } from "../../parts/Badge.tsx"
import { named, visible } from "../../parts/code/visible.ts"
import { Progress } from "../../parts/Progress.tsx"
import { ProofBar } from "../../parts/ProofBar.tsx"
import { Ago } from "../../parts/When.tsx"
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
        <span className="visually-hidden">Choose {named(row.name)} to compare</span>
        <input
          type="checkbox"
          checked={isChosen}
          onChange={(event) => onChoose(row.run_id, event.currentTarget.checked)}
        />
      </label>
      <div className="runs-status">
        <ShownBadge shown={row.shown_as} />
      </div>
      <div className="runs-name">
        <Link href={to.run(row.run_id)} className="runs-link">
          {named(row.name === "" ? row.run_id : row.name)}
        </Link>
        <p className="runs-what muted">
          <Asked row={row} />
          {row.counts === null ? null : (
            <span className="runs-proof" data-verdict={row.verdict}>
              {visible(proofText({ ...row, counts: row.counts }))}
            </span>
          )}
          {whatOf(row, isPart).map((part) => (
            <span key={part}>{named(part)}</span>
          ))}
          <span className="runs-id">{named(row.run_id)}</span>
          {row.parent_run_id === null || isPart ? null : (
            <Link href={to.run(row.parent_run_id)}>its requirements run</Link>
          )}
        </p>
      </div>
      <RowProgress row={row} />
      <time className="runs-when muted" dateTime={row.started_at} title={timeText(row.started_at)}>
        {shortTimeText(row.started_at, now)} <Ago at={row.started_at} />
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
      <Link href={to.approvals} className="runs-asked" title={visible(wanted.detail)}>
        waits for you: may {named(wanted.agent)}: {named(wanted.title)}
        {permissions.length > 1 ? ` and ${permissions.length - 1} more` : ""}
      </Link>
    )
  }
  if (first === undefined) return null
  return (
    <Link href={to.approvals} className="runs-asked" title={visible(first.reason)}>
      waits for you: {named(first.item)}
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
  const { items_closed, items_total, loop } = row
  if (loop !== null) {
    const { requirements_met, requirements_total } = loop
    return (
      <div className="runs-progress">
        <Progress
          label={`${requirements_met} of ${requirements_total} requirements met`}
          segments={[
            { tone: "good", count: requirements_met },
            { tone: "open", count: Math.max(0, requirements_total - requirements_met) }
          ]}
        />
        <span className="runs-counts">
          {requirements_met}/{requirements_total} requirements
        </span>
      </div>
    )
  }
  return (
    <div className="runs-progress">
      {row.counts === null ? (
        <Progress
          label={`${items_closed} of ${items_total} checklist items closed`}
          segments={[
            // which of them are waived is not known
            { tone: "info", count: items_closed },
            { tone: "open", count: Math.max(0, items_total - items_closed) }
          ]}
        />
      ) : (
        <ProofBar {...row} counts={row.counts} />
      )}
      <span className="runs-counts">
        <span>{workText(row)}</span>
        <span className="muted">{items_total === 0 ? "" : `${items_closed}/${items_total} items`}</span>
      </span>
    </div>
  )
}

/** How far the work is; parts of split tasks have numbers of their own. */
export const workText = ({
  subtasks_completed,
  subtasks_total,
  tasks_completed,
  tasks_failed,
  tasks_skipped,
  tasks_total
}: Pick<
  RunRow,
  "subtasks_completed" | "subtasks_total" | "tasks_completed" | "tasks_failed" | "tasks_skipped" | "tasks_total"
>): string =>
  [
    `${tasks_completed}/${tasks_total} tasks`,
    subtasks_total === 0 ? "" : `${subtasks_completed}/${subtasks_total} parts`,
    tasks_failed === 0 ? "" : `${tasks_failed} failed`,
    tasks_skipped === 0 ? "" : `${tasks_skipped} skipped`
  ]
    .filter((part) => part !== "")
    .join(" · ")
