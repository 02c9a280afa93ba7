import type { SourceOutline } from "../../port/index.ts"

/** A file that a subtask changed, as it is now. */
export interface ChangedFile {
  readonly path: string
  readonly text: string
  /** Without their line ends. */
  readonly lines: ReadonlyArray<string>
  /** Null: no grammar for it. */
  readonly outline: SourceOutline | null
  /** Whether a line is new or was changed since the run began. Rows from 0. */
  readonly isChanged: (row: number) => boolean
}

/** A place that speaks against a criterion. */
export interface Finding {
  readonly path: string
  /** From 1; null: the file as a whole. */
  readonly line: number | null
  /** What is there, or what is wrong, in a few words. */
  readonly text: string
}

/** A line of a file as a finding. */
export const at = (path: string, row: number, text: string): Finding => ({
  path,
  line: row + 1,
  text: shortened(text.trim().replace(/\s+/g, " "))
})

const maxText = 120

const shortened = (text: string): string => (text.length <= maxText ? text : `${text.slice(0, maxText - 1)}…`)

/** A final line end does not begin another line. */
export const linesOf = (text: string): ReadonlyArray<string> => {
  const lines = text.replace(/^\ufeff/, " ").split(/\r?\n/)
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines
}

/** Files whose text nobody of a project writes by hand: they are not looked into. */
export const isForeign = (path: string): boolean =>
  /(?:^|\/)(?:node_modules|bower_components|vendor|third[_-]party|dist|target|\.venv|venv|site-packages|__pycache__|\.git)\//.test(
    path
  ) ||
  /(?:\.min\.(?:js|css|mjs)|\.map|\.lock|\.snap|\.svg|-lock\.(?:json|yaml)|\.pb\.go|_pb2\.py)$/.test(path) ||
  /(?:^|\/)(?:go\.sum|npm-shrinkwrap\.json)$/.test(path)
