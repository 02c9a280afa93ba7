import { Component, lazy, type ReactNode, Suspense, useEffect, useEffectEvent, useRef } from "react"
import { Link, Route, Router, Switch, useLocation } from "wouter"
import { tryNow, useServer } from "./api/live.ts"
import { chosenAddress } from "./api/others.ts"
import { ProjectProvider, useProject, useProjectLabel } from "./api/project.tsx"
import { followProjects, useProjects } from "./api/projects.ts"
import { SignIn } from "./api/SignIn.tsx"
import { shownIn } from "./api/served.ts"
import { useSession } from "./api/session.ts"
import { RunsPage } from "./pages/runs/RunsPage.tsx"
import { named, visible } from "./parts/code/visible.ts"
import { FailureNotice } from "./parts/FailureNotice.tsx"
import { Keys } from "./parts/Keys.tsx"
import { Empty, Notice } from "./parts/Notice.tsx"
import { useNow } from "./parts/now.ts"
import { type Scheme, useScheme } from "./parts/scheme.ts"
import { useTitle } from "./parts/title.ts"
import { decoded, moveTo, to, useBase, useHash } from "./route.ts"
import "./app.css"

const RunPage = lazy(async () => ({ default: (await import("./pages/run/RunPage.tsx")).RunPage }))
const StartPage = lazy(async () => ({ default: (await import("./pages/runs/StartPage.tsx")).StartPage }))
const ApprovalsPage = lazy(async () => ({
  default: (await import("./pages/approvals/ApprovalsPage.tsx")).ApprovalsPage
}))
const ComparePage = lazy(async () => ({ default: (await import("./pages/compare/ComparePage.tsx")).ComparePage }))

const NotServed = lazy(async () => ({ default: (await import("./pages/NotServed.tsx")).NotServed }))
const Switcher = lazy(async () => ({ default: (await import("./parts/Switcher.tsx")).Switcher }))
const StatsPage = lazy(async () => ({ default: (await import("./pages/stats/StatsPage.tsx")).StatsPage }))

const NotFound = () => {
  useTitle("No such page")
  const [path] = useLocation()
  return (
    <>
      <h1 className="visually-hidden">No such page</h1>
      <Empty title="There is no such page.">
        <p>
          <code>{named(decoded(path))}</code> leads nowhere. <Link href={to.runs}>All runs</Link> are the place to
          begin.
        </p>
      </Empty>
    </>
  )
}

/** What cannot be drawn is said, and the rest of the page stays. */
class Guard extends Component<
  { readonly at: string; readonly children: ReactNode },
  { readonly fault: string | null }
> {
  override state: { readonly fault: string | null } = { fault: null }
  static getDerivedStateFromError(error: unknown) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
  // another page may be drawn well; what is drawn well is not drawn anew, for a run's log would be read again
  override componentDidUpdate({ at }: { readonly at: string }) {
    if (at !== this.props.at && this.state.fault !== null) this.setState({ fault: null })
  }
  override render() {
    const { fault } = this.state
    return fault === null ? (
      this.props.children
    ) : (
      <Notice tone="bad" title="This page could not be shown.">
        <p>
          Reload it. If it stays so, the server may have been updated since the page was opened, or this is a fault of
          the page: <code>proofline events</code> shows the same log on a terminal.
        </p>
        <pre>{visible(fault)}</pre>
        <p>
          <button type="button" onClick={() => location.reload()}>
            Reload
          </button>
        </p>
      </Notice>
    )
  }
}

/** The parts of one run are one page: its tabs and tasks do not move the focus. */
const pageOf = (path: string): string => {
  const [, first = "", second = ""] = path.split("/")
  return first === "runs" ? `${first}/${second}` : first
}

const Pages = () => (
  <Switch>
    <Route path="/">
      <RunsPage />
    </Route>
    <Route path="/start">
      <StartPage />
    </Route>
    <Route path="/approvals">
      <ApprovalsPage />
    </Route>
    <Route path="/stats">
      <StatsPage />
    </Route>
    <Route path="/compare/:a?/:b?">
      {({ a, b }) => <ComparePage a={a === undefined ? null : decoded(a)} b={b === undefined ? null : decoded(b)} />}
    </Route>
    <Route path="/runs/:run/*?">{({ run }) => <RunPage key={run} runId={decoded(run)} />}</Route>
    <Route>
      <NotFound />
    </Route>
  </Switch>
)

const NavLink = ({ children, href }: { readonly href: string; readonly children: ReactNode }) => {
  const [path] = useLocation()
  const isHere = href === to.runs ? path === "/" || path.startsWith("/runs/") : path.startsWith(href)
  return (
    <Link href={href} className="app-link" aria-current={isHere ? "page" : undefined}>
      {children}
    </Link>
  )
}

const SchemeSwitch = () => {
  const [scheme, setScheme] = useScheme()
  return (
    <label className="app-scheme">
      <span className="visually-hidden">Colours</span>
      <select value={scheme} onChange={(event) => setScheme(event.target.value as Scheme)}>
        <option value="auto">Auto</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  )
}

const Waiting = () => {
  const count = useProject().approvals?.length ?? 0
  return (
    <NavLink href={to.approvals}>
      Waiting<span className="app-wide"> for you</span>
      {count === 0 ? null : (
        <>
          {" "}
          <span className="app-count">{count}</span>
        </>
      )}
    </NavLink>
  )
}

/** Which project is shown; another can be chosen where there is one. */
const ProjectName = () => {
  const { about } = useProject()
  const { served } = useProjects()
  const label = named(useProjectLabel())
  const name =
    label === "" ? null : (
      <span className="app-project clip" title={about === null ? undefined : visible(about.root)}>
        {label}
      </span>
    )
  if (served === null || served.projects.length < 2) return name
  return (
    <Suspense fallback={name}>
      <Switcher served={served} />
    </Suspense>
  )
}

const Header = ({ isServed }: { readonly isServed: boolean }) => {
  const server = useServer()
  return (
    <header className="app-header">
      <button type="button" className="app-skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <div className="app-names">
        <Link href={to.runs} className="app-product">
          Proofline
        </Link>
        <ProjectName />
      </div>
      <nav className="app-nav" aria-label="Pages">
        <NavLink href={to.runs}>Runs</NavLink>
        <Waiting />
        <NavLink href="/compare">Compare</NavLink>
      </nav>
      <div className="app-tools">
        {isServed ? (
          <span className={`app-server app-server-${server.state}`} role="status">
            <span className="app-dot" aria-hidden="true" />
            <span className="app-server-text">
              {server.state === "live" ? "Connected" : server.state === "lost" ? "Not connected" : "Connecting"}
            </span>
          </span>
        ) : null}
        <SchemeSwitch />
      </div>
    </header>
  )
}

const Lost = () => {
  const server = useServer()
  const [path] = useLocation()
  // a run says so itself, of the log that it reads
  const isLost = server.state === "lost" && !path.startsWith("/runs/")
  const now = useNow(isLost)
  if (server.state !== "lost" || !isLost) return null
  const seconds = Math.max(0, Math.ceil((server.again_at - now) / 1_000))
  return (
    <div className="app-lost tone-warn">
      <span>
        <strong>{visible(server.failure.message)}</strong> What you see is what it said last.{" "}
        {visible(server.failure.hint)}
      </span>
      <button type="button" onClick={tryNow}>
        Try now{seconds === 0 ? "" : ` (in ${seconds} s)`}
      </button>
    </div>
  )
}

/** What stands around every page. */
const Frame = ({ children, isServed = true }: { readonly children: ReactNode; readonly isServed?: boolean }) => {
  const [path] = useLocation()
  const { about, error } = useProject()
  const page = pageOf(path)
  const main = useRef<HTMLElement>(null)
  const shown = useRef(page)
  useEffect(() => {
    if (shown.current === page) return
    shown.current = page
    main.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [page])
  // no address answers but `about`: an operator's token is good for all of them, a session's for none
  const isForbidden = about === null && error?.status === 403
  return (
    <>
      <Header isServed={isServed} />
      <Keys />
      <Lost />
      <main id="main" className="app-main" ref={main} tabIndex={-1}>
        {isForbidden ? (
          <FailureNotice failure={error} title="This token is not the operator's." />
        ) : (
          <Guard at={path}>
            <Suspense fallback={<p className="app-quiet muted">Loading …</p>}>{children}</Suspense>
          </Guard>
        )}
      </main>
    </>
  )
}

/** The server said so with the page, which asks nothing of a project before it knows which. */
const hasSeveral = document.documentElement.dataset["projects"] === "several"

/** The project that the address names, or the only one; where there are several and none is named, one is chosen. */
const Project = () => {
  const base = useBase()
  const { served } = useProjects()
  const isUnnamed = base === "" && (served === null ? hasSeveral : served.projects.length > 1)
  useEffect(() => {
    const controller = new AbortController()
    void followProjects(controller.signal)
    return () => controller.abort()
  }, [])
  const isKnown = served !== null
  // how the projects stand meanwhile changes nothing
  const goOn = useEffectEvent(async (signal: AbortSignal) => {
    if (served === null) return
    const address = await chosenAddress(served, signal)
    if (!signal.aborted) moveTo(address)
  })
  useEffect(() => {
    const controller = new AbortController()
    if (isUnnamed && isKnown) void goOn(controller.signal)
    return () => controller.abort()
  }, [isUnnamed, isKnown])
  if (isUnnamed) return null
  const shown = served === null ? undefined : shownIn(served, base)
  // it is asked for before it is known what there is: mostly it is there
  if (served !== null && shown?.status !== "open")
    return (
      <Frame isServed={false}>
        <NotServed project={shown ?? null} served={served} />
      </Frame>
    )
  return (
    <ProjectProvider key={base}>
      <Frame>
        <Pages />
      </Frame>
    </ProjectProvider>
  )
}

const Routed = () => (
  <Router hook={useHash} base={useBase()}>
    <Project />
  </Router>
)

/** The whole page: signed in, or asking for the token. */
export const App = () => {
  const { is_asking, token } = useSession()
  if (token === null) return is_asking ? null : <SignIn />
  return <Routed key={token} />
}
