import type { RunId } from "@proofline/kernel"
import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { addressesAt, answerWith, isTokenGiven, type Listening, listenAt, operatorToken } from "./answering.ts"
import { type AppOptions, byProject, checkOwnToken, makeApp, type ProjectApp } from "./projectApp.ts"
import { knownProject, opened, unopened } from "./servedProject.ts"

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

interface HttpServerOptions extends Pick<AppOptions, "setup" | "canStart"> {
  /** The usual one when left out, or any that is free when that is taken. */
  readonly port?: number | undefined
}

/** Serves a project over HTTP until the scope closes: MCP, the API, and the page. Over the kernel and its storage. */
export const openServer = Effect.fnUntraced(function* (paths: ProjectPaths, { port, ...options }: HttpServerOptions) {
  const token = yield* operatorToken
  yield* checkOwnToken(paths, token)
  const listening = yield* listenAt(port, token)
  const project = yield* knownProject(paths)
  let served: ProjectApp | null = null
  const list = Effect.suspend(() =>
    Effect.map(served === null ? Effect.succeed(unopened(project, [])) : opened(project, served), (one) => [one])
  )
  const made = yield* makeApp(paths, { ...options, listening, projects: { list }, at: null })
  served = made
  yield* answerWith(
    listening,
    byProject((id) => (id === project.id ? made.app : null), made.app)
  )
  // before connections are waited for: streams do not end by themselves
  yield* Effect.addFinalizer(() => made.events.close)
  return { ...addressOf(listening), seen: made.events.seen }
})

/** The page at a run. */
export const pageAt = ({ isGiven, token, url }: Pick<Address, "url" | "token" | "isGiven">, run: RunId): string => {
  const path = `/runs/${encodeURIComponent(run)}`
  return isGiven ? `${url}/#${path}` : `${url}/#token=${token}&to=${path}`
}

/** Where a server is, with its page. */
export const addressOf = ({ token, url }: Listening): Address => {
  const isGiven = isTokenGiven(token)
  // what somebody chose may stand in more places than this address
  return { url, ...addressesAt(url), page: isGiven ? `${url}/` : `${url}/#token=${token}`, token, isGiven }
}
