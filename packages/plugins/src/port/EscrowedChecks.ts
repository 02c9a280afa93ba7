import { Context, type Effect, Schema, type Scope } from "effect"

/** Why the checks cannot be had. The sentence is for the log, which agents may read: it names neither place nor content. */
export class EscrowRefused extends Schema.TaggedError<EscrowRefused>()("EscrowRefused", {
  message: Schema.String
}) {}

export interface EscrowCopy {
  /** Absolute path of a private copy of the directory. */
  readonly directory: string
  /** What a criterion is checked by; undefined: there is none of this name. */
  readonly checkOf: (criterion: string) => { readonly command: string; readonly timeout_ms?: number } | undefined
}

/** Checks that the user keeps where agents do not look, and that nobody but Proofline runs. */
export class EscrowedChecks extends Context.Service<
  EscrowedChecks,
  {
    /** Those with this digest; refused where they are not there any more, or not as they were. The copy is removed when the scope closes. */
    readonly open: (sha256: string) => Effect.Effect<EscrowCopy, EscrowRefused, Scope.Scope>
  }
>()("@proofline/plugins/port/EscrowedChecks") {}
