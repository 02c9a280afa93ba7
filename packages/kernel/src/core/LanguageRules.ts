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
