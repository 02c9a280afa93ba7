import { sep } from "node:path"

/** True for the directory itself too. Both absolute, without `..`. */
export const isWithin = (directory: string, path: string): boolean =>
  path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)

/** What the system says went wrong. */
export const wordsOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
