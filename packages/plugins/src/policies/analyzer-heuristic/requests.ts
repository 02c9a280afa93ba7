import type { Phrase } from "./text.ts"

/** What a verb asks for: something new, something changed, information, or how something is to behave. */
export type Grade = "make" | "change" | "inform" | "behave"

/**
 * An order word: `first` and `then` begin a stage, `last` ends all, `also` adds something that waits for nothing,
 * `earlier` comes before what was said just before.
 */
export type Marker = "first" | "then" | "last" | "also" | "earlier"

/** Something that a sentence asks for. */
export interface Request {
  /** Where the user names it, word for word. */
  readonly own: string
  /** The same as a request that is complete in itself. */
  readonly say: string
  /** In lower case; empty: the user gave none. */
  readonly verb: string
  /** What the verb is about. */
  readonly object: Phrase
  readonly grade: Grade
  readonly marker: Marker | null
  /** One of several that are enumerated. */
  readonly listed: boolean
  /** It stands beside the one before in one enumeration. */
  readonly joined: boolean
}

/**
 * A sentence as it was read. `limit`: it forbids or demands something of all the work; `unclear`: it seems to ask for
 * something in words that are not known.
 */
export interface Sentence {
  readonly text: string
  readonly kind: "work" | "limit" | "question" | "unclear" | "statement"
  readonly requests: ReadonlyArray<Request>
  /** What its last words forbid, which holds for everything: `…, and do not change the tests`. */
  readonly ban: string | null
  /** It asks for a whole of parts: a module, an application. */
  readonly whole: boolean
}

/** A sentence that asks for nothing that is known. */
export const without = (text: string, kind: Sentence["kind"]): Sentence => ({ ...none, text, kind })
const none = { requests: [], ban: null, whole: false }

export const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))
