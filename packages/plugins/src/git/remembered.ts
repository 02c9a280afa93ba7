/**
 * What git has said, for as long as it would say the same: where the repository of a directory is, and what the id of a
 * commit means. What decides about it is looked at each time; one git more costs a hundred times as much.
 */
import * as Path from "node:path"
import { Effect } from "effect"
import { contentMark, placeOf, placeOfOwn } from "./places.ts"
import type { Where } from "./run.ts"

const known = new Map<string, unknown>()
const maxKnown = 1_000

/** `markOf`: null where nobody can tell how long it holds. `holds`: whether an answer is one to be remembered. */
export const remembered = <A, E>(
  question: string,
  markOf: () => string | null,
  ask: Effect.Effect<A, E>,
  holds: (answer: A) => boolean
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const before = markOf()
    const key = `${question}\n${before}`
    if (before !== null && known.has(key)) return Effect.succeed(known.get(key) as A)
    return Effect.tap(ask, (answer) =>
      Effect.sync(() => {
        // what changed meanwhile may have come before or after
        if (before === null || !holds(answer) || markOf() !== before) return
        if (known.size >= maxKnown) known.clear()
        known.set(key, answer)
      })
    )
  })

/** Whether it is the id of an object in full, which means the same for ever. */
export const isId = (name: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(name)

/** The same for as long as the object is in the repository. */
export const objectMark = (where: Where, id: string): string | null => {
  try {
    const place = typeof where === "string" ? placeOf(where) : placeOfOwn(where.own)
    if (place === null || place === "none") return null
    const objects = Path.join(place.common, "objects")
    // what another repository holds may go there
    if (contentMark(Path.join(objects, "info", "alternates")) !== "") return null
    return [place.mark, ...["pack", id.slice(0, 2)].map((name) => contentMark(Path.join(objects, name)))].join("\n")
  } catch {
    return null
  }
}
