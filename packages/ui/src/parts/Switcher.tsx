import type { ServedProject, ServedProjects } from "@proofline/plugins/frontends/http/api"
import { type KeyboardEvent, useId, useRef } from "react"
import { Link, useLocation } from "wouter"
import { labelOf, shownIn, waitingElsewhere } from "../api/served.ts"
import { to, useBase } from "../route.ts"
import { Badge } from "./Badge.tsx"
import { named, visible } from "./code/visible.ts"
import { press } from "./keys.ts"
import "./switcher.css"

/** The project that is shown, and the others to go to, with where one is needed. */
export const Switcher = ({ served }: { readonly served: ServedProjects }) => {
  const id = useId()
  const base = useBase()
  const menu = useRef<HTMLElement>(null)
  const { projects } = served
  const shown = shownIn(served, base)
  const elsewhere = waitingElsewhere(served, base)
  const links = (): ReadonlyArray<HTMLElement> => [...(menu.current?.querySelectorAll("a") ?? [])]
  const focusOn = (at: number): void => links().at(at)?.focus()
  const step = (event: KeyboardEvent): void => {
    const all = links()
    const at = all.indexOf(document.activeElement as HTMLElement)
    press(event, {
      ArrowDown: () => focusOn((at + 1) % all.length),
      ArrowUp: () => focusOn(at < 1 ? -1 : at - 1),
      Home: () => focusOn(0),
      End: () => focusOn(-1)
    })
  }
  return (
    <>
      <button
        type="button"
        className="switcher"
        popoverTarget={id}
        title={shown === undefined ? "" : visible(shown.root)}
      >
        <span className="visually-hidden">Project </span>
        <span className="clip">{shown === undefined ? "Projects" : named(labelOf(shown, projects))}</span>
        {elsewhere === 0 ? null : (
          <span className="app-count">
            {elsewhere}
            <span className="visually-hidden"> waiting in other projects</span>
          </span>
        )}
        <span aria-hidden="true">▾</span>
      </button>
      <nav
        ref={menu}
        id={id}
        popover="auto"
        className="switcher-menu"
        aria-label="Projects"
        onKeyDown={step}
        onToggle={({ newState }) => {
          if (newState === "open") focusOn(Math.max(0, shown === undefined ? 0 : projects.indexOf(shown)))
        }}
      >
        <ul>
          {projects.map((project) => (
            <li key={project.id}>
              <ProjectLink
                project={project}
                served={served}
                isShown={project === shown}
                close={() => menu.current?.hidePopover()}
              />
            </li>
          ))}
        </ul>
      </nav>
    </>
  )
}

/** Pages that every project has. */
const common: ReadonlySet<string> = new Set([to.runs, to.approvals, to.stats, to.start])

const ProjectLink = ({
  close,
  isShown,
  project,
  served: { projects }
}: {
  readonly project: ServedProject
  readonly served: ServedProjects
  readonly isShown: boolean
  readonly close: () => void
}) => {
  const [page] = useLocation()
  const { path, root } = project
  return (
    <Link
      href={`~${path}${common.has(page) ? page : to.runs}`}
      className="switcher-link"
      aria-current={isShown ? "page" : undefined}
      onClick={close}
    >
      <span className="switcher-name">{named(labelOf(project, projects))}</span>
      <span className="switcher-state">
        <State project={project} projects={projects} />
      </span>
      <span className="switcher-root muted">{visible(root)}</span>
    </Link>
  )
}

const State = ({
  project: { problems, running, same_log_as, status, waiting },
  projects
}: {
  readonly project: ServedProject
  readonly projects: ServedProjects["projects"]
}) => {
  if (status === "unusable") return <Badge status="failed" label="cannot be served" />
  if (status === "opening") return <span className="muted">being opened</span>
  if (problems.length > 0) return <Badge status="failed" label="cannot be read now" />
  const same = projects.find(({ id }) => id === same_log_as)
  if (same !== undefined) return <span className="muted">the log of {named(labelOf(same, projects))}</span>
  return (
    <>
      {waiting === null || waiting === 0 ? null : <Badge status="waiting" label={`${waiting} waiting`} />}
      {running === null || running === 0 ? null : <Badge status="running" label={`${running} running`} />}
      {waiting === 0 && running === 0 ? <span className="muted">nothing runs</span> : null}
    </>
  )
}
