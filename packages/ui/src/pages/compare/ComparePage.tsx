import type { RunRow, TaskRow } from "@proofline/plugins/frontends/http/api"
import { useId } from "react"
import { Link, useLocation } from "wouter"
import type { Client } from "../../api/client.ts"
import { useRevision } from "../../api/live.ts"
import { useApi } from "../../api/useApi.ts"
import { Badge } from "../../parts/Badge.tsx"
import { named } from "../../parts/code/visible.ts"
import { FailureNotice } from "../../parts/FailureNotice.tsx"
import { Empty } from "../../parts/Notice.tsx"
import { useNow } from "../../parts/now.ts"
import { useTitle } from "../../parts/title.ts"
import { shortTimeText } from "../../parts/when.ts"
import { to } from "../../route.ts"
import { pairsOf, type Side, summaryOf } from "./comparison.ts"
import { Pairs } from "./Pairs.tsx"
import "./ComparePage.css"

const largest = 1_000

interface ComparePageProps {
  /** Ids of the runs; null: not chosen. */
  readonly a: string | null
  readonly b: string | null
}

/** Two runs side by side: what each came to, then task by task. */
export const ComparePage = ({ a, b }: ComparePageProps) => {
  useTitle("Compare")
  const runs = useApi((client) => client.runs.list({ query: { limit: largest } }), [], { again: useRevision() })
  const rows = runs.data?.runs ?? []
  return (
    <div className="compare stack">
      <h1>Compare two runs</h1>
      {runs.error === null ? null : <FailureNotice failure={runs.error} title="The runs could not be read." />}
      <Choose rows={rows} a={a} b={b} />
      {a === null || b === null ? (
        <Empty title="Choose two runs.">
          <p>
            What they came to is shown side by side, with how much more B has than A, and then the tasks that went
            differently. What differs in meaning is marked; ids, times and what something took are not. Two runs of the
            same file with different agents compare best; the boxes in the <Link href={to.runs}>list of runs</Link>{" "}
            choose them too.
          </p>
        </Empty>
      ) : (
        <Compared key={JSON.stringify([a, b])} a={a} b={b} />
      )}
    </div>
  )
}

const Choose = ({ a, b, rows }: ComparePageProps & { readonly rows: ReadonlyArray<RunRow> }) => {
  const [, navigate] = useLocation()
  const go = (nextA: string | null, nextB: string | null) =>
    navigate(
      nextA === null ? "/compare" : nextB === null ? `/compare/${encodeURIComponent(nextA)}` : to.compare(nextA, nextB)
    )
  return (
    <div className="compare-choose">
      <ChooseOne label="A" value={a} rows={rows} onChange={(id) => go(id, b)} />
      <ChooseOne label="B" value={b} rows={rows} onChange={(id) => (a === null ? go(id, null) : go(a, id))} />
      <button type="button" disabled={a === null || b === null} onClick={() => go(b, a)}>
        <span aria-hidden="true">⇄</span> Swap
      </button>
    </div>
  )
}

const ChooseOne = ({
  label,
  onChange,
  rows,
  value
}: {
  readonly label: string
  readonly value: string | null
  readonly rows: ReadonlyArray<RunRow>
  readonly onChange: (id: string) => void
}) => {
  const id = useId()
  const now = Date.now()
  return (
    <div className="field compare-one">
      <label htmlFor={id}>Run {label}</label>
      <select id={id} value={value ?? ""} onChange={(event) => onChange(event.target.value)}>
        <option value="" disabled>
          Choose a run
        </option>
        {value === null || rows.some(({ run_id }) => run_id === value) ? null : (
          <option value={value}>{named(value)}</option>
        )}
        {rows.map(({ name, run_id, started_at, status }) => (
          <option key={run_id} value={run_id}>
            {named(name)} · {status} · {shortTimeText(started_at, now)} · {run_id}
          </option>
        ))}
      </select>
    </div>
  )
}

const sideOf = async (client: Client, run: string): Promise<Side> => {
  const params = { run }
  const view = await client.runs.get({ params })
  const tasks: Array<TaskRow> = []
  let cursor: string | null = null
  do {
    const page: { readonly tasks: ReadonlyArray<TaskRow>; readonly next_cursor: string | null } =
      await client.tasks.list({ params, query: { limit: largest, ...(cursor === null ? {} : { cursor }) } })
    tasks.push(...page.tasks)
    cursor = page.next_cursor
  } while (cursor !== null)
  return { run: view, tasks }
}

const Compared = ({ a, b }: { readonly a: string; readonly b: string }) => {
  // all tasks of both are asked for: every second while something happens is enough
  const again = Math.floor((useRevision(a) + useRevision(b)) / 2)
  const loaded = useApi((client) => Promise.all([sideOf(client, a), sideOf(client, b)]), [a, b], { again })
  const isRunning = loaded.data?.some(({ run }) => run.status === "running") ?? false
  const now = useNow(isRunning)
  if (loaded.data === null) {
    return loaded.error === null ? (
      <p className="muted">Reading both runs …</p>
    ) : (
      <FailureNotice failure={loaded.error} title="The runs could not be compared." />
    )
  }
  const [left, right] = loaded.data
  return (
    <>
      <section className="card compare-summary" aria-labelledby="compare-summary">
        <h2 id="compare-summary">What they came to</h2>
        <table>
          <thead>
            <tr>
              <td />
              <th scope="col">
                A <Link href={to.run(a)}>{named(left.run.name)}</Link>
              </th>
              <th scope="col">
                B <Link href={to.run(b)}>{named(right.run.name)}</Link>
              </th>
            </tr>
          </thead>
          <tbody>
            {summaryOf(left, right, now).map(({ delta, differs, name, ...values }) => (
              <tr key={name} data-differs={differs}>
                <th scope="row">
                  {name}
                  {differs ? <span className="visually-hidden"> (differs)</span> : null}
                </th>
                <td>{name === "Status" ? <Badge status={values.a} /> : named(values.a)}</td>
                <td>
                  {name === "Status" ? <Badge status={values.b} /> : named(values.b)}
                  {delta === "" ? null : <span className="compare-delta">{delta}</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Pairs pairs={pairsOf(left.tasks, right.tasks)} a={a} b={b} now={now} />
    </>
  )
}
