import { assert, describe, it } from "@effect/vitest"
import type { LineReceipt } from "@proofline/kernel"
import type { CompletedTask, Verified } from "@proofline/plugins/policies/requirements"
import { Effect } from "effect"
import { receipt as aReceipt } from "../../kernel/support/judge.ts"
import { aDefinition, aRequirement, contentsOf, planned, play, replayed, verdictsOf } from "./stage.ts"

const used = { input_tokens: 1, output_tokens: 1, cost_usd: null }

const proof = (more: { readonly verifier_named?: boolean; readonly user_commands?: ReadonlyArray<string> } = {}) => ({
  proof: { verifier_named: false, user_commands: [], ...more }
})

/** One requirement that the user's own plan has tasks for; the verifier says this of it. */
const verified = (
  said: Partial<Verified> | null,
  load: Parameters<typeof play>[2],
  more: { readonly criteria?: Parameters<typeof aRequirement>[1]; readonly asked?: Array<string> } = {}
) =>
  play(
    aDefinition([aRequirement("req_1", more.criteria ?? ["a"])], { verifier: "scripted" }),
    {
      generate: ({ iteration }) => ({ tasks: [planned(`task_${iteration}`, ["req_1.1"])] }),
      verify: ({ iteration, requirement_id }) => {
        more.asked?.push(`${iteration} ${requirement_id}`)
        return said ?? { problems: ["No JSON."] }
      }
    },
    load
  )

const once = (load: ReturnType<typeof proof> | Readonly<Record<never, never>>) => ({
  load: { max_iterations: 1, ...load }
})

describe("a verifier and what tasks have shown", () => {
  it.live("given tasks that show everything, then it is asked all the same, once, and its yes changes nothing", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const played = yield* verified({ met: true, evidence: "`npm test`: ok" }, once(proof()), { asked })
      assert.deepStrictEqual([played.status, asked], ["completed", ["1 req_1"]])
      const [criterion] = played.loop.requirements.get("req_1")?.criteria ?? []
      assert.deepInclude(criterion, { verdict: "proven", by: "tasks", tasks: ["task_1"] })
      assert.isNull(replayed(played))
    })
  )

  it.live("given it says that it is not met, then tasks that show it do not overrule it", () =>
    Effect.gen(function* () {
      for (const verifier_named of [true, false]) {
        const said = { met: false, evidence: "the second link still works" }
        const played = yield* verified(said, once(proof({ verifier_named })))
        assert.deepStrictEqual([played.status, verdictsOf(played)], ["failed", { "req_1.1": "unproven" }])
        const [criterion] = played.loop.requirements.get("req_1")?.criteria ?? []
        assert.include(criterion?.message, "says that it is not met: the second link still works")
        assert.isNull(replayed(played))
      }
    })
  )

  it.live("given it says that it is not met, then what it saw is told to whoever plans the next tasks", () =>
    Effect.gen(function* () {
      const said = { met: false, evidence: "the second link still works" }
      const played = yield* verified(said, { load: { max_iterations: 2, ...proof() } })
      const [, second] = contentsOf(played.events, "ITERATION_STARTED")
      assert.include(second?.["previous_feedback"], "the second link still works")
    })
  )

  it.live("given a check of the user that passes, then that overrules it, and it is not asked where all have one", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const criteria = ["a", { criterion: "b", check: "true" }]
      const played = yield* verified({ met: false, evidence: "no" }, once(proof()), { criteria, asked })
      assert.deepStrictEqual(verdictsOf(played), { "req_1.1": "unproven", "req_1.2": "proven" })
      assert.deepStrictEqual(asked, ["1 req_1"])
      const shown = [{ criterion: "b", check: "true" }]
      const met = yield* verified({ met: false, evidence: "no" }, once(proof()), { criteria: shown, asked })
      assert.deepStrictEqual([met.status, asked], ["completed", ["1 req_1"]])
    })
  )

  it.live("given it gives no answer that can be read, then the requirement stays open, whoever chose it", () =>
    Effect.gen(function* () {
      for (const verifier_named of [true, false]) {
        const played = yield* verified(null, once(proof({ verifier_named })))
        assert.deepStrictEqual([played.status, verdictsOf(played)], ["failed", { "req_1.1": "unproven" }])
        const [criterion] = played.loop.requirements.get("req_1")?.criteria ?? []
        assert.include(criterion?.message, "has not said that it is met")
        assert.include(criterion?.message, "No JSON.")
        assert.isNull(replayed(played))
      }
    })
  )

  it.live("given an earlier run that is completed, then one that the user chose is asked about what it left", () =>
    Effect.gen(function* () {
      const receipt: LineReceipt = { ...aReceipt, path: "src/a.ts" }
      const item = {
        item: "it is",
        verdict: "proven",
        evidence: "src/a.ts:1-2",
        reason: null,
        receipt,
        weak: []
      } as const
      const completed: CompletedTask = {
        ...{ id: "task_1", title: "task_1", covers: ["req_1.1"], checks: [], status: "completed", verdict: "proven" },
        ...{ attempts: 1, message: "", summary: "", files: [], items: [item], iteration: 1, run_id: "run_0-iter1" }
      }
      const covers = [{ id: "req_1.1", requirement_id: "req_1", criterion: "a" }]
      const carried = {
        run_id: "run_0",
        iteration: 1,
        planned: [{ id: "task_1", iteration: 1, covers }],
        completed: [completed]
      }
      for (const verifier_named of [true, false]) {
        const asked: Array<string> = []
        const load = { carried, ...proof({ verifier_named }) }
        const played = yield* verified({ met: true, evidence: "`npm test`: ok" }, { load }, { asked })
        assert.deepStrictEqual([played.status, asked], ["completed", verifier_named ? ["1 req_1"] : []])
      }
    })
  )
})

describe("a plan that takes the id of a task that failed", () => {
  it.live("is refused with what to do, and asked for once more", () =>
    Effect.gen(function* () {
      const asked: Array<ReadonlyArray<string>> = []
      const played = yield* play(
        aDefinition([aRequirement("req_1", ["a"])]),
        {
          generate: ({ ask, former, iteration }) => {
            asked.push(former?.problems ?? [])
            return { tasks: [planned(iteration === 2 && ask === 2 ? "task_2" : "task_1", ["req_1.1"])] }
          },
          script: (id) => Effect.succeed({ outcome: id === "task_1" ? "ERROR" : "COMPLETE" })
        },
        { load: { max_iterations: 2, ...proof() }, config: { max_retries: 0 } }
      )
      assert.deepStrictEqual([played.status, asked.length], ["completed", 3])
      assert.include(asked[2]?.join(), "was not completed: plan what is left of it as a new task")
      assert.include(asked[2]?.join(), "[id_of_failed_task]")
      assert.isNull(replayed(played))
    })
  )
})

describe("commands that an agent wrote", () => {
  const byAgent = (
    checks: ReadonlyArray<string>,
    load: ReturnType<typeof proof> | Readonly<Record<never, never>>,
    criteria: Parameters<typeof aRequirement>[1] = ["a"]
  ) =>
    play(
      aDefinition([aRequirement("req_1", criteria)]),
      {
        generate: ({ iteration }) => ({ tasks: [planned(`task_${iteration}`, ["req_1.1"], { checks })], usage: used })
      },
      once(load)
    )

  it.live("given only these show a criterion, then it is unproven, and that is said", () =>
    Effect.gen(function* () {
      const played = yield* byAgent(["true"], proof())
      assert.deepStrictEqual([played.status, verdictsOf(played)], ["failed", { "req_1.1": "unproven" }])
      const [criterion] = played.loop.requirements.get("req_1")?.criteria ?? []
      assert.include(criterion?.message, "Only commands that an agent wrote show it, which proves nothing: `true`")
      const [registered] = contentsOf(played.child(1), "TASK_REGISTERED")
      assert.strictEqual(registered?.["commands_by"], "agent")
      assert.strictEqual(played.loop.completed[0]?.commands_by, "agent")
      assert.isNull(replayed(played))
    })
  )

  it.live("given the user wrote the same command, then it shows what it always showed", () =>
    Effect.gen(function* () {
      const ofProject = yield* byAgent(["true"], proof({ user_commands: ["true"] }))
      assert.deepStrictEqual(verdictsOf(ofProject), { "req_1.1": "proven" })
      const ofFile = yield* byAgent(["true"], proof(), ["a", { criterion: "b", check: " true" }])
      assert.deepStrictEqual(verdictsOf(ofFile), { "req_1.1": "proven", "req_1.2": "proven" })
    })
  )

  it.live("given one that fails now, then it still speaks against the criterion", () =>
    Effect.gen(function* () {
      // it passes for the task, and fails when it is looked at again
      const played = yield* byAgent(["test ! -e seen && touch seen"], proof())
      assert.isNull(replayed(played))
      assert.notStrictEqual(verdictsOf(played)["req_1.1"], "proven")
    })
  )
})

describe("tasks that an agent planned", () => {
  it.live(
    "given items that are said to have been there, then only users say so, and the base is that of the whole",
    () =>
      Effect.gen(function* () {
        const played = yield* play(
          aDefinition([aRequirement("req_1", ["a"])]),
          {
            generate: ({ iteration }) => ({
              tasks: [planned(`task_${iteration}`, ["req_1.1"], { checklist: [{ item: "x", existing: true }] })],
              usage: used
            })
          },
          once(proof())
        )
        const [listed] = contentsOf(played.child(1), "CHECKLIST_REGISTERED")
        assert.deepStrictEqual(listed?.["items"], [{ item: "x" }])
        const [begun] = contentsOf(played.events, "RUN_STARTED")
        assert.deepStrictEqual(contentsOf(played.child(1), "RUN_STARTED")[0]?.["base"], begun?.["base"])
      })
  )
})
