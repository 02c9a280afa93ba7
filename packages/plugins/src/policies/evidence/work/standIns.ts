import type { Effect } from "effect"
import type { LineRange } from "../../../port/index.ts"
import type { Finding } from "../code/range.ts"

/** What new lines of a file hold in the place of the work. Each is looked at when it is asked for; null: nothing of the kind. */
export type StandIns = Readonly<
  Record<Exclude<Kind, "unused">, (item: string, range: LineRange) => string | null> &
    /** This one reads other files. */
    Record<"unused", (item: string, range: LineRange) => Effect.Effect<string | null>>
>

export type Kind = keyof typeof sentences

export type Sentence = (found: string, within: Finding["declaration"]) => string

/** What is said of each, in the order in which they are looked for: the first one wins. `within`: the declaration around the lines. */
export const sentences = {
  /** What a new comment there says of what is missing. */
  admitted: (found: string, within: Finding["declaration"]) =>
    `A comment ${within === null ? "there" : `in ${within.name}`} says that the real thing is missing: "${found}". Write it, or remove the comment where that is not so.`,
  /** What these lines call in the file, and is new and empty. */
  unwritten: (found: string) => `The lines call a new function in which nothing is done: ${found}. Write it too.`,
  /** The new function within a function that these lines are of, and that nothing calls. */
  uncalled: (found: string) =>
    `Nothing calls the new function ${found} in the function that it stands in. Call it too.`,
  /** What an item asks to implement, and these lines only declare. */
  declared: (found: string) => `${found} is only declared there, without a body. Cite where it is implemented.`,
  /** Why all that is new never runs. */
  switchedOff: (found: string) => `What is new there never runs: ${found}. Let it run.`,
  /** What in a configuration can never do what the item asks for. */
  idleConfig: (found: string) => found,
  /** What says in a text that it is still to be written. */
  placeholder: (found: string) =>
    `Nothing is said there yet but "${found.slice(0, 80)}". Write what the item asks for.`,
  /** What does nothing for the item, whatever it says. */
  inert: (found: string) => found,
  /** What they declare does nothing by itself, and nothing in the project speaks of it. */
  unused: (found: string) => found
} satisfies Readonly<Record<string, Sentence>>

/** Those that are stubs; all others say something, and it comes to nothing. */
export const stubs: ReadonlySet<string> = new Set<Kind>(["unwritten", "declared", "placeholder"])
