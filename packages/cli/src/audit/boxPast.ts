import type { Box } from "./Box.ts"

/** What a list said of its boxes at one commit, the oldest commit first. */
export interface ListRevision {
  readonly commit: number
  readonly boxes: ReadonlyArray<Box>
}

export interface BoxPast {
  /** The commit that wrote the box down; null: none did yet. */
  readonly written: number | null
  /** It was open then. */
  readonly wasOpen: boolean
  /** The commit since which it is ticked; null: none has the tick yet. */
  readonly ticked: number | null
}

/** A box is the same where it says the same, whatever its place; of equal ones each has its number. */
const keysOf = (boxes: ReadonlyArray<Box>): ReadonlyArray<string> => {
  const seen = new Map<string, number>()
  return boxes.map(({ item }) => {
    const number = seen.get(item) ?? 0
    seen.set(item, number + 1)
    return `${number} ${item}`
  })
}

/** Finds what became of the boxes of a list over its revisions. */
export const boxPasts = (boxes: ReadonlyArray<Box>, revisions: ReadonlyArray<ListRevision>): ReadonlyArray<BoxPast> => {
  const states = revisions.map(({ boxes: then, commit }) => {
    const keys = keysOf(then)
    return { commit, ticked: new Map(then.map((box, i) => [keys[i] ?? "", box.ticked])) }
  })
  return keysOf(boxes).map((key) => {
    const first = states.find(({ ticked }) => ticked.has(key))
    const lastOpen = states.findLastIndex(({ ticked }) => ticked.get(key) !== true)
    return {
      written: first?.commit ?? null,
      wasOpen: first?.ticked.get(key) === false,
      ticked: states[lastOpen + 1]?.commit ?? null
    }
  })
}
