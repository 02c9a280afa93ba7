import type { Failure } from "@proofline/kernel"
import { Effect, Schema } from "effect"
import type { Body } from "../../../operations/Answer.ts"
import { accepted, maxListed } from "../../../operations/answers.ts"
import { readerOf } from "../../../operations/arguments.ts"
import { Data, declare, reading } from "../../../operations/Operation.ts"
import { type Asking, sessionAfter } from "../asking.ts"
import { execute, now } from "../context.ts"
import { malformedIn } from "../mismatches.ts"
import { CreateTasks } from "../rules/commands.ts"
import { instructed } from "../rules/instructions.ts"
import { idsOfBatch } from "../rules/planning.ts"
import { AssignmentPriority, type NewTask } from "../rules/schemas.ts"
import { sessionStatusOf } from "../sessionStatus.ts"
import type { AnyRun } from "../state.ts"

const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Item = Schema.Union([
  Schema.String,
  Schema.Struct({ item: Schema.String, status: optional(Schema.Literals(["pending"])) })
])

const BatchTask = Schema.Struct({
  title: Schema.String,
  local_id: optional(Schema.String),
  id: optional(Schema.String),
  description: optional(Schema.String),
  parent_task_id: optional(Schema.String),
  dependencies: optional(Schema.Array(Schema.String)),
  depends_on: optional(Schema.Array(Schema.String)),
  checklist: optional(Schema.Array(Item)),
  assignee: optional(Schema.String),
  priority: optional(AssignmentPriority),
  status: optional(Schema.Literals(["todo", "backlog"]))
})

const Batch = Schema.Struct({ tasks: Schema.Array(BatchTask) })

const create = Effect.fnUntraced(function* (asking: Asking, batch: typeof Batch.Type) {
  const { ref, session, state } = asking
  const tasks = batch.tasks.map(newTask)
  const faults = blankFaults(tasks)
  if (faults.length > 0) return malformedIn(state, faults, sessionStatusOf(state, session))
  const { at } = yield* now
  const { events, state: after } = yield* execute(
    asking,
    ref.run,
    CreateTasks({ session_id: ref.session_id, at, tasks })
  )
  return accepted({
    success: true,
    existing: events.length === 0,
    ...createdBody(after, session.agent, tasks),
    ...sessionStatusOf(after, sessionAfter(asking, after))
  })
})

export const createTasks = {
  ...declare({
    name: "create_tasks",
    level: "standard",
    title: "Create tasks",
    description:
      "Creates tasks or subtasks in one batch. Tasks of the batch name one another by local_id in parent_task_id and dependencies; the same batch twice creates nothing new. Asked to plan tasks for requirements, an agent hands in its whole plan with it.",
    readOnly: false,
    idempotent: true,
    // as clients are shown it: a plan for requirements is handed in by the same name, and has other fields
    args: Schema.Struct({
      tasks: Schema.Array(Data).annotate({
        description:
          "[{title, local_id?, description?, parent_task_id?, dependencies?: [id or local_id], checklist?: [text], assignee?, status?: todo|backlog}]; of a plan as the prompt says: [{id, name, instruction, covers, checklist?, checks?, depends_on?}]"
      })
    }),
    answer: Schema.Struct({ success: Schema.Literal(true), instruction: Schema.String, needs_person: Schema.Boolean })
  }),
  read: reading(readerOf(Batch), create)
}

/** A task as it is recorded: blanks at the ends gone, what was left out filled in. */
const newTask = (task: typeof BatchTask.Type): NewTask => ({
  local_id: nameOf(task.local_id ?? task.id),
  title: task.title.trim(),
  description: (task.description ?? "").trim(),
  parent_task_id: nameOf(task.parent_task_id),
  dependencies: (task.dependencies ?? task.depends_on ?? []).map((id) => id.trim()),
  checklist: (task.checklist ?? []).map((one) => (typeof one === "string" ? one : one.item).trim()),
  assignee: nameOf(task.assignee),
  priority: task.priority ?? "medium",
  status: task.status ?? "todo"
})

const nameOf = (value: string | null | undefined): string | null => {
  const name = (value ?? "").trim()
  return name === "" ? null : name
}

/** What a batch says too little of. */
const blankFaults = (tasks: ReadonlyArray<NewTask>): ReadonlyArray<Failure> =>
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

/** What became of the batch, by the order of its tasks. */
const createdBody = (state: AnyRun, agent: string, tasks: ReadonlyArray<NewTask>): Body => {
  const { phases } = state.sessions
  const created = (phases === null ? undefined : idsOfBatch(phases, agent, tasks)) ?? []
  const parents = new Set(tasks.map(({ parent_task_id }) => parent_task_id))
  const bare = tasks.filter(({ checklist, local_id }) => checklist.length === 0 && !parents.has(local_id ?? ""))
  return {
    created: created
      .slice(0, maxListed)
      .map((id, i) => ({ id, title: tasks[i]?.title ?? "", local_id: tasks[i]?.local_id ?? null })),
    ...(created.length > maxListed ? { created_left_out: created.length - maxListed } : {}),
    ...(bare.length === 0 ? {} : { warnings: [checklistMissing(state, bare.length)] }),
    local_id_to_real_id: Object.fromEntries(
      tasks.flatMap(({ local_id }, i) => (local_id === null ? [] : [[local_id, created[i]]]))
    )
  }
}

const checklistMissing = (state: AnyRun, count: number): Body => ({
  code: "checklist_missing",
  message: instructed(
    state,
    count === 1 ? "warning_checklist_missing_created_one" : "warning_checklist_missing_created",
    { count }
  )
})
