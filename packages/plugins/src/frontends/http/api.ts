import { Stats } from "@proofline/kernel"
import { Schema } from "effect"
import {
  HttpApi,
  HttpApiEndpoint,
  HttpApiGroup,
  HttpApiMiddleware,
  HttpApiSchema,
  HttpApiSecurity,
  OpenApi
} from "effect/http-api"
import {
  Conflicting,
  Forbidden,
  Internal,
  Malformed,
  Refused,
  TooLarge,
  TooMany,
  Unauthorized,
  Unavailable,
  Unknown,
  Unsupported
} from "./problems.ts"
import { ReportView } from "./reportView.ts"
import {
  AboutView,
  Approval,
  AttemptView,
  Begun,
  CitedView,
  EventView,
  EvidenceView,
  InputFile,
  ItemView,
  LogVerification,
  OperationAnswer,
  OperationArguments,
  OutputStream,
  ResumeRequest,
  RunFacets,
  RunReceipts,
  RunRow,
  RunView,
  ServedProjects,
  StartRequest,
  TakingUp,
  TaskRow,
  TaskView,
  TextView,
  WorkerView
} from "./schemas.ts"

export * from "./problems.ts"
export * from "./reportView.ts"
export * from "./schemas.ts"

/** A page of a list: what goes on is asked for with the cursor, as it is. */
const page = {
  cursor: Schema.optionalKey(Schema.String),
  /** 100 when left out. */
  limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })))
}

/** Null on the last page. */
const next_cursor = Schema.NullOr(Schema.String)

/** With an answer: whoever names the question is not taken to answer a later one. */
const answering = {
  comment: Schema.optionalKey(Schema.String),
  question_id: Schema.optionalKey(Schema.String)
}

const run = { run: Schema.String }
const task = { ...run, task: Schema.String }
const attempt = { ...task, attempt: Schema.Int }

const always = [Malformed, Unauthorized, Forbidden, TooMany, Internal, Unavailable] as const
const found = [...always, Unknown] as const
const refusable = [...found, Conflicting, Refused] as const
const sending = [TooLarge, Unsupported] as const
const changing = [...refusable, ...sending] as const

/** What an endpoint is for, in one sentence, and more of it, as the document says it. */
const says = (summary: string, more = "") =>
  OpenApi.annotations({ summary, description: more === "" ? summary : `${summary} ${more}` })

/** Every request shows the operator's token. */
export class Bearer extends HttpApiMiddleware.Service<Bearer>()("@proofline/plugins/frontends/http/Bearer", {
  requiredForClient: true,
  security: { bearer: HttpApiSecurity.bearer },
  error: [Unauthorized, Forbidden]
}) {}

/** Every request shows a token: the operator's, or that of a session or an attempt. */
export class AnyBearer extends HttpApiMiddleware.Service<AnyBearer>()("@proofline/plugins/frontends/http/AnyBearer", {
  requiredForClient: true,
  security: { bearer: HttpApiSecurity.bearer },
  error: Unauthorized
}) {}

/** A request whose parameters or body do not fit is `Malformed`. */
export class Validation extends HttpApiMiddleware.Service<Validation>()(
  "@proofline/plugins/frontends/http/Validation",
  {
    error: [Malformed]
  }
) {}

/** An event of the log as server-sent event: its `id` is the position, to go on from with `Last-Event-ID`. */
const EventStream = HttpApiSchema.StreamSse({
  events: Schema.Struct({ id: Schema.String, event: Schema.String, data: Schema.String })
})

/** `Last-Event-ID` wins over `after`; without either, everything from the beginning. */
const streamed = {
  query: { after: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))) },
  headers: { "last-event-id": Schema.optionalKey(Schema.String) },
  success: EventStream
} as const

const piecewise =
  "64 KiB at most an answer, from the byte `from` on (negative: so many before the end); go on with `next`."

const howStreamed =
  "Server-sent events: `id` is the position in the log, `event` the event type, `data` the event as JSON. With " +
  "`Last-Event-ID` (or `after`) it goes on after that position, without gap or repetition; without, it begins at the " +
  "beginning. What there is comes first, then the comment `: caught-up`, then what happens; `: keepalive` every 15 s."

export class AboutGroup extends HttpApiGroup.make("about", { topLevel: true }).add(
  HttpApiEndpoint.get("about", "/about", { success: AboutView, error: always }).annotateMerge(
    says("The project that is served, and where its log ends.")
  ),
  HttpApiEndpoint.get("inputs", "/inputs", {
    success: Schema.Struct({ inputs: Schema.Array(InputFile) }),
    error: always
  }).annotateMerge(says("The files of the project that can be run.")),
  HttpApiEndpoint.get("approvals", "/approvals", {
    success: Schema.Struct({ approvals: Schema.Array(Approval) }),
    error: always
  }).annotateMerge(says("What waits for a person.", "Questions and conflicts of the newest runs.")),
  HttpApiEndpoint.get("workers", "/workers", {
    success: Schema.Struct({ workers: Schema.Array(WorkerView) }),
    error: always
  }).annotateMerge(
    says(
      "Who takes work of the log.",
      "Without workers, as where one process does all the work itself, the list is empty."
    )
  ),
  HttpApiEndpoint.get("stats", "/stats", {
    query: { by: Schema.optionalKey(Schema.String), since: Schema.optionalKey(Schema.String) },
    success: Stats,
    error: always
  }).annotateMerge(
    says(
      "What agents claimed, what held, and what it took.",
      "As `proofline stats` counts it. `by` is a list of agent, model, task, " +
        "kind and run, separated by commas, `agent` when left out; `since` a date: only runs that began then or later."
    )
  ),
  HttpApiEndpoint.get("stream", "/events/stream", { ...streamed, error: always }).annotateMerge(
    says("The events of all runs, live.", howStreamed)
  )
) {}

/** What a server says of all its projects, at each of them and beside them. */
export class ProjectsGroup extends HttpApiGroup.make("projects", { topLevel: true }).add(
  HttpApiEndpoint.get("projects", "/projects", { success: ServedProjects, error: always }).annotateMerge(
    says(
      "The projects of the server.",
      "With what waits and what runs in each. One that cannot be served is among them, with why."
    )
  )
) {}

export class RunsGroup extends HttpApiGroup.make("runs").add(
  HttpApiEndpoint.get("list", "/runs", {
    query: {
      ...page,
      status: Schema.optionalKey(Schema.String),
      kind: Schema.optionalKey(Schema.String),
      parent: Schema.optionalKey(Schema.String),
      q: Schema.optionalKey(Schema.String)
    },
    success: Schema.Struct({ runs: Schema.Array(RunRow), next_cursor, facets: RunFacets }),
    error: always
  }).annotateMerge(
    says(
      "Runs, the newest first.",
      "`status` and `kind` are lists separated by commas, `parent` is the id of a requirements " +
        "run, `q` is looked for in ids and names, whatever the case. `facets` says by how many runs each value of a filter " +
        "would be answered, as the others stand."
    )
  ),
  HttpApiEndpoint.post("start", "/runs", {
    payload: StartRequest,
    success: Begun.pipe(HttpApiSchema.status(201)),
    error: [...always, ...sending, Conflicting, Refused]
  }).annotateMerge(says("Starts a run.", "Of a file or a prompt; answered once it has begun.")),
  HttpApiEndpoint.get("get", "/runs/:run", { params: run, success: RunView, error: found }).annotateMerge(
    says("A run as it stands.")
  ),
  HttpApiEndpoint.post("cancel", "/runs/:run/cancel", {
    params: run,
    payload: Schema.Struct({ reason: Schema.optionalKey(Schema.String) }),
    success: RunView,
    error: changing
  }).annotateMerge(says("Ends a run.", "With it, of a requirements run, the task run that is under way.")),
  HttpApiEndpoint.post("resume", "/runs/:run/resume", {
    params: run,
    payload: ResumeRequest,
    success: Begun.pipe(HttpApiSchema.status(202)),
    error: changing
  }).annotateMerge(
    says(
      "Takes a run up again.",
      "Where its log ends, or for the tasks that `task` names only; answered once it has begun."
    )
  ),
  HttpApiEndpoint.post("answer", "/runs/:run/answer", {
    params: run,
    payload: Schema.Struct({ answer: Schema.String, ...answering }),
    success: RunView,
    error: changing
  }).annotateMerge(says("Answers what a session run asks a person.")),
  HttpApiEndpoint.post("approve", "/runs/:run/approve", {
    params: run,
    payload: Schema.Struct(answering),
    success: RunView,
    error: changing
  }).annotateMerge(
    says("Says yes to what a session run asks.", "Gives the answer that means yes, where the question names one.")
  ),
  HttpApiEndpoint.post("verify", "/runs/:run/verify", {
    params: run,
    success: LogVerification,
    error: refusable
  }).annotateMerge(
    says(
      "Verifies a run.",
      "Whether the log of a run is as it was written, and everything it proved still holds. Nothing is started."
    )
  ),
  HttpApiEndpoint.get("report", "/runs/:run/report", {
    params: run,
    success: ReportView,
    error: refusable
  }).annotateMerge(says("What stands behind a run, from its requirements down to the lines of code.")),
  HttpApiEndpoint.get("receipts", "/runs/:run/receipts", {
    params: run,
    success: RunReceipts,
    error: refusable
  }).annotateMerge(says("The receipts of a run, and what has none.")),
  HttpApiEndpoint.get("events", "/runs/:run/events", {
    params: run,
    query: {
      ...page,
      visibility: Schema.optionalKey(Schema.Literals(["summary", "full"])),
      /** Event types, separated by commas. */
      types: Schema.optionalKey(Schema.String)
    },
    success: Schema.Struct({ events: Schema.Array(EventView), next_cursor }),
    error: found
  }).annotateMerge(
    says(
      "The events of a run, in order.",
      "`visibility=summary` leaves out the others; `types` is a list separated by commas."
    )
  ),
  HttpApiEndpoint.get("stream", "/runs/:run/events/stream", { params: run, ...streamed, error: found }).annotateMerge(
    says("The events of a run, live.", howStreamed)
  )
) {}

export class TasksGroup extends HttpApiGroup.make("tasks").add(
  HttpApiEndpoint.get("list", "/runs/:run/tasks", {
    params: run,
    query: { ...page, q: Schema.optionalKey(Schema.String) },
    success: Schema.Struct({ tasks: Schema.Array(TaskRow), next_cursor }),
    error: found
  }).annotateMerge(
    says(
      "The tasks of a run, each followed by its parts.",
      "Each word of `q` is looked for in ids and titles, whatever the case."
    )
  ),
  HttpApiEndpoint.get("get", "/runs/:run/tasks/:task", { params: task, success: TaskView, error: found }).annotateMerge(
    says("A task with everything that is known of it.")
  ),
  HttpApiEndpoint.get("retry", "/runs/:run/tasks/:task/retry", {
    params: task,
    success: TakingUp,
    error: refusable
  }).annotateMerge(
    says(
      "What trying a task again will do.",
      "What `POST …/resume` with this `task` will do, or why that is refused. Nothing is started."
    )
  ),
  HttpApiEndpoint.get("attempts", "/runs/:run/tasks/:task/attempts", {
    params: task,
    success: Schema.Struct({ attempts: Schema.Array(AttemptView) }),
    error: found
  }).annotateMerge(says("The attempts of a task, in order.")),
  HttpApiEndpoint.get("attempt", "/runs/:run/tasks/:task/attempts/:attempt", {
    params: attempt,
    success: AttemptView,
    error: found
  }).annotateMerge(says("One attempt, with its claims, refusals, commands and judgement.")),
  HttpApiEndpoint.get("prompt", "/runs/:run/tasks/:task/attempts/:attempt/prompt", {
    params: attempt,
    query: { from: Schema.optionalKey(Schema.Int) },
    success: TextView,
    error: found
  }).annotateMerge(says("What the agent was asked.", piecewise)),
  HttpApiEndpoint.get("output", "/runs/:run/tasks/:task/attempts/:attempt/output", {
    params: attempt,
    query: {
      stream: Schema.optionalKey(OutputStream),
      /** Byte to begin with; negative: so many before the end. */
      from: Schema.optionalKey(Schema.Int)
    },
    success: TextView,
    error: found
  }).annotateMerge(says("What the agent printed, also while it works.", piecewise)),
  HttpApiEndpoint.get("cited", "/runs/:run/tasks/:task/attempts/:attempt/cited", {
    params: attempt,
    query: { evidence: Schema.String.check(Schema.isMaxLength(1_024)) },
    success: CitedView,
    error: found
  }).annotateMerge(
    says(
      "What stands in cited lines.",
      "Those that `evidence` names (`path:line` or `path:start-end`), as the attempt left them, and now."
    )
  ),
  HttpApiEndpoint.get("checklist", "/runs/:run/tasks/:task/checklist", {
    params: task,
    success: Schema.Struct({ checklist: Schema.Array(ItemView) }),
    error: found
  }).annotateMerge(says("The checklist of a task, with verdicts and receipts.")),
  HttpApiEndpoint.get("evidence", "/runs/:run/tasks/:task/checklist/:index/evidence", {
    params: { ...task, index: Schema.Int },
    success: EvidenceView,
    error: [...found, Conflicting]
  }).annotateMerge(says("The lines behind a proven item, as they were accepted and as they are now."))
) {}

/** What may be asked for over MCP and with `proofline call` too; each operation says itself for whom it is. */
export class OperationsGroup extends HttpApiGroup.make("operations")
  .add(
    HttpApiEndpoint.post("call", "/operations/:name", {
      params: { name: Schema.String },
      payload: OperationArguments,
      success: OperationAnswer,
      error: changing
    }).annotateMerge(
      says(
        "Carries out an operation.",
        "One of Proofline's own or of a plugin, with the same arguments, rules and answers as the " +
          "tool of that name over MCP and `proofline call`. What belongs to a session takes the token of one, shown as the " +
          "bearer or named as `session_token`. A refusal holds the whole answer as `answer`."
      )
    )
  )
  .middleware(Validation)
  .middleware(AnyBearer) {}

// a key that nobody knows asks for something that would not be done
export const parsing = { onExcessProperty: "error", errors: "all" } as const

/** The whole of the HTTP API. Handlers, OpenAPI document and typed client are made from it. */
export class Api extends HttpApi.make("proofline")
  .add(AboutGroup, ProjectsGroup, RunsGroup, TasksGroup)
  .middleware(Validation)
  .middleware(Bearer)
  .add(OperationsGroup)
  .prefix("/api/v1")
  .annotate(HttpApi.PayloadParseOptions, parsing)
  .annotate(HttpApi.QueryParseOptions, parsing)
  .annotateMerge(
    OpenApi.annotations({
      title: "Proofline",
      version: "1",
      servers: [{ url: "/" }],
      description: "Runs, tasks, attempts, checklists with their receipts, and the event log of one project."
    })
  ) {}
