import { Result } from "effect"
import { BoardPriority, BoardStatus, type NewTask } from "../domain/Pull.ts"
import { compilePayload, type PayloadFailure } from "../domain/payload.ts"
import type { Failure } from "../domain/Report.ts"
import { jsonBytes } from "./room.ts"

type Fields = Readonly<Record<string, unknown>>

export interface Request {
  readonly args: Fields
  /** Paths of fields that nothing is made of. */
  readonly unexpected: ReadonlyArray<string>
}

/** Bytes of JSON that one request may hold: it is recorded as it is. */
export const maxRequest = 256 * 1024

const shapes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  submit_phase: { data: "{}" },
  complete_task: { task_id: "str", data: "{}" },
  check_write_target: { file_path: "str", "allow_new_files?": "bool" },
  update_task_status: { task_id: "str", status: BoardStatus.literals.join("|"), "reason?": "str" },
  report_completed: { result: "success|failed|blocked", "summary?": "str", "next_steps?": "str" },
  create_tasks: {
    tasks: `list[{title: str, local_id?: str, id?: str, description?: str, parent_task_id?: str, dependencies?: list[str], depends_on?: list[str], checklist?: list[str|{item: str, status?: pending}], assignee?: str, priority?: ${BoardPriority.literals.join("|")}, status?: todo|backlog}]`
  },
  list_runs: { "limit?": "int" },
  get_run: { "run_id?": "str" },
  get_subtasks: { task_id: "str", "run_id?": "str" },
  get_events: { "run_id?": "str", "from?": "int", "limit?": "int" },
  verify_run: { "run_id?": "str" },
  list_approvals: {},
  answer_approval: { "run_id?": "str", answer: "str", "comment?": "str" }
}

/** The least and the most that a number may be, by operation and field. */
const ranges: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>> = {
  list_runs: { limit: [1, 50] },
  get_events: { from: [1, Number.MAX_SAFE_INTEGER], limit: [1, 200] }
}

const rangeFaults = (operation: string, args: Fields): ReadonlyArray<Failure> =>
  Object.entries(ranges[operation] ?? {}).flatMap(([field, [least, most]]) => {
    const value = args[field]
    if (typeof value !== "number" || (value >= least && value <= most)) return []
    const expected = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `from ${least} to ${most}`
    const message = `Field ${field} must be ${expected}, not ${value}.`
    return [{ key: "field_out_of_range", item: null, fields: { field, expected }, message }]
  })

/** The arguments of an operation as they were sent, or everything that is wrong with them. */
export const readArguments = (operation: string, args: unknown): Result.Result<Request, ReadonlyArray<Failure>> => {
  const shape = shapes[operation]
  if (shape === undefined) return Result.succeed({ args: {}, unexpected: [] })
  if (jsonBytes(args ?? {}) > maxRequest) {
    const message = `The request holds more than ${maxRequest / 1024} KiB. Send less; long texts belong into files.`
    return Result.fail([{ key: "request_too_large", item: null, fields: {}, message }])
  }
  const compiled = compilePayload(shape)
  if (Result.isFailure(compiled)) throw new Error(`Notation of ${operation}: ${compiled.failure.message}`)
  const { failures, unexpected, value } = compiled.success.check(args ?? {})
  const found = [...failures.map(asFailure), ...rangeFaults(operation, value)]
  return found.length === 0 ? Result.succeed({ args: value, unexpected }) : Result.fail(found)
}

/** A field that does not fit, as a failure of the request. */
export const asFailure = ({ expected, key, message, path }: PayloadFailure): Failure => ({
  key,
  item: null,
  fields: { field: path, expected },
  message
})

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

export const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** Tasks as they are recorded: blanks at the ends gone, what was left out filled in. */
export const newTasks = (value: unknown): ReadonlyArray<NewTask> =>
  (value as ReadonlyArray<Fields>).map((task) => ({
    local_id: nameOf(task["local_id"] ?? task["id"]),
    title: textOf(task["title"]).trim(),
    description: textOf(task["description"]).trim(),
    parent_task_id: nameOf(task["parent_task_id"]),
    dependencies: ((task["dependencies"] ?? task["depends_on"] ?? []) as ReadonlyArray<string>).map((id) => id.trim()),
    checklist: ((task["checklist"] ?? []) as ReadonlyArray<string | { readonly item: string }>).map((one) =>
      (typeof one === "string" ? one : one.item).trim()
    ),
    assignee: nameOf(task["assignee"]),
    priority: (task["priority"] ?? "medium") as NewTask["priority"],
    status: (task["status"] ?? "todo") as NewTask["status"]
  }))

const nameOf = (value: unknown): string | null => {
  const name = textOf(value).trim()
  return name === "" ? null : name
}

/** What a batch says too little of. */
export const blankFaults = (tasks: ReadonlyArray<NewTask>): ReadonlyArray<Failure> =>
  tasks.flatMap(({ checklist, title }, i) => [
    ...(title === "" ? [blank(`tasks[${i}].title`)] : []),
    ...checklist.flatMap((item, j) => (item === "" ? [blank(`tasks[${i}].checklist[${j}]`)] : []))
  ])

const blank = (field: string): Failure => ({
  key: "field_empty",
  item: null,
  fields: { field },
  message: `Field ${field} must not be empty.`
})
