import { assert, describe, it } from "@effect/vitest"
import {
  type ChunkingConfig,
  chainLengths,
  type PlannedSubtask,
  type RunConfig,
  subtaskStateOf,
  subtasksOf
} from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { often } from "../../often.ts"
import {
  aggregated,
  anAnalysis,
  analysed,
  aPart,
  aSplit,
  bothPass,
  chunking,
  givenSplit,
  parts,
  passes
} from "../support/chunks.ts"
import { judge } from "../support/judge.ts"
import { played } from "../support/play.ts"
import { forSeeds, randomFrom } from "../support/random.ts"
import {
  activityFailed,
  done,
  end,
  endReporting,
  endTerminal,
  evidence,
  resume,
  start,
  task,
  verified
} from "../support/words.ts"

const oneItem = { checklist: [{ item: "one" }], checks: ["true"] }

describe("a task that may be split, when it is ready", () => {
  it("is not begun before it is ready, whoever asks", () => {
    const run = played().after(aSplit({}, { depends_on: ["first"] }, [aTask("first")]))
    assert.deepStrictEqual(run.when({ _tag: "StartChunking", task_id: "p" }).events, [])
  })

  it("given somebody asked for it, is analysed before anything else is done for it", () => {
    const then = played().when(aSplit({}, { instruction: "Build login, logout and sessions." }))
    assert.deepStrictEqual(then.types, ["RUN_STARTED", "TASK_REGISTERED", "TASK_STARTED", "CHUNKING_START"])
    assert.deepStrictEqual(then.content("CHUNKING_START"), {
      parent_task_id: "p",
      original_prompt: "Build login, logout and sessions.",
      checklist: [],
      analysis_started: true
    })
    assert.deepStrictEqual(
      then.starts.map(({ activity, key, kind }) => ({ activity, key, kind })),
      [{ activity: "analyzer-heuristic", key: "analyzer-heuristic/p/0", kind: "activity" }]
    )
    assert.deepInclude(then.task("p"), { status: "in_progress", attempts: 0 })
  })

  it("is analysed by the agent under `auto`, and by the rules where that fails, once each", () => {
    const split = aSplit(chunking({ analyzer: "auto" }))
    assert.deepStrictEqual(played().when(split).orders, ["analyzer-agent/p/0"])
    const run = played().after(split)
    const failed = run.when(activityFailed("p", 0, "analyzer-agent"))
    assert.deepStrictEqual(failed.types, ["ACTIVITY_FAILED"])
    assert.deepStrictEqual(failed.orders, ["analyzer-heuristic/p/0"])
    const after = run.after(activityFailed("p", 0, "analyzer-agent"))
    // what the agent still sends is late; the plan of the rules is taken
    assert.strictEqual(after.when(analysed(parts(2), { analyzer: "agent" })).code, "task_not_ready")
    assert.include(after.when(analysed(parts(2))).types, "SUBTASK_CREATED")
    const nobody = after.when(activityFailed("p", 0, "analyzer-heuristic"))
    assert.deepStrictEqual(nobody.types, ["ACTIVITY_FAILED", "CHUNKING_SKIPPED"])
  })

  it("is analysed by the analyzer that is configured", () => {
    const then = played().when(aSplit(chunking({ analyzer: "agent" })))
    assert.deepStrictEqual(then.orders, ["analyzer-agent/p/0"])
  })

  it("given the run splits by itself, is analysed although nobody asked", () => {
    const then = played().when(aSplit({}, { chunk: "auto" }))
    assert.include(then.types, "CHUNKING_START")
  })

  it("given auto_detect is off, is analysed only when somebody asked", () => {
    const off = chunking({ auto_detect: false })
    assert.include(played().when(aSplit(off, { chunk: "asked" })).types, "CHUNKING_START")
    const then = played().when(aSplit(off, { chunk: "auto" }))
    assert.notInclude(then.types, "CHUNKING_START")
    assert.deepInclude(then.content("CHUNKING_SKIPPED"), {
      chunking_skipped: true,
      reason: "auto_detect_off"
    })
    assert.deepStrictEqual(then.orders, ["attempt/p/1"])
  })

  it("given chunking is disabled, is run in one piece also when somebody asked", () => {
    const then = played().when(aSplit(chunking({ enabled: false })))
    assert.deepStrictEqual(then.types, ["RUN_STARTED", "TASK_REGISTERED", "TASK_STARTED", "CHUNKING_SKIPPED"])
    assert.deepInclude(then.content("CHUNKING_SKIPPED"), {
      parent_task_id: "p",
      chunking_skipped: true,
      reason: "disabled"
    })
    assert.deepStrictEqual(then.orders, ["attempt/p/1"])
  })

  it("given it may not be split, is never analysed and not skipped either", () => {
    const then = played().when(aSplit({}, { chunk: "no", checks: ["true"] }))
    assert.deepStrictEqual(then.types, ["RUN_STARTED", "TASK_REGISTERED"])
    assert.deepStrictEqual(then.orders, ["attempt/p/1"])
  })

  it("given it waits for another task, is analysed when that is completed and not before", () => {
    const run = played().after(aSplit({}, { depends_on: ["first"] }, [aTask("first")]), start("first"), end("first"))
    assert.deepStrictEqual(run.when(analysed(parts(2))).types, [])
    assert.strictEqual(run.when(analysed(parts(2))).code, "task_not_ready")
    const then = run.when(verified("first"))
    assert.deepStrictEqual(then.types, ["VERIFICATION_RUN", "TASK_COMPLETED", "TASK_STARTED", "CHUNKING_START"])
    assert.deepStrictEqual(then.orders, ["analyzer-heuristic/p/0"])
  })
})

describe("the analysis of a task", () => {
  it("is recorded with its findings, and every part is created with its place and what it must show", () => {
    const plan = [
      aPart("login", {
        prompt: "Implement login.",
        acceptance_criteria: [" login works ", "login works", ""],
        paths: ["src/login.ts"],
        checklist: [1]
      }),
      aPart("logout", { prompt: "Implement logout.", dependencies: [1], changes_files: false })
    ]
    const analysis = anAnalysis(plan)
    const run = played().after(aSplit({}, { checklist: [{ item: "A" }, { item: "B", check: "true" }] }))
    const then = run.when(analysed(analysis))
    assert.deepStrictEqual(then.types, ["CHUNKING_ANALYSIS", "SUBTASK_CREATED", "SUBTASK_CREATED"])
    assert.deepStrictEqual(then.content("CHUNKING_ANALYSIS"), {
      parent_task_id: "p",
      analyzer: "heuristic",
      started_at: "2025-01-23T10:00:00.000Z",
      is_decomposable: true,
      decomposition_reason: "It names its parts.",
      subtask_count: 2,
      dependencies_detected: true,
      execution_mode: "sequential",
      workspace: "shared",
      criteria: analysis.criteria,
      subtasks: plan
    })
    const [login, logout] = then.contents("SUBTASK_CREATED")
    assert.deepStrictEqual(login, {
      parent_task_id: "p",
      subtask_id: "p-sub-1",
      prompt: "Implement login.",
      dependencies: [],
      execution_order: 1,
      title: "login",
      subtask_index: 1,
      total_subtasks: 2,
      acceptance_criteria: ["login works"],
      validation: [],
      checklist: [{ item: "B", check: "true" }, { item: "login works" }],
      carries: [1],
      paths: ["src/login.ts"],
      changes_files: true,
      priority: 2
    })
    assert.deepInclude(logout, {
      subtask_id: "p-sub-2",
      prompt: "Implement logout.",
      dependencies: ["p-sub-1"],
      execution_order: 2,
      carries: [0],
      changes_files: false,
      priority: 1
    })
    assert.deepStrictEqual(then.orders, ["attempt/p-sub-1/1"])
  })

  it("given it names no criterion for a part, makes one of the part's own words", () => {
    const [created] = played()
      .after(aSplit(), analysed([aPart("a", { acceptance_criteria: [" "] }), aPart("b")]))
      .contents("SUBTASK_CREATED")
    assert.deepStrictEqual(created?.["acceptance_criteria"], ["This is done, completely: Do a."])
  })

  it("given it names no criterion for a part that carries items of the task, adds none", () => {
    const then = played().after(
      aSplit({}, { checklist: [{ item: "a is there" }] }),
      analysed([aPart("a", { acceptance_criteria: [], checklist: [0] }), aPart("b")])
    )
    assert.deepStrictEqual(then.contents("SUBTASK_CREATED")[0]?.["acceptance_criteria"], ["a is there"])
    assert.deepStrictEqual(
      then.task("p-sub-1").items.map(({ item }) => item),
      ["a is there"]
    )
  })

  it("is taken once: neither twice, nor for a task that is not waiting for one, nor after the end", () => {
    const run = played().after(aSplit({}, {}, [aTask("x")]))
    for (const refused of [
      run.after(analysed(parts(2))).when(analysed(parts(3))),
      run.when(analysed(parts(2), { task_id: "x" })),
      run.when(analysed(parts(2), { task_id: "nobody" })),
      run.after({ _tag: "CancelRun", reason: "enough" }).when(analysed(parts(2)))
    ]) {
      assert.strictEqual(refused.code, "task_not_ready")
      assert.deepStrictEqual(refused.events, [])
    }
  })

  it("given what waits for the task, gives its parts the place of the chain they hold up", () => {
    const run = played().after(aSplit({}, {}, [aTask("q", { depends_on: ["p"] }), aTask("r", { depends_on: ["q"] })]))
    const created = run.when(analysed([aPart("a"), aPart("b", { dependencies: [1] })])).contents("SUBTASK_CREATED")
    assert.deepStrictEqual(
      created.map(({ priority }) => priority),
      [4, 3]
    )
  })
})

describe("a task that is not split", () => {
  const skippedBy = (subtasks: ReadonlyArray<PlannedSubtask>, config: Partial<RunConfig> = {}, decomposable = true) => {
    const analysis = anAnalysis(subtasks, { is_decomposable: decomposable })
    const then = played().after(aSplit(config), analysed(analysis))
    assert.deepStrictEqual(then.types, ["CHUNKING_ANALYSIS", "CHUNKING_SKIPPED"])
    const content = then.content("CHUNKING_SKIPPED")
    assert.strictEqual(content.parent_task_id, "p")
    assert.strictEqual(content.chunking_skipped, true)
    assert.isNull(then.content("CHUNKING_ANALYSIS").execution_mode)
    assert.deepStrictEqual(then.orders, ["attempt/p/1"], "it is run as one")
    return content
  }

  it("given it cannot be decomposed, keeps the analyzer's reason", () => {
    const { message, reason } = skippedBy([], {}, false)
    assert.strictEqual(reason, "not_decomposable")
    assert.include(message, "It names its parts.")
  })

  it("given the plan has too few or too many parts, says how many are allowed", () => {
    const three = chunking({ min_subtasks: 3 })
    assert.deepInclude(skippedBy(parts(2), three), { reason: "too_few_subtasks" })
    assert.include(skippedBy(parts(2), three).message, "at least 3")
    assert.deepInclude(skippedBy(parts(1), chunking({ min_subtasks: 1 })), { reason: "too_few_subtasks" })
    assert.deepInclude(skippedBy([]), { reason: "too_few_subtasks" })
    assert.deepInclude(skippedBy(parts(11)), { reason: "too_many_subtasks" })
    assert.include(skippedBy(parts(11)).message, "10")
  })

  it("given just as many parts as are allowed, is split all the same", () => {
    for (const count of [2, 10]) {
      const then = played().after(aSplit(), analysed(parts(count)))
      assert.strictEqual(then.contents("SUBTASK_CREATED").length, count)
    }
  })

  it("given a part depends on one that does not exist, names the numbers", () => {
    for (const number of [0, 3, -1]) {
      const { message, reason } = skippedBy([aPart("a"), aPart("b", { dependencies: [1, number] })])
      assert.strictEqual(reason, "plan_invalid")
      assert.include(message, `Part 2 of the plan depends on parts that do not exist: ${number}.`)
    }
  })

  it("given parts wait for each other or for themselves, names them", () => {
    const two = skippedBy([aPart("a", { dependencies: [2] }), aPart("b", { dependencies: [1] })])
    assert.strictEqual(two.reason, "plan_invalid")
    assert.include(two.message, "p-sub-1")
    assert.include(two.message, "p-sub-2")
    const one = skippedBy([aPart("a", { dependencies: [1] }), aPart("b")])
    assert.strictEqual(one.reason, "plan_invalid")
  })

  it("given a part says nothing, names it", () => {
    const { message, reason } = skippedBy([aPart("a"), aPart("b", { prompt: " \n" })])
    assert.strictEqual(reason, "plan_invalid")
    assert.include(message, "Part 2")
  })

  it("given other tasks have the ids of its parts, here or in an earlier run, names them", () => {
    const here = played().after(aSplit({}, {}, [aTask("p-sub-2")]))
    const before = played().after({ ...aSplit(), completed_task_ids: ["p-sub-2"] })
    for (const run of [here, before]) {
      const { message, reason } = run.when(analysed(parts(2))).content("CHUNKING_SKIPPED")
      assert.strictEqual(reason, "plan_invalid")
      assert.include(message, "p-sub-2")
    }
  })

  it("given its analysis failed or nobody knows the analyzer, says why", () => {
    const run = played().after(aSplit())
    const broken = run.when(activityFailed("p", 0, "analyzer-heuristic"))
    assert.deepStrictEqual(broken.types, ["ACTIVITY_FAILED", "CHUNKING_SKIPPED"])
    assert.deepInclude(broken.content("CHUNKING_SKIPPED"), {
      chunking_skipped: true,
      reason: "analyzer-heuristic_failed"
    })
    assert.include(broken.content("CHUNKING_SKIPPED").message, "The analyzer-heuristic broke.")
    assert.deepStrictEqual(broken.orders, ["attempt/p/1"])
    const unknown = run.when({
      ...activityFailed("p", 0, "analyzer-heuristic"),
      code: "activity_unknown",
      message: "No plugin offers the activity analyzer-heuristic."
    })
    assert.deepInclude(unknown.content("CHUNKING_SKIPPED"), { reason: "activity_unknown" })
    // what comes too late is dropped
    const late = run.after(activityFailed("p", 0, "analyzer-heuristic")).when(analysed(parts(2)))
    assert.strictEqual(late.code, "task_not_ready")
  })

  it("given the agent that analyses cannot be started, waits for a resume and is analysed then", () => {
    const failed = { ...activityFailed("p", 0, "analyzer-agent"), agent: "command", terminal: true }
    const run = played().after(aSplit(chunking({ analyzer: "agent" })))
    const then = run.when(failed)
    assert.deepStrictEqual(then.types, ["ACTIVITY_FAILED", "RUN_FAILED"])
    assert.strictEqual(then.content("RUN_FAILED").reason, "breaker")
    const again = run.after(failed, resume())
    assert.deepStrictEqual(again.types, ["RUN_RESUMED"])
    assert.deepStrictEqual(again.orders, ["analyzer-agent/p/0/1"])
  })

  it("given it says itself what must be true, is judged by that alone", () => {
    for (const spec of [{ checklist: [{ item: "A" }] }, { validation: ["good"] }]) {
      const then = played().after(aSplit({}, spec), analysed(parts(1)))
      assert.deepStrictEqual(then.content("CHUNKING_SKIPPED").acceptance_criteria, [])
      const { spec: own } = then.task("p")
      assert.deepStrictEqual(own.checklist, spec.checklist ?? [])
      assert.deepStrictEqual(own.validation, spec.validation ?? [])
    }
  })

  it("given it says nothing of that, is judged by what the plan states; a prompt, of which that says nothing, by the whole of it", () => {
    const ofPlan = [aPart("a", { acceptance_criteria: [" x ", "x", "y"] })]
    const whole = "Everything the task asks for is done, completely, and nothing else was changed."
    for (const [kind, subtasks, expected] of [
      ["tasks", ofPlan, ["x", "y"]],
      ["prompt", ofPlan, ["x", "y"]],
      ["prompt", [], [whole]],
      // who wrote the task did not ask for anything that can be proven
      ["tasks", [], []]
    ] as const) {
      const begun = (config: Partial<RunConfig> = {}) => played().after({ ...aSplit(config), kind }, analysed(subtasks))
      assert.deepStrictEqual(begun().content("CHUNKING_SKIPPED").acceptance_criteria, [...expected])
      assert.deepStrictEqual(
        begun().items("p"),
        expected.map((item) => [item, "unproven"])
      )
      const reviewed = begun({ reviewer: "critic" }).task("p")
      assert.deepStrictEqual(reviewed.items, [])
      assert.deepStrictEqual(reviewed.spec.validation, [...expected])
    }
  })

  it("is begun once: no second TASK_STARTED, and its attempts are counted from 1", () => {
    const run = played().after(aSplit({}, oneItem), analysed(parts(1)))
    assert.deepStrictEqual(run.when(start("p")).types, ["REVIEW_LOOP_START", "ATTEMPT_STARTED"])
    const plain = played(judge).after(
      aSplit(chunking({ review_loop_per_subtask: false }), oneItem),
      analysed(parts(1)),
      start("p"),
      endReporting("p", 1, [done("one")]),
      evidence("p", 1, 0)
    )
    assert.deepStrictEqual(plain.when(verified("p")).types, ["VERIFICATION_RUN", "TASK_COMPLETED", "RUN_ENDING"])
  })

  it("holds up whoever depends on it until it is completed in one piece", () => {
    const run = played(judge).after(
      aSplit(chunking({ review_loop_per_subtask: false }), oneItem, [aTask("q", { depends_on: ["p"] })]),
      analysed(parts(1)),
      start("p"),
      endReporting("p", 1, [done("one")]),
      evidence("p", 1, 0)
    )
    assert.strictEqual(run.when(start("q")).code, "task_not_ready")
    assert.deepStrictEqual(run.when(verified("p")).orders, ["attempt/q/1"])
  })
})

describe("how the parts of a task are run", () => {
  const modeOf = (
    subtasks: ReadonlyArray<PlannedSubtask>,
    execution_mode: ChunkingConfig["execution_mode"] = "auto",
    workers = 3
  ) =>
    played()
      .after(aSplit({ workers, ...chunking({ execution_mode }) }), analysed(subtasks))
      .content("CHUNKING_ANALYSIS").execution_mode
  const chain = [aPart("a"), aPart("b", { dependencies: [1] }), aPart("c", { dependencies: [2] })]
  const diamond = [aPart("a"), aPart("b"), aPart("c", { dependencies: [1, 2] })]

  it("auto: in parallel without dependencies, hybrid with some, sequential when they form one chain", () => {
    assert.strictEqual(modeOf(parts(3)), "parallel")
    assert.strictEqual(modeOf(diamond), "hybrid")
    assert.strictEqual(modeOf(chain), "sequential")
  })

  it("auto with one worker: sequential", () => {
    for (const subtasks of [parts(3), diamond, chain]) assert.strictEqual(modeOf(subtasks, "auto", 1), "sequential")
  })

  it("as configured, but dependencies hold in any case", () => {
    assert.strictEqual(modeOf(parts(3), "sequential"), "sequential")
    assert.strictEqual(modeOf(diamond, "sequential"), "sequential")
    assert.strictEqual(modeOf(parts(3), "parallel", 1), "parallel")
    const run = givenSplit(diamond, chunking({ execution_mode: "parallel" }))
    assert.strictEqual(run.when(start("p-sub-3")).code, "task_not_ready")
    assert.isNull(run.when(start("p-sub-2")).rejected)
  })

  it("in parallel all that can begin is ordered at once", () => {
    const run = played().after(aSplit())
    assert.deepStrictEqual(run.when(analysed(parts(3))).orders, [
      "attempt/p-sub-1/1",
      "attempt/p-sub-2/1",
      "attempt/p-sub-3/1"
    ])
    assert.deepStrictEqual(run.when(analysed(diamond)).orders, ["attempt/p-sub-1/1", "attempt/p-sub-2/1"])
  })

  it("one after the other only one is ordered, the next when it is over, and none while it waits for its retry", () => {
    const config = { reviewer: "critic", ...chunking({ execution_mode: "sequential" }) }
    const run = played().after(aSplit(config))
    assert.deepStrictEqual(run.when(analysed(parts(3))).orders, ["attempt/p-sub-1/1"])
    const split = run.after(analysed(parts(3)))
    assert.strictEqual(split.when(start("p-sub-2")).code, "task_not_ready")
    const failed = split.after(start("p-sub-1"), end("p-sub-1", 1, "ERROR"))
    assert.deepStrictEqual(failed.orders, ["attempt/p-sub-1/2"])
    const retrying = split.after(start("p-sub-1"), end("p-sub-1", 1, "ERROR"))
    assert.strictEqual(retrying.when(start("p-sub-2")).code, "task_not_ready")
    const [begun, ended, measured, judged] = passes("p-sub-1", 2)
    const then = retrying.after(begun as never, ended as never, measured as never, judged as never)
    assert.deepStrictEqual(then.orders, ["attempt/p-sub-2/1"])
  })

  it("one after the other the next has its turn also when one has failed for good", () => {
    const config = chunking({ execution_mode: "sequential", retry: { max_retries: 0 } })
    const then = givenSplit(parts(2), config).after(start("p-sub-1"), end("p-sub-1", 1, "ERROR"))
    assert.deepStrictEqual(then.orders, ["attempt/p-sub-2/1"])
  })

  it("a part waits for all that it depends on, and is ordered with the last of them", () => {
    const run = givenSplit(diamond, { reviewer: "critic" }).after(
      ...passes("p-sub-2"),
      ...passes("p-sub-1").slice(0, 3)
    )
    assert.strictEqual(run.when(start("p-sub-3")).code, "task_not_ready")
    const [last] = passes("p-sub-1").slice(3)
    assert.deepStrictEqual(run.when(last as never).orders, ["attempt/p-sub-3/1"])
  })

  it("begins with the part on which the longest chain waits", () => {
    const starts = played().after(
      aSplit(),
      analysed([
        aPart("x"),
        ...chain.map((part) => ({
          ...part,
          dependencies: part.dependencies.map((number) => number + 1)
        }))
      ])
    ).starts
    const [first] = starts?.toSorted((a, b) => b.priority - a.priority) ?? []
    assert.strictEqual(first?.task_id, "p-sub-2")
  })
})

describe("the order of execution", () => {
  const orderOf = (subtasks: ReadonlyArray<PlannedSubtask>): ReadonlyArray<number> => {
    const run = played().after(aSplit(chunking({ max_subtasks: 50 })), analysed(subtasks))
    const created = run.contents("SUBTASK_CREATED")
    const state = run.state
    assert.deepStrictEqual(
      subtasksOf(state, task(state, "p")).map((part) => subtaskStateOf(state, part)?.execution_order),
      created.map((_, i) => i + 1),
      "the task knows its parts in this order"
    )
    return created.map(({ execution_order }) => execution_order as number)
  }

  it("is the order of the plan as far as the dependencies let it", () => {
    assert.deepStrictEqual(orderOf(parts(3)), [1, 2, 3])
    assert.deepStrictEqual(orderOf([aPart("a"), aPart("b", { dependencies: [1] }), aPart("c")]), [1, 2, 3])
    assert.deepStrictEqual(orderOf([aPart("a", { dependencies: [3] }), aPart("b"), aPart("c")]), [3, 1, 2])
  })

  it("counts every part once, from 1, after all it depends on, whatever the plan", () => {
    forSeeds(often(200), (random) => {
      const count = 2 + random.below(30)
      const hidden = random.shuffled(Array.from({ length: count }, (_, i) => i + 1))
      const subtasks = Array.from({ length: count }, (_, i) => {
        const place = hidden.indexOf(i + 1)
        return aPart(`part ${i + 1}`, { dependencies: hidden.slice(0, place).filter(() => random.chance(0.15)) })
      })
      const order = orderOf(subtasks)
      assert.sameMembers(
        [...order],
        Array.from({ length: count }, (_, i) => i + 1)
      )
      subtasks.forEach(({ dependencies }, i) => {
        for (const number of dependencies) assert.isBelow(order[number - 1] ?? 0, order[i] ?? 0)
      })
    })
  })

  it("gives every part the length of its chain, whatever the plan", () => {
    const random = randomFrom(7)
    const subtasks = Array.from({ length: 40 }, (_, i) =>
      aPart(`part ${i + 1}`, {
        dependencies: Array.from({ length: i }, (_, n) => n + 1).filter(() => random.chance(0.1))
      })
    )
    const lengths = chainLengths(
      subtasks.map(({ dependencies }, i) => ({ id: `${i + 1}`, depends_on: dependencies.map(String) }))
    )
    const then = played().after(aSplit(chunking({ max_subtasks: 40 })), analysed(subtasks))
    assert.deepStrictEqual(
      then.contents("SUBTASK_CREATED").map(({ priority }) => priority),
      subtasks.map((_, i) => lengths.get(`${i + 1}`))
    )
  })
})

describe("a run with tasks that are split beside others that are not", () => {
  it("counts the tasks that were asked for, and goes on in both", () => {
    const run = played().when(
      aRun([aTask("p", { chunk: "asked", checks: [] }), aTask("x"), aTask("y", { depends_on: ["x"] })], {
        ...chunking(),
        reviewer: "critic"
      })
    )
    assert.deepStrictEqual(run.orders, ["attempt/x/1", "analyzer-heuristic/p/0"])
    const then = givenSplit(parts(2), { reviewer: "critic" }, {}, [aTask("x")]).after(
      start("x"),
      end("x"),
      verified("x"),
      ...bothPass,
      aggregated()
    )
    assert.deepInclude(then.content("RUN_COMPLETED"), { total: 2, completed: 2, failed: 0, skipped: 0 })
  })

  it("given an agent that cannot be started, holds the parts and ends when nothing else can happen", () => {
    const run = givenSplit(parts(2), { reviewer: "critic" }).after(start("p-sub-1"), start("p-sub-2"))
    const then = run.after(endTerminal("p-sub-1"), end("p-sub-2", 1, "ERROR"))
    assert.include(then.types, "RUN_FAILED")
    const again = run.after(endTerminal("p-sub-1"), end("p-sub-2", 1, "ERROR"), resume())
    assert.deepStrictEqual(again.orders, ["attempt/p-sub-1/2/1", "attempt/p-sub-2/2/1"])
  })
})
