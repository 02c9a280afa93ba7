import { counted } from "@proofline/kernel"
import type { TaskRow } from "@proofline/plugins/frontends/http/api"
import { useState } from "react"
import { Link } from "wouter"
import { Badge } from "../../parts/Badge.tsx"
import { named } from "../../parts/code/visible.ts"
import { useRows } from "../../parts/useRows.ts"
import { between, durationText } from "../../parts/when.ts"
import { to } from "../../route.ts"
import { deltasOf, type Pair } from "./comparison.ts"

interface PairsProps {
  readonly pairs: ReadonlyArray<Pair>
  /** Ids of the runs. */
  readonly a: string
  readonly b: string
  readonly now: number
}

/** Tasks of both runs, those that went differently first; only what is seen is drawn. */
export const Pairs = ({ a, b, now, pairs }: PairsProps) => {
  const differing = pairs.filter(({ differs }) => differs).length
  const [onlyDiffering, setOnlyDiffering] = useState(false)
  const shown = onlyDiffering ? pairs.slice(0, differing) : pairs
  const { box, items, virtual } = useRows<HTMLUListElement>({
    count: shown.length,
    heightOf: () => 58,
    overscan: 8,
    keyOf: (index) => shown[index]?.task_id ?? index
  })
  return (
    <section className="stack compare-tasks" aria-labelledby="compare-tasks">
      <div className="compare-tasks-head">
        <h2 id="compare-tasks">Task by task</h2>
        <label className="tick">
          <input
            type="checkbox"
            checked={onlyDiffering}
            onChange={(event) => setOnlyDiffering(event.currentTarget.checked)}
          />
          <span>Only differences</span>
        </label>
        <span className="muted" role="status">
          {differing} of {pairs.length} {pairs.length === 1 ? "task" : "tasks"} went differently
        </span>
      </div>
      {shown.length === 0 ? (
        <p className="muted">
          {pairs.length === 0 ? "Neither run has a task of its own." : "Every task went the same in both runs."}
        </p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and is scrolled by keyboard too
        <ul ref={box} className="card compare-list" aria-label="Tasks of both runs" tabIndex={0}>
          <li aria-hidden="true" className="compare-space" style={{ height: virtual.getTotalSize() }} />
          {items.map(({ index, key, start }) => {
            const pair = shown[index]
            return pair === undefined ? null : (
              <li
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                aria-posinset={index + 1}
                aria-setsize={shown.length}
                className="compare-pair"
                data-differs={pair.differs}
                style={{ transform: `translateY(${start}px)` }}
              >
                <div className="compare-task">
                  <code>{named(pair.task_id)}</code>
                  <span>{named(pair.title)}</span>
                  {pair.a !== null && pair.b !== null && pair.a.task_id !== pair.b.task_id ? (
                    <span className="muted">
                      in B <code>{named(pair.b.task_id)}</code>
                    </span>
                  ) : null}
                  {pair.differs ? null : <span className="muted compare-same">same</span>}
                  <Deltas deltas={deltasOf(pair, now)} />
                </div>
                <One name="A" run={a} task={pair.a} now={now} />
                <One name="B" run={b} task={pair.b} now={now} />
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}

/** What B has more or less of. */
const Deltas = ({ deltas }: { readonly deltas: ReadonlyArray<string> }) =>
  deltas.length === 0 ? null : (
    <span className="compare-deltas">
      <span className="muted">B:</span> {deltas.join(" · ")}
    </span>
  )

const One = ({
  name,
  now,
  run,
  task
}: {
  readonly name: string
  readonly run: string
  readonly task: TaskRow | null
  readonly now: number
}) => (
  <div className="compare-side">
    <span className="compare-letter">{name}</span>
    {task === null ? (
      <span className="muted">not in this run</span>
    ) : (
      <>
        <Link href={to.task(run, task.task_id)} className="compare-link">
          <span className="visually-hidden">
            {named(task.task_id)} in run {name}:{" "}
          </span>
          <Badge status={task.status} />
        </Link>
        <span>
          {task.items_closed}/{task.items_total} items
        </span>
        <span>{counted(task.attempts, "attempt")}</span>
        {task.refusals === 0 ? null : <span className="compare-refused">✗ {task.refusals} refused</span>}
        <span className="muted">{durationText(between(task.started_at, task.ended_at, now))}</span>
      </>
    )}
  </div>
)
