import { assert, describe, it } from "@effect/vitest"
import type { Condition, SessionRunSetup } from "../../../../packages/plugins/src/policies/sessions/contract.ts"
import { aNewTask, aPhase, creates, submits, to, updates, withContract } from "./playing.ts"

describe("a transition", () => {
  /** The phase that follows a choice phase in which only this condition decides. */
  const taken = (
    when: Condition,
    payload: Readonly<Record<string, unknown>>,
    setup: Partial<SessionRunSetup> = {},
    over: Parameters<typeof withContract>[1] = {}
  ): boolean =>
    withContract(
      {
        EXPLORATION: aPhase({
          expected_payload: { "a?": "str", "b?": "list[str]", "c?": "bool", "d?": "dict" },
          transitions: [to("STOPPED", { when }), to("READY_PLAN")]
        })
      },
      over,
      setup
    ).when(submits("alice", payload)).state.sessions.phases?.phase === "STOPPED"

  it("by a value of the payload holds for that value alone", () => {
    assert.isTrue(taken({ payload: { a: "x" } }, { a: "x" }))
    assert.isFalse(taken({ payload: { a: "x" } }, { a: "X" }))
    assert.isFalse(taken({ payload: { a: "x" } }, {}))
    assert.isTrue(taken({ payload: { c: false } }, { c: false }))
    assert.isFalse(taken({ payload: { c: false } }, {}))
    assert.isTrue(taken({ payload: { a: ["x", "y"] } }, { a: "y" }))
    assert.isFalse(taken({ payload: { a: ["x", "y"] } }, { a: "z" }))
    assert.isFalse(taken({ payload: { a: "x", c: true } }, { a: "x", c: false }))
  })

  it("by what is empty or filled knows absent, null, blank, and empty lists and objects", () => {
    for (const empty of [{}, { a: null }, { a: "" }, { a: "  " }]) {
      assert.isTrue(taken({ empty: ["a"] }, empty), JSON.stringify(empty))
      assert.isFalse(taken({ filled: ["a"] }, empty), JSON.stringify(empty))
    }
    assert.isTrue(taken({ empty: ["b", "d"] }, { b: [], d: {} }))
    assert.isFalse(taken({ empty: ["b", "d"] }, { b: [], d: { x: 1 } }))
    assert.isTrue(taken({ filled: ["b"] }, { b: ["x"] }))
    assert.isTrue(taken({ filled: ["c"] }, { c: false }))
    assert.isFalse(taken({ filled: ["a", "b"] }, { a: "x", b: [] }))
  })

  it("by flags, intent and gate asks how the run was set up, never the agent", () => {
    const over = { flags: { quick: "Fast." }, intents: ["IMPLEMENT", "QUESTION"] }
    assert.isTrue(taken({ flags: ["fast", "quick"] }, {}, { flags: ["quick"] }, over))
    assert.isFalse(taken({ flags: ["quick"] }, { flags: ["quick"] }, {}, over))
    assert.isTrue(taken({ intent: ["QUESTION"] }, {}, { intent: "QUESTION" }, over))
    assert.isFalse(taken({ intent: ["QUESTION"] }, { intent: "QUESTION" }, { intent: "IMPLEMENT" }, over))
    assert.isTrue(taken({ gate: ["full"] }, {}, { gate: "full" }))
    assert.isFalse(taken({ gate: ["full"] }, { gate: "full" }))
  })

  it("by tasks knows none, open and done", () => {
    const phaseAfter = (wanted: "none" | "open" | "done", taskState: "none" | "open" | "done") => {
      const play = withContract({
        EXPLORATION: aPhase({ transitions: [to("STOPPED", { when: { tasks: wanted } }), to("READY_PLAN")] })
      })
      const withTask = taskState === "none" ? play : play.after(creates("alice", aNewTask("t")))
      const over =
        taskState === "done" ? withTask.after(updates("alice", "tsk_1", "cancelled", "not needed")) : withTask
      return over.when(submits("alice", {})).state.sessions.phases?.phase
    }
    for (const wanted of ["none", "open", "done"] as const) {
      for (const is of ["none", "open", "done"] as const) {
        assert.strictEqual(phaseAfter(wanted, is), wanted === is ? "STOPPED" : "READY_PLAN", `${wanted} when ${is}`)
      }
    }
  })

  it("with an exception is not taken when the exception holds", () => {
    const play = (a: string) =>
      withContract({
        EXPLORATION: aPhase({
          expected_payload: { a: "str" },
          transitions: [to("STOPPED", { unless: { payload: { a: "x" } } }), to("READY_PLAN")]
        })
      }).when(submits("alice", { a })).state.sessions.phases?.phase
    assert.strictEqual(play("x"), "READY_PLAN")
    assert.strictEqual(play("y"), "STOPPED")
  })

  it("is the first that holds", () => {
    const play = withContract({
      EXPLORATION: aPhase({ transitions: [to("READY_PLAN"), to("STOPPED")] })
    })
    assert.strictEqual(play.when(submits("alice", {})).state.sessions.phases?.phase, "READY_PLAN")
  })

  it("counts, and by a counter that has come to its limit another one is taken; a reset begins anew", () => {
    const play = withContract(
      {
        EXPLORATION: aPhase({
          expected_payload: { "again?": "bool" },
          transitions: [
            to("REST", { when: { reached: ["rounds"] }, reset: ["rounds"] }),
            to("EXPLORATION", { when: { payload: { again: true } }, count: "rounds" }),
            to("READY_PLAN")
          ]
        }),
        REST: aPhase({ transitions: [to("EXPLORATION")] })
      },
      { limits: { rounds: 2 } }
    )
    const again = submits("alice", { again: true })
    const twice = play.after(again, again)
    assert.deepStrictEqual([twice.phases.phase, twice.phases.counters], ["EXPLORATION", { rounds: 2 }])
    assert.strictEqual(twice.phases.visits["EXPLORATION"], 3)
    const thrice = twice.after(again)
    assert.deepStrictEqual([thrice.phases.phase, thrice.phases.counters], ["REST", { rounds: 0 }])
    const round = thrice.after(submits("alice", {}), again)
    assert.deepStrictEqual([round.phases.phase, round.phases.counters], ["EXPLORATION", { rounds: 1 }])
  })

  it("by a counter without a limit never holds", () => {
    assert.isFalse(taken({ reached: ["rounds"] }, {}))
  })

  it("decides where the run begins", () => {
    const start = [to("READY_PLAN", { when: { flags: ["fast"] } }), to("EXPLORATION")]
    const flags = { fast: "No exploration." }
    assert.strictEqual(withContract({}, { start, flags }).phases.phase, "EXPLORATION")
    assert.strictEqual(withContract({}, { start, flags }, { flags: ["fast"] }).phases.phase, "READY_PLAN")
  })
})
