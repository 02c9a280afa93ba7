import type { Base, ProjectTree } from "@proofline/kernel"
import { Context, type Effect, Schema, type Scope } from "effect"

/** Why there is no throw-away checkout. */
export class CheckoutRefused extends Schema.TaggedError<CheckoutRefused>()("CheckoutRefused", {
  message: Schema.String
}) {}

export interface ScratchCheckout {
  /** Absolute path of a directory that is the project's root in the checkout. */
  readonly directory: string
  /** Replaces the content of a file in the checkout; `path` as in evidence. */
  readonly write: (path: string, text: string) => Effect.Effect<void, CheckoutRefused>
}

/** Throw-away checkouts of the project's repository. The user's own files are read and never written. */
export class ScratchCheckouts extends Context.Service<
  ScratchCheckouts,
  {
    /** A checkout of the commit, with `overlay` as the project is now. It is removed when the scope closes. */
    readonly make: (options: {
      readonly commit: string
      readonly overlay: boolean
      /** Another directory of the same project to overlay from, e.g. a subtask's worktree. Absolute path. */
      readonly root?: string
    }) => Effect.Effect<ScratchCheckout, CheckoutRefused, Scope.Scope>
  }
>()("@proofline/plugins/port/ScratchCheckouts") {}

/**
 * Throw-away directories that hold the whole project, with what git ignores (installed packages, build results) as it is
 * now; in a repository they are worktrees of it. The user's own files are read and never written.
 */
export class ScratchProjects extends Context.Service<
  ScratchProjects,
  {
    /** The project as it was at the base or another moment, or as it is now. It is removed when the scope closes. */
    readonly make: (options: {
      readonly at: Base | ProjectTree | "now"
      /** Another directory of the same project, e.g. a subtask's worktree. Absolute path. */
      readonly root?: string
    }) => Effect.Effect<ScratchCheckout, CheckoutRefused, Scope.Scope>
  }
>()("@proofline/plugins/port/ScratchProjects") {}
