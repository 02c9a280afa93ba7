/** A language of the corpus. The names are also the values of `--language`. */
export const languages = [
  "python",
  "typescript",
  "tsx",
  "javascript",
  "go",
  "rust",
  "java",
  "c",
  "cpp",
  "csharp",
  "ruby",
  "php",
  "kotlin",
  "swift",
  "scala",
  "bash"
] as const

export type Language = (typeof languages)[number]

/** Rules are tuned on the first half alone; the second tells what they are worth on code nobody tuned for. */
export type Half = "dev" | "held-out"

/** Characters of a text: from `from` up to, not including, `to`. */
export interface Part {
  readonly from: number
  readonly to: number
}

/** A function in a file, found without any grammar of Proofline. Lines count from 1. */
export interface FoundFunction {
  readonly name: string
  /** First line of the comments, decorators and attributes directly above; `start` when there are none. */
  readonly above: number
  /** First line of the declaration itself. */
  readonly start: number
  /** The line that holds its name: what an agent cites as `file:line`. */
  readonly signature: number
  readonly end: number
  /** What stands between the braces, or the statements of a body that has none, or the expression. */
  readonly body: Part
  /** The same with braces; the same as `body` where there are none. */
  readonly outer: Part
  readonly form: "block" | "expression"
  /** What stands between the name and the body: parameters and result, comments and strings blanked. */
  readonly head: string
  /**
   * `plain`: doing nothing is an omission. `constructor`: may be empty. `declared`: a body is a default that need not
   * do anything (trait, interface, protocol, abstract). Only plain ones are made into stubs.
   */
  readonly role: "plain" | "constructor" | "declared"
}

/** A file with what was found in it. `code` is the text with comments and strings blanked, of the same length. */
export interface Source {
  readonly language: Language
  readonly half: Half
  readonly project: string
  /** As the rules see it: relative to the project. */
  readonly path: string
  readonly text: string
  readonly code: string
  /** The text with comments blanked. */
  readonly uncommented: string
  readonly functions: ReadonlyArray<FoundFunction>
}
