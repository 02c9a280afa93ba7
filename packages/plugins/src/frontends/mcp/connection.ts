import { type Answer, type Identity, type OpenedSession, type SessionRef, Sessions } from "@proofline/kernel"
import { Effect, Semaphore } from "effect"
import { ofLogUnavailable, ofRejection } from "./answers.ts"
import type { Args } from "./args.ts"

/** Whoever asks over one connection: its own session, which is opened by the first call that needs one. */
export interface Connection {
  /** Carries out an operation with arguments as the client sent them; `client` is the name the client gives itself. */
  readonly call: (operation: string, args: Args, client: string | undefined) => Effect.Effect<Answer>
}

export const makeConnection = Effect.fnUntraced(function* (options: {
  readonly agent: string | null
  readonly ttlMs: number
}): Effect.fn.Return<Connection, never, Sessions> {
  const sessions = yield* Sessions
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

  const call: Connection["call"] = (operation, sent, client) =>
    Effect.gen(function* () {
      const { session_token, ...args } = sent
      if (session_token === undefined || session_token === null || session_token === "")
        return yield* callAs(operation, args, {
          agent: options.agent ?? agentName(client),
          ofProcess: true,
          ttl_ms: options.ttlMs,
          isLeaving: operation === "report_completed"
        })
      const given = yield* sessions.authenticate(String(session_token))
      return yield* sessions.call(given, operation, args)
    }).pipe(
      Effect.catchTags({
        Rejection: (error) => Effect.succeed(ofRejection(error)),
        LogUnavailable: (error) => Effect.succeed(ofLogUnavailable(error))
      })
    )

  return { call }
})

/** The session is over and nothing was done, but a new one may go on. */
const endedSession = ({ body }: Answer): boolean => body["error"] === "session_closed" && body["reopen"] === true

/** What an agent is called after its client: lower case, `[a-z0-9_-]`. */
const agentName = (client: string | undefined): string => {
  const name = (client ?? "")
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^-+|-+$/g, "")
  return name === "" ? "agent" : name
}
