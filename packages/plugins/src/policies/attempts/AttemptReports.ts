import type { LogUnavailable } from "@proofline/kernel"
import { Context, type Effect } from "effect"
import type { AgentCall } from "./AttemptTokens.ts"

/** Where agents that Proofline has started leave their answers, one place for each of them while it works. */
export class AttemptReports extends Context.Service<
  AttemptReports,
  {
    /** Leaves a text in place of what was there, whole or not at all. False: that agent does not work any more. */
    readonly write: (call: AgentCall, text: string) => Effect.Effect<boolean, LogUnavailable>
    /** Whether anything was left so far. */
    readonly isWritten: (call: AgentCall) => Effect.Effect<boolean, LogUnavailable>
  }
>()("@proofline/plugins/policies/attempts/AttemptReports") {}
