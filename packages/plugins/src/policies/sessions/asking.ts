import { type SessionState, type State, sessionOf } from "@proofline/kernel"
import type { SessionContext } from "./context.ts"
import type { SessionRef } from "./Sessions.ts"

/** A session that asks for something. */
export interface Asking extends SessionContext {
  readonly ref: SessionRef
  /** Session and run as they were when it asked: what changes something is answered from its own command's outcome. */
  readonly session: SessionState
  readonly state: State
}

/** The session after its command. */
export const sessionAfter = ({ ref, session }: Asking, after: State): SessionState =>
  sessionOf(after, ref.session_id) ?? session
