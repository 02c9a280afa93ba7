import { randomBytes } from "node:crypto"
import { brotliDecompressSync } from "node:zlib"
import { Digest, Engine, EventLog, type RunId } from "@proofline/kernel"
import { Events, isOpen, layerDocs, layerPage, makeLayerApi, routerConfig } from "@proofline/plugins/frontends/http"
import { guard, layerHttp } from "@proofline/plugins/frontends/mcp"
import { Context, Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { pageDirectory } from "../assets.ts"
import { loadedDocs } from "../docs/shipped.ts"
import type { ProjectPaths } from "../paths.ts"
import { exitCodes, type Stop, stop } from "../problems.ts"
import { stateOf } from "../state.ts"
import { version } from "../version.ts"
import { attemptToken } from "./attemptToken.ts"
import { host, listening, namesAt } from "./listening.ts"
import { projectLayer } from "./project.ts"
import type { serverSetup } from "./server.ts"
import { runningSession } from "./sessions.ts"

/** Where a server is. */
export interface Address {
  /** Without a final `/`. */
  readonly url: string
  readonly mcp: string
  readonly api: string
  readonly openapi: string
  /** The page; it takes the token from the fragment, which is there unless it was given. */
  readonly page: string
  readonly token: string
  /** It came from PROOFLINE_TOKEN. */
  readonly isGiven: boolean
}

interface HttpServerOptions {
  readonly setup: Effect.Success<ReturnType<typeof serverSetup>>
  /** The usual one when left out, or any that is free when that is taken. */
  readonly port?: number | undefined
  /** Runs can be started and taken up again over it. */
  readonly canStart: boolean
}

const usualPort = 4600

/** Serves a project over HTTP until the scope closes: MCP, the API, and the page. Over the kernel and its storage. */
export const openServer = Effect.fnUntraced(function* (
  paths: ProjectPaths,
  { canStart, port: asked, setup }: HttpServerOptions
) {
  const token = yield* operatorToken
  yield* checkOwnToken(paths, token)
  const { context, port } = yield* listening(asked, usualPort)
  const names = namesAt(port)
  const origins = names.map((name) => `http://${name}`)
  const { ofPlugins, shownOfPlugins } = yield* setup.toolsOfPlugins
  const shown = [...setup.shown, ...shownOfPlugins]
  const routes = Layer.mergeAll(
    layerHttp({ name: "proofline", version, ...setup.caller, shown, ofPlugins, path: "/mcp", origins }),
    makeLayerApi({ isPerson: setup.caller.isPerson }),
    layerPage({ directory: pageDirectory, decompress: brotliDecompressSync }),
    layerDocs(loadedDocs)
  ).pipe(
    Layer.provide(guard({ hosts: names, origins, operatorToken: token, isOpen, check: (yield* EventLog).check })),
    Layer.provide([setup.answering, projectLayer(paths, { agents: setup.agents, canStart })])
  )
  const serving = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true, routerConfig })
  const served = yield* Effect.provide(Layer.build(serving), context)
  // before connections are waited for: streams do not end by themselves
  yield* Effect.addFinalizer(() => Context.get(served, Events).close)
  return { ...addressOf(`http://${host}:${port}`, token), seen: Context.get(served, Events).seen }
})

/** The page at a run. */
export const pageAt = ({ isGiven, token, url }: Pick<Address, "url" | "token" | "isGiven">, run: RunId): string => {
  const path = `/runs/${encodeURIComponent(run)}`
  return isGiven ? `${url}/#${path}` : `${url}/#token=${token}&to=${path}`
}

const addressOf = (url: string, token: string): Address => {
  const isGiven = process.env["PROOFLINE_TOKEN"] === token
  return {
    url,
    mcp: `${url}/mcp`,
    api: `${url}/api/v1`,
    openapi: `${url}/openapi.json`,
    // what somebody chose may stand in more places than this address
    page: isGiven ? `${url}/` : `${url}/#token=${token}`,
    token,
    isGiven
  }
}

/** The token of whoever looks after the project: the one of PROOFLINE_TOKEN, or a new one at each start. */
const operatorToken: Effect.Effect<string, Stop> = Effect.suspend(() => {
  const given = process.env["PROOFLINE_TOKEN"]
  // that of an attempt is not for serving
  if (given === undefined || given === "" || attemptToken() !== null) {
    return Effect.sync(() => randomBytes(32).toString("base64url"))
  }
  return /^[\w.~+/-]{32,}=*$/.test(given)
    ? Effect.succeed(given)
    : Effect.fail(
        stop(exitCodes.usage, {
          code: "token_weak",
          message:
            "PROOFLINE_TOKEN is no token that can be guarded with: it needs 32 characters or more, without blanks.",
          hint: "Unset it, so that one is made at each start, or make one: openssl rand -hex 32."
        })
      )
})

/** Stops when the operator's token is that of an agent's session: who has it would be the operator. */
const checkOwnToken = Effect.fnUntraced(function* (paths: ProjectPaths, token: string) {
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
