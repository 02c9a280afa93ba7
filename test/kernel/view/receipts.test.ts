import { assert, describe, it } from "@effect/vitest"
import {
  type AnyCommand,
  type Composition,
  canonicalJson,
  composePlugins,
  foldReceipts,
  makeManifest,
  noReceipts,
  type Recorded,
  RunReceipts,
  receiptsOf,
  verifyChain
} from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { Result, Schema } from "effect"
import { judge, receipt } from "../support/judge.ts"
import { logOf } from "../support/logOf.ts"
import { digest } from "../support/recorded.ts"
import {
  check,
  done,
  end,
  endReporting,
  evidence,
  judged,
  resume,
  revisited,
  start,
  verified,
  waived
} from "../support/words.ts"

const composition: Composition = composePlugins([judge])

const fold = (log: ReadonlyArray<Recorded>): RunReceipts => {
  const manifest = makeManifest(composition)
  return receiptsOf(
    log.reduce(
      (all, one) =>
        foldReceipts(
          composition,
          all,
          one,
          manifest.decode(one, () => all.snapshot)
        ),
      noReceipts(composition)
    ),
    digest.sha256
  )
}

const receiptsAfter = (...commands: ReadonlyArray<AnyCommand>) => fold(logOf(...commands))

const two = aTask("a", { title: "Two things", checklist: [{ item: "one", existing: false }, { item: "two" }] })
const reported = (attempt: number) => endReporting("a", attempt, [done("one"), done("two")])
const wholeRun = [
  aRun([two]),
  start("a"),
  reported(1),
  evidence("a", 1, 0, 1),
  verified("a", 1, [
    check(0, { command: "test one", item_index: 0, output: { sha256: "c".repeat(64), bytes: 3 } }),
    check(0, { command: "test two", item_index: 1 }),
    check(0)
  ]),
  revisited(0, [], 2)
]

describe("the receipts of a run", () => {
  it("hold all that stands behind an item", () => {
    const log = logOf(...wholeRun)
    const found = fold(log)
    const refTo = (type: string, nth = 0) => {
      const event = log.filter(({ event_type }) => event_type === type)[nth]
      assert.isDefined(event)
      return { version: event.version, position: event.position, hash: event.hash }
    }
    const last = log.at(-1)
    assert.deepInclude(found, {
      run_id: "run_1",
      name: "a run",
      status: "completed",
      base_commit: null,
      head: { version: last?.version ?? 0, hash: last?.hash ?? "" },
      waived: [],
      open: []
    })
    assert.strictEqual(found.receipts.length, 2)
    assert.deepStrictEqual(found.receipts[0], {
      task_id: "a",
      task_title: "Two things",
      task_completed: true,
      item_index: 0,
      item: "one",
      // what `printf '{"existing":false,"item":"one"}' | sha256sum` prints
      item_sha256: "809c762a1aff8fbeb77b842238516e54e308c90176b29d8fe88217cf3d364796",
      attempt: 1,
      agent: "command",
      evidence: "src/a.ts:1-2",
      receipt,
      verdict: "proven",
      weak: [],
      verifier_runs: [
        {
          argv: ["sh", "-c", "test one"],
          item_index: 0,
          exit_code: 0,
          timed_out: false,
          output_sha256: "c".repeat(64),
          passed: true,
          ablation: null
        },
        {
          argv: ["sh", "-c", "true"],
          item_index: null,
          exit_code: 0,
          timed_out: false,
          output_sha256: null,
          passed: true,
          ablation: null
        }
      ],
      review: null,
      events: {
        checklist_item_accepted: refTo("CHECKLIST_ITEM_ACCEPTED"),
        evidence_checked: refTo("EVIDENCE_CHECKED"),
        verification_run: refTo("VERIFICATION_RUN"),
        quality_judgment: null,
        task_completed: refTo("TASK_COMPLETED")
      }
    })
    assert.deepStrictEqual(
      found.receipts[1]?.verifier_runs.map(({ item_index }) => item_index),
      [1, null]
    )
    assert.deepStrictEqual(found.receipts[1]?.events.checklist_item_accepted, refTo("CHECKLIST_ITEM_ACCEPTED", 1))
  })

  it("name where the log ended, as the chain has it", () => {
    const log = logOf(...wholeRun)
    const chain = verifyChain(log, digest.sha256)
    assert.isTrue(Result.isSuccess(chain))
    const { head } = fold(log)
    assert.deepInclude(Result.getOrThrow(chain), head)
  })

  it("are plain data that reads back as it was", () => {
    const found = receiptsAfter(...wholeRun)
    const again = Schema.decodeUnknownSync(RunReceipts)(JSON.parse(canonicalJson(found)))
    assert.deepStrictEqual(again, found)
  })

  it("carry the review of the attempt", () => {
    const reviewed = aTask("a", { checks: [], validation: ["It is right."], checklist: [{ item: "one" }] })
    const found = receiptsAfter(
      aRun([reviewed], { reviewer: "critic" }),
      start("a"),
      endReporting("a", 1, [done("one")]),
      evidence("a", 1, 0),
      judged("a")
    )
    assert.deepStrictEqual(found.receipts[0]?.review, { reviewer: "critic", judgment: "PASS", checks: [] })
    assert.isNotNull(found.receipts[0]?.events.quality_judgment)
  })

  it("are those of the attempt that counts, not of one that was judged before", () => {
    const again = [
      aRun([two]),
      start("a"),
      endReporting("a", 1, [done("one"), { item: "two", status: "pending" }]),
      evidence("a", 1, 0)
    ] as const
    const partly = receiptsAfter(...again)
    assert.deepStrictEqual(
      partly.receipts.map(({ attempt, item, task_completed }) => [item, attempt, task_completed]),
      [["one", 1, false]]
    )
    assert.deepStrictEqual(
      partly.open.map(({ item }) => item),
      ["two"]
    )
    const second = [...again, start("a", 2)]
    assert.strictEqual(receiptsAfter(...second).receipts[0]?.agent, "command")
    const whole = receiptsAfter(...second, reported(2), evidence("a", 2, 0, 1), verified("a", 2))
    assert.deepStrictEqual(
      whole.receipts.map(({ attempt, item, task_completed }) => [item, attempt, task_completed]),
      [
        ["one", 2, true],
        ["two", 2, true]
      ]
    )
  })

  it("are none for an item that a later look does not confirm", () => {
    const found = receiptsAfter(
      aRun([two]),
      start("a"),
      endReporting("a", 1, [done("one"), { item: "two", status: "pending" }]),
      evidence("a", 1, 0),
      start("a", 2),
      reported(2),
      evidence("a", 2, 1)
    )
    assert.deepStrictEqual(
      found.receipts.map(({ item }) => item),
      ["two"]
    )
  })

  it("are none for an item whose own check failed", () => {
    const found = receiptsAfter(
      ...wholeRun.slice(0, 4),
      verified("a", 1, [check(1, { command: "test one", item_index: 0 }), check(0)])
    )
    assert.deepStrictEqual(
      found.receipts.map(({ item }) => item),
      ["two"]
    )
    assert.isFalse(found.receipts[0]?.task_completed)
    assert.isNull(found.receipts[0]?.events.task_completed)
    assert.isNotNull(found.receipts[0]?.events.verification_run)
  })

  it("tell what is waived and what is open from what is proven", () => {
    const found = receiptsAfter(
      aRun([two, aTask("b", { checklist: [{ item: "three" }] })]),
      start("a"),
      endReporting("a", 1, [done("one"), waived("two")]),
      evidence("a", 1, 0),
      verified("a")
    )
    assert.deepStrictEqual(found.waived, [
      { task_id: "a", item_index: 1, item: "two", reason: "not needed in this case" }
    ])
    assert.deepStrictEqual(found.open, [{ task_id: "b", item_index: 0, item: "three", task_status: "pending" }])
    assert.strictEqual(found.status, "running")
  })

  it("stand while a task is taken up again, but not as completed", () => {
    const found = receiptsAfter(
      aRun([two], { max_retries: 0 }),
      start("a"),
      reported(1),
      evidence("a", 1, 0, 1),
      verified("a", 1, [check(1)]),
      resume()
    )
    assert.deepStrictEqual(
      found.receipts.map(({ task_completed }) => task_completed),
      [false, false]
    )
  })

  it("are none of a run without items, and none of no log", () => {
    assert.deepStrictEqual(receiptsAfter(aRun([aTask("a")]), start("a"), end("a"), verified("a")).receipts, [])
    assert.deepInclude(receiptsOf(noReceipts(composition), digest.sha256), { receipts: [], head: null, status: "none" })
  })

  it("leave events of plugins alone, and count them in the chain", () => {
    const log = logOf(...wholeRun)
    const last = log.at(-1)
    assert.isDefined(last)
    const manifest = makeManifest(composition)
    const known = log.reduce(
      (all, one) => foldReceipts(composition, all, one, manifest.decode(one)),
      noReceipts(composition)
    )
    const foreign = { ...last, event_type: "PLUGIN_SPOKE", version: last.version + 1, hash: "f".repeat(64) }
    const after = receiptsOf(foldReceipts(composition, known, foreign, null), digest.sha256)
    assert.deepStrictEqual(after.head, { version: last.version + 1, hash: "f".repeat(64) })
    assert.deepStrictEqual(after.receipts, receiptsOf(known, digest.sha256).receipts)
  })
})
