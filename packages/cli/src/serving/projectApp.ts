/** What answers for one project over HTTP, alone on its server or beside others. */
import { brotliDecompressSync } from "node:zlib"
import { Digest, Engine, EventLog } from "@proofline/kernel"
import {
  Events,
  layerDocs,
  layerPage,
  layerProjects,
  makeLayerApi,
  namedIn,
  Overview,
  Projects,
  routerConfig
} from "@proofline/plugins/frontends/http"
import { guard, layerHttp } from "@proofline/plugins/frontends/mcp"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { pageDirectory } from "../assets.ts"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { version } from "../base/version.ts"
import { loadedDocs } from "../docs/shipped.ts"
import { stateOf } from "../project/state.ts"
import { runningSession } from "../sessions/sessions.ts"
import { type App, guardOptions, type Listening, originsOf } from "./answering.ts"
import { projectLayer } from "./project.ts"
import type { serverSetup } from "./server.ts"

/** The page, the documentation, and what is said at addresses of projects that are not served. */
export const makeLayerBeside = (hasSeveral: boolean) =>
  Layer.mergeAll(
    layerProjects,
    layerPage({ directory: pageDirectory, decompress: brotliDecompressSync, hasSeveral }),
    layerDocs(loadedDocs)
  )

export interface AppOptions {
  readonly setup: Effect.Success<ReturnType<typeof serverSetup>>
  /** Runs can be started and taken up again over it. */
  readonly canStart: boolean
  readonly listening: Listening
  readonly projects: (typeof Projects)["Service"]
  /** What stands before its addresses, where it is not alone on the server; null: it is, and the page is its own. */
  readonly at: string | null
}

/** What answers for a project, over its kernel and storage, until the scope closes. */
export const makeApp = Effect.fnUntraced(function* (
  paths: ProjectPaths,
  { at, canStart, listening, projects, setup }: AppOptions
) {
  const { ofPlugins, shownOfPlugins } = yield* setup.toolsOfPlugins
  const shown = [...setup.shown, ...shownOfPlugins]
  const origins = originsOf(listening.names)
  const routes = Layer.mergeAll(
    layerHttp({ name: "proofline", version, ...setup.caller, shown, ofPlugins, path: "/mcp", origins }),
    makeLayerApi({ isPerson: setup.caller.isPerson, at: at ?? "" }),
    at === null ? makeLayerBeside(false) : Layer.empty
  ).pipe(
    Layer.provide(guard({ ...guardOptions(listening), check: (yield* EventLog).check })),
    Layer.provide([
      setup.answering,
      projectLayer(paths, { agents: setup.agents, canStart }),
      Layer.succeed(Projects, projects)
    ])
  )
  let built: Context.Context<Events | Overview> | null = null
  const app: App = yield* HttpRouter.toHttpEffect(
    Layer.tap(routes, (context) =>
      Effect.sync(() => {
        built = context
      })
    )
  ).pipe(Effect.provideService(HttpRouter.RouterConfig, routerConfig), Effect.provide(listening.platform))
  const services = built as unknown as Context.Context<Events | Overview>
  return { app, events: Context.get(services, Events), overview: Context.get(services, Overview) }
})

export type ProjectApp = Effect.Success<ReturnType<typeof makeApp>>

/** Stops when the operator's token is that of an agent's session: who has it would be the operator. */
export const checkOwnToken = Effect.fnUntraced(function* (paths: ProjectPaths, token: string) {
  const run = yield* runningSession(paths)
  if (run === undefined) return
  const { phases } = stateOf(yield* (yield* Engine).load(run)).sessions
  const sha256 = (yield* Digest).sha256(token)
  const session = phases?.sessions.find(({ token_sha256 }) => token_sha256 === sha256)
  if (session === undefined) return
  yield* stop(exitCodes.usage, {
    code: "token_of_session",
    message: `PROOFLINE_TOKEN holds the token of a session of ${session.agent}: with it as the operator's, that agent could do all that you may.`,
    hint: "Unset PROOFLINE_TOKEN for `proofline serve`; the agent shows its token to the server as it is."
  })
})

/** Hands each request on to the app of the project that its address names, without what names it; others to `otherwise`. */
export const byProject = (find: (id: string) => App | null, otherwise: App): App =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const named = namedIn(request.url)
    const app = named === null || /^\/?(?:\?|$)/.test(named.rest) ? null : find(named.id)
    return named === null || app === null
      ? otherwise
      : Effect.provideService(app, HttpServerRequest.HttpServerRequest, request.modify({ url: named.rest }))
  })
