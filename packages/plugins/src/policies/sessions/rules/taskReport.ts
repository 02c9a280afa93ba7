import {
  ChecklistReported,
  enumerated,
  type Failure,
  isOver,
  type ReportedItem,
  type TaskState,
  Tasks,
  taskOf,
  tasksOf,
  toldMax,
  waitingFor,
  waitsForPerson
} from "@proofline/kernel"
import { HashSet } from "effect"
import {
  assignmentStatusOf,
  ended,
  isAtWork,
  isBeingChecked,
  mayChange,
  moved,
  openChildren,
  startProblem,
  taken
} from "./assignment.ts"
import { instructed } from "./instructions.ts"
import { writableOf } from "./phase.ts"
import { failureOf } from "./phaseTexts.ts"
import { backToWork, type Planned } from "./planning.ts"
import type { SubmitPhaseArgs } from "./requests.ts"
import { assignmentOf, type PhasesState, type SessionState, type SessionsView as State } from "./state.ts"
import { cleanPath } from "./targets.ts"

type Payload = Readonly<Record<string, unknown>>

/** The task that a payload speaks of; empty: it names none. */
export const reportedId = ({ task_id }: Payload): string =>
  typeof task_id === "string" ? task_id.trim() : typeof task_id === "number" ? String(task_id) : ""

/** The report of one task; its evidence is looked at next. */
export const reportTask = (
  state: State,
  phases: PhasesState,
  session: SessionState,
  name: string,
  payload: Payload,
  command: SubmitPhaseArgs
): Planned => {
  const id = reportedId(payload)
  const task = taskOf(state, id)
  const fail = (key: string, fields: Failure["fields"] = {}, item: string | null = null): Failure =>
    failureOf(phases, name, key, fields, item)
  const refused = (...failures: ReadonlyArray<Failure>): Planned => ({ events: [], failures, warnings: [] })
  if (task === undefined) {
    const known = tasksOf(state).map(({ spec }) => spec.id)
    return refused(
      known.length === 0 ? fail("no_tasks_registered") : fail("unknown_task", { task_id: id, tasks: some(known) })
    )
  }
  if (!mayChange(state, task, session.agent)) {
    return refused(fail("task_not_yours", { task_id: id, assignee: assignmentOf(state, task)?.assignee ?? "" }))
  }
  const isAgain = task.status === "completed"
  if (isAgain) {
    const rejudged = command.looked?.rejudged ?? null
    if (rejudged === null) return refused(fail("already_completed", { task_id: id }))
    // what was accepted stands until something better is there
    if (rejudged.length > 0) return refused(...rejudged)
  } else if (isOver(task)) {
    return refused(fail("task_blocked", { task_id: id, status: assignmentStatusOf(task) }))
  }
  if (isBeingChecked(task)) return refused(fail("task_being_checked", { task_id: id }))
  const read = itemsOf(payload["checklist"], task, fail)
  const order = isAgain ? [] : orderFailures(state, task, session, fail)
  const failures = [...order, ...read.failures, ...unchecked(state, phases, session.agent, task, read.items, fail)]
  if (failures.length > 0) return refused(...failures)
  const summary = typeof payload["summary"] === "string" ? payload["summary"] : ""
  const isRunning = isAtWork(task)
  const attempt = isRunning ? task.attempts : task.attempts + 1
  const agent = isRunning ? (task.current?.agent ?? null) : session.agent
  const checklist = task.spec.checklist.length === 0 ? null : read.items
  return {
    events: [
      // work that is reported in a phase after the work leads back to it
      ...(isAgain || name === phases.worked ? backToWork(phases) : []),
      ...(isAgain ? [reopened(task)] : []),
      ...taken(state, task, session, command.prompt),
      ended(id, attempt, agent),
      Tasks.tell([ChecklistReported({ task_id: id, attempt, summary, checklist, problems: [] })])
    ],
    failures: [],
    warnings:
      task.spec.checklist.length === 0
        ? [
            {
              code: "checklist_missing",
              message: instructed(state, "warning_checklist_missing_reported", { task_id: id })
            }
          ]
        : []
  }
}

/** It is looked at again, with what its agent shows for it now. */
const reopened = (task: TaskState) => moved(task, "retrying", "reported_again", { reopened_items: task.items.length })

/** The same report was taken before, and holds or is being looked at. */
export const isRepeated = (state: State, payload: Payload): boolean => {
  const task = taskOf(state, reportedId(payload))
  if (task === undefined || !(task.status === "completed" || isBeingChecked(task) || waitsForPerson(task))) return false
  const before = task.current?.report ?? null
  return (
    before !== null &&
    JSON.stringify(before.checklist ?? []) === JSON.stringify(checklistOf(payload["checklist"], task, noFailure).items)
  )
}

const noFailure = (): Failure => ({ key: "", item: null, fields: {}, message: "" })

export const some = (ids: ReadonlyArray<string>): string => enumerated(ids, toldMax)

/** What else must be so before a task can be completed. */
const orderFailures = (
  state: State,
  task: TaskState,
  session: SessionState,
  fail: (key: string, fields?: Failure["fields"]) => Failure
): ReadonlyArray<Failure> => {
  const task_id = task.spec.id
  const children = openChildren(state, task).map(({ spec }) => spec.id)
  const waiting = waitingFor(state, task)
  const status = assignmentStatusOf(task)
  const start = status === "in_progress" || waiting.length > 0 ? null : startProblem(state, task, session.agent)
  return [
    ...(children.length === 0 ? [] : [fail("subtasks_incomplete", { task_id, tasks: some(children) })]),
    ...(waiting.length === 0 ? [] : [fail("dependencies_open", { task_id, tasks: some(waiting) })]),
    // who has found a way needs nobody's answer
    ...(status === "backlog" || (status === "blocked" && !waitsForPerson(task))
      ? [fail("task_blocked", { task_id, status })]
      : []),
    ...(start === null
      ? []
      : [{ key: start.code, item: null, fields: { task_id }, message: `${start.message} ${start.hint}` }])
  ]
}

/** The items of a report; one that says nothing of those of its task is told all of them. */
const itemsOf = (value: unknown, task: TaskState, fail: Fail): ReturnType<typeof checklistOf> => {
  const isSilent = value == null || (Array.isArray(value) && value.length === 0)
  if (!isSilent || task.spec.checklist.length === 0) return checklistOf(value, task, fail)
  const missing = task.spec.checklist.map(({ item }) => `'${item}'`).join(", ")
  const failure = fail("checklist_items_mismatch", { missing })
  return { items: [], failures: [{ ...failure, message: `${failure.message} Missing: ${missing}.` }] }
}

type Fail = (key: string, fields?: Failure["fields"], item?: string | null) => Failure

/** A reported checklist; nothing that is not exactly as promised passes. */
const checklistOf = (
  value: unknown,
  task: TaskState,
  fail: Fail
): { readonly items: ReadonlyArray<ReportedItem>; readonly failures: ReadonlyArray<Failure> } => {
  if (!Array.isArray(value)) return { items: [], failures: [fail("checklist_required", { task_id: task.spec.id })] }
  const failures: Array<Failure> = []
  const items = value.flatMap((one: unknown, i): ReadonlyArray<ReportedItem> => {
    const { evidence, item, reason, status } = (one ?? {}) as Readonly<Record<string, unknown>>
    const at = `checklist[${i}]`
    const wrong = (field: string, expected: string) =>
      failures.push(
        fail("field_invalid", { field: `${at}.${field}`, expected }, typeof item === "string" ? item : null)
      )
    if (typeof item !== "string") wrong("item", "the text of the item, as registered")
    if (!isStatus(status)) {
      wrong("status", "done, skipped, cannot or pending")
    }
    if (!isTextOrNone(evidence)) wrong("evidence", "a text: file:line or file:start-end")
    if (!isTextOrNone(reason)) wrong("reason", "a text")
    return typeof item === "string" && isStatus(status) && isTextOrNone(evidence) && isTextOrNone(reason)
      ? [
          {
            item,
            status,
            ...(evidence === undefined ? {} : { evidence }),
            ...(reason === undefined ? {} : { reason })
          }
        ]
      : []
  })
  return { items, failures }
}

const isStatus = (value: unknown): value is ReportedItem["status"] =>
  value === "pending" || value === "done" || value === "skipped" || value === "cannot"

const isTextOrNone = (value: unknown): value is string | null | undefined =>
  value === undefined || value === null || typeof value === "string"

/** A file as a whole is cited by its path behind a word. */
const withoutScheme = (evidence: string): string => evidence.replace(/^(?:file|absent):(?!\d+(?:-\d+)?$)/, "")

/** Where the contract asks for it: files that are cited without having been asked for before they were written. */
const unchecked = (
  state: State,
  phases: PhasesState,
  agent: string,
  task: TaskState,
  items: ReadonlyArray<ReportedItem>,
  fail: Fail
): ReadonlyArray<Failure> =>
  phases.setup.contract.write_targets.required
    ? items.flatMap(({ evidence, item, status }) => {
        const path = status === "done" && evidence != null ? cleanPath(withoutScheme(evidence), state.run.root) : null
        return path === null ||
          HashSet.has(writableOf(phases, agent), path) ||
          assignmentOf(state, task)?.asked.includes(path) === true
          ? []
          : [fail("write_target_not_checked", { file_path: path }, item)]
      })
    : []
