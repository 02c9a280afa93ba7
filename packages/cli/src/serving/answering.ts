/** Where servers of projects are, who is let in, and where things are on them. */
import { randomBytes } from "node:crypto"
import type * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { isOpen } from "@proofline/plugins/frontends/http"
import { type Context, Effect, type Layer, type Scope } from "effect"
import { HttpServer, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { exitCodes, type Stop, stop } from "../base/problems.ts"
import { attemptToken } from "../sessions/attemptToken.ts"
import { host, listening, namesAt } from "./listening.ts"

const usualPort = 4600

/** Where a server listens, and for whom. */
export interface Listening {
  readonly url: string
  readonly token: string
  /** What a request may say it is meant for. */
  readonly names: ReadonlyArray<string>
  /** Of the server, over which it answers. */
  readonly platform: Context.Context<NodeServer>
}

type NodeServer = Layer.Success<ReturnType<typeof NodeHttpServer.layer>>

/** Listens until the scope closes, at the usual port when none is named, or at any that is free when that is taken. */
export const listenAt = Effect.fnUntraced(function* (asked: number | undefined, token: string) {
  const { context, port } = yield* listening(asked, usualPort)
  return { url: `http://${host}:${port}`, token, names: namesAt(port), platform: context } satisfies Listening
})

/** What answers requests. */
export type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  unknown,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** Answers with this until the scope closes; before, whoever asks is told to ask again. */
export const answerWith = ({ platform }: Listening, app: App) => Effect.provide(HttpServer.serveEffect(app), platform)

/** What stands before everything that is answered. */
export const guardOptions = ({ names, token }: Listening) => ({
  hosts: names,
  origins: originsOf(names),
  operatorToken: token,
  isOpen
})

/** Pages that may ask. */
export const originsOf = (names: ReadonlyArray<string>) => names.map((name) => `http://${name}`)

/** Where agents, programs and their makers look. */
export const addressesAt = (at: string) => ({
  mcp: `${at}/mcp`,
  api: `${at}/api/v1`,
  openapi: `${at}/openapi.json`
})

/** It came from PROOFLINE_TOKEN. */
export const isTokenGiven = (token: string): boolean => process.env["PROOFLINE_TOKEN"] === token

/** The token of whoever looks after the project: the one of PROOFLINE_TOKEN, or a new one at each start. */
export const operatorToken: Effect.Effect<string, Stop> = Effect.suspend(() => {
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
