import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Digest, Engine } from "@proofline/kernel"
import { guard, layerHttp } from "@proofline/plugins/frontends/mcp"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { print, say } from "../output.ts"
import type { ProjectPaths } from "../paths.ts"
import { exitCodes, type Stop, stop } from "../problems.ts"
import { version } from "../version.ts"
import { existingProject } from "./files.ts"
import { attemptToken, type ServerFlags, serverSetup } from "./server.ts"
import { runningSession } from "./sessions.ts"
import { withKernel, withStorage } from "./shared.ts"

export interface ServeOptions extends ServerFlags {
  readonly cwd?: string | undefined
  readonly state?: string | undefined
  readonly port?: number | undefined
  readonly json: boolean
}

/** Nobody but programs and pages of this machine. */
const host = "127.0.0.1"
const usualPort = 4600

/** `proofline serve`: the project over HTTP, for any number of agents at once, until it is stopped. */
export const serve = Effect.fnUntraced(function* (options: ServeOptions) {
  const paths = yield* existingProject(options)
  const token = yield* operatorToken
  const { answering, caller, check, shown } = yield* serverSetup(paths, options)
  return yield* withStorage(
    paths,
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        yield* check
        yield* checkOwnToken(paths, token)
        const { context, port } = yield* listening(options.port)
        const names = namesAt(port)
        const origins = names.map((name) => `http://${name}`)
        const routes = layerHttp({ name: "proofline", version, ...caller, shown, path: "/mcp", origins })
        const guarded = Layer.provide(routes, guard({ hosts: names, origins, operatorToken: token }))
        yield* Layer.build(
          HttpRouter.serve(Layer.provide(guarded, answering), { disableLogger: true, disableListenLog: true })
        ).pipe(Effect.provide(context))
        yield* tell(paths, `http://${host}:${port}`, token, options.json)
        return yield* Effect.never
        // sessions end before the storage they are recorded in is closed
      }).pipe(Effect.scoped)
    )
  )
})

const tell = (paths: ProjectPaths, url: string, token: string, json: boolean) => {
  const isGiven = process.env["PROOFLINE_TOKEN"] === token
  const data = { url, mcp: `${url}/mcp`, token }
  return json
    ? // one line, which is written before anything else and found without waiting for the end
      print(`${JSON.stringify({ schemaVersion: 1, kind: "serve", data })}\n`)
    : Effect.andThen(
        print(
          `Serving ${paths.root} at ${url}\n  MCP    ${data.mcp}\n  Token  ${isGiven ? "the one in PROOFLINE_TOKEN" : `${token}  (shown only here)`}\n`
        ),
        say("Whoever has the token may do all that you may here. Stop with Ctrl-C.")
      )
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
  const { pull } = (yield* (yield* Engine).load(run)).state
  const sha256 = (yield* Digest).sha256(token)
  const session = pull?.sessions.find(({ token_sha256 }) => token_sha256 === sha256)
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
          ? Effect.andThen(say(`Port ${usualPort} is taken, maybe by another project: this is another one.`), listen(0))
          : Effect.fail(taken)
      )

const portInvalid = (port: number) =>
  stop(exitCodes.usage, {
    code: "port_invalid",
    message: `${port} is no port.`,
    hint: "Name one from 1 to 65535 with --port; 0 takes any that is free."
  })

const listen = (port: number) =>
  Layer.build(NodeHttpServer.layer(() => createServer(), { port, host, gracefulShutdownTimeout: "2 seconds" })).pipe(
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
