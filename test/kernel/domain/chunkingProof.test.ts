import { assert, describe, it } from "@effect/vitest"
import {
  type AnyCommand,
  acceptanceCriteria,
  type PlannedSubtask,
  type ReportedItem,
  type RunConfig,
  subtaskStateOf
} from "@proofline/kernel"
import type { Given } from "@proofline/kernel/testing"
import { aTask } from "@proofline/kernel/testing"
import { aggregated, aPart, chunking, givenSplit, measured, parts, passes } from "../support/chunks.ts"
import {
  check,
  contentOf,
  done,
  end,
  endReporting,
  evidence,
  gone,
  judged,
  resume,
  revisited,
  start,
  stateOf as stateAfter,
  task,
  typesOf,
  verified,
  waived
} from "../support/words.ts"

const critic: Partial<RunConfig> = { reviewer: "critic" }

type Then = ReturnType<Given["when"]>

const keysOf = ({ step }: Then) => step?.starts.map(({ key }) => key)
const stateOf = ({ step }: Then) => stateAfter(step?.after)

const pending = { item: "p is done", status: "pending" } satisfies ReportedItem

/** An attempt that shows these items, which are all it has, and passes the built-in criteria. */
const shows = (id: string, items: ReadonlyArray<ReportedItem>, attempt = 1): ReadonlyArray<AnyCommand> => [
  start(id, attempt),
  endReporting(id, attempt, items),
  evidence(id, attempt, ...items.keys()),
  measured(id, attempt)
]
const last = (run: Given, commands: ReadonlyArray<AnyCommand>): Then =>
  run.after(...commands.slice(0, -1)).when(commands.at(-1) as AnyCommand)

describe("the checklist of a task that is split", () => {
  const checklist = [{ item: "A" }, { item: "B" }, { item: "C" }]
  const carriedBy = (subtasks: ReadonlyArray<PlannedSubtask>) => {
    const state = stateOf(givenSplit(subtasks, critic, { checklist }).when({ _tag: "FinishRun" }))
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
    const state = stateOf(givenSplit(plan, {}, { checklist: [{ item: "A" }] }).when(start("p-sub-1")))
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
    const silent = two.after(start("p-sub-1"), end("p-sub-1")).when(evidence("p-sub-1", 1))
    assert.include(typesOf(silent.events), "CHECKLIST_ITEM_REJECTED")
    assert.notInclude(typesOf(silent.events), "SUBTASK_COMPLETE")
    const unchecked = two
      .after(start("p-sub-1"), endReporting("p-sub-1", 1, [done("A")]), evidence("p-sub-1", 1, 0))
      .when(verified("p-sub-1", 1, [check(1, { item_index: 0 })]))
    assert.deepInclude(contentOf(unchecked.events, "TASK_STATUS_CHANGED"), { reason: "checks_failed" })
  })

  it("is not proven by its parts: only when what they did is put together and looked at once more", () => {
    const verdicts = (then: Then) => task(stateOf(then), "p").items.map(({ verdict }) => verdict)
    assert.deepStrictEqual(verdicts(shown.when(judged("p-sub-2"))), ["unproven", "unproven"])
    const all = shown.after(judged("p-sub-2"))
    const then = all.when(aggregated())
    assert.deepStrictEqual(typesOf(then.events), ["CHUNKING_AGGREGATION"])
    assert.deepStrictEqual(verdicts(then), ["unproven", "unproven"])
    assert.deepStrictEqual(keysOf(then), ["evidence/p/1"])
    const looked = all.after(aggregated()).when(evidence("p", 1, 0, 1))
    assert.deepStrictEqual(verdicts(looked), ["proven", "proven"])
    assert.deepStrictEqual(keysOf(looked), ["checks/p/1"], "the items' checks are run on the whole")
    assert.notInclude(typesOf(looked.events), "TASK_COMPLETED")
    const checked = verified("p", 1, [check(0, { item_index: 0 })])
    const { events } = all.after(aggregated(), evidence("p", 1, 0, 1)).when(checked)
    assert.deepStrictEqual(typesOf(events).slice(-3), ["CHUNKING_COMPLETE", "TASK_COMPLETED", "RUN_ENDING"])
    assert.deepInclude(contentOf(events, "TASK_COMPLETED"), { proven: 2, waived: 0 })
    const ended = all.after(aggregated(), evidence("p", 1, 0, 1), checked).when(revisited(0, [], 2))
    assert.deepInclude(contentOf(ended.events, "RUN_COMPLETED"), { proven: 2 }, "what is carried is counted once")
  })

  it("cites what the parts cited, and says what they said", () => {
    const { report } = task(stateOf(shown.after(judged("p-sub-2")).when(aggregated())), "p").current ?? {}
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
      task(stateOf(all.when(command)), "p").current?.report?.checklist?.map((item) => item.evidence)
    assert.deepStrictEqual(evidences(moved), ["src/a.ts:7-8", "src/a.ts:1-2"])
    const gone = aggregated({ evidence: [{ index: 1, evidence: null }] })
    assert.deepStrictEqual(evidences(gone), ["src/a.ts:1-2", null])
    const then = all.after(gone).when(evidence("p", 1, 0))
    assert.deepInclude(contentOf(then.events, "CHECKLIST_ITEM_REJECTED"), { task_id: "p", index: 1, item: "B" })
    assert.deepInclude(contentOf(then.events, "TASK_STATUS_CHANGED"), { task_id: "p", reason: "payload_mismatch" })
    assert.deepStrictEqual(keysOf(then), ["attempt/p/2"])
  })

  it("keeps the reason of an item that a part did not need", () => {
    const all = givenSplit(plan, critic, { checklist: [{ item: "A" }, { item: "B" }] }).after(
      ...shows("p-sub-1", [waived("A")]),
      judged("p-sub-1"),
      ...shows("p-sub-2", [done("B")]),
      judged("p-sub-2")
    )
    const { checklist: report } = task(stateOf(all.when(aggregated())), "p").current?.report ?? {}
    assert.deepStrictEqual(report?.[0], { item: "A", status: "skipped", reason: "not needed in this case" })
    const { events } = all.after(aggregated()).when(evidence("p", 1, 1))
    assert.deepInclude(contentOf(events, "TASK_COMPLETED"), { proven: 1, waived: 1 })
  })

  it("given a part failed, is not looked at: the task is not complete whatever the others have shown", () => {
    const config = { ...critic, ...chunking({ retry: { max_retries: 0 } }) }
    const then = last(
      givenSplit(plan, config, { checklist: [{ item: "A" }, { item: "B" }] }).after(
        start("p-sub-1"),
        end("p-sub-1", 1, "ERROR")
      ),
      [...shows("p-sub-2", [done("B")]), judged("p-sub-2"), aggregated()]
    )
    assert.deepInclude(contentOf(then.events, "TASK_FAILED"), { reason: "subtasks_incomplete" })
    assert.deepStrictEqual(
      task(stateOf(then), "p").items.map(({ verdict }) => verdict),
      ["unproven", "unproven"]
    )
  })

  it("is shown anew after a resume: nothing of an earlier end is believed", () => {
    const ended = shown.after(
      judged("p-sub-2"),
      aggregated({ outcome: "conflict", conflicts: [{ file: "src/a.ts", sources: ["p-sub-1"] }] }),
      resume()
    )
    assert.deepStrictEqual(keysOf(ended.when(aggregated())), ["evidence/p/1/1"])
  })
})

describe("the acceptance criteria of a part, given there is no reviewer", () => {
  const run = givenSplit([aPart("a", { acceptance_criteria: ["x", "y"] }), aPart("b")])

  it("are items that need evidence", () => {
    const { items, spec } = task(stateOf(run.when(start("p-sub-1"))), "p-sub-1")
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
    const then = last(run, shows("p-sub-1", [done("x"), done("y")]))
    assert.deepStrictEqual(typesOf(then.events), ["QUALITY_JUDGMENT", "REVIEW_LOOP_END", "SUBTASK_COMPLETE"])
    assert.deepInclude(contentOf(then.events, "SUBTASK_COMPLETE"), { proven: 2, waived: 0 })
  })

  it("are not complete with the agent's word alone, nor with evidence for some", () => {
    const silent = run.after(start("p-sub-1")).when(end("p-sub-1"))
    assert.deepStrictEqual(keysOf(silent), ["evidence/p-sub-1/1"])
    for (const report of [[], [done("x")]]) {
      const then = run
        .after(start("p-sub-1"), endReporting("p-sub-1", 1, report))
        .when(evidence("p-sub-1", 1, ...report.keys()))
      assert.deepInclude(contentOf(then.events, "TASK_STATUS_CHANGED"), { reason: "payload_mismatch" })
      assert.deepStrictEqual(keysOf(then), ["attempt/p-sub-1/2"])
    }
  })

  it("count for the run beside the items of the task", () => {
    const two = givenSplit([aPart("a", { checklist: [0] }), aPart("b")], {}, { checklist: [{ item: "A" }] })
    const { events } = last(two, [
      ...shows("p-sub-1", [done("A"), done("a is done")]),
      ...shows("p-sub-2", [done("b is done")]),
      aggregated(),
      evidence("p", 1, 0),
      revisited(0, [], 3)
    ])
    assert.deepInclude(contentOf(events, "RUN_COMPLETED"), { proven: 3, waived: 0 })
  })

  it("given there are no review loops either, are items all the same, also when there is a reviewer", () => {
    for (const reviewer of [null, "critic"]) {
      const plain = givenSplit(parts(2), { reviewer, ...chunking({ review_loop_per_subtask: false }) })
      const silent = plain.after(start("p-sub-1")).when(end("p-sub-1"))
      assert.deepStrictEqual(keysOf(silent), ["evidence/p-sub-1/1"])
      const { events } = last(plain, shows("p-sub-1", [done("part 1 is done")]).slice(0, -1))
      assert.strictEqual(typesOf(events).at(-1), "SUBTASK_COMPLETE")
    }
  })
})

describe("the acceptance criteria of a part, given there is a reviewer", () => {
  const plan = [aPart("p", { acceptance_criteria: ["p is done", "p is tried"] }), aPart("b")]
  const run = givenSplit(plan, critic)

  it("are judged by the reviewer and owe no evidence", () => {
    const then = run.after(start("p-sub-1"), end("p-sub-1")).when(measured("p-sub-1"))
    assert.deepStrictEqual(keysOf(then), ["review/p-sub-1/1"])
    assert.deepStrictEqual(task(stateOf(then), "p-sub-1").spec.validation, ["p is done", "p is tried"])
  })

  it("all owe evidence as soon as the report offers some for one of them", () => {
    const then = run.after(start("p-sub-1")).when(endReporting("p-sub-1", 1, [done("p is done")]))
    assert.deepStrictEqual(contentOf(then.events, "CHECKLIST_REGISTERED"), {
      task_id: "p-sub-1",
      items: [{ item: "p is done" }, { item: "p is tried" }],
      criteria: true
    })
    assert.deepStrictEqual(keysOf(then), ["evidence/p-sub-1/1"])
    const partly = run.after(start("p-sub-1"), endReporting("p-sub-1", 1, [done("p is done")]))
    assert.deepInclude(contentOf(partly.when(evidence("p-sub-1", 1, 0)).events, "TASK_STATUS_CHANGED"), {
      reason: "payload_mismatch"
    })
    // what is owed once stays owed: the next attempt cannot do without
    const again = partly.after(evidence("p-sub-1", 1, 0), start("p-sub-1", 2)).when(end("p-sub-1", 2))
    assert.deepStrictEqual(keysOf(again), ["evidence/p-sub-1/2"])
  })

  it("owe evidence also when the report names one without showing it, and come after the items it carries", () => {
    const carrying = givenSplit([{ ...(plan[0] as PlannedSubtask), checklist: [0] }, aPart("b")], critic, {
      checklist: [{ item: "A" }]
    })
    const then = carrying.after(start("p-sub-1")).when(endReporting("p-sub-1", 1, [done("A"), pending]))
    assert.deepStrictEqual(contentOf(then.events, "CHECKLIST_REGISTERED").items, [
      { item: "A" },
      { item: "p is done" },
      { item: "p is tried" }
    ])
    // evidence for the parent's items is none for a criterion
    const other = carrying.after(start("p-sub-1")).when(endReporting("p-sub-1", 1, [done("A")]))
    assert.notInclude(typesOf(other.events), "CHECKLIST_REGISTERED")
  })

  const all = [done("p is done"), done("p is tried")]

  it("given nobody was named, all of them proven: the reviewer is not asked", () => {
    const then = last(run, shows("p-sub-1", all))
    assert.deepStrictEqual(typesOf(then.events), ["QUALITY_JUDGMENT", "REVIEW_LOOP_END", "SUBTASK_COMPLETE"])
    assert.deepInclude(contentOf(then.events, "SUBTASK_COMPLETE"), { proven: 2 })
  })

  it("given nobody was named, one of them waived: the reviewer is asked", () => {
    const then = last(run, shows("p-sub-1", [done("p is done"), waived("p is tried")]))
    assert.deepStrictEqual(keysOf(then), ["review/p-sub-1/1"])
  })

  it("given a reviewer was named: it is asked whatever is proven", () => {
    const named = givenSplit(plan, { ...critic, reviewer_named: true })
    const then = last(named, shows("p-sub-1", all))
    assert.deepStrictEqual(typesOf(then.events), ["QUALITY_JUDGMENT"])
    assert.deepStrictEqual(keysOf(then), ["review/p-sub-1/1"])
    const rejected = named.after(...shows("p-sub-1", all)).when(judged("p-sub-1", 1, "REJECT", "Mend it."))
    assert.deepInclude(contentOf(rejected.events, "TASK_STATUS_CHANGED"), { reason: "review_rejected" })
  })

  it("what the built-in criteria find is held against it whatever is proven", () => {
    const commands = shows("p-sub-1", all).slice(0, -1)
    const then = run.after(...commands).when(measured("p-sub-1", 1, "REJECT", "Something is left out."))
    assert.deepInclude(contentOf(then.events, "TASK_STATUS_CHANGED"), { reason: "review_rejected" })
  })

  it("a validation of the task itself is judged by the reviewer whatever its parts have shown", () => {
    const whole = givenSplit(parts(2), critic, { validation: ["part 1 is done"] }).after(
      ...passes("p-sub-1"),
      ...passes("p-sub-2")
    )
    assert.deepStrictEqual(keysOf(whole.when(aggregated())), ["review/p/1"])
  })

  it("given the task is not split, are those of the plan: proven ones need no reviewer who was not named", () => {
    const one = givenSplit([aPart("x")], critic)
    const then = last(one, shows("p", [done("x is done")]))
    assert.include(typesOf(then.events), "TASK_COMPLETED")
    const silent = last(one, [start("p"), end("p"), measured("p")])
    assert.deepStrictEqual(keysOf(silent), ["review/p/1"])
  })

  it("given a task was never to be split, its validation is judged as ever", () => {
    const plain = givenSplit(parts(2), critic, {}, [aTask("x", { validation: ["good"] })])
    const then = plain.after(start("x"), endReporting("x", 1, [done("good")])).when(verified("x"))
    assert.deepStrictEqual(keysOf(then), ["review/x/1"])
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
    assert.notInclude(typesOf(unseen.when(measured("p-sub-1")).events), "SUBTASK_COMPLETE")
    assert.notInclude(typesOf(unseen.when(judged("p-sub-1")).events), "SUBTASK_COMPLETE")
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
    const then = last(split, [...both, aggregated({ lost })])
    assert.deepStrictEqual(task(stateOf(then), "p").spec.checklist, [{ item }])
    assert.deepStrictEqual(keysOf(then), ["evidence/p/1"])
    const looked = split.after(...both, aggregated({ lost })).when(evidence("p", 1))
    assert.include(typesOf(looked.events), "CHECKLIST_ITEM_REJECTED")
    assert.notInclude(typesOf(looked.events), "TASK_COMPLETED")
    assert.deepStrictEqual(keysOf(looked), ["attempt/p/2"])
  })

  it("may be shown by an attempt at the whole", () => {
    const mended = split
      .after(...both, aggregated({ lost }), evidence("p", 1), start("p", 2), endReporting("p", 2, [done(item)]))
      .when(evidence("p", 2, 0))
    assert.includeMembers([...typesOf(mended.events)], ["CHUNKING_COMPLETE", "TASK_COMPLETED", "RUN_ENDING"])
  })

  it("is not asked for any more when a resume finds it again", () => {
    const again = last(split, [
      ...both,
      aggregated({ lost }),
      evidence("p", 1),
      start("p", 2),
      endReporting("p", 2, []),
      evidence("p", 2),
      resume(),
      aggregated()
    ])
    assert.deepStrictEqual(task(stateOf(again), "p").spec.checklist, [])
    assert.include(typesOf(again.events), "TASK_COMPLETED")
  })

  it("is asked of the whole when it is found at the end of the run, and what is shown there is not asked of the part", () => {
    const ended = split.after(...both, aggregated())
    const then = ended.when(revisited(0, [gone("p-sub-1")], 2))
    assert.strictEqual(contentOf(then.events, "EVIDENCE_REVISITED").stale[0]?.shown_by, "p")
    assert.deepStrictEqual(keysOf(then), ["attempt/p/2"])
    assert.strictEqual(task(stateOf(then), "p-sub-1").status, "completed")
    assert.deepStrictEqual(
      task(stateOf(then), "p").refused?.failures.map((failure) => failure.item),
      [item]
    )
    const again = [revisited(0, [gone("p-sub-1")], 2), start("p", 2), endReporting("p", 2, [done(item)])]
    const shown = ended.after(...again).when(evidence("p", 2, 0))
    assert.deepStrictEqual(keysOf(shown), ["evidence_again//1"])
    const last = ended.after(...again, evidence("p", 2, 0)).when(revisited(1, [], 2))
    assert.deepInclude(contentOf(last.events, "RUN_COMPLETED").proof?.counts, { proven: 2, stale: 0 })
  })

  it("is not asked for twice where the whole has shown it since the parts were put together", () => {
    const mended = [evidence("p", 1), start("p", 2), endReporting("p", 2, [done(item)]), evidence("p", 2, 0)]
    const then = split.after(...both, aggregated({ lost }), ...mended).when(revisited(0, [gone("p-sub-1")], 3))
    assert.deepStrictEqual(typesOf(then.events), ["EVIDENCE_REVISITED", "RUN_COMPLETED"])
    assert.deepInclude(contentOf(then.events, "RUN_COMPLETED").proof?.counts, { proven: 2, stale: 0 })
  })
})

describe("parts that worked at the same time", () => {
  const together = [start("p-sub-1"), start("p-sub-2", 1, { item_id: "item 2" })]
  const ends = ["p-sub-1", "p-sub-2"].flatMap((id) => [end(id), measured(id), judged(id)])

  it("in one directory are judged by the built-in criteria once more as a whole, in worktrees they are not", () => {
    const shared = last(givenSplit(parts(2), critic), [...together, ...ends, aggregated()])
    assert.deepStrictEqual(keysOf(shared), ["criteria/p/1"])
    const apart = givenSplit(parts(2), { ...critic, ...chunking({ workspace: "worktree" }) })
    assert.include(typesOf(last(apart, [...together, ...ends, aggregated()]).events), "TASK_COMPLETED")
  })

  it("are done again as a whole when that refuses them", () => {
    const refused = givenSplit(parts(2), critic)
      .after(...together, ...ends, aggregated())
      .when(measured("p", 1, "REJECT"))
    assert.deepInclude(contentOf(refused.events, "TASK_STATUS_CHANGED"), { reason: "review_rejected" })
    assert.deepStrictEqual(keysOf(refused), ["attempt/p/2"])
  })
})
