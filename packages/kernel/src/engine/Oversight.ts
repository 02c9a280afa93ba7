import { Context, type Effect } from "effect"
import type { LogUnavailable } from "../domain/LogUnavailable.ts"
import type { Answer } from "./Sessions.ts"

/** What whoever looks after a project may ask of all its runs: the operations of the subject `project`. */
export class Oversight extends Context.Service<
  Oversight,
  {
    /**
     * Carries out an operation with arguments as a client sent them (without the token). `isPerson`: the answer of
     * a person may be given.
     */
    readonly call: (
      operation: string,
      args: unknown,
      options: { readonly isPerson: boolean }
    ) => Effect.Effect<Answer, LogUnavailable>
  }
>()("@proofline/kernel/engine/Oversight") {}
