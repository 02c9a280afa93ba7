import type { Base, LogUnavailable } from "@proofline/kernel"
import { Context, type Effect } from "effect"

/** What became of a file since a run began. */
export interface Changes {
  /** True when one of the lines is new or was changed, or a line was taken out between them. Lines from 1, both included. */
  readonly touched: (start: number, end: number) => boolean
}

/** Remembers what a project was, so that it can be told later what a run changed. Reads the project, never writes it. */
export class Baseline extends Context.Service<
  Baseline,
  {
    /** The state of the project now; what the commit does not hold is kept as digests in the blob store. */
    readonly capture: Effect.Effect<Base, LogUnavailable>
    /** How today's text of a file differs from the one at the base; null when the base cannot be read any more. */
    readonly changes: (base: Base, path: string, text: string) => Effect.Effect<Changes | null>
  }
>()("@proofline/plugins/port/Baseline") {}
