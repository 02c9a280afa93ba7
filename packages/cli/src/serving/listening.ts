/** How servers of this machine listen: where, for whom, and what is said before they are ready. */
import { createServer, type Server } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { exitCodes, stop } from "../base/problems.ts"
import { say } from "../process/output.ts"

/** Nobody but programs and pages of this machine. */
export const host = "127.0.0.1"

/** How long a request may take to arrive, in ms; how long its answer takes is not limited, for streams do not end. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 15_000,
  connectionsCheckingInterval: 5_000
}

/** What a request may say it is meant for; of the port that is HTTP's own, clients do not speak. */
export const namesAt = (port: number): ReadonlyArray<string> => {
  const names = [`${host}:${port}`, `localhost:${port}`]
  return port === 80 ? [...names, host, "localhost"] : names
}

/** The server, once it listens: only then it is certain at which port. The usual one may be taken by another project. */
export const listening = (asked: number | undefined, usual: number) =>
  asked !== undefined && (asked < 0 || asked > 65_535)
    ? Effect.fail(portInvalid(asked))
    : Effect.catch(listen(asked ?? usual), (taken) =>
        asked === undefined
          ? Effect.andThen(say(`Port ${usual} is taken, maybe by another project: using any that is free.`), listen(0))
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
