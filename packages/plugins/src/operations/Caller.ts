import { type LogUnavailable, type Rejection, rejectForbidden } from "@proofline/kernel"
import { Effect } from "effect"
import { type AttemptRef, Attempts } from "../policies/attempts/contract.ts"
import { Oversight } from "../policies/oversight/contract.ts"
import { type SessionRef, Sessions } from "../policies/sessions/contract.ts"
import type { Answer, Body, View } from "./Answer.ts"
import { refusal } from "./answers.ts"
import { isTooDeep, tooDeep } from "./depth.ts"
import type { Declaration } from "./Operation.ts"
import { makeOwnSession, type OwnSession } from "./ownSession.ts"

/** Arguments as a client sent them, by name. */
export type Args = Body

/** Whoever asks over one connection, on whichever front-end. It is answered, never failed. */
export interface Caller {
  /** `client` is the name the client gives itself. */
  readonly call: (operation: Declaration, args: Args, client: string | undefined) => Effect.Effect<Answer>
  readonly view: (view: View) => Effect.Effect<Answer>
  /** The tasks that whoever asks may work on, by id. */
  readonly openTasks: Effect.Effect<ReadonlyArray<string>, Rejection | LogUnavailable>
  /** Ends the session that the connection has opened, if there is one; `reason` is recorded. */
  readonly leave: (reason: string) => Effect.Effect<void>
}

export interface CallerOptions {
  /**
   * What the connection shows for every request. null: it is that of whoever looks after the project, and works in a
   * session of its own, which is opened by the first call that needs one.
   */
  readonly token: string | null
  /** Whose token it was found to be; left out: that is looked up for every call. */
  readonly principal?: Principal
  /** What the agent is called; null: as its client calls itself. */
  readonly agent: string | null
  /** A session of its own ends when nothing was asked for so long, ms. */
  readonly ttlMs: number
  /** The answer of a person may come over this connection. */
  readonly isPerson: boolean
  /** It is one request long: a session of its own would be left at once, so what belongs to a session needs its token. */
  readonly isBrief?: boolean
}

/** Who asks, and what for they may: the whole project, one session, one attempt. */
export type Principal =
  | { readonly kind: "operator" }
  | { readonly kind: "session"; readonly session: SessionRef }
  | { readonly kind: "attempt"; readonly attempt: AttemptRef }

/** Whose a token is; null: nobody's, as whoever looks after the project needs none. */
export const principalOf = Effect.fnUntraced(function* (
  token: string | null
): Effect.fn.Return<Principal, Rejection | LogUnavailable, Sessions | Attempts> {
  if (token === null) return { kind: "operator" }
  const attempts = yield* Attempts
  return attempts.isToken(token)
    ? { kind: "attempt", attempt: yield* attempts.authenticate(token) }
    : { kind: "session", session: yield* (yield* Sessions).authenticate(token) }
})

/** What answers a connection. */
interface Services {
  readonly sessions: Sessions["Service"]
  readonly attempts: Attempts["Service"]
  readonly oversight: Oversight["Service"]
  readonly own: OwnSession
}

export const makeCaller = Effect.fnUntraced(function* (
  options: CallerOptions
): Effect.fn.Return<Caller, never, Sessions | Attempts | Oversight> {
  const sessions = yield* Sessions
  const attempts = yield* Attempts
  const oversight = yield* Oversight
  const context = yield* Effect.context<Sessions | Attempts>()
  const services: Services = { sessions, attempts, oversight, own: yield* makeOwnSession(sessions) }
  const whose = (token: string | null) => Effect.provide(principalOf(token), context)
  const shown = shownPrincipal(options, whose)

  const call: Caller["call"] = (operation, sent, client) =>
    Effect.gen(function* () {
      if (isTooDeep(sent)) return tooDeep
      const { session_token, ...args } = sent
      const given = tokenOf(session_token)
      // who shows one token and names another could be meant to act for somebody else
      if (given !== "" && options.token !== null && given !== options.token) return yield* refuse(tokenMismatch)
      const who = yield* given === "" ? shown : whose(given)
      return yield* carryOut(services, options, who, { operation, args, client })
    }).pipe(Effect.catchTags(asAnswers))

  const view: Caller["view"] = (view) =>
    Effect.gen(function* () {
      const who = yield* shown
      return who.kind === "attempt"
        ? yield* attempts.view(who.attempt, view)
        : yield* sessions.view(who.kind === "session" ? who.session : services.own.current(), view)
    }).pipe(Effect.catchTags(asAnswers))

  const openTasks: Caller["openTasks"] = Effect.flatMap(shown, (who) =>
    who.kind === "attempt"
      ? Effect.succeed([who.attempt.task_id])
      : sessions.openTasks(who.kind === "session" ? who.session : services.own.current())
  )

  return { call, view, openTasks, leave: services.own.leave }
})

/** Whom the connection itself shows. */
const shownPrincipal = (
  { principal, token }: CallerOptions,
  whose: (token: string | null) => Effect.Effect<Principal, Rejection | LogUnavailable>
): Effect.Effect<Principal, Rejection | LogUnavailable> =>
  principal === undefined
    ? Effect.mapError(whose(token), (error) =>
        error._tag === "Rejection" && error.code === "session_unknown" ? tokenUnknown : error
      )
    : Effect.succeed(principal)

interface Asked {
  readonly operation: Declaration
  readonly args: Args
  readonly client: string | undefined
}

/** Each operation by the service it belongs to, for those who may ask for it. */
const carryOut = (
  { attempts, oversight, own, sessions }: Services,
  { agent, isBrief = false, isPerson, ttlMs }: CallerOptions,
  who: Principal,
  { args, client, operation }: Asked
): Effect.Effect<Answer, Rejection | LogUnavailable> => {
  const { name, subject } = operation
  if (who.kind === "attempt") {
    return subject === "project" ? refuse(operatorOnly(name)) : attempts.call(who.attempt, name, args)
  }
  switch (subject) {
    case "attempt":
      return refuse(attemptOnly(name))
    case "project":
      return who.kind === "operator" ? oversight.call(name, args, { isPerson }) : refuse(operatorOnly(name))
    case "session": {
      if (who.kind === "session") return sessions.call(who.session, name, args)
      // a session of the connection's own that is open is asked itself
      if (operation.readOnly && own.current() === null) return sessions.read(name, args)
      if (isBrief) return refuse(sessionNeeded(name))
      const isLeaving = name === "report_completed"
      const identity = { agent: agent ?? agentName(client), ofProcess: true, ttl_ms: ttlMs, isLeaving }
      return own.call(identity, operation, args)
    }
  }
}

const refuse = ({ code, hint, kind, message }: Rejection) =>
  Effect.succeed(refusal({ error: code, message, next_step: hint }, kind))

const operatorOnly = (name: string): Rejection =>
  rejectForbidden(
    "operator_only",
    `${name} looks at the whole project, and this connection is bound to one agent's work.`,
    "Ask for your own work with get_my_task and get_my_task_progress."
  )

const attemptOnly = (name: string): Rejection =>
  rejectForbidden(
    "attempt_only",
    `${name} is for an agent that Proofline has asked for a judgment, and this one was not.`,
    "Call get_next_action to see what is to be done here."
  )

const sessionNeeded = (name: string): Rejection =>
  rejectForbidden(
    "token_missing",
    `${name} belongs to the session of an agent, and no token of one is shown.`,
    "Open one with `proofline session open --agent NAME`, and show its token or name it as session_token."
  )

const tokenUnknown = rejectForbidden(
  "session_unknown",
  "No session has the token that this connection shows.",
  "Ask the user for a token that is good (`proofline session open` prints one); for the project as a whole, show none."
)

const tokenMismatch = rejectForbidden(
  "token_mismatch",
  "session_token is not the token this connection shows.",
  "Leave session_token out."
)

/** What cannot be carried out is an answer too. */
const asAnswers = {
  Rejection: ({ code, hint, kind, message, open }: Rejection) =>
    Effect.succeed(refusal({ error: code, message, next_step: hint, ...(open.length === 0 ? {} : { open }) }, kind)),
  // storage is nothing an agent can repair
  LogUnavailable: ({ code, hint, message }: LogUnavailable) =>
    Effect.succeed<Answer>({
      ...refusal({ error: code, message, next_step: hint, needs_person: true }),
      isUnavailable: true
    })
}

/** What an argument names as a token; empty: none. What is no text stays what it is, and nobody's. */
const tokenOf = (given: unknown): string => {
  if (given === undefined || given === null) return ""
  return typeof given === "string" ? given : JSON.stringify(given)
}

/** What an agent is called after its client: lower case, `[a-z0-9_-]`, 100 characters at most. */
const agentName = (client: string | undefined): string => {
  const name = (client ?? "")
    .slice(0, 100)
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^-+|-+$/g, "")
  return name === "" ? "agent" : name
}
