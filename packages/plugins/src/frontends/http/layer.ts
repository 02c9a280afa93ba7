import { Engine } from "@proofline/kernel"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, OpenApi } from "effect/http-api"
import { asResponse } from "../../http/guard.ts"
import { problemResponse, problemTypes } from "../../http/problem.ts"
import { operationsOf } from "../../operations/index.ts"
import { aboutHandlers } from "./about.ts"
import { Api } from "./api.ts"
import { compressed, tagged } from "./caching.ts"
import { layerLookup } from "./lookup.ts"
import { anyBearer, bearer, validation } from "./middlewares.ts"
import { layerOverview } from "./Overview.ts"
import { openApiOf } from "./openApi.ts"
import { FromPerson, operationsHandlers } from "./operations.ts"
import { isOfPage } from "./page.ts"
import { runsHandlers } from "./runs.ts"
import { isOfProject, notHead, projectsHandlers, projectUnnamed, serverHandlers } from "./served.ts"
import { ServerApi } from "./serverApi.ts"
import { type EventsOptions, layerEvents } from "./stream.ts"
import { tasksHandlers } from "./tasks.ts"

export { type GuardOptions, guard, openGuard, operatorGuard } from "../../http/guard.ts"
export { Overview } from "./Overview.ts"
export { openApiOf } from "./openApi.ts"
export { type ChangeSpan, NotDone, Project } from "./Project.ts"
export { Projects, projectIdOf, projectNameOf, projectPathOf } from "./Projects.ts"
export { docsAt, layerDocs, layerPage, type PageOptions } from "./page.ts"
export { pieceBytes, pieceOf } from "./pieces.ts"
export { layerProjects, namedIn } from "./served.ts"
export { Events, type EventsOptions } from "./stream.ts"

/** Whether a path is one of the page, of the docs, or of what describes the API: they hold no data, and are open to all. */
export const isOpen = (path: string): boolean => isOfPage(path) || path === "/openapi.json" || isOfProject(path)

/** How addresses are read: ids of tasks may be long. For `HttpRouter.serve`. */
export const routerConfig = { maxParamLength: 4_096 }

export interface ApiOptions extends EventsOptions {
  /** The answer of a person may come in an operation; left out: it may not. */
  readonly isPerson?: boolean
  /** What stands before all its addresses, without a `/` at the end; left out: nothing. */
  readonly at?: string
}

/**
 * The HTTP API under `/api/v1`, and what describes it at `/openapi.json`. Every request has to have been let in by
 * `guard`, with `isOpen` for what needs no token. It gives `Events`, whose `close` ends the streams: a server that is to
 * end at once calls it before it waits for its connections; and the `Overview` of the project.
 */
export const makeLayerApi = ({ at = "", isPerson = false, ...options }: ApiOptions) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(Api).pipe(
      Layer.provide([aboutHandlers, projectsHandlers, runsHandlers, tasksHandlers, operationsHandlers]),
      Layer.provide([anyBearer, bearer, validation, Layer.succeed(FromPerson, isPerson)])
    ),
    HttpRouter.use((router) =>
      Effect.gen(function* () {
        const { composition } = yield* Engine
        // made when it is first asked for: most servers are never asked, and begin sooner
        const described = yield* Effect.cached(
          Effect.sync(() => {
            const document = openApiOf(operationsOf(composition), composition)
            return HttpServerResponse.jsonUnsafe({ ...document, servers: [{ url: at || "/" }] })
          })
        )
        yield* router.add("GET", "/openapi.json", described)
        for (const method of notHead) yield* router.add(method, "/api/v1/*", elsewhere)
      })
    ),
    layerOverview
  ).pipe(
    Layer.provide(tagged),
    Layer.provide(compressed),
    Layer.provide(layerLookup),
    Layer.provideMerge(layerEvents(options))
  )

/**
 * What a server of several projects answers at addresses that name none of them: which there are. `guard`ed as the others
 * are; what names a project that is served does not come here.
 */
export const layerServer = Layer.mergeAll(
  HttpApiBuilder.layer(ServerApi).pipe(Layer.provide(serverHandlers), Layer.provide([bearer, validation])),
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const document = OpenApi.fromApi(ServerApi)
      yield* router.add("GET", "/openapi.json", Effect.succeed(HttpServerResponse.jsonUnsafe(document)))
      for (const method of notHead) {
        yield* router.add(method, "/api/v1/*", Effect.succeed(unnamed))
        yield* router.add(method, "/mcp", Effect.succeed(unnamedForAgents))
      }
    })
  )
).pipe(Layer.provide(tagged), Layer.provide(compressed))

const unnamed = problemResponse(problemTypes.malformed, projectUnnamed)

const unnamedForAgents = asResponse({
  status: 404,
  error: projectUnnamed.code,
  message: projectUnnamed.detail,
  next_step: projectUnnamed.hint
})

/** By path: the methods it takes. */
const methods: ReadonlyArray<{ readonly path: RegExp; readonly method: string }> = Object.values(Api.groups)
  .flatMap((group) => Object.values(group.endpoints))
  .map(({ method, path }) => ({ method, path: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}/?$`) }))

/** What no endpoint takes. */
const elsewhere = Effect.map(HttpServerRequest.HttpServerRequest, ({ method, url }) => {
  const address = url.split("?", 1)[0] ?? ""
  const taken: ReadonlyArray<string> = methods.filter(({ path }) => path.test(address)).map((one) => one.method)
  // an endpoint that takes it and was not found by it: a part of the address is longer than any id
  if (taken.length === 0 || taken.includes(method === "HEAD" ? "GET" : method)) {
    return problemResponse(problemTypes.unknown, {
      code: "not_found",
      detail: "There is nothing at this address.",
      hint: "See /openapi.json for what there is."
    })
  }
  const allow = taken.flatMap((one) => (one === "GET" ? ["GET", "HEAD"] : [one])).join(", ")
  return problemResponse(
    problemTypes.wrongMethod,
    {
      code: "method_not_allowed",
      detail: `This address does not take ${method}.`,
      hint: `It takes ${allow}.`
    },
    { allow }
  )
})
