import type { RunView } from "@proofline/plugins/frontends/http/api"
import { type ReactNode, useLayoutEffect, useRef, useState } from "react"
import { Link, useLocation } from "wouter"
import { serveAgain } from "../../api/failure.ts"
import { useSession } from "../../api/session.ts"
import type { Loaded } from "../../api/useApi.ts"
import { OpenRun, useConnection, useQuery } from "../../fold/hooks.tsx"
import type { Connection, RunNow } from "../../fold/protocol.ts"
import { named, visible } from "../../parts/code/visible.ts"
import { Empty, Notice } from "../../parts/Notice.tsx"
import { useNow } from "../../parts/now.ts"
import { number } from "../../parts/number.ts"
import { currentBase, decoded, to } from "../../route.ts"
import { RequirementsPanel } from "../requirements/RequirementsPanel.tsx"
import { RunHeader, useDetails } from "../runs/RunHeader.tsx"
import { Figures, Urgent } from "../runs/Summary.tsx"
import { TaskPanel } from "../task/TaskPanel.tsx"
import { TryAgain } from "../task/TryAgain.tsx"
import { Events } from "./Events.tsx"
import { LatestRefusals, Refusals } from "./Refusals.tsx"
import { Slider } from "./Slider.tsx"
import { Timeline } from "./Timeline.tsx"
import { Tree } from "./Tree.tsx"
import { useAddressedMoment } from "./useAddressedMoment.ts"
import "./run.css"

/** One run: header and slider, and the view that the address names. */
export const RunPage = ({ runId }: { readonly runId: string }) => {
  const { token } = useSession()
  return (
    <OpenRun run={runId} base={`${location.origin}${currentBase()}`} token={token ?? ""}>
      <Opened runId={runId} />
    </OpenRun>
  )
}

const Opened = ({ runId }: { readonly runId: string }) => {
  const connection = useConnection()
  const run = useQuery("run", {})
  if (run === undefined || run.head === 0) {
    return (
      <>
        <h1 className="run-opening">{named(runId)}</h1>
        <Opening connection={connection} />
      </>
    )
  }
  return <Shown connection={connection} run={run} />
}

const Shown = ({ connection, run }: { readonly connection: Connection; readonly run: RunNow }) => {
  const details = useDetails(run.run_id)
  const [isUnfolded, setUnfolded] = useState(false)
  useAddressedMoment()
  return (
    <div className="run">
      <div className="run-top" data-unfolded={isUnfolded || !run.is_live}>
        <RunHeader run={run} details={details} isUnfolded={isUnfolded} onFold={setUnfolded} />
        <Tabs run={run} />
        <Slider run={run} />
      </div>
      <Connected connection={connection} run={run} />
      <View run={run} details={details} />
    </div>
  )
}

const Opening = ({ connection }: { readonly connection: Connection }) => {
  switch (connection.state) {
    case "refused":
      return connection.status === 404 ? (
        <Empty title="There is no such run in this project.">
          <p>
            {visible(connection.message)} <Link href={to.runs}>All runs</Link> are the place to begin.
          </p>
        </Empty>
      ) : (
        <Notice tone="bad" title="The log of this run cannot be read.">
          <p>
            {visible(connection.message)} (<code>{connection.code}</code>) {visible(connection.hint)}
          </p>
        </Notice>
      )
    case "lost":
      return <Lost connection={connection} />
    default:
      return <p className="muted">Reading the log …</p>
  }
}

const Lost = ({ connection }: { readonly connection: Extract<Connection, { readonly state: "lost" }> }) => {
  const seconds = Math.max(0, Math.ceil((connection.again_at - useNow(true)) / 1_000))
  return (
    <Notice tone="warn" title={connection.message}>
      <p>
        What you see is what was known before. It is tried again{seconds === 0 ? " now" : ` in ${seconds} s`}; nothing
        is lost and nothing is shown twice. {serveAgain}
      </p>
    </Notice>
  )
}

/** What is to be said of the log itself. */
const Connected = ({ connection, run }: { readonly connection: Connection; readonly run: RunNow }) => (
  <>
    {connection.state === "lost" ? <Lost connection={connection} /> : null}
    {connection.state === "refused" ? (
      <Notice tone="bad" title="This run is not followed any more.">
        <p>
          {visible(connection.message)} (<code>{connection.code}</code>) {visible(connection.hint)} What you see is what
          was known before; reload the page to try again.
        </p>
      </Notice>
    ) : null}
    {connection.state === "loading" && connection.loaded > 2_000 ? (
      <p className="muted" role="status">
        {number(connection.loaded)} events read …
      </p>
    ) : null}
    {run.unknown_types.length === 0 ? null : (
      <Notice tone="info" title="This log holds events of plugins that this page does not know.">
        <p>
          They are shown in the list of events and change nothing else here:{" "}
          <code>{visible(run.unknown_types.join(", "))}</code>
        </p>
      </Notice>
    )}
  </>
)

/** What the address names of the run: a view, and of its tasks one. */
const useView = (): readonly [view: string, task: string] => {
  const [path] = useLocation()
  const [view = "", task = ""] = path.split("/").slice(3)
  return [view, decoded(task)]
}

const Tabs = ({ run }: { readonly run: RunNow }) => {
  const [view] = useView()
  const base = to.run(run.run_id)
  const isLoop = run.kind === "requirements"
  return (
    <nav className="run-tabs" aria-label="Views of the run">
      {isLoop ? (
        <Tab href={base} isHere={view === "" || view === "requirements"}>
          Requirements
        </Tab>
      ) : null}
      <Tab href={isLoop ? `${base}/tasks` : base} isHere={view === "tasks" || (view === "" && !isLoop)}>
        Tasks
      </Tab>
      <Tab href={to.refusals(run.run_id)} isHere={view === "refusals"}>
        Refusals<span className={run.refused === 0 ? "run-count" : "run-count tone-bad"}>{number(run.refused)}</span>
      </Tab>
      <Tab href={`${base}/timeline`} isHere={view === "timeline"}>
        Timeline
      </Tab>
      <Tab href={`${base}/events`} isHere={view === "events"}>
        Events
      </Tab>
    </nav>
  )
}

const Tab = ({
  children,
  href,
  isHere
}: {
  readonly href: string
  readonly isHere: boolean
  readonly children: ReactNode
}) => (
  <Link href={href} className="run-tab" aria-current={isHere ? "page" : undefined}>
    {children}
  </Link>
)

interface ViewProps {
  readonly run: RunNow
  readonly details: Loaded<RunView>
}

const View = ({ details, run }: ViewProps) => {
  const [view, task] = useView()
  const isLoop = run.kind === "requirements"
  switch (view) {
    case "":
      return isLoop ? <Requirements run={run} details={details} /> : <Panes run={run} details={details} task="" />
    case "tasks":
      return <Panes run={run} details={details} task={task} />
    case "refusals":
      return <Refusals run={run} />
    case "timeline":
      return <Timeline run={run} />
    case "events":
      return <Events run={run} />
    case "requirements":
      if (isLoop) return <Requirements run={run} details={details} />
      break
  }
  return (
    <Empty title="There is no such view of a run.">
      <p>
        <Link href={to.run(run.run_id)}>Its tasks</Link> are the place to begin.
      </p>
    </Empty>
  )
}

/** A requirements run opens on its requirements. */
const Requirements = ({ details, run }: ViewProps) =>
  isAsked(details) ? (
    <>
      <Urgent run={run} details={details} />
      <RequirementsPanel run={run} />
      <Figures run={run} details={details} />
    </>
  ) : (
    <Reading />
  )

/** What waits stands before all else: until that is known, nothing stands where it would push it away. */
const isAsked = ({ data, error }: Loaded<RunView>): boolean => data !== null || error !== null

const Reading = () => <p className="muted">Reading what waits …</p>

/** The tasks, and beside them the one that the address names, or the run as a whole. On a narrow screen one of them. */
const Panes = ({ details, run, task }: ViewProps & { readonly task: string }) => {
  const isTask = task !== ""
  if (!isTask && !isAsked(details)) return <Reading />
  return (
    <div className="panes" data-task={isTask}>
      {isTask ? null : <Urgent run={run} details={details} />}
      <Tree run={run} chosen={isTask ? task : null} />
      <div className="panes-main">
        {isTask ? (
          <Task run={run} id={task} />
        ) : (
          <>
            <Figures run={run} details={details} />
            <LatestRefusals run={run} />
          </>
        )}
      </div>
    </div>
  )
}

const Task = ({ id, run }: { readonly run: RunNow; readonly id: string }) => {
  const task = useQuery("task", { task_id: id })
  const found = task?.task_id === id ? task : null
  const pane = useRef<HTMLDivElement>(null)
  // another task is read from its beginning; on a narrow screen the list that had the focus is gone
  // biome-ignore lint/correctness/useExhaustiveDependencies: each task anew
  useLayoutEffect(() => {
    scrollTo(0, 0)
    if (document.activeElement?.checkVisibility() !== true) pane.current?.focus({ preventScroll: true })
  }, [id])
  return (
    <div ref={pane} tabIndex={-1} className="panes-task">
      <p className="panes-up">
        <Link href={to.run(run.run_id)}>All tasks of the run</Link>
      </p>
      {task === undefined ? (
        <p className="muted">Looking it up …</p>
      ) : found === null ? (
        <Empty title={run.is_live ? "This run has no such task." : "There was no such task at this event."}>
          <p>
            <code>{named(id)}</code>
            {run.is_live ? " is not among its tasks." : " was registered later, or never."}
          </p>
        </Empty>
      ) : (
        <TaskPanel
          key={id}
          runId={run.run_id}
          task={found}
          isLive={run.is_live}
          at={run.at}
          actions={<TryAgain run={run} task={found} />}
        />
      )}
    </div>
  )
}
