import { Context, type Effect } from "effect"
import type { CommandId, RunId } from "../domain/Ids.ts"

/** New ids, never twice the same. */
export class IdGenerator extends Context.Service<
  IdGenerator,
  {
    readonly runId: Effect.Effect<RunId>
    readonly commandId: Effect.Effect<CommandId>
  }
>()("@proofline/kernel/port/IdGenerator") {}
