import type { Span } from "./text.ts"

/** What a verb asks for: something new, something changed, information, or only how something is to behave. */
export type Grade = "make" | "change" | "inform" | "minor"

/**
 * An order word: `first` and `then` begin a stage, `last` ends all, `also` adds something that waits for nothing,
 * `earlier` comes before what was said just before.
 */
export type Marker = "first" | "then" | "last" | "also" | "earlier"

/** One thing that a clause enumerates. */
export interface Item {
  /** Where the user names it. */
  readonly own: Span
  /** A request that is complete in itself. */
  readonly say: string
  readonly marker: Marker | null
}

/** One request within a sentence. */
export interface Clause {
  readonly own: Span
  readonly marker: Marker | null
  /** In lower case; as the user wrote it. */
  readonly verb: string
  readonly grade: Grade
  /** What the verb is about: the words after it in English, before it in Japanese. */
  readonly object: Span
  readonly say: string
  /** What it enumerates, two or more; none: it is one piece. */
  readonly items: ReadonlyArray<Item>
  /** It is about what was said before: `make it blue`. */
  readonly refers: boolean
  /** What it makes is a whole of parts: a module, an application. */
  readonly whole: boolean
}

/** One sentence as it was read. `label`: it only announces what follows. */
export interface Sentence {
  readonly own: Span
  readonly kind: "work" | "limit" | "statement"
  readonly clauses: ReadonlyArray<Clause>
  /** What its last words forbid, which holds for everything: `…, and do not change the tests`. `own` ends before it. */
  readonly ban?: Span
}
