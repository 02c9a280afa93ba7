import { assert, describe, it } from "@effect/vitest"
import {
  composePlugins,
  conditions,
  definePlugin,
  NoFields,
  type Plugin,
  PluginFault,
  type PluginParts,
  plugin,
  Run,
  RunStarted,
  StartRun,
  Tasks
} from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { Effect, Schema } from "effect"

/** A plugin with one part of every kind that has a name. */
const parted = (name: string, what: "event" | "command" | "point" | "activity" | "operation"): Plugin => {
  const Header = plugin(name, { state: null })
  const schema = Schema.Struct({ text: Schema.String })
  switch (what) {
    case "event":
      return definePlugin(Header, {
        version: "1",
        events: [Header.event("SAID", { schema, visibility: "full", sentence: ({ text }) => text })]
      })
    case "command":
      return definePlugin(Header, {
        version: "1",
        commands: [Header.command("Say", { schema, decide: () => [], recall: "follows" })]
      })
    case "point":
      return definePlugin(Header, {
        version: "1",
        points: [Header.point<object>()("said", { places: ["only"], fields: {} })]
      })
    case "activity":
      return definePlugin(Header, {
        version: "1",
        parts: [Header.activity("say", { input: schema, run: () => Effect.succeed(null) })]
      })
    case "operation":
      return definePlugin(Header, {
        version: "1",
        parts: [
          Header.operation("say", {
            title: "Say",
            description: "Says it.",
            args: schema,
            answer: schema,
            readOnly: true,
            run: (args) => Effect.succeed(args)
          })
        ]
      })
  }
}

/** The fault that something ends with. */
const faultOf = (run: () => unknown): PluginFault => {
  try {
    run()
  } catch (error) {
    if (error instanceof PluginFault) return error
    throw error
  }
  throw new Error("Nothing was wrong.")
}

describe("putting plugins together", () => {
  for (const [what, message] of [
    ["event", "Event type SAID is claimed by two plugins: a and b."],
    ["command", "Command Say is claimed by two plugins: a and b."],
    ["activity", "Activity say is claimed by two plugins: a and b."],
    ["operation", "Operation say is claimed by two plugins: a and b."]
  ] as const) {
    it(`is refused when two claim the same ${what}`, () => {
      const [a, b] = [parted("a", what), parted("b", what)]
      const fault = faultOf(() => composePlugins([a, b]))
      assert.deepStrictEqual([fault.plugin, fault.problem], ["b", message])
      composePlugins([a])
      composePlugins([b])
    })
  }

  it("is refused when one declares something twice, and by nobody else", () => {
    const Twice = plugin("twice", { state: null })
    const says = () => Twice.activity("say", { input: NoFields, run: () => Effect.succeed(null) })
    const twice = definePlugin(Twice, { version: "1", parts: [says(), says()] })
    const fault = faultOf(() => composePlugins([twice]))
    assert.deepStrictEqual([fault.plugin, fault.problem], ["twice", "Activity say is declared twice."])
  })

  it("is refused when two have the same name", () => {
    const fault = faultOf(() => composePlugins([parted("a", "event"), parted("a", "command")]))
    assert.include(fault.message, "Two plugins have the name a.")
  })

  it("is refused when one takes the name, an event or a command of a module of the kernel", () => {
    assert.include(
      faultOf(() => composePlugins([parted("tasks", "event")])).message,
      "Two plugins have the name tasks."
    )
    const Thief = plugin("thief", { state: null })
    const event = Thief.event("RUN_STARTED", { schema: NoFields, visibility: "full", sentence: () => "" })
    const command = Thief.command("FinishRun", { schema: NoFields, decide: () => [], recall: "follows" })
    for (const parts of [{ events: [event] }, { commands: [command] }]) {
      assert.include(
        faultOf(() => composePlugins([definePlugin(Thief, { version: "1", ...parts })])).message,
        "is claimed by two plugins: run and thief"
      )
    }
  })

  it("is refused when plugins come after each other, or after one that is not there", () => {
    const First = plugin("first", { state: null })
    const Second = plugin("second", { state: null, after: [First] })
    const Circle = plugin("first", { state: null, after: [Second] })
    const [first, second] = [definePlugin(Circle, { version: "1" }), definePlugin(Second, { version: "1" })]
    assert.include(faultOf(() => composePlugins([first, second])).message, "list each other in `after`: first, second")
    const alone = faultOf(() => composePlugins([second]))
    assert.deepStrictEqual([alone.plugin, alone.problem], ["second", "It comes after first, which is not there."])
  })

  it("puts every plugin behind those it comes after, and leaves the others as they are given", () => {
    const First = plugin("first", { state: null })
    const Second = plugin("second", { state: null, after: [First] })
    const given = [
      definePlugin(Second, { version: "2" }),
      definePlugin(plugin("other", { state: null }), { version: "1" }),
      definePlugin(First, { version: "1" })
    ]
    assert.deepStrictEqual(composePlugins(given).versions.slice(3), [
      { name: "first", version: "1" },
      { name: "second", version: "2" },
      { name: "other", version: "1" }
    ])
  })

  describe("given a point that says what an offer may have", () => {
    interface Saying {
      readonly text: string
      readonly loud?: boolean
    }
    const Owner = plugin("owner", { state: null })
    const sayings = Owner.point<Saying>()("sayings", {
      places: ["only"],
      fields: { text: "string", loud: "boolean?" },
      key: "text"
    })
    const owner = definePlugin(Owner, { version: "1", points: [sayings] })
    /** A plugin that offers this, whatever its types say. */
    const offering = (name: string, offered: object): Plugin => {
      const Other = plugin(name, { state: null, after: [Owner] })
      return definePlugin(Other, { version: "1", parts: [Other.offer(sayings, "only", offered as Saying)] })
    }

    it.each([
      [{ text: "hi", lud: true }, 'offer "hi" to owner.sayings has no field `lud`: did you mean `loud`?'],
      [{ text: "hi", other: 1 }, 'offer "hi" to owner.sayings has no field `other`. It knows text, loud.'],
      [{ loud: true }, "offer to owner.sayings needs `text` to be string, not undefined."],
      [{ text: "hi", loud: 1 }, 'offer "hi" to owner.sayings needs `loud` to be boolean, not number.'],
      [[], "offer to owner.sayings needs `text` to be string, not undefined."]
    ])("when an offer is %j, then it is refused with plugin, point and field", (offered, problem) => {
      const fault = faultOf(() => composePlugins([owner, offering("other", offered)]))
      assert.deepStrictEqual([fault.plugin, fault.code], ["other", "offer_invalid"])
      assert.include(fault.problem, problem)
    })

    it("when two plugins offer the same, then it is refused with the names of both", () => {
      const two = [owner, offering("other", { text: "hi" }), offering("third", { text: "hi" })]
      const fault = faultOf(() => composePlugins(two))
      assert.deepStrictEqual(
        [fault.plugin, fault.problem],
        ["third", "owner.sayings: text hi is claimed by two plugins: other and third."]
      )
    })

    it("when the offers differ, then all are there", () => {
      const given = [owner, offering("other", { text: "hi" }), offering("third", { text: "ho", loud: true })]
      const { state } = composePlugins(given).initial
      assert.deepStrictEqual(
        sayings(state).map(({ by, text }) => [by, text]),
        [
          ["other", "hi"],
          ["third", "ho"]
        ]
      )
    })
  })

  it("is refused when a part is about an event, a command or a point that no plugin lists", () => {
    const Owner = plugin("owner", { state: null })
    const Said = Owner.event("SAID", { schema: NoFields, visibility: "full", sentence: () => "" })
    const Say = Owner.command("Say", { schema: NoFields, decide: () => [], recall: { from: [Said], args: () => ({}) } })
    const sayings = Owner.point<{ readonly text: string }>()("sayings", {
      places: ["only"],
      fields: { text: "string" }
    })
    const owner = definePlugin(Owner, { version: "1" })
    const Other = plugin("other", { state: null, after: [Owner] })
    for (const [part, message] of [
      [Other.follow(Said, (own) => own), "Event type SAID is used, but no plugin lists it."],
      [Other.react([Said], () => []), "Event type SAID is used, but no plugin lists it."],
      [Other.guard(Say, () => null), "Command Say is used, but no plugin lists it."],
      [Other.offer(sayings, "only", { text: "hi" }), "Point owner.sayings is used, but no plugin lists it."]
    ] as const) {
      const fault = faultOf(() => composePlugins([owner, definePlugin(Other, { version: "1", parts: [part] })]))
      assert.deepStrictEqual([fault.plugin, fault.problem], ["other", message])
    }
    const forgetful = definePlugin(Owner, { version: "1", commands: [Say] })
    assert.include(
      faultOf(() => composePlugins([forgetful])).message,
      "Event type SAID is used, but no plugin lists it."
    )
  })
})

describe("a mistake in a hook", () => {
  const Broken = plugin("broken", { state: 0, after: [Run, Tasks] })
  const composed = (parts: PluginParts<"broken">) => given([], [definePlugin(Broken, parts)])
  const boom = (): never => {
    throw new Error("boom")
  }

  it("names the plugin, the hook and what it was called for", () => {
    const Happened = Broken.event("HAPPENED", {
      schema: NoFields,
      visibility: "full",
      evolve: boom,
      sentence: () => "It happened."
    })
    const Happen = Broken.command("broken.Do", { schema: NoFields, decide: () => [Happened({})], recall: "follows" })
    const Decide = Broken.command("broken.Decide", { schema: NoFields, decide: boom, recall: "follows" })
    for (const [parts, tag, where] of [
      [{ parts: [Broken.follow(RunStarted, boom)] }, "StartRun", "evolve on RUN_STARTED"],
      [{ parts: [Broken.react([RunStarted], boom)] }, "StartRun", "react on RUN_STARTED"],
      [{ parts: [Broken.guard(StartRun, boom)] }, "StartRun", "guard of StartRun"],
      [{ events: [Happened], commands: [Happen] }, "broken.Do", "evolve on HAPPENED"],
      [{ commands: [Decide] }, "broken.Decide", "decide of broken.Decide"]
    ] as const) {
      const run = composed({ version: "1", ...parts })
      const fault = faultOf(() => run.when(tag === "StartRun" ? aRun([aTask("a")]) : { _tag: tag }))
      assert.deepStrictEqual([fault.plugin, fault.where, fault.problem], ["broken", where, "boom"])
      assert.strictEqual(fault.message, `Plugin broken, ${where}: boom`)
    }
  })

  it("that breaks an offer names the plugin that offered, not the one that asked", () => {
    const part = Broken.offer(conditions, "condition", { name: "boom", unmet: boom })
    const run = composed({ version: "1", parts: [part] })
      .after(aRun([aTask("a")]), { _tag: "StartAttempt", ...started })
      .after({ _tag: "EndAttempt", ...ended })
    const verify = { _tag: "RecordVerification", task_id: "a", attempt: 1, checks: [passed] }
    const fault = faultOf(() => run.when(verify))
    assert.deepStrictEqual([fault.plugin, fault.where], ["broken", "unmet of boom"])
  })

  it("that reads a slice it does not list says so, with the name of the plugin", () => {
    const Nosy = plugin("nosy", { state: null, after: [Run] })
    const look = (state: object): ReadonlyArray<never> => ((state as { readonly tasks?: object }).tasks ? [] : [])
    const nosy = definePlugin(Nosy, { version: "1", parts: [Nosy.react([RunStarted], (_, state) => look(state))] })
    const fault = faultOf(() => given([], [nosy]).when(aRun([aTask("a")])))
    assert.strictEqual(fault.plugin, "nosy")
    assert.include(fault.problem, "reads the slice of tasks without listing tasks in `after`")
  })

  it("that answers neither events nor a rejection is told by name", () => {
    const Vague = Broken.command("broken.Vague", {
      schema: NoFields,
      decide: () => "done" as never,
      recall: "follows"
    })
    const fault = faultOf(() => composed({ version: "1", commands: [Vague] }).when({ _tag: "broken.Vague" }))
    assert.include(fault.message, 'decide of broken.Vague: It answered "done", neither events nor a rejection.')
  })
})

const started = {
  task_id: "a",
  attempt: 1,
  agent: "command",
  worker_id: "w",
  item_id: "i",
  lease: 1,
  prompt: { sha256: "0".repeat(64), bytes: 0 }
}
const ended = {
  task_id: "a",
  attempt: 1,
  outcome: "COMPLETE",
  exit_code: 0,
  signal: null,
  duration_ms: 1,
  error: null,
  output: null,
  report: null,
  files_modified: null
}
const passed = {
  command: "true",
  item_index: null,
  exit_code: 0,
  signal: null,
  timed_out: false,
  duration_ms: 1,
  output: null,
  output_tail: "",
  ablation: null
}

describe("a plugin in plain JavaScript", () => {
  // without types nobody else says that a field is misspelt
  const untyped = plugin("plain", { state: null }) as unknown as Record<string, (...args: Array<unknown>) => unknown>
  const define = definePlugin as unknown as (header: unknown, parts: unknown) => unknown
  const make = plugin as unknown as (name: unknown, options: unknown) => unknown
  const schema = Schema.Struct({})

  const mistakes: ReadonlyArray<readonly [string, () => unknown, string]> = [
    ["a field of the plugin", () => define(untyped, { version: "1", event: [] }), "did you mean `events`?"],
    ["a field of the header", () => make("plain", { state: null, afters: [] }), "did you mean `after`?"],
    ["no slice", () => make("plain", {}), "needs `state`"],
    ["no version", () => define(untyped, {}), "needs `version` to be string"],
    [
      "a field of an event",
      () => untyped["event"]?.("X", { schema, visibility: "full", sentences: () => "" }),
      "did you mean `sentence`?"
    ],
    [
      "a visibility that is none",
      () => untyped["event"]?.("X", { schema, visibility: "all", sentence: () => "" }),
      "`visibility` to be summary or full"
    ],
    [
      "an upcaster that is none",
      () => untyped["event"]?.("X", { schema, visibility: "full", sentence: () => "", upcasters: [5] }),
      "needs each of `upcasters` to be a function, not 5"
    ],
    [
      "the name of an event",
      () => untyped["event"]?.("happened", { schema, visibility: "full", sentence: () => "" }),
      "needs a name like TASK_COMPLETED"
    ],
    [
      "a field of a command",
      () => untyped["command"]?.("plain.Do", { schema, decides: () => [], recall: "follows" }),
      "did you mean `decide`?"
    ],
    [
      "the prefix of a command",
      () => untyped["command"]?.("other.Do", { schema, decide: () => [], recall: "follows" }),
      "needs a name like RecordAnswer or plain.RecordAnswer"
    ],
    ["a field of an activity", () => untyped["activity"]?.("go", { inputs: schema, run: () => null }), "`input`?"],
    [
      "a schema that is none",
      () => untyped["activity"]?.("go", { input: { text: "string" }, run: () => null }),
      "needs `input` to be schema, not object"
    ],
    [
      "a place of a point",
      () => untyped["offer"]?.(conditions, "first", {}),
      "names the place `first`; there are condition"
    ],
    [
      "a part that nobody made",
      () => define(untyped, { version: "1", parts: [{}] }),
      "holds something that no header made"
    ],
    ["a header that nobody made", () => define({}, { version: "1" }), "begins with the header that plugin() makes"],
    [
      "parts of another plugin",
      () => define(untyped, { version: "1", events: [RunStarted] }),
      "definePlugin() events holds something of run"
    ]
  ]
  for (const [what, run, message] of mistakes) {
    it(`is refused for ${what}`, () => {
      assert.include(faultOf(run).message, message)
    })
  }

  it("is refused for a name that cannot be a prefix", () => {
    for (const name of ["", "A", "1a", "a.b", "a b", "a_b"]) {
      assert.include(faultOf(() => make(name, { state: null })).message, "is none")
    }
  })
})
