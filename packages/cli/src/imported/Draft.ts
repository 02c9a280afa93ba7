/** A task of another tool that is still open, as a tasks.yaml will have it. */
export interface Draft {
  /** Letters, digits, `_`, `.` and `-`; unique among those of its list. */
  readonly id: string
  readonly name: string
  readonly instruction: string
  /** Ids of open tasks of the same list. */
  readonly depends_on: ReadonlyArray<string>
  /** What is to be shown, at least one. */
  readonly checklist: ReadonlyArray<string>
}

/** An id as it may stand in a tasks.yaml. */
export const idOf = (text: string): string =>
  text
    .replace(/[^\w.-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 90) || "task"

/** Each id once: later ones of the same name get a number. */
export const named = (ids: ReadonlyArray<string>): ReadonlyArray<string> => {
  const seen = new Map<string, number>()
  return ids.map((id) => {
    const count = (seen.get(id) ?? 0) + 1
    seen.set(id, count)
    return count === 1 ? id : `${id}-${count}`
  })
}

/** Texts of a checklist: each once, on one line, and none that says nothing. */
export const itemsOf = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(texts.map((text) => text.replace(/\s+/g, " ").trim()).filter((text) => text !== ""))
]
