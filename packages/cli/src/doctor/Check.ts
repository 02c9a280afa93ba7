import type { Effect } from "effect"
import type { ProjectPaths } from "../paths.ts"
import type { KernelFailure, Stop } from "../problems.ts"

/** Something that a check has to say. */
export interface Finding {
  /** Stable. */
  readonly code: string
  /** `error`: something is damaged or does not work; `warning`: it soon may not; `note`: good to know. */
  readonly severity: "error" | "warning" | "note"
  /** One sentence or more. */
  readonly message: string
  /** The file, the directory or the run that it is about. */
  readonly place: string
  /** What to do about it; empty: nothing. */
  readonly fix: string
}

/** Looks at one thing of a project, and changes nothing. */
export interface Check {
  readonly name: string
  readonly look: (paths: ProjectPaths) => Effect.Effect<ReadonlyArray<Finding>, Stop | KernelFailure>
}
