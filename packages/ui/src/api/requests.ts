import type { Calls, Routes } from "@proofline/plugins/frontends/http/calls"
import { AskError, failureOf, unreachable, unreadable } from "./failure.ts"

/**
 * What the page asks for. The compiler holds it against the API as it is declared; the schemas themselves, and what
 * carries them out, would be half of the page's first load.
 */
const routes = {
  about: "GET /api/v1/about",
  inputs: "GET /api/v1/inputs",
  approvals: "GET /api/v1/approvals",
  workers: "GET /api/v1/workers",
  stats: "GET /api/v1/stats",
  projects: "GET /api/v1/projects",
  runs: {
    list: "GET /api/v1/runs",
    start: "POST /api/v1/runs",
    get: "GET /api/v1/runs/:run",
    cancel: "POST /api/v1/runs/:run/cancel",
    resume: "POST /api/v1/runs/:run/resume",
    answer: "POST /api/v1/runs/:run/answer",
    verify: "POST /api/v1/runs/:run/verify",
    report: "GET /api/v1/runs/:run/report"
  },
  tasks: {
    list: "GET /api/v1/runs/:run/tasks",
    retry: "GET /api/v1/runs/:run/tasks/:task/retry",
    prompt: "GET /api/v1/runs/:run/tasks/:task/attempts/:attempt/prompt",
    output: "GET /api/v1/runs/:run/tasks/:task/attempts/:attempt/output",
    cited: "GET /api/v1/runs/:run/tasks/:task/attempts/:attempt/cited",
    evidence: "GET /api/v1/runs/:run/tasks/:task/checklist/:index/evidence"
  }
} as const satisfies Some<Routes>

const streamRoute: Routes["stream"] = "GET /api/v1/events/stream"

type Some<All> = { readonly [Name in keyof All]?: All[Name] extends string ? All[Name] : Some<All[Name]> }
type Chosen<All, Names> = {
  readonly [Name in keyof Names & keyof All]: Names[Name] extends string ? All[Name] : Chosen<All[Name], Names[Name]>
}

/** Asks the server, each endpoint by its name in the API. Rejected with {@link AskError}. */
export type Client = Chosen<Calls, typeof routes>

/** Who is asked, with which token, and until when. */
export interface Asked {
  /** Where the server listens, with the project in it. */
  readonly url: string
  readonly token: string
  readonly signal: AbortSignal | undefined
}

type Field = string | number | undefined

interface Request {
  readonly params?: Readonly<Record<string, Field>>
  readonly query?: Readonly<Record<string, Field>>
  readonly payload?: unknown
}

const addressOf = (path: string, { params = {}, query = {} }: Request): string => {
  const fields = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) fields.set(name, String(value))
  const place = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  return fields.size === 0 ? place : `${place}?${fields.toString()}`
}

/** The answer, unless it is a refusal. */
const answered = async ({ signal, token, url }: Asked, route: string, request: Request): Promise<Response> => {
  const [method = "", path = ""] = route.split(" ")
  const hasBody = request.payload !== undefined
  const response = await fetch(`${url}${addressOf(path, request)}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(hasBody ? { "content-type": "application/json" } : {}) },
    ...(hasBody ? { body: JSON.stringify(request.payload) } : {}),
    ...(signal === undefined ? {} : { signal })
  }).catch(() => {
    throw new AskError(unreachable)
  })
  if (response.ok) return response
  const refusal = failureOf(await response.json().catch(() => null))
  throw new AskError(refusal.status === 0 ? unreadable(response.status) : refusal)
}

const call = async (asked: Asked, route: string, request: Request): Promise<unknown> => {
  const response = await answered(asked, route, request)
  return response.text().then(
    (text) => {
      try {
        return JSON.parse(text)
      } catch {
        throw new AskError(unreadable(response.status))
      }
    },
    () => {
      throw new AskError(unreachable)
    }
  )
}

/** A client that asks so. */
export const clientOf = (asked: Asked): Client => {
  const made = (all: object): object =>
    Object.fromEntries(
      Object.entries(all).map(([name, route]: [string, string | object]) => [
        name,
        typeof route === "string" ? (request: Request = {}) => call(asked, route, request) : made(route)
      ])
    )
  return made(routes) as Client
}

/** The events of all runs behind this position, as server-sent events. */
export const streamOf = async (asked: Asked, after: number): Promise<ReadableStreamDefaultReader<Uint8Array>> => {
  const { body, status } = await answered(asked, streamRoute, { query: { after } })
  if (body === null) throw new AskError(unreadable(status))
  return body.getReader()
}
