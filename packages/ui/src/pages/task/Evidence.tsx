import { isLineReceipt, type KindReceipt, type LineReceipt, type Receipt } from "@proofline/kernel"
import type { EvidenceView } from "@proofline/plugins/frontends/http/api"
import type { ReactNode } from "react"
import { useApi } from "../../api/useApi.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Code } from "../../parts/code/Code.tsx"
import { Copied } from "../../parts/code/Copied.tsx"
import { Diff } from "../../parts/code/Diff.tsx"
import { visible } from "../../parts/code/visible.ts"
import { FailureNotice } from "../../parts/FailureNotice.tsx"
import { Fact } from "./bits.tsx"

export interface EvidenceProps {
  readonly runId: string
  readonly taskId: string
  /** Of the item, from 0. */
  readonly index: number
  readonly receipt: Receipt
  readonly isLive: boolean
}

/** The lines that were accepted, whether they still stand there, and the receipt that anyone can verify. */
export const Evidence = ({ index, isLive, receipt, runId, taskId }: EvidenceProps) => {
  const { data, error, loading, reload } = useApi(
    (client) => client.tasks.evidence({ params: { run: runId, task: taskId, index } }),
    [runId, taskId, index, isLineReceipt(receipt) ? receipt.sha256 : receipt.reference]
  )
  return (
    <div className="task-evidence">
      {isLive ? null : <p className="muted">You see a moment of the past; the code is what is in the files now.</p>}
      {error === null ? null : <FailureNotice failure={error} title="The lines cannot be shown." />}
      {data === null ? (
        loading ? (
          <p className="muted">Reading the lines …</p>
        ) : null
      ) : (
        <Shown view={data} index={index} />
      )}
      {isLineReceipt(receipt) ? <ReceiptFacts receipt={receipt} /> : <KindFacts receipt={receipt} />}
      <button type="button" className="task-more" disabled={loading} onClick={reload}>
        Look at the files again
      </button>
    </div>
  )
}

const rangeText = ({
  end,
  path,
  start
}: {
  readonly path: string
  readonly start: number
  readonly end: number
}): string => `${path}:${start === end ? start : `${start}-${end}`}`

interface LinesProps {
  readonly view: EvidenceView & { readonly receipt: LineReceipt }
  readonly index: number
}

const Shown = ({ index, view }: { readonly view: EvidenceView; readonly index: number }) => {
  const { receipt, ...rest } = view
  if (view.in_worktree === true && view.status !== "proven" && view.status !== "re_anchored") {
    const { accepted } = view
    const cited = isLineReceipt(receipt) ? ([receipt.start, receipt.end] as const) : null
    return (
      <>
        <Standing status={view.status} reason={view.reason}>
          It is not in the project yet.
        </Standing>
        {accepted === null ? null : <Code {...accepted} cited={cited} label={`as accepted, ${ofItem(index)}`} />}
      </>
    )
  }
  return isLineReceipt(receipt) ? (
    <Lines view={{ ...rest, receipt }} index={index} />
  ) : (
    <Standing status={view.status} reason={view.reason}>
      {view.status === "proven" ? "It still holds." : "It does not hold any more."}
    </Standing>
  )
}

/** The lines as they were accepted, and as they are now where that differs. */
const Lines = ({ index, view }: LinesProps) => {
  const { accepted, reason, receipt, status } = view
  if (status === "proven" || status === "re_anchored") return <Holding view={view} index={index} />
  const cited = [receipt.start, receipt.end] as const
  const label = `${rangeText(receipt)} as accepted, ${ofItem(index)}`
  const then = accepted === null ? <Lost /> : <Code {...accepted} cited={cited} label={label} />
  if (status === "missing") {
    return (
      <>
        <Standing status={status} reason={reason}>
          It does not hold any more: the lines are gone.
        </Standing>
        {then}
      </>
    )
  }
  return <Changed view={view} index={index} then={then} />
}

const ofItem = (index: number): string => `evidence of item ${index + 1}`

const Holding = ({ index, view }: LinesProps) => {
  const { accepted, current, now, reason, receipt, status } = view
  const cited = [receipt.start, receipt.end] as const
  const at = now ?? receipt
  const shown = current ?? accepted
  return (
    <>
      <Standing status={rangeText(at) === rangeText(receipt) ? "proven" : status} reason={reason}>
        {status === "proven" ? (
          "It still holds: the lines stand where they were accepted."
        ) : rangeText(at) === rangeText(receipt) ? (
          "It still holds."
        ) : (
          <>
            It still holds: the same lines stand at <code>{visible(rangeText(at))}</code> now.
          </>
        )}
      </Standing>
      {shown === null ? null : (
        <Code
          {...shown}
          cited={current === null ? cited : [at.start, at.end]}
          label={`${rangeText(at)}, ${ofItem(index)}`}
        />
      )}
    </>
  )
}

/** `then`: the lines as they were accepted, for when they cannot be compared. */
const Changed = ({ index, then, view }: LinesProps & { readonly then: ReactNode }) => {
  const { accepted, current, now, reason, receipt, status } = view
  const cited = [receipt.start, receipt.end] as const
  const of = ofItem(index)
  return (
    <>
      <Standing status={status} reason={reason}>
        {current === null && now === null
          ? "It does not hold any more: the lines cannot be read."
          : "It does not hold any more: the lines changed since they were accepted."}
      </Standing>
      {accepted !== null && current !== null ? (
        <Diff then={accepted} now={current} cited={cited} label={`${rangeText(receipt)} as accepted and now, ${of}`} />
      ) : (
        <>
          {then}
          {current === null ? null : (
            <>
              <p>What stands there now:</p>
              <Code
                {...current}
                cited={now === null ? null : [now.start, now.end]}
                label={`${rangeText(receipt)} now, ${of}`}
              />
            </>
          )}
        </>
      )}
    </>
  )
}

const Lost = () => (
  <p className="muted">
    The lines as they were accepted are kept nowhere any more: the file was never committed so. Their sha256 is below.
  </p>
)

const Standing = ({
  children,
  reason,
  status
}: {
  readonly status: EvidenceView["status"]
  readonly reason: string
  readonly children: ReactNode
}) => (
  <p className="task-standing">
    <Badge status={status} label={status === "proven" ? "holds" : status === "re_anchored" ? "moved" : status} />{" "}
    {children} {reason === "" ? null : visible(reason)}
  </p>
)

/** What a plugin's kind of evidence has found. */
const KindFacts = ({ receipt: { fact, reference, scheme } }: { readonly receipt: KindReceipt }) => (
  <dl className="task-facts task-receipt" aria-label="Receipt">
    <Fact name="Accepted">
      <code>{visible(`${scheme}:${reference}`)}</code>
    </Fact>
    <Fact name="Found there">
      <code>{visible(JSON.stringify(fact))}</code>
    </Fact>
  </dl>
)

const ReceiptFacts = ({ receipt }: { readonly receipt: LineReceipt }) => {
  const { covers, declaration, end, git_blob, git_commit, path, sha256, start } = receipt
  const isWider = covers.start !== start || covers.end !== end
  return (
    <dl className="task-facts task-receipt" aria-label="Receipt">
      <Fact name="Accepted lines">
        <code>{visible(rangeText({ path, start, end }))}</code>
        {isWider ? <span className="muted"> judged as {`${covers.start}-${covers.end}`}</span> : null}
      </Fact>
      {declaration === null ? null : (
        <Fact name={`In ${declaration.kind.replaceAll("_", " ")}`}>
          <code>{visible(declaration.name)}</code>
          <span className="muted">
            {" "}
            lines {declaration.start} to {declaration.end}
          </span>
        </Fact>
      )}
      <Fact name="sha256 of the lines">
        <Copied text={sha256} what="the sha256 of the lines" />
      </Fact>
      {git_blob === null ? null : (
        <Fact name="git blob of the file">
          <Copied text={git_blob} what="the git blob" />
        </Fact>
      )}
      {git_commit === null ? null : (
        <Fact name="git commit then">
          <Copied text={git_commit} what="the git commit" />
        </Fact>
      )}
    </dl>
  )
}
