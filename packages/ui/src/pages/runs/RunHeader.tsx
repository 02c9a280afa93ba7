import { closedOf, counted, standingText } from "@proofline/kernel"
import type { RunView } from "@proofline/plugins/frontends/http/api"
import { useRef } from "react"
import { Link } from "wouter"
import { useRevision, useServer } from "../../api/live.ts"
import { type Loaded, useApi } from "../../api/useApi.ts"
import { useConnection } from "../../fold/hooks.tsx"
import type { RunNow } from "../../fold/protocol.ts"
import { ShownBadge } from "../../parts/Badge.tsx"
import { CopyButton } from "../../parts/CopyButton.tsx"
import { named, visible } from "../../parts/code/visible.ts"
import { ProofBar } from "../../parts/ProofBar.tsx"
import { useTitle } from "../../parts/title.ts"
import { to } from "../../route.ts"
import { RunActions } from "./RunActions.tsx"
import "./RunHeader.css"

/** What the server says of the run as it is now. */
export const useDetails = (run_id: string): Loaded<RunView> => {
  const revision = useRevision(run_id)
  const server = useServer()
  return useApi((client) => client.runs.get({ params: { run: run_id } }), [run_id], {
    again: `${revision}:${server.state === "live"}`
  })
}

export interface RunHeaderProps {
  readonly run: RunNow
  readonly details: Loaded<RunView>
  /** On a narrow screen: actions and slider are shown. */
  readonly isUnfolded: boolean
  readonly onFold: (isUnfolded: boolean) => void
}

/** In one line: name, how it stands, what it has shown, and what can be done with it. */
export const RunHeader = ({ details, isUnfolded, onFold, run }: RunHeaderProps) => {
  const name = run.name === "" ? run.run_id : run.name
  useTitle(name)
  const standing = visible(standingText(run.status, run.proof))
  // while the log is read, a moment on the way is shown: nothing is to be done with that, nor with one of the past
  const isRead = useConnection().state !== "loading"
  const now = run.is_live ? details.data : null
  // what the server says comes a moment later than the events: buttons of before would take the place of those that stand there
  const last = useRef<RunNow["status"]>(null)
  if (run.is_live) last.current = run.status
  const parent = details.data?.parent_run_id ?? null
  return (
    <header className="run-header" data-run={run.run_id} data-status={run.status}>
      <div className="run-title">
        <span className="run-way muted">
          <Link href={to.runs}>Runs</Link>
          <span aria-hidden="true">/</span>
          {parent === null ? null : (
            <>
              <Link href={to.run(parent)}>its requirements run</Link>
              <span aria-hidden="true">/</span>
            </>
          )}
        </span>
        <h1 className="clip" title={visible(name)}>
          {named(name)}
        </h1>
        <ShownBadge shown={now?.shown_as.word === "waiting" ? now.shown_as : run.shown_as} />
      </div>
      <p className="run-proof" data-verdict={run.proof.verdict}>
        {closedOf(run.proof.counts).total === 0 ? null : <ProofBar {...run.proof} />}
        <span className="clip" title={standing}>
          {standing}
        </span>
        {run.refusals === 0 ? null : (
          <Link href={to.refusals(run.run_id)} className="run-refused">
            {counted(run.refusals, "claim")} refused
          </Link>
        )}
      </p>
      <button
        type="button"
        className="run-fold"
        aria-expanded={isUnfolded}
        aria-label={isUnfolded ? "Fold actions and slider" : "Actions and slider"}
        onClick={() => onFold(!isUnfolded)}
      >
        <span aria-hidden="true">{isUnfolded ? "▴" : "▾"}</span>
      </button>
      <CopyButton word="Copy link" label="link to this view" text={() => location.href} />
      <RunActions
        key={run.run_id}
        // what can be done is about now: at a moment of the past the same buttons stand there, and do nothing
        run={{ ...run, status: last.current ?? details.data?.status ?? run.status }}
        isOff={!run.is_live || !isRead}
        onDone={details.reload}
      />
    </header>
  )
}
