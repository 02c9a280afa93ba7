import { useEffect, useRef, useState } from "react"
import { keyOf } from "../../api/approval.ts"
import { useNotify } from "../../api/notify.ts"
import { useProject } from "../../api/project.tsx"
import { FailureNotice } from "../../parts/FailureNotice.tsx"
import { Empty } from "../../parts/Notice.tsx"
import { useTitle } from "../../parts/title.ts"
import { ApprovalCard } from "./ApprovalCard.tsx"

/** Everything that waits for a person, in all runs. */
export const ApprovalsPage = () => {
  const { approvals, approvalsError, reloadApprovals } = useProject()
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set())
  const list = useRef<HTMLDivElement>(null)
  const nextIndex = useRef<number | null>(null)
  const open = approvals?.filter((approval) => !decided.has(keyOf(approval))) ?? []
  useTitle("Waiting for you")
  useEffect(() => {
    // the same may be asked again later
    const asked = new Set(approvals?.map(keyOf))
    setDecided((before) => {
      const still = [...before].filter((key) => asked.has(key))
      return still.length === before.size ? before : new Set(still)
    })
  }, [approvals])
  useEffect(() => {
    if (nextIndex.current === null) return
    const headings = list.current?.querySelectorAll<HTMLElement>(".approval-question") ?? []
    const next = headings[Math.min(nextIndex.current, headings.length - 1)]
    nextIndex.current = null
    ;(next ?? list.current?.querySelector("h1"))?.focus()
  })
  return (
    <div className="approvals stack" ref={list}>
      <h1 tabIndex={-1}>Waiting for you</h1>
      <Notify />
      {approvals === null ? (
        approvalsError === null ? (
          <p className="muted">Looking for questions …</p>
        ) : (
          <FailureNotice failure={approvalsError} title="What waits could not be read." />
        )
      ) : open.length === 0 ? (
        <Empty title="Nothing waits for a person.">
          <p>
            What agents ask leave for, questions of theirs, what they cannot do, and conflicts between changes that only
            a person can decide appear here. Until they are answered, the run or the task that asks does not go on.
          </p>
        </Empty>
      ) : (
        open.map((approval, index) => (
          <ApprovalCard
            key={keyOf(approval)}
            approval={approval}
            level={2}
            namesRun
            onDone={() => {
              nextIndex.current = index
              setDecided((before) => new Set([...before, keyOf(approval)]))
              reloadApprovals()
            }}
          />
        ))
      )}
    </div>
  )
}

/** Off until somebody asks for it. */
const Notify = () => {
  const notify = useNotify()
  if (notify === null) return null
  const [isWanted, setWanted] = notify
  return (
    <label className="row">
      <input type="checkbox" checked={isWanted} onChange={(event) => setWanted(event.currentTarget.checked)} />
      Tell me on the desktop when something new waits and I look elsewhere
    </label>
  )
}
