import {
  type AssignmentStatus,
  type CheckRun,
  type CommandOf,
  composePlugins,
  type EventOf,
  type Failure,
  type KernelEvent,
  type Plugin,
  type ReportedItem,
  type RunConfig,
  type StartTasks
} from "@proofline/kernel"
import { aRun } from "@proofline/kernel/testing"
import type { WriteTarget } from "@proofline/plugins/ports"
import {
  type AnswerPhase,
  type AnyRun,
  type Assignment,
  assignmentOf,
  assignmentStatusOf,
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
import { isEndAwaited } from "../../../../packages/plugins/src/policies/sessions/rules/phase.ts"
import { sessionsRules } from "../../../../packages/plugins/src/policies/sessions/rules/plugin.ts"
import { judge } from "../../../kernel/support/judge.ts"
import { Played } from "../../../kernel/support/play.ts"
import { check, done, evidence, revisited, task } from "../../../kernel/support/words.ts"

// ---- contracts

/** A phase that asks for nothing; give what the test is about. */
export const aPhase = (over: Partial<Phase> = {}): Phase => ({ ...emptyPhase, instruction: "Go on.", ...over })

export const to = (name: string, over: Omit<Transition, "to"> = {}): Transition => ({ to: name, ...over })

/** The way of the built-in contract: look, plan, do, close, verify; a person is asked when it fails too often. */
export const phases = {
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
  STOPPED: aPhase({ kind: "stop" })
} satisfies Readonly<Record<string, Phase>>

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
  ...aRun([], config),
  kind: "session",
  pull: aSetup(setup)
})

// ---- what agents and people ask for

/** The session of an agent that has one. */
const sessionId = (agent: string): string => `ses_${agent}`

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

// ---- an agent, and what it may ask for

/** The items of a report, and what else it says. */
type ReportOf = [items?: ReadonlyArray<string | ReportedItem> | null, over?: Readonly<Record<string, unknown>>]

const commandsOf = (name: string) => {
  const sets = (status: AssignmentStatus, reason: string) => (id: string) => updates(name, id, status, reason)
  return {
    opens: (over: Parameters<typeof opens>[1] = {}) => opens(name, over),
    closes: (reason = "closed") => closes(name, reason),
    asks: () => asks(name),
    fetches: () => asks(name, "get_my_task"),
    submits: (payload: unknown) => submits(name, payload),
    explores: (...explored_files: ReadonlyArray<string>) => submits(name, { explored_files, findings: ["x"] }),
    plans: (...tasks: ReadonlyArray<string | PlannedTask>) => submits(name, aPlan(...tasks)),
    completes: (id: string, ...about: ReportOf) => completes(name, id, ...about),
    creates: (...tasks: ReadonlyArray<string | NewTask>) =>
      creates(name, ...tasks.map((task) => (typeof task === "string" ? aNewTask(task) : task))),
    sets: (id: string, status: AssignmentStatus, reason = "") => updates(name, id, status, reason),
    starts: sets("in_progress", ""),
    /** Calls it done, by word. */
    finishes: sets("done", ""),
    putsOff: sets("backlog", ""),
    blocks: sets("blocked", "no access"),
    cancels: sets("cancelled", because),
    reports: (result: CommandOf<typeof ReportCompleted>["result"] = "success") => reports(name, result),
    /** Asks whether it may write to this file. */
    checks: (path: string | null, kind?: WriteTarget["kind"], allow_new_files?: boolean) =>
      checksTarget(name, path, kind, allow_new_files)
  }
}

export const alice = commandsOf("alice")
export const bob = commandsOf("bob")
export const carol = commandsOf("carol")

/** A part of a task. */
export const aPart = (title: string, parent_task_id: string, over: Partial<NewTask> = {}): NewTask =>
  aNewTask(title, { parent_task_id, ...over })

// ---- playing

/** A session run that is played by the rules alone, and what came of the last command. */
export class Play extends Played<SessionEvent> {
  override get state(): AnyRun {
    return runIn(this.snapshot)
  }

  /** Also a payload that is refused throws. */
  protected override taken(): this {
    if (this.failures.length > 0) throw new Error(JSON.stringify(this.failures))
    return super.taken()
  }

  // -- the way of the built-in contract

  explores(): Play {
    return this.after(alice.submits(explored))
  }

  /** Alice has explored and planned these tasks. */
  working(...tasks: ReadonlyArray<string | PlannedTask>): Play {
    return this.explores().after(alice.plans(...tasks))
  }

  /** Alice has begun it and called it done. */
  byWord(id: string): Play {
    return this.after(alice.starts(id), alice.finishes(id))
  }

  /** Each of these is reported with all its items, and every one of them is shown. */
  proven(...ids: ReadonlyArray<string>): Play {
    return ids.reduce<Play>((play, id) => play.provenBy("alice", id), this)
  }

  provenBy(agent: string, id: string): Play {
    const items = this.task(id).spec.checklist.map(({ item }) => item)
    const reported = this.after(completes(agent, id, items))
    const { attempts } = reported.task(id)
    return items.length === 0 ? reported : reported.after(evidence(id, attempts, ...items.keys()))
  }

  /** The phase of the tasks is over; the whole is to be handed in next. */
  summed(): Play {
    return this.after(alice.submits({ summary: "All is done." }))
  }

  /** Everything is handed in; the commands of the whole run next. */
  handedIn(): Play {
    return this.summed().after(alice.submits({}))
  }

  /** How the commands of the phase that was handed in last end: with this exit code, or as this says. */
  ends(...runs: ReadonlyArray<number | Partial<CheckRun>>): CommandOf<typeof RecordPhaseChecks> {
    const { phase, submissions } = this.phases
    const checks = runs.map((run) => (typeof run === "number" ? check(run) : check(0, run)))
    return { _tag: "RecordPhaseChecks", phase, submission: submissions, checks }
  }

  /** The command of the phase passes, and what was accepted holds at the end. */
  passed(): Play {
    return this.after(this.ends(0)).settled()
  }

  /** Where the run would end, what was accepted is judged again, and holds. */
  settled(): Play {
    return isEndAwaited(this.state) ? this.after(revisited(this.state.tasks.revisits.count)) : this
  }

  /** Alice says that this is all. */
  left(): Play {
    return this.after(alice.reports("failed")).settled()
  }

  /** Everything is handed in, and the command of the whole fails. */
  failing(): Play {
    const handed = this.handedIn()
    return handed.after(handed.ends(1))
  }

  // -- what came of the last command

  /** Why the command was refused, and what is open because of which. */
  get refusal(): readonly [string | undefined, ReadonlyArray<string> | undefined] {
    return [this.rejected?.code, this.rejected?.open]
  }

  /** It was not refused, and nothing happened. */
  get isNothing(): boolean {
    return this.rejected === null && this.events.length === 0
  }

  /** What a payload was refused for. */
  get failures(): ReadonlyArray<Failure> {
    return this.contents("PHASE_REJECTED").flatMap(({ failures }) => failures)
  }

  get keys(): ReadonlyArray<string> {
    return this.failures.map(({ key }) => key)
  }

  get warnings(): ReadonlyArray<string> {
    return this.contents("PHASE_SUBMITTED").flatMap(({ warnings }) => warnings.map(({ code }) => code))
  }

  // -- how it stands

  get phases(): PhasesState {
    const { phases } = this.state.sessions
    if (phases === null) throw new Error("It is no session run.")
    return phases
  }

  get phase(): string {
    return this.phases.phase
  }

  /** To whom a task is assigned, and what else its agents are told of it. */
  assignment(id: string): Assignment {
    return assignmentIn(this.state, id)
  }

  /** What agents are told of how tasks stand. */
  told(...ids: ReadonlyArray<string>): ReadonlyArray<AssignmentStatus> {
    return ids.map((id) => assignmentStatusOf(this.task(id)))
  }

  session(agent = "alice"): SessionState {
    const found = this.phases.sessions.find((session) => session.agent === agent)
    if (found === undefined) throw new Error(`${agent} has no session.`)
    return found
  }

  /** What an agent is to do now. */
  next(agent = "alice"): NextAction {
    return nextActionOf(this.state, this.session(agent))
  }

  /** What an agent is to do now, and about which task: `work a`. */
  action(agent = "alice"): string {
    const { action, task_id } = this.next(agent)
    return task_id === null ? action : `${action} ${task_id}`
  }
}

/** A session run that has begun, with a session of alice. */
export const aPlay = (
  setup: Partial<SessionRunSetup> = {},
  plugins: ReadonlyArray<Plugin> = [judge],
  start: Partial<StartTasks> = {}
): Play => {
  const composition = composePlugins([sessionsRules, ...plugins])
  return new Play(composition).after({ ...aSessionRun(setup), ...start }, alice.opens())
}

/** The same with a contract that differs in these phases and keys. */
export const withContract = (
  changed: Readonly<Record<string, Phase>>,
  over: Partial<PhaseContract> = {},
  setup: Partial<SessionRunSetup> = {}
): Play => aPlay({ contract: aContract({ ...over, phases: { ...phases, ...changed } }), ...setup })

/** The same where files have to be asked for before they are written. */
export const asking = (...explored_files: ReadonlyArray<string>): Play =>
  withContract({}, { write_targets: { existing: "explored", fresh: "explored", required: true } }).after(
    alice.explores(...explored_files)
  )

/** Alice has explored and plans next. */
export const planning = (): Play => aPlay().explores()

/** Alice has planned these tasks and works on them. */
export const working = (...tasks: ReadonlyArray<string | PlannedTask>): Play => aPlay().working(...tasks)

/** An event of the kernel, or of session runs. */
export type SessionEvent = KernelEvent | EventOf<(typeof sessionEvents)[number]>

export const assignmentIn = (state: AnyRun, id: string): Assignment => {
  const assignment = assignmentOf(state, task(state, id))
  if (assignment === null) throw new Error("It is no task that agents come for.")
  return assignment
}
