import { assert, describe, it } from "@effect/vitest"
import { type CommandOf, isLineFact } from "@proofline/kernel"
import type { Phase, RecordPhaseChecks } from "../../../../packages/plugins/src/policies/sessions/contract.ts"
import { byReport, fact, judgeBy } from "../../../kernel/support/judge.ts"
import { check, task, typesOf } from "../../../kernel/support/words.ts"
import {
  actionOf,
  aNewTask,
  answers,
  aPhase,
  aPlan,
  aPlay,
  assignmentIn,
  because,
  checksTarget,
  codeOf,
  completes,
  contentsOf,
  creates,
  failing,
  failuresOf,
  keysOf,
  opens,
  type Play,
  phases,
  planning,
  proven,
  reports,
  submits,
  to,
  updates,
  verifies,
  verifying,
  warningsOf,
  withContract,
  working
} from "./playing.ts"

const verify = phases["POST_IMPL_VERIFY"] as Phase
const impl = phases["READY_IMPL"] as Phase

const withdraws = (play: Play, id: string): Play => {
  const begun = task(play.state, id).status === "pending" ? play : play.after(updates("alice", id, "blocked", because))
  return begun.after(updates("alice", id, "cancelled", because))
}

/** The commands of the phase that was handed in last all exit 0. */
const passes = ({ phases }: Play, ...commands: ReadonlyArray<string>): CommandOf<typeof RecordPhaseChecks> => ({
  _tag: "RecordPhaseChecks",
  phase: phases.phase,
  submission: phases.submissions,
  checks: commands.map((command) => check(0, { command }))
})

describe("given a task that is done by word alone", () => {
  const byWord = (changed: Readonly<Record<string, Phase>>, verifiers: ReadonlyArray<string> = ["true"]): Play => {
    const planned = planning(withContract(changed, {}, { verifiers })).after(
      submits("alice", aPlan({ id: "a", checklist: null }))
    )
    return verifying(planned.after(completes("alice", "a", [])))
  }

  const thenPolished = (writes: boolean) => {
    const play = byWord({
      POST_IMPL_VERIFY: { ...verify, transitions: [to("POLISH")] },
      POLISH: aPhase({ writes, transitions: [to("DONE")] })
    })
    return play.after(verifies(play)).when(submits("alice", {}))
  }

  it("when files may be written after a verifier passed, the run is not completed by that pass", () => {
    assert.include(typesOf(thenPolished(true).events), "RUN_INCOMPLETE")
    assert.include(typesOf(thenPolished(false).events), "RUN_COMPLETED")
  })

  it.each([
    { checks: ["lint"], writes: true, verifiers: [], run: ["lint"], end: "RUN_INCOMPLETE" },
    { checks: ["lint"], writes: true, verifiers: ["test"], run: ["lint"], end: "RUN_INCOMPLETE" },
    { checks: ["lint"], writes: false, verifiers: ["test"], run: ["lint"], end: "RUN_INCOMPLETE" },
    { checks: ["lint", "test"], writes: false, verifiers: ["test"], run: ["lint", "test"], end: "RUN_COMPLETED" },
    { checks: [], writes: false, verifiers: ["test"], run: ["test"], end: "RUN_COMPLETED" }
  ])("when $run passes with writes: $writes and the verifiers $verifiers, it is $end", (given) => {
    const { checks, end, run, verifiers, writes } = given
    const play = byWord({ POST_IMPL_VERIFY: { ...verify, checks, writes } }, verifiers)
    assert.include(typesOf(play.when(passes(play, ...run)).events), end)
  })
})

describe("given a session without any task of its own", () => {
  it("when it reports success while phases are open, it is refused, also with others present", () => {
    const alone = aPlay()
    const together = alone.after(opens("bob"))
    const worked = proven(working("a", "b").after(opens("bob")), "alice", "a")
    for (const [play, agent] of [
      [alone, "alice"],
      [together, "alice"],
      [together, "bob"],
      [worked, "bob"]
    ] as const) {
      const then = play.when(reports(agent))
      assert.deepStrictEqual([codeOf(then), then.rejected?.open], ["phase_open", [play.phases.phase]])
      assert.deepStrictEqual(then.events, [])
    }
  })

  it("when another did its own part, that one may go", () => {
    const play = proven(working("a").after(opens("bob")), "alice", "a")
    assert.strictEqual(codeOf(play.when(reports("alice"))), undefined)
  })
})

describe("given a run of which every task was withdrawn", () => {
  it("when success is reported at its end, nothing was done; a failure may be told", () => {
    const closed = verifying(withdraws(withdraws(working("a", "b"), "a"), "b"))
    const play = closed.after(verifies(closed))
    assert.strictEqual(play.phases.phase, "DONE")
    assert.strictEqual(codeOf(play.when(reports("alice"))), "nothing_done")
    assert.strictEqual(codeOf(play.when(reports("alice", "failed"))), undefined)
  })

  it("when one was completed after all, success may be told", () => {
    const closed = verifying(withdraws(proven(working("a", "b"), "alice", "a"), "b"))
    assert.strictEqual(codeOf(closed.after(verifies(closed)).when(reports("alice"))), undefined)
  })
})

describe("given a phase without required fields", () => {
  const report = { task_id: "a", checklist: [{ item: "one", status: "done", evidence: "src/a.ts:1-2" }] }

  it("when a plan or a report is handed in to it, it is refused and everything stays", () => {
    const first = withContract({ EXPLORATION: aPhase({ transitions: [to("READY_PLAN")] }) })
    const last = proven(working("a"), "alice", "a").after(submits("alice", { summary: "All is done." }))
    assert.strictEqual(last.phases.phase, "POST_IMPL_VERIFY")
    const plans = [aPlan("z"), JSON.stringify(aPlan("z"))]
    for (const play of [first, last]) {
      // after the work a plan leads back to it
      for (const payload of [...(play === first ? plans : []), { ...report, task_id: "z" }, { task_id: "z" }]) {
        const then = play.when(submits("alice", payload))
        assert.strictEqual(codeOf(then), "phase_mismatch", JSON.stringify(payload))
        assert.deepStrictEqual(then.events, [])
        assert.strictEqual(then.state, play.state)
      }
    }
  })

  it("when it asks for these fields itself, they are taken", () => {
    const phase = aPhase({ expected_payload: { "tasks?": "any", "task_id?": "str" }, transitions: [to("READY_PLAN")] })
    for (const payload of [aPlan("a"), { task_id: "a" }]) {
      const play = withContract({ EXPLORATION: phase }).after(submits("alice", payload))
      assert.strictEqual(play.phases.phase, "READY_PLAN")
    }
  })
})

describe("given evidence that cites only lines that were there before", () => {
  /** The judge that also tells which of the lines it accepts were there before. */
  const weighing = judgeBy((task, facts) => {
    const { accepted, rejected } = byReport(task, facts)
    const isUntouched = (index: number) =>
      facts.some((fact) => fact.index === index && isLineFact(fact) && fact.untouched === true)
    return {
      accepted: accepted.map((one) => ({
        ...one,
        weak: isUntouched(one.index) ? [{ reason: "untouched" as const, message: "No line was changed." }] : []
      })),
      rejected
    }
  })

  /** One item for each: whether its lines were there before. All phases but the last are handed in. */
  const shown = (verifiers: ReadonlyArray<string>, ...untouched: ReadonlyArray<boolean>): Play => {
    const items = untouched.map((_, index) => `item ${index}`)
    return planning(aPlay({ verifiers }, [weighing])).after(
      submits("alice", aPlan({ id: "a", checklist: items })),
      completes("alice", "a", items),
      {
        _tag: "RecordEvidence",
        task_id: "a",
        attempt: 1,
        facts: untouched.map((isUntouched, index) => ({ ...fact(index), untouched: isUntouched }))
      },
      submits("alice", { summary: "All is done." })
    )
  }

  it("when nothing verifies the whole, the run is not completed by them", () => {
    assert.include(typesOf(shown([], true, true).when(submits("alice", {})).events), "RUN_INCOMPLETE")
    assert.include(typesOf(shown([], true, false).when(submits("alice", {})).events), "RUN_COMPLETED")
  })

  it("when a verifier passes, the run is completed", () => {
    const play = shown(["true"], true).after(submits("alice", {}))
    assert.include(typesOf(play.when(verifies(play)).events), "RUN_COMPLETED")
  })
})

describe("given verifications that fail in a row", () => {
  /** What failed is planned anew under another id, and given up under its own. */
  const renamed = (play: Play, from: string, into: string): Play =>
    proven(withdraws(play.after(submits("alice", aPlan(into))), from), "alice", into)

  const once = (over: Readonly<Record<string, Phase>> = {}): Play =>
    failing(
      proven(
        planning(withContract(over, { limits: { task_failures: 3 } })).after(submits("alice", aPlan("a"))),
        "alice",
        "a"
      )
    )

  it("when the failing task has another id each time, the limit is reached all the same", () => {
    const twice = failing(renamed(once(), "a", "b"))
    assert.strictEqual(twice.phases.phase, "READY_IMPL")
    const thrice = failing(renamed(twice, "b", "c"))
    assert.strictEqual(thrice.phases.phase, "VERIFY_INTERVENTION")
    assert.deepStrictEqual(
      ["a", "b", "c"].map((id) => assignmentIn(thrice.state, id).failures),
      [1, 1, 1]
    )
  })

  it("when the counter is reset, the count starts anew", () => {
    const asked = failing(renamed(failing(renamed(once(), "a", "b")), "b", "c"))
    const on = asked.after(answers({ answer: "continue" }))
    const twice = failing(renamed(failing(renamed(on, "c", "d")), "d", "e"))
    assert.strictEqual(twice.phases.phase, "READY_IMPL")
    assert.strictEqual(failing(renamed(twice, "e", "f")).phases.phase, "VERIFY_INTERVENTION")
  })

  it("when one passes in between, the count starts anew", () => {
    const review = aPhase({ transitions: [to("READY_IMPL")] })
    const over = {
      POST_IMPL_VERIFY: {
        ...verify,
        transitions: [to("REVIEW", { when: { outcome: "passed" } }), ...verify.transitions]
      },
      REVIEW: review
    }
    const closed = verifying(renamed(failing(renamed(once(over), "a", "b")), "b", "c"))
    const passed = closed.after(verifies(closed), submits("alice", {}))
    assert.strictEqual(passed.phases.phase, "READY_COMPLETE")
    const twice = failing(renamed(failing(passed), "c", "d"))
    assert.strictEqual(twice.phases.phase, "READY_IMPL")
    assert.strictEqual(failing(renamed(twice, "d", "e")).phases.phase, "VERIFY_INTERVENTION")
  })
})

describe("given a verification that fails while every task is cancelled", () => {
  const sentBack = (over: Readonly<Record<string, Phase>> = {}): Play =>
    failing(withdraws(planning(withContract(over)).after(submits("alice", aPlan("a"))), "a"))

  it("when it is sent back, the phase of tasks stays and a plan is asked for", () => {
    const play = sentBack()
    assert.strictEqual(play.phases.phase, "READY_IMPL")
    assert.deepStrictEqual(actionOf(play), ["submit_phase"])
  })

  it("when no plan is taken there, tasks are to be created", () => {
    const play = sentBack({ READY_IMPL: { ...impl, also: [] } })
    assert.strictEqual(play.phases.phase, "READY_IMPL")
    assert.deepStrictEqual(actionOf(play), ["create_tasks"])
    const created = play.after(creates("alice", aNewTask("b", { checklist: ["one"] })))
    assert.deepStrictEqual(actionOf(created), ["work", "tsk_2"])
    assert.strictEqual(proven(created, "alice", "tsk_2").phases.phase, "READY_COMPLETE")
  })

  it("when tasks are created and done without a report, the phase is left by that", () => {
    const created = sentBack().after(creates("alice", aNewTask("b")))
    const done = created.after(updates("alice", "tsk_2", "in_progress"), updates("alice", "tsk_2", "done"))
    assert.strictEqual(done.phases.phase, "READY_COMPLETE")
  })

  it("when there is a new plan, it goes on as ever", () => {
    const planned = sentBack().after(submits("alice", aPlan("b")))
    assert.deepStrictEqual(actionOf(planned), ["work", "b"])
    const closed = verifying(proven(planned, "alice", "b"))
    assert.strictEqual(closed.after(verifies(closed)).phases.phase, "DONE")
  })
})

describe("given a verification that sends back a task done by word", () => {
  it("when it is called done again, the phase is left and nothing else is asked for", () => {
    const done = working({ id: "a", checklist: null }).after(
      updates("alice", "a", "in_progress"),
      updates("alice", "a", "done")
    )
    const sentBack = failing(done)
    assert.deepStrictEqual([sentBack.phases.phase, ...actionOf(sentBack)], ["READY_IMPL", "work", "a"])
    assert.strictEqual(sentBack.after(updates("alice", "a", "done")).phases.phase, "READY_COMPLETE")
  })
})

describe("given that only what was asked about may be cited", () => {
  const asking = (...explored_files: ReadonlyArray<string>): Play =>
    withContract({}, { write_targets: { existing: "explored", fresh: "explored", required: true } }).after(
      submits("alice", { explored_files, findings: ["x"] }),
      submits("alice", aPlan("a", "b", "c"))
    )

  const cites = (play: Play, cited: string, agent = "alice", id = "a") =>
    keysOf(play.when(completes(agent, id, [{ item: "one", status: "done", evidence: cited }])))

  it("when the path is quoted, the lines may stand within the quotes or behind them", () => {
    const play = asking("my file.py").after(checksTarget("alice", "my file.py"))
    for (const cited of ['"my file.py":1-2', '"my file.py:1-2"', "`my file.py`:1", "my file.py:1-2"]) {
      assert.deepStrictEqual(cites(play, cited), [], cited)
    }
    assert.deepStrictEqual(cites(play, '"my file":1-2'), ["write_target_not_checked"])
  })

  it("when a link was asked about, it may be cited by its own name and by that of its file", () => {
    const asked = { ...checksTarget("alice", "src/a.ts"), file_path: "link.ts" }
    for (const explored of ["link.ts", "src/a.ts"]) {
      const play = asking(explored).after(asked)
      assert.deepStrictEqual(cites(play, "link.ts:1-2"), [], explored)
      assert.deepStrictEqual(cites(play, "src/a.ts:1-2"), [], explored)
    }
    assert.deepStrictEqual(cites(asking("src/b.ts").after(asked), "link.ts:1-2"), ["write_target_not_checked"])
  })

  it("when a task is completed, its agent asks again for the next one, and nobody else", () => {
    const play = asking("src/a.ts").after(
      opens("bob"),
      creates("alice", aNewTask("d", { assignee: "bob", checklist: ["one"] })),
      checksTarget("alice", "src/a.ts"),
      checksTarget("bob", "src/a.ts")
    )
    assert.deepStrictEqual(cites(play, "src/a.ts:1-2", "alice", "b"), [])
    const done = proven(play, "alice", "a")
    assert.deepStrictEqual(cites(done, "src/a.ts:1-2", "alice", "b"), ["write_target_not_checked"])
    assert.deepStrictEqual(cites(done, "src/a.ts:1-2", "bob", "tsk_4"), [])
    const again = done.after(checksTarget("alice", "src/a.ts"))
    assert.deepStrictEqual(cites(again, "src/a.ts:1-2", "alice", "b"), [])
  })

  it("when another agent asked, that allows nothing", () => {
    const play = asking("src/a.ts").after(opens("bob"), checksTarget("bob", "src/a.ts"))
    assert.deepStrictEqual(cites(play, "src/a.ts:1-2"), ["write_target_not_checked"])
  })
})

describe("given names that every object has", () => {
  it.each(["constructor", "toString", "hasOwnProperty", "valueOf"])(
    "when a phase and a counter are called %s, visits and the limit count",
    (name) => {
      const play = withContract(
        {
          [name]: aPhase({
            transitions: [to("READY_PLAN", { when: { reached: [name] } }), to(name, { count: name })]
          })
        },
        { start: [to(name)], limits: { [name]: 2 } }
      )
      const visited: Array<unknown> = [play.phases.visits[name]]
      let now = play
      for (let i = 0; i < 3; i++) {
        now = now.after(submits("alice", {}))
        visited.push([now.phases.phase, now.phases.visits[name], now.phases.counters[name]])
      }
      assert.deepStrictEqual(visited, [1, [name, 2, 1], [name, 3, 2], ["READY_PLAN", 3, 2]])
    }
  )

  it("when a counter has no limit, whatever its name, it is never reached", () => {
    const play = withContract({
      EXPLORATION: aPhase({
        transitions: [to("STOPPED", { when: { reached: ["constructor", "toString", "tries"] } }), to("READY_PLAN")]
      })
    })
    assert.strictEqual(play.after(submits("alice", {})).phases.phase, "READY_PLAN")
  })
})

describe("given a later plan that names more items", () => {
  it("when the task is somebody else's, it is refused and the items stay as they were", () => {
    const play = working("a").after(opens("bob"))
    const then = play.when(submits("bob", aPlan({ id: "a", checklist: ["one", "more"] }, "b")))
    assert.deepStrictEqual(
      failuresOf(then).map(({ fields, key }) => [key, fields["task_id"], fields["assignee"]]),
      [["task_not_yours", "a", "alice"]]
    )
    assert.strictEqual(then.state.tasks, play.state.tasks)
    const repeated = play.after(submits("bob", aPlan("a", "b")))
    assert.strictEqual(task(repeated.state, "a").items.length, 1)
    const own = play.after(submits("alice", aPlan({ id: "a", checklist: ["one", "more"] })))
    assert.strictEqual(task(own.state, "a").items.length, 2)
  })

  it("when the task is completed, it is warned that they are not taken", () => {
    const then = proven(working("a", "b"), "alice", "a").when(
      submits("alice", aPlan({ id: "a", status: "completed", checklist: ["one", "more", "still more"] }, "b"))
    )
    assert.deepStrictEqual(warningsOf(then), ["items_not_taken"])
    const [{ message } = { message: "" }] = contentsOf(then, "PHASE_SUBMITTED").flatMap(({ warnings }) => warnings)
    assert.include(message, "'more', 'still more'")
    assert.notInclude(message, "'one'")
    assert.strictEqual(task(then.state, "a").items.length, 1)
  })
})

describe("given a batch of tasks that was created", () => {
  const batch = creates("alice", aNewTask("x", { checklist: ["one"] }), aNewTask("y", { checklist: ["one"] }))
  const created = () => working("a").after(batch)

  it("when the same batch comes again, nothing is created while any of it is not withdrawn", () => {
    for (const play of [
      created(),
      withdraws(created(), "tsk_2"),
      withdraws(proven(created(), "alice", "tsk_3"), "tsk_2")
    ]) {
      const then = play.when(batch)
      assert.deepStrictEqual([then.rejected, then.events], [null, []])
    }
  })

  it("when all of it was withdrawn, it is created anew, and once", () => {
    const play = withdraws(withdraws(created(), "tsk_2"), "tsk_3")
    assert.deepStrictEqual(contentsOf(play.when(batch), "TASKS_CREATED")[0]?.ids, ["tsk_4", "tsk_5"])
    const anew = play.after(batch)
    assert.deepStrictEqual([task(anew.state, "tsk_2").status, task(anew.state, "tsk_4").status], ["skipped", "pending"])
    assert.deepStrictEqual(anew.when(batch).events, [])
  })
})
