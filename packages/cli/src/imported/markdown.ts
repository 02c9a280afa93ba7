import { markdownBoxes } from "../audit/markdownBoxes.ts"
import { type Draft, idOf, itemsOf, named } from "./Draft.ts"

/** A number or name at the beginning: `T012`, `3.1`, `4.`. */
const number = /^(?:\*\*)?([A-Z]{1,4}-?\d+|\d+(?:\.\d+)*)(?:\*\*)?[.:)]?\s+/

/** What Spec Kit writes behind it: that others may work beside it, and whose story it is. */
const marks = /^(?:\[(P|US\d+)\]\s*)+/

interface Open {
  readonly id: string
  readonly text: string
  /** It says that it may be worked on beside those around it. */
  readonly beside: boolean
  readonly details: ReadonlyArray<string>
}

/**
 * Open boxes of a Markdown list, in its order: each waits for the one before it, but for neighbours that say `[P]`, which
 * wait for what stands before all of them.
 */
export const markdownDrafts = (text: string): ReadonlyArray<Draft> => {
  const open = markdownBoxes(text).flatMap(({ item, line, texts, ticked }) =>
    ticked || item === "" ? [] : [openOf(item, line, texts.slice(1))]
  )
  const ids = named(open.map(({ id }) => id))
  let before: ReadonlyArray<string> = []
  let beside: ReadonlyArray<string> = []
  return open.map((one, index): Draft => {
    const id = ids[index] ?? one.id
    if (!one.beside || open[index - 1]?.beside !== true) {
      before = beside
      beside = []
    }
    beside = [...beside, id]
    return {
      id,
      name: one.text,
      instruction: [one.text, ...one.details].join("\n"),
      depends_on: before,
      checklist: itemsOf([one.text])
    }
  })
}

const openOf = (item: string, line: number, details: ReadonlyArray<string>): Open => {
  const [whole = "", name] = number.exec(item) ?? []
  const rest = item.slice(whole.length)
  const [marked = ""] = marks.exec(rest) ?? []
  return {
    id: idOf(name ?? `line-${line}`),
    text: rest.slice(marked.length) || item,
    beside: marked.includes("[P]"),
    details: details.filter((one) => one !== "")
  }
}
