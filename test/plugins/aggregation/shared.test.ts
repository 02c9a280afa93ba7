import { assert, describe, it } from "@effect/vitest"
import type { AnyCommand, PlannedSubtask, RunConfig } from "@proofline/kernel"
import { sharedOutcome } from "../../../packages/plugins/src/policies/aggregation/shared.ts"
import { resume, stateOf, task } from "../../kernel/support/words.ts"
import { begin, finish, part, plan, split } from "./support.ts"

type Strategy = RunConfig["chunking"]["aggregation_strategy"]

const outcomeAfter = (
  parts: ReadonlyArray<PlannedSubtask>,
  commands: ReadonlyArray<AnyCommand>,
  strategy: Partial<Strategy> = {}
) => {
  const aggregation_strategy = { type: "merge_all", conflict_resolution: "fail", ...strategy } as const
  const done = split(plan(...parts), { aggregation_strategy }).after(...commands.slice(0, -1))
  const state = stateOf(done.when(commands[commands.length - 1] as AnyCommand).step?.after)
  return sharedOutcome(state, task(state, "t"))
}

const a = "t-sub-1"
const b = "t-sub-2"
const together = (ofA: ReadonlyArray<string>, ofB: ReadonlyArray<string>) => [
  begin(a),
  begin(b),
  ...finish(a, ofA),
  ...finish(b, ofB)
]
const inTurn = (ofA: ReadonlyArray<string>, ofB: ReadonlyArray<string>) => [
  begin(a),
  ...finish(a, ofA),
  begin(b),
  ...finish(b, ofB)
]

describe("subtasks that share the project", () => {
  it("that changed different files are merged, and the files are named once", () => {
    const outcome = outcomeAfter([part("A"), part("B")], inTurn(["b.ts", "a.ts"], ["c.ts", "a.ts"]))
    assert.deepStrictEqual(outcome, {
      outcome: "merged",
      files_modified: ["a.ts", "b.ts", "c.ts"],
      conflicts: [],
      message: ""
    })
  })

  it("that ran at the same time are in conflict over a file that both were told to change", () => {
    const outcome = outcomeAfter([part("Add A to a.ts"), part("Add B to a.ts")], together(["a.ts"], ["a.ts"]))
    assert.strictEqual(outcome.outcome, "conflict")
    assert.deepStrictEqual(outcome.conflicts, [{ file: "a.ts", sources: [a, b] }])
    assert.include(outcome.message, "a.ts (t-sub-1, t-sub-2)")
    assert.include(outcome.message, "`proofline resume run_1 --conflict-resolution overwrite`")
  })

  it("in conflict are told what would do another time where they are: worktrees need a commit", () => {
    const messageIn = (commit: string | null) => {
      const done = split(plan(part("Add A to a.ts"), part("Add B to a.ts"))).after(...together(["a.ts"], ["a.ts"]))
      const state = stateOf(done.snapshot)
      const base = commit === null ? null : { commit, snapshot: { sha256: "0".repeat(64), bytes: 2 } }
      const run = { ...state.run, base }
      const seen = { run, tasks: state.tasks, chunking: state.chunking } as typeof state
      return sharedOutcome(seen, task(state, "t")).message
    }
    assert.include(messageIn("a".repeat(40)), "`workspace: worktree`")
    assert.notInclude(messageIn(null), "worktree")
    assert.include(messageIn(null), "`execution_mode: sequential`")
  })

  it("are not accused over a file that may be anybody's", () => {
    const seenByBoth = together(["a.ts", "b.ts"], ["a.ts", "b.ts"])
    assert.deepStrictEqual(outcomeAfter([part("A"), part("B")], seenByBoth).conflicts, [])
    const named = [part("Write a.ts"), part("Write b.ts")] as const
    assert.deepStrictEqual(outcomeAfter([...named], seenByBoth).conflicts, [])
  })

  it("are in conflict over a file of which nothing tells whose work it is", () => {
    const undecided = (id: string, summary = "") => finish(id, [], summary, ["x.ts"])
    const over = (parts: ReadonlyArray<PlannedSubtask>, ofA = "", ofB = "") =>
      outcomeAfter(parts, [begin(a), begin(b), ...undecided(a, ofA), ...undecided(b, ofB)])
    const { conflicts, files_modified, outcome } = over([part("A"), part("B")])
    assert.deepStrictEqual([outcome, files_modified], ["conflict", ["x.ts"]])
    assert.deepStrictEqual(conflicts, [{ file: "x.ts", sources: [a, b] }])
    // one of them is told to write it, or says that it did
    assert.deepStrictEqual(over([part("Write x.ts"), part("B")]).conflicts, [])
    assert.deepStrictEqual(over([part("A"), part("B")], "x.ts is written.").conflicts, [])
    // both say so
    assert.lengthOf(over([part("A"), part("B")], "x.ts is written.", "I changed x.ts.").conflicts, 1)
    assert.lengthOf(over([part("Write x.ts"), part("Write x.ts")]).conflicts, 1)
  })

  it("are not in conflict over a file that one changed alone, and the other not", () => {
    const commands = [begin(a), begin(b), ...finish(a, ["x.ts"]), ...finish(b, ["y.ts"])]
    assert.deepStrictEqual(outcomeAfter([part("A"), part("B")], commands).conflicts, [])
  })

  it("are not in conflict when one builds on the other or came after it", () => {
    const parts = [part("Add A to a.ts"), part("Add B to a.ts", { dependencies: [1] })] as const
    assert.deepStrictEqual(outcomeAfter([...parts], inTurn(["a.ts"], ["a.ts"])).conflicts, [])
    const free = [part("Add A to a.ts"), part("Add B to a.ts")] as const
    assert.deepStrictEqual(outcomeAfter([...free], inTurn(["a.ts"], ["a.ts"])).conflicts, [])
  })

  for (const [strategy, outcome] of [
    [{ conflict_resolution: "overwrite" }, "merged"],
    [{ type: "last_wins" }, "merged"],
    [{ conflict_resolution: "manual" }, "needs_person"]
  ] as const) {
    it(`in conflict are ${outcome} with ${JSON.stringify(strategy)}`, () => {
      const parts = [part("Add A to a.ts"), part("Add B to a.ts")] as const
      const found = outcomeAfter([...parts], together(["a.ts"], ["a.ts"]), strategy)
      assert.strictEqual(found.outcome, outcome)
      assert.lengthOf(found.conflicts, 1)
    })
  }

  it("that a person has looked at are merged when the run is resumed", () => {
    const parts = [part("Add A to a.ts"), part("Add B to a.ts")] as const
    const asked = {
      _tag: "RecordAggregation",
      task_id: "t",
      duration_ms: 1,
      outcome: {
        outcome: "needs_person",
        files_modified: ["a.ts"],
        conflicts: [{ file: "a.ts", sources: [a, b] }],
        message: "Look.",
        evidence: [],
        lost: []
      }
    } as const
    const commands = [...together(["a.ts"], ["a.ts"]), asked, resume()]
    assert.strictEqual(outcomeAfter([...parts], commands, { conflict_resolution: "manual" }).outcome, "merged")
  })
})
