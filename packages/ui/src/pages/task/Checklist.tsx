import { counted, hasPassed, type ItemView, isClosed, isLineReceipt, isShown, type TaskView } from "@proofline/kernel"
import { useMemo, useState } from "react"
import { useApi } from "../../api/useApi.ts"
import { claimsOf } from "../../fold/claims.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Disclosure } from "../../parts/code/Disclosure.tsx"
import { Printed } from "../../parts/code/Printed.tsx"
import { visible } from "../../parts/code/visible.ts"
import { CheckLine, Reasons } from "./bits.tsx"
import { openNote, type Trial, trialsOf } from "./claims.ts"
import { Evidence, type EvidenceProps } from "./Evidence.tsx"
import { taskHref } from "./links.ts"

interface ChecklistProps {
  readonly runId: string
  readonly task: TaskView
  readonly isLive: boolean
}

const order = ["proven", "reviewed", "weak", "waived", "refuted", "stale", "unproven"] as const

/** Every item with its verdict, what stands behind it, and every claim about it that was refused. */
export const Checklist = ({ isLive, runId, task }: ChecklistProps) => {
  const { checklist, history } = task
  const trials = useMemo(() => trialsOf(checklist, history), [checklist, history])
  const last = history.at(-1)
  const rest = useMemo(() => (last === undefined ? [] : claimsOf(checklist, last).rest), [checklist, last])
  if (checklist.length === 0) {
    return (
      <section className="card" aria-labelledby="task-checklist">
        <h3 id="task-checklist">Checklist</h3>
        <p className="muted">
          {task.subtasks.length > 0
            ? "It has no items of its own: it is complete when all of its subtasks are."
            : "It has no items. What nobody asks for is never proven: its verdict comes from its checks and its review."}
        </p>
      </section>
    )
  }
  return (
    <section className="card" aria-labelledby="task-checklist">
      <div className="task-head">
        <h3 id="task-checklist">Checklist</h3>
        <span className="row">
          {order.map((verdict) => {
            const count = checklist.filter((item) => item.verdict === verdict).length
            return count === 0 ? null : <Badge key={verdict} status={verdict} label={`${count} ${verdict}`} />
          })}
        </span>
      </div>
      {rest.length === 0 || last === undefined ? null : (
        <div className="task-refused">
          <p className="task-refused-head">
            The report of <a href={taskHref(runId, task.task_id, last.attempt)}>attempt {last.attempt}</a> was refused:
          </p>
          <Reasons refusals={rest} />
        </div>
      )}
      <ol className="task-items">
        {checklist.map((item) => (
          <Item
            key={item.index}
            runId={runId}
            taskId={task.task_id}
            item={item}
            trials={trials[item.index] ?? []}
            note={openNote(item, checklist, task)}
            isLive={isLive}
          />
        ))}
      </ol>
    </section>
  )
}

/** Of so many items it is looked at once whether they still hold; of the others when they are opened. */
const lookedAtOnce = 30

/** Says where what was proven does not hold any more in the files as they are now. */
const HoldsNow = ({
  index,
  runId,
  sha256,
  taskId
}: Pick<EvidenceProps, "index" | "runId" | "taskId"> & { readonly sha256: string }) => {
  const { data } = useApi(
    (client) => client.tasks.evidence({ params: { run: runId, task: taskId, index } }),
    [runId, taskId, index, sha256]
  )
  return data === null || data.status === "proven" || data.status === "re_anchored" ? null : (
    <Badge status={data.status} label={`${data.status} now`} />
  )
}

/** So many refused claims are shown of an item that is not proven; the others on demand. */
const shownAtOnce = 2

const Item = ({
  isLive,
  item,
  note,
  runId,
  taskId,
  trials
}: {
  readonly runId: string
  readonly taskId: string
  readonly item: ItemView
  readonly trials: ReadonlyArray<Trial>
  /** Why it is open. */
  readonly note: string | null
  readonly isLive: boolean
}) => {
  const [isOpen, setOpen] = useState(false)
  const [isAll, setAll] = useState(false)
  const { index, reason, receipt, verdict } = item
  const isDone = isClosed(verdict)
  const atOnce = isAll ? trials.length : isDone ? 0 : Math.min(shownAtOnce, trials.length)
  const left = trials.length - atOnce
  return (
    <li className={`task-item task-item-${verdict}`}>
      <div className="task-item-head">
        <Badge status={verdict} />
        <h4>{visible(item.item)}</h4>
        {isLive && isShown(verdict) && receipt !== null && isLineReceipt(receipt) && index < lookedAtOnce ? (
          <HoldsNow runId={runId} taskId={taskId} index={index} sha256={receipt.sha256} />
        ) : null}
      </div>
      {verdict === "waived" && reason !== null ? (
        <p className="task-item-line">
          <span className="muted">{item.answer === undefined ? "Skipped" : "Waived by a person"}, because: </span>
          {visible(reason)}
        </p>
      ) : null}
      {item.status === "cannot" && reason !== null ? (
        <p className="task-item-line">
          <span className="muted">Cannot be done, because: </span>
          {visible(reason)}
        </p>
      ) : null}
      {(item.guidance ?? []).map((text) => (
        <p key={text} className="task-item-line">
          <span className="muted">A person said: </span>
          {visible(text)}
        </p>
      ))}
      <Shown runId={runId} taskId={taskId} item={item} isLive={isLive} isOpen={isOpen} onToggle={setOpen} />
      <Remarks item={item} />
      {verdict === "unproven" && trials.length === 0 && note !== null ? (
        <p className="task-item-line muted">{note}</p>
      ) : null}
      {trials.slice(0, atOnce).map((trial) => (
        <Refused key={trial.attempt} runId={runId} taskId={taskId} trial={trial} />
      ))}
      {left === 0 && !isAll ? null : trials.length <= shownAtOnce && !isDone ? null : (
        <button type="button" className="task-more" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
          {isAll ? "Fold what was refused" : isDone ? refusedBefore(left) : refusedToo(left)}
        </button>
      )}
    </li>
  )
}

const refusedBefore = (attempts: number): string => `What was refused before (${counted(attempts, "attempt")})`

const refusedToo = (attempts: number): string => `${counted(attempts, "more attempt")} that did not show it`

interface ShownProps {
  readonly runId: string
  readonly taskId: string
  readonly item: ItemView
  readonly isLive: boolean
  readonly isOpen: boolean
  readonly onToggle: (isOpen: boolean) => void
}

/** The evidence that was given for an item. */
const Shown = ({ isLive, isOpen, item, onToggle, runId, taskId }: ShownProps) => {
  const { evidence, index, receipt, verdict } = item
  if (evidence === null) return null
  return receipt === null || !isShown(verdict) ? (
    <p className="task-item-line">
      <span className="muted">Evidence: </span>
      <code>{visible(evidence)}</code>
    </p>
  ) : (
    <Disclosure
      level={null}
      isOpen={isOpen}
      onToggle={onToggle}
      title={
        <>
          <span className="muted">Evidence </span>
          <code>{visible(evidence)}</code>
        </>
      }
    >
      {() => <Evidence runId={runId} taskId={taskId} index={index} receipt={receipt} isLive={isLive} />}
    </Disclosure>
  )
}

const Remarks = ({ item: { check, covers, evidence, shown_by, verdict, weak } }: { readonly item: ItemView }) => (
  <>
    {shown_by === null || (shown_by === "evidence" && evidence !== null && verdict !== "weak") ? null : (
      <p className="task-item-line">
        <span className="muted">Shown by </span>
        {verdict === "weak" ? `${shown_by}, weak as accepted` : shown_by}
      </p>
    )}
    {weak.map(({ message, reason: why }) => (
      <p key={why} className="task-item-line task-weak">
        <span aria-hidden="true">! </span>
        Shows less than it seems to: {visible(message)} <code className="task-code">{why}</code>
      </p>
    ))}
    {check === null ? null : (
      <p className="task-item-line">
        <span className="muted">Checked by </span>
        <code>{visible(check)}</code>
      </p>
    )}
    {covers.length === 0 ? null : (
      <p className="task-item-line">
        <span className="muted">Shows </span>
        {visible(covers.join(", "))}
      </p>
    )}
  </>
)

/** What one attempt claimed of the item, and why that was refused. */
const Refused = ({
  runId,
  taskId,
  trial
}: {
  readonly runId: string
  readonly taskId: string
  readonly trial: Trial
}) => {
  const { attempt, failed, row } = trial
  return (
    <div className="task-refused">
      <p className="task-refused-head">
        <a href={taskHref(runId, taskId, attempt)}>Attempt {attempt}</a>{" "}
        {row.claim === null ? "claimed nothing that could be read" : <Claimed claim={row.claim} />}
        {row.outcome === "refused" ? "; refused:" : failed.length > 0 ? "; its check did not pass:" : ""}
      </p>
      {row.refusals.length === 0 ? null : <Reasons refusals={row.refusals} />}
      {failed.map((check, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same command may stand twice
        <div key={i} className="task-failed">
          <CheckLine check={check} passed={hasPassed(check)} />
          {check.ablation === null || check.ablation.message === "" ? null : <p>{visible(check.ablation.message)}</p>}
          {check.output_tail.trim() === "" ? null : (
            <Printed
              text={check.output_tail}
              label={`Output of check ${i + 1} of item ${(row.index ?? 0) + 1} in attempt ${attempt}`}
            />
          )}
        </div>
      ))}
    </div>
  )
}

/** What was said of an item, after who has said it. */
export const Claimed = ({ claim }: { readonly claim: NonNullable<Trial["row"]["claim"]> }) => (
  <>
    claimed <strong>{claim.status}</strong>
    {claim.evidence == null || claim.evidence === "" ? (
      claim.status === "done" ? (
        " without evidence"
      ) : null
    ) : (
      <>
        {" with "}
        <code>{visible(claim.evidence)}</code>
      </>
    )}
    {claim.reason == null || claim.reason === "" ? (
      claim.status === "skipped" ? (
        " without a reason"
      ) : null
    ) : (
      <> because “{visible(claim.reason)}”</>
    )}
  </>
)
