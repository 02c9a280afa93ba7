import { checkEnding, counted, type FailureView } from "@proofline/kernel"
import { Link } from "wouter"
import type { RunNow } from "../../fold/protocol.ts"
import { CopyButton } from "../../parts/CopyButton.tsx"
import { named, visible } from "../../parts/code/visible.ts"
import { to } from "../../route.ts"
import "./Failures.css"

/** So many are shown at once. */
const most = 2
const mostNamed = 5

/** Why a run failed, with what goes on from there. */
export const Failures = ({ run }: { readonly run: RunNow }) => {
  const { failures, is_live, resume_flag, run_id, status } = run
  if (failures.length === 0) return null
  const left = failures.length - most
  const command = `proofline resume ${run_id}${resume_flag}`
  return (
    <section className="run-failures" aria-label="Why it failed">
      {failures.slice(0, most).map((failure) => (
        <Failure key={failure.task_id} runId={run_id} failure={failure} />
      ))}
      {left <= 0 ? null : (
        <p>
          {left} more failed: <Named run={run_id} ids={failures.slice(most).map(({ task_id }) => task_id)} />
        </p>
      )}
      {is_live && status !== "running" && status !== "completed" ? (
        <p className="row">
          <span className="muted">Go on:</span> <code>{command}</code> <CopyButton text={command} label="the command" />
        </p>
      ) : null}
    </section>
  )
}

const Failure = ({ failure, runId }: { readonly runId: string; readonly failure: FailureView }) => {
  const { attempt, blocks, checks, message, printed, reason, refusals, task_id, title } = failure
  const [refusal, ...more] = refusals
  const [check] = checks
  return (
    <div className="run-failure">
      <p>
        <span aria-hidden="true">✗ </span>
        <Link href={to.task(runId, task_id, attempt)}>{named(title)}</Link> <code>{visible(reason)}</code>
        {hasEnd(failure) ? <strong> {checkEnding(failure)}</strong> : null}
      </p>
      {refusal === undefined ? (
        message === "" ? null : (
          <p>{visible(message)}</p>
        )
      ) : (
        <p>
          {refusal.item === null ? null : <>Claimed “{visible(refusal.item)}”: </>}
          {visible(refusal.message)}
          {more.length === 0 ? null : ` And ${counted(more.length, "more claim")} refused.`}
        </p>
      )}
      {check === undefined ? null : (
        <p>
          <code>{visible(check.command)}</code>: {checkEnding(check)}
        </p>
      )}
      {check !== undefined && check.output_tail.trim() !== "" ? (
        <pre>{visible(lastLines(check.output_tail))}</pre>
      ) : hasEnd(failure) && printed.length > 0 ? (
        <pre>{visible(printed.join("\n"))}</pre>
      ) : null}
      {blocks.length === 0 ? null : (
        <p>
          Blocks <Named run={runId} ids={blocks} />
        </p>
      )}
    </div>
  )
}

/** How the process ended says something where it did not end well. */
const hasEnd = ({ exit_code, signal, timed_out }: FailureView): boolean =>
  timed_out || signal !== null || (exit_code !== null && exit_code !== 0)

const lastLines = (text: string): string => text.trimEnd().split("\n").slice(-8).join("\n")

const Named = ({ ids, run }: { readonly run: string; readonly ids: ReadonlyArray<string> }) => (
  <>
    {ids.slice(0, mostNamed).map((id, index) => (
      <span key={id}>
        {index === 0 ? "" : ", "}
        <Link href={to.task(run, id)}>{named(id)}</Link>
      </span>
    ))}
    {ids.length > mostNamed ? ` and ${ids.length - mostNamed} more` : ""}
  </>
)
