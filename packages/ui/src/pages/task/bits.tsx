import { type CheckRun, checkEnding, type Refusal } from "@proofline/kernel"
import type { ReactNode } from "react"
import { Badge } from "../../parts/Badge.tsx"
import { named, visible } from "../../parts/code/visible.ts"
import { durationText } from "../../parts/when.ts"
import { taskHref } from "./links.ts"

/** A name and its value, in a `dl`. */
export const Fact = ({ children, name }: { readonly name: string; readonly children: ReactNode }) => (
  <div className="task-fact">
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** Links to tasks of the same run. */
export const TaskLinks = ({ ids, runId }: { readonly runId: string; readonly ids: ReadonlyArray<string> }) => (
  <span className="task-links">
    {ids.map((id) => (
      <a key={id} href={taskHref(runId, id)}>
        {named(id)}
      </a>
    ))}
  </span>
)

/** Why something was refused: the stable key and the sentence. */
export const Reasons = ({ refusals }: { readonly refusals: ReadonlyArray<Pick<Refusal, "key" | "message">> }) => (
  <ul className="task-reasons">
    {refusals.map(({ key, message }) => (
      <li key={`${key} ${message}`}>
        <span aria-hidden="true">✗ </span>
        {visible(message)} {key === "" ? null : <code className="task-code">{visible(key)}</code>}
      </li>
    ))}
  </ul>
)

const tried = {
  load_bearing: ["good", "the cited lines bear it"],
  vacuous: ["bad", "it passes without the cited lines too"],
  unproven: ["idle", "it was not shown that the cited lines bear it"]
} as const

/** Whether a check depends on the cited lines, in words. */
const AblationBadge = ({ ablation }: { readonly ablation: NonNullable<CheckRun["ablation"]> }) => {
  const [tone, words] = tried[ablation.verdict]
  return <span className={`badge tone-${tone} task-ablation`}>{words}</span>
}

/** A command and how it ended. */
export const CheckLine = ({ check, passed }: { readonly check: CheckRun; readonly passed: boolean }) => (
  <span className="task-check">
    <Badge status={passed ? "met" : "unmet"} label={passed ? "passed" : "not passed"} />
    <code>{visible(check.command)}</code>
    <span className="muted">
      {checkEnding(check)} · {durationText(check.duration_ms)}
    </span>
    {check.ablation === null ? null : <AblationBadge ablation={check.ablation} />}
  </span>
)
