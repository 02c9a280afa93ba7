import { assert, describe, it } from "@effect/vitest"
import type { Phase } from "../../../../packages/plugins/src/policies/sessions/contract.ts"
import {
  alice,
  aNewTask,
  answers,
  aPhase,
  aPlan,
  asking,
  bob,
  type Play,
  phases,
  to,
  withContract,
  working
} from "./playing.ts"

const { POST_IMPL_VERIFY: verify, READY_IMPL: impl } = phases

const withdraws = (play: Play, id: string): Play => {
  const begun = play.task(id).status === "pending" ? play : play.after(alice.blocks(id))
  return begun.after(alice.cancels(id))
}

/** How the run ends when nobody does more. */
const endOf = (play: Play): string => {
  const settled = play.settled()
  return (settled.run.status === "running" ? settled.left() : settled).run.status
}

describe("given a task that is done by word alone", () => {
  const byWord = (changed: Readonly<Record<string, Phase>>, verifiers: ReadonlyArray<string> = ["true"]): Play =>
    withContract(changed, {}, { verifiers })
      .working({ id: "a", checklist: null })
      .after(alice.completes("a", []))
      .handedIn()

  it.each([
    [true, "incomplete"],
    [false, "completed"]
  ])("when files may be written after a verifier passed: %s, it is %s", (writes, end) => {
    const play = byWord({
      POST_IMPL_VERIFY: { ...verify, transitions: [to("POLISH")] },
      POLISH: aPhase({ writes, transitions: [to("DONE")] })
    })
    assert.strictEqual(endOf(play.passed().after(alice.submits({}))), end)
  })

  it.each([
    { checks: ["lint"], writes: true, verifiers: [], run: ["lint"], end: "incomplete" },
    { checks: ["lint"], writes: true, verifiers: ["test"], run: ["lint"], end: "incomplete" },
    { checks: ["lint"], writes: false, verifiers: ["test"], run: ["lint"], end: "completed" },
    { checks: ["lint", "test"], writes: false, verifiers: ["test"], run: ["lint", "test"], end: "completed" },
    { checks: [], writes: false, verifiers: ["test"], run: ["test"], end: "completed" }
  ])("when $run passes with writes: $writes and the verifiers $verifiers, it is $end", (given) => {
    const { checks, end, run, verifiers, writes } = given
    const play = byWord({ POST_IMPL_VERIFY: { ...verify, checks, writes } }, verifiers)
    assert.strictEqual(endOf(play.after(play.ends(...run.map((command) => ({ command }))))), end)
  })
})

describe("given a run of which every task was withdrawn", () => {
  it("when success is reported at its end, nothing was done; a failure may be told", () => {
    const play = withdraws(withdraws(working("a", "b"), "a"), "b")
      .handedIn()
      .passed()
    assert.strictEqual(play.phase, "DONE")
    assert.strictEqual(play.when(alice.reports()).code, "nothing_done")
    assert.strictEqual(play.when(alice.reports("failed")).code, undefined)
  })

  it("when one was completed after all, success may be told", () => {
    const play = withdraws(working("a", "b").proven("a"), "b").handedIn().passed()
    assert.strictEqual(play.when(alice.reports()).code, undefined)
  })
})

describe("given a phase without required fields", () => {
  const first = () => withContract({ EXPLORATION: aPhase({ transitions: [to("READY_PLAN")] }) })
  const last = () => working("a").proven("a").summed()
  const { payload: report } = alice.completes("z")

  // after the work a plan leads back to it
  it.each([
    ["a plan", first, aPlan("z")],
    ["a plan as a text", first, JSON.stringify(aPlan("z"))],
    ["a report", first, report],
    ["a report without items", first, { task_id: "z" }],
    ["a report", last, report],
    ["a report without items", last, { task_id: "z" }]
  ])("when %s is handed in to it, it is refused and everything stays", (_, play, payload) => {
    const before = play()
    const then = before.when(alice.submits(payload))
    assert.strictEqual(then.code, "phase_mismatch")
    assert.strictEqual(then.state, before.state)
  })

  it("when it asks for these fields itself, they are taken", () => {
    const phase = aPhase({ expected_payload: { "tasks?": "any", "task_id?": "str" }, transitions: [to("READY_PLAN")] })
    for (const payload of [aPlan("a"), { task_id: "a" }]) {
      assert.strictEqual(withContract({ EXPLORATION: phase }).after(alice.submits(payload)).phase, "READY_PLAN")
    }
  })
})

describe("given verifications that fail in a row", () => {
  /** What failed is planned anew under the next id, given up under its own, shown, and fails again. */
  const renamed = (play: Play, ...ids: ReadonlyArray<string>): Play =>
    ids.slice(1).reduce((now, id, i) => {
      const anew = withdraws(now.after(alice.plans(id)), ids[i] ?? "")
      return anew.proven(id).failing()
    }, play)

  const once = (over: Readonly<Record<string, Phase>> = {}): Play =>
    withContract(over, { limits: { task_failures: 3 } })
      .working("a")
      .proven("a")
      .failing()

  /** The failures of two more tasks, and where each leads. */
  const twoMore = (play: Play, ...[first = "", second = "", third = ""]: ReadonlyArray<string>) => {
    const twice = renamed(play, first, second)
    return [twice.phase, renamed(twice, second, third).phase]
  }

  it("when the failing task has another id each time, the limit is reached all the same", () => {
    assert.deepStrictEqual(twoMore(once(), "a", "b", "c"), ["READY_IMPL", "VERIFY_INTERVENTION"])
    const thrice = renamed(once(), "a", "b", "c")
    for (const id of ["a", "b", "c"]) assert.strictEqual(thrice.assignment(id).failures, 1)
  })

  it("when the counter is reset, the count starts anew", () => {
    const asked = renamed(once(), "a", "b", "c").after(answers({ answer: "continue" }))
    assert.deepStrictEqual(twoMore(renamed(asked, "c", "d"), "d", "e", "f"), ["READY_IMPL", "VERIFY_INTERVENTION"])
  })

  it("when one passes in between, the count starts anew", () => {
    const transitions = [to("REVIEW", { when: { outcome: "passed" } }), ...verify.transitions]
    const REVIEW = aPhase({ transitions: [to("READY_IMPL")] })
    const twice = renamed(once({ POST_IMPL_VERIFY: { ...verify, transitions }, REVIEW }), "a", "b")
    const passed = withdraws(twice.after(alice.plans("c")), "b")
      .proven("c")
      .handedIn()
      .passed()
      .after(alice.submits({}))
    assert.strictEqual(passed.phase, "READY_COMPLETE")
    assert.deepStrictEqual(twoMore(passed.failing(), "c", "d", "e"), ["READY_IMPL", "VERIFY_INTERVENTION"])
  })
})

describe("given a verification that fails while every task is cancelled", () => {
  const sentBack = (over: Readonly<Record<string, Phase>> = {}): Play =>
    withdraws(withContract(over).working("a"), "a").failing()

  it("when it is sent back, the phase of tasks stays and a plan is asked for, whatever is handed in", () => {
    const back = sentBack()
    assert.deepStrictEqual([back.phase, back.action()], ["READY_IMPL", "create_tasks"])
    for (const payload of [{}, { summary: "All is done." }]) {
      assert.deepStrictEqual(back.when(alice.submits(payload)).keys, ["no_open_tasks"])
    }
    const reported = back.when(alice.reports())
    assert.strictEqual(reported.code, "phase_open")
    assert.match(reported.rejected?.hint ?? "", /create_tasks/)
    const planned = sentBack().after(alice.plans("b"))
    assert.strictEqual(planned.action(), "work b")
    assert.strictEqual(planned.proven("b").handedIn().passed().phase, "DONE")
  })

  it("when no plan is taken there, tasks are to be created", () => {
    const play = sentBack({ READY_IMPL: { ...impl, also: [] } })
    assert.deepStrictEqual([play.phase, play.action()], ["READY_IMPL", "create_tasks"])
    const created = play.after(alice.creates(aNewTask("b", { checklist: ["one"] })))
    assert.deepStrictEqual([created.action(), created.proven("tsk_2").phase], ["work tsk_2", "READY_COMPLETE"])
  })

  it("when tasks are created and done without a report, the phase is left by that", () => {
    assert.strictEqual(sentBack().after(alice.creates("b")).byWord("tsk_2").phase, "READY_COMPLETE")
  })
})

describe("given a verification that sends back a task done by word", () => {
  it("when it is called done again, the phase is left and nothing else is asked for", () => {
    const sentBack = working({ id: "a", checklist: null }).byWord("a").failing()
    assert.deepStrictEqual([sentBack.phase, sentBack.action()], ["READY_IMPL", "work a"])
    assert.strictEqual(sentBack.after(alice.finishes("a")).phase, "READY_COMPLETE")
  })
})

describe("given that only what was asked about may be cited", () => {
  const exploring = (path: string): Play => asking(path).after(alice.plans("a", "b", "c"))

  const cites = (play: Play, cited: string, id = "a", by = alice) =>
    play.when(by.completes(id, [{ item: "one", status: "done", evidence: cited }])).keys

  const refused = ["write_target_not_checked"]

  it("when the path is quoted, the lines may stand within the quotes or behind them", () => {
    const play = exploring("my file.py").after(alice.checks("my file.py"))
    for (const cited of ['"my file.py":1-2', '"my file.py:1-2"', "`my file.py`:1", "my file.py:1-2"]) {
      assert.deepStrictEqual(cites(play, cited), [], cited)
    }
    assert.deepStrictEqual(cites(play, '"my file":1-2'), refused)
  })

  it("when a link was asked about, it may be cited by its own name and by that of its file", () => {
    const asked = { ...alice.checks("src/a.ts"), file_path: "link.ts" }
    for (const explored of ["link.ts", "src/a.ts"]) {
      for (const cited of ["link.ts:1-2", "src/a.ts:1-2"]) {
        assert.deepStrictEqual(cites(exploring(explored).after(asked), cited), [], explored)
      }
    }
    assert.deepStrictEqual(cites(exploring("src/b.ts").after(asked), "link.ts:1-2"), refused)
  })

  it("when a task is completed, its agent asks again for the next one, and nobody else", () => {
    const play = exploring("src/a.ts").after(
      bob.opens(),
      alice.creates(aNewTask("d", { assignee: "bob", checklist: ["one"] })),
      alice.checks("src/a.ts"),
      bob.checks("src/a.ts")
    )
    const done = play.proven("a")
    assert.deepStrictEqual(cites(play, "src/a.ts:1-2", "b"), [])
    assert.deepStrictEqual(cites(done, "src/a.ts:1-2", "b"), refused)
    assert.deepStrictEqual(cites(done, "src/a.ts:1-2", "tsk_4", bob), [])
    assert.deepStrictEqual(cites(done.after(alice.checks("src/a.ts")), "src/a.ts:1-2", "b"), [])
  })

  it("when another agent asked, that allows nothing", () => {
    const play = exploring("src/a.ts").after(bob.opens(), bob.checks("src/a.ts"))
    assert.deepStrictEqual(cites(play, "src/a.ts:1-2"), refused)
  })
})

describe("given names that every object has", () => {
  it.each(["constructor", "toString", "hasOwnProperty", "valueOf"])(
    "when a phase and a counter are called %s, visits and the limit count",
    (name) => {
      const transitions = [to("READY_PLAN", { when: { reached: [name] } }), to(name, { count: name })]
      const once = withContract({ [name]: aPhase({ transitions }) }, { start: [to(name)], limits: { [name]: 2 } })
      const next = alice.submits({})
      assert.strictEqual(once.phases.visits[name], 1)
      assert.deepStrictEqual(
        [[next], [next, next], [next, next, next]].map((commands) => {
          const { phase, phases } = once.after(...commands)
          return [phase, phases.visits[name], phases.counters[name]]
        }),
        [
          [name, 2, 1],
          [name, 3, 2],
          ["READY_PLAN", 3, 2]
        ]
      )
    }
  )

  it("when a counter has no limit, whatever its name, it is never reached", () => {
    const reached = ["constructor", "toString", "tries"]
    const EXPLORATION = aPhase({ transitions: [to("STOPPED", { when: { reached } }), to("READY_PLAN")] })
    assert.strictEqual(withContract({ EXPLORATION }).after(alice.submits({})).phase, "READY_PLAN")
  })
})

describe("given a batch of tasks that was created", () => {
  const batch = alice.creates(aNewTask("x", { checklist: ["one"] }), aNewTask("y", { checklist: ["one"] }))
  const created = () => working("a").after(batch)

  it("when the same batch comes again, nothing is created while any of it is not withdrawn", () => {
    for (const play of [created(), withdraws(created(), "tsk_2"), withdraws(created().proven("tsk_3"), "tsk_2")]) {
      assert.isTrue(play.when(batch).isNothing)
    }
  })

  it("when all of it was withdrawn, it is created anew, and once", () => {
    const anew = withdraws(withdraws(created(), "tsk_2"), "tsk_3").after(batch)
    assert.deepStrictEqual(anew.contents("TASKS_CREATED")[0]?.ids, ["tsk_4", "tsk_5"])
    assert.deepStrictEqual(anew.statuses("tsk_2", "tsk_4"), ["skipped", "pending"])
    assert.isTrue(anew.when(batch).isNothing)
  })
})
