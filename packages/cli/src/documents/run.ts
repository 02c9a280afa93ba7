import {
  AskedOfPerson,
  asItStands,
  askedIn,
  begunStatus,
  ChecklistItemSpec,
  ChunkedStanding,
  Count,
  chunkedStandingOf,
  chunkOf,
  described,
  ItemView,
  isChunked,
  itemViewsOf,
  proofFields,
  proofOf,
  Receipt,
  RunConfig,
  RunProof,
  rootsOf,
  ShownStatus,
  Stopped,
  SubtaskStatus,
  stoppedFields,
  subtaskStatus,
  subtasksOf,
  TaskStanding,
  type TaskState,
  Text,
  Texts,
  taskStandingOf,
  WeakReason
} from "@proofline/kernel"
import { Schema } from "effect"
import { document, oneProven, present } from "../base/Document.ts"
import type { State } from "../project/state.ts"

/** A checklist item, with what it has to say. */
const ItemDocument = Schema.Struct({
  ...ItemView.fields,
  evidence: Schema.optionalKey(described("`path:line` or `path:start-end`, or of another kind.", Text)),
  reason: Schema.optionalKey(Text),
  receipt: Schema.optionalKey(described("The accepted evidence, frozen; see `proofline docs receipts`.", Receipt)),
  weak: described(
    "Why the evidence shows less than it seems to, as codes; see `proofline docs evidence`.",
    Schema.Array(WeakReason)
  )
}).annotate({ identifier: "Item" })

const itemDocument = ({ evidence, reason, receipt, weak, ...item }: ItemView): typeof ItemDocument.Type => ({
  ...item,
  weak: weak.map((weakness) => weakness.reason),
  ...present({ evidence, reason, receipt })
})

const taskFields = { id: Text, ...TaskStanding.fields, checklist: Schema.Array(ItemDocument) }

const taskDocument = (state: State, task: TaskState) => ({
  id: task.spec.id,
  ...taskStandingOf(state, task),
  checklist: itemViewsOf(state, task).map(itemDocument)
})

const SubtaskDocument = Schema.Struct({
  subtask_id: Text,
  ...taskFields,
  subtask_status: SubtaskStatus,
  dependencies: described("Ids of the subtasks that it builds on.", Texts),
  retry_count: Count,
  files_modified: described("Relative to the project.", Texts)
}).annotate({ identifier: "Subtask" })

const TaskDocument = Schema.Struct({
  ...taskFields,
  chunking_skipped: Schema.optionalKey(described("It was to be split and is run in one piece.", Schema.Literal(true))),
  chunked: Schema.optionalKey(described("Of a task that was split, or is being analysed.", ChunkedStanding)),
  subtasks: Schema.optionalKey(
    described("Of a task that was split, in the order of the plan.", Schema.Array(SubtaskDocument))
  )
}).annotate({ identifier: "Task" })

/** What waits for a person. */
export const asked = Schema.optionalKey(
  described("Items that agents cannot do: a person is asked. Left out: nothing waits.", Schema.Array(AskedOfPerson))
)

const Result = Schema.Struct({
  run_id: Text,
  asked,
  kind: Text,
  name: Text,
  status: ShownStatus,
  stopped: Schema.optionalKey(Stopped),
  message: described("Why it ended as it did; empty when there is nothing to say.", Text),
  ...RunProof.fields,
  tasks: described(
    "In the order of registration. To whoever asked, a task that was split is one task.",
    Schema.Array(TaskDocument)
  )
}).annotate({ identifier: "Run" })

const PlannedTask = Schema.Struct({
  id: Text,
  title: Text,
  status: Schema.Literal("pending"),
  verdict: Schema.Literal("unproven"),
  attempts: Count,
  depends_on: Texts,
  checks: Texts,
  validation: Texts,
  checklist: Schema.Array(
    Schema.Struct({
      ...ChecklistItemSpec.fields,
      status: Schema.Literal("pending"),
      verdict: Schema.Literal("unproven")
    })
  )
}).annotate({ identifier: "PlannedTask" })

const Planned = Schema.Struct({
  run_id: Schema.Null,
  dry_run: Schema.Literal(true),
  status: Schema.Literal("planned"),
  config: described("How it would be run.", RunConfig),
  tasks: Schema.Array(PlannedTask)
}).annotate({ identifier: "Planned", description: "Of `--dry-run`: nothing was started." })

/** Of `run`, `resume`, `chunk` and what shows a run as it stands. */
export const runDocument = document({
  name: "run",
  kinds: ["run", "resume"],
  title: "Output of run, resume and chunk",
  description:
    "What `proofline run --json`, `chunk --json`, `resume --json` and `history --show RUN --json` (the older spelling of `show`) print.",
  data: Schema.Union([Result, Planned]),
  examples: [
    {
      run_id: "run_01",
      kind: "tasks",
      name: "tasks",
      status: "completed",
      message: "",
      verdict: "proven",
      counts: oneProven,
      reviewers: [],
      weak: [],
      tasks: [
        {
          id: "login",
          title: "Check passwords",
          status: "completed",
          verdict: "proven",
          reason: "",
          message: "",
          attempts: 1,
          checklist: [
            {
              index: 0,
              item: "Add the function login",
              check: null,
              covers: [],
              status: "done",
              verdict: "proven",
              shown_by: "evidence",
              weak: [],
              evidence: "src/login.ts:3-9"
            }
          ]
        }
      ]
    }
  ]
})

/** What waits for a person in a run or several, in a document; nothing where nothing does. */
export const askedFields = (...states: ReadonlyArray<State>): { readonly asked?: ReadonlyArray<AskedOfPerson> } => {
  const asked = states.flatMap(askedIn)
  return asked.length === 0 ? {} : { asked }
}

/** `data` of a run that was started. */
export const runData = (state: State): typeof Result.Type => ({
  run_id: state.run.run_id,
  ...askedFields(state),
  kind: state.run.kind,
  name: state.run.name,
  status: begunStatus(state.run),
  ...stoppedFields(state.run),
  message: state.run.message,
  ...proofFields(proofOf(state)),
  tasks: rootsOf(state).map((task) => ({ ...taskDocument(state, task), ...splitFields(state, task) }))
})

const splitFields = (state: State, task: TaskState) => {
  if (chunkOf(state, task) === null) return {}
  if (!isChunked(state, task)) return { chunking_skipped: true as const }
  return {
    chunked: chunkedStandingOf(state, task),
    subtasks: subtasksOf(state, task).map((subtask) => ({
      subtask_id: subtask.spec.id,
      ...taskDocument(state, subtask),
      subtask_status: subtaskStatus(asItStands(state.run, subtask)),
      dependencies: subtask.spec.depends_on,
      retry_count: subtask.retry_count,
      files_modified: subtask.files
    }))
  }
}
