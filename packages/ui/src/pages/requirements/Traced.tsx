import { checkEnding, counted } from "@proofline/kernel"
import type { TracedCheck, TracedEvidence, TracedItem, TracedTask } from "@proofline/plugins/frontends/http/api"
import { useState } from "react"
import { Badge } from "../../parts/Badge.tsx"
import { Code } from "../../parts/code/Code.tsx"
import { Disclosure } from "../../parts/code/Disclosure.tsx"
import { Printed } from "../../parts/code/Printed.tsx"
import { visible } from "../../parts/code/visible.ts"
import { timeText } from "../../parts/when.ts"
import { taskHref } from "../task/links.ts"

/** A task with those of its items that are asked about. */
export const TracedTaskPart = ({
  items,
  level,
  of = "",
  task
}: {
  readonly task: TracedTask
  readonly items: ReadonlyArray<TracedItem>
  readonly level: 3 | 5
  /** What it stands behind; tells the same code at two places apart. */
  readonly of?: string
}) => {
  const { agent, attempts, checks, iteration, message, review, run_id, status, task_id, title, verdict } = task
  const Heading = `h${level}` as const
  const ownerLabel = `${of === "" ? "" : `${of}, `}task ${task_id}`
  return (
    <div className="req-traced">
      <div className="req-head">
        <Heading>
          <a href={taskHref(run_id, task_id)}>{visible(title)}</a>
        </Heading>
        <span className="row">
          <Badge status={status} />
          {status === "completed" ? <Badge status={verdict} /> : null}
        </span>
      </div>
      <p className="muted">
        {[
          task_id,
          ...(iteration === null ? [] : [`iteration ${iteration}`]),
          counted(attempts, "attempt"),
          ...(agent === null ? [] : [`by ${agent}`])
        ]
          .map(visible)
          .join(" · ")}
      </p>
      {message === "" ? null : <p className="req-why">{visible(message)}</p>}
      {items.length === 0 ? (
        <p className="muted">None of its checklist items shows it.</p>
      ) : (
        <ul className="req-items">
          {items.map((item) => (
            <TracedItemPart key={item.index} item={item} of={`${ownerLabel}, item ${item.index + 1}`} />
          ))}
        </ul>
      )}
      {checks.length === 0 ? null : <TracedChecks checks={checks} of={ownerLabel} />}
      {review === null ? null : <Review review={review} />}
    </div>
  )
}

const TracedItemPart = ({ item, of }: { readonly item: TracedItem; readonly of: string }) => (
  <li className={`req-criterion req-criterion-${item.verdict}`}>
    <div className="req-criterion-head">
      <Badge status={item.verdict} />
      <span>{visible(item.item)}</span>
    </div>
    {item.reason === null ? null : (
      <p>
        <span className="muted">Skipped, because: </span>
        {visible(item.reason)}
      </p>
    )}
    {item.evidence === null ? null : <TracedEvidencePart evidence={item.evidence} of={of} />}
    {item.weaknesses.map((weak) => (
      <p key={weak} className="req-weak">
        <span aria-hidden="true">! </span>
        {visible(weak)}
      </p>
    ))}
    {item.checks.length === 0 ? null : <TracedChecks checks={item.checks} of={of} />}
  </li>
)

const Review = ({ review }: { readonly review: NonNullable<TracedTask["review"]> }) => (
  <div>
    <p>
      <Badge status={review.judgment} /> <span className="muted">reviewed by {visible(review.reviewer)}</span>
    </p>
    <ul className="req-items">
      {review.checks.map(({ criterion, details, passed }) => (
        <li key={criterion}>
          <Badge status={passed ? "met" : "unmet"} /> {visible(criterion)}
          {details === undefined || details === "" ? null : <span className="muted"> {visible(details)}</span>}
        </li>
      ))}
    </ul>
  </div>
)

/** Where evidence is, whether it holds, and its lines on demand. */
export const TracedEvidencePart = ({ evidence, of }: { readonly evidence: TracedEvidence; readonly of: string }) => {
  const [isOpen, setOpen] = useState(false)
  const { code, now, sha256, status, why } = evidence
  const ownerLabel = (
    <>
      <code>{visible(evidence.evidence)}</code>
      {now === null || now === evidence.evidence ? null : (
        <>
          {" → "}
          <code>{visible(now)}</code>
        </>
      )}
    </>
  )
  const standing = (
    <Badge status={status} label={status === "proven" ? "holds" : status === "re_anchored" ? "moved, holds" : status} />
  )
  return (
    <div className="req-evidence">
      {code === null ? (
        <p className="row">
          {ownerLabel} {standing}
        </p>
      ) : (
        <Disclosure level={null} isOpen={isOpen} onToggle={setOpen} title={ownerLabel} aside={standing}>
          {() => (
            <>
              <Code
                path={code.path}
                from={code.start}
                lines={code.lines}
                cited={code.cited}
                label={`${now ?? evidence.evidence}, ${of}`}
              />
              {code.more === 0 ? null : <p className="muted">{code.more} more lines are left out.</p>}
              <p className="muted">
                sha256 <code>{sha256}</code>
              </p>
            </>
          )}
        </Disclosure>
      )}
      {why === "" ? null : <p className="req-why">{visible(why)}</p>}
    </div>
  )
}

/** Commands and how they ended, with what a failed one printed. */
export const TracedChecks = ({ checks, of }: { readonly checks: ReadonlyArray<TracedCheck>; readonly of: string }) => (
  <ul className="req-items">
    {checks.map((check, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the same command may stand twice
      <li key={i}>
        <Check check={check} label={`Output of command ${i + 1}, ${of}`} />
      </li>
    ))}
  </ul>
)

const Check = ({ check, label }: { readonly check: TracedCheck; readonly label: string }) => {
  const [isOpen, setOpen] = useState(!check.passed)
  return (
    <>
      <p className="req-check">
        <Badge status={check.passed ? "met" : "unmet"} label={check.passed ? "passed" : "not passed"} />{" "}
        <code>{visible(check.command)}</code>{" "}
        <span className="muted">
          {checkEnding(check)}
          {check.exit_code === 0 && !check.passed && !check.timed_out ? ", also without the cited lines" : ""}
          {check.at === null ? "" : `, ${timeText(check.at)}`}
        </span>
      </p>
      {check.output_tail.trim() === "" ? null : (
        <Disclosure level={null} title="The end of its output" isOpen={isOpen} onToggle={setOpen}>
          {() => <Printed text={check.output_tail} label={label} />}
        </Disclosure>
      )}
    </>
  )
}
