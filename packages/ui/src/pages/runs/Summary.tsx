import { closedOf, isClosed } from "@proofline/kernel"
import type { RunView } from "@proofline/plugins/frontends/http/api"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { keyOf } from "../../api/approval.ts"
import { useProject } from "../../api/project.tsx"
import type { Loaded } from "../../api/useApi.ts"
import { useConnection } from "../../fold/hooks.tsx"
import type { LoopNow, RunNow } from "../../fold/protocol.ts"
import { Badge } from "../../parts/Badge.tsx"
import { named, visible } from "../../parts/code/visible.ts"
import { Notice } from "../../parts/Notice.tsx"
import { useNow } from "../../parts/now.ts"
import { number } from "../../parts/number.ts"
import { Progress } from "../../parts/Progress.tsx"
import { ProofBar } from "../../parts/ProofBar.tsx"
import { When } from "../../parts/When.tsx"
import { between, durationText } from "../../parts/when.ts"
import { to } from "../../route.ts"
import { ApprovalCard } from "../approvals/ApprovalCard.tsx"
import { Failures } from "./Failures.tsx"
import { workText } from "./RunLine.tsx"

interface SummaryProps {
  readonly run: RunNow
  readonly details: Loaded<RunView>
}

/** What needs somebody first: how it ended, what a person is asked, why it failed. */
export const Urgent = ({ details, run }: SummaryProps) => {
  const { reloadApprovals } = useProject()
  const now = run.is_live ? details.data : null
  return (
    <div className="run-urgent">
      <Notices run={run} />
      {now?.approvals.map((approval) => (
        <ApprovalCard
          key={keyOf(approval)}
          approval={approval}
          level={2}
          namesRun={false}
          onDone={() => {
            details.reload()
            reloadApprovals()
          }}
        />
      ))}
      <Failures run={run} />
    </div>
  )
}

/** How much of what has to hold is shown, and the figures of the run. */
export const Figures = ({ details, run }: SummaryProps) => (
  <section className="card run-figures" aria-label="Figures of the run">
    {run.loop === null ? <Items run={run} /> : <Requirements loop={run.loop} />}
    <Facts run={run} now={run.is_live ? details.data : null} />
  </section>
)

/** How it ended, and what is wrong with its log. */
const Notices = ({ run }: { readonly run: RunNow }) => (
  <>
    {run.message === "" ? null : run.status === "cancelled" ? (
      <Notice tone="info" title="It was cancelled.">
        {visible(run.message)}
      </Notice>
    ) : (
      <Notice
        tone={run.status === "failed" ? "bad" : run.status === "completed" ? "info" : "warn"}
        title={run.message}
      />
    )}
    {run.fault === null ? null : (
      <Notice tone="bad" title="The log of this run cannot be read further.">
        {visible(run.fault)}
      </Notice>
    )}
  </>
)

/** How much of what has to hold is shown. */
const Items = ({ run: { proof } }: { readonly run: RunNow }) =>
  closedOf(proof.counts).total === 0 ? null : (
    <div className="run-items">
      <ProofBar {...proof} />
    </div>
  )

/** How many requirements are met, and how many are shown not to be. */
const Requirements = ({ loop: { requirements } }: { readonly loop: LoopNow }) => {
  const met = requirements.filter(({ verdict }) => isClosed(verdict)).length
  const refuted = requirements.filter(({ verdict }) => verdict === "refuted").length
  const open = requirements.length - met - refuted
  if (requirements.length === 0) return null
  return (
    <div className="run-items">
      <Progress
        label={`Of ${requirements.length} requirements ${met} met, ${refuted} refuted, ${open} open`}
        segments={[
          { tone: "good", count: met },
          { tone: "bad", count: refuted },
          { tone: "open", count: open }
        ]}
      />
      <ul className="run-legend">
        <Legend status={met === 0 ? "unproven" : "proven"} text={`${met} of ${requirements.length} requirements met`} />
        {refuted === 0 ? null : <Legend status="refuted" text={`${refuted} refuted`} />}
        {open === 0 ? null : <Legend status="pending" text={`${open} open`} />}
      </ul>
    </div>
  )
}

const Legend = ({ status, text }: { readonly status: string; readonly text: string }) => (
  <li>
    <Badge status={status} label={text} />
  </li>
)

const Fact = ({ children, name }: { readonly name: string; readonly children: ReactNode }) => (
  <div className="run-fact">
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** `3`, or `3 of 10` where it may be so many at most. */
const spentOf = (spent: number, most: number | null | undefined, text = number): string =>
  most === null || most === undefined ? text(spent) : `${text(spent)} of ${text(most)}`

const dollars = (amount: number): string => `$${amount.toFixed(2)}`

const tasksOf = (run: RunNow): string =>
  [workText(run), ...(run.tasks_active === 0 ? [] : [`${run.tasks_active} at work`])].join(" · ")

/** The details are those of now: at a moment of the past, `now` is null. */
const Facts = ({ now, run }: { readonly run: RunNow; readonly now: RunView | null }) => {
  const { at, ended_at, is_live, loop, started_at, status } = run
  const isFollowed = useConnection().state !== "loading" && is_live
  const clock = useNow(isFollowed && status === "running")
  const until = ended_at ?? (isFollowed ? null : at)
  return (
    <dl className="run-facts">
      <Fact name="Run">
        <code>{named(run.run_id)}</code>
      </Fact>
      <Fact name="Kind">
        {run.kind}
        {run.phase === null ? "" : `, phase ${named(run.phase)}`}
      </Fact>
      {started_at === null ? null : (
        <Fact name="Started">
          <When at={started_at} />
        </Fact>
      )}
      <Fact name={ended_at === null ? "For" : "Took"}>{durationText(between(started_at, until, clock))}</Fact>
      {loop === null ? (
        <Fact name="Tasks">{tasksOf(run)}</Fact>
      ) : (
        <>
          {status === "running" ? <Fact name="Loop">{loop.status.replaceAll("_", " ")}</Fact> : null}
          <Fact name="Iteration">
            {loop.iteration} of {loop.max_iterations}
          </Fact>
        </>
      )}
      <Spent run={run} budget={now?.budget} />
      {now === null ? null : <FactsOfNow kind={run.kind} now={now} />}
    </dl>
  )
}

const Spent = ({ budget, run }: { readonly run: RunNow; readonly budget: RunView["budget"] | undefined }) => {
  const { attempts, loop, spent } = run
  return (
    <>
      {loop !== null && attempts === 0 ? null : (
        <Fact name="Attempts">
          {attempts === spent.attempts
            ? spentOf(attempts, budget?.max_attempts)
            : `${number(attempts)}, ${spentOf(spent.attempts, budget?.max_attempts)} since it was resumed`}
        </Fact>
      )}
      {/* calls are counted only where something depends on them */}
      {spent.calls === 0 && budget?.max_calls == null ? null : (
        <Fact name="Calls">{spentOf(spent.calls, budget?.max_calls)}</Fact>
      )}
      {spent.tokens === 0 ? null : <Fact name="Tokens">{spentOf(spent.tokens, budget?.max_tokens)}</Fact>}
      {spent.cost_usd === 0 ? null : <Fact name="Cost">{spentOf(spent.cost_usd, budget?.max_cost_usd, dollars)}</Fact>}
    </>
  )
}

const FactsOfNow = ({ kind, now }: { readonly kind: RunNow["kind"]; readonly now: RunView }) => (
  <>
    {/* to a session agents come by themselves */}
    {kind === "session" ? null : (
      <>
        <Fact name="Agent">
          {named(now.agent)}
          {now.reviewer === null ? "" : `, judged by ${named(now.reviewer)}`}
        </Fact>
        <Fact name="Workers">{now.workers}</Fact>
      </>
    )}
    {/* `-`: it came from no file */}
    {now.input === null || now.input.path === "-" ? null : (
      <Fact name="File">
        <code title={`sha256 ${now.input.sha256}`}>{named(now.input.path)}</code>
      </Fact>
    )}
    {now.driver === null || now.status !== "running" ? null : (
      <Fact name="Driven by">
        process {now.driver.pid} on {named(now.driver.host)}
      </Fact>
    )}
    {now.child_run_ids.length === 0 ? null : (
      <Fact name="Task runs">
        <span className="run-children">
          {now.child_run_ids.map((id, index) => (
            <Link key={id} href={to.run(id)} title={named(id)}>
              {index + 1}
              <span className="visually-hidden">, {named(id)}</span>
            </Link>
          ))}
        </span>
      </Fact>
    )}
  </>
)
