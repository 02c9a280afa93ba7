import { Context, type Effect } from "effect"

/** Lines from 1, both included. */
export interface LineRange {
  readonly start: number
  readonly end: number
}

/** A place in a text: line from 0, UTF-16 code units from 0. */
export interface Position {
  readonly row: number
  readonly column: number
}

export interface Span {
  readonly start: Position
  readonly end: Position
}

/** Something a source file declares. */
export interface Declaration extends Span {
  /** Its own name; null when it has none, e.g. a callback. */
  readonly name: string | null
  /** `function`: has a body that runs; `type`: has members; `group`: merely holds declarations (namespace, module). */
  readonly kind: "function" | "type" | "group"
  /** From `start` to here, it is its head: decorators, modifiers, name, parameters. */
  readonly bodyStart: Position
  /** Index of the declaration around it; null at the outermost level. */
  readonly parent: number | null
  /** Null: something is done in it, or nothing needs to be. Otherwise, in words, why it counts as empty. */
  readonly empty: string | null
}

/** Text that shows nothing by itself. */
export interface Aside extends Span {
  /** `nothing`: a statement that does nothing, e.g. `pass`. */
  readonly kind: "comment" | "import" | "nothing"
}

/** What a source file holds, as far as evidence asks. Declarations in the order of their starts, the outer one first. */
export interface SourceOutline {
  readonly language: string
  readonly declarations: ReadonlyArray<Declaration>
  readonly asides: ReadonlyArray<Aside>
  /** String literals; blanks within them count. */
  readonly strings: ReadonlyArray<Span>
  /** Parts that the grammar does not understand. */
  readonly faults: ReadonlyArray<Span>
  /** Layout is structure (Python). */
  readonly isIndented: boolean
  /** Where a line ends means nothing (Java). */
  readonly isFreeForm: boolean
  /**
   * The text with the lines made to fail when they are executed; null where the language's rules do not say how.
   * Everything outside of the lines stays as it is.
   */
  readonly neutralised: (lines: LineRange) => string | null
}

/** Text read as another one of the same length; `as` is padded with blanks, line ends stay. */
export interface Patch {
  /** Source of a regular expression, with the flags `g` and `m`. */
  readonly pattern: string
  readonly as: string
}

/** A language as data. See docs/languages.md for the captures of the query. */
export interface LanguageRules {
  readonly name: string
  /** Ends of file names, with the dot: `.py`. */
  readonly extensions: ReadonlyArray<string>
  /** Whole file names: `Rakefile`. */
  readonly filenames?: ReadonlyArray<string>
  /** Programs named in a first line that begins with `#!`, without version: `python`. */
  readonly interpreters?: ReadonlyArray<string>
  /** The grammar: a file name among those that come with Proofline, or a path or `file:` URL of another one. */
  readonly grammar: string
  /** Tree-sitter query. */
  readonly query: string
  /** What the grammar does not understand: regular expressions, and what is read in place of what they match. */
  readonly patches?: ReadonlyArray<Patch>
  readonly isIndented?: boolean
  readonly isFreeForm?: boolean
  /** A statement, with its terminator, that fails whenever it is executed; put before what is to be neutralised. */
  readonly fail?: string
  /** The same as an expression, for functions whose body is one. */
  readonly failExpression?: string
}

/** Reads source text with the grammar of its language. */
export class Syntax extends Context.Service<
  Syntax,
  {
    /** Null: no grammar for such a file, or a text that is too large for one. */
    readonly outline: (path: string, text: string) => Effect.Effect<SourceOutline | null>
  }
>()("@proofline/kernel/port/Syntax") {}
