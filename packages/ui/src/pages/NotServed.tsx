import type { ServedProject, ServedProjects } from "@proofline/plugins/frontends/http/api"
import { Link } from "wouter"
import { useProjects } from "../api/projects.ts"
import { labelOf } from "../api/served.ts"
import { named } from "../parts/code/visible.ts"
import { FailureNotice } from "../parts/FailureNotice.tsx"
import { Empty } from "../parts/Notice.tsx"
import { useTitle } from "../parts/title.ts"
import { useBase } from "../route.ts"
import "./notServed.css"

/** In the place of a project that is not there, or cannot be shown now: why, and where to go. */
export const NotServed = ({
  project,
  served
}: {
  /** Null: the server has no such project. */
  readonly project: ServedProject | null
  readonly served: ServedProjects
}) => {
  const base = useBase()
  const { failure } = useProjects()
  const name = project === null ? "" : named(labelOf(project, served.projects))
  useTitle(project === null ? "No such project" : "Not served")
  return (
    <div className="stack">
      <h1>{project === null ? "No such project" : name}</h1>
      {failure === null ? null : <FailureNotice failure={failure} title="The server cannot be asked just now." />}
      {project === null ? (
        <Empty title="This server does not have the project that the address names.">
          <p>
            <code>{named(base.slice("/projects/".length))}</code> is none of those below. Serve it with{" "}
            <code>proofline serve --project DIR</code>, and open the address again.
          </p>
          <ul className="not-served row">
            {served.projects.map((one) => (
              <li key={one.id}>
                <Link className="button" href={`~${served.projects.length === 1 ? "" : one.path}/`}>
                  {named(labelOf(one, served.projects))}
                </Link>
              </li>
            ))}
          </ul>
        </Empty>
      ) : project.problems.length === 0 ? (
        <p className="muted">It is just being opened …</p>
      ) : (
        <>
          <FailureNotice
            failure={{ status: 503, code: "", message: "", hint: "", problems: project.problems }}
            title="This project cannot be served now."
          />
          <p className="muted">
            It is looked at again all the time: once it is mended, it is shown here. The other projects are served.
          </p>
        </>
      )}
    </div>
  )
}
