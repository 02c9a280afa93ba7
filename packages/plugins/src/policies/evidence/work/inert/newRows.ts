import type { SourceOutline } from "../../../../port/index.ts"
import { anyOf, choosing, off } from "../../asked/words.ts"

/** What is new of a file, and what an item asks of it. */
export interface NewRows {
  /** What the item says, without what only sorts it. */
  readonly item: string
  readonly path: string
  readonly outline: SourceOutline | null
  /** As its grammar is called; empty: there is none. */
  readonly language: string
  /** The rows of the file. */
  readonly lines: ReadonlyArray<string>
  /** The same without comments and line ends. */
  readonly texts: ReadonlyArray<string>
  /** Rows that are new, counted from 0, and those of them that are cited. */
  readonly fresh: ReadonlyArray<number>
  readonly rows: ReadonlyArray<number>
  /** Whether the file had no such row, wherever it stood. */
  readonly isNew: (row: number) => boolean
  /** Whether a line stood in the file before. */
  readonly wasThere: (line: string) => boolean
}

/** Why what is new does nothing for an item, as a sentence; null: it may. Pure. */
export type InertRule = (code: NewRows) => string | null

/** A row as it is told. */
export const shown = (text: string): string => `\`${text.trim().slice(0, 80)}\``

/** The row, without blanks around it. */
export const rowAt = ({ texts }: Pick<NewRows, "texts">, row: number): string => (texts[row] ?? "").trim()

/** The next row below that holds something; -1: there is none. */
export const nextRow = ({ texts }: Pick<NewRows, "texts">, row: number): number => {
  for (let at = Math.max(0, row + 1); at < texts.length; at++) if ((texts[at] ?? "").trim() !== "") return at
  return -1
}

/** In small letters, also those of a name: `runAsNonRoot`. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, " ")
    .toLowerCase()
    .match(/[a-z]{2,}|\d+/g) ?? []

export const depthOf = (text: string): number => text.length - text.trimStart().length

/** The item asks for less, for nothing, or for what others decide: what it speaks of may be zero, empty or off. */
export const mayBeOff = (item: string): boolean => lessening.test(item)
const lessening = anyOf(
  [
    off,
    choosing,
    String.raw`0|allow\w*|as long as|blank|by hand|do not|don't|empty|except|exclud\w*|exempt\w*|false|forever|gone|indefinite\w*|infinit\w*|manual\w*|never|no longer|none|remov\w*|skip\w*|unless|unlimited|without|zero`
  ],
  "無効"
)
