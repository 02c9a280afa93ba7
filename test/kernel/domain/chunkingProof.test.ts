import { assert, describe, it } from "@effect/vitest"
import {
  type AnyCommand,
  acceptanceCriteria,
  type PlannedSubtask,
  type ReportedItem,
  type RunConfig,
  subtaskStateOf
} from "@proofline/kernel"
import { aTask } from "@proofline/kernel/testing"
import { aggregated, aPart, bothPass, chunking, givenSplit, measured, parts, passes } from "../support/chunks.ts"
import {
  activityFailed,
  check,
  done,
  end,
  endReporting,
  evidence,
  gone,
  judged,
  resume,
  revisited,
  start,
  task,
  typesOf,
  verified,
  waived
} from "../support/words.ts"

const critic: Partial<RunConfig> = { reviewer: "critic" }

const pending = { item: "p is done", status: "pending" } satisfies ReportedItem

/** An attempt that shows these items, which are all it has, and passes the built-in criteria. */
const shows = (id: string, items: ReadonlyArray<ReportedItem>, attempt = 1): ReadonlyArray<AnyCommand> => [
  start(id, attempt),
  endReporting(id, attempt, items),
  evidence(id, attempt, ...items.keys()),
  measured(id, attempt)
]

describe("the checklist of a task that is split", () => {
  const checklist = [{ item: "A" }, { item: "B" }, { item: "C" }]
  const carriedBy = (subtasks: ReadonlyArray<PlannedSubtask>) => {
    const state = givenSplit(subtasks, critic, { checklist }).when({ _tag: "FinishRun" }).state
    return subtasks.map((_, i) => {
      const subtask = task(state, `p-sub-${i + 1}`)
      return [subtaskStateOf(state, subtask)?.carries, subtask.items.map(({ item }) => item)]
    })
  }

  it("is carried by the parts as the plan says", () => {
    assert.deepStrictEqual(carriedBy([aPart("a", { checklist: [2, 0] }), aPart("b", { checklist: [1] })]), [
      [
        [0, 2],
        ["A", "C"]
      ],
      [[1], ["B"]]
    ])
  })

  it("is carried item by item by one part: the first that claims it, and the last to be run if nobody does", () => {
    const claimed = [aPart("a", { checklist: [0, 1] }), aPart("b", { checklist: [1, 2, 9] })]
    assert.deepStrictEqual(
      carriedBy(claimed).map(([carries]) => carries),
      [[0, 1], [2]]
    )
    const unclaimed = [aPart("a", { dependencies: [2] }), aPart("b", { checklist: [1] })]
    assert.deepStrictEqual(
      carriedBy(unclaimed).map(([carries]) => carries),
      [[0, 2], [1]]
    )
  })

  it("is shown once also where the plan makes a criterion of an item", () => {
    const plan = [aPart("a", { checklist: [0], acceptance_criteria: ["A", "a is tried"] }), aPart("b")]
    const state = givenSplit(plan, {}, { checklist: [{ item: "A" }] }).when(start("p-sub-1")).state
    assert.deepStrictEqual(
      task(state, "p-sub-1").spec.checklist.map(({ item }) => item),
      ["A", "a is tried"]
    )
    assert.deepStrictEqual(acceptanceCriteria(state, task(state, "p-sub-1")), ["A", "a is tried"])
  })

  const plan = [aPart("a", { checklist: [0] }), aPart("b", { checklist: [1] })]
  const two = givenSplit(plan, critic, { checklist: [{ item: "A", check: "true" }, { item: "B" }] })
  const shown = two.after(
    start("p-sub-1"),
    endReporting("p-sub-1", 1, [done("A")]),
    evidence("p-sub-1", 1, 0),
    verified("p-sub-1", 1, [check(0, { item_index: 0 })]),
    measured("p-sub-1"),
    judged("p-sub-1"),
    ...shows("p-sub-2", [done("B")])
  )

  it("is checked in the part that carries it: a part without evidence for its item is not complete", () => {
    const silent = two.after(start("p-sub-1"), end("p-sub-1"), evidence("p-sub-1", 1))
    assert.include(silent.types, "CHECKLIST_ITEM_REJECTED")
    assert.notInclude(silent.types, "SUBTASK_COMPLETE")
    const unchecked = two.after(
      start("p-sub-1"),
      endReporting("p-sub-1", 1, [done("A")]),
      evidence("p-sub-1", 1, 0),
      verified("p-sub-1", 1, [check(1, { item_index: 0 })])
    )
    assert.deepInclude(unchecked.content("TASK_STATUS_CHANGED"), { reason: "checks_failed" })
  })

  it("is not proven by its parts: only when what they did is put together and looked at once more", () => {
    const all = shown.after(judged("p-sub-2"))
    assert.deepStrictEqual(all.verdicts("p"), ["unproven", "unproven"])
    const together = all.after(aggregated())
    assert.deepStrictEqual(together.types, ["CHUNKING_AGGREGATION"])
    assert.deepStrictEqual(together.verdicts("p"), ["unproven", "unproven"])
    assert.deepStrictEqual(together.orders, ["evidence/p/1"])
    const looked = together.after(evidence("p", 1, 0, 1))
    assert.deepStrictEqual(looked.verdicts("p"), ["proven", "proven"])
    assert.deepStrictEqual(looked.orders, ["checks/p/1"], "the items' checks are run on the whole")
    assert.notInclude(looked.types, "TASK_COMPLETED")
    const then = looked.after(verified("p", 1, [check(0, { item_index: 0 })]))
    assert.deepStrictEqual(then.types.slice(-3), ["CHUNKING_COMPLETE", "TASK_COMPLETED", "RUN_ENDING"])
    assert.deepInclude(then.content("TASK_COMPLETED"), { proven: 2, waived: 0 })
    const ended = then.after(revisited(0, [], 2))
    assert.deepInclude(ended.content("RUN_COMPLETED"), { proven: 2 }, "what is carried is counted once")
  })

  it("cites what the parts cited, and says what they said", () => {
    const { report } = shown.after(judged("p-sub-2"), aggregated()).task("p").current ?? {}
    assert.deepStrictEqual(report, {
      summary: "a: done\nb: done",
      checklist: [
        { item: "A", status: "done", evidence: "src/a.ts:1-2" },
        { item: "B", status: "done", evidence: "src/a.ts:1-2" }
      ],
      problems: []
    })
  })

  it("cites the lines where they stand now, and nothing for what is gone: then the task is not complete", () => {
    const moved = aggregated({ evidence: [{ index: 0, evidence: "src/a.ts:7-8" }] })
    const all = shown.after(judged("p-sub-2"))
    const evidences = (command: AnyCommand) =>
      all
        .when(command)
        .task("p")
        .current?.report?.checklist?.map((item) => item.evidence)
    assert.deepStrictEqual(evidences(moved), ["src/a.ts:7-8", "src/a.ts:1-2"])
    const gone = aggregated({ evidence: [{ index: 1, evidence: null }] })
    assert.deepStrictEqual(evidences(gone), ["src/a.ts:1-2", null])
    const then = all.after(gone, evidence("p", 1, 0))
    assert.deepInclude(then.content("CHECKLIST_ITEM_REJECTED"), { task_id: "p", index: 1, item: "B" })
    assert.deepInclude(then.content("TASK_STATUS_CHANGED"), { task_id: "p", reason: "payload_mismatch" })
    assert.deepStrictEqual(then.orders, ["attempt/p/2"])
  })

  it("keeps the reason of an item that a part did not need", () => {
    const all = givenSplit(plan, critic, { checklist: [{ item: "A" }, { item: "B" }] }).after(
      ...shows("p-sub-1", [waived("A")]),
      judged("p-sub-1"),
      ...shows("p-sub-2", [done("B")]),
      judged("p-sub-2")
    )
    const { checklist: report } = all.when(aggregated()).task("p").current?.report ?? {}
    assert.deepStrictEqual(report?.[0], { item: "A", status: "skipped", reason: "not needed in this case" })
    const then = all.after(aggregated(), evidence("p", 1, 1))
    assert.deepInclude(then.content("TASK_COMPLETED"), { proven: 1, waived: 1 })
  })

  it("given a part failed, is not looked at: the task is not complete whatever the others have shown", () => {
    const config = { ...critic, ...chunking({ retry: { max_retries: 0 } }) }
    const then = givenSplit(plan, config, { checklist: [{ item: "A" }, { item: "B" }] })
      .after(start("p-sub-1"), end("p-sub-1", 1, "ERROR"))
      .after(...[...shows("p-sub-2", [done("B")]), judged("p-sub-2"), aggregated()])
    assert.deepInclude(then.content("TASK_FAILED"), { reason: "subtasks_incomplete" })
    assert.deepStrictEqual(then.verdicts("p"), ["unproven", "unproven"])
  })

  it("is shown anew after a resume: nothing of an earlier end is believed", () => {
    const ended = shown.after(
      judged("p-sub-2"),
      aggregated({ outcome: "conflict", conflicts: [{ file: "src/a.ts", sources: ["p-sub-1"] }] }),
      resume()
    )
    assert.deepStrictEqual(ended.when(aggregated()).orders, ["evidence/p/1/1"])
  })
})

describe("the acceptance criteria of a part, given there is no reviewer", () => {
  const run = givenSplit([aPart("a", { acceptance_criteria: ["x", "y"] }), aPart("b")])

  it("are items that need evidence", () => {
    const { items, spec } = run.when(start("p-sub-1")).task("p-sub-1")
    assert.deepStrictEqual(
      items.map(({ item, verdict }) => [item, verdict]),
      [
        ["x", "unproven"],
        ["y", "unproven"]
      ]
    )
    assert.deepStrictEqual(spec.validation, [])
  })

  it("are all shown when the part is complete, and nobody is asked", () => {
    const then = run.after(...shows("p-sub-1", [done("x"), done("y")]))
    assert.deepStrictEqual(then.types, ["QUALITY_JUDGMENT", "REVIEW_LOOP_END", "SUBTASK_COMPLETE"])
    assert.deepInclude(then.content("SUBTASK_COMPLETE"), { proven: 2, waived: 0 })
  })

  it("are not complete with the agent's word alone, nor with evidence for some", () => {
    const silent = run.after(start("p-sub-1"), end("p-sub-1"))
    assert.deepStrictEqual(silent.orders, ["evidence/p-sub-1/1"])
    for (const report of [[], [done("x")]]) {
      const then = run.after(
        start("p-sub-1"),
        endReporting("p-sub-1", 1, report),
        evidence("p-sub-1", 1, ...report.keys())
      )
      assert.deepInclude(then.content("TASK_STATUS_CHANGED"), { reason: "payload_mismatch" })
      assert.deepStrictEqual(then.orders, ["attempt/p-sub-1/2"])
    }
  })

  it("count for the run beside the items of the task", () => {
    const two = givenSplit([aPart("a", { checklist: [0] }), aPart("b")], {}, { checklist: [{ item: "A" }] })
    const then = two.after(
      ...[
        ...shows("p-sub-1", [done("A"), done("a is done")]),
        ...shows("p-sub-2", [done("b is done")]),
        aggregated(),
        evidence("p", 1, 0),
        revisited(0, [], 3)
      ]
    )
    assert.deepInclude(then.content("RUN_COMPLETED"), { proven: 3, waived: 0 })
  })

  it("given there are no review loops either, are items all the same, also when there is a reviewer", () => {
    for (const reviewer of [null, "critic"]) {
      const plain = givenSplit(parts(2), { reviewer, ...chunking({ review_loop_per_subtask: false }) })
      const silent = plain.after(start("p-sub-1"), end("p-sub-1"))
      assert.deepStrictEqual(silent.orders, ["evidence/p-sub-1/1"])
      const then = plain.after(...shows("p-sub-1", [done("part 1 is done")]).slice(0, -1))
      assert.strictEqual(then.types.at(-1), "SUBTASK_COMPLETE")
    }
  })
})

describe("the acceptance criteria of a part, given there is a reviewer", () => {
  const plan = [aPart("p", { acceptance_criteria: ["p is done", "p is tried"] }), aPart("b")]
  const run = givenSplit(plan, critic)

  it("are judged by the reviewer and owe no evidence", () => {
    const then = run.after(start("p-sub-1"), end("p-sub-1"), measured("p-sub-1"))
    assert.deepStrictEqual(then.orders, ["review/p-sub-1/1"])
    assert.deepStrictEqual(then.task("p-sub-1").spec.validation, ["p is done", "p is tried"])
  })

  it("all owe evidence as soon as the report offers some for one of them", () => {
    const then = run.after(start("p-sub-1"), endReporting("p-sub-1", 1, [done("p is done")]))
    assert.deepStrictEqual(then.content("CHECKLIST_REGISTERED"), {
      task_id: "p-sub-1",
      items: [{ item: "p is done" }, { item: "p is tried" }],
      criteria: true
    })
    assert.deepStrictEqual(then.orders, ["evidence/p-sub-1/1"])
    const partly = run.after(start("p-sub-1"), endReporting("p-sub-1", 1, [done("p is done")]))
    assert.deepInclude(partly.when(evidence("p-sub-1", 1, 0)).content("TASK_STATUS_CHANGED"), {
      reason: "payload_mismatch"
    })
    // what is owed once stays owed: the next attempt cannot do without
    const again = partly.after(evidence("p-sub-1", 1, 0), start("p-sub-1", 2), end("p-sub-1", 2))
    assert.deepStrictEqual(again.orders, ["evidence/p-sub-1/2"])
  })

  it("owe evidence also when the report names one without showing it, and come after the items it carries", () => {
    const carrying = givenSplit([{ ...(plan[0] as PlannedSubtask), checklist: [0] }, aPart("b")], critic, {
      checklist: [{ item: "A" }]
    })
    const then = carrying.after(start("p-sub-1"), endReporting("p-sub-1", 1, [done("A"), pending]))
    assert.deepStrictEqual(then.content("CHECKLIST_REGISTERED").items, [
      { item: "A" },
      { item: "p is done" },
      { item: "p is tried" }
    ])
    // evidence for the parent's items is none for a criterion
    const other = carrying.after(start("p-sub-1"), endReporting("p-sub-1", 1, [done("A")]))
    assert.notInclude(other.types, "CHECKLIST_REGISTERED")
  })

  const all = [done("p is done"), done("p is tried")]

  it("given nobody was named, all of them proven: the reviewer is not asked", () => {
    const then = run.after(...shows("p-sub-1", all))
    assert.deepStrictEqual(then.types, ["QUALITY_JUDGMENT", "REVIEW_LOOP_END", "SUBTASK_COMPLETE"])
    assert.deepInclude(then.content("SUBTASK_COMPLETE"), { proven: 2 })
  })

  it("given nobody was named, one of them waived: the reviewer is asked", () => {
    const then = run.after(...shows("p-sub-1", [done("p is done"), waived("p is tried")]))
    assert.deepStrictEqual(then.orders, ["review/p-sub-1/1"])
  })

  it("given a reviewer was named: it is asked whatever is proven", () => {
    const named = givenSplit(plan, { ...critic, reviewer_named: true })
    const then = named.after(...shows("p-sub-1", all))
    assert.deepStrictEqual(then.types, ["QUALITY_JUDGMENT"])
    assert.deepStrictEqual(then.orders, ["review/p-sub-1/1"])
    const rejected = named.after(...shows("p-sub-1", all), judged("p-sub-1", 1, "REJECT", "Mend it."))
    assert.deepInclude(rejected.content("TASK_STATUS_CHANGED"), { reason: "review_rejected" })
  })

  it("what the built-in criteria find is held against it whatever is proven", () => {
    const commands = shows("p-sub-1", all).slice(0, -1)
    const then = run.after(...commands, measured("p-sub-1", 1, "REJECT", "Something is left out."))
    assert.deepInclude(then.content("TASK_STATUS_CHANGED"), { reason: "review_rejected" })
  })

  it("a validation of the task itself is judged by the reviewer whatever its parts have shown", () => {
    const whole = givenSplit(parts(2), critic, { validation: ["part 1 is done"] }).after(...bothPass)
    assert.deepStrictEqual(whole.when(aggregated()).orders, ["review/p/1"])
  })

  it("given the task is not split, are those of the plan: proven ones need no reviewer who was not named", () => {
    const one = givenSplit([aPart("x")], critic)
    const then = one.after(...shows("p", [done("x is done")]))
    assert.include(then.types, "TASK_COMPLETED")
    const silent = one.after(...[start("p"), end("p"), measured("p")])
    assert.deepStrictEqual(silent.orders, ["review/p/1"])
  })

  it("given a task was never to be split, its validation is judged as ever", () => {
    const plain = givenSplit(parts(2), critic, {}, [aTask("x", { validation: ["good"] })])
    const then = plain.after(start("x"), endReporting("x", 1, [done("good")]), verified("x"))
    assert.deepStrictEqual(then.orders, ["review/x/1"])
  })
})

describe("what a part was told to prove", () => {
  it("is proven, or the part is not complete, however its attempt ended", () => {
    const run = givenSplit(parts(2))
    for (const late of [judged("p-sub-1"), measured("p-sub-1"), evidence("p-sub-1", 1, 0)]) {
      assert.isNotNull(run.when(late).rejected, "before it was begun")
      assert.isNotNull(run.after(start("p-sub-1")).when(late).rejected, "while it runs")
    }
    const unseen = run.after(start("p-sub-1"), endReporting("p-sub-1", 1, [done("part 1 is done")]))
    assert.notInclude(unseen.when(measured("p-sub-1")).types, "SUBTASK_COMPLETE")
    assert.notInclude(unseen.when(judged("p-sub-1")).types, "SUBTASK_COMPLETE")
  })

  it("nothing can settle a task, a part or a run that is not at its end", () => {
    const run = givenSplit(parts(2), critic).after(...passes("p-sub-1"))
    for (const command of [
      { _tag: "SettleChunks", task_id: "p" },
      { _tag: "SettleAttempt", task_id: "p" },
      { _tag: "SettleAttempt", task_id: "p-sub-2" },
      { _tag: "SkipChunking", task_id: "p" },
      { _tag: "StartChunking", task_id: "p" },
      { _tag: "SkipTask", task_id: "p-sub-2" },
      { _tag: "FinishRun" }
    ] as const) {
      assert.deepStrictEqual(run.when(command).events, [], command._tag)
    }
  })
})

describe("what a part has shown and the whole does not show any more", () => {
  const alone: Partial<RunConfig> = { reviewer: null, max_retries: 1, retry_delay_ms: 0 }
  const lost = [{ subtask_id: "p-sub-1", item: "a is done", evidence: "src/a.ts:1-2" }]
  const both = [...shows("p-sub-1", [{ ...done("a is done") }]), ...shows("p-sub-2", [{ ...done("b is done") }])]
  const split = givenSplit(
    [aPart("a", { acceptance_criteria: ["a is done"] }), aPart("b", { acceptance_criteria: ["b is done"] })],
    alone
  )
  const item = "p-sub-1: a is done"

  it("has to be shown again: the task is not completed with its parts", () => {
    const then = split.after(...[...both, aggregated({ lost })])
    assert.deepStrictEqual(then.task("p").spec.checklist, [{ item }])
    assert.deepStrictEqual(then.orders, ["evidence/p/1"])
    const looked = split.after(...both, aggregated({ lost }), evidence("p", 1))
    assert.include(looked.types, "CHECKLIST_ITEM_REJECTED")
    assert.notInclude(looked.types, "TASK_COMPLETED")
    assert.deepStrictEqual(looked.orders, ["attempt/p/2"])
  })

  it("may be shown by an attempt at the whole", () => {
    const mended = split.after(
      ...both,
      aggregated({ lost }),
      evidence("p", 1),
      start("p", 2),
      endReporting("p", 2, [done(item)]),
      evidence("p", 2, 0)
    )
    assert.includeMembers([...typesOf(mended.events)], ["CHUNKING_COMPLETE", "TASK_COMPLETED", "RUN_ENDING"])
  })

  it("is not asked for any more when a resume finds it again", () => {
    const again = split.after(
      ...[
        ...both,
        aggregated({ lost }),
        evidence("p", 1),
        start("p", 2),
        endReporting("p", 2, []),
        evidence("p", 2),
        resume(),
        aggregated()
      ]
    )
    assert.deepStrictEqual(again.task("p").spec.checklist, [])
    assert.include(again.types, "TASK_COMPLETED")
  })

  it("is asked of the whole when it is found at the end of the run, and what is shown there is not asked of the part", () => {
    const ended = split.after(...both, aggregated())
    const then = ended.when(revisited(0, [gone("p-sub-1")], 2))
    assert.strictEqual(then.content("EVIDENCE_REVISITED").stale[0]?.shown_by, "p")
    assert.deepStrictEqual(then.orders, ["attempt/p/2"])
    assert.deepStrictEqual(then.statuses("p-sub-1"), ["completed"])
    assert.deepStrictEqual(
      then.task("p").refused?.failures.map((failure) => failure.item),
      [item]
    )
    const again = [revisited(0, [gone("p-sub-1")], 2), start("p", 2), endReporting("p", 2, [done(item)])]
    const shown = ended.after(...again, evidence("p", 2, 0))
    assert.deepStrictEqual(shown.orders, ["evidence_again//1"])
    const last = ended.after(...again, evidence("p", 2, 0), revisited(1, [], 2))
    assert.deepInclude(last.content("RUN_COMPLETED").proof?.counts, { proven: 2, stale: 0 })
  })

  it("is not asked for twice where the whole has shown it since the parts were put together", () => {
    const mended = [evidence("p", 1), start("p", 2), endReporting("p", 2, [done(item)]), evidence("p", 2, 0)]
    const then = split.after(...both, aggregated({ lost }), ...mended, revisited(0, [gone("p-sub-1")], 3))
    assert.deepStrictEqual(then.types, ["EVIDENCE_REVISITED", "RUN_COMPLETED"])
    assert.deepInclude(then.content("RUN_COMPLETED").proof?.counts, { proven: 2, stale: 0 })
  })
})

describe("parts that worked at the same time", () => {
  const together = [start("p-sub-1"), start("p-sub-2", 1, { item_id: "item 2" })]
  const ends = ["p-sub-1", "p-sub-2"].flatMap((id) => [end(id), measured(id), judged(id)])

  it("in one directory are judged by the built-in criteria once more as a whole, in worktrees they are not", () => {
    const shared = givenSplit(parts(2), critic).after(...[...together, ...ends, aggregated()])
    assert.deepStrictEqual(shared.orders, ["criteria/p/1"])
    const apart = givenSplit(parts(2), { ...critic, ...chunking({ workspace: "worktree" }) })
    assert.include(apart.after(...[...together, ...ends, aggregated()]).types, "TASK_COMPLETED")
  })

  it("are done again as a whole when that refuses them", () => {
    const refused = givenSplit(parts(2), critic).after(...together, ...ends, aggregated(), measured("p", 1, "REJECT"))
    assert.deepInclude(refused.content("TASK_STATUS_CHANGED"), { reason: "review_rejected" })
    assert.deepStrictEqual(refused.orders, ["attempt/p/2"])
  })
})

describe("parts that a plugin puts together", () => {
  const both = [...shows("p-sub-1", [done("a is done")]), ...shows("p-sub-2", [done("b is done")])]
  const lost = [
    { subtask_id: "p-sub-1", item: "a is done", evidence: "src/a.ts:1-2", reason: "They are gone.", index: 0 }
  ]
  const custom = { aggregation_strategy: { type: "custom", conflict_resolution: "fail" } } as const
  const split = (over: { readonly custom_looked_at?: true } = { custom_looked_at: true }) =>
    givenSplit([aPart("a"), aPart("b")], { ...chunking({ ...custom, ...over }) }).after(...both)

  it("are looked at before the task goes on, and what is lost in them is asked of the whole", () => {
    const put = split()
    assert.deepStrictEqual(put.orders, ["aggregation-custom/p/0"])
    const unseen = put.after(aggregated())
    assert.deepStrictEqual(unseen.types, ["CHUNKING_AGGREGATION"])
    assert.isNull(unseen.content("CHUNKING_AGGREGATION").whole)
    assert.deepStrictEqual(unseen.orders, ["aggregation/p/0"])
    const seen = unseen.after(aggregated({ lost }))
    assert.deepStrictEqual(
      seen.task("p").spec.checklist.map(({ item }) => item),
      ["p-sub-1: a is done"]
    )
    assert.deepStrictEqual(seen.after(evidence("p", 1)).orders, ["attempt/p/2"])
    assert.include(unseen.after(aggregated()).types, "CHUNKING_COMPLETE")
    // what is lost counts once: where the whole shows it
    const again = seen.after(evidence("p", 1), start("p", 2), endReporting("p", 2, [done("p-sub-1: a is done")]))
    const ended = again.after(evidence("p", 2, 0), revisited(0, [], 2))
    assert.deepInclude(ended.content("RUN_COMPLETED").proof?.counts, { proven: 2, unproven: 0 })
    // it is looked at once
    assert.isNotNull(seen.when(aggregated()).rejected)
  })

  it("are not looked at where the plugin could not put them together", () => {
    const then = split().after(aggregated({ outcome: "conflict", conflicts: [{ file: "a.ts", sources: [] }] }))
    assert.include(then.types, "TASK_FAILED")
    assert.deepStrictEqual(then.orders, [])
  })

  it("are looked at again when they are put together again", () => {
    const failed = split().after(aggregated(), activityFailed("p", 0, "aggregation"))
    assert.deepInclude(failed.content("TASK_FAILED"), { reason: "aggregation_failed" })
    assert.deepStrictEqual(failed.after(resume()).orders, ["aggregation-custom/p/0/1"])
    assert.deepStrictEqual(failed.after(resume(), aggregated()).orders, ["aggregation/p/0/1"])
  })

  it("are as the plugin says in runs of before", () => {
    const then = split({}).after(aggregated())
    assert.include(then.types, "CHUNKING_COMPLETE")
  })
})
