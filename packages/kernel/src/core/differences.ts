import type { AnyEvent, Json } from "./contract.ts"

/** A place in which two values do not agree. */
export interface Difference {
  /** JSON Pointer (RFC 6901); empty: the whole. */
  readonly path: string
  /** Left out: there is nothing at that place. */
  readonly recorded?: Json
  readonly expected?: Json
}

/** Every place in which what was recorded and what is expected do not agree, the smallest that tell them apart. */
export const differencesOf = (recorded: Json, expected: Json): ReadonlyArray<Difference> => {
  const found: Array<Difference> = []
  compare(recorded, expected, "", found)
  return found
}

/** The same of two events; of one that is another one, or is not there at all, the fields say nothing. */
export const eventDifferences = (recorded: AnyEvent | null, expected: AnyEvent | null): ReadonlyArray<Difference> =>
  recorded === null || expected === null || recorded.type !== expected.type
    ? []
    : differencesOf(recorded.content, expected.content)

const compare = (recorded: Json, expected: Json, path: string, found: Array<Difference>): void => {
  if (recorded === expected) return
  const [a, b] = [fieldsOf(recorded), fieldsOf(expected)]
  if (a === null || b === null || Array.isArray(recorded) !== Array.isArray(expected)) {
    found.push({ path, recorded, expected })
    return
  }
  for (const key of new Set([...a.keys(), ...b.keys()])) {
    const place = `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`
    const [mine, theirs] = [a.get(key), b.get(key)]
    if (mine === undefined) found.push({ path: place, expected: theirs as Json })
    else if (theirs === undefined) found.push({ path: place, recorded: mine })
    else compare(mine, theirs, place, found)
  }
}

const fieldsOf = (value: Json): ReadonlyMap<string, Json> | null =>
  typeof value === "object" && value !== null ? new Map(Object.entries(value)) : null
