import { counted } from "@proofline/kernel"
import type { ReportView, TracedCriterion, TracedRequirement } from "@proofline/plugins/frontends/http/api"
import { useState } from "react"
import { Badge } from "../../parts/Badge.tsx"
import { Disclosure } from "../../parts/code/Disclosure.tsx"
import { Folded } from "../../parts/code/Printed.tsx"
import { visible } from "../../parts/code/visible.ts"
import { timeText } from "../../parts/when.ts"
import { taskHref } from "../task/links.ts"
import { type CriterionNow, type RequirementNow, tracedOf } from "./overview.ts"
import { TracedChecks, TracedEvidencePart, TracedTaskPart } from "./Traced.tsx"

export interface RequirementCardProps {
  /** Of its heading. */
  readonly id: string
  readonly requirement: RequirementNow
  /** Null while it is not known, or a moment of the past is shown. */
  readonly report: ReportView | null
}

/** One requirement: its criteria with their verdicts, and what stands behind each. */
export const RequirementCard = ({ id, report, requirement }: RequirementCardProps) => {
  const traced = report?.requirements.find((one) => one.id === requirement.id) ?? null
  return (
    <section className="card req-card" aria-labelledby={id}>
      <div className="req-head">
        <h3 id={id} tabIndex={-1}>
          <span className="req-id">{visible(requirement.id)}</span>{" "}
          {requirement.name === null ? null : visible(requirement.name)}
        </h3>
        <span className="row">
          {requirement.priority === "optional" ? <span className="muted">optional</span> : null}
          <Badge status={requirement.verdict} />
          <Now was={requirement.verdict} is={traced?.verdict} />
        </span>
      </div>
      <Folded text={requirement.description} what="description" />
      {traced?.verified_at == null ? null : (
        <p className="muted">
          Verified <time dateTime={traced.verified_at}>{timeText(traced.verified_at)}</time>
        </p>
      )}
      <ul className="req-criteria">
        {requirement.criteria.map((criterion) => (
          <Criterion
            key={criterion.id}
            criterion={criterion}
            traced={traced?.criteria.find((one) => one.id === criterion.id) ?? null}
            report={report}
          />
        ))}
      </ul>
      {traced?.opinion == null ? null : <Opinion opinion={traced.opinion} />}
    </section>
  )
}

/** Where the files say something else than the log did. */
const Now = ({ is, was }: { readonly was: string; readonly is: string | undefined }) =>
  is === undefined || is === was ? null : <Badge status={is} label={`${is} now`} />

const by = {
  check: "Shown by its command",
  tasks: "Shown by tasks",
  agent: "On an agent's word"
} as const

interface CriterionProps {
  readonly criterion: CriterionNow
  readonly traced: TracedCriterion | null
  readonly report: ReportView | null
}

const Criterion = ({ criterion, report, traced }: CriterionProps) => {
  const [isOpen, setOpen] = useState(false)
  const { id, message, verdict } = criterion
  return (
    <li className={`req-criterion req-criterion-${verdict}`}>
      <div className="req-criterion-head">
        <Badge status={verdict} />
        <Now was={verdict} is={traced?.verdict} />
        <h4>
          <span className="req-id">{visible(id)}</span> {visible(criterion.criterion)}
        </h4>
      </div>
      {traced?.verify == null ? null : (
        <p>
          <span className="muted">To be found out so: </span>
          {visible(traced.verify)}
        </p>
      )}
      <Message criterion={criterion} traced={traced} />
      {traced !== null && traced.message !== "" && traced.message !== message ? (
        <p className="req-why">
          <strong>Now: </strong>
          {visible(traced.message)}
        </p>
      ) : null}
      <Behind criterion={criterion} traced={traced} report={report} isOpen={isOpen} onToggle={setOpen} />
    </li>
  )
}

/** What was said of it when it was verified. */
const Message = ({ criterion, traced }: Omit<CriterionProps, "report">) => {
  const { message, tasks, verdict } = criterion
  const isProven = verdict === "proven"
  return message !== "" ? (
    <p className={isProven ? "muted" : "req-why"}>
      <strong>
        {isProven
          ? `${traced?.by == null || traced.verdict !== verdict ? "Shown" : by[traced.by]}: `
          : `Why it is ${verdict}: `}
      </strong>
      {visible(message)}
    </p>
  ) : isProven ? null : (
    <p className="muted">{tasks.length === 0 ? "No task was made for it so far." : "It was not verified so far."}</p>
  )
}

interface BehindProps extends CriterionProps {
  readonly isOpen: boolean
  readonly onToggle: (isOpen: boolean) => void
}

/** The commands and tasks that a criterion rests on. */
const Behind = ({ criterion: { tasks }, isOpen, onToggle, report, traced }: BehindProps) => {
  if (traced === null || report === null)
    return tasks.length === 0 ? null : (
      <p>
        <span className="muted">Tasks: </span>
        {visible(tasks.join(", "))}
      </p>
    )
  return traced.checks.length + traced.tasks.length === 0 ? null : (
    <Disclosure
      level={null}
      isOpen={isOpen}
      onToggle={onToggle}
      title={`What stands behind it: ${[
        ...(traced.checks.length === 0 ? [] : [counted(traced.checks.length, "command")]),
        ...(traced.tasks.length === 0 ? [] : [counted(traced.tasks.length, "task")])
      ].join(", ")}`}
    >
      {() => (
        <div className="req-behind">
          {traced.checks.length === 0 ? null : <TracedChecks checks={traced.checks} of={`criterion ${traced.id}`} />}
          {traced.tasks.map((link) => (
            <LinkedTask key={`${link.run_id} ${link.task_id}`} link={link} report={report} of={traced.id} />
          ))}
        </div>
      )}
    </Disclosure>
  )
}

const LinkedTask = ({
  link,
  of,
  report
}: {
  readonly link: TracedCriterion["tasks"][number]
  readonly report: ReportView
  readonly of: string
}) => {
  const { run_id, superseded_by, task_id } = link
  const found = tracedOf(report, link)
  return (
    <div className="req-task">
      {superseded_by.length === 0 ? null : (
        <p className="req-why">
          It no longer counts: {visible(superseded_by.join(", "))} {superseded_by.length === 1 ? "shows" : "show"} it
          now.
        </p>
      )}
      {found === null ? (
        <p>
          Task {run_id === null ? visible(task_id) : <a href={taskHref(run_id, task_id)}>{visible(task_id)}</a>} was not
          run so far.
        </p>
      ) : (
        <TracedTaskPart task={found.task} items={found.items} level={5} of={`criterion ${of}`} />
      )}
    </div>
  )
}

const Opinion = ({ opinion }: { readonly opinion: NonNullable<TracedRequirement["opinion"]> }) => (
  <div className="req-opinion">
    <p>
      <Badge status="unproven" label="an agent's word, no proof" /> {visible(opinion.verifier)} says it is{" "}
      <strong>{opinion.met ? "met" : "not met"}</strong>.
    </p>
    {opinion.evidence === "" ? null : <Folded text={opinion.evidence} what="opinion" />}
    {opinion.cited.map((evidence, i) => (
      <TracedEvidencePart key={evidence.evidence} evidence={evidence} of={`${opinion.verifier}'s opinion, ${i + 1}`} />
    ))}
  </div>
)
