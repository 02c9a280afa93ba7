import { assert, describe, it } from "@effect/vitest"
import type { Condition, SessionRunSetup } from "../../../../packages/plugins/src/policies/sessions/contract.ts"
import { alice, aPhase, to, withContract } from "./playing.ts"

type Payload = Readonly<Record<string, unknown>>

const fields = { "a?": "str", "b?": "list[str]", "c?": "bool", "d?": "dict" }

/** Whether the transition is taken of a phase in which only this decides. */
const taken = (
  over: Parameters<typeof to>[1],
  payload: Payload = {},
  setup: Partial<SessionRunSetup> = {},
  contract: Parameters<typeof withContract>[1] = {}
): boolean => {
  const EXPLORATION = aPhase({ expected_payload: fields, transitions: [to("STOPPED", over), to("READY_PLAN")] })
  return withContract({ EXPLORATION }, contract, setup).when(alice.submits(payload)).phase === "STOPPED"
}

const empty: ReadonlyArray<Payload> = [{}, { a: null }, { a: "" }, { a: "  " }]

describe("a transition", () => {
  it.each<[Condition, yes: ReadonlyArray<Payload>, no: ReadonlyArray<Payload>]>([
    [{ payload: { a: "x" } }, [{ a: "x" }], [{ a: "X" }, {}]],
    [{ payload: { c: false } }, [{ c: false }], [{}]],
    [{ payload: { a: ["x", "y"] } }, [{ a: "y" }], [{ a: "z" }]],
    [{ payload: { a: "x", c: true } }, [], [{ a: "x", c: false }]],
    [{ empty: ["a"] }, empty, []],
    [{ filled: ["a"] }, [], empty],
    [{ empty: ["b", "d"] }, [{ b: [], d: {} }], [{ b: [], d: { x: 1 } }]],
    [{ filled: ["b"] }, [{ b: ["x"] }], []],
    [{ filled: ["c"] }, [{ c: false }], []],
    [{ filled: ["a", "b"] }, [], [{ a: "x", b: [] }]],
    // a counter without a limit
    [{ reached: ["rounds"] }, [], [{}]]
  ])("by %j holds for %j and not for %j", (when, yes, no) => {
    for (const payload of yes) assert.isTrue(taken({ when }, payload), JSON.stringify(payload))
    for (const payload of no) assert.isFalse(taken({ when }, payload), JSON.stringify(payload))
  })

  it("by flags, intent and gate asks how the run was set up, never the agent", () => {
    const over = { flags: { quick: "Fast." }, intents: ["IMPLEMENT", "QUESTION"] }
    const flags = { when: { flags: ["fast", "quick"] } }
    assert.isTrue(taken(flags, {}, { flags: ["quick"] }, over))
    assert.isFalse(taken(flags, { flags: ["quick"] }, {}, over))
    const intent = { when: { intent: ["QUESTION"] } }
    assert.isTrue(taken(intent, {}, { intent: "QUESTION" }, over))
    assert.isFalse(taken(intent, { intent: "QUESTION" }, { intent: "IMPLEMENT" }, over))
    const gate = { when: { gate: ["full"] } } as const
    assert.isTrue(taken(gate, {}, { gate: "full" }))
    assert.isFalse(taken(gate, { gate: "full" }))
  })

  it("by tasks knows none, open and done", () => {
    const states = ["none", "open", "done"] as const
    for (const wanted of states) {
      const EXPLORATION = aPhase({ transitions: [to("STOPPED", { when: { tasks: wanted } }), to("READY_PLAN")] })
      const none = withContract({ EXPLORATION })
      const open = none.after(alice.creates("t"))
      const plays = { none, open, done: open.after(alice.cancels("tsk_1")) }
      for (const is of states) {
        const { phase } = plays[is].when(alice.submits({}))
        assert.strictEqual(phase, wanted === is ? "STOPPED" : "READY_PLAN", `${wanted} when ${is}`)
      }
    }
  })

  it("with an exception is not taken when the exception holds", () => {
    const over = { unless: { payload: { a: "x" } } }
    assert.isFalse(taken(over, { a: "x" }))
    assert.isTrue(taken(over, { a: "y" }))
  })

  it("is the first that holds", () => {
    const play = withContract({ EXPLORATION: aPhase({ transitions: [to("READY_PLAN"), to("STOPPED")] }) })
    assert.strictEqual(play.when(alice.submits({})).phase, "READY_PLAN")
  })

  it("counts, and by a counter that has come to its limit another one is taken; a reset begins anew", () => {
    const EXPLORATION = aPhase({
      expected_payload: { "again?": "bool" },
      transitions: [
        to("REST", { when: { reached: ["rounds"] }, reset: ["rounds"] }),
        to("EXPLORATION", { when: { payload: { again: true } }, count: "rounds" }),
        to("READY_PLAN")
      ]
    })
    const REST = aPhase({ transitions: [to("EXPLORATION")] })
    const again = alice.submits({ again: true })
    const twice = withContract({ EXPLORATION, REST }, { limits: { rounds: 2 } }).after(again, again)
    const thrice = twice.after(again)
    const round = thrice.after(alice.submits({}), again)
    assert.deepStrictEqual(
      [twice, thrice, round].map(({ phase, phases }) => [phase, phases.counters, phases.visits["EXPLORATION"]]),
      [
        ["EXPLORATION", { rounds: 2 }, 3],
        ["REST", { rounds: 0 }, 3],
        ["EXPLORATION", { rounds: 1 }, 5]
      ]
    )
  })

  it("decides where the run begins", () => {
    const start = [to("READY_PLAN", { when: { flags: ["fast"] } }), to("EXPLORATION")]
    const flags = { fast: "No exploration." }
    assert.strictEqual(withContract({}, { start, flags }).phase, "EXPLORATION")
    assert.strictEqual(withContract({}, { start, flags }, { flags: ["fast"] }).phase, "READY_PLAN")
  })
})
