import { assert, describe, it } from "@effect/vitest"
import {
  type AnyCommand,
  AttemptEnded,
  completed,
  composePlugins,
  conditions,
  definePlugin,
  EndAttempt,
  emptySnapshot,
  FinishRun,
  gates,
  impl,
  kinds,
  makeFold,
  NoFields,
  nextFor,
  open,
  PluginFault,
  type PluginParts,
  passed,
  plugin,
  Run,
  RunStarted,
  refused,
  type Snapshot,
  StartAttempt,
  TaskStarted,
  Tasks,
  taskOf,
  tasksOf
} from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { Effect, Schema } from "effect"
import { end, start, stateOf, verified } from "../support/words.ts"

const Odd = plugin("odd", { state: 0, after: [Run, Tasks] })
const Happened = Odd.event("HAPPENED", { schema: NoFields, visibility: "full", sentence: () => "It happened." })
const Happen = Odd.command("odd.Happen", { schema: NoFields, decide: () => [Happened({})], recall: "follows" })
const Unlisted = Odd.command("odd.Strat", { schema: NoFields, decide: () => [], recall: "follows" })
const listed = { version: "1", events: [Happened], commands: [Happen] }

/** A hook that answers this, whatever its type says. */
const answering = (answer: unknown) => () => answer as never
const later = Promise.resolve(null)

const ran: ReadonlyArray<AnyCommand> = [aRun([aTask("a")]), start("a"), end("a"), verified("a")]
const happen: ReadonlyArray<AnyCommand> = [{ _tag: "odd.Happen" }]

const faultOf = (parts: Partial<PluginParts<"odd">>, commands: ReadonlyArray<AnyCommand>): PluginFault => {
  try {
    given([], [definePlugin(Odd, { ...listed, ...parts })]).after(...commands)
  } catch (error) {
    if (error instanceof PluginFault) return error
    throw error
  }
  throw new Error("Nothing was wrong.")
}

const Given = Odd.command("odd.Give", {
  schema: Schema.Struct({ task_id: Schema.String }),
  decide: () => [Happened({})],
  recall: "follows"
})
const deciding = (answer: unknown): Partial<PluginParts<"odd">> => ({
  commands: [Odd.command("odd.Happen", { schema: NoFields, decide: answering(answer), recall: "follows" })]
})
const reacting = (answer: unknown): Partial<PluginParts<"odd">> => ({
  parts: [Odd.react([RunStarted], answering(answer))]
})
const guarding = (answer: unknown): Partial<PluginParts<"odd">> => ({
  parts: [Odd.guard(StartAttempt, answering(answer))]
})
const changing = (answer: unknown): Partial<PluginParts<"odd">> => ({
  events: [
    Odd.event("HAPPENED", { schema: NoFields, visibility: "full", changes: answering(answer), sentence: () => "" })
  ]
})
const gate = (answer: unknown, wants: unknown = null): Partial<PluginParts<"odd">> => ({
  parts: [Odd.offer(gates, "last", { name: "g", verdict: answering(answer), wants: answering(wants) })]
})
const condition = (answer: unknown): Partial<PluginParts<"odd">> => ({
  parts: [Odd.offer(conditions, "condition", { name: "c", unmet: answering(answer) })]
})
const beginning = (answer: unknown): Partial<PluginParts<"odd">> => ({
  parts: [
    Odd.offer(kinds, "kind", {
      name: "odd",
      hasBudget: false,
      begin: answering(answer),
      recall: answering({}),
      counts: answering({}),
      ends: answering(null),
      progress: answering({})
    })
  ]
})

const start1 = { _tag: "Start", activity: "attempt" }
const wholeStart = { ...start1, key: "k", kind: "activity", task_id: null, input: {}, delay_ms: 0, priority: 0 }
const oddRun = [{ ...aRun([]), kind: "odd" }]

describe("what a hook answers that is none of its answers is a fault of its plugin", () => {
  const cases: ReadonlyArray<
    readonly [string, Partial<PluginParts<"odd">>, ReadonlyArray<AnyCommand>, where: string, problem: string]
  > = [
    ["a Promise", deciding(later), happen, "decide of odd.Happen", "a Promise, neither events nor a rejection"],
    ["nothing", deciding(undefined), happen, "decide of odd.Happen", "undefined, neither events nor a rejection"],
    ["no event", deciding([5]), happen, "decide of odd.Happen", "a list with 5, which is no event"],
    ["an object", reacting({}), ran, "react on RUN_STARTED", "{}, no list of commands, work to start and"],
    ["a Promise", reacting(later), ran, "react on RUN_STARTED", "a Promise, no list of commands"],
    ["nothing", reacting(undefined), ran, "react on RUN_STARTED", "undefined, no list of commands"],
    ["a number", reacting([5]), ran, "react on RUN_STARTED", "a list with 5, neither a command nor work"],
    [
      "a command that nobody lists",
      reacting([{ _tag: "Strat" }]),
      ran,
      "react on RUN_STARTED",
      "a list with the command Strat, which no plugin lists"
    ],
    [
      "an own command that it does not list",
      reacting([Unlisted({})]),
      ran,
      "react on RUN_STARTED",
      "a list with the command odd.Strat, which no plugin lists"
    ],
    [
      "a command whose arguments do not fit",
      { ...reacting([{ _tag: "odd.Give", task: 5 }]), commands: [Given] },
      ran,
      "react on RUN_STARTED",
      'the command odd.Give, whose arguments do not fit its schema: Missing key at ["task_id"]'
    ],
    [
      "a command whose arguments do not fit, which others pass on",
      { ...gate(open, { _tag: "odd.Give" }), commands: [Given] },
      ran,
      "wants of g",
      "the command odd.Give, whose arguments do not fit"
    ],
    [
      "half of what work to start needs",
      reacting([start1]),
      ran,
      "react on RUN_STARTED",
      'a list with {"_tag":"Start","activity":"attempt"}, whose `key` is not what work to start needs'
    ],
    [
      "work of no kind",
      reacting([{ ...wholeStart, kind: "work" }]),
      ran,
      "react on RUN_STARTED",
      "whose `kind` is not what work to start needs"
    ],
    [
      "no work to cancel",
      reacting([{ _tag: "Cancel", key: "k" }]),
      ran,
      "react on RUN_STARTED",
      "whose `work` names neither a key nor an item"
    ],
    ["true", guarding(true), ran, "guard of StartAttempt", "true, neither null nor a rejection"],
    ["nothing", guarding(undefined), ran, "guard of StartAttempt", "undefined, neither null nor a rejection"],
    ["no list", changing(undefined), happen, "changes of HAPPENED", "undefined, no list of changes"],
    ["a text", changing(["a"]), happen, "changes of HAPPENED", '["a"], no list of changes'],
    [
      "nothing",
      { parts: [Odd.follow(RunStarted, answering(undefined))] },
      ran,
      "evolve on RUN_STARTED",
      "undefined, no state of the plugin"
    ],
    [
      "a Promise",
      { parts: [Odd.follow(TaskStarted, answering(later))] },
      ran,
      "evolve on TASK_STARTED",
      "a Promise, no state of the plugin"
    ],
    ["a Promise", gate(Promise.resolve(passed)), ran, "verdict of g", "a Promise, no verdict"],
    ["true", gate(true), ran, "verdict of g", "true, no verdict"],
    ["an Effect", gate(Effect.succeed(passed)), ran, "verdict of g", "an Effect, no verdict"],
    ["nothing", gate(undefined), ran, "verdict of g", "undefined, no verdict: open, passed, refused(reason, message)"],
    [
      "a refusal without a message",
      gate(refused("code", undefined as never)),
      ran,
      "verdict of g",
      "a verdict without its `message`"
    ],
    ["a name as what it wants", gate({ _tag: "open" }, "act"), ran, "wants of g", '"act", neither a command nor work'],
    ["true", condition(true), ran, "unmet of c", "true, no text, and not null"],
    ["nothing", beginning(undefined), oddRun, "begin of odd", "undefined, neither events, header.tell([…]), nor a"]
  ]
  it.each(cases)("given %s", (_, parts, commands, where, problem) => {
    const fault = faultOf(parts, commands)
    assert.deepStrictEqual([fault.plugin, fault.where], ["odd", where])
    assert.match(fault.problem, /^It answered .*\.$/)
    assert.include(fault.problem, problem)
  })

  it("and what a rule asks for with more than its command takes is decided as what anybody asks for", () => {
    const seen: Array<unknown> = []
    const parts = {
      commands: [
        Odd.command("odd.Give", {
          ...Given[impl].options,
          decide: (args) => {
            seen.push(args)
            return []
          }
        })
      ]
    }
    const more = { _tag: "odd.Give", task_id: "a", why: "more" }
    const run = given([], [definePlugin(Odd, { ...listed, ...parts, ...reacting([more]) })])
    run.after(aRun([aTask("a")])).when(more)
    assert.deepStrictEqual(seen, [{ task_id: "a" }, { task_id: "a" }])
  })

  it.each([
    ["a reaction", Odd.react([RunStarted, Happened], () => [Happen({})]), "react on HAPPENED"],
    [
      "a gate, whose wish others pass on",
      [
        Odd.offer(gates, "ready", { name: "g", verdict: () => open, wants: () => Happen({}) }),
        Odd.react([Happened], (_, state) => nextFor(state, "a"))
      ],
      "wants of g"
    ]
  ])("and %s that goes round in a circle is named", (_, parts, where) => {
    const fault = faultOf({ parts: [parts].flat() }, ran)
    assert.deepStrictEqual([fault.plugin, fault.where], ["odd", where])
    assert.match(fault.problem, /^It asked for odd.Happen after more than 100000 commands had followed from one/)
  })

  it("and a rejection that is a plain object is one", () => {
    const plain = { _tag: "Rejection", code: "no", message: "No.", hint: "", open: [], kind: "invalid" }
    const run = given([], [definePlugin(Odd, { ...listed, ...guarding(plain) })]).after(aRun([aTask("a")]))
    assert.strictEqual(run.when(start("a")).rejected?.code, "no")
  })

  it("and a whole piece of work, a command and work to cancel are taken", () => {
    const asked = [wholeStart, { _tag: "Cancel", work: { key: "k" } }, FinishRun({}), Happen({})]
    const { events, step } = given([], [definePlugin(Odd, { ...listed, ...reacting(asked) })]).when(aRun([aTask("a")]))
    assert.include(
      events.map(({ type }) => type),
      "HAPPENED"
    )
    assert.isTrue(step?.starts.some(({ key }) => key === "k"))
    assert.deepStrictEqual(step?.cancels, [{ key: "k" }])
  })
})

describe("what hooks are given, frozen", () => {
  const Counting = plugin("counting", { state: { n: 0, of: { a: [1] } }, after: [Run, Tasks] })
  const change = (own: unknown): void => {
    ;(own as { n: number }).n += 1
  }
  const run = (...parts: PluginParts<"counting">["parts"] & object) =>
    given([], [definePlugin(Counting, { version: "1", parts })]).after(...ran)

  it.each([
    [
      "at the beginning",
      Counting.react([RunStarted], (_, { counting }) => {
        change(counting)
        return []
      })
    ],
    [
      "deep inside",
      Counting.react([RunStarted], (_, { counting: { of } }) => {
        of.a.push(2)
        return []
      })
    ],
    [
      "when it is folded",
      Counting.follow(RunStarted, (own) => {
        change(own)
        return own
      })
    ]
  ])("cannot be changed %s but by what a hook answers", (_, part) => {
    assert.throws(() => run(part), PluginFault, /^Plugin counting, (?:react|evolve) on RUN_STARTED: Cannot /)
  })

  const drop = (list: unknown): void => {
    ;(list as Array<unknown>).pop()
  }
  it.each([
    [
      "the task of a gate",
      "verdict of g",
      Counting.offer(gates, "ready", {
        name: "g",
        verdict: (_, task) => {
          Object.assign(task, { status: "completed" })
          return passed
        }
      })
    ],
    [
      "a task of another plugin's state",
      "react on ATTEMPT_ENDED",
      Counting.react([AttemptEnded], ({ task_id }, state) => {
        Object.assign(taskOf(state, task_id) ?? {}, { status: "completed" })
        return []
      })
    ],
    [
      "the content of an event",
      "react on ATTEMPT_ENDED",
      Counting.react([AttemptEnded], ({ files_modified }) => {
        drop(files_modified)
        return []
      })
    ],
    [
      "the content of an event that is folded",
      "evolve on ATTEMPT_ENDED",
      Counting.follow(AttemptEnded, (own, { files_modified }) => {
        drop(files_modified)
        return own
      })
    ],
    [
      "what a change is made with",
      "react on tasks.completed",
      Counting.react([completed], (change) => {
        Object.assign(change, { task_id: "b" })
        return []
      })
    ],
    [
      "the arguments of a command",
      "guard of EndAttempt",
      Counting.guard(EndAttempt, ({ files_modified }) => {
        drop(files_modified)
        return null
      })
    ]
  ])("cannot be changed: %s", (_, where, part) => {
    assert.throws(() => run(part), PluginFault, `Plugin counting, ${where}: Cannot `)
  })

  it("is so also where a log was read, in maps too, and while it is read", () => {
    const composition = composePlugins([definePlugin(Counting, { version: "1" })], { freezes: true })
    const fold = makeFold(composition, emptySnapshot(composition))
    const events = ran.flatMap(
      (command, i) =>
        given()
          .after(...ran.slice(0, i))
          .when(command).events
    )
    const tasks = (snapshot: Snapshot) => tasksOf(stateOf(snapshot))
    const seen = events.map((event) => {
      fold.add(event)
      return tasks(fold.now())
    })
    assert.isTrue([...seen.flat(), ...tasks(fold.end())].every((task) => Object.isFrozen(task)))
    assert.deepStrictEqual(seen.at(-1), tasks(given().after(...ran).snapshot))
  })

  it("cannot be changed after it was folded", () => {
    const next = Counting.follow(RunStarted, ({ n, of }) => ({ n: n + 1, of: { a: [...of.a, 2] } }))
    const { snapshot } = run(next)
    assert.deepStrictEqual(snapshot.state["counting"], { n: 1, of: { a: [1, 2] } })
    const late = Counting.react([TaskStarted], (_, { counting: { of } }) => {
      of.a.push(3)
      return []
    })
    assert.throws(() => run(next, late), PluginFault, /^Plugin counting, react on TASK_STARTED: Cannot add/)
  })
})
