import { assert, describe, it } from "@effect/vitest"
import { defaultRunConfig, Rejection, takingUpOf } from "@proofline/kernel"
import { acceptsWeak, aRun, aTask } from "@proofline/kernel/testing"
import { aggregated, aPart, bothPass, chunking, givenSplit, parts, passes } from "../support/chunks.ts"
import { judge } from "../support/judge.ts"
import { begun, type Played, played } from "../support/play.ts"
import {
  answered,
  cancel,
  done,
  end,
  endReporting,
  evidence,
  impossible,
  resume,
  resumeFor,
  start,
  stateOf,
  verified
} from "../support/words.ts"

const fails = (id: string, attempt = 1) => [start(id, attempt), end(id, attempt, "ERROR")]
const holds = (id: string, attempt = 1) => [start(id, attempt), end(id, attempt), verified(id, attempt)]
const once = { max_retries: 0 }

/** What will be done, as it is told before. */
const told = (play: Played, ...tasks: ReadonlyArray<string>) => {
  const found = takingUpOf(stateOf(play.snapshot), tasks)
  return found instanceof Rejection ? found.code : found
}

/** `a` failed, and with it what waits for it; `d` failed by itself, and what waits for both cannot go on. */
const failed = begun(
  [
    aTask("a"),
    aTask("b", { depends_on: ["a"] }),
    aTask("c", { depends_on: ["b"] }),
    aTask("d"),
    aTask("e", { depends_on: ["a", "d"] })
  ],
  once
).after(...fails("a"), ...fails("d"))

describe("resuming a run for a task that failed", () => {
  it("takes it up again with a fresh set of attempts, and what was skipped only because of it", () => {
    const then = failed.after(resumeFor(["a"]))
    assert.deepStrictEqual(then.types, ["RUN_RESUMED"])
    assert.deepStrictEqual(then.content("RUN_RESUMED").reopened, [
      { task_id: "a", from: "start" },
      { task_id: "b", from: "start" },
      { task_id: "c", from: "start" }
    ])
    assert.deepStrictEqual(then.orders, ["attempt/a/2/1"])
    assert.deepStrictEqual(
      ["d", "e"].map((id) => then.task(id).status),
      ["failed", "skipped"]
    )
    assert.deepStrictEqual(then.content("RUN_RESUMED").only?.left, { failed: 1, skipped: 1, given_up: 0 })
  })

  it("ends incomplete when they are completed, with the others as they were", () => {
    const then = failed.after(resumeFor(["a"]), ...holds("a", 2), ...holds("b"), ...holds("c"))
    const { completed, failed: lost, skipped } = then.content("RUN_INCOMPLETE")
    assert.deepStrictEqual([completed, lost, skipped], [3, 1, 1])
    // the next one takes up all that is left
    assert.deepStrictEqual(then.after(resume()).orders, ["attempt/d/2/2"])
  })

  it("takes up what waits for several of them when all are named", () => {
    const then = failed.after(resumeFor(["d", "a"]))
    assert.sameMembers(
      then.content("RUN_RESUMED").reopened.map(({ task_id }) => task_id),
      ["a", "b", "c", "d", "e"]
    )
    assert.sameMembers([...then.orders], ["attempt/a/2/1", "attempt/d/2/1"])
  })

  it("spends retries anew, as often as the run has them", () => {
    const tired = begun([aTask("a"), aTask("b")], { max_retries: 1 }).after(
      ...fails("a"),
      ...fails("a", 2),
      ...holds("b")
    )
    const again = tired.after(resumeFor(["a"]), ...fails("a", 3))
    assert.strictEqual(again.content("TASK_STATUS_CHANGED").retry_count, 1)
    assert.include(again.after(...fails("a", 4)).types, "TASK_FAILED")
  })

  it("tells whoever works on it what the person said, and nobody else", () => {
    const then = failed.after(resumeFor(["a"], { note: "The port is 8081." }))
    assert.deepStrictEqual([then.task("a").guidance, then.task("b").guidance], [["The port is 8081."], []])
    const again = then.after(...fails("a", 2), resumeFor(["a"], { note: "Or 8082." }))
    assert.deepStrictEqual(again.task("a").guidance, ["The port is 8081.", "Or 8082."])
  })

  it("only judges again what nobody could judge", () => {
    const unjudged = begun([aTask("a", { validation: ["good"] }), aTask("b", { validation: ["good"] })]).after(
      ...holds("a"),
      ...holds("b")
    )
    const config = { ...defaultRunConfig, proof: acceptsWeak, reviewer: "critic" }
    const then = unjudged.after(resumeFor(["a"], { config }))
    assert.deepStrictEqual(then.content("RUN_RESUMED").reopened, [{ task_id: "a", from: "judgement" }])
    assert.deepStrictEqual(then.orders, ["checks/a/1/1"])
  })

  it("takes up what a person has given up when it is named, and not with others", () => {
    const tasks = [aTask("a", { checks: [], checklist: [{ item: "one" }] }), aTask("b")]
    const asked = played(judge).after(
      aRun(tasks, once),
      start("a"),
      endReporting("a", 1, [impossible("one")]),
      evidence("a", 1, 0),
      ...fails("b")
    )
    const given = asked.after(resume(), answered("a", "give_up"), ...fails("b", 2))
    assert.strictEqual(given.task("a").reason, "given_up")
    assert.deepStrictEqual(given.after(resumeFor(["b"])).orders, ["attempt/b/3/2"])
    assert.deepStrictEqual(given.after(resumeFor(["a"])).orders, ["attempt/a/2/2"])
  })
})

describe("resuming a run for a task, where others are open", () => {
  const open = begun([aTask("a"), aTask("b"), aTask("c", { depends_on: ["a"] }), aTask("d")]).after(
    start("a"),
    start("b"),
    ...holds("d")
  )

  it("goes on with it alone, and loses no attempt of the others without saying so", () => {
    const then = open.after(resumeFor(["a"]))
    assert.deepStrictEqual(then.content("RUN_RESUMED").only, {
      tasks: ["a"],
      set_aside: ["b", "c"],
      left: { failed: 0, skipped: 0, given_up: 0 }
    })
    assert.deepStrictEqual(then.orders, ["attempt/a/2/1"])
    assert.deepStrictEqual(then.types.filter((type) => type === "ATTEMPT_ENDED").length, 2)
    assert.strictEqual(then.task("b").current?.outcome, "LOST")
  })

  it("ends when it is over, and the next resume goes on with all of them", () => {
    const then = open.after(resumeFor(["a"]), ...holds("a", 2))
    assert.match(then.content("RUN_INCOMPLETE").reason, /2 were left open/)
    assert.deepStrictEqual(
      ["b", "c"].map((id) => then.task(id).status),
      ["in_progress", "pending"]
    )
    const after = then.after(resume())
    assert.sameMembers([...after.orders], ["attempt/b/2/2", "attempt/c/1/2"])
    assert.include(after.after(...holds("b", 2), ...holds("c")).types, "RUN_COMPLETED")
  })

  it("ends too when it fails, and what waited for it is left open with the others", () => {
    const lost = open.after(resumeFor(["a"]), ...[2, 3, 4].flatMap((attempt) => fails("a", attempt)))
    assert.include(lost.types, "RUN_INCOMPLETE")
    assert.strictEqual(lost.task("c").status, "pending")
  })

  it("takes up tasks of a cancelled run one by one", () => {
    const cancelled = open.after(cancel())
    const then = cancelled.after(resumeFor(["b"]))
    assert.deepStrictEqual(then.orders, ["attempt/b/2/1"])
    assert.deepStrictEqual(
      ["a", "c"].map((id) => then.task(id).status),
      ["skipped", "skipped"]
    )
    assert.include(then.after(...holds("b", 2)).types, "RUN_INCOMPLETE")
  })

  it("takes nothing of what an open question asks, and lets it be answered", () => {
    const tasks = [aTask("a", { checks: [], checklist: [{ item: "one" }] }), aTask("b")]
    const asks = played(judge).after(
      aRun(tasks, once),
      start("a"),
      endReporting("a", 1, [impossible("one")]),
      evidence("a", 1, 0),
      ...fails("b")
    )
    const then = asks.after(resumeFor(["b"]), answered("a", "continue", "Use the other key."))
    assert.deepStrictEqual(then.orders, [])
    const ended = then.after(...fails("b", 2))
    assert.include(ended.types, "RUN_INCOMPLETE")
    assert.sameMembers([...ended.after(resume()).orders], ["attempt/a/2/2", "attempt/b/3/2"])
  })
})

describe("resuming a run for a part of a task that was split", () => {
  const fast = chunking({ fail_fast: true, retry: { max_retries: 0 } })
  const lax = chunking({ retry: { max_retries: 0 } })

  it("tries that part again, puts the whole together once more, and leaves other parts that failed", () => {
    const then = givenSplit(parts(3), { ...lax, reviewer: "critic" })
      .after(...fails("p-sub-1"), ...fails("p-sub-2"), ...passes("p-sub-3"), aggregated())
      .after(resumeFor(["p-sub-1"]))
    assert.deepStrictEqual(then.content("RUN_RESUMED").reopened, [
      { task_id: "p", from: "parts" },
      { task_id: "p-sub-1", from: "start" }
    ])
    assert.deepStrictEqual(then.orders, ["attempt/p-sub-1/2/1"])
    const whole = then.after(...passes("p-sub-1", 2))
    assert.deepStrictEqual(whole.orders, ["aggregation/p/0/1"])
    assert.match(whole.after(aggregated()).content("TASK_FAILED").message, /not completed: p-sub-2/)
  })

  it("takes up the parts that stopped because of it", () => {
    const then = givenSplit(parts(3), { ...fast, reviewer: "critic" })
      .after(start("p-sub-2"), ...fails("p-sub-1"))
      .after(resumeFor(["p-sub-1"]))
    assert.sameMembers(
      then.content("RUN_RESUMED").reopened.map(({ task_id }) => task_id),
      ["p", "p-sub-1", "p-sub-2", "p-sub-3"]
    )
  })

  it("is refused for a part that another one stopped, which would stop it again at once", () => {
    const stopped = givenSplit(parts(2), fast).after(start("p-sub-2"), ...fails("p-sub-1"))
    assert.strictEqual(stopped.when(resumeFor(["p-sub-2"])).code, "task_stopped_by_failure")
    const off = { ...defaultRunConfig, ...lax }
    assert.deepStrictEqual(stopped.after(resumeFor(["p-sub-2"], { config: off })).orders, ["attempt/p-sub-2/2/1"])
    assert.sameMembers(
      [...stopped.after(resumeFor(["p-sub-2", "p-sub-1"])).orders],
      ["attempt/p-sub-1/2/1", "attempt/p-sub-2/2/1"]
    )
  })

  it("takes up all parts that are not completed when the whole is named, and tells all of them", () => {
    const then = givenSplit(parts(2), { ...lax, reviewer: "critic" })
      .after(...fails("p-sub-1"), ...passes("p-sub-2"), aggregated())
      .after(resumeFor(["p"], { note: "Mind the port." }))
    assert.deepStrictEqual(then.orders, ["attempt/p-sub-1/2/1"])
    assert.deepStrictEqual(
      ["p", "p-sub-1", "p-sub-2"].map((id) => then.task(id).guidance),
      [["Mind the port."], ["Mind the port."], []]
    )
  })

  it("goes on with the open parts of it, and sets the parts of others aside", () => {
    const open = givenSplit(parts(2), lax, {}, [aTask("q")]).after(start("p-sub-1"), start("q"))
    const then = open.after(resumeFor(["p-sub-1"]))
    assert.deepStrictEqual(then.content("RUN_RESUMED").only?.set_aside, ["q"])
    assert.sameMembers([...then.orders], ["attempt/p-sub-1/2/1", "attempt/p-sub-2/1/1"])
    const other = open.after(resumeFor(["q"]))
    assert.deepStrictEqual(other.content("RUN_RESUMED").only?.set_aside, ["p", "p-sub-1", "p-sub-2"])
    assert.deepStrictEqual(other.orders, ["attempt/q/2/1"])
  })

  it("is refused when the whole is completed, and of a part that waits for one that failed", () => {
    const finished = givenSplit(parts(2), { reviewer: "critic" }, {}, [aTask("q")]).after(...bothPass, aggregated())
    assert.deepStrictEqual(
      ["p", "p-sub-1"].map((id) => finished.when(resumeFor([id])).code),
      ["task_completed", "task_completed"]
    )
    const chain = [aPart("one"), aPart("two", { dependencies: [1] })]
    const waits = givenSplit(chain, lax).after(...fails("p-sub-1"))
    assert.strictEqual(waits.when(resumeFor(["p-sub-2"])).code, "task_waits")
    assert.include(
      waits
        .after(resumeFor(["p-sub-1"]))
        .content("RUN_RESUMED")
        .reopened.map(({ task_id }) => task_id),
      "p-sub-2"
    )
  })
})

describe("a run that stops at the first failure", () => {
  const fast = begun([aTask("a"), aTask("b"), aTask("c")], { ...once, fail_fast: true }).after(
    ...holds("c"),
    start("b"),
    ...fails("a")
  )

  it("goes on with the task that failed, and with what it had stopped", () => {
    const then = fast.after(resumeFor(["a"]))
    assert.sameMembers([...then.orders], ["attempt/a/2/1", "attempt/b/2/1"])
  })

  it("is not resumed for another one alone, unless it does not stop any more", () => {
    const refused = fast.when(resumeFor(["b"]))
    assert.strictEqual(refused.code, "task_stopped_by_failure")
    assert.deepStrictEqual(refused.rejected?.open, ["a"])
    const config = { ...defaultRunConfig, ...once, proof: acceptsWeak }
    assert.deepStrictEqual(fast.after(resumeFor(["b"], { config })).orders, ["attempt/b/2/1"])
  })
})

describe("what cannot be tried again by itself", () => {
  it.each([
    ["a task that there is not", failed, ["nope"], "task_unknown"],
    ["no task at all", failed, [], "task_not_named"],
    ["a task that waits for one that failed", failed, ["b"], "task_waits"],
    [
      "a completed task",
      begun([aTask("a"), aTask("b")], once).after(...holds("a"), ...fails("b")),
      ["a"],
      "task_completed"
    ],
    ["a completed run", begun([aTask("a")]).after(...holds("a")), ["a"], "run_completed"]
  ] as ReadonlyArray<readonly [string, Played, ReadonlyArray<string>, string]>)(
    "given %s, says so",
    (_, run, tasks, code) => {
      assert.strictEqual(run.when(resumeFor(tasks)).code, code)
      assert.strictEqual(told(run, ...tasks), code)
    }
  )

  it("given a task that waits for a person, says that the answer comes first", () => {
    const tasks = [aTask("a", { checks: [], checklist: [{ item: "one" }, { item: "two" }] }), aTask("b")]
    const asks = played(judge).after(
      aRun(tasks, once),
      start("a"),
      endReporting("a", 1, [impossible("one"), done("two")]),
      evidence("a", 1, 0, 1)
    )
    assert.strictEqual(asks.task("a").status, "blocked")
    assert.strictEqual(asks.when(resumeFor(["a"])).code, "task_waits_for_person")
  })

  it("given a note and no task, says that nobody would be told", () => {
    assert.strictEqual(failed.when({ ...resume(), note: "Mind the port." }).code, "note_without_task")
  })
})

describe("what is told before", () => {
  it("names what is tried again, what goes on with it, and what stays", () => {
    const found = told(failed, "a")
    assert.deepStrictEqual(typeof found === "string" ? found : [found.goes_on, found.set_aside], [["b", "c"], []])
    assert.deepStrictEqual(
      typeof found === "string" ? found : found.text,
      "a is tried again, with a fresh set of attempts. b and c, skipped because of it, go on after it. What else failed or was skipped stays as it is. What is proven stays. Agents begin at once and change files of the project; budgets count anew."
    )
  })

  it("comes to what the resume does then", () => {
    for (const tasks of [["a"], ["d"], ["a", "d"]]) {
      const found = told(failed, ...tasks)
      const { only, reopened } = failed.after(resumeFor(tasks)).content("RUN_RESUMED")
      assert.isObject(found)
      if (typeof found === "string") return
      assert.sameMembers(
        [...found.tasks, ...found.goes_on],
        reopened.map(({ task_id }) => task_id)
      )
      assert.deepStrictEqual(found.set_aside, only?.set_aside)
    }
  })
})
