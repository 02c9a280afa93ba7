import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser"
import type { Box } from "./Box.ts"

/** Statuses that say that all is done; what was called off, or put off, does not say so. */
const isDone = (status: unknown): boolean => status === "done" || status === "completed" || status === "closed"

const textAt = (node: Node, key: string): string => {
  const value = findNodeAtLocation(node, [key])?.value
  return typeof value === "string" ? value : ""
}

const listAt = (node: Node | undefined, key: string): ReadonlyArray<Node> => {
  const list = node === undefined ? undefined : findNodeAtLocation(node, [key])
  return list?.type === "array" ? (list.children ?? []) : []
}

/** Lines of a text, each for itself: a plan is a list of sentences. */
const sentences = (...texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.flatMap((text) => text.split(/\r?\n/)).flatMap((line) => (line.trim() === "" ? [] : [line.trim()]))

/** Tasks and subtasks of a `tasks.json` of Task Master, with tags or of before there were any. Null: it is none. */
export const taskmasterBoxes = (text: string): ReadonlyArray<Box> | null => {
  const root = parseTree(text.replace(/^\uFEFF/, " "))
  if (root?.type !== "object") return null
  const tags = (root.children ?? []).flatMap(({ children }) => children?.[1] ?? [])
  const groups = [root, ...tags].filter((group) => group.type === "object")
  const tasks = groups.flatMap((group) => listAt(group, "tasks"))
  if (tasks.length === 0 && !groups.some((group) => findNodeAtLocation(group, ["tasks"])?.type === "array")) return null
  const place = placesIn(text)
  return tasks.flatMap((task) => taskBoxes(task, "", place))
}

const taskBoxes = (task: Node, above: string, place: Place): ReadonlyArray<Box> => {
  if (task.type !== "object") return []
  const id = findNodeAtLocation(task, ["id"])?.value
  const number = [above, String(id ?? "")].filter((part) => part !== "").join(".")
  const title = textAt(task, "title")
  const status = findNodeAtLocation(task, ["status"])
  return [
    {
      ...place(status?.parent?.offset ?? task.offset),
      item: [number, title].filter((part) => part !== "").join(" "),
      texts: sentences(title, textAt(task, "description"), textAt(task, "details")),
      ticked: isDone(status?.value)
    },
    ...listAt(task, "subtasks").flatMap((subtask) => taskBoxes(subtask, number, place))
  ]
}

/** Line and column of a position in a text, from 1. */
type Place = (offset: number) => { readonly line: number; readonly column: number }

const placesIn = (text: string): Place => {
  const starts = [0]
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return (offset) => {
    const after = starts.findIndex((start) => start > offset)
    const line = after === -1 ? starts.length : after
    return { line, column: offset - (starts[line - 1] ?? 0) + 1 }
  }
}

/** The work was not done, and the issue says so. */
const calledOff =
  /^\W*(?:won'?t|wont|not (?:planned|needed|doing|a bug|reproducible)|no longer|duplicate|dup\b|obsolete|superseded|invalid|cancel|stale|deferred|abandon|reject|as designed|works as)/i

/** Issues of an export of Beads, one a line. Null: a line is none. */
export const beadsBoxes = (text: string): ReadonlyArray<Box> | null => {
  const found: Array<Box> = []
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .entries()) {
    if (line.trim() === "") continue
    const issue = issueOf(line)
    if (issue === null) return null
    const { acceptance_criteria, close_reason, description, id, issue_type, status, title } = issue
    if (status === undefined || status === "tombstone") continue
    found.push({
      line: index + 1,
      column: Math.max(0, line.search(/"status"\s*:/)) + 1,
      item: `${id} ${title}`,
      // a report of a bug names where it shows, not where it was mended
      texts: sentences(title, close_reason, acceptance_criteria, issue_type === "bug" ? "" : description),
      ticked: isDone(status) && !calledOff.test(close_reason)
    })
  }
  return found
}

const issueOf = (line: string) => {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== "object" || value === null || !("id" in value) || typeof value.id !== "string") return null
    const record: Readonly<Record<string, unknown>> = { ...value }
    const textOf = (key: string): string => {
      const field = record[key]
      return typeof field === "string" ? field : ""
    }
    return {
      id: value.id,
      title: textOf("title"),
      status: typeof record["status"] === "string" && textOf("title") !== "" ? record["status"] : undefined,
      issue_type: textOf("issue_type"),
      description: textOf("description"),
      acceptance_criteria: textOf("acceptance_criteria"),
      close_reason: textOf("close_reason")
    }
  } catch {
    return null
  }
}
