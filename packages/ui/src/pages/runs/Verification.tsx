import { standingText } from "@proofline/kernel"
import type { LogVerification } from "@proofline/plugins/frontends/http/api"
import { Link } from "wouter"
import { Badge } from "../../parts/Badge.tsx"
import { named, visible } from "../../parts/code/visible.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { to } from "../../route.ts"

/** So many receipts that do not hold are named; the rest is counted. */
const most = 50

/** What a verification found: whether the log is whole, and everything that was proven still holds. */
export const Verification = ({
  onClose,
  verified
}: {
  readonly verified: LogVerification
  readonly onClose: () => void
}) => {
  const { chain, receipts, run_id, run_status, verdict, whole } = verified
  const changed = receipts.filter(({ status }) => status !== "proven")
  const lost = changed.filter(({ status }) => status !== "re_anchored")
  const holding = receipts.length - lost.length
  return (
    <Dialog title="Verification" onClose={onClose}>
      <div className="row run-verified-head" data-whole={whole}>
        <p role="status">
          <Badge status={whole ? "proven" : "stale"} label={whole ? "Whole" : "Not whole"} />{" "}
          {whole
            ? "All that was asked for is proven and still holds."
            : "Not all that was asked for is proven, or not all of it holds any more."}
        </p>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <dl className="run-verified-facts">
        <dt>Log</dt>
        <dd>
          <Badge status={chain.ok ? "proven" : "failed"} label={chain.ok ? "as it was written" : "broken"} />{" "}
          {chain.ok
            ? `${chain.events.toLocaleString("en")} events, each joined to the one before by its hash.`
            : `${visible(chain.message)} Sound up to event ${chain.events.toLocaleString("en")}.`}
        </dd>
        <dt>Shown</dt>
        <dd>
          <Badge status={verdict} /> {visible(standingText(run_status, verified))}
        </dd>
        <dt>Receipts</dt>
        <dd>
          {receipts.length === 0
            ? "There are none."
            : `${holding} of ${receipts.length} hold in the files as they are now.`}
        </dd>
      </dl>
      {changed.length === 0 ? null : (
        <Changed run={run_id} receipts={[...lost, ...changed.filter(({ status }) => status === "re_anchored")]} />
      )}
    </Dialog>
  )
}

/** The receipts that are no longer as they were, those that do not hold first. */
const Changed = ({ receipts, run }: { readonly run: string; readonly receipts: LogVerification["receipts"] }) => (
  <ul className="run-verified-list">
    {receipts.slice(0, most).map(({ evidence, item, now, reason, status, task_id }) => (
      <li key={`${task_id}\n${item}\n${evidence}`}>
        <Badge status={status} />
        <div>
          <p>
            <Link href={to.task(run, task_id)}>{named(task_id)}</Link> {visible(item)}
          </p>
          <p className="muted">
            <code>{visible(evidence)}</code>
            {now === null || now === evidence ? null : (
              <>
                {" → "}
                <code>{visible(now)}</code>
              </>
            )}{" "}
            {visible(reason)}
          </p>
        </div>
      </li>
    ))}
    {receipts.length > most ? (
      <li className="muted">
        and {receipts.length - most} more: <code>proofline verify {run}</code> lists all
      </li>
    ) : null}
  </ul>
)
