import { Effect, Semaphore } from "effect"
import type { LogUnavailable } from "../domain/LogUnavailable.ts"
import { type Rejection, reject } from "../domain/Rejection.ts"
import { type AttemptRef, Attempts } from "./Attempts.ts"
import { Oversight } from "./Oversight.ts"
import type { Operation } from "./operations.ts"
import { type Answer, type Identity, type OpenedSession, type SessionRef, Sessions, type View } from "./Sessions.ts"

/** Arguments as a client sent them, by name. */
export type Args = Readonly<Record<string, unknown>>

/** Whoever asks over one connection, on whichever front-end. It is answered, never failed. */
export interface Caller {
  /** `client` is the name the client gives itself. */
  readonly call: (operation: Operation, args: Args, client: string | undefined) => Effect.Effect<Answer>
  readonly view: (view: View) => Effect.Effect<Answer>
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

export const makeCaller = Effect.fnUntraced(function* (
  options: CallerOptions
): Effect.fn.Return<Caller, never, Sessions | Attempts | Oversight> {
  const sessions = yield* Sessions
  const attempts = yield* Attempts
  const oversight = yield* Oversight
  const services = yield* Effect.context<Sessions | Attempts>()
  const lock = yield* Semaphore.make(1)
  let own: OpenedSession | null = null

  /** The session of this connection; another than `ended`, when one has ended. */
  const session = (identity: Identity, ended: SessionRef | null) =>
    lock.withPermit(
      Effect.suspend(() =>
        own !== null && own.session_id !== ended?.session_id
          ? Effect.succeed(own)
          : // a call that is cancelled meanwhile must not leave a session behind that nobody uses
            Effect.uninterruptible(
              Effect.tap(sessions.open(identity), (opened) =>
                Effect.sync(() => {
                  own = opened
                })
              )
            )
      )
    )

  const callAs = Effect.fnUntraced(function* (operation: string, args: Args, identity: Identity) {
    const first = yield* session(identity, null)
    const answer = yield* sessions.call(first, operation, args)
    if (!endedSession(answer)) return answer
    const next = yield* session(identity, first)
    return yield* sessions.call(next, operation, args)
  })

  const whose = (token: string | null) => Effect.provide(principalOf(token), services)

  /** Whom the connection itself shows. */
  const shown =
    options.principal === undefined
      ? Effect.mapError(whose(options.token), (error) =>
          error._tag === "Rejection" && error.code === "session_unknown" ? tokenUnknown : error
        )
      : Effect.succeed(options.principal)

  const carryOut = (who: Principal, operation: Operation, args: Args, client: string | undefined) => {
    const { name, subject } = operation
    if (who.kind === "attempt") {
      return subject === "project" ? refuse(operatorOnly(name)) : attempts.call(who.attempt, name, args)
    }
    switch (subject) {
      case "attempt":
        return refuse(attemptOnly(name))
      case "project":
        return who.kind === "operator"
          ? oversight.call(name, args, { isPerson: options.isPerson })
          : refuse(operatorOnly(name))
      case "session":
        return who.kind === "session"
          ? sessions.call(who.session, name, args)
          : callAs(name, args, {
              agent: options.agent ?? agentName(client),
              ofProcess: true,
              ttl_ms: options.ttlMs,
              isLeaving: name === "report_completed"
            })
    }
  }

  const call: Caller["call"] = (operation, sent, client) =>
    Effect.gen(function* () {
      const { session_token, ...args } = sent
      const given = tokenOf(session_token)
      // who shows one token and names another could be meant to act for somebody else
      if (given !== "" && options.token !== null && given !== options.token) return yield* refuse(tokenMismatch)
      const who = yield* given === "" ? shown : whose(given)
      return yield* carryOut(who, operation, args, client)
    }).pipe(Effect.catchTags(asAnswers))

  const view: Caller["view"] = (view) =>
    Effect.gen(function* () {
      const who = yield* shown
      return who.kind === "attempt"
        ? yield* attempts.view(who.attempt, view)
        : yield* sessions.view(who.kind === "session" ? who.session : own, view)
    }).pipe(Effect.catchTags(asAnswers))

  const leave: Caller["leave"] = (reason) =>
    lock.withPermit(
      Effect.suspend(() => {
        const left = own
        own = null
        return left === null ? Effect.void : Effect.ignore(sessions.close(left, reason))
      })
    )

  return { call, view, leave }
})

const refuse = ({ code, hint, message }: Rejection) =>
  Effect.succeed(refusal({ error: code, message, next_step: hint }))

const operatorOnly = (name: string): Rejection =>
  reject(
    "operator_only",
    `${name} looks at the whole project, and this connection is bound to one agent's work.`,
    "Ask for your own work with get_my_task and get_my_task_progress."
  )

const attemptOnly = (name: string): Rejection =>
  reject(
    "attempt_only",
    `${name} is for an agent that Proofline has asked for a judgment, and this one was not.`,
    "Call get_next_action to see what is to be done here."
  )

const tokenUnknown = reject(
  "session_unknown",
  "No session has the token that this connection shows.",
  "Ask the user for a token that is good (`proofline session open` prints one); for the project as a whole, show none."
)

const tokenMismatch = reject(
  "token_mismatch",
  "session_token is not the token this connection shows.",
  "Leave session_token out."
)

interface Refusal {
  /** Stable. */
  readonly error: string
  readonly message: string
  readonly next_step: string
  readonly [field: string]: unknown
}

/** An answer of nobody's work: there is nothing to say of where it stands. */
export const refusal = (refused: Refusal): Answer => ({ ok: false, body: { success: false, ...refused } })

/** What cannot be carried out is an answer too. */
const asAnswers = {
  Rejection: ({ code, hint, message, open }: Rejection) =>
    Effect.succeed(refusal({ error: code, message, next_step: hint, ...(open.length === 0 ? {} : { open }) })),
  // storage is nothing an agent can repair
  LogUnavailable: ({ code, hint, message }: LogUnavailable) =>
    Effect.succeed(refusal({ error: code, message, next_step: hint, needs_person: true }))
}

/** The session is over and nothing was done, but a new one may go on. */
const endedSession = ({ body }: Answer): boolean => body["error"] === "session_closed" && body["reopen"] === true

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
