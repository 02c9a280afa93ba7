import { type Stats, type StatsKey, statsCellTexts, statsColumns, statsKeys } from "@proofline/kernel"
import { useId } from "react"
import { Link, useLocation, useSearch } from "wouter"
import { useRevision, useServer } from "../../api/live.ts"
import { useApi } from "../../api/useApi.ts"
import { named, visible } from "../../parts/code/visible.ts"
import { FailureNotice } from "../../parts/FailureNotice.tsx"
import { Empty, Notice } from "../../parts/Notice.tsx"
import { useTitle } from "../../parts/title.ts"
import { to } from "../../route.ts"
import "./StatsPage.css"

const isKey = (text: string): text is StatsKey => (statsKeys as ReadonlyArray<string>).includes(text)

/** What agents claimed, what held, and what it took; what is asked for is kept in the address. */
export const StatsPage = () => {
  useTitle("Figures")
  const [, navigate] = useLocation()
  const fields = new URLSearchParams(useSearch())
  const by = [...new Set((fields.get("by") ?? "agent").split(",").filter(isKey))]
  const since = fields.get("since") ?? ""
  const server = useServer()
  // all runs are looked at: every second while something happens is enough
  const again = `${Math.floor(useRevision() / 2)}:${server.state === "live"}`
  const asked = by.length === 0 ? "agent" : by.join(",")
  const loaded = useApi(
    (client) => client.stats({ query: { by: asked, ...(since === "" ? {} : { since }) } }),
    [asked, since],
    { again, keep: true }
  )
  const go = (keys: ReadonlyArray<string>, from: string): void =>
    navigate(`/stats?${new URLSearchParams({ by: keys.join(","), ...(from === "" ? {} : { since: from }) })}`, {
      replace: true
    })
  return (
    <div className="stats stack">
      <h1>Figures</h1>
      <p className="muted">
        What agents claimed, what held, and what it took, counted from the log. <Link href={to.runs}>All runs</Link>
      </p>
      <Asked by={by} since={since} values={loaded.data?.values ?? null} onChange={go} />
      {loaded.error === null || loaded.error.status === 0 ? null : (
        <FailureNotice failure={loaded.error} title="The runs could not be counted." />
      )}
      {loaded.data === null ? (
        loaded.loading ? (
          <p className="muted">Counting …</p>
        ) : null
      ) : loaded.data.total.runs === 0 ? (
        <Empty title={since === "" ? "Nothing ran in this project so far." : `Nothing ran since ${named(since)}.`}>
          <p>A run is counted from its first attempt on.</p>
        </Empty>
      ) : (
        <Table stats={loaded.data} />
      )}
      {(loaded.data?.left_out ?? []).map(({ message, run_id }) => (
        <Notice key={run_id} tone="warn" title={`${named(run_id)} is not counted.`}>
          {visible(message)}
        </Notice>
      ))}
    </div>
  )
}

interface AskedProps {
  readonly by: ReadonlyArray<StatsKey>
  readonly since: string
  /** How many values of each key are known; null: that is not known yet. */
  readonly values: Stats["values"] | null
  readonly onChange: (by: ReadonlyArray<StatsKey>, since: string) => void
}

/** A key that is chosen comes last; the last one that is chosen stays. */
const Asked = ({ by, onChange, since, values }: AskedProps) => {
  const id = useId()
  return (
    <div className="stats-asked">
      <fieldset className="chips">
        <legend className="visually-hidden">Keep apart by</legend>
        {statsKeys.map((key) => {
          const isChosen = by.includes(key)
          // by what nothing is known of, all figures would stand in one row without a name
          return !isChosen && (values?.[key] ?? 0) === 0 ? null : (
            <button
              key={key}
              type="button"
              className="chip"
              aria-pressed={isChosen}
              disabled={isChosen && by.length === 1}
              onClick={() => onChange(isChosen ? by.filter((one) => one !== key) : [...by, key], since)}
            >
              {key}
            </button>
          )
        })}
      </fieldset>
      <div className="stats-since">
        <label htmlFor={id}>Since</label>
        <input id={id} type="date" value={since.slice(0, 10)} onChange={(event) => onChange(by, event.target.value)} />
      </div>
    </div>
  )
}

const Table = ({ stats }: { readonly stats: Stats }) => {
  const { by, groups, total } = stats
  const rows = groups.map((group) => by.map((key) => group[key] ?? "-"))
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be scrolled by keyboard too */}
      <section className="card stats-table" aria-label="Figures" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {[...by, ...statsColumns.map(({ name }) => name)].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {groups.map((group, i) => (
              <tr key={JSON.stringify(rows[i])}>
                {(rows[i] ?? []).map((text, k) => (
                  <th key={by[k]} scope="row">
                    {named(text)}
                  </th>
                ))}
                <Cells texts={statsCellTexts(group)} />
              </tr>
            ))}
          </tbody>
          {groups.length > 1 ? (
            <tfoot>
              <tr>
                <th scope="row" colSpan={by.length}>
                  together
                </th>
                <Cells texts={statsCellTexts(total)} />
              </tr>
            </tfoot>
          ) : null}
        </table>
      </section>
      <Refusals stats={stats} rows={rows} />
    </>
  )
}

const Cells = ({ texts }: { readonly texts: ReadonlyArray<string> }) =>
  texts.map((text, i) => <td key={statsColumns[i]?.name}>{text}</td>)

/** Why claims were refused, the most frequent reason first. */
const Refusals = ({ rows, stats }: { readonly stats: Stats; readonly rows: ReadonlyArray<ReadonlyArray<string>> }) => {
  const heading = useId()
  const { groups, reasons, total } = stats
  if (total.refused === 0) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be scrolled by keyboard too
    <section className="card stats-table" aria-labelledby={heading} tabIndex={0}>
      <h2 id={heading}>Refused, by reason</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">reason</th>
            {groups.map((_, i) => (
              <th key={JSON.stringify(rows[i])} scope="col">
                {rows[i]?.map(named).join(" · ")}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {reasons.map((reason) => (
            <tr key={reason}>
              <th scope="row">
                <code>{visible(reason)}</code>
              </th>
              {groups.map(({ refusals }, i) => (
                <td key={JSON.stringify(rows[i])}>{refusals[reason] ?? 0}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
