import { type AgentRequest, type AgentResult, isSessionId, type KernelState, type TaskState } from "@proofline/kernel"
import { Struct } from "effect"

/** Who makes the next attempt, and where; null: in the project. */
interface Next {
  readonly agent: string
  readonly directory: string | null
}

/**
 * The session that the next attempt at a task goes on with: that of the attempt just before it, by the same agent in the
 * same directory, where that one ended well. What broke one attempt (a full context, a call that hangs) must not break
 * the next.
 */
export const resumed = (
  { run }: Pick<KernelState, "run">,
  { current }: TaskState,
  { agent, directory }: Next
): Pick<AgentRequest, "resume"> =>
  run.config.resume_sessions !== false &&
  current?.session !== undefined &&
  current.outcome === "COMPLETE" &&
  !current.cancelled &&
  current.agent === agent &&
  current.session.directory === directory
    ? { resume: Struct.omit(current.session, ["directory"]) }
    : {}

/** What is recorded of the session in which an attempt worked; nothing of a name that could be taken for something else. */
export const sessionOf = ({ session }: AgentResult, directory: string | null) =>
  session !== undefined && isSessionId(session.id) ? { session: { ...session, directory } } : {}
