import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { composePlugins } from "@proofline/kernel"
import {
  type ActivityContext,
  ActivityFailed,
  type ActivityFailure,
  AgentCalled,
  Aggregation,
  Analysis,
  type AnalysisRequest,
  type Analyzer,
  type AnyEvent,
  type Asking,
  AttemptCancelled,
  AttemptEnded,
  AttemptStarted,
  type AttemptState,
  activityWork,
  agentUnavailable,
  askAgent,
  awaitsBase,
  BaseChecked,
  type Batch,
  BlobRef,
  baseCheckOf,
  baseWork,
  breakerOf,
  type Cancel,
  CancelRun,
  ChecklistReported,
  Chunking,
  type ChunkState,
  type CommandOf,
  type ConditionSig,
  candidatesFor,
  checkBudget,
  childrenOf,
  chunkOf,
  completed,
  conditions,
  configurable,
  type Decision,
  defaultRunConfig,
  defineAnalyzer,
  definePlugin,
  dependentsOf,
  EndAttempt,
  type EventOf,
  EvidenceChecked,
  type Fact,
  FinishRun,
  failed,
  GateRefused,
  type GateSig,
  type GateVerdict,
  gates,
  type Intent,
  ItemAccepted,
  ItemRejected,
  type ItemState,
  isDone,
  isOver,
  type Json,
  type KindSig,
  kinds,
  type LanguageRules,
  LogUnavailable,
  NoFields,
  nextFor,
  notes,
  open,
  type Patch,
  type Plugin,
  PluginFault,
  parentOf,
  passed,
  plannerOf,
  plugin,
  QualityJudgment,
  type ReadsOf,
  RecordActivity,
  RecordAggregation,
  RecordJudgment,
  RecordVerification,
  Rejection,
  type RejectionKind,
  type Request,
  ResumeRun,
  Run,
  RunCancelled,
  RunCompleted,
  type RunConfig,
  type RunEnd,
  RunFailed,
  type RunId,
  RunIncomplete,
  RunResumed,
  RunStarted,
  type RunState,
  recordCall,
  refused,
  registered,
  reject,
  rejectConflict,
  rejectForbidden,
  rejectUnknown,
  retries,
  type Start,
  StartAttempt,
  StartRun,
  type SubtaskState,
  shownBy,
  skipped,
  spentLimit,
  startableFor,
  started,
  subtaskStateOf,
  subtasksOf,
  TaskCompleted,
  TaskFailed,
  type TaskId,
  TaskRegistered,
  TaskSkipped,
  TaskSpec,
  TaskStarted,
  type TaskState,
  TaskStatusChanged,
  Tasks,
  taskOf,
  tasksOf,
  unproven,
  userCommandsBeside,
  VerificationRun,
  type View,
  type Worded,
  type WorkKey,
  waitingFor,
  withAskingBack,
  wordings
} from "@proofline/kernel/plugin"
import { Effect, Schema } from "effect"

// Everything that is public, used as an author of plugins uses it: whatever changes its shape does not compile here.

interface Watched {
  readonly seen: number
  readonly last: TaskId | null
}
const nothing: Watched = { seen: 0, last: null }
const Watch = plugin("watch", { state: nothing, after: [Run, Tasks, Chunking] })
type Reads = ReadsOf<typeof Watch>
const Named = Schema.Struct({ task_id: Schema.String })

const Noted = Watch.event("NOTED", {
  schema: Schema.Struct({ ...Named.fields, output: Schema.NullOr(BlobRef) }),
  visibility: "full",
  upcasters: [(content: Json, state: View<Reads>) => (state.watch.seen > 0 ? content : null)],
  evolve: ({ seen }, { task_id }) => ({ seen: seen + 1, last: task_id }),
  changes: ({ task_id }) => [started({ task_id })],
  sentence: ({ task_id }) => `${task_id} was noted.`
})
type Content = EventOf<typeof Noted>["content"]

const Note = Watch.command("watch.Note", {
  schema: Named,
  decide: ({ task_id }, state): Decision<"watch"> => {
    const task = taskOf(state, task_id)
    const fact: Fact<"watch"> = Noted({ task_id, output: null })
    return task === undefined || isOver(task) ? reject("note_late", "It is over.", "Name another task.") : [fact]
  },
  recall: { from: [Noted], args: (batch: Batch) => batch.first(Noted) satisfies Content | undefined }
})

// --- every event of the kernel may be followed, every change reacted to

const said = (...parts: ReadonlyArray<unknown>) => parts.length > 99
const folded = (own: Watched, content: object): Watched => (said(content) ? nothing : own)
const follows = [
  Watch.follow(RunStarted, (own, { kind, plugins }) => folded(own, [kind, plugins])),
  Watch.follow(RunResumed, (own, { reopened }) => folded(own, reopened)),
  Watch.follow(RunCompleted, (own, { completed: done, proven, total, waived }) =>
    folded(own, [done, proven, total, waived])
  ),
  Watch.follow(RunIncomplete, (own, { reason }) => folded(own, [reason])),
  Watch.follow(RunFailed, (own, { message, reason }) => folded(own, [message, reason])),
  Watch.follow(RunCancelled, (own, { reason }) => folded(own, [reason])),
  Watch.follow(ActivityFailed, (own, { awaited_by, code, message }) => folded(own, [awaited_by, code, message])),
  Watch.follow(AgentCalled, (own, { agent, role, usage }) => folded(own, [agent, role, usage])),
  Watch.follow(TaskRegistered, (own, { task_id, title }) => folded(own, [task_id, title])),
  Watch.follow(TaskStarted, (own, { task_id }) => folded(own, [task_id])),
  Watch.follow(TaskStatusChanged, (own, { from, reason, to }) => folded(own, [from, reason, to])),
  Watch.follow(TaskCompleted, (own, { proven, waived }) => folded(own, [proven, waived])),
  Watch.follow(TaskFailed, (own, { message, reason, verdict }) => folded(own, [message, reason, verdict])),
  Watch.follow(TaskSkipped, (own, { reason, waiting_for }) => folded(own, [reason, waiting_for])),
  Watch.follow(AttemptStarted, (own, { agent, attempt, worker_id }) => folded(own, [agent, attempt, worker_id])),
  Watch.follow(AttemptEnded, (own, { error, files_modified, outcome }) =>
    folded(own, [error, files_modified, outcome])
  ),
  Watch.follow(AttemptCancelled, (own, { reason }) => folded(own, [reason])),
  Watch.follow(ChecklistReported, (own, { checklist, problems, summary }) =>
    folded(own, [checklist, problems, summary])
  ),
  Watch.follow(EvidenceChecked, (own, { facts }) => folded(own, facts)),
  Watch.follow(ItemAccepted, (own, { evidence, index, receipt, verdict }) =>
    folded(own, [evidence, index, receipt, verdict])
  ),
  Watch.follow(ItemRejected, (own, { fields, key, message }) => folded(own, [fields, key, message])),
  Watch.follow(GateRefused, (own, { message, reason }) => folded(own, [message, reason])),
  Watch.follow(BaseChecked, (own, { checks }) => folded(own, checks)),
  Watch.follow(VerificationRun, (own, { checks, passed: isGreen }) => folded(own, [checks, isGreen])),
  Watch.follow(QualityJudgment, (own, { judgment, reviewer }) => folded(own, [judgment, reviewer]))
]

const reactions = [
  Watch.react([registered], ({ spec }, state): ReadonlyArray<Intent<"tasks" | "run">> => nextFor(state, spec.id)),
  // a command decides nothing before it is known how it ended at the base
  Watch.react(
    [BaseChecked],
    (_, state): ReadonlyArray<Start> =>
      awaitsBase(state) || baseCheckOf(state, "npm test")?.outcome === "red" ? [] : baseWork(state)
  ),
  Watch.react([completed, failed, skipped], ({ task_id }, state) => {
    const task = taskOf(state, task_id)
    const cancel: Cancel = { _tag: "Cancel", work: { key: `watch/${task_id}` satisfies WorkKey } }
    return task === undefined ? [cancel] : [activityWork(state, task, "watch.look") satisfies Start, FinishRun({})]
  })
]

// --- state, as it may be read

const read = (state: Reads, id: TaskId) => {
  const task: TaskState | undefined = taskOf(state, id)
  if (task === undefined || isDone(state, id)) return tasksOf(state).length
  const run: RunState = state.run
  const config: RunConfig = run.config
  const items: ReadonlyArray<ItemState> = task.items
  const attempt: AttemptState | null = task.current
  const chunk: ChunkState | null = chunkOf(state, task)
  const subtask: SubtaskState | null = subtaskStateOf(state, task)
  const others = [...childrenOf(state, task), ...subtasksOf(state, task), parentOf(state, task)]
  const waits = [...waitingFor(state, task), ...dependentsOf(state, id)]
  return [config.max_retries, items.length, attempt?.attempt, chunk?.stage, subtask?.index, others.length, waits.length]
}

// --- offers to every point

const gate: GateSig["survives"] = undefined
const offers = [
  Watch.offer(gates, "last", {
    name: "watched",
    verdict: ({ watch }, { spec }): GateVerdict => {
      if (watch.last === spec.id) return passed
      return watch.seen === 0 ? open : said() ? refused("late", "Too late.") : unproven("late", "Too late.")
    }
  }),
  Watch.offer(conditions, "condition", {
    name: "watched",
    unmet: ({ watch }): ReturnType<ConditionSig["unmet"]> => (watch.seen === 0 ? "Nobody looked." : null)
  }),
  Watch.offer(kinds, "kind", {
    name: "watch",
    hasBudget: false,
    begin: (): ReturnType<KindSig["begin"]> => Watch.tell([]),
    recall: () => ({}),
    counts: () => ({ completed: 0, failed: 0, skipped: 0, total: 0 }),
    ends: (): RunEnd | null => null,
    progress: () => ({})
  }),
  Watch.offer(notes, "note", { assignee: () => null, reason: () => "" }),
  Watch.offer(retries, "retry", { goesOn: () => null, config: () => null, reopensFrom: () => null }),
  Watch.offer(userCommandsBeside, "commands", { commands: ({ watch }) => (watch.last === null ? [] : ["npm test"]) }),
  Watch.offer(shownBy, "shown", { criteria: () => [], verdict: () => null }),
  Watch.offer(wordings, "wording", { word: (): Worded | null => null, before: () => null })
]

// --- the world

const look = Watch.activity("watch.look", {
  input: Named,
  run: Effect.fnUntraced(function* (
    { task_id },
    context: ActivityContext<Reads, "watch" | "run" | "tasks" | "chunking">
  ) {
    const asking: Asking = context
    yield* checkBudget(asking)
    const agent = startableFor(
      context.state,
      candidatesFor(context.state.run.config, plannerOf(context.state.run.config))[0] ?? "claude"
    )
    if (spentLimit(context.state) !== null || breakerOf(context.state, agent) !== undefined) return null
    yield* recordCall(asking, { agent, role: "watch", task_id, attempt: 1, usage: null })
    if (task_id === "") {
      return yield* Effect.fail<ActivityFailure>({ _tag: "ActivityFailure", code: "watch_blind", message: "Nothing." })
    }
    const request: Request<"watch"> = Note({ task_id })
    return request
  })
})

const list = Watch.operation("list_watched", {
  title: "Watched",
  description: "What is watched.",
  args: NoFields,
  answer: Schema.Struct({ seen: Schema.Int }),
  readOnly: true,
  run: (_, { state }) => Effect.succeed({ seen: state.watch.seen })
})

const requests = (id: TaskId, run: RunId) => {
  const resume: CommandOf<typeof ResumeRun> = ResumeRun({ driver: null, config: null })
  const tags: ReadonlyArray<
    CommandOf<
      | typeof StartRun
      | typeof StartAttempt
      | typeof EndAttempt
      | typeof RecordActivity
      | typeof RecordAggregation
      | typeof RecordJudgment
      | typeof RecordVerification
    >["_tag"]
  > = [
    "StartRun",
    "StartAttempt",
    "EndAttempt",
    "RecordActivity",
    "RecordAggregation",
    "RecordJudgment",
    "RecordVerification"
  ]
  return [resume, CancelRun({ reason: `${id} of ${run}` }), ...tags]
}

const analyze: Analyzer = ({ prompt }: AnalysisRequest) =>
  Effect.succeed<typeof Analysis.Type>({
    is_decomposable: false,
    decomposition_reason: prompt,
    criteria: [],
    subtasks: []
  })

const patch: Patch = { pattern: "x", as: "y" }
const language: LanguageRules = { name: "x", extensions: [".x"], grammar: "x.wasm", query: "", patches: [patch] }

const watch: Plugin = definePlugin(Watch, {
  version: "1",
  events: [Noted],
  commands: [Note],
  parts: [...follows, ...reactions, ...offers, look, list],
  languages: [language]
})

it("everything that is public composes with the kernel", () => {
  const whole = defineAnalyzer("whole", "1", analyze)
  const { commands, initial } = composePlugins([watch, whole])
  for (const of of [StartRun, StartAttempt, EndAttempt, RecordActivity, RecordAggregation])
    assert.isTrue(commands.has(of.name))
  assert.strictEqual(initial.version, 0)
  assert.isArray(requests("a", "run_1"))
  for (const made of [read, gate ?? read, askAgent, withAskingBack, configurable, RecordJudgment, RecordVerification])
    assert.isFunction(made)
  for (const schema of [TaskSpec, Aggregation, Analysis, BlobRef]) assert.isTrue(Schema.isSchema(schema))
  assert.isAbove(defaultRunConfig.max_retries, 0)
})

it("what fails is told by classes of its own", () => {
  const event: AnyEvent = Noted({ task_id: "a", output: null })
  assert.strictEqual(event.type, "NOTED")
  const kinds: Array<RejectionKind | false> = ["invalid", "unknown", "conflict", "forbidden"]
  const rejections = [reject, rejectUnknown, rejectConflict, rejectForbidden].map((one) =>
    one("code", "Why.", "What next.")
  )
  assert.deepStrictEqual(
    rejections.map((one) => one instanceof Rejection && one.kind),
    kinds
  )
  assert.strictEqual(agentUnavailable, "agent_unavailable")
  assert.throws(() => plugin("No Name", { state: null }), PluginFault)
  assert.strictEqual(
    new LogUnavailable({ code: "log_failed", message: "Why.", hint: "What next." })._tag,
    "LogUnavailable"
  )
})

it("nothing is public that is not tried here and named in the docs", () => {
  const namesIn = (file: string, keyword: string) =>
    [
      ...readFileSync(new URL(file, import.meta.url), "utf8").matchAll(
        new RegExp(`${keyword}(?: type)? \\{([^}]*)\\}`, "g")
      )
    ]
      .flatMap(([, list = ""]) => list.split(","))
      .map((name) => name.trim().replace(/^type /, ""))
      .filter((name) => name !== "")
  const imported = new Set(namesIn("./surface.test.ts", "import"))
  const exported = namesIn("../../packages/kernel/src/plugin.ts", "export")
  assert.isAbove(exported.length, 100)
  assert.deepStrictEqual(
    exported.filter((name) => !imported.has(name)),
    []
  )
  const docs = readFileSync(new URL("../../docs/plugins.md", import.meta.url), "utf8")
  assert.deepStrictEqual(
    exported.filter((name) => !docs.includes(`\`${name}\``)),
    [],
    "not in the docs"
  )
})
