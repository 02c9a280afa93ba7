import { diffArrays } from "diff"
import type { Before } from "../../port/index.ts"
import { splitLines } from "../../text/lines.ts"
import { maxEdits } from "./lines.ts"

/** What a file was before, with what another branch had made of it since both had it in common. */
export const mergedBefore = (ours: Before, common: Before, theirs: Before): Before => {
  if (ours._tag === "unknown" || isSame(theirs, common) || isSame(ours, theirs)) return ours
  if (isSame(ours, common)) return theirs
  if (ours._tag === "text" && theirs._tag === "text") {
    const [base, own, other] = [common, ours, theirs].map((one) => (one._tag === "text" ? splitLines(one.text) : []))
    return { _tag: "text", text: union(base ?? [], own ?? [], other ?? []).join("") }
  }
  // one of them took it away, and the other changed it
  if (theirs._tag === "absent") return ours
  return ours._tag === "absent" || ours._tag === theirs._tag ? theirs : { _tag: "unknown" }
}

const isSame = (one: Before, other: Before): boolean => {
  if (one._tag === "text") return other._tag === "text" && one.text === other.text
  if (one._tag === "other") return other._tag === "other" && one.sha256 !== null && one.sha256 === other.sha256
  return one._tag === other._tag
}

type Lines = ReadonlyArray<string>

/** Both sides' changes of a text; where both changed the same, what one says and then the other. */
const union = (common: Lines, ours: Lines, theirs: Lines): Lines => {
  const [inOurs, inTheirs] = [placesIn(common, ours), placesIn(common, theirs)]
  if (inOurs === null || inTheirs === null) return both(ours, theirs)
  const merged: Array<string> = []
  const from = { common: 0, ours: 0, theirs: 0 }
  const upTo = (to: typeof from): void => {
    const [base, own, other] = [
      common.slice(from.common, to.common),
      ours.slice(from.ours, to.ours),
      theirs.slice(from.theirs, to.theirs)
    ]
    merged.push(...(isEqual(other, base) ? own : isEqual(own, base) ? other : both(own, other)))
  }
  for (let row = 0; row < common.length; row++) {
    const [own, other] = [inOurs.get(row), inTheirs.get(row)]
    if (own === undefined || other === undefined) continue
    upTo({ common: row, ours: own, theirs: other })
    merged.push(ours[own] ?? "")
    Object.assign(from, { common: row + 1, ours: own + 1, theirs: other + 1 })
  }
  upTo({ common: common.length, ours: ours.length, theirs: theirs.length })
  return merged
}

const isEqual = (one: Lines, other: Lines): boolean =>
  one.length === other.length && one.every((line, i) => line === other[i])

const both = (ours: Lines, theirs: Lines): Lines => {
  const known = new Set(ours)
  // a last line without an end would be one with what follows
  return [...ours.map(ended), ...theirs.filter((line) => !known.has(line))]
}

const ended = (line: string): string => (line.endsWith("\n") ? line : `${line}\n`)

/** By row of a text: where it stands in another; null: they are too different to tell. */
const placesIn = (before: Lines, now: Lines): ReadonlyMap<number, number> | null => {
  const parts = diffArrays([...before], [...now], { maxEditLength: maxEdits })
  if (parts === undefined) return null
  const places = new Map<number, number>()
  let [row, place] = [0, 0]
  for (const { added, count, removed } of parts) {
    if (!added && !removed) for (let i = 0; i < count; i++) places.set(row + i, place + i)
    if (!added) row += count
    if (!removed) place += count
  }
  return places
}
