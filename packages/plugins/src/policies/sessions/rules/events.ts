import {
  ActivityFailed,
  AttemptStarted,
  BlobRef,
  becamePart,
  CheckRun,
  counted,
  Failure,
  type Json,
  shelved,
  TaskCompleted,
  type TaskId,
  TaskStatusChanged
} from "@proofline/kernel"
import { HashMap, HashSet, Option, Schema } from "effect"
import { Concerned } from "./concerned.ts"
import { inOrder } from "./inOrder.ts"
import { Missing } from "./missingSchema.ts"
import { SessionRunSetup } from "./PhaseContract.ts"
import { pathsIn } from "./paths.ts"
import { batchKey, commandsOf, countOf, phaseOf, writableOf } from "./phase.ts"
import { AssignmentPriority, NewTask, WriteTarget } from "./schemas.ts"
import {
  type Assignment,
  type PhasesState,
  SessionRun,
  type SessionState,
  type SessionsState,
  type SessionsView,
  withAssignment,
  withPhases
} from "./state.ts"
import { cleanPath } from "./targets.ts"

/** Who asked, and when: ISO 8601, UTC, ms. */
export const By = { session_id: Schema.String, at: Schema.String }
type By = Schema.Struct<typeof By>["Type"]

/** Whoever asks for something is seen. */
const seen = (
  own: SessionsState,
  { at, session_id }: By,
  change: (session: SessionState) => SessionState = (session) => session
): SessionsState =>
  withPhases(own, (phases) => ({
    ...phases,
    sessions: phases.sessions.map((session) =>
      session.session_id === session_id
        ? change({ ...session, seen_at: at > session.seen_at ? at : session.seen_at })
        : session
    )
  }))

const agentOf = ({ phases }: SessionsState, session_id: string): string | undefined =>
  phases?.sessions.find((session) => session.session_id === session_id)?.agent

/** The contract a session run is held to, as it was when the run began. */
export const ContractAdopted = SessionRun.event("PHASE_CONTRACT_ADOPTED", {
  schema: SessionRunSetup,
  visibility: "full",
  evolve: (own, setup) => ({ ...own, phases: beginning(setup) }),
  sentence: ({ contract }) => `The run is held to the phase contract "${contract.name}".`
})

/** A session run before anything was handed in. */
export const beginning = (setup: SessionRunSetup): PhasesState => ({
  // normalised as a reader of the stored contract gets it, so that live run and replay report failures in the same
  // order
  setup: inOrder(setup),
  phase: "",
  worked: null,
  visits: {},
  counters: {},
  explored: HashSet.empty(),
  writable: HashMap.empty(),
  asked: HashSet.empty(),
  verifying: null,
  verification: null,
  passed: [],
  failed_in_row: 0,
  sent_back: false,
  verified: false,
  last: null,
  handed_in_by: null,
  submissions: 0,
  failures: [],
  failures_of: null,
  batches: HashMap.empty(),
  sessions: [],
  is_given_up: false
})

export const openedFields = {
  ...By,
  agent: Schema.String,
  /** Lower-case hex SHA-256 of the token, which itself is never stored. */
  token_sha256: Schema.String,
  /** It ends with the process that opened it; false: by expiry or revocation. */
  of_process: Schema.Boolean,
  /** It ends when nothing was asked for so long, ms. */
  ttl_ms: Schema.Int
}
export const SessionOpened = SessionRun.event("SESSION_OPENED", {
  schema: Schema.Struct(openedFields),
  visibility: "summary",
  evolve: (own, { at, ...content }) =>
    withPhases(own, (phases) => ({
      ...phases,
      sessions: [
        ...phases.sessions,
        {
          ...content,
          seen_at: at,
          closed: null,
          told: null,
          reported: null,
          issued: null,
          fetched: [],
          offered: [],
          guided: false,
          failures: []
        }
      ]
    })),
  sentence: ({ agent, session_id }) => `${agent} opened the session ${session_id}.`
})

export const SessionClosed = SessionRun.event("SESSION_CLOSED", {
  schema: Schema.Struct({
    ...By,
    /** `reported`, `revoked`, `expired`, `process_ended`, `closed`. */
    reason: Schema.String
  }),
  visibility: "summary",
  evolve: (own, content) => seen(own, content, (session) => ({ ...session, closed: session.closed ?? content.reason })),
  sentence: ({ reason, session_id }) => `The session ${session_id} is over: ${reason}.`
})

export const NextActionIssued = SessionRun.event("NEXT_ACTION_ISSUED", {
  schema: Schema.Struct({
    ...By,
    /** The operation that was asked for it. */
    tool: Schema.String,
    action: Schema.String,
    task_id: Schema.NullOr(Schema.String)
  }),
  visibility: "full",
  evolve: (own, content) => {
    const { action, task_id, tool } = content
    const added = (ids: ReadonlyArray<TaskId>, isNew: boolean) => (isNew && task_id !== null ? [...ids, task_id] : ids)
    return seen(own, content, (session) => ({
      ...session,
      issued: { action, task_id },
      fetched: added(session.fetched, tool === "get_my_task"),
      offered: added(session.offered, action === "create_subtasks"),
      guided: session.guided || (own.phases !== null && isOfPlan(own.phases, own.phases.phase))
    }))
  },
  sentence: ({ action, session_id, task_id }) =>
    `${session_id} was told what to do next: ${action}${task_id === null ? "" : ` (${task_id})`}.`
})

const isOfPlan = (phases: PhasesState, name: string): boolean => phaseOf(phases, name)?.kind === "plan"

export const reportFields = {
  ...By,
  result: Schema.Literals(["success", "failed", "blocked"]),
  summary: Schema.NullOr(Schema.String),
  next_steps: Schema.NullOr(Schema.String)
}
export const CompletionReported = SessionRun.event("COMPLETION_REPORTED", {
  schema: Schema.Struct({
    ...reportFields,
    /** What was assigned to the agent and not over: empty unless it gave up. */
    open: Schema.Array(Schema.String),
    /** What is not shown at the end of all phases, where the run goes on for the sake of it; left out: it does not. */
    missing: Schema.optionalKey(Schema.Array(Missing))
  }),
  visibility: "summary",
  evolve: (own, content) =>
    seen(
      withPhases(own, (phases) => ({ ...phases, is_given_up: phases.is_given_up || content.missing !== undefined })),
      content,
      (session) => ({ ...session, reported: { result: content.result } })
    ),
  sentence: ({ missing = [], result, session_id }) =>
    `${session_id} reported its end: ${result}${missing.length === 0 ? "" : `, while ${counted(missing.length, "thing is", "things are")} not shown`}.`
})

/** Instead of being let go an agent was told what is not shown. */
export const CompletionRefused = SessionRun.event("COMPLETION_REFUSED", {
  schema: Schema.Struct({ ...reportFields, missing: Schema.Array(Missing) }),
  visibility: "summary",
  evolve: (own, content) => seen(own, content, (session) => ({ ...session, told: content.missing })),
  sentence: ({ missing, session_id }) =>
    `${session_id} reported success, and was told that ${counted(missing.length, "thing is", "things are")} not shown.`
})

export const PhaseEntered = SessionRun.event("PHASE_ENTERED", {
  schema: Schema.Struct({
    phase: Schema.String,
    /** Null: the run begins there. */
    from: Schema.NullOr(Schema.String),
    /** How often it was entered, this time included. */
    visit: Schema.Int,
    /** The counter that went up, and those that went back to 0. */
    count: Schema.NullOr(Schema.String),
    reset: Schema.Array(Schema.String)
  }),
  visibility: "summary",
  evolve: (own, { count, phase, reset, visit }) => {
    const isReset = reset.includes("task_failures")
    const now = withPhases(own, (phases) => ({
      ...phases,
      failed_in_row: isReset ? 0 : phases.failed_in_row,
      phase,
      worked: phaseOf(phases, phase)?.kind === "tasks" ? phase : phases.worked,
      visits: { ...phases.visits, [phase]: visit },
      counters: {
        ...phases.counters,
        ...(count === null ? {} : { [count]: countOf(phases.counters, count) + 1 }),
        ...Object.fromEntries(reset.map((name) => [name, 0]))
      },
      verifying: null,
      is_given_up: false,
      failures: [],
      failures_of: null,
      sessions: phases.sessions.map((session) => ({
        ...session,
        failures: [],
        // whose payload led here was answered with the guide
        guided: session.guided || (isOfPlan(phases, phase) && session.session_id === phases.handed_in_by)
      }))
    }))
    return isReset ? { ...now, assignments: HashMap.map(now.assignments, (one) => ({ ...one, failures: 0 })) } : now
  },
  sentence: ({ phase }) => `Phase ${phase} was entered.`
})

/** What was read from the disk for a payload, before it was judged. */
export const Looked = Schema.Struct({
  /** Files that it says were looked at and that are not there, as paths from the root. */
  absent: Schema.Array(Schema.String),
  /** What is wrong with the report of a task that is done already; null: it is no such report. */
  rejudged: Schema.NullOr(Schema.Array(Failure)),
  /** What is wrong with the evidence of a report that is refused for something else; left out: nothing, or nobody looked. */
  beside: Schema.optionalKey(Schema.Array(Failure))
})
export type Looked = typeof Looked.Type

export const PhaseSubmitted = SessionRun.event("PHASE_SUBMITTED", {
  schema: Schema.Struct({
    phase: Schema.String,
    by: Schema.Literals(["agent", "person"]),
    /** Null: a person. */
    session_id: Schema.NullOr(Schema.String),
    at: Schema.String,
    payload: Schema.Json,
    /** It was handed in as the report of a task. */
    report: Schema.Boolean,
    /** What was asked of the agent when it worked on a task, as a blob; null: no task was reported. */
    prompt: Schema.NullOr(BlobRef),
    /** What was taken although it is not as it should be. */
    warnings: Schema.Array(Schema.Struct({ code: Schema.String, message: Schema.String })),
    /** Files that it says were looked at, as paths from the root. */
    explored: Schema.Array(Schema.String),
    looked: Schema.NullOr(Looked)
  }),
  visibility: "summary",
  evolve: (own, content) => {
    const now = withPhases(own, (phases) => submitted(phases, content))
    const { at, session_id } = content
    return session_id === null ? now : seen(now, { session_id, at }, (session) => ({ ...session, failures: [] }))
  },
  sentence: ({ by, phase }) => `Phase ${phase} was handed in by ${by === "agent" ? "an agent" : "a person"}.`
})

/** Files that a payload of a phase says were looked at, as paths from the root. */
export const exploredIn = ({ run, sessions }: SessionsView, name: string, payload: Json): ReadonlyArray<string> => {
  const phase = sessions.phases === null ? undefined : phaseOf(sessions.phases, name)
  const fields = (payload ?? {}) as Readonly<Record<string, unknown>>
  return (phase?.explores ?? []).flatMap((field) => pathsIn(fields[field], run.root))
}

const submitted = (
  phases: PhasesState,
  content: {
    readonly phase: string
    readonly session_id: string | null
    readonly payload: Json
    readonly explored: ReadonlyArray<string>
  }
): PhasesState => {
  const payload = content.payload as Readonly<Record<string, unknown>>
  const phase = phaseOf(phases, content.phase)
  const isOfTasks = phase?.kind === "tasks" || phase?.kind === "plan"
  const isVerified = phase !== undefined && commandsOf(phases, phase).length > 0
  return {
    ...phases,
    failures: [],
    failures_of: null,
    // the work goes on: what was verified is not what there will be
    verified: phases.verified && !isOfTasks && phase?.writes !== true,
    passed: isOfTasks || phase?.writes === true ? [] : phases.passed,
    sent_back: phases.sent_back && phase?.kind !== "plan",
    last: isOfTasks ? phases.last : { phase: content.phase, payload },
    handed_in_by: content.session_id,
    submissions: phases.submissions + 1,
    explored: content.explored.reduce((all, path) => HashSet.add(all, path), phases.explored),
    verifying: isVerified ? { payload } : phases.verifying
  }
}

export const PhaseRejected = SessionRun.event("PHASE_REJECTED", {
  schema: Schema.Struct({
    phase: Schema.String,
    ...By,
    error: Schema.Literal("payload_mismatch"),
    payload: Schema.Json,
    report: Schema.Boolean,
    failures: Schema.Array(Failure),
    looked: Schema.NullOr(Looked)
  }),
  visibility: "summary",
  evolve: (own, content) =>
    seen(
      withPhases(own, (phases) => ({ ...phases, failures: content.failures, failures_of: content.session_id })),
      content,
      (session) => ({ ...session, failures: content.failures })
    ),
  sentence: ({ failures, phase }) => `Phase ${phase} was refused: ${failures.map(({ message }) => message).join(" ")}`
})

export const PhaseVerified = SessionRun.event("PHASE_VERIFIED", {
  schema: Schema.Struct({
    phase: Schema.String,
    /** Number of the submission that was verified. */
    submission: Schema.Int,
    passed: Schema.Boolean,
    /** It failed, and the work goes on in another phase. */
    sent_back: Schema.Boolean,
    checks: Schema.Array(CheckRun),
    /** The tasks that were sent back, where the output tells that they alone are concerned; left out: all were, or none. */
    concerned: Schema.optionalKey(Schema.Array(Concerned))
  }),
  visibility: "summary",
  evolve: (own, content) =>
    withPhases(own, (phases) => ({
      ...phases,
      verifying: null,
      verification: { passed: content.passed, checks: content.checks, concerned: content.concerned ?? null },
      passed: passedBy(phases, content),
      verified: content.passed && (phases.verified || verifiesTheWhole(phases, content)),
      failed_in_row: content.passed ? 0 : phases.failed_in_row + Number(content.sent_back),
      sent_back: content.sent_back
    })),
  sentence: ({ checks, passed, phase }) =>
    `${counted(checks.length, `command that verifies ${phase} was`, `commands that verify ${phase} were`)} run: ${passed ? "passed" : "not passed"}.`
})

/** What passed now, beside what passed before and was not run again. After it nothing is written. */
const passedBy = (
  phases: PhasesState,
  {
    checks,
    passed,
    phase
  }: { readonly phase: string; readonly passed: boolean; readonly checks: ReadonlyArray<CheckRun> }
): ReadonlyArray<CheckRun> =>
  !passed || phaseOf(phases, phase)?.writes === true
    ? []
    : [...phases.passed.filter(({ command }) => checks.every((check) => check.command !== command)), ...checks]

/** What was run are the verifiers of the project, or all there is to run, after which nothing is written. */
const verifiesTheWhole = (
  phases: PhasesState,
  { checks, phase }: { readonly phase: string; readonly checks: ReadonlyArray<CheckRun> }
): boolean =>
  phaseOf(phases, phase)?.writes !== true &&
  checks.length > 0 &&
  phases.setup.verifiers.every((command) => checks.some((check) => check.command === command))

export const targetFields = {
  ...By,
  /** As the agent wrote it. */
  file_path: Schema.String,
  allow_new_files: Schema.Boolean,
  target: WriteTarget
}
export const WriteTargetChecked = SessionRun.event("WRITE_TARGET_CHECKED", {
  schema: Schema.Struct({
    ...targetFields,
    /** The file differed from the base of the run when it was asked for; null: nobody looked. */
    changed: Schema.NullOr(Schema.Boolean),
    allowed: Schema.Boolean,
    /** `allowed`, or why not. */
    code: Schema.String,
    /** Names under which the file may be written now. */
    writable: Schema.Array(Schema.String)
  }),
  visibility: "full",
  evolve: (own, content) => {
    const agent = agentOf(own, content.session_id)
    const now =
      agent === undefined || content.writable.length === 0
        ? own
        : withPhases(own, (phases) => ({
            ...phases,
            asked: content.writable.reduce((all, path) => HashSet.add(all, path), phases.asked),
            writable: HashMap.set(
              phases.writable,
              agent,
              content.writable.reduce((all, path) => HashSet.add(all, path), writableOf(phases, agent))
            )
          }))
    return seen(now, content)
  },
  sentence: ({ code, file_path }) => `Whether ${file_path} may be written was asked: ${code}.`
})

/** A link may be written under its own name, and leads to another. */
export const writableNames = (
  { run }: SessionsView,
  file_path: string,
  { path }: { readonly path: string | null }
): ReadonlyArray<string> =>
  path === null ? [] : [path, cleanPath(file_path, run.root)].flatMap((one) => (one === null ? [] : [one]))

export const TasksCreated = SessionRun.event("TASKS_CREATED", {
  schema: Schema.Struct({
    ...By,
    tasks: Schema.Array(NewTask),
    /** Their ids, in the same order. */
    ids: Schema.Array(Schema.String)
  }),
  visibility: "summary",
  evolve: (own, content) => {
    const key = batchKey(agentOf(own, content.session_id) ?? "", content.tasks)
    return seen(
      withPhases(own, (phases) => ({
        ...phases,
        batches: HashMap.set(phases.batches, key, content.ids),
        sent_back: false
      })),
      content
    )
  },
  sentence: ({ ids }) => `${counted(ids.length, "task was", "tasks were")} created: ${ids.join(", ")}.`
})

export const TaskAssigned = SessionRun.event("TASK_ASSIGNED", {
  schema: Schema.Struct({
    task_id: Schema.String,
    /** Null: to nobody. */
    assignee: Schema.NullOr(Schema.String),
    created_by: Schema.String,
    parent_task_id: Schema.NullOr(Schema.String),
    priority: AssignmentPriority,
    /** Not to be begun before somebody moves it to `todo`. */
    backlog: Schema.Boolean
  }),
  visibility: "full",
  changes: ({ backlog, parent_task_id, task_id }) => [
    ...(parent_task_id === null ? [] : [becamePart({ task_id, parent_task_id })]),
    ...(backlog ? [shelved({ task_id })] : [])
  ],
  evolve: (own, content) => assigned(own, content),
  sentence: ({ assignee, task_id }) => `Task ${task_id} is assigned to ${assignee ?? "nobody"}.`
})

/** A task of its own for somebody; one that was assigned before only changes hands. */
const assigned = (
  own: SessionsState,
  {
    assignee,
    created_by,
    priority,
    task_id
  }: Pick<Assignment, "assignee" | "created_by" | "priority"> & {
    readonly task_id: TaskId
  }
): SessionsState => {
  if (HashMap.has(own.assignments, task_id)) return withAssignment(own, task_id, (one) => ({ ...one, assignee }))
  const fresh: Assignment = { assignee, created_by, priority, worker: null, asked: [], failures: 0, reason: "" }
  return { ...unverified(own), assignments: HashMap.set(own.assignments, task_id, fresh) }
}

/** Work continues after a verification, so its result no longer covers the current state. */
const unverified = (own: SessionsState): SessionsState =>
  withPhases(own, (phases) => ({ ...phases, verified: false, passed: [] }))

/** The work was sent back, because the commands of a phase failed. */
export const verificationFailed = "verification_failed"

export const events = [
  ContractAdopted,
  SessionOpened,
  SessionClosed,
  NextActionIssued,
  CompletionReported,
  CompletionRefused,
  PhaseEntered,
  PhaseSubmitted,
  PhaseRejected,
  PhaseVerified,
  WriteTargetChecked,
  TasksCreated,
  TaskAssigned
]

export const follows = [
  SessionRun.follow(AttemptStarted, (own, { agent, task_id }) =>
    withAssignment(own, task_id, (one) => ({ ...one, worker: agent }))
  ),
  // on completion the failed verification counts as answered, and write targets must be asked for again for the next
  // task
  SessionRun.follow(TaskCompleted, (own, { task_id }) => {
    const one = Option.getOrNull(HashMap.get(own.assignments, task_id))
    const agent = one?.worker ?? one?.assignee ?? null
    if (own.phases === null || agent === null) return own
    const asked = [...writableOf(own.phases, agent)]
    const now = withPhases(own, (phases) => ({
      ...phases,
      sent_back: false,
      writable: HashMap.remove(phases.writable, agent)
    }))
    return withAssignment(now, task_id, (two) => ({ ...two, asked: [...new Set([...two.asked, ...asked])] }))
  }),
  // session runs have no retry limit: a refused task stays with its agent until it is accepted
  SessionRun.follow(TaskStatusChanged, (own, { by, reason, task_id, to }) => {
    // an agent's own words count nothing
    const isFailed = by === undefined && reason === verificationFailed
    const noted = withAssignment(own, task_id, (one) => ({
      ...one,
      reason: to === "blocked" || to === "skipped" ? reason : "",
      failures: one.failures + Number(isFailed)
    }))
    const now = to === "retrying" ? unverified(noted) : noted
    return by === undefined ? now : seen(now, by)
  }),
  // the commands of a phase could not be run: the agent is told, and hands it in again
  SessionRun.follow(ActivityFailed, (own, { awaited_by, code, message }) =>
    awaited_by?.plugin === "sessions"
      ? withPhases(own, (phases) => ({
          ...phases,
          verifying: null,
          failures_of: null,
          failures: [{ key: code, item: null, fields: {}, message: `The phase could not be verified: ${message}` }]
        }))
      : own
  )
]
