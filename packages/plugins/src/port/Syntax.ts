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

/** What replaces a declaration: another definition of its name, another value, another export. */
export interface Hiding {
  /** Where it begins: a line from 0. */
  readonly row: number
  /** Its first line, for people. */
  readonly text: string
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
  /** What takes its place further down in the text; null: nothing does. */
  readonly hidden: Hiding | null
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

/** Reads source text with the grammar of its language. */
export class Syntax extends Context.Service<
  Syntax,
  {
    /** Null: no grammar for such a file, or a text that is too large for one. */
    readonly outline: (path: string, text: string) => Effect.Effect<SourceOutline | null>
  }
>()("@proofline/plugins/port/Syntax") {}
