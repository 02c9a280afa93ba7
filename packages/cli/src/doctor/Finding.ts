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
