import type { ReactNode } from "react"
import { Link, useLocation } from "wouter"
import { useSession } from "../../api/session.ts"
import { OpenRun, useConnection, useQuery, useSeek } from "../../fold/hooks.tsx"
import type { Connection, RunNow } from "../../fold/protocol.ts"
import { Empty, Notice } from "../../parts/Notice.tsx"
import { useNow } from "../../parts/now.ts"
import { timeText } from "../../parts/when.ts"
import { decoded, to } from "../../route.ts"
import { RequirementsPanel } from "../requirements/RequirementsPanel.tsx"
import { RunHeader } from "../runs/RunHeader.tsx"
import { TaskPanel } from "../task/TaskPanel.tsx"
import { Events } from "./Events.tsx"
import { number } from "./numbers.ts"
import { Slider } from "./Slider.tsx"
import { Timeline } from "./Timeline.tsx"
import { Tree } from "./Tree.tsx"
import "./run.css"

/** One run: header, slider, and the view that the address names. */
export const RunPage = ({ runId }: { readonly runId: string }) => {
  const { token } = useSession()
  return (
    <OpenRun run={runId} base={location.origin} token={token ?? ""}>
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
        <h1 className="run-opening">{runId}</h1>
        <Opening connection={connection} />
      </>
    )
  }
  return (
    <div className="run">
      <RunHeader run={run} />
      <Connected connection={connection} run={run} />
      <Slider run={run} />
      <Past run={run} />
      <Views run={run} />
    </div>
  )
}

const Opening = ({ connection }: { readonly connection: Connection }) => {
  switch (connection.state) {
    case "refused":
      return connection.status === 404 ? (
        <Empty title="There is no such run in this project.">
          <p>
            {connection.message} <Link href={to.runs}>All runs</Link> are the place to begin.
          </p>
        </Empty>
      ) : (
        <Notice tone="bad" title="The log of this run cannot be read.">
          <p>
            {connection.message} (<code>{connection.code}</code>)
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
        is lost and nothing is shown twice.
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
          {connection.message} (<code>{connection.code}</code>) What you see is what was known before; reload the page
          to try again.
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
          They are shown in the list of events and change nothing else here: <code>{run.unknown_types.join(", ")}</code>
        </p>
      </Notice>
    )}
  </>
)

const Past = ({ run }: { readonly run: RunNow }) => {
  const seek = useSeek()
  if (run.is_live) return null
  return (
    <div className="run-past tone-warn">
      <span>
        You see event {number(run.version)} of {number(run.head)}
        {run.at === null ? ": nothing has happened yet." : ` (${timeText(run.at)}).`}
      </span>
      <button type="button" onClick={() => seek(null)}>
        Back to live
      </button>
    </div>
  )
}

const Views = ({ run }: { readonly run: RunNow }) => {
  const [path] = useLocation()
  const [view = "", task = ""] = path.split("/").slice(3)
  const base = to.run(run.run_id)
  const isLoop = run.kind === "requirements"
  return (
    <>
      <nav className="run-tabs" aria-label="Views of the run">
        <Tab href={base} isHere={view === "" || view === "tasks"}>
          Tasks
        </Tab>
        <Tab href={`${base}/timeline`} isHere={view === "timeline"}>
          Timeline
        </Tab>
        {isLoop ? (
          <Tab href={`${base}/requirements`} isHere={view === "requirements"}>
            Requirements
          </Tab>
        ) : null}
        <Tab href={`${base}/events`} isHere={view === "events"}>
          Events
        </Tab>
      </nav>
      <View run={run} view={view} task={decoded(task)} />
    </>
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

const View = ({ run, task, view }: { readonly run: RunNow; readonly view: string; readonly task: string }) => {
  switch (view) {
    case "":
      return <Tree run={run} />
    case "tasks":
      return task === "" ? <Tree run={run} /> : <Task run={run} id={task} />
    case "timeline":
      return <Timeline run={run} />
    case "events":
      return <Events run={run} />
    case "requirements":
      if (run.kind === "requirements") return <RequirementsPanel run={run} />
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

const Task = ({ id, run }: { readonly run: RunNow; readonly id: string }) => {
  const task = useQuery("task", { task_id: id })
  const found = task?.task_id === id ? task : null
  return (
    <>
      <p className="run-way">
        <Link href={to.run(run.run_id)}>All tasks of the run</Link>
      </p>
      {task === undefined ? (
        <p className="muted">Looking it up …</p>
      ) : found === null ? (
        <Empty title={run.is_live ? "This run has no such task." : "There was no such task at this event."}>
          <p>
            <code>{id}</code>
            {run.is_live ? " is not among its tasks." : " was registered later, or never."}
          </p>
        </Empty>
      ) : (
        <TaskPanel runId={run.run_id} task={found} isLive={run.is_live} at={run.at} />
      )}
    </>
  )
}
