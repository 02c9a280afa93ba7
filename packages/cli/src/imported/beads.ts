import { type Draft, idOf, itemsOf, named } from "./Draft.ts"
import { type Fields, fieldsIn, objectsIn, textIn } from "./fields.ts"

/** Open issues of an export of Beads, one a line, without epics, whose work is that of others; null: a line is none. */
export const beadsDrafts = (text: string): ReadonlyArray<Draft> | null => {
  const issues = text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(issueOf)
  if (issues.some((issue) => issue === null)) return null
  const open = issues.flatMap((issue) => (issue !== null && isOpen(issue) ? [issue] : []))
  const ids = named(open.map((issue) => idOf(textIn(issue, "id"))))
  const idFor = new Map(open.map((issue, index) => [textIn(issue, "id"), ids[index] ?? ""]))
  return open.map((issue, index) => draftOf(issue, ids[index] ?? "", idFor))
}

/** null: it is no line of an export. */
const issueOf = (line: string): Fields | null => {
  try {
    const issue = fieldsIn(JSON.parse(line))
    return issue === null || textIn(issue, "id") === "" ? null : issue
  } catch {
    return null
  }
}

/** An export has lines of other kinds too, such as memories, which have no title. */
const isOpen = (issue: Fields): boolean =>
  textIn(issue, "title") !== "" &&
  textIn(issue, "issue_type") !== "epic" &&
  ["open", "in_progress", "blocked"].includes(textIn(issue, "status"))

const draftOf = (issue: Fields, id: string, idFor: ReadonlyMap<string, string>): Draft => {
  const title = textIn(issue, "title")
  const told = ["description", "design", "notes"].map((key) => textIn(issue, key)).filter((one) => one !== "")
  const criteria = textIn(issue, "acceptance_criteria").split("\n").map(withoutMark)
  const items = itemsOf(criteria)
  return {
    id,
    name: title,
    instruction: told.join("\n\n") || title,
    depends_on: [
      ...new Set(
        objectsIn(issue, "dependencies").flatMap((one) =>
          textIn(one, "type") === "blocks" ? (idFor.get(textIn(one, "depends_on_id")) ?? []) : []
        )
      )
    ],
    checklist: items.length > 0 ? items : [title]
  }
}

/** A point of a list without what makes it one. */
const withoutMark = (line: string): string => line.replace(/^\s*(?:[-*+]|\d+[.)])?\s*(?:\[[ xX]\]\s*)?/, "")
