import type { SessionContext } from "./context.ts"
import { sessionOf } from "./rules/session.ts"
import type { SessionState } from "./rules/state.ts"
import type { SessionRef } from "./Sessions.ts"
import type { AnyRun } from "./state.ts"

/** A session that asks for something. */
export interface Asking extends SessionContext {
  readonly ref: SessionRef
  /** Session and run as they were when it asked: what changes something is answered from its own command's outcome. */
  readonly session: SessionState
  readonly state: AnyRun
  readonly version: number
}

/** What an operation needs that only reads; no session asks where it is null. */
export interface Reading {
  readonly session: Pick<SessionState, "agent"> | null
  readonly state: AnyRun
}

/** The session after its command. */
export const sessionAfter = ({ ref, session }: Asking, after: AnyRun): SessionState =>
  sessionOf(after, ref.session_id) ?? session
