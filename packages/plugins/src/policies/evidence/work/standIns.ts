import type { LineRange } from "../../../port/index.ts"
import type { Finding } from "../code/range.ts"

/** What new lines of a file hold in the place of the work. Each is looked at when it is asked for; null: nothing of the kind. */
export interface StandIns {
  /** What a new comment there says of what is missing. */
  readonly admitted: (item: string, range: LineRange) => string | null
  /** What these lines call in the file, and is new and empty. */
  readonly unwritten: (range: LineRange) => string | null
  /** The new function within a function that these lines are of, and that nothing calls. */
  readonly uncalled: (range: LineRange) => string | null
  /** What an item asks to implement, and these lines only declare. */
  readonly declared: (item: string, range: LineRange) => string | null
  /** The new constant under which all that is new never runs. */
  readonly switchedOff: (item: string, range: LineRange) => string | null
  /** What in a configuration is to run something, and runs nothing. */
  readonly idleConfig: (item: string, range: LineRange) => string | null
  /** What says in a text that it is still to be written. */
  readonly placeholder: (item: string, range: LineRange) => string | null
}

/** That what is cited says of itself that it stands in for something, or leaves its work to what is not written. */
export const standInAt = (
  item: string,
  since: StandIns | null,
  range: LineRange,
  declaration: Finding["declaration"]
): string | null => {
  const said = since?.admitted(item, range) ?? null
  if (said !== null) {
    const where = declaration === null ? "A comment there" : `A comment in ${declaration.name}`
    return `${where} says that the real thing is missing: "${said}". Write it, or remove the comment where that is not so.`
  }
  const called = since?.unwritten(range) ?? null
  if (called !== null) return `The lines call a new function in which nothing is done: ${called}. Write it too.`
  const uncalled = since?.uncalled(range) ?? null
  if (uncalled !== null)
    return `Nothing calls the new function ${uncalled} in the function that it stands in. Call it too.`
  const declared = since?.declared(item, range) ?? null
  if (declared !== null) return `${declared} is only declared there, without a body. Cite where it is implemented.`
  const off = since?.switchedOff(item, range) ?? null
  if (off !== null) return `What is new there never runs: ${off} is false, and nothing changes that. Let it run.`
  const idle = since?.idleConfig(item, range) ?? null
  if (idle !== null) return `What is configured there runs nothing: \`${idle}\`. Let it run what the item asks for.`
  const open = since?.placeholder(item, range) ?? null
  return open === null ? null : `Nothing is said there yet but "${open.slice(0, 80)}". Write what the item asks for.`
}
