import { assert, describe, it } from "@effect/vitest"
import { runsMeant } from "@proofline/plugins/options"
import { Effect, Result } from "effect"
import { type Asking, runNamed } from "../../../packages/plugins/src/policies/oversight/context.ts"

const rows = [
  { run_id: "run_b2_k3x9q2", parent_run_id: null },
  { run_id: "run_b1_k3x777", parent_run_id: null },
  { run_id: "run_a1_zzzz", parent_run_id: "run_b1_k3x777" }
]

describe("a run that is named in short", () => {
  it.each([
    ["run_b1_k3x777", ["run_b1_k3x777"]],
    ["run_b1", ["run_b1_k3x777"]],
    ["k3x9", ["run_b2_k3x9q2"]],
    ["k3x", ["run_b2_k3x9q2", "run_b1_k3x777"]],
    ["zzz", ["run_a1_zzzz"]],
    ["last", ["run_b2_k3x9q2"]],
    ["k3", []],
    ["nothing", []]
  ])("%s means %j", (named, ids) => {
    assert.deepStrictEqual(
      runsMeant(named, rows).map(({ run_id }) => run_id),
      ids
    )
  })

  it.effect("and may be several is refused with all of them", () =>
    Effect.gen(function* () {
      const asking = { runs: Effect.succeed(rows) } as unknown as Asking
      const found = yield* Effect.result(runNamed(asking, "k3x"))
      assert(Result.isFailure(found) && found.failure._tag === "Rejection")
      assert.deepInclude(found.failure, { code: "run_ambiguous", open: ["run_b2_k3x9q2", "run_b1_k3x777"] })
    })
  )
})
