import type { LogUnavailable } from "@proofline/kernel"
import { Context, type Effect } from "effect"
import type { Answer } from "../../operations/Answer.ts"

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
>()("@proofline/plugins/policies/oversight/Oversight") {}
