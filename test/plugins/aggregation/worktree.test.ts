import { assert, describe, it } from "@effect/vitest"
import {
  type ActivityFailure,
  type Aggregation,
  type AggregationOutcome,
  type ChecklistItemSpec,
  type CommandOf,
  composePlugins,
  defaultChunkingConfig,
  foldEvent,
  isLineReceipt,
  type LineReceipt,
  type PlannedSubtask,
  type Receipt,
  type RecordAggregation,
  type RunConfig,
  type Snapshot
} from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { aggregation } from "@proofline/plugins/policies/aggregation"
import { type AggregationRequest, WorkspaceRefused, Workspaces } from "@proofline/plugins/ports"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { receipt as aReceipt, judge } from "../../kernel/support/judge.ts"
import { done, endReporting, evidence, resume } from "../../kernel/support/words.ts"
import { carryOut } from "../carryOut.ts"
import { analysed, begin, finish, part, plan } from "./support.ts"

const at = (path: string): LineReceipt => ({ ...aReceipt, path })

/** An item of a subtask was accepted with these lines, or was left out. */
const accepted = (task_id: string, index: number, item: string, receipt: Receipt | null) => [
  {
    type: "CHECKLIST_REGISTERED",
    content: { task_id, items: [{ item }] }
  },
  {
    type: "CHECKLIST_ITEM_ACCEPTED",
    content: {
      task_id,
      attempt: 1,
      index,
      item,
      status: receipt === null ? "skipped" : "done",
      verdict: receipt === null ? "waived" : "proven",
      evidence: receipt === null ? null : `${isLineReceipt(receipt) ? receipt.path : receipt.reference}:1-2`,
      reason: receipt === null ? "not needed" : null,
      receipt,
      weak: []
    }
  }
]

interface Put {
  readonly parts?: ReadonlyArray<PlannedSubtask>
  readonly chunking?: Partial<RunConfig["chunking"]>
  readonly shown?: ReadonlyArray<ReturnType<typeof accepted>>
  readonly outcome?: Partial<AggregationOutcome> | WorkspaceRefused
  /** Lines that are gone. */
  readonly gone?: ReadonlyArray<string>
  readonly task_id?: string
  /** Only the first part is completed. */
  readonly isHalf?: boolean
  /** Items of the whole, of which the first part carries the first. */
  readonly checklist?: ReadonlyArray<ChecklistItemSpec>
  /** What a plugin has made of the parts. */
  readonly custom?: Partial<Aggregation>
  /** What the other task of the run has changed; left out: nothing. */
  readonly beside?: ReadonlyArray<string>
  /** What the task waits for. */
  readonly after?: ReadonlyArray<string>
  /** A person had to decide about this file, and the run was resumed. */
  readonly decided?: string
}

const merged: AggregationOutcome = { outcome: "merged", files_modified: ["a.ts"], conflicts: [], message: "" }
const nothingShown = { evidence: [], lost: [] }

const together = (put: Put) =>
  Effect.gen(function* () {
    const requests: Array<AggregationRequest> = []
    const looked: Array<string> = []
    const relocate = (receipts: ReadonlyArray<Receipt>) =>
      Effect.sync(() =>
        receipts.map((receipt) => {
          const path = isLineReceipt(receipt) ? receipt.path : receipt.reference
          looked.push(path)
          return put.gone?.includes(path) === true
            ? { evidence: null, reason: `${path} is gone.` }
            : { evidence: `${path}:7` }
        })
      )
    const workspaces = Layer.mock(Workspaces, {
      aggregate: (request) =>
        Effect.suspend(() => {
          requests.push(request)
          return put.outcome instanceof WorkspaceRefused
            ? Effect.fail(put.outcome)
            : Effect.succeed({ ...merged, ...put.outcome })
        })
    })
    const plugin = yield* Effect.provide(aggregation(relocate), workspaces)
    const chunking = { ...defaultChunkingConfig, workspace: "worktree" as const, ...put.chunking }
    const task = { checks: [], checklist: put.checklist ?? [], chunk: "asked" as const, depends_on: put.after ?? [] }
    const run = aRun([aTask("t", task), aTask("other", { checks: [], checklist: [{ item: "It asks" }] })], {
      reviewer: "critic",
      reviewer_named: true,
      chunking
    })
    const over = (id: string) => [begin(id), ...finish(id, ["a.ts"])]
    const first =
      put.checklist === undefined
        ? over("t-sub-1")
        : [
            begin("t-sub-1"),
            endReporting("t-sub-1", 1, [done("It answers")]),
            evidence("t-sub-1", 1, 0),
            ...finish("t-sub-1", []).slice(1)
          ]
    const asked = {
      _tag: "RecordAggregation",
      task_id: "t",
      duration_ms: 1,
      outcome: {
        ...merged,
        ...nothingShown,
        outcome: "needs_person",
        conflicts: [{ file: put.decided ?? "", sources: ["t-sub-1", "t-sub-2"] }],
        message: "Look."
      }
    } as const
    const complete = given([], [plugin, judge]).after(
      run,
      ...(put.beside === undefined
        ? []
        : [
            begin("other"),
            { ...endReporting("other", 1, [done("It asks")]), files_modified: put.beside },
            evidence("other", 1, 0)
          ]),
      analysed(plan(...(put.parts ?? [part("A"), part("B")]))),
      ...first,
      ...(put.isHalf === true ? [begin("t-sub-2")] : over("t-sub-2")),
      ...(put.decided === undefined ? [] : [asked, resume()]),
      ...(put.custom === undefined
        ? []
        : [{ ...asked, outcome: { ...merged, ...nothingShown, ...put.custom } } as const])
    )
    const now = (put.shown ?? [])
      .flat()
      .reduce((before: Snapshot, event) => foldEvent(composePlugins([plugin]), before, event), complete.snapshot)
    const input = { task_id: put.task_id ?? "t", attempt: 1 }
    const result = yield* Effect.result(
      carryOut([plugin], "aggregation", now, input) as Effect.Effect<unknown, unknown>
    )
    return {
      requests,
      looked,
      failure: Result.isFailure(result) ? (result.failure as ActivityFailure) : undefined,
      command: Result.isSuccess(result) ? (result.success as CommandOf<typeof RecordAggregation> | null) : undefined
    }
  })

const lines = [accepted("t-sub-1", 0, "A answers", at("src/a.ts")), accepted("t-sub-2", 0, "B answers", at("src/b.ts"))]
const lostB = [
  { subtask_id: "t-sub-2", item: "B answers", evidence: "src/b.ts:1-2", reason: "src/b.ts is gone.", index: 0 }
]

describe("parts that have worked in directories of their own", () => {
  it.effect("are put together in their order, and the outcome is told", () =>
    Effect.gen(function* () {
      const { command, requests } = yield* together({})
      assert.deepStrictEqual(requests, [
        {
          run_id: "run_1",
          parent_task_id: "t",
          subtasks: ["t-sub-1", "t-sub-2"],
          strategy: defaultChunkingConfig.aggregation_strategy
        }
      ])
      assert.deepInclude(command, { _tag: "RecordAggregation", task_id: "t", outcome: { ...merged, ...nothingShown } })
    })
  )

  it.effect("are put together beside what other tasks of the run have changed in the project", () =>
    Effect.gen(function* () {
      const { requests } = yield* together({ beside: ["b.ts"] })
      assert.deepStrictEqual(requests[0]?.others, [{ task_id: "other", files: ["b.ts"] }])
      // what it waits for was there when it began
      const waiting = yield* together({ beside: ["b.ts"], after: ["other"] })
      assert.notProperty(waiting.requests[0], "others")
    })
  )

  it.effect("that are not completed are left out", () =>
    Effect.gen(function* () {
      const { requests } = yield* together({ isHalf: true })
      assert.deepStrictEqual(requests[0]?.subtasks, ["t-sub-1"])
    })
  )

  it.effect("of which one is gone cannot be put together, and that is why", () =>
    Effect.gen(function* () {
      const { failure } = yield* together({
        outcome: new WorkspaceRefused({ code: "workplace_lost", message: "Gone." })
      })
      assert.deepStrictEqual(failure, { _tag: "ActivityFailure", code: "workplace_lost", message: "Gone." })
    })
  )

  it.effect("take as long as the clock says, and no less than nothing", () =>
    Effect.gen(function* () {
      // the clock stands before the beginning
      assert.strictEqual((yield* together({})).command?.duration_ms, 0)
      yield* TestClock.setTime(Date.parse("2026-01-02T03:04:05.000Z") + 5_000)
      assert.strictEqual((yield* together({})).command?.duration_ms, 5_000)
    })
  )

  it.effect("are put together once: of a task that has no parts, or that nobody knows, nothing comes", () =>
    Effect.gen(function* () {
      for (const task_id of ["other", "gone"]) {
        const { command, requests } = yield* together({ task_id })
        assert.deepStrictEqual([command, requests], [null, []])
      }
    })
  )
})

describe("what parts have shown, once they are together", () => {
  it.effect.each<readonly [string, Put, ReadonlyArray<unknown>, ReadonlyArray<string>]>([
    ["holds, then nothing is lost", { shown: lines }, [], ["src/a.ts", "src/b.ts"]],
    ["is gone, then it is lost", { shown: lines, gone: ["src/b.ts"] }, lostB, ["src/a.ts", "src/b.ts"]],
    [
      "was left out, then nothing of it can be lost",
      { shown: [accepted("t-sub-1", 0, "A answers", null)], gone: ["src/a.ts"] },
      [],
      []
    ],
    [
      "is gone because the later one wins, then it is lost all the same",
      {
        shown: lines,
        gone: ["src/b.ts"],
        chunking: { aggregation_strategy: { type: "last_wins", conflict_resolution: "fail" } }
      },
      lostB,
      ["src/a.ts", "src/b.ts"]
    ],
    [
      "is gone in a file over which the parts were in conflict, then it is lost all the same",
      { shown: lines, gone: ["src/b.ts"], outcome: { conflicts: [{ file: "src/b.ts", sources: [] }] } },
      lostB,
      ["src/a.ts", "src/b.ts"]
    ],
    [
      "is gone in a file about which a person has decided, then it is lost all the same",
      { shown: lines, gone: ["src/b.ts"], decided: "src/b.ts" },
      lostB,
      ["src/a.ts", "src/b.ts"]
    ],
    [
      "was a whole file, then that is looked up too",
      {
        shown: [accepted("t-sub-2", 0, "B answers", { kind: "kind", scheme: "file", reference: "src/b.ts", fact: {} })],
        gone: ["src/b.ts"]
      },
      lostB,
      ["src/b.ts"]
    ],
    [
      "is gone in what a plugin has put together, then it is lost whatever the plugin says",
      {
        shown: lines,
        gone: ["src/b.ts"],
        chunking: { aggregation_strategy: { type: "custom", conflict_resolution: "fail" }, custom_looked_at: true },
        custom: { lost: [] }
      },
      lostB,
      ["src/a.ts", "src/b.ts"]
    ],
    [
      "is gone as a plugin says itself, then that counts once, and nothing is put together again",
      {
        shown: lines,
        gone: ["src/b.ts"],
        chunking: { aggregation_strategy: { type: "custom", conflict_resolution: "fail" }, custom_looked_at: true },
        custom: { lost: [{ subtask_id: "t-sub-2", item: "B answers", evidence: "src/b.ts:1-2" }] }
      },
      lostB,
      ["src/a.ts", "src/b.ts"]
    ],
    [
      "is not looked for where they could not be put together",
      { shown: lines, outcome: { outcome: "conflict" } },
      [],
      []
    ]
  ])("%s", ([, put, lost, expected]) =>
    Effect.gen(function* () {
      const { command, looked, requests } = yield* together(put)
      assert.lengthOf(requests, put.custom === undefined ? 1 : 0)
      assert.deepStrictEqual(command?.outcome.lost, lost as never)
      assert.deepStrictEqual(command?.outcome.evidence, [])
      assert.deepStrictEqual(looked, expected)
    })
  )

  it.effect.each([
    ["where it is now", [], { evidence: "src/a.ts:7" }],
    ["that it is gone, and why", ["src/a.ts"], { evidence: null, reason: "src/a.ts is gone." }]
  ] as const)("of the items of the whole is told %s, and is no loss of the part", ([, gone, now]) =>
    Effect.gen(function* () {
      const checklist = [{ item: "It answers" }, { item: "It is fast" }]
      const parts = [part("A", { checklist: [0], acceptance_criteria: [] }), part("B", { checklist: [1] })]
      const { command, looked } = yield* together({ checklist, parts, gone, isHalf: true })
      assert.deepInclude(command?.outcome, { evidence: [{ index: 0, ...now }], lost: [] })
      assert.deepStrictEqual(looked, ["src/a.ts"])
    })
  )
})
