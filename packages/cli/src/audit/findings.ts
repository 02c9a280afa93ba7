import type { Tool } from "./Box.ts"

/** Why a tick does not hold, each with what it means. */
export const findingCodes = ["missing_path", "missing_lines", "stub", "never_touched"] as const
export type FindingCode = (typeof findingCodes)[number]

/** A ticked box without evidence that holds. */
export interface Finding {
  /** The list, relative to the project. */
  readonly file: string
  /** Where the tick is, both from 1. */
  readonly line: number
  readonly column: number
  readonly item: string
  readonly code: FindingCode
  readonly message: string
  /** The file that the box names. */
  readonly path: string
  readonly tool: Tool
}

export const findingRules: Readonly<Record<FindingCode, { readonly name: string; readonly description: string }>> = {
  missing_path: {
    name: "A ticked box names a file that is not there",
    description:
      "The box says that work was done in a file, and neither the working tree has such a file, nor does git know where it was moved. Do the work, name the file that has it, or untick the box."
  },
  missing_lines: {
    name: "A ticked box cites lines that are not there",
    description: "The box cites lines that the file does not have. Cite those that show it, or untick the box."
  },
  stub: {
    name: "A ticked box rests on a stub",
    description:
      "What the box names does nothing yet: its functions are empty, only fail, or only say that something is to be done. Do the work, or untick the box."
  },
  never_touched: {
    name: "A ticked box names files that git never saw changed for it",
    description:
      "The files that the box names are in no commit, or no commit has changed them since the box was written down open. Commit the work, name the file that has it, or untick the box."
  }
}
