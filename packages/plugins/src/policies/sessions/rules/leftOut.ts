import { taskOf } from "@proofline/kernel"
import type { Phase } from "./PhaseContract.ts"
import type { SessionsView as State } from "./state.ts"

type Payload = Readonly<Record<string, unknown>>

/** A payload as an object; empty where it is none. Some clients send it as a text of JSON. */
export const asObject = (payload: unknown): Payload => {
  const read = asJson(payload)
  return typeof read === "object" && read !== null && !Array.isArray(read) ? (read as Payload) : {}
}

const asJson = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/**
 * What may be left out of a plan and of the report of a task without a checklist, although the notation names it: such
 * tasks are older than checklists.
 */
export const withoutChecklists = (state: State, phase: Phase, payload: unknown): unknown => {
  const read = asObject(payload)
  if (phase.kind === "plan" && Array.isArray(read["tasks"])) {
    return { ...read, tasks: read["tasks"].map((task: unknown) => withoutChecklist(state, task)) }
  }
  if (phase.kind === "tasks" && Object.keys(read).length > 0 && read["checklist"] == null) {
    const task = taskOf(state, String(read["task_id"]))
    if (task !== undefined && task.spec.checklist.length === 0) return { ...read, checklist: [] }
  }
  return payload
}

const withoutChecklist = (state: State, task: unknown): unknown => {
  if (typeof task !== "object" || task === null || Array.isArray(task)) return task
  const fields = task as Payload
  const known = taskOf(state, String(fields["id"]))
  return {
    ...(known === undefined ? {} : { description: known.spec.instruction }),
    ...fields,
    ...(fields["checklist"] == null ? { checklist: [] } : {})
  }
}

/**
 * The same payload with everything filled in that is clear without being said: statuses of a plan, items that are only
 * named, the items of a task that is only named, and a report that says nothing of the items.
 */
export const filledIn = (state: State, phase: Phase, payload: unknown): unknown => {
  const read = asObject(payload)
  const tasks = asJson(read["tasks"])
  if (phase.kind === "plan" && Array.isArray(tasks)) {
    return { ...read, tasks: tasks.map((task: unknown) => plannedTask(state, task)) }
  }
  return phase.kind === "tasks" && read["task_id"] != null && read["checklist"] == null
    ? { ...read, checklist: [] }
    : payload
}

const plannedTask = (state: State, sent: unknown): unknown => {
  const fields = asObject(sent)
  if (Object.keys(fields).length === 0) return sent
  const known = taskOf(state, String(fields["id"]))
  const checklist = asJson(fields["checklist"] ?? known?.spec.checklist ?? [])
  return {
    ...(known === undefined ? {} : { description: known.spec.instruction }),
    ...fields,
    // what is done stays done, whatever a plan says
    status: fields["status"] ?? (known?.status === "completed" ? "completed" : "pending"),
    checklist: Array.isArray(checklist) ? checklist.map(plannedItem) : checklist
  }
}

const plannedItem = (sent: unknown): unknown => {
  const fields = asObject(sent)
  if (Object.keys(fields).length > 0) return { ...fields, status: fields["status"] ?? "pending" }
  return typeof sent === "string" ? { item: sent, status: "pending" } : sent
}
