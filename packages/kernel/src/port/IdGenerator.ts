import { Context, type Effect } from "effect"
import type { CommandId, RunId } from "../base/Ids.ts"

/** New ids, never twice the same. */
export class IdGenerator extends Context.Service<
  IdGenerator,
  {
    readonly runId: Effect.Effect<RunId>
    readonly commandId: Effect.Effect<CommandId>
    /** `ses_…` */
    readonly sessionId: Effect.Effect<string>
    /** A secret nobody can guess, at least 32 random bytes, as text without blanks. */
    readonly token: Effect.Effect<string>
  }
>()("@proofline/kernel/port/IdGenerator") {}
