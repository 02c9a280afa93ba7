import type { Files } from "../../plugins/proof/sessions.ts"

export type Half = "dev" | "held-out"

export type TrackName = "javascript" | "python"

/** An exercise as its authors wrote it. */
export interface Exercise {
  readonly track: TrackName
  readonly name: string
  /** Name of the file of the work. */
  readonly path: string
  readonly testPath: string
  readonly stub: string
  readonly solution: string
  readonly test: string
}

/** A declaration of a text, by rows from 0. */
export interface Declared {
  readonly name: string
  readonly kind: "function" | "type" | "value"
  readonly start: number
  readonly end: number
  /** Rows of what is done in it; null where it has no rows of its own. */
  readonly body: { readonly start: number; readonly end: number } | null
  /** The name of the type that it is a member of. */
  readonly of: string | null
}

/** A test of a file, by rows from 0. */
export interface TestRows {
  readonly start: number
  readonly end: number
}

/** What a call of the solution came to, as source text of its language. */
export interface Call {
  readonly name: string
  readonly given: string
  /** Null: none that can be written as source text. */
  readonly answer: string | null
  /** What it threw; null: nothing. */
  readonly threw: string | null
}

/** A program that does most of it, and something wrong. */
export interface Wrong {
  readonly text: string
  /** The tests that show it, of those that the agent sees. */
  readonly failed: ReadonlyArray<number>
}

/** An exercise with all that claims are made of. */
export interface Prepared {
  readonly exercise: Exercise
  /** The tests that the agent sees, and those that it does not. */
  readonly visible: string
  readonly escrowed: string
  /** The visible ones as their authors ship them; null: as `visible`. */
  readonly shipped: string | null
  /** What is to be written. */
  readonly names: ReadonlyArray<string>
  /** All that the visible tests call, and the first one; empty where they use more than functions. */
  readonly calls: ReadonlyArray<Call>
  readonly firstCalls: ReadonlyArray<Call>
  readonly wrong: Wrong | null
}

export interface Claim {
  readonly kind: string
  readonly isTrue: boolean
  /** Whether the program does what its tests ask. */
  readonly isRight: boolean
  /** Whether the visible tests must pass as the agent leaves them; null: either. */
  readonly passes: boolean | null
  readonly before: Files
  readonly after: Files
  readonly items: ReadonlyArray<readonly [item: string, evidence: string]>
}
