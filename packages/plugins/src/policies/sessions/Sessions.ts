import type { LogUnavailable, Rejection, RunId, TaskId } from "@proofline/kernel"
import { Context, type Effect, type Stream } from "effect"
import type { Answer, View } from "../../operations/Answer.ts"

/** One agent at work in a session run. */
export interface SessionRef {
  readonly run: RunId
  readonly session_id: string
  readonly agent: string
}

export interface OpenedSession extends SessionRef {
  /** Given once; only its hash is kept. */
  readonly token: string
  /** ISO 8601, UTC; moves on with every call. */
  readonly expires_at: string
}

/** Who opens a session. */
export interface Identity {
  /** What the agent is called, e.g. `claude-code`: tasks are assigned to it. */
  readonly agent: string
  /** It ends with this process; false: it ends by expiry or revocation alone. */
  readonly ofProcess: boolean
  /** It ends when nothing was asked for so long, ms. */
  readonly ttl_ms: number
  /** It only says goodbye: the answer to that may have been lost, and nothing is begun for it. */
  readonly isLeaving?: boolean
}

/**
 * Pull mode: agents ask, and are refused what does not hold. `open` joins the session run of the project, or begins one.
 * A session of a process ends with the scope it was opened in. `call` never fails for what an agent asks; it answers.
 */
export class Sessions extends Context.Service<
  Sessions,
  {
    readonly open: (identity: Identity) => Effect.Effect<OpenedSession, Rejection | LogUnavailable>
    /** The open session a token belongs to. */
    readonly authenticate: (token: string) => Effect.Effect<SessionRef, Rejection | LogUnavailable>
    /** Ends a session; `reason` is recorded. */
    readonly close: (session: SessionRef, reason: string) => Effect.Effect<void, Rejection | LogUnavailable>
    /**
     * Carries out an operation, with arguments as a client sent them (without the token). May
     * take as long as evidence or commands take; after about 40 s it answers that they still run.
     */
    readonly call: (session: SessionRef, operation: string, args: unknown) => Effect.Effect<Answer, LogUnavailable>
    /**
     * Carries out an operation that only reads, for a connection that has no session yet: in the session run that goes
     * on, where it is answered with everybody's work. Opens none, and begins no run.
     */
    readonly read: (operation: string, args: unknown) => Effect.Effect<Answer, LogUnavailable>
    /**
     * What is to be seen of the session's own work: its task, how far all is, the newest events that concern it. Changes
     * nothing. null: of whoever looks after the project, in the session run that goes on.
     */
    readonly view: (session: SessionRef | null, view: View) => Effect.Effect<Answer, LogUnavailable>
    /**
     * The tasks that are not over and not somebody else's, what is under way first. null: of whoever looks after the
     * project, everybody's.
     */
    readonly openTasks: (session: SessionRef | null) => Effect.Effect<ReadonlyArray<TaskId>, LogUnavailable>
    /** The session run that goes on, each time something happened in it. */
    readonly changes: Stream.Stream<RunId, LogUnavailable>
  }
>()("@proofline/plugins/policies/sessions/Sessions") {}
