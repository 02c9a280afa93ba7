import {
  type AnyCommand,
  type AnyEvent,
  type AssignmentStatus,
  type CommandOf,
  type Composition,
  composePlugins,
  type EventOf,
  emptySnapshot,
  type Failure,
  type KernelEvent,
  type Plugin,
  type Rejection,
  type ReportedItem,
  type RunConfig,
  type Snapshot,
  type Start,
  type StartTasks,
  step
} from "@proofline/kernel"
import { aRun } from "@proofline/kernel/testing"
import type { WriteTarget } from "@proofline/plugins/ports"
import { Result } from "effect"
import {
  type AnswerPhase,
  type AnyRun,
  type Assignment,
  assignmentOf,
  type CheckWriteTarget,
  type CloseSession,
  type CreateTasks,
  emptyPhase,
  type IssueNextAction,
  type NewTask,
  type NextAction,
  nextActionOf,
  type OpenSession,
  type Phase,
  type PhaseContract,
  type PhasesState,
  type RecordPhaseChecks,
  type ReportCompleted,
  runIn,
  type SessionRunSetup,
  type SessionState,
  type SubmitPhase,
  type sessionEvents,
  type Transition,
  type UpdateTaskStatus
} from "../../../../packages/plugins/src/policies/sessions/contract.ts"
import { sessionsRules } from "../../../../packages/plugins/src/policies/sessions/rules/plugin.ts"
import { judge } from "../../../kernel/support/judge.ts"
import { check, done, evidence, task } from "../../../kernel/support/words.ts"

// ---- contracts

/** A phase that asks for nothing; give what the test is about. */
export const aPhase = (over: Partial<Phase> = {}): Phase => ({ ...emptyPhase, instruction: "Go on.", ...over })

export const to = (name: string, over: Omit<Transition, "to"> = {}): Transition => ({ to: name, ...over })

/** The way of the built-in contract: look, plan, do, close, verify; a person is asked when it fails too often. */
export const phases: Readonly<Record<string, Phase>> = {
  EXPLORATION: aPhase({
    expected_payload: { explored_files: "list[str]", findings: "list[str]", "summary?": "str" },
    not_empty: ["explored_files", "findings"],
    explores: ["explored_files"],
    transitions: [to("READY_PLAN")]
  }),
  READY_PLAN: aPhase({
    kind: "plan",
    expected_payload: { tasks: "list[{id, description, status, checklist: list[{item, status}]}]" },
    transitions: [to("READY_IMPL")]
  }),
  READY_IMPL: aPhase({
    kind: "tasks",
    writes: true,
    also: ["READY_PLAN"],
    expected_payload: { task_id: "str", checklist: "list[{item, status, evidence?, reason?}]" },
    transitions: [to("READY_COMPLETE")]
  }),
  READY_COMPLETE: aPhase({
    kind: "complete",
    expected_payload: { summary: "str" },
    not_empty: ["summary"],
    transitions: [to("POST_IMPL_VERIFY")]
  }),
  POST_IMPL_VERIFY: aPhase({
    kind: "verify",
    expected_payload: { "summary?": "str" },
    transitions: [
      to("DONE", { when: { outcome: "passed" } }),
      to("VERIFY_INTERVENTION", {
        when: { outcome: "failed", reached: ["task_failures"] },
        count: "interventions"
      }),
      to("READY_IMPL", { when: { outcome: "failed" } })
    ]
  }),
  VERIFY_INTERVENTION: aPhase({
    kind: "person",
    expected_payload: { answer: "continue|stop", "comment?": "str" },
    transitions: [
      to("READY_IMPL", { when: { payload: { answer: "continue" } }, reset: ["task_failures"] }),
      to("STOPPED", { when: { payload: { answer: "stop" } } })
    ]
  }),
  DONE: aPhase({ kind: "end" }),
  STOPPED: aPhase({ kind: "end" })
}

export const aContract = (over: Partial<PhaseContract> = {}): PhaseContract => ({
  name: "default",
  start: [to("EXPLORATION")],
  phases,
  limits: { task_failures: 2 },
  flags: {},
  intents: [],
  write_targets: { existing: "explored", fresh: "explored", required: false },
  failures: {},
  ...over
})

export const aSetup = (over: Partial<SessionRunSetup> = {}): SessionRunSetup => ({
  contract: aContract(),
  intent: "",
  gate: "auto",
  flags: [],
  verifiers: ["true"],
  planning_guide: "",
  ...over
})

/** The command that begins a session run. */
export const aSessionRun = (
  setup: Partial<SessionRunSetup> = {},
  config: Partial<RunConfig> = {}
): StartTasks & { readonly pull: SessionRunSetup } => ({
  ...aRun([], { proof: null, ...config }),
  kind: "session",
  pull: aSetup(setup)
})

// ---- what agents and people ask for

/** The session of an agent that has one. */
export const sessionId = (agent: string): string => `ses_${agent}`

export const noon = "2026-01-02T12:00:00.000Z"

export const opens = (
  agent: string,
  over: Partial<CommandOf<typeof OpenSession>> = {}
): CommandOf<typeof OpenSession> => ({
  _tag: "OpenSession",
  session_id: sessionId(agent),
  at: noon,
  agent,
  token_sha256: "c".repeat(64),
  of_process: true,
  ttl_ms: 3_600_000,
  gone: [],
  ...over
})

export const closes = (agent: string, reason = "closed"): CommandOf<typeof CloseSession> => ({
  _tag: "CloseSession",
  session_id: sessionId(agent),
  at: noon,
  reason
})

export const asks = (agent: string, tool = "get_next_action"): CommandOf<typeof IssueNextAction> => ({
  _tag: "IssueNextAction",
  session_id: sessionId(agent),
  at: noon,
  tool
})

export const submits = (agent: string, payload: unknown): CommandOf<typeof SubmitPhase> => ({
  _tag: "SubmitPhase",
  session_id: sessionId(agent),
  at: noon,
  payload: payload as never,
  prompt: null,
  isReport: false
})

/** The report of a task; each item is named alone, with evidence, or as it was reported; null: no checklist. */
export const completes = (
  agent: string,
  task_id: string,
  items: ReadonlyArray<string | ReportedItem> | null = ["one"],
  over: Readonly<Record<string, unknown>> = {}
): CommandOf<typeof SubmitPhase> => ({
  ...submits(agent, {
    task_id,
    summary: `${task_id} is done.`,
    ...(items === null ? {} : { checklist: items.map((item) => (typeof item === "string" ? done(item) : item)) }),
    ...over
  }),
  isReport: true
})

export const answers = (payload: unknown): CommandOf<typeof AnswerPhase> => ({
  _tag: "AnswerPhase",
  at: noon,
  payload: payload as never
})

export const updates = (
  agent: string,
  task_id: string,
  status: AssignmentStatus,
  reason = ""
): CommandOf<typeof UpdateTaskStatus> => ({
  _tag: "UpdateTaskStatus",
  session_id: sessionId(agent),
  at: noon,
  task_id,
  status,
  reason,
  prompt: null
})

/** A reason that is long enough for everything. */
export const because = "nobody needs it any more"

export const aNewTask = (title: string, over: Partial<NewTask> = {}): NewTask => ({
  local_id: title,
  title,
  description: `Do ${title}.`,
  parent_task_id: null,
  dependencies: [],
  checklist: [],
  assignee: null,
  priority: "medium",
  status: "todo",
  ...over
})

export const creates = (agent: string, ...tasks: ReadonlyArray<NewTask>): CommandOf<typeof CreateTasks> => ({
  _tag: "CreateTasks",
  session_id: sessionId(agent),
  at: noon,
  tasks
})

export const reports = (
  agent: string,
  result: CommandOf<typeof ReportCompleted>["result"] = "success"
): CommandOf<typeof ReportCompleted> => ({
  _tag: "ReportCompleted",
  session_id: sessionId(agent),
  at: noon,
  result,
  summary: null,
  next_steps: null
})

export const aTarget = (path: string | null, kind: WriteTarget["kind"] = "file"): WriteTarget => ({
  path,
  kind,
  fault: path === null ? "outside_root" : null,
  message: ""
})

export const checksTarget = (
  agent: string,
  path: string | null,
  kind: WriteTarget["kind"] = "file",
  allow_new_files = true
): CommandOf<typeof CheckWriteTarget> => ({
  _tag: "CheckWriteTarget",
  session_id: sessionId(agent),
  at: noon,
  file_path: path ?? "../elsewhere.ts",
  allow_new_files,
  target: aTarget(path, kind)
})

// ---- payloads

export interface PlannedTask {
  readonly id: string
  readonly description?: string
  readonly status?: string
  readonly reason?: string
  readonly depends_on?: ReadonlyArray<string>
  readonly checklist?: ReadonlyArray<string | { readonly item: string; readonly status: string }> | null
}

/** Plans the tasks; one that is only named has the item `one`. */
export const aPlan = (...tasks: ReadonlyArray<string | PlannedTask>) => ({
  tasks: tasks.map((planned) => {
    const { checklist = ["one"], ...rest } = typeof planned === "string" ? { id: planned } : planned
    return {
      description: `Do ${rest.id}.`,
      status: "pending",
      ...rest,
      ...(checklist === null
        ? {}
        : { checklist: checklist.map((item) => (typeof item === "string" ? { item, status: "pending" } : item)) })
    }
  })
})

export const explored = { explored_files: ["src/a.ts"], findings: ["src/a.ts: nothing adds up"] }

// ---- playing

export interface PlayThen {
  /** Empty when the command was refused. */
  readonly events: ReadonlyArray<AnyEvent>
  readonly rejected: Rejection | null
  /** After the command; as before, when it was refused. */
  readonly state: AnyRun
  readonly starts: ReadonlyArray<Start>
}

/** A session run that is played by the rules alone. */
export interface Play {
  readonly state: AnyRun
  readonly phases: PhasesState
  readonly composition: Composition
  /** Decides one more command, with everything that follows from it. */
  readonly when: (command: AnyCommand) => PlayThen
  /** Carries the commands out; throws when one is refused, or a payload is. */
  readonly after: (...commands: ReadonlyArray<AnyCommand>) => Play
}

const playing = (composition: Composition, now: Snapshot): Play => {
  const state = runIn(now)
  if (state.sessions.phases === null) throw new Error("It is no session run.")
  return {
    state,
    phases: state.sessions.phases,
    composition,
    when: (command) => {
      const decided = step(composition, now, command)
      return Result.isSuccess(decided)
        ? {
            events: decided.success.events,
            rejected: null,
            state: runIn(decided.success.after),
            starts: decided.success.starts
          }
        : { events: [], rejected: decided.failure, state, starts: [] }
    },
    after: (...commands) =>
      playing(
        composition,
        commands.reduce((before, command) => {
          const decided = step(composition, before, command)
          if (Result.isFailure(decided)) throw decided.failure
          const refused = decided.success.events.find(({ type }) => type === "PHASE_REJECTED")
          if (refused !== undefined) throw new Error(JSON.stringify(refused.content))
          return decided.success.after
        }, now)
      )
  }
}

/** A session run that has begun, with a session of alice. */
export const aPlay = (
  setup: Partial<SessionRunSetup> = {},
  plugins: ReadonlyArray<Plugin> = [judge],
  start: Partial<StartTasks> = {}
): Play => {
  const composition = composePlugins([sessionsRules, ...plugins])
  const begun = step(composition, emptySnapshot(composition), { ...aSessionRun(setup), ...start })
  if (Result.isFailure(begun)) throw begun.failure
  return playing(composition, begun.success.after).after(opens("alice"))
}

/** The same with a contract that differs in these phases and keys. */
export const withContract = (
  changed: Readonly<Record<string, Phase>>,
  over: Partial<PhaseContract> = {},
  setup: Partial<SessionRunSetup> = {}
): Play => aPlay({ contract: aContract({ ...over, phases: { ...phases, ...changed } }), ...setup })

/** Alice has explored and plans next. */
export const planning = (play: Play = aPlay()): Play => play.after(submits("alice", explored))

/** Alice has planned these tasks and works on them. */
export const working = (...tasks: ReadonlyArray<string | PlannedTask>): Play =>
  planning().after(submits("alice", aPlan(...tasks)))

/** A task is reported with all its items, and every one of them is shown. */
export const proven = (play: Play, agent: string, id: string): Play => {
  const items = task(play.state, id).spec.checklist.map(({ item }) => item)
  const reported = play.after(completes(agent, id, items))
  const { attempts } = task(reported.state, id)
  return items.length === 0 ? reported : reported.after(evidence(id, attempts, ...items.keys()))
}

/** How the commands of the phase ended that was handed in last. */
export const verifies = (
  { phases }: Play,
  ...exit_codes: ReadonlyArray<number>
): CommandOf<typeof RecordPhaseChecks> => ({
  _tag: "RecordPhaseChecks",
  phase: phases.phase,
  submission: phases.submissions,
  checks: (exit_codes.length === 0 ? [0] : exit_codes).map((code) => check(code))
})

/** Everything is proven and handed in; the commands of the whole run next. */
export const verifying = (play: Play): Play =>
  play.after(submits("alice", { summary: "All is done." }), submits("alice", {}))

/** The commands of the whole fail once. */
export const failing = (play: Play): Play => {
  const handedIn = verifying(play)
  return handedIn.after(verifies(handedIn, 1))
}

// ---- looking

/** What a payload was refused for. */
export const failuresOf = ({ events }: PlayThen): ReadonlyArray<Failure> => {
  const [first] = events as ReadonlyArray<SessionEvent>
  return first?.type === "PHASE_REJECTED" ? first.content.failures : []
}

export const keysOf = (then: PlayThen): ReadonlyArray<string> => failuresOf(then).map(({ key }) => key)

export const codeOf = ({ rejected }: PlayThen): string | undefined => rejected?.code

/** An event of the kernel, or of session runs. */
export type SessionEvent = KernelEvent | EventOf<(typeof sessionEvents)[number]>

export const contentsOf = <T extends SessionEvent["type"]>(
  { events }: PlayThen,
  type: T
): ReadonlyArray<Extract<SessionEvent, { type: T }>["content"]> =>
  events.flatMap((event) => (event.type === type ? [event.content as never] : []))

export const warningsOf = (then: PlayThen): ReadonlyArray<string> =>
  contentsOf(then, "PHASE_SUBMITTED").flatMap(({ warnings }) => warnings.map(({ code }) => code))

export const sessionOf = ({ phases }: Pick<Play, "phases">, agent: string): SessionState => {
  const found = phases.sessions.find((session) => session.agent === agent)
  if (found === undefined) throw new Error(`${agent} has no session.`)
  return found
}

/** What an agent is to do now, and about which task. */
export const nextOf = (play: Play, agent = "alice"): NextAction => nextActionOf(play.state, sessionOf(play, agent))

export const actionOf = (play: Play, agent = "alice"): ReadonlyArray<string | null> => {
  const { action, task_id } = nextOf(play, agent)
  return task_id === null ? [action] : [action, task_id]
}

/** To whom a task is assigned, and what else its agents are told of it. */
export const assignmentIn = (state: AnyRun, id: string): Assignment => {
  const assignment = assignmentOf(state, task(state, id))
  if (assignment === null) throw new Error("It is no task that agents come for.")
  return assignment
}
