import { Predicate } from "effect"

/** Whether the system had no space for what was to be written. */
export const isFull = (cause: unknown): boolean =>
  Predicate.hasProperty(cause, "code") && (cause.code === "ENOSPC" || cause.code === "EDQUOT")
