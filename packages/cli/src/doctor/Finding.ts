import type { Effect } from "effect"

/** Something that a check has to say. */
export interface Finding {
  /** Stable. */
  readonly code: string
  /** `error`: something is damaged or does not work; `warning`: it soon may not; `note`: good to know. */
  readonly severity: "error" | "warning" | "note"
  /** One sentence or more. */
  readonly message: string
  /** The file, with line and column where they are known, the directory, the program, the variable or the run that it is about. */
  readonly place: string
  /** What to do about it: a command, or a change. */
  readonly fix: string
  /** Does it: only where nothing can be lost, and where doing it twice changes nothing more. Fails with a sentence. */
  readonly mend?: Effect.Effect<void, string>
}
