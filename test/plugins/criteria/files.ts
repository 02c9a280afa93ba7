import type { SourceOutline } from "@proofline/plugins/ports"
import { type ChangedFile, linesOf } from "../../../packages/plugins/src/policies/criteria/file.ts"

/** A file of which nobody knows the grammar, with all of it changed unless rows are named. */
export const fileOf = (
  path: string,
  text: string,
  rows: ReadonlyArray<number> | null = null,
  outline: SourceOutline | null = null
): ChangedFile => ({
  path,
  text,
  lines: linesOf(text),
  outline,
  isChanged: (row) => rows?.includes(row) ?? true
})

export const linesWith = (found: ReadonlyArray<{ readonly line: number | null }>): ReadonlyArray<number | null> =>
  found.map(({ line }) => line)
