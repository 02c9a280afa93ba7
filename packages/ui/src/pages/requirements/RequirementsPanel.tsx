import { counted } from "@proofline/kernel"
import type { ReportView } from "@proofline/plugins/frontends/http/api"
import { type ReactNode, useId, useState } from "react"
import { useApi } from "../../api/useApi.ts"
import type { LoopNow, RunNow } from "../../fold/protocol.ts"
import { Badge, signOf } from "../../parts/Badge.tsx"
import { visible } from "../../parts/code/visible.ts"
import { FailureNotice } from "../../parts/FailureNotice.tsx"
import { hrefOf, to } from "../../route.ts"
import { countsOf, stateOf, type Verdict, verdicts, withVerdict } from "./overview.ts"
import { RequirementCard } from "./RequirementCard.tsx"
import { TracedTaskPart } from "./Traced.tsx"
import "./requirements.css"

export interface RequirementsPanelProps {
  /** A requirements run, as it was at the version that is shown. */
  readonly run: RunNow
}

/** From what was asked for down to the lines of code that show it. */
export const RequirementsPanel = ({ run }: RequirementsPanelProps) => (
  <div className="req stack">{run.is_live ? <WithReport run={run} /> : <Panel run={run} report={null} />}</div>
)

/** With what the files say now: only where the run is shown as it is now. */
const WithReport = ({ run }: RequirementsPanelProps) => {
  const { data, error, loading, reload } = useApi(
    (client) => client.runs.report({ params: { run: run.run_id } }),
    [run.run_id],
    {
      again: run.loop === null ? `${run.status} ${run.tasks_completed} ${run.proof.counts.proven}` : stateOf(run.loop)
    }
  )
  return (
    <Panel run={run} report={data}>
      <div className="req-report row">
        <span className="muted">
          {data === null ? loading ? "Comparing receipts with the files …" : "" : <Receipts report={data} />}
        </span>
        <button type="button" disabled={loading} onClick={reload}>
          Look again
        </button>
      </div>
      {error === null ? null : (
        <FailureNotice failure={error} title="What stands behind the verdicts cannot be shown." />
      )}
    </Panel>
  )
}

const Receipts = ({ report: { counts } }: { readonly report: ReportView }) =>
  counts.receipts === 0 ? (
    "No receipts so far."
  ) : (
    <>
      {counted(counts.receipts, "receipt")}, compared with the files as they are now: {counts.holding} hold,{" "}
      {counts.receipts - counts.holding - counts.missing} stale, {counts.missing} missing.
    </>
  )

const Panel = ({
  children,
  report,
  run
}: {
  readonly run: RunNow
  readonly report: ReportView | null
  readonly children?: ReactNode
}) => {
  const [filter, setFilter] = useState<Verdict | null>(null)
  const id = useId()
  const { loop } = run
  if (loop === null) {
    return (
      <WithoutLoop heading={id} report={report}>
        {children}
      </WithoutLoop>
    )
  }
  const criteria = loop.requirements.flatMap((requirement) => requirement.criteria)
  const shown = withVerdict(loop.requirements, filter)
  return (
    <>
      <Overview run={run} loop={loop} heading={id} onChoose={() => setFilter(null)}>
        {children}
      </Overview>
      <VerdictFilter criteria={criteria} filter={filter} onFilter={setFilter} />
      {shown.length === 0 && filter !== null ? (
        <p className="muted">No criterion is {filter} now.</p>
      ) : (
        shown.map((requirement) => (
          <RequirementCard
            key={requirement.id}
            id={`${id}${requirement.id}`}
            requirement={requirement}
            report={report}
          />
        ))
      )}
    </>
  )
}

/** Of a run without requirements: its tasks, as far as the report was made. */
const WithoutLoop = ({
  children,
  heading,
  report
}: {
  readonly heading: string
  readonly report: ReportView | null
  readonly children: ReactNode
}) => (
  <>
    <section className="card req-overview" aria-labelledby={heading}>
      <h2 id={heading}>What stands behind it</h2>
      {children}
    </section>
    {report?.tasks.map((task) => (
      <section key={`${task.run_id} ${task.task_id}`} className="card">
        <TracedTaskPart task={task} items={task.items} level={3} />
      </section>
    ))}
  </>
)

interface OverviewProps {
  readonly run: RunNow
  readonly loop: LoopNow
  /** Id of its heading. */
  readonly heading: string
  /** A criterion was chosen. */
  readonly onChoose: () => void
  readonly children: ReactNode
}

const Overview = ({ children, heading, loop, onChoose, run }: OverviewProps) => (
  <section className="card req-overview" aria-labelledby={heading}>
    <div className="req-head">
      <h2 id={heading}>Requirements</h2>
      <span className="row">
        {/* the loop stands still where the run does, whatever it was about to do */}
        <Badge status={run.status} label={(run.status === "running" ? loop : run).status.replaceAll("_", " ")} />
        <span className="muted">
          iteration {loop.iteration} of at most {loop.max_iterations}
        </span>
      </span>
    </div>
    {loop.requirements.length === 0 ? (
      <p className="muted">The requirements were not read so far.</p>
    ) : (
      <Matrix loop={loop} prefix={heading} onChoose={onChoose} />
    )}
    <Iterations loop={loop} />
    {children}
    {run.is_live ? null : (
      <p className="muted">
        You see a moment of the past: the verdicts as they were then. What stands behind them is shown for now only.
      </p>
    )}
  </section>
)

const VerdictFilter = ({
  criteria,
  filter,
  onFilter
}: {
  readonly criteria: Parameters<typeof countsOf>[0]
  readonly filter: Verdict | null
  readonly onFilter: (filter: Verdict | null) => void
}) => {
  if (criteria.length === 0) return null
  const counts = countsOf(criteria)
  return (
    <fieldset className="req-filter">
      <legend className="visually-hidden">Show criteria by verdict</legend>
      <button type="button" aria-pressed={filter === null} onClick={() => onFilter(null)}>
        All {criteria.length}
      </button>
      {verdicts.map((verdict) => (
        <button
          key={verdict}
          type="button"
          aria-pressed={filter === verdict}
          disabled={counts[verdict] === 0 && filter !== verdict}
          onClick={() => onFilter(filter === verdict ? null : verdict)}
        >
          {verdict} {counts[verdict]}
        </button>
      ))}
    </fieldset>
  )
}

const Matrix = ({
  loop,
  onChoose,
  prefix
}: {
  readonly loop: LoopNow
  readonly prefix: string
  readonly onChoose: () => void
}) => {
  const proven = loop.requirements.filter(({ verdict }) => verdict === "proven").length
  const choose = (requirement: string): void => {
    onChoose()
    // it may have been filtered away until now
    requestAnimationFrame(() => {
      const heading = document.getElementById(`${prefix}${requirement}`)
      heading?.scrollIntoView({ block: "start" })
      heading?.focus({ preventScroll: true })
    })
  }
  return (
    <table className="req-matrix">
      <caption>
        {proven} of {loop.requirements.length} {loop.requirements.length === 1 ? "requirement is" : "requirements are"}{" "}
        proven. Criteria by verdict:
      </caption>
      <thead>
        <tr>
          <th scope="col">Requirement</th>
          {verdicts.map((verdict) => (
            <th key={verdict} scope="col" className="req-count">
              <span aria-hidden="true">{signOf(verdict)}</span> <span className="req-word">{verdict}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {loop.requirements.map(({ criteria, id, name, priority, verdict }) => {
          const counts = countsOf(criteria)
          return (
            <tr key={id}>
              <th scope="row">
                <Badge status={verdict} />
                <button type="button" className="req-jump" onClick={() => choose(id)}>
                  <span className="req-id">{visible(id)}</span> {name === null ? null : visible(name)}
                </button>
                {priority === "optional" ? <span className="muted">optional</span> : null}
              </th>
              {verdicts.map((one) => (
                <td key={one} className={counts[one] === 0 ? "req-count muted" : `req-count req-${one}`}>
                  {counts[one] === 0 ? "–" : counts[one]}
                </td>
              ))}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

const Iterations = ({ loop: { task_runs } }: { readonly loop: LoopNow }) =>
  task_runs.length === 0 ? null : (
    <div className="req-iterations">
      <h3>Iterations</h3>
      <ol>
        {task_runs.map(({ iteration, run_id, status }) => (
          <li key={run_id} className="row">
            <span>Iteration {iteration}</span>
            <Badge status={status} />
            <a href={hrefOf(to.run(run_id))}>{visible(run_id)}</a>
          </li>
        ))}
      </ol>
    </div>
  )
