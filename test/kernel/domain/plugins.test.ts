import { assert, describe, it } from "@effect/vitest"
import {
  type AnyCommand,
  CompositionError,
  composePlugins,
  definePlugin,
  type EventDefinition,
  emptyPhase,
  initialState,
  makeManifest,
  type Plugin,
  type PluginCommand,
  reject
} from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { Effect, Result, Schema } from "effect"
import { judge } from "../support/judge.ts"
import { start, typesOf } from "../support/words.ts"

const plugin = (name: string, over: Partial<Plugin> = {}): Plugin => ({ name, version: "1", initial: null, ...over })
const decideNothing = () => Result.succeed([])
const definition = (type: string): EventDefinition => ({ type, visibility: "full", content: Schema.Json })

interface Note extends PluginCommand {
  readonly _tag: "notes.Write"
  readonly text: string
}

const write = (text: string): Note => ({ _tag: "notes.Write", text })

/** Keeps notes: a command, an event, a slice, a guard on the length. */
const notes = definePlugin<ReadonlyArray<string>>({
  name: "notes",
  version: "1",
  initial: [],
  commands: ["notes.Write"],
  events: [{ type: "NOTE_WRITTEN", visibility: "full", content: Schema.Struct({ text: Schema.String }) }],
  decide: (command, _, slice) => {
    const { text } = command as Note
    return slice.includes(text)
      ? Result.fail(reject("note_known", `“${text}” was written before.`, "Write another."))
      : Result.succeed([{ type: "NOTE_WRITTEN", content: { text } }])
  },
  evolve: (slice, event) =>
    event.type === "NOTE_WRITTEN" ? [...slice, (event.content as { readonly text: string }).text] : slice
})

describe("putting plugins together", () => {
  const clashes: ReadonlyArray<readonly [string, ReadonlyArray<Plugin>, string]> = [
    ["a name", [plugin("a"), plugin("a")], "Name a is claimed by two plugins: a and a."],
    [
      "a command",
      [
        plugin("a", { commands: ["x.Do"], decide: decideNothing }),
        plugin("b", { commands: ["x.Do"], decide: decideNothing })
      ],
      "Command x.Do is claimed by two plugins: a and b."
    ],
    [
      "an event type of the kernel",
      [plugin("a", { writes: ["EVIDENCE_CHECKED"] }), plugin("b", { writes: ["EVIDENCE_CHECKED"] })],
      "Event type EVIDENCE_CHECKED is claimed by two plugins: a and b."
    ],
    [
      "an event type of its own",
      [plugin("a", { events: [definition("X")] }), plugin("b", { events: [definition("X")] })],
      "Event type X is claimed by two plugins: a and b."
    ],
    [
      "an activity",
      [
        plugin("a", { activities: { go: () => Effect.succeed(null) } }),
        plugin("b", { activities: { go: () => Effect.succeed(null) } })
      ],
      "Activity go is claimed by two plugins: a and b."
    ]
  ]
  for (const [what, plugins, message] of clashes) {
    it(`is refused when two claim ${what}`, () => {
      assert.throws(() => composePlugins(plugins), CompositionError, message)
      for (const one of plugins) composePlugins([one])
    })
  }

  it("is refused for a name that cannot be a prefix", () => {
    for (const name of ["", "A", "1a", "a.b", "a b", "a_b"]) {
      assert.throws(() => composePlugins([plugin(name)]), CompositionError, "is not a plugin name")
    }
  })

  it("is refused when a plugin owns commands and decides none", () => {
    assert.throws(() => composePlugins([plugin("a", { commands: ["a.Do"] })]), CompositionError, "owns commands")
  })

  it("is refused when a plugin defines an event of the kernel anew", () => {
    assert.throws(() => makeManifest([definition("RUN_STARTED")]), "RUN_STARTED is defined twice")
    assert.throws(() => composePlugins([plugin("a", { events: [definition("RUN_STARTED")] })]), CompositionError)
  })

  it("records the versions in plugin order", () => {
    assert.deepStrictEqual(composePlugins([plugin("b", { version: "2" }), plugin("a")]).versions, [
      { name: "b", version: "2" },
      { name: "a", version: "1" }
    ])
  })
})

describe("a phase of a plugin", () => {
  const withPhase = (phase: unknown) => composePlugins([plugin("reviews", { phases: [phase as never] })])

  it("is whole, whatever it leaves out", () => {
    const [phase] = withPhase({
      name: "REVIEW",
      phase: { instruction: "Look.", transitions: [{ to: "DONE" }] },
      enters: [{ from: "PLAN" }]
    }).phases
    assert.deepStrictEqual(phase?.phase, { ...emptyPhase, instruction: "Look.", transitions: [{ to: "DONE" }] })
  })

  it("that cannot be one is refused, and the plugin and the field are named", () => {
    for (const [phase, named] of [
      [{ name: "REVIEW", phase: { transitions: [] }, enters: [] }, /plugin reviews \(REVIEW\).*instruction/],
      [{ name: "REVIEW", phase: { instruction: "x", kind: "look" }, enters: [] }, /plugin reviews \(REVIEW\).*kind/],
      [{ name: "REVIEW", phase: { instruction: "x" }, enters: "PLAN" }, /enters/],
      [{ phase: { instruction: "x" } }, /plugin reviews cannot be used: it has no name/],
      [null, /plugin reviews/]
    ] as const) {
      assert.throws(() => withPhase(phase), CompositionError, named)
    }
  })

  it("refuses a payload when its validator breaks: it has not found it in order", () => {
    const broken = withPhase({
      name: "REVIEW",
      phase: { instruction: "Look." },
      enters: [],
      validate: () => {
        throw new Error("no such field")
      }
    })
    const failures = broken.validators.get("REVIEW")?.({}, initialState)
    assert.deepStrictEqual(
      failures?.map(({ key }) => key),
      ["validator_broken"]
    )
    assert.include(failures?.[0]?.message, "Plugin reviews")
  })
})

describe("a guard", () => {
  const refusing = (name: string, code: string, tag: string): Plugin =>
    plugin(name, {
      guard: (command) => (command._tag === tag ? Result.fail(reject(code, "No.", "Stop.")) : Result.void)
    })
  const asked: Array<string> = []
  const agreeing = plugin("agreeing", {
    guard: (command) => {
      asked.push(command._tag)
      return Result.void
    }
  })

  it("refuses a command of the kernel, of another plugin, and of its own plugin", () => {
    const run = aRun([aTask("a")])
    assert.strictEqual(given([], [refusing("g", "no_run", "StartRun")]).when(run).rejected?.code, "no_run")
    const noted = given([], [notes, refusing("g", "no_note", "notes.Write")])
    assert.strictEqual(noted.when(write("hi")).rejected?.code, "no_note")
  })

  it("must agree with all others; the first in plugin order that does not is the one that speaks", () => {
    const both = [agreeing, refusing("one", "first", "StartRun"), refusing("two", "second", "StartRun")]
    assert.strictEqual(given([], both).when(aRun([aTask("a")])).rejected?.code, "first")
    assert.strictEqual(given([], both.toReversed()).when(aRun([aTask("a")])).rejected?.code, "second")
  })

  it("is not asked about what merely follows: refusing it would leave a run without an end", () => {
    asked.length = 0
    const run = aRun([aTask("a"), aTask("b", { depends_on: ["a"] })], { max_retries: 0 })
    const { events } = given([], [agreeing, refusing("g", "no", "FinishRun")])
      .after(run)
      .when(start("a"))
    assert.deepStrictEqual(typesOf(events), ["TASK_STARTED", "ATTEMPT_STARTED"])
    assert.deepStrictEqual(asked, ["StartRun", "StartAttempt"])
  })

  it("sees its plugin's slice", () => {
    const full: Plugin = {
      ...notes,
      guard: (_, __, slice) =>
        (slice as ReadonlyArray<string>).length < 2 ? Result.void : Result.fail(reject("full", "", ""))
    }
    const run = given([], [full]).after(write("one"), write("two"))
    assert.strictEqual(run.when(write("three")).rejected?.code, "full")
  })
})

describe("a plugin's own commands and events", () => {
  it("are decided on its slice and folded into it", () => {
    const run = given([], [judge, notes]).after(write("one"), write("two"))
    assert.deepStrictEqual(run.when(write("three")).step?.after.slices, [null, ["one", "two", "three"]])
    assert.strictEqual(run.when(write("one")).rejected?.code, "note_known")
  })

  it("are refused, not broken, when no plugin owns the command", () => {
    const { rejected } = given().when(write("x"))
    assert.strictEqual(rejected?.code, "command_unowned")
    assert.include(rejected?.message, "notes.Write")
  })

  it("are left out when a reaction asks for a command that nobody owns", () => {
    const eager = plugin("eager", {
      react: ({ type }) => (type === "RUN_STARTED" ? [{ _tag: "Dispatch", command: write("x") }] : [])
    })
    assert.deepStrictEqual(typesOf(given([], [eager]).when(aRun([aTask("a")])).events), [
      "RUN_STARTED",
      "TASK_REGISTERED"
    ])
  })

  it("cannot be written by another plugin, and those of the kernel by none that did not claim them", () => {
    const writing = (type: string): ReadonlyArray<Plugin> => [
      notes,
      plugin("thief", {
        commands: ["thief.Do"],
        decide: () =>
          Result.succeed([{ type, content: { text: "x", task_id: "a", attempts: 1, proven: 1, waived: 0 } }])
      })
    ]
    const steal: AnyCommand = { _tag: "thief.Do" }
    assert.throws(
      () => given([], writing("NOTE_WRITTEN")).when(steal),
      "Events of type NOTE_WRITTEN are written by plugin notes, not by plugin thief."
    )
    assert.throws(
      () => given([], writing("TASK_COMPLETED")).when(steal),
      "Events of type TASK_COMPLETED are written by the kernel, not by plugin thief."
    )
  })

  it("leave the kernel unable to write what a plugin claimed", () => {
    const claiming = plugin("greedy", { writes: ["TASK_REGISTERED"] })
    assert.throws(
      () => given([], [claiming]).when(aRun([aTask("a")])),
      "are written by plugin greedy, not by the kernel"
    )
  })
})

describe("reactions", () => {
  const reacting = (name: string, on: string, ...texts: ReadonlyArray<string>) =>
    plugin(name, {
      react: ({ type }) => (type === on ? texts.map((text) => ({ _tag: "Dispatch", command: write(text) })) : [])
    })

  it("all run, in plugin order, after the kernel's", () => {
    const plugins = [reacting("one", "TASK_REGISTERED", "1a", "1b"), notes, reacting("two", "TASK_REGISTERED", "2")]
    const { step } = given([], plugins).when(aRun([aTask("a")]))
    assert.deepStrictEqual(step?.after.slices[1], ["1a", "1b", "2"])
  })

  it("see the run as it is after the whole batch", () => {
    const seen: Array<number> = []
    const looking = plugin("looking", {
      react: ({ type }, state) => {
        if (type === "RUN_STARTED") seen.push(state.open_count)
        return []
      }
    })
    given([], [looking]).when(aRun([aTask("a"), aTask("b")]))
    assert.deepStrictEqual(seen, [2])
  })

  it("may lead to further reactions, all in one step", () => {
    const plugins = [notes, reacting("one", "RUN_STARTED", "first"), reacting("two", "NOTE_WRITTEN", "second")]
    const { events, step } = given([], plugins).when(aRun([aTask("a")]))
    assert.deepStrictEqual(step?.after.slices[0], ["first", "second"])
    assert.deepStrictEqual(typesOf(events), ["RUN_STARTED", "TASK_REGISTERED", "NOTE_WRITTEN", "NOTE_WRITTEN"])
  })

  it("that go round in a circle are a mistake and end with a sentence, not never", () => {
    const circling = plugin("circling", {
      commands: ["circling.Turn"],
      events: [definition("TURNED")],
      decide: () => Result.succeed([{ type: "TURNED", content: null }]),
      react: ({ type }) =>
        type === "TURNED" ? [{ _tag: "Dispatch", command: { _tag: "circling.Turn" } as PluginCommand }] : []
    })
    assert.throws(() => given([], [circling]).when({ _tag: "circling.Turn" }), "goes round in a circle")
  })

  it("order and take back work of the plugin's own", () => {
    const working = plugin("working", {
      react: ({ type }) =>
        type === "RUN_STARTED"
          ? [
              {
                _tag: "Start",
                key: "working/1",
                kind: "activity",
                activity: "w",
                task_id: null,
                input: 1,
                delay_ms: 5,
                priority: 0
              },
              { _tag: "Cancel", work: { key: "working/0" } }
            ]
          : []
    })
    const { step } = given([], [working]).when(aRun([aTask("a")]))
    assert.deepStrictEqual(
      step?.starts.map(({ key }) => key),
      ["attempt/a/1", "working/1"]
    )
    assert.deepStrictEqual(step?.cancels, [{ key: "working/0" }])
  })
})
