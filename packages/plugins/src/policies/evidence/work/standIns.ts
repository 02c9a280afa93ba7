import type { LineRange } from "../../../port/index.ts"
import type { Finding } from "../code/range.ts"

/** What new lines of a file hold in the place of the work. Each is looked at when it is asked for; null: nothing of the kind. */
export type StandIns = Readonly<Record<Kind, (item: string, range: LineRange) => string | null>>

type Kind = "admitted" | "unwritten" | "uncalled" | "declared" | "switchedOff" | "idleConfig" | "placeholder" | "inert"

/** What is said of each, in the order in which they are looked for. `within`: the declaration around the lines. */
const sentences: Readonly<Record<Kind, (found: string, within: Finding["declaration"]) => string>> = {
  /** What a new comment there says of what is missing. */
  admitted: (found, within) =>
    `A comment ${within === null ? "there" : `in ${within.name}`} says that the real thing is missing: "${found}". Write it, or remove the comment where that is not so.`,
  /** What these lines call in the file, and is new and empty. */
  unwritten: (found) => `The lines call a new function in which nothing is done: ${found}. Write it too.`,
  /** The new function within a function that these lines are of, and that nothing calls. */
  uncalled: (found) => `Nothing calls the new function ${found} in the function that it stands in. Call it too.`,
  /** What an item asks to implement, and these lines only declare. */
  declared: (found) => `${found} is only declared there, without a body. Cite where it is implemented.`,
  /** Why all that is new never runs. */
  switchedOff: (found) => `What is new there never runs: ${found}. Let it run.`,
  /** What in a configuration can never do what the item asks for. */
  idleConfig: (found) => found,
  /** What says in a text that it is still to be written. */
  placeholder: (found) => `Nothing is said there yet but "${found.slice(0, 80)}". Write what the item asks for.`,
  /** What does nothing for the item, whatever it says. */
  inert: (found) => found
}

/** That what is cited says of itself that it stands in for something, or leaves its work to what is not written. */
export const standInAt = (
  item: string,
  since: StandIns | null,
  range: LineRange,
  declaration: Finding["declaration"]
): string | null => {
  for (const [kind, sentence] of Object.entries(sentences)) {
    const found = since?.[kind as Kind](item, range) ?? null
    if (found !== null) return sentence(found, declaration)
  }
  return null
}
