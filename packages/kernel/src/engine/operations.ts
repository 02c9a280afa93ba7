import { Schema } from "effect"

/**
 * What an agent may ask for in pull mode, declared once: every front-end (MCP, HTTP, command line) offers these.
 * Names and arguments are a contract with agents; sources: checklist and evidence, progress tools.
 */
export interface Operation {
  /** snake_case. */
  readonly name: string
  readonly title: string
  /** For the agent, in a few sentences. */
  readonly description: string
  // biome-ignore lint/suspicious/noExplicitAny: of any fields
  readonly parameters: Schema.Codec<any, any>
  /** Changes nothing, not even the log. */
  readonly readOnly: boolean
  /** The same request twice is the same as once. */
  readonly idempotent: boolean
  /** How many of them a client is shown: every list is context that its model pays for. */
  readonly level: Level
  /** Whose it is: of an agent's session, of one attempt of a run, or of whoever looks after the project. */
  readonly subject: "session" | "attempt" | "project"
}

/** `standard` holds `core`, and `all` holds both. */
export type Level = "core" | "standard" | "all"

const levels: ReadonlyArray<Level> = ["core", "standard", "all"]

/** The operations that are shown at a level, in their order. */
export const operationsAt = (level: Level): ReadonlyArray<Operation> =>
  operations.filter((operation) => levels.indexOf(operation.level) <= levels.indexOf(level))

const session_token = Schema.optionalKey(
  Schema.String.annotate({ description: "Token of another session than this connection's own; usually left out." })
)

const token = { session_token }

/** Of any fields. Clients sometimes send it as a text of JSON; it is read at the door. */
const Data = Schema.Record(Schema.String, Schema.Unknown)

type Defined = Omit<Operation, "level" | "subject"> & Partial<Pick<Operation, "level" | "subject">>

const define = (operation: Defined): Operation => ({ level: "core", subject: "session", ...operation })

const run_id = Schema.optionalKey(
  Schema.String.annotate({ description: "Id of the run; the newest one when left out." })
)

/** Of whoever looks after the project: changes nothing, over any run. */
const overview = (operation: Omit<Defined, "readOnly" | "idempotent" | "subject">): Operation =>
  define({ level: "standard", ...operation, subject: "project", readOnly: true, idempotent: true })

export const operations: ReadonlyArray<Operation> = [
  define({
    name: "get_next_action",
    title: "Get the next action",
    description:
      "What to do now: the phase, its instruction, the payload it expects, and where the work stands. Call it first, and whenever you are unsure.",
    parameters: Schema.Struct({ ...token }),
    readOnly: false,
    idempotent: true
  }),
  define({
    name: "submit_phase",
    title: "Submit a phase",
    description:
      "Hands in the payload of the current phase. It must fit expected_payload; a refusal names everything that is wrong.",
    parameters: Schema.Struct({
      data: Data.annotate({ description: "The payload, an object as expected_payload describes it." }),
      ...token
    }),
    readOnly: false,
    idempotent: false
  }),
  define({
    name: "check_write_target",
    title: "Check a write target",
    description: "Whether a file may be written now, why, and what to do if not. Ask before every write.",
    parameters: Schema.Struct({
      file_path: Schema.String.annotate({ description: "Path relative to the project root." }),
      allow_new_files: Schema.optionalKey(
        Schema.Boolean.annotate({ description: "Whether the file may be a new one; true when left out." })
      ),
      ...token
    }),
    readOnly: false,
    idempotent: true
  }),
  define({
    name: "complete_task",
    title: "Complete a task",
    description:
      "Reports a task with its checklist: every item `done` with evidence (file:line or file:start-end) or `skipped` with a reason. The evidence is checked on disk.",
    parameters: Schema.Struct({
      task_id: Schema.String,
      data: Data.annotate({ description: "{summary, checklist: [{item, status, evidence?, reason?}]}" }),
      ...token
    }),
    readOnly: false,
    idempotent: true
  }),
  define({
    name: "update_task_status",
    title: "Update the status of a task",
    description:
      "Moves a task between backlog, todo, in_progress, blocked, done and cancelled. A task with a checklist becomes done by complete_task only.",
    parameters: Schema.Struct({
      task_id: Schema.String,
      status: Schema.String.annotate({ description: "backlog, todo, in_progress, blocked, done or cancelled" }),
      reason: Schema.optionalKey(
        Schema.NullOr(Schema.String).annotate({ description: "Why; needed for blocked and cancelled." })
      ),
      ...token
    }),
    readOnly: false,
    idempotent: false
  }),
  define({
    name: "get_my_task",
    title: "Get my task",
    description: "The task to work on, with its text, its checklist and what the work before it came to.",
    parameters: Schema.Struct({ ...token }),
    readOnly: false,
    idempotent: true
  }),
  define({
    name: "get_my_task_progress",
    title: "Get the progress of my tasks",
    description: "Facts only: my tasks with all their subtasks and what they are part of. Changes nothing.",
    parameters: Schema.Struct({ ...token }),
    readOnly: true,
    idempotent: true
  }),
  define({
    name: "report_completed",
    title: "Report completion",
    description:
      "Ends the session. Success is refused while anything assigned is open; nothing is ever marked done by it.",
    parameters: Schema.Struct({
      result: Schema.String.annotate({ description: "success, failed or blocked" }),
      summary: Schema.optionalKey(Schema.NullOr(Schema.String)),
      next_steps: Schema.optionalKey(Schema.NullOr(Schema.String)),
      ...token
    }),
    readOnly: false,
    idempotent: true
  }),
  define({
    name: "create_tasks",
    level: "standard",
    title: "Create tasks",
    description:
      "Creates tasks or subtasks in one batch. Tasks of the batch name one another by local_id in parent_task_id and dependencies; the same batch twice creates nothing new. Asked to plan tasks for requirements, an agent hands in its whole plan with it.",
    parameters: Schema.Struct({
      tasks: Schema.Array(Data).annotate({
        description:
          "[{title, local_id?, description?, parent_task_id?, dependencies?: [id or local_id], checklist?: [text], assignee?, status?: todo|backlog}]; of a plan as the prompt says: [{id, name, instruction, covers, checklist?, checks?, depends_on?}]"
      }),
      ...token
    }),
    readOnly: false,
    idempotent: true
  }),
  overview({
    name: "list_runs",
    title: "List runs",
    description: "The runs of this project, newest first: id, kind, name, status, and how far each is.",
    parameters: Schema.Struct({
      limit: Schema.optionalKey(
        Schema.Int.annotate({ description: "How many at most, from 1 to 50; 10 when left out." })
      ),
      ...token
    })
  }),
  overview({
    name: "get_run",
    title: "Get a run",
    description: "One run as it stands: its status, and every task with its checklist and what was proven of it.",
    parameters: Schema.Struct({ run_id, ...token })
  }),
  overview({
    name: "get_subtasks",
    title: "Get subtasks",
    description: "The subtasks of one task: status, attempts, and what each waits for.",
    parameters: Schema.Struct({ task_id: Schema.String, run_id, ...token })
  }),
  overview({
    name: "get_events",
    title: "Get events",
    description: "Events of a run in order, a page at a time: go on with next_from. The log is never rewritten.",
    parameters: Schema.Struct({
      run_id,
      from: Schema.optionalKey(
        Schema.Int.annotate({ description: "Version to begin with, from 1; the last page when left out." })
      ),
      limit: Schema.optionalKey(
        Schema.Int.annotate({ description: "How many at most, from 1 to 200; as many as fit when left out." })
      ),
      ...token
    })
  }),
  overview({
    name: "verify_run",
    title: "Verify a run",
    description:
      "Checks the log of a run and whether everything it proved still holds on disk. Starts no agent and no command.",
    parameters: Schema.Struct({ run_id, ...token })
  }),
  define({
    name: "submit_review",
    level: "standard",
    subject: "attempt",
    title: "Submit a review",
    description: "The judgment of a reviewer who was asked for one: PASS, REJECT with what is to be changed, or RETRY.",
    parameters: Schema.Struct({
      data: Data.annotate({
        description: "{judgment: PASS|REJECT|RETRY, checks?: [{criterion, passed, details}], modification_prompt?}"
      }),
      ...token
    }),
    readOnly: false,
    idempotent: true
  }),
  define({
    name: "submit_verification",
    level: "standard",
    subject: "attempt",
    title: "Submit a verification",
    description:
      "Which requirements are met, of a verifier who was asked for it, each with its evidence: a run and what it printed, or path:line.",
    parameters: Schema.Struct({
      data: Data.annotate({
        description: "{all_requirements_met, requirement_status: [{requirement_id, met, evidence}]}"
      }),
      ...token
    }),
    readOnly: false,
    idempotent: true
  }),
  overview({
    name: "list_approvals",
    level: "all",
    title: "List approvals",
    description: "What waits for a person: the question, what it is about, and the answers it takes.",
    parameters: Schema.Struct({ ...token })
  }),
  define({
    name: "answer_approval",
    level: "all",
    subject: "project",
    title: "Answer an approval",
    description: "Gives the answer of a person to what waits for one. An agent never decides it for them.",
    parameters: Schema.Struct({
      run_id,
      answer: Schema.String,
      comment: Schema.optionalKey(Schema.NullOr(Schema.String)),
      ...token
    }),
    readOnly: false,
    idempotent: false
  })
]
