import { counted } from "@proofline/kernel"
import { memo, useCallback, useDeferredValue, useEffect, useRef, useState } from "react"
import { Link, useLocation } from "wouter"
import type { LoopNow, Queries, RunNow, TreeRow } from "../../fold/protocol.ts"
import { Badge, signOf, toneOf } from "../../parts/Badge.tsx"
import { named, visible } from "../../parts/code/visible.ts"
import { Empty } from "../../parts/Notice.tsx"
import { useNow } from "../../parts/now.ts"
import { number } from "../../parts/number.ts"
import { RowList } from "../../parts/RowList.tsx"
import type { Rows } from "../../parts/useRows.ts"
import { between, durationText } from "../../parts/when.ts"
import { queryOf, to, useField } from "../../route.ts"
import { useQueriedRows, windowAround } from "./useQueriedRows.ts"
import "./tree.css"

const rowHeight = 44

/** All tasks of the run with their parts, as they stand at the event that is shown. */
export const Tree = ({ chosen, run }: { readonly run: RunNow; readonly chosen: string | null }) => {
  const [typed, setTyped] = useField("q")
  const text = useDeferredValue(typed)
  const [status, setStatus] = useField("status")
  const statuses = status === "" ? [] : status.split(",")
  // from task to task the filter stays
  const kept = queryOf({ q: typed, status })
  const [closed, setClosed] = useState<ReadonlyArray<string>>([])
  const [active, setActive] = useState(0)
  const setOpen = useCallback(
    ({ task_id }: TreeRow, isOpen: boolean): void =>
      setClosed((closed) => (isOpen ? closed.filter((one) => one !== task_id) : [...closed, task_id])),
    []
  )
  const {
    answer: tree,
    rows,
    total
  } = useQueriedRows("tree", { heightOf: () => rowHeight, overscan: 8 }, (asked) => ({
    ...windowAround(asked),
    text,
    statuses,
    closed,
    sought: chosen
  }))
  const { virtual } = rows
  const sought = tree?.sought ?? null
  /** The task that was scrolled to: who scrolls on is left alone. */
  const found = useRef<string | null>(null)
  useEffect(() => {
    if (chosen === null) found.current = null
    if (sought === null || sought.task_id !== chosen || found.current === chosen) return
    found.current = chosen
    setActive(sought.row)
    virtual.scrollToIndex(sought.row)
  }, [chosen, sought, virtual])
  const now = useNow(run.is_live && run.status === "running")
  if (tree === undefined) return <p className="tree muted">Reading the tasks …</p>
  if (tree.whole === 0) {
    return (
      <div className="tree">
        <NoTasks run={run} />
      </div>
    )
  }
  return (
    <section className="tree" aria-label="Tasks">
      <h2 className="visually-hidden">Tasks</h2>
      <div className="tree-filters">
        <label className="tree-search">
          <span className="visually-hidden">Filter the tasks by id, title, agent or worker</span>
          <input
            type="search"
            placeholder="Filter by id, title, agent, worker"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        <Statuses counts={tree.counts} chosen={statuses} onChoose={(chosen) => setStatus(chosen.join(","))} />
      </div>
      <p className="visually-hidden" role="status">
        {total === tree.whole ? "" : `${total} of ${tree.whole} tasks are shown.`}
      </p>
      {total === 0 ? (
        <Empty title="No task fits.">
          <p>{number(tree.whole)} tasks are there: take a filter away to see them.</p>
        </Empty>
      ) : (
        <Tasks
          rows={rows}
          tree={tree}
          run={run}
          chosen={chosen}
          kept={kept}
          now={run.is_live ? now : Date.parse(run.at ?? "")}
          active={active}
          onActive={setActive}
          onToggle={setOpen}
        />
      )}
    </section>
  )
}

interface TasksProps {
  readonly rows: Rows
  readonly tree: Queries["tree"]["answer"]
  readonly run: RunNow
  /** The task that is shown beside it. */
  readonly chosen: string | null
  /** What addresses of tasks end with. */
  readonly kept: string
  /** When tasks that are not over are looked at, ms. */
  readonly now: number
  /** Index of the row that keys move from. */
  readonly active: number
  readonly onActive: (index: number) => void
  readonly onToggle: (row: TreeRow, isOpen: boolean) => void
}

const Tasks = ({ active, chosen, kept, now, onActive, onToggle, run, rows, tree }: TasksProps) => {
  const [, navigate] = useLocation()
  const rowAt = (index: number): TreeRow | undefined => tree.rows[index - tree.from]
  return (
    <RowList
      role="tree"
      label="Tasks of the run"
      className="tree-box"
      rows={rows}
      active={active}
      onMove={onActive}
      acts={(at, move) => {
        const row = rowAt(at)
        return {
          ArrowRight: () => (row?.has_children && !row.is_open ? onToggle(row, true) : move(at + 1)),
          ArrowLeft: () =>
            row?.has_children && row.is_open ? onToggle(row, false) : move(row?.parent_row ?? Math.max(0, at - 1)),
          Enter: () => row !== undefined && navigate(`${to.task(run.run_id, row.task_id)}${kept}`),
          " ": () => row?.has_children && onToggle(row, !row.is_open)
        }
      }}
      row={(index, isActive) => {
        const row = rowAt(index)
        return {
          className: "tree-row",
          "aria-level": (row?.depth ?? 0) + 1,
          "aria-setsize": row?.siblings ?? -1,
          "aria-posinset": row?.rowIndex ?? 1,
          "aria-selected": isActive,
          "aria-current": row !== undefined && row.task_id === chosen ? "true" : undefined,
          "aria-expanded": row?.has_children ? row.is_open : undefined,
          children:
            row === undefined ? (
              <span className="muted">…</span>
            ) : (
              <Row row={row} runId={run.run_id} kept={kept} now={now} onToggle={onToggle} />
            )
        }
      }}
    />
  )
}

/** Drawn anew when something of it changes, not when it is scrolled. */
const Row = memo(function Row({
  kept,
  now,
  onToggle,
  row,
  runId
}: {
  readonly row: TreeRow
  readonly runId: string
  readonly kept: string
  readonly now: number
  readonly onToggle: (row: TreeRow, isOpen: boolean) => void
}) {
  const took = row.started_at === null ? null : between(row.started_at, row.ended_at, now)
  const isNamed = row.title !== "" && row.title !== row.task_id
  return (
    <>
      <span className="tree-indent" style={{ width: Math.min(row.depth, 8) * 20 }} aria-hidden="true" />
      {row.has_children ? (
        // the keys of the tree open and close it as well
        <button
          type="button"
          className="tree-toggle"
          tabIndex={-1}
          aria-hidden="true"
          onClick={() => onToggle(row, !row.is_open)}
        >
          {row.is_open ? "▾" : "▸"}
        </button>
      ) : (
        <span className="tree-toggle" aria-hidden="true" />
      )}
      <span className="tree-text">
        <span className="tree-first">
          <span className={`tree-sign tone-${toneOf(row.shown_as.word)}`} aria-hidden="true">
            {signOf(row.shown_as.word)}
          </span>
          <Link className="tree-link clip" href={`${to.task(runId, row.task_id)}${kept}`} tabIndex={-1}>
            {named(isNamed ? row.title : row.task_id)}
          </Link>
          {took === null || Number.isNaN(took) ? null : (
            <span className="tree-took muted">{durationText(Math.max(0, took))}</span>
          )}
        </span>
        <span className="tree-second muted clip">
          <span data-status={row.shown_as.word}>{labelOf(row)}</span>
          <Facts row={row} />
          {isNamed ? <code>{named(row.task_id)}</code> : null}
        </span>
      </span>
    </>
  )
})

/** How the work stands, as the terminal says it, and what it has shown. */
const labelOf = ({ label, shown_as, status }: TreeRow): string => {
  if (status !== "completed") return visible(label)
  return label === "Complete" ? visible(shown_as.text) : `${visible(label)}, ${visible(shown_as.text)}`
}

const Facts = ({ row }: { readonly row: TreeRow }) => (
  <>
    {row.items_total === 0 ? null : (
      <span className={row.shown_as.word === "proven" || row.shown_as.word === "reviewed" ? "tree-closed" : ""}>
        {row.items_closed}/{row.items_total} items
      </span>
    )}
    {row.checks_failed === undefined ? null : (
      <span className="tree-refused">{counted(row.checks_failed, "check")} failed</span>
    )}
    {row.refusals === 0 ? null : <span className="tree-refused">{counted(row.refusals, "claim")} refused</span>}
    {row.attempts <= 1 ? null : <span>{row.attempts} attempts</span>}
    {row.retry_count === 0 ? null : <span>{counted(row.retry_count, "retry", "retries")}</span>}
    {row.agent === null || row.agent === "" ? null : (
      <span>
        {visible(row.agent)}
        {row.worker_id === null || row.worker_id === "" ? "" : ` on ${visible(row.worker_id)}`}
      </span>
    )}
    {row.waiting_for.length === 0 ? null : <span>waits for {visible(row.waiting_for.join(", "))}</span>}
    {row.message === "" || row.message === row.reason ? null : <span>{visible(row.message)}</span>}
  </>
)

const Statuses = ({
  chosen,
  counts,
  onChoose
}: {
  readonly counts: ReadonlyArray<{ readonly status: string; readonly count: number }>
  readonly chosen: ReadonlyArray<string>
  readonly onChoose: (statuses: ReadonlyArray<string>) => void
}) => {
  // what is chosen stays to be taken back, also where nothing is left of it
  const gone = chosen.filter((one) => !counts.some(({ status }) => status === one))
  const all = [...counts, ...gone.map((status) => ({ status, count: 0 }))].sort(
    (a, b) => rank(a.status) - rank(b.status)
  )
  return (
    <fieldset className="run-group row" aria-label="Filter the tasks by status">
      {all.map(({ count, status }) => {
        const isChosen = chosen.includes(status)
        return (
          <button
            key={status}
            type="button"
            className="run-chip"
            aria-pressed={isChosen}
            onClick={() => onChoose(isChosen ? chosen.filter((one) => one !== status) : [...chosen, status])}
          >
            <Badge status={status} /> {number(count)}
          </button>
        )
      })}
    </fieldset>
  )
}

const ranks = ["in_progress", "retrying", "failed", "blocked", "pending", "backlog", "skipped", "completed"]
const rank = (status: string): number => ranks.indexOf(status)

const NoTasks = ({ run }: { readonly run: RunNow }) => {
  if (run.loop === null) {
    return (
      <Empty title={run.is_live ? "This run has no tasks." : "There were no tasks yet at this event."}>
        <p>
          {run.kind === "session"
            ? "An agent that works in it creates them with create_tasks."
            : "They are registered when the run begins."}
        </p>
      </Empty>
    )
  }
  return (
    <Empty title="The tasks are in the task runs of this run.">
      {run.loop.task_runs.length === 0 ? (
        <p>None was started {run.is_live ? "so far" : "until this event"}: requirements are verified first.</p>
      ) : (
        <TaskRuns runs={run.loop.task_runs} />
      )}
    </Empty>
  )
}

/** Where the work of a requirements run is done. */
export const TaskRuns = ({ runs }: { readonly runs: LoopNow["task_runs"] }) => (
  <ul className="run-children-list">
    {runs.map(({ iteration, run_id, status }) => (
      <li key={run_id}>
        <Badge status={status} /> <Link href={to.run(run_id)}>Iteration {iteration}</Link>
      </li>
    ))}
  </ul>
)
