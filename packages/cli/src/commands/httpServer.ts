import { randomBytes } from "node:crypto"
import { createServer, type Server } from "node:http"
import { brotliDecompressSync } from "node:zlib"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Digest, Engine, EventLog, type RunId } from "@proofline/kernel"
import { Events, isOpen, layerPage, makeLayerApi, routerConfig } from "@proofline/plugins/frontends/http"
import { guard, layerHttp } from "@proofline/plugins/frontends/mcp"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { pageDirectory } from "../assets.ts"
import { say } from "../output.ts"
import type { ProjectPaths } from "../paths.ts"
import { exitCodes, type Stop, stop } from "../problems.ts"
import { stateOf } from "../state.ts"
import { version } from "../version.ts"
import { attemptToken } from "./attemptToken.ts"
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

/** Nobody but programs and pages of this machine. */
const host = "127.0.0.1"
const usualPort = 4600

/** How long a request may take to arrive, in ms; how long its answer takes is not limited, for streams do not end. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 15_000,
  connectionsCheckingInterval: 5_000
}

/** Serves a project over HTTP until the scope closes: MCP, the API, and the page. Over the kernel and its storage. */
export const openServer = Effect.fnUntraced(function* (
  paths: ProjectPaths,
  { canStart, port: asked, setup }: HttpServerOptions
) {
  const token = yield* operatorToken
  yield* checkOwnToken(paths, token)
  const { context, port } = yield* listening(asked)
  const names = namesAt(port)
  const origins = names.map((name) => `http://${name}`)
  const { ofPlugins, shownOfPlugins } = yield* setup.toolsOfPlugins
  const shown = [...setup.shown, ...shownOfPlugins]
  const routes = Layer.mergeAll(
    layerHttp({ name: "proofline", version, ...setup.caller, shown, ofPlugins, path: "/mcp", origins }),
    makeLayerApi({ isPerson: setup.caller.isPerson }),
    layerPage({ directory: pageDirectory, decompress: brotliDecompressSync })
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

/** What a request may say it is meant for; of the port that is HTTP's own, clients do not speak. */
const namesAt = (port: number): ReadonlyArray<string> => {
  const names = [`${host}:${port}`, `localhost:${port}`]
  return port === 80 ? [...names, host, "localhost"] : names
}

/** The server, once it listens: only then it is certain at which port. The usual one may be taken by another project. */
const listening = (asked: number | undefined) =>
  asked !== undefined && (asked < 0 || asked > 65_535)
    ? Effect.fail(portInvalid(asked))
    : Effect.catch(listen(asked ?? usualPort), (taken) =>
        asked === undefined
          ? Effect.andThen(
              say(`Port ${usualPort} is taken, maybe by another project: using any that is free.`),
              listen(0)
            )
          : Effect.fail(taken)
      )

const portInvalid = (port: number) =>
  stop(exitCodes.usage, {
    code: "port_invalid",
    message: `${port} is no port.`,
    hint: "Name one from 1 to 65535 with --port; 0 takes any that is free."
  })

/**
 * A server that listens before all that answers is there: whoever asks meanwhile, as a page does that comes back, is told
 * to ask again, and would wait for good otherwise.
 */
const answeringEarly = (): Server => {
  const server = createServer(limits)
  const { problem, headers } = notReady
  server.on("request", (_, response) => {
    if (server.listenerCount("request") === 1) response.writeHead(503, headers).end(problem)
  })
  return server
}

const notReady = {
  headers: { "content-type": "application/problem+json", "retry-after": "1", connection: "close" },
  problem: JSON.stringify({
    type: "urn:proofline:problem:unavailable",
    status: 503,
    title: "The log cannot be used now.",
    detail: "The server is just starting, or ending.",
    code: "server_not_ready",
    hint: "Ask again in a second."
  })
}

const listen = (port: number) =>
  Layer.build(NodeHttpServer.layer(answeringEarly, { port, host, gracefulShutdownTimeout: "2 seconds" })).pipe(
    Effect.map((context) => {
      const { address } = Context.get(context, HttpServer.HttpServer)
      return { context, port: "port" in address ? address.port : port }
    }),
    Effect.mapError(({ cause }) => {
      const { code = "unknown" } = cause as NodeJS.ErrnoException
      return stop(exitCodes.usage, {
        code: "port_unavailable",
        message: `Port ${port} cannot be used (${code}).`,
        hint: "Name another one with --port; 0 takes any that is free."
      })
    })
  )
