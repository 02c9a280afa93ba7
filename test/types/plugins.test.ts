import { assert, it } from "@effect/vitest"
import {
  AttemptStarted,
  Chunking,
  type CommandOf,
  completed,
  composePlugins,
  conditions,
  definePlugin,
  FinishRun,
  gates,
  type KernelEvent,
  open,
  passed,
  plugin,
  Run,
  reject,
  SettleAttempt,
  StartAttempt,
  StartChunking,
  SubtaskStart,
  TaskCompleted,
  TaskFailed,
  TaskStarted,
  Tasks,
  taskOf
} from "@proofline/kernel"
import { Context, Effect, Schema } from "effect"

// What authors of plugins may write: it compiles, and it composes.

interface Slice {
  readonly texts: ReadonlyArray<string>
}
const nothing: Slice = { texts: [] }

const Reminders = plugin("reminders", { state: nothing, after: [Run, Tasks] })
const Text = Schema.Struct({ text: Schema.String })

const Reminded = Reminders.event("REMINDED", {
  schema: Text,
  visibility: "summary",
  upcasters: [(content) => content],
  evolve: (own, { text }) => ({ texts: [...own.texts, text] }),
  sentence: ({ text }) => `Somebody was reminded: ${text}`
})

const Remind = Reminders.command("reminders.Remind", {
  schema: Text,
  decide: ({ text }, { reminders, run }) =>
    reminders.texts.includes(text) || run.status !== "running" ? [] : [Reminded({ text })],
  recall: { from: [Reminded], args: (batch) => batch.first(Reminded) }
})

const look = Reminders.activity("reminders.look", {
  input: Schema.Struct({ task_id: Schema.String }),
  run: Effect.fnUntraced(function* ({ task_id }, { dispatch, state }) {
    const task = taskOf(state, task_id)
    if (task === undefined) return null
    const after = yield* dispatch(FinishRun({}))
    if (after.run.status === "failed") {
      return yield* Effect.fail({ _tag: "ActivityFailure", code: "reminders_late", message: "Too late." } as const)
    }
    return Remind({ text: task.spec.title })
  })
})

const list = Reminders.operation("list_reminders", {
  title: "Reminders",
  description: "What somebody was reminded of.",
  args: Schema.Struct({}),
  answer: Schema.Struct({ texts: Schema.Array(Schema.String) }),
  readOnly: true,
  run: (_, { state }) => Effect.succeed({ texts: state.reminders.texts })
})

const reminders = definePlugin(Reminders, {
  version: "1",
  events: [Reminded],
  commands: [Remind],
  parts: [
    look,
    list,
    Reminders.follow(TaskFailed, (own, { message }) => ({ texts: [...own.texts, message] })),
    Reminders.guard(StartAttempt, ({ task_id }, state) =>
      state.reminders.texts.length > 9 ? reject("too_many", "Stop.", "Rest.", [task_id]) : null
    ),
    Reminders.react([TaskFailed, completed], ({ task_id }) => [SettleAttempt({ task_id }), FinishRun({})]),
    Reminders.offer(gates, "last", {
      name: "reminded",
      verdict: (state, task) => (state.reminders.texts.includes(task.spec.title) ? passed : open),
      wants: (_, task) => SettleAttempt({ task_id: task.spec.id })
    }),
    Reminders.offer(conditions, "condition", {
      name: "reminded",
      unmet: (state) => (state.reminders.texts.length === 0 ? "Nobody was reminded." : null)
    })
  ]
})

// And what they may not: every line below must be an error of the compiler, or this file does not compile.

const Mine = plugin("mine", { state: { seen: 0 }, after: [Tasks] })
const Happened = Mine.event("HAPPENED", {
  schema: Schema.Struct({ task_id: Schema.String, at: Schema.Int }),
  visibility: "full",
  evolve: (own, { at }) => ({ seen: own.seen + at }),
  sentence: ({ task_id }) => task_id
})
const schema = Schema.Struct({ task_id: Schema.String })
const gate = { name: "x", verdict: () => passed }

class Needed extends Context.Service<Needed, { readonly ask: () => string }>()("test/Needed") {}

const refusedReads = () => [
  Mine.command("A", {
    schema,
    // @ts-expect-error `run` is not listed in `after`
    decide: (_, state) => (state.run.status === "running" ? [] : []),
    recall: "follows"
  }),
  // @ts-expect-error a command of chunking, which is not listed in `after`
  Mine.react([TaskStarted], ({ task_id }) => [StartChunking({ task_id })]),
  // @ts-expect-error SUBTASK_START is of chunking, which is not listed in `after`
  Mine.follow(SubtaskStart, (own) => own),
  // @ts-expect-error nor are changes and commands of it
  Mine.guard(StartChunking, () => null),
  Mine.offer(gates, "last", {
    ...gate,
    // @ts-expect-error a gate wants what its plugin may ask for
    wants: () => StartChunking({ task_id: "a" })
  }),
  // @ts-expect-error what a plugin comes after is a header, not a name
  plugin("late", { state: null, after: ["tasks"] })
]

const refusedFacts = () => [
  Mine.command("B", {
    schema,
    // @ts-expect-error TASK_COMPLETED belongs to tasks
    decide: ({ task_id }) => [TaskCompleted({ task_id, attempts: 1, proven: 1, waived: 0 })],
    recall: "follows"
  }),
  // @ts-expect-error facts of another plugin are not told
  Mine.tell([TaskStarted({ task_id: "a" })]),
  // @ts-expect-error `at` is a number
  Happened({ task_id: "a", at: "now" }),
  // @ts-expect-error `when` is no field of it
  Happened({ task_id: "a", at: 1, when: 2 }),
  // @ts-expect-error content is missing
  Happened({ task_id: "a" }),
  // @ts-expect-error a command has its arguments
  StartAttempt({ task_id: "a" }),
  Mine.event("WRONG", {
    schema,
    visibility: "full",
    // @ts-expect-error `completed` wants a task_id and a verdict
    changes: () => [completed({ task: "a" })],
    sentence: () => ""
  }),
  Mine.event("DATED", {
    // @ts-expect-error a Date is no JSON
    schema: Schema.Struct({ at: Schema.Date }),
    visibility: "full",
    sentence: () => ""
  })
]

const refusedFolds = () => [
  // @ts-expect-error content of AttemptStarted has no `outcome`
  Mine.follow(AttemptStarted, (own, { outcome }) => ({ seen: own.seen + outcome })),
  // @ts-expect-error the slice has a number
  Mine.follow(AttemptStarted, () => ({ seen: "1" })),
  Reminders.follow(TaskFailed, (own) => {
    // @ts-expect-error what is true is never changed in place
    own.texts.push("more")
    return own
  }),
  Reminders.guard(StartAttempt, (_, { run }) => {
    // @ts-expect-error nor is the run's state
    run.status = "completed"
    return null
  })
]

const refusedDecisions = () => [
  // @ts-expect-error a decision is never a promise
  Mine.command("C", { schema, decide: async () => [], recall: "follows" }),
  // @ts-expect-error a decision is never an effect
  Mine.command("D", { schema, decide: () => Effect.succeed([]), recall: "follows" }),
  // @ts-expect-error a refusal is a Rejection with a code and a hint, never a text
  Mine.guard(StartAttempt, () => "no"),
  Mine.command("E", {
    schema,
    decide: () => [],
    // @ts-expect-error args are { task_id }, not what the event holds
    recall: { from: [Happened], args: (batch) => batch.first(Happened)?.at }
  }),
  // @ts-expect-error a command says how it is read back, or that it follows
  Mine.command("F", { schema, decide: () => [] }),
  // @ts-expect-error an intent is a request, a Start or a Cancel
  Mine.react([TaskStarted], () => [{ _tag: "Wish", text: "please" }])
]

interface Saying {
  readonly text: string
  readonly loud?: boolean
  readonly words: ReadonlyArray<string>
  say(): string
  answer?(to: string): string
}
const sayingFields = { text: "string", loud: "boolean?", words: "array", say: "function", answer: "function?" } as const
const { words: _words, ...withoutWords } = sayingFields

const refusedPoints = () => [
  Mine.point<Saying>()("sayings", { places: ["only"], fields: sayingFields, key: "text" }),
  // @ts-expect-error every field of an offer is named
  Mine.point<Saying>()("sayings", { places: ["only"], fields: withoutWords }),
  // @ts-expect-error `word` is none of them
  Mine.point<Saying>()("sayings", { places: ["only"], fields: { ...sayingFields, word: "string" } }),
  // @ts-expect-error `loud` may be left out
  Mine.point<Saying>()("sayings", { places: ["only"], fields: { ...sayingFields, loud: "boolean" } }),
  // @ts-expect-error `say` is a function
  Mine.point<Saying>()("sayings", { places: ["only"], fields: { ...sayingFields, say: "string" } }),
  // @ts-expect-error offers are found by a text
  Mine.point<Saying>()("sayings", { places: ["only"], fields: sayingFields, key: "words" })
]

const refusedOffers = () => [
  // @ts-expect-error there is no such place
  Mine.offer(gates, "first", gate),
  // @ts-expect-error a gate has a verdict
  Mine.offer(gates, "last", { name: "x" }),
  // @ts-expect-error events of another plugin cannot be listed
  definePlugin(Mine, { version: "1", events: [TaskStarted] }),
  // @ts-expect-error no such field
  definePlugin(Mine, { version: "1", event: [Happened] }),
  // @ts-expect-error a plugin has a version
  definePlugin(Mine, { events: [Happened] }),
  // @ts-expect-error a plugin begins with its header
  definePlugin({ name: "a" }, { version: "1" }),
  // @ts-expect-error a slice begins somewhere
  plugin("empty", {}),
  // @ts-expect-error parts of another plugin cannot be listed
  definePlugin(Mine, { version: "1", parts: [look] })
]

const refusedActivities = () => [
  // @ts-expect-error an activity answers with a request or with null
  Mine.activity("chatty", { input: schema, run: () => Effect.succeed("done") }),
  // @ts-expect-error an activity fails with what can be recorded
  Mine.activity("failing", { input: schema, run: () => Effect.fail(new Error("boom")) }),
  // @ts-expect-error an activity needs no services of its own: whoever makes it has given it everything
  Mine.activity("needy", { input: schema, run: () => Effect.as(Effect.service(Needed), null) }),
  // @ts-expect-error it is given what its schema says
  Mine.activity("wrong", { input: schema, run: ({ attempt }) => Effect.succeed(attempt === 1 ? null : null) })
]

const refusedValues = () => {
  // @ts-expect-error a command has its facts
  const bare: CommandOf<typeof StartAttempt> = { _tag: "StartAttempt", task_id: "a" }
  // @ts-expect-error an event of the kernel has its content
  const hollow: KernelEvent = { type: "TASK_SKIPPED", content: { task_id: "a" } }
  return [bare, hollow]
}

// What a plugin sees of others it lists, and of all of them: this must compile.
const Wide = plugin("wide", { state: null, after: [Run, Tasks, Chunking] })
const reads = () =>
  Wide.react([TaskStarted], (_, { chunking, run, tasks, wide }) =>
    [chunking.byId, run.status, tasks.open_count, wide].length > 9 ? [StartChunking({ task_id: "a" })] : []
  )

it("what is refused here is refused by the compiler", () => {
  for (const refused of [
    refusedReads,
    refusedFacts,
    refusedFolds,
    refusedDecisions,
    refusedPoints,
    refusedOffers,
    refusedActivities,
    refusedValues,
    reads
  ]) {
    assert.isFunction(refused)
  }
})

it("a plugin with everything in it composes", () => {
  const composition = composePlugins([reminders])
  assert.strictEqual(composition.commands.get("reminders.Remind")?.owner, "reminders")
  assert.strictEqual(composition.events.get("REMINDED")?.event.owner, "reminders")
  assert.isTrue(composition.activities.has("reminders.look"))
  assert.isTrue(composition.operations.has("list_reminders"))
})
