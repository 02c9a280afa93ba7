import { type AttemptView, type CheckRun, checkEnding, decidedBy, hasPassed, type TaskView } from "@proofline/kernel"
import { type ReactNode, useState } from "react"
import { type ClaimRow, claimsOf } from "../../fold/claims.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Disclosure } from "../../parts/code/Disclosure.tsx"
import { Folded, Printed } from "../../parts/code/Printed.tsx"
import { visible } from "../../parts/code/visible.ts"
import { durationText, timeText } from "../../parts/when.ts"
import { CheckLine, Fact, Reasons } from "./bits.tsx"
import { Output } from "./Output.tsx"
import { Prompt } from "./Prompt.tsx"

export interface AttemptBodyProps {
  readonly runId: string
  readonly task: TaskView
  readonly attempt: AttemptView
  readonly isLive: boolean
}

/** What one attempt was asked, printed, claimed, and what became of that. */
export const AttemptBody = ({ attempt, isLive, runId, task }: AttemptBodyProps) => {
  const { cancelled, ended_at, error, files_modified, judgment, problems, prompt, summary } = attempt
  const at = { runId, taskId: task.task_id, attempt: attempt.attempt }
  const isAtWork = ended_at === null && isLive
  // what was watched stays where it was when the attempt ends
  const [isWatched] = useState(isAtWork)
  const output =
    prompt === null ? null : (
      <OnDemand title="Output" isOpenAtFirst={isWatched}>
        {() => <Output {...at} tail={attempt.output_tail} isLive={isLive} isAtWork={isAtWork} />}
      </OnDemand>
    )
  return (
    <div className="task-attempt-body">
      {isWatched ? output : null}
      <Ending attempt={attempt} />
      {cancelled === null ? null : (
        <p>
          <strong>Taken back:</strong> {visible(cancelled)}
        </p>
      )}
      {error === null ? null : (
        <div className="notice tone-bad">
          <strong>{visible(error.message)}</strong> <code className="task-code">{visible(error.code)}</code>
          {error.terminal ? <p>Trying again cannot help before that is mended.</p> : null}
        </div>
      )}
      {summary === null || summary === "" ? null : (
        <Part title="What it said">
          <Folded text={summary} what="summary" />
        </Part>
      )}
      <Problems problems={problems} />
      <Claims task={task} attempt={attempt} />
      <Checks attempt={attempt} />
      {judgment === null ? null : <Review judgment={judgment} />}
      {files_modified === null ? null : <Files paths={files_modified} undecided={attempt.files_undecided ?? []} />}
      {prompt === null ? null : <OnDemand title="Prompt">{() => <Prompt {...at} bytes={prompt.bytes} />}</OnDemand>}
      {isWatched ? null : output}
    </div>
  )
}

const Problems = ({ problems }: { readonly problems: AttemptView["problems"] }) =>
  problems.length === 0 ? null : (
    <Part title="What was wrong with its report">
      <ul className="task-reasons">
        {problems.map((problem) => (
          <li key={problem}>
            <span aria-hidden="true">✗ </span>
            {visible(problem)}
          </li>
        ))}
      </ul>
    </Part>
  )

const Claims = ({ attempt, task }: Pick<AttemptBodyProps, "attempt" | "task">) => {
  const { rest, rows } = claimsOf(task.checklist, attempt)
  // without items, or where parts are put together without an agent, nobody is asked to claim anything
  const isAsked = task.checklist.length > 0 && attempt.agent !== ""
  if (!isAsked && rows.length === 0 && rest.length === 0) return null
  return (
    <Part title="What it claimed">
      {rest.length === 0 ? null : <Reasons refusals={rest} />}
      {rows.length > 0 ? (
        <ul className="task-claims">
          {rows.map((row) => (
            <Claim key={`${row.index} ${JSON.stringify(row.claim)}`} row={row} />
          ))}
        </ul>
      ) : (
        <p className="muted">
          {attempt.ended_at === null
            ? "Nothing so far: it is still at work."
            : "Nothing that could be read as a checklist."}
        </p>
      )}
    </Part>
  )
}

const Checks = ({ attempt: { attempt, checks } }: Pick<AttemptBodyProps, "attempt">) =>
  checks.length === 0 ? null : (
    <Part title="Checks that were run">
      <ul className="task-checks">
        {checks.map((check, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same command may stand twice
          <li key={i}>
            <Check check={check} label={`Output of check ${i + 1}, attempt ${attempt}`} />
          </li>
        ))}
      </ul>
    </Part>
  )

const Files = ({
  paths,
  undecided
}: {
  readonly paths: ReadonlyArray<string>
  readonly undecided: ReadonlyArray<string>
}) => (
  <>
    {paths.length === 0 && undecided.length > 0 ? null : (
      <Part title="Files it modified">
        {paths.length === 0 ? <p className="muted">None.</p> : <Paths paths={paths} />}
      </Part>
    )}
    {undecided.length === 0 ? null : (
      <Part title="Files that changed meanwhile">
        <p className="muted">Others worked in the same directory at that time: nobody can tell who changed them.</p>
        <Paths paths={undecided} />
      </Part>
    )}
  </>
)

const Paths = ({ paths }: { readonly paths: ReadonlyArray<string> }) => (
  <ul className="task-files">
    {paths.map((path) => (
      <li key={path}>
        <code>{visible(path)}</code>
      </li>
    ))}
  </ul>
)

const Part = ({ children, title }: { readonly title: string; readonly children: ReactNode }) => (
  <section className="task-part">
    <h5>{title}</h5>
    {children}
  </section>
)

const OnDemand = ({
  children,
  isOpenAtFirst = false,
  title
}: {
  readonly title: string
  readonly isOpenAtFirst?: boolean
  readonly children: () => ReactNode
}) => {
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  return (
    <Disclosure level={5} title={title} isOpen={isOpen} onToggle={setOpen}>
      {children}
    </Disclosure>
  )
}

const Ending = ({ attempt }: { readonly attempt: AttemptView }) => {
  const { duration_ms, ended_at, exit_code, outcome, passed, signal } = attempt
  if (ended_at === null) return null
  return (
    <dl className="task-facts">
      <Fact name="Ended">
        <time dateTime={ended_at} title={ended_at}>
          {timeText(ended_at)}
        </time>
      </Fact>
      {duration_ms === null ? null : <Fact name="Took">{durationText(duration_ms)}</Fact>}
      {outcome === null ? null : <Fact name="Outcome">{outcome}</Fact>}
      {exit_code === null && signal === null ? null : (
        <Fact name="Process">{checkEnding({ exit_code, signal, timed_out: outcome === "TIMEOUT" })}</Fact>
      )}
      {passed === null ? null : <Fact name="Verification">{passed ? "passed" : "not passed"}</Fact>}
    </dl>
  )
}

const Claim = ({ row }: { readonly row: ClaimRow }) => {
  const { claim, index, item, outcome, refusals } = row
  return (
    <li className={`task-claim task-claim-${outcome ?? "open"}`}>
      <span className="task-claim-what">
        <Badge
          status={outcome === "accepted" ? "proven" : outcome === "refused" ? "refuted" : "unproven"}
          label={outcome ?? "not decided"}
        />
        <span>
          {visible(item)}
          {index === null ? <span className="muted"> (not an item of the checklist)</span> : null}
        </span>
      </span>
      <span className="task-claim-how">
        {claim === null ? <span className="muted">nothing claimed</span> : <strong>{claim.status}</strong>}{" "}
        {claim?.evidence == null || claim.evidence === "" ? null : <code>{visible(claim.evidence)}</code>}
        {claim?.reason == null || claim.reason === "" ? null : <> “{visible(claim.reason)}”</>}
      </span>
      {refusals.length === 0 ? null : <Reasons refusals={refusals} />}
    </li>
  )
}

const Check = ({ check, label }: { readonly check: CheckRun; readonly label: string }) => {
  const passed = hasPassed(check)
  const [isOpen, setOpen] = useState(!passed)
  const { ablation, item_index, output_tail } = check
  const decided = visible(decidedBy(check))
  const hasOutput = output_tail.trim() !== ""
  return (
    <>
      <CheckLine check={check} passed={passed} />
      <p className="muted">
        {item_index === null ? "Of the whole task" : `Of item ${item_index + 1}`}
        {ablation === null || !passed ? null : `. ${visible(ablation.message)}`}
        {decided === "" ? null : `. ${decided}`}
      </p>
      {ablation === null ? null : <Trials ablation={ablation} />}
      {hasOutput ? (
        <Disclosure level={null} title="The end of its output" isOpen={isOpen} onToggle={setOpen}>
          {() => <Printed text={output_tail} label={label} />}
        </Disclosure>
      ) : (
        <p className="muted">It printed nothing.</p>
      )}
    </>
  )
}

const Trials = ({ ablation }: { readonly ablation: NonNullable<CheckRun["ablation"]> }) => (
  <ul className="task-list muted">
    {(
      [
        ["before the run", ablation.base],
        ["as it is", ablation.head],
        ["without the cited lines", ablation.neutralised]
      ] as const
    ).map(([when, run]) => (
      <li key={when}>
        {when}: {run === null ? "not run" : `${checkEnding(run)}, ${durationText(run.duration_ms)}`}
      </li>
    ))}
  </ul>
)

const Review = ({ judgment }: { readonly judgment: NonNullable<AttemptView["judgment"]> }) => (
  <Part title="Review">
    <p className="row">
      <Badge status={judgment.judgment} />
      <span>by {visible(judgment.reviewer)}</span>
    </p>
    {judgment.checks.length === 0 ? null : (
      <ul className="task-criteria">
        {judgment.checks.map(({ criterion, details, passed }) => (
          <li key={criterion}>
            <Badge status={passed ? "met" : "unmet"} /> {visible(criterion)}
            {details === undefined || details === "" ? null : <p className="muted">{visible(details)}</p>}
          </li>
        ))}
      </ul>
    )}
    {judgment.modification_prompt === null || judgment.modification_prompt === "" ? null : (
      <>
        <p className="muted">What it asked to change:</p>
        <Folded text={judgment.modification_prompt} what="request" />
      </>
    )}
  </Part>
)
