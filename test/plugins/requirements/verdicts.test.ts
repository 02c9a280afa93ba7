import { assert, describe, it } from "@effect/vitest"
import type { LineFact, LineReceipt } from "@proofline/kernel"
import type { CompletedTask, GeneratedTask, Verified } from "@proofline/plugins/policies/requirements"
import { Effect } from "effect"
import { receipt as aReceipt } from "../../kernel/support/judge.ts"
import { item } from "./known.ts"
import {
  aDefinition,
  aRequirement,
  completed,
  contentsOf,
  planned,
  play,
  replayed,
  resumed,
  verdictsOf,
  writeInto
} from "./stage.ts"

const receipt: LineReceipt = { ...aReceipt, path: "src/a.ts" }

/** A completed task of an earlier run, with what it has shown. */
const earlier = (id: string, covers: ReadonlyArray<string>, more: Partial<CompletedTask> = {}): CompletedTask =>
  completed(id, { title: id, items: [item()], covers, run_id: "run_0-iter1", ...more })

/** A criterion of the first requirement, with the words it has there. */
const asCovered = (id: string) => ({ id, requirement_id: "req_1", criterion: "a" })

/** One requirement of which an earlier run has left these tasks; nobody plans anything more. */
const left = (
  completed: ReadonlyArray<CompletedTask>,
  given: { readonly fates?: (path: string) => "proven" | "stale"; readonly planned?: ReadonlyArray<string> } = {}
) =>
  play(
    aDefinition([aRequirement("req_1", ["a"])]),
    { generate: () => ({ problems: ["Nobody plans."] }), ...(given.fates === undefined ? {} : { fates: given.fates }) },
    {
      load: {
        carried: {
          run_id: "run_0",
          iteration: 1,
          planned: [
            ...completed.map(({ covers, id, iteration, items }) => ({
              id,
              iteration,
              covers: [...covers, ...items.flatMap((item) => item.covers ?? [])].map(asCovered)
            })),
            ...(given.planned ?? []).map((id) => ({ id, iteration: 1, covers: [asCovered("req_1.1")] }))
          ],
          completed
        }
      }
    }
  )

const verdictAfter = (...args: Parameters<typeof left>) =>
  Effect.map(left(...args), (played) => verdictsOf(played)["req_1.1"])

describe("what tasks have shown of a criterion", () => {
  it.live("given proven items whose lines still hold, then it is proven without anybody being asked", () =>
    Effect.gen(function* () {
      const played = yield* left([earlier("task_1", ["req_1.1"])])
      assert.deepStrictEqual([played.status, verdictsOf(played)], ["completed", { "req_1.1": "proven" }])
    })
  )

  it.live("given lines that were changed since, then it is stale", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* verdictAfter([earlier("task_1", ["req_1.1"])], { fates: () => "stale" }), "stale")
    })
  )

  it.live("given items that were only left out with a reason, then it is unproven", () =>
    Effect.gen(function* () {
      const waived = {
        item: "x",
        verdict: "waived",
        evidence: null,
        reason: "not needed here",
        receipt: null,
        weak: []
      } as const
      assert.strictEqual(yield* verdictAfter([earlier("task_1", ["req_1.1"], { items: [waived] })]), "unproven")
    })
  )

  it.live("given a task that left nothing behind, then it is unproven: 0 of 0 is no proof", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* verdictAfter([earlier("task_1", ["req_1.1"], { items: [] })]), "unproven")
    })
  )

  it.live("given tasks of which one was never completed, then it is unproven", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* verdictAfter([earlier("task_1", ["req_1.1"])], { planned: ["task_2"] }), "unproven")
    })
  )

  it.live(
    "given a check of a task, then one that fails now refutes, and one that passes does not hide stale lines",
    () =>
      Effect.gen(function* () {
        const by = (check: string, fate: "proven" | "stale") =>
          verdictAfter([earlier("task_1", ["req_1.1"], { checks: [check] })], { fates: () => fate })
        assert.deepStrictEqual(
          [yield* by("true", "proven"), yield* by("true", "stale"), yield* by("exit 3", "proven")],
          ["proven", "stale", "refuted"]
        )
      })
  )

  it.live("given a check of a task that only an item of it links to the criterion, then the check shows nothing", () =>
    Effect.gen(function* () {
      const item = { item: "x", verdict: "proven", evidence: "src/a.ts:1", reason: null, receipt, weak: [] } as const
      const task = earlier("task_1", ["req_9.1"], { checks: ["true"], items: [{ ...item, covers: ["req_1.1"] }] })
      assert.strictEqual(yield* verdictAfter([task], { fates: () => "stale" }), "stale")
    })
  )

  it.live("given an item that was left out beside one that is proven, then the criterion is open", () =>
    Effect.gen(function* () {
      const item = { evidence: "src/a.ts:1", receipt, weak: [] }
      const task = earlier("task_1", ["req_1.1"], {
        items: [
          { ...item, item: "x", verdict: "proven", reason: null },
          { ...item, item: "y", verdict: "waived", reason: "this is too hard" }
        ]
      })
      assert.strictEqual(yield* verdictAfter([task]), "unproven")
    })
  )

  it.live("given a check that asks for its task, then it is run as for that task, and once for each", () =>
    Effect.gen(function* () {
      const check = 'test "$PROOFLINE_TASK_ID $PROOFLINE_ATTEMPT" = "task_1 2"'
      const by = (id: string) => verdictAfter([earlier(id, ["req_1.1"], { checks: [check], items: [], attempts: 2 })])
      assert.deepStrictEqual([yield* by("task_1"), yield* by("task_2")], ["proven", "refuted"])
    })
  )

  it.live("given newer tasks for it that fail now, then what older ones have shown does not count", () =>
    Effect.gen(function* () {
      const older = earlier("task_1", ["req_1.1"])
      const newer = earlier("task_2", ["req_1.1"], { iteration: 2, checks: ["false"] })
      assert.strictEqual(yield* verdictAfter([older, newer]), "refuted")
    })
  )

  it.live("given newer tasks for it that were never completed, then what older ones have shown stands", () =>
    Effect.gen(function* () {
      const played = yield* left([earlier("task_1", ["req_1.1"], { iteration: 0 })], { planned: ["task_2"] })
      assert.deepStrictEqual(verdictsOf(played), { "req_1.1": "proven" })
    })
  )

  it.live("given items that name what they show, then those of other criteria show nothing of this one", () =>
    Effect.gen(function* () {
      const item = (covers: ReadonlyArray<string>, verdict: "proven" | "waived") => ({
        item: covers.join(),
        verdict,
        evidence: "src/a.ts:1-2",
        reason: null,
        receipt,
        weak: [],
        covers
      })
      const task = earlier("task_1", ["req_1.1", "req_9.1"], {
        items: [item(["req_9.1"], "proven"), item(["req_1.1"], "waived")]
      })
      assert.strictEqual(yield* verdictAfter([task]), "unproven")
    })
  )

  it.live("given the lines of an item with a check of its own, then the check of now decides", () =>
    Effect.gen(function* () {
      const by = (check: string) =>
        verdictAfter(
          [
            earlier("task_1", ["req_1.1"], {
              items: [{ item: "x", check, verdict: "proven", evidence: "src/a.ts:1", reason: null, receipt, weak: [] }]
            })
          ],
          { fates: () => "stale" }
        )
      assert.deepStrictEqual([yield* by("true"), yield* by("false")], ["proven", "refuted"])
    })
  )
})

const fact = (outcome: LineFact["outcome"]): LineFact => ({
  index: 0,
  evidence: "src/a.ts:1-2",
  outcome,
  detail: "",
  path: "src/a.ts",
  start: 1,
  end: 2,
  total: 9,
  declaration: null,
  untouched: null,
  receipt: outcome === "ok" ? receipt : null
})

describe("an agent's opinion", () => {
  /** A plan that leaves nothing to prove by itself; the opinion is all there is. */
  const opinion = (verified: Partial<Verified>, trust_agent: boolean, asked: Array<string> = []) =>
    play(
      aDefinition([aRequirement("req_1", ["a"])], { verifier: "scripted", trust_agent }),
      {
        generate: ({ iteration }) => ({
          tasks: [planned(`task_${iteration}`, [], { checks: ["true"] })]
        }),
        verify: ({ iteration, requirement_id }) => {
          asked.push(`${iteration} ${requirement_id}`)
          return { met: true, ...verified }
        }
      },
      { load: { max_iterations: 1 } }
    )

  it.live("given it is not trusted, then it proves nothing, and is not asked for before there is any work", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const played = yield* opinion({ evidence: "`npm test`: 3 passed", facts: [] }, false, asked)
      assert.deepStrictEqual([played.status, verdictsOf(played)["req_1.1"], asked], ["failed", "unproven", ["1 req_1"]])
      assert.isNull(replayed(played))
    })
  )

  it.live.each([
    ["code that is there", { evidence: "src/a.ts:1-2", facts: [fact("ok")] }, "proven"],
    ["a run and what it printed", { evidence: "$ npm test\n3 passed\n", facts: [] }, "proven"],
    ["a run in a line", { evidence: "ran `npm test`: 3 passed", facts: [] }, "proven"],
    ["a run that printed a place", { evidence: "$ npm test\nok a.js:1\n", facts: [fact("file_not_found")] }, "proven"],
    [
      "a sentence with words in backticks",
      { evidence: "I looked at `src/gone.ts:12` and I am sure.", facts: [] },
      "unproven"
    ],
    [
      "a run, and beside it code that is not there",
      { evidence: "$ npm test\n3 passed\n\nsee src/a.ts:1-2", facts: [fact("file_not_found")] },
      "unproven"
    ],
    [
      "the requirements themselves",
      { evidence: "requirements.yaml:1", facts: [{ ...fact("ok"), path: "requirements.yaml" }] },
      "unproven"
    ],
    ["a sentence", { evidence: "I looked at everything and it is fine.", facts: [] }, "unproven"],
    ["a command without anything that it printed", { evidence: "`npm test`", facts: [] }, "unproven"],
    ["code that is not there", { evidence: "src/a.ts:1-2", facts: [fact("file_not_found")] }, "unproven"],
    ["code of which a part is not there", { evidence: "…", facts: [fact("ok"), fact("out_of_range")] }, "unproven"],
    ["that it is not met", { met: false, evidence: "src/a.ts:1-2", facts: [fact("ok")] }, "unproven"]
  ] as const)("given it is trusted and shows %s, then the criterion is judged by that", ([, verified, verdict]) =>
    Effect.gen(function* () {
      const played = yield* opinion(verified, true)
      assert.strictEqual(verdictsOf(played)["req_1.1"], verdict)
      assert.strictEqual(played.status, verdict === "proven" ? "completed" : "failed")
      assert.isNull(replayed(played))
    })
  )

  it.live("given an answer that cannot be used twice, then it stays unproven, and the answer is kept", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const played = yield* opinion({ problems: ["No JSON."], answer: "met!" }, true, asked)
      assert.strictEqual(verdictsOf(played)["req_1.1"], "unproven")
      assert.deepStrictEqual(asked, ["0 req_1", "0 req_1", "1 req_1", "1 req_1"])
      const refused = contentsOf(played.events, "ANSWER_REFUSED").filter((one) => one["role"] === "verify")
      assert.deepStrictEqual(
        refused.map((one) => one["answer"]),
        ["met!", "met!", "met!", "met!"]
      )
      assert.isNull(replayed(played))
    })
  )

  it.live("given a failing check beside it, then it is not asked: it could change nothing", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const played = yield* play(
        aDefinition([aRequirement("req_1", ["a", { criterion: "b", check: "false" }])], {
          verifier: "scripted",
          trust_agent: true
        }),
        {
          generate: ({ iteration }) => ({ tasks: [planned(`task_${iteration}`, ["req_1.2"])] }),
          verify: ({ requirement_id }) => {
            asked.push(requirement_id)
            return { met: true, evidence: "`npm test`: ok" }
          }
        },
        { load: { max_iterations: 1 } }
      )
      assert.deepStrictEqual([asked, played.status], [[], "failed"])
    })
  )
})

describe("verifying again", () => {
  /** Two requirements; the second needs another iteration, in which the first is verified again. */
  const twice = (fates: (path: string) => "proven" | "stale", asked: Array<string>) =>
    play(
      aDefinition([aRequirement("req_1", ["a"]), aRequirement("req_2", ["b"])], {
        verifier: "scripted",
        trust_agent: true
      }),
      {
        generate: ({ iteration }) => ({
          tasks: [planned(`task_${iteration}`, iteration === 1 ? [] : ["req_2.1"], { checks: ["true"] })]
        }),
        verify: ({ iteration, requirement_id }) => {
          asked.push(`${iteration} ${requirement_id}`)
          return iteration > (requirement_id === "req_1" ? 0 : 1)
            ? { met: true, evidence: "src/a.ts:1-2", facts: [fact("ok")] }
            : { met: false, evidence: "not yet" }
        },
        fates
      }
    )

  it.live("given a requirement that is met, then nobody is asked about it again", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const played = yield* twice(() => "proven", asked)
      assert.strictEqual(played.status, "completed")
      assert.deepStrictEqual(
        asked.filter((one) => one.endsWith("req_1")),
        ["0 req_1", "1 req_1"]
      )
      assert.isNull(replayed(played))
    })
  )

  it.live("given the code it rests on is gone, then it is reopened and asked about again", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      yield* twice(() => "stale", asked)
      assert.include(asked, "2 req_1")
    })
  )

  it.live("given a check that passed and fails after other work, then its requirement is reopened", () =>
    Effect.gen(function* () {
      let root = ""
      const played = yield* play(
        aDefinition([
          aRequirement("req_1", [{ criterion: "a", check: "test ! -e broken" }]),
          aRequirement("req_2", [{ criterion: "b", check: "test -e wanted" }])
        ]),
        {
          generate: ({ iteration, root: at, unmet }) => {
            root = at
            return { tasks: [planned(`task_${iteration}`, unmet)] }
          },
          script: (id) =>
            Effect.sync(() => {
              writeInto(root, id === "task_1" ? "broken" : "unrelated", "")
              writeInto(root, "wanted", "")
              return { outcome: "COMPLETE" } as const
            })
        },
        { load: { max_iterations: 2 } }
      )
      assert.strictEqual(played.status, "incomplete")
      assert.deepStrictEqual(verdictsOf(played), { "req_1.1": "refuted", "req_2.1": "proven" })
      assert.deepStrictEqual(
        contentsOf(played.events, "REQUIREMENT_VERIFIED")
          .filter((one) => one["requirement_id"] === "req_1")
          .map((one) => one["verdict"]),
        ["proven", "refuted", "refuted"]
      )
    })
  )

  it.live("given one command of several requirements, then it is run once in a round", () =>
    Effect.gen(function* () {
      const command = "echo run >> runs"
      const played = yield* play(
        aDefinition([
          aRequirement("req_1", [{ criterion: "a", check: command }]),
          aRequirement("req_2", [{ criterion: "b", check: command }])
        ]),
        {}
      )
      const runs = contentsOf(played.events, "CRITERIA_CHECKED").flatMap((one) => one["runs"] as ReadonlyArray<unknown>)
      assert.deepStrictEqual([played.status, runs.length], ["completed", 1])
    })
  )
})

describe("a requirements file that has changed", () => {
  it.live(
    "given another definition, when the run goes on, then everything is verified by it and no task runs again",
    () =>
      Effect.gen(function* () {
        const plans: Array<GeneratedTask> = []
        const played = yield* play(
          aDefinition([aRequirement("req_1", [{ criterion: "a", check: "false" }])]),
          {
            generate: ({ iteration, unmet }) => {
              const task = planned(`task_${iteration}`, unmet)
              plans.push(task)
              return { tasks: [task] }
            }
          },
          { load: { max_iterations: 1 } }
        )
        assert.strictEqual(played.status, "failed")
        const changed = aDefinition([aRequirement("req_1", [{ criterion: "a", check: "true" }])])
        const { engine } = played.process
        yield* engine.execute("run_1", {
          _tag: "requirements.Load",
          definition: changed,
          requirements_path: "requirements.yaml",
          sha256: "changed",
          tasks_output_dir: "generated",
          feature: "feature",
          max_iterations: 1,
          chunk: "no",
          carried: null
        } as never)
        const again = yield* resumed(played)
        assert.deepStrictEqual([again.status, plans.length], ["completed", 1])
        assert.isNull(replayed(again))
      })
  )
})
