import { type Draft, idOf, itemsOf, named } from "./Draft.ts"
import { type Fields, fieldsIn, listIn, objectsIn, textIn } from "./fields.ts"

/** The tag that Task Master itself takes first. */
const usualTag = "master"

const isOver = (status: unknown): boolean => ["done", "completed", "cancelled", "deferred"].includes(String(status))

/** Open tasks of a `tasks.json`, of the usual tag or else of the first; null: it is none. */
export const taskmasterDrafts = (text: string): ReadonlyArray<Draft> | null => {
  const root = fieldsIn(parsed(text))
  if (root === null) return null
  const group = [root, fieldsIn(root[usualTag]), ...Object.values(root).map(fieldsIn)].find((one) =>
    Array.isArray(one?.["tasks"])
  )
  if (group === undefined || group === null) return null
  const tasks = objectsIn(group, "tasks")
  const open = tasks.filter((one) => !isOver(one["status"]))
  const ids = named(open.map((one) => idOf(`task-${String(one["id"] ?? "")}`)))
  const idFor = new Map(open.map((one, index) => [String(one["id"]), ids[index] ?? ""]))
  return open.map((task, index) => draftOf(task, ids[index] ?? "", idFor))
}

const draftOf = (task: Fields, id: string, idFor: ReadonlyMap<string, string>): Draft => {
  const title = textIn(task, "title") || id
  const test = textIn(task, "testStrategy")
  const subtasks = objectsIn(task, "subtasks")
  const open = subtasks.filter((one) => !isOver(one["status"]))
  const told = [
    textIn(task, "description"),
    textIn(task, "details"),
    ...open.map(toldOf),
    test === "" ? "" : `How it is tested: ${test}`
  ]
  return {
    id,
    name: title,
    instruction: told.filter((one) => one !== "").join("\n\n") || title,
    depends_on: [...new Set(listIn(task, "dependencies").flatMap((one) => idFor.get(String(one)) ?? []))],
    checklist: itemsOf(open.length > 0 ? open.map((one) => textIn(one, "title")) : [title])
  }
}

/** A subtask with what it says beyond its title. */
const toldOf = (subtask: Fields): string => {
  const more = [textIn(subtask, "description"), textIn(subtask, "details")].filter((one) => one !== "")
  return more.length === 0 ? "" : [`${textIn(subtask, "title")}:`, ...more].join("\n")
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch {
    return null
  }
}
