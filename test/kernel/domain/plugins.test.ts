import { assert, describe, it } from "@effect/vitest"
import {
  type CommandOf,
  definePlugin,
  FinishRun,
  NoFields,
  type Plugin,
  plugin,
  Run,
  RunStarted,
  reject,
  StartAttempt,
  StartRun,
  TaskCompleted,
  TaskRegistered,
  Tasks
} from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { Schema } from "effect"
import { judge } from "../support/judge.ts"
import { played } from "../support/play.ts"
import { refusing } from "../support/refusing.ts"
import { start, type stateOf } from "../support/words.ts"

const none: ReadonlyArray<string> = []
const Notes = plugin("notes", { state: none, after: [Run, Tasks] })
const Text = Schema.Struct({ text: Schema.String })
const NoteWritten = Notes.event("NOTE_WRITTEN", {
  schema: Text,
  visibility: "full",
  evolve: (own, { text }) => [...own, text],
  sentence: ({ text }) => text
})
const Write = Notes.command("notes.Write", {
  schema: Text,
  decide: ({ text }, state) =>
    state.notes.includes(text)
      ? reject("note_known", `“${text}” was written before.`, "Write another.")
      : [NoteWritten({ text })],
  recall: { from: [NoteWritten], args: (batch) => batch.first(NoteWritten) }
})
const write = (text: string): CommandOf<typeof Write> => ({ _tag: "notes.Write", text })

/** Keeps notes: a command, an event, a slice. */
const notesWith = (...parts: ReadonlyArray<ReturnType<typeof Notes.react>>): Plugin =>
  definePlugin(Notes, { version: "1", events: [NoteWritten], commands: [Write], parts })
const notes = notesWith()

/** What the plugin of this name keeps after a step. */
const notesIn = (after: Parameters<typeof stateOf>[0]): unknown => after?.state["notes"]

const asking = (name: "one" | "two", text: ReadonlyArray<string>, on: "registered" | "written"): Plugin => {
  const Asking = plugin(name, { state: null, after: [Tasks, Notes] })
  const source = on === "registered" ? TaskRegistered : NoteWritten
  return definePlugin(Asking, {
    version: "1",
    parts: [Asking.react([source], () => text.map((one) => Write({ text: one })))]
  })
}

describe("a guard", () => {
  it("refuses a command of the kernel, of another plugin, and of its own plugin", () => {
    const run = aRun([aTask("a")])
    const closed = refusing(StartRun, reject("no_run", "No.", "Stop."))
    assert.strictEqual(played(closed).when(run).code, "no_run")
    const Other = plugin("other", { state: null, after: [Notes] })
    const strict = definePlugin(Other, {
      version: "1",
      parts: [Other.guard(Write, () => reject("no_note", "No.", "Stop."))]
    })
    assert.strictEqual(played(notes, strict).when(write("hi")).code, "no_note")
    const own = notesWith(Notes.guard(Write, ({ text }) => (text === "" ? reject("empty", "No.", "Say more.") : null)))
    assert.strictEqual(played(own).when(write("")).code, "empty")
    assert.isNull(played(own).when(write("hi")).rejected)
  })

  it("must agree with all others; the first in plugin order that does not is the one that speaks", () => {
    const guarding = (name: "one" | "two") => {
      const Guarding = plugin(name, { state: null, after: [Run] })
      return definePlugin(Guarding, {
        version: "1",
        parts: [Guarding.guard(StartRun, () => reject(`by_${name}`, "No.", "Stop."))]
      })
    }
    const both = [guarding("one"), guarding("two")]
    assert.strictEqual(played(...both).when(aRun([aTask("a")])).code, "by_one")
    assert.strictEqual(played(...both.toReversed()).when(aRun([aTask("a")])).code, "by_two")
  })

  it("is not asked about what merely follows: refusing it would leave a run without an end", () => {
    const asked: Array<string> = []
    const Looking = plugin("looking", { state: null, after: [Run, Tasks] })
    const agrees = (name: string) => () => {
      asked.push(name)
      return null
    }
    const looking = definePlugin(Looking, {
      version: "1",
      parts: [
        Looking.guard(StartRun, agrees("StartRun")),
        Looking.guard(StartAttempt, agrees("StartAttempt")),
        Looking.guard(FinishRun, agrees("FinishRun"))
      ]
    })
    const run = aRun([aTask("a"), aTask("b", { depends_on: ["a"] })], { max_retries: 0 })
    const then = played(looking, refusing(FinishRun, reject("no", "No.", "Stop."))).after(run, start("a"))
    assert.deepStrictEqual(then.types, ["TASK_STARTED", "ATTEMPT_STARTED"])
    assert.deepStrictEqual(asked, ["StartRun", "StartAttempt"])
  })

  it("sees its plugin's slice", () => {
    const full = notesWith(Notes.guard(Write, (_, state) => (state.notes.length < 2 ? null : reject("full", "", ""))))
    const run = played(full).after(write("one"), write("two"))
    assert.strictEqual(run.when(write("three")).code, "full")
  })
})

describe("a plugin's own commands and events", () => {
  it("are decided on its slice and folded into it", () => {
    const run = played(judge, notes).after(write("one"), write("two"))
    assert.deepStrictEqual(notesIn(run.when(write("three")).step?.after), ["one", "two", "three"])
    assert.strictEqual(run.when(write("one")).code, "note_known")
  })

  it("are refused, not broken, when no plugin owns the command", () => {
    const then = played().when(write("x"))
    assert.strictEqual(then.code, "command_unowned")
    assert.include(then.rejected?.message, "notes.Write")
  })

  it("are refused when somebody sends what does not fit the schema of the command", () => {
    const then = played(notes).when({ _tag: "notes.Write", text: 1 })
    assert.strictEqual(then.code, "arguments_invalid")
    assert.include(then.rejected?.message, "text")
  })

  it("cannot be written by another plugin, and those of the kernel by none", () => {
    for (const [fact, message] of [
      [NoteWritten({ text: "x" }), "Events of type NOTE_WRITTEN are written by notes, not by thief."],
      [
        TaskCompleted({ task_id: "a", attempts: 1, proven: 1, waived: 0 }),
        "Events of type TASK_COMPLETED are written by tasks, not by thief."
      ]
    ] as const) {
      const Thief = plugin("thief", { state: null, after: [Notes] })
      const Steal = Thief.command("thief.Do", { schema: NoFields, decide: () => [fact as never], recall: "follows" })
      const thief = definePlugin(Thief, { version: "1", commands: [Steal] })
      assert.throws(() => played(notes, thief).when({ _tag: "thief.Do" }), message)
    }
  })
})

describe("reactions", () => {
  it("all run, in plugin order, after the kernel's", () => {
    const plugins = [asking("one", ["1a", "1b"], "registered"), notes, asking("two", ["2"], "registered")]
    const then = played(...plugins).when(aRun([aTask("a")]))
    assert.deepStrictEqual(notesIn(then.step?.after), ["1a", "1b", "2"])
  })

  it("see the run as it is after the whole batch", () => {
    const seen: Array<number> = []
    const Looking = plugin("looking", { state: null, after: [Run, Tasks] })
    const looking = definePlugin(Looking, {
      version: "1",
      parts: [
        Looking.react([RunStarted], (_, { tasks }) => {
          seen.push(tasks.open_count)
          return []
        })
      ]
    })
    played(looking).when(aRun([aTask("a"), aTask("b")]))
    assert.deepStrictEqual(seen, [2])
  })

  it("may lead to further reactions, all in one step", () => {
    const plugins = [notes, asking("one", ["first"], "registered"), asking("two", ["second"], "written")]
    const then = played(...plugins).when(aRun([aTask("a")]))
    assert.deepStrictEqual(notesIn(then.step?.after), ["first", "second"])
    assert.deepStrictEqual(then.types, ["RUN_STARTED", "TASK_REGISTERED", "NOTE_WRITTEN", "NOTE_WRITTEN"])
  })

  it("that go round in a circle are a mistake and end with a sentence, not never", () => {
    const Circling = plugin("circling", { state: null })
    const Turned = Circling.event("TURNED", { schema: NoFields, visibility: "full", sentence: () => "It turned." })
    const Turn = Circling.command("circling.Turn", { schema: NoFields, decide: () => [Turned({})], recall: "follows" })
    const circling = definePlugin(Circling, {
      version: "1",
      events: [Turned],
      commands: [Turn],
      parts: [Circling.react([Turned], () => [Turn({})])]
    })
    assert.throws(() => played(circling).when({ _tag: "circling.Turn" }), "goes round in a circle")
  })

  it("order and take back work of the plugin's own", () => {
    const Working = plugin("working", { state: null, after: [Run] })
    const working = definePlugin(Working, {
      version: "1",
      parts: [
        Working.react([RunStarted], () => [
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
        ])
      ]
    })
    const then = played(working).when(aRun([aTask("a")]))
    assert.deepStrictEqual(then.orders, ["attempt/a/1", "working/1"])
    assert.deepStrictEqual(then.cancels, [{ key: "working/0" }])
  })
})
