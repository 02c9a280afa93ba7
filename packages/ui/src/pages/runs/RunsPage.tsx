import type { RunFacets, RunRow } from "@proofline/plugins/frontends/http/api"
import { useState } from "react"
import { Link, useLocation, useSearch } from "wouter"
import { useRevision, useServer } from "../../api/live.ts"
import { useProject } from "../../api/project.tsx"
import { useApi } from "../../api/useApi.ts"
import { named } from "../../parts/code/visible.ts"
import { FailureNotice } from "../../parts/FailureNotice.tsx"
import { Empty } from "../../parts/Notice.tsx"
import { useNow } from "../../parts/now.ts"
import { useTitle } from "../../parts/title.ts"
import { to } from "../../route.ts"
import { Filters } from "./Filters.tsx"
import { grouped, waitingFirst } from "./grouped.ts"
import { RunLine } from "./RunLine.tsx"
import { WorkersPanel } from "./WorkersPanel.tsx"
import "./RunsPage.css"

const pageSize = 100
/** As many as one answer holds at most. */
const largest = 1_000
const noFacets: RunFacets = { status: {}, kind: {} }

/** All runs, newest first: what is running, and how far each has come. */
export const RunsPage = () => {
  useTitle("Runs")
  const { about } = useProject()
  const fields = new URLSearchParams(useSearch())
  const q = fields.get("q") ?? ""
  const status = fields.get("status") ?? ""
  const kind = fields.get("kind") ?? ""
  const isFiltered = q !== "" || status !== "" || kind !== ""
  const [rowLimit, setRowLimit] = useState(pageSize)
  const loaded = useRuns({ q, status, kind }, rowLimit)
  const [chosen, setChosen] = useState<ReadonlyArray<string>>([])
  // the third takes the place of the first that was chosen
  const choose = (id: string, isChosen: boolean) =>
    setChosen((before) => (isChosen ? [...before, id].slice(-2) : before.filter((each) => each !== id)))
  const rows = loaded.data?.runs ?? []
  const now = useNow(rows.some((row) => row.status === "running"))
  return (
    <div className="runs stack">
      <div className="runs-head">
        <h1>Runs</h1>
        <div className="row">
          <Link href={to.stats} className="button">
            Figures
          </Link>
          {about?.can_start ? (
            <Link href={to.start} className="button primary">
              Start a run
            </Link>
          ) : null}
        </div>
      </div>
      <Filters q={q} status={status} kind={kind} facets={loaded.data?.facets ?? noFacets} />
      {loaded.error === null || loaded.error.status === 0 ? null : (
        <FailureNotice failure={loaded.error} title="The runs could not be read." />
      )}
      {loaded.data === null ? (
        loaded.loading ? (
          <p className="muted">Reading the runs …</p>
        ) : null
      ) : rows.length === 0 ? (
        isFiltered ? (
          <NothingFound />
        ) : (
          <NothingYet canStart={about?.can_start ?? false} />
        )
      ) : (
        <>
          <RunsList rows={rows} now={now} chosen={chosen} onChoose={choose} />
          <Foot
            count={rows.length}
            hasMore={loaded.data.hasMore}
            isBusy={loaded.loading}
            onMore={() => setRowLimit(rowLimit + pageSize)}
          />
        </>
      )}
      <WorkersPanel />
      <CompareBar chosen={chosen} onClear={() => setChosen([])} />
    </div>
  )
}

/** The newest runs that fit, as many as are wanted; read again when something happens. */
const useRuns = (
  { kind, q, status }: { readonly q: string; readonly status: string; readonly kind: string },
  rowLimit: number
) => {
  const revision = useRevision()
  const server = useServer()
  return useApi(
    async (client) => {
      const query = { ...(q && { q }), ...(status && { status }), ...(kind && { kind }) }
      const first = await client.runs.list({ query: { ...query, limit: Math.min(rowLimit, largest) } })
      let { next_cursor } = first
      // one that waits is not found only by turning pages
      const waiting =
        next_cursor === null || status !== ""
          ? []
          : (await client.runs.list({ query: { ...query, status: "waiting", limit: 100 } })).runs
      const runs = [...first.runs]
      while (next_cursor !== null && runs.length < rowLimit) {
        const limit = Math.min(rowLimit - runs.length, largest)
        const more = await client.runs.list({ query: { ...query, limit, cursor: next_cursor } })
        runs.push(...more.runs)
        next_cursor = more.next_cursor
      }
      const known = new Set(runs.map(({ run_id }) => run_id))
      runs.push(...waiting.filter(({ run_id }) => !known.has(run_id)))
      return { runs, hasMore: next_cursor !== null, facets: first.facets }
    },
    [q, status, kind],
    { again: `${revision}:${rowLimit}:${server.state === "live"}`, keep: true }
  )
}

interface RunsListProps {
  readonly rows: ReadonlyArray<RunRow>
  readonly now: number
  readonly chosen: ReadonlyArray<string>
  readonly onChoose: (id: string, isChosen: boolean) => void
}

const RunsList = ({ chosen, now, onChoose, rows }: RunsListProps) => (
  <ul className="runs-list card" aria-label="Runs: those that wait for you first, then the newest first">
    {waitingFirst(grouped(rows)).map(({ parts, row }) => (
      <li key={row.run_id} className="runs-group">
        <RunLine row={row} now={now} isChosen={chosen.includes(row.run_id)} onChoose={onChoose} isPart={false} />
        {parts.length === 0 ? null : (
          <ul className="runs-parts" aria-label={`Task runs of ${named(row.name)}`}>
            {parts.map((part) => (
              <li key={part.run_id}>
                <RunLine row={part} now={now} isChosen={chosen.includes(part.run_id)} onChoose={onChoose} isPart />
              </li>
            ))}
          </ul>
        )}
      </li>
    ))}
  </ul>
)

interface FootProps {
  readonly count: number
  readonly hasMore: boolean
  readonly isBusy: boolean
  readonly onMore: () => void
}

const Foot = ({ count, hasMore, isBusy, onMore }: FootProps) => (
  <p className="runs-foot muted">
    <span role="status">
      {count} {count === 1 ? "run" : "runs"}
      {hasMore ? " shown, there are more" : ""}
    </span>
    {hasMore ? (
      <button type="button" onClick={onMore} disabled={isBusy}>
        Show {pageSize} more
      </button>
    ) : null}
  </p>
)

const NothingFound = () => (
  <Empty title="No run fits.">
    <p>
      <Link href={to.runs}>Show all runs</Link>, or loosen the filters above.
    </p>
  </Empty>
)

const NothingYet = ({ canStart }: { readonly canStart: boolean }) => (
  <Empty title="Nothing ran in this project so far.">
    <p>
      {canStart ? (
        <>
          <Link href={to.start}>Start a run</Link> from a file of the project, or on a terminal:
        </>
      ) : (
        "On a terminal, in the project directory:"
      )}
    </p>
    <dl className="runs-how">
      <dt>
        <code>proofline run tasks.yaml</code>
      </dt>
      <dd>does the tasks of a file and proves each of them</dd>
      <dt>
        <code>proofline init</code>
      </dt>
      <dd>writes a tasks file to begin with</dd>
      <dt>
        <code>proofline demo</code>
      </dt>
      <dd>makes a small project with a scripted agent whose claims are refused at first</dd>
    </dl>
    <p>A run appears here when it begins.</p>
  </Empty>
)

/** What was chosen to be compared; it says so until there are two. */
const CompareBar = ({ chosen, onClear }: { readonly chosen: ReadonlyArray<string>; readonly onClear: () => void }) => {
  const [, navigate] = useLocation()
  const [a, b] = chosen
  return (
    <div className="runs-compare" role="status" data-shown={chosen.length > 0}>
      {a === undefined ? null : (
        <>
          <span>{b === undefined ? "One run is chosen: choose another to compare them." : "Two runs are chosen."}</span>
          {b === undefined ? null : (
            <button type="button" className="primary" onClick={() => navigate(to.compare(a, b))}>
              Compare
            </button>
          )}
          <button type="button" onClick={onClear}>
            Choose none
          </button>
        </>
      )}
    </div>
  )
}
