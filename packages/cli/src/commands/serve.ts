import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { guard, layerHttp } from "@proofline/plugins/frontends/mcp"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { print, say } from "../output.ts"
import type { ProjectPaths } from "../paths.ts"
import { exitCodes, type Stop, stop } from "../problems.ts"
import { version } from "../version.ts"
import { existingProject } from "./files.ts"
import { type ServerFlags, serverSetup } from "./server.ts"
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
        const { context, port } = yield* listening(options.port)
        const names = [`${host}:${port}`, `localhost:${port}`]
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
  if (given === undefined || given === "" || given.startsWith("att_")) {
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

/** The server, once it listens: only then it is certain at which port. The usual one may be taken by another project. */
const listening = (asked: number | undefined) =>
  Effect.catch(listen(asked ?? usualPort), (taken) => (asked === undefined ? listen(0) : Effect.fail(taken)))

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
