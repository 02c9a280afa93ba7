import { Context, type Effect, type Stream } from "effect"
import type { LogUnavailable } from "../base/LogUnavailable.ts"
import type { Claim } from "../base/Work.ts"

/**
 * Hands out work that `EventLog.append` dispatched. Both are made by the same layer, over the same storage.
 *
 * `take` claims due items whose labels are all offered, best first, never more than `slots` at the same time; a slot is
 * free again when its claim is settled, declined, cancelled or lost. The stream ends only with its consumer. An item whose holder
 * went silent or died is handed out again under a higher lease number.
 * `keep` says that the claims are still being worked on; it answers with those that are no longer ours.
 * `settle` ends a claim after its result was appended; calling it again does nothing.
 * `decline` ends a claim that cannot be carried out here. The item is offered again some seconds later, to anybody.
 */
export class WorkQueue extends Context.Service<
  WorkQueue,
  {
    readonly take: (slots: number, labels: ReadonlyArray<string>) => Stream.Stream<Claim, LogUnavailable>
    readonly keep: (claims: ReadonlyArray<Claim>) => Effect.Effect<ReadonlyArray<Claim>, LogUnavailable>
    readonly settle: (claim: Claim) => Effect.Effect<void, LogUnavailable>
    readonly decline: (claim: Claim) => Effect.Effect<void, LogUnavailable>
  }
>()("@proofline/kernel/port/WorkQueue") {}
