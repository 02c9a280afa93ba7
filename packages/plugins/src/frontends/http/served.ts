import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { problemResponse, problemTypes } from "../../http/problem.ts"
import { Api } from "./api.ts"
import { Projects, projectPathOf, servedProjects } from "./Projects.ts"
import type { ServedProject } from "./schemas.ts"
import { ServerApi } from "./serverApi.ts"

export const projectsHandlers = HttpApiBuilder.group(Api, "projects", (handlers) =>
  Effect.map(Projects, (projects) =>
    handlers.handleAll({ projects: () => Effect.provideService(servedProjects, Projects, projects) })
  )
)

/** The same of a server at an address that names no project. */
export const serverHandlers = HttpApiBuilder.group(ServerApi, "projects", (handlers) =>
  Effect.map(Projects, (projects) =>
    handlers.handleAll({ projects: () => Effect.provideService(servedProjects, Projects, projects) })
  )
)

/** The project that an address names, and what stands behind that; null: it names none. */
export const namedIn = (url: string): { readonly id: string; readonly rest: string } | null => {
  const [, id, rest = ""] = /^\/+projects\/+([^/?#]+)(.*)$/s.exec(url) ?? []
  return id === undefined ? null : { id, rest: rest.startsWith("/") ? rest : `/${rest}` }
}

/** Whether an address is that of a project alone: it holds no data, and leads to the page. */
export const isOfProject = (path: string): boolean => /^\/projects\/[\w-]+\/?$/.test(path)

/** What is answered at the addresses of projects where the project itself does not. */
export const layerProjects = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { list } = yield* Projects
    const answer = Effect.gen(function* () {
      const { method, url } = yield* HttpServerRequest.HttpServerRequest
      const id = namedIn(url)?.id ?? ""
      const isRead = method === "GET" || method === "HEAD"
      return isRead && isOfProject(url.split("?", 1)[0] ?? "")
        ? HttpServerResponse.redirect(`/#${projectPathOf(id)}/`, { status: 303 })
        : notServed(id, yield* list)
    })
    for (const method of notHead) yield* router.add(method, "/projects/:id/*", answer)
  })
)

/** A HEAD that nothing was added for is taken by the GET of its address: what is added for `*` would stand in its way. */
export const notHead = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"] as const

/** What is to be said where several projects are served and none is named. */
export const projectUnnamed = {
  code: "project_unnamed",
  detail: "This server has several projects, and the address names none of them.",
  hint: "Put the `path` of a project before it, as GET /api/v1/projects lists it: /projects/ID/api/v1/…, /projects/ID/mcp."
}

const notServed = (id: string, projects: ReadonlyArray<ServedProject>): HttpServerResponse.HttpServerResponse => {
  const project = projects.find((one) => one.id === id)
  if (project === undefined) {
    return problemResponse(problemTypes.unknown, {
      code: "project_unknown",
      detail: `This server has no project ${JSON.stringify(id.slice(0, 100))}.`,
      hint: "GET /api/v1/projects lists those there are."
    })
  }
  const [problem] = project.problems
  return problem === undefined
    ? problemResponse(problemTypes.unavailable, {
        code: "project_not_ready",
        detail: `The project ${project.root} is just being opened, or ended.`,
        hint: "Ask again in a second."
      })
    : problemResponse(problemTypes.unavailable, {
        code: problem.code,
        detail: `The project ${project.root} cannot be served now: ${problem.message}`,
        hint: problem.hint
      })
}
