import { assert, describe, it } from "@effect/vitest"
import { type GeneratedTask, hasEnded, needsPerson, outcomeOf } from "@proofline/plugins/policies/requirements"
import { Effect, HashMap } from "effect"
import { parse } from "yaml"
import { stateOf } from "../../kernel/support/words.ts"
import {
  aDefinition,
  aRequirement,
  contentsOf,
  failing,
  fileOf,
  planned,
  play,
  replayed,
  resumed,
  verdictsOf
} from "./stage.ts"

const types = (events: ReadonlyArray<{ readonly event_type: string }>) => events.map(({ event_type }) => event_type)

/** A plan for each iteration, from the first. */
const plans =
  (...all: ReadonlyArray<ReadonlyArray<GeneratedTask>>) =>
  ({ iteration }: { readonly iteration: number }) => ({ tasks: all[iteration - 1] ?? [] })

describe("the loop", () => {
  it.live("given a requirement without tasks, when tasks that cover it are completed, then it is met", () =>
    Effect.gen(function* () {
      const played = yield* play(aDefinition([aRequirement("req_1", ["a", "b"])]), {
        generate: plans([planned("task_1", ["req_1.1"]), planned("task_2", ["req_1.2"], { depends_on: ["task_1"] })])
      })
      assert.strictEqual(played.status, "completed")
      assert.strictEqual(played.loop.status, "completed")
      assert.deepStrictEqual(verdictsOf(played), { "req_1.1": "proven", "req_1.2": "proven" })
      assert.deepStrictEqual(
        types(played.events).filter((type) => type !== "CRITERIA_CHECKED"),
        [
          "RUN_STARTED",
          "REQUIREMENTS_LOADED",
          "REQUIREMENT_VERIFIED",
          "REQUIREMENTS_VERIFIED",
          "ITERATION_STARTED",
          "TASKS_GENERATED",
          "TASK_RUN_LINKED",
          "TASK_RUN_ENDED",
          "REQUIREMENT_VERIFIED",
          "REQUIREMENTS_VERIFIED",
          "ITERATION_ENDED",
          "REQUIREMENTS_MET",
          "RUN_COMPLETED"
        ]
      )
      assert.isNull(replayed(played))
    })
  )

  it.live(
    "given a task completed in an earlier iteration, when a new one depends on it, then it runs and only it",
    () =>
      Effect.gen(function* () {
        const played = yield* play(aDefinition([aRequirement("req_1", ["a"]), aRequirement("req_2", ["b"])]), {
          // the second requirement is left out at first
          generate: plans(
            [planned("task_1", ["req_1.1"]), planned("task_2", ["req_1.1"])],
            [planned("task_3", ["req_2.1"], { depends_on: ["task_2"] })]
          )
        })
        assert.strictEqual(played.status, "completed")
        assert.deepStrictEqual(
          contentsOf(played.child(2), "TASK_REGISTERED").map((task) => task["task_id"]),
          ["task_3"]
        )
        assert.deepStrictEqual(contentsOf(played.child(2), "RUN_STARTED")[0]?.["completed_task_ids"], [
          "task_1",
          "task_2"
        ])
        assert.deepStrictEqual(
          contentsOf(played.child(2), "TASK_COMPLETED").map((task) => task["task_id"]),
          ["task_3"]
        )
        assert.isNull(replayed(played))
      })
  )

  it.live("given two iterations, then each has its file, the second with a header and only its own tasks", () =>
    Effect.gen(function* () {
      const played = yield* play(aDefinition([aRequirement("req_1", ["a"]), aRequirement("req_2", ["b"])]), {
        generate: plans([planned("task_1", ["req_1.1"])], [planned("task_2", ["req_2.1"], { depends_on: ["task_1"] })])
      })
      const first = fileOf(played, "generated/feature-tasks-iter1.yaml") ?? ""
      const second = fileOf(played, "generated/feature-tasks-iter2.yaml") ?? ""
      assert.deepStrictEqual(
        parse(first).tasks.map(({ id }: { readonly id: string }) => id),
        ["task_1"]
      )
      const tasks = parse(second).tasks
      assert.strictEqual(tasks.length, 1)
      assert.deepStrictEqual([tasks[0].id, tasks[0].depends_on, tasks[0].covers], ["task_2", ["task_1"], ["req_2.1"]])
      assert.match(second, /^#.*\n# Completed before: task_1\n/)
    })
  )

  it.live("given parent and child, then each names the other", () =>
    Effect.gen(function* () {
      const played = yield* play(aDefinition([aRequirement("req_1", ["a"])]), {
        generate: plans([planned("task_1", ["req_1.1"])])
      })
      assert.strictEqual(contentsOf(played.events, "TASK_RUN_LINKED")[0]?.["run_id"], "run_1-iter1")
      const started = contentsOf(played.child(1), "RUN_STARTED")[0]
      assert.deepStrictEqual([started?.["run_id"], started?.["parent_run_id"]], ["run_1-iter1", "run_1"])
    })
  )

  it.live("given requirements that are met already, then nobody is asked for anything", () =>
    Effect.gen(function* () {
      let asked = 0
      const played = yield* play(
        aDefinition([aRequirement("req_1", [{ criterion: "it is there", check: "true" }])], {
          verifier: "scripted",
          trust_agent: true
        }),
        {
          generate: () => {
            asked++
            return {}
          },
          verify: () => {
            asked++
            return {}
          }
        }
      )
      assert.deepStrictEqual([played.status, asked, played.loop.iteration], ["completed", 0, 0])
    })
  )

  it.live("given one of two requirements is met, then tasks are made only for the other", () =>
    Effect.gen(function* () {
      const unmet: Array<ReadonlyArray<string>> = []
      const played = yield* play(
        aDefinition([
          aRequirement("req_1", [{ criterion: "it is there", check: "true" }]),
          aRequirement("req_2", ["b", "c"])
        ]),
        {
          generate: (request) => {
            unmet.push(request.unmet)
            return { tasks: [planned("task_1", ["req_2.1", "req_2.2"])] }
          }
        }
      )
      assert.deepStrictEqual([played.status, unmet], ["completed", [["req_2.1", "req_2.2"]]])
    })
  )

  it.live("given a task run that fails, then what verification sees decides, and the next iteration repairs", () =>
    Effect.gen(function* () {
      const played = yield* play(
        aDefinition([aRequirement("req_1", ["a"])]),
        {
          generate: plans([planned("task_1", ["req_1.1"])], [planned("task_2", ["req_1.1"])]),
          script: (id) => Effect.succeed({ outcome: id === "task_1" ? "ERROR" : "COMPLETE" })
        },
        { config: { max_retries: 0 } }
      )
      assert.strictEqual(contentsOf(played.events, "TASK_RUN_ENDED")[0]?.["status"], "failed")
      assert.deepStrictEqual([played.status, played.loop.iteration], ["completed", 2])
      assert.isNull(replayed(played))
    })
  )

  it.live(
    "given nothing ever meets it, then the work of the last iteration is verified too, and the run is not completed",
    () =>
      Effect.gen(function* () {
        const played = yield* play(
          aDefinition([aRequirement("req_1", [{ criterion: "never", check: "false" }])]),
          { generate: ({ iteration }) => ({ tasks: [planned(`task_${iteration}`, ["req_1.1"])] }) },
          { load: { max_iterations: 2 } }
        )
        assert.strictEqual(played.status, "failed")
        assert.strictEqual(played.loop.status, "failed")
        assert.deepStrictEqual(
          contentsOf(played.events, "ITERATION_ENDED").map((one) => one["iteration"]),
          [1, 2]
        )
        assert.strictEqual(contentsOf(played.events, "REQUIREMENTS_VERIFIED").length, 3)
        assert.strictEqual(contentsOf(played.events, "REQUIREMENTS_UNMET")[0]?.["reason"], "iterations_used_up")
        assert.isNull(replayed(played))
      })
  )

  it.live("given the iterations are used up, when it is resumed, then it is verified again and gets as many more", () =>
    Effect.gen(function* () {
      const played = yield* play(
        aDefinition([aRequirement("req_1", ["a"])]),
        {
          generate: ({ iteration }) => ({ tasks: [planned(`task_${iteration}`, ["req_1.1"])] }),
          script: (id) => Effect.succeed({ outcome: id === "task_3" ? "COMPLETE" : "ERROR" })
        },
        { load: { max_iterations: 2 }, config: { max_retries: 0 } }
      )
      assert.strictEqual(played.status, "failed")
      const again = yield* resumed(played)
      assert.deepStrictEqual([again.status, again.loop.iteration], ["completed", 3])
      assert.isNull(replayed(again))
    })
  )

  it.live("given an optional requirement that is not met, then the required ones decide and it is reported", () =>
    Effect.gen(function* () {
      const played = yield* play(
        aDefinition([
          aRequirement("req_1", [{ criterion: "yes", check: "true" }]),
          aRequirement("req_2", [{ criterion: "no", check: "false" }], "optional")
        ]),
        {}
      )
      assert.strictEqual(played.status, "completed")
      assert.deepStrictEqual(contentsOf(played.events, "REQUIREMENTS_MET")[0]?.["unmet"], ["req_2"])
    })
  )

  it.live("given only optional requirements, then nothing of nothing is no success", () =>
    Effect.gen(function* () {
      const played = yield* play(
        aDefinition([aRequirement("req_1", [{ criterion: "no", check: "false" }], "optional")]),
        { generate: ({ iteration }) => ({ tasks: [planned(`task_${iteration}`, ["req_1.1"])] }) },
        { load: { max_iterations: 1 } }
      )
      assert.strictEqual(played.status, "failed")
    })
  )

  it.live("given a requirement without criteria, then it is never met", () =>
    Effect.gen(function* () {
      const played = yield* play(
        aDefinition([aRequirement("req_1", [])], { verifier: "scripted", trust_agent: true }),
        { verify: () => ({ met: true, evidence: "`npm test`: 3 passed" }), generate: plans([planned("task_1", [])]) },
        { load: { max_iterations: 1 } }
      )
      assert.notStrictEqual(played.status, "completed")
    })
  )
})

describe("agents that fail", () => {
  it.live("given a generator that fails for a passing reason, then it is asked again as often as a task would be", () =>
    Effect.gen(function* () {
      let asked = 0
      const played = yield* play(
        aDefinition([aRequirement("req_1", ["a"])]),
        { generate: () => (++asked < 3 ? failing("generation_failed") : { tasks: [planned("task_1", ["req_1.1"])] }) },
        { config: { max_retries: 2 } }
      )
      assert.deepStrictEqual([played.status, asked], ["completed", 3])
      assert.isNull(replayed(played))
    })
  )

  it.live("given a generator that goes on failing, then the run fails with the reason, and a resume asks anew", () =>
    Effect.gen(function* () {
      let isMended = false
      const played = yield* play(
        aDefinition([aRequirement("req_1", ["a"])]),
        {
          generate: () => (isMended ? { tasks: [planned("task_1", ["req_1.1"])] } : failing("generation_failed"))
        },
        { config: { max_retries: 1 } }
      )
      assert.deepStrictEqual([played.status, played.loop.status], ["failed", "failed"])
      assert.strictEqual(contentsOf(played.events, "REQUIREMENTS_UNMET")[0]?.["reason"], "generation_failed")
      assert.strictEqual(contentsOf(played.events, "ACTIVITY_FAILED").length, 2)
      isMended = true
      const again = yield* resumed(played)
      assert.strictEqual(again.status, "completed")
      assert.isNull(replayed(again))
    })
  )

  it.live("given one that trying again cannot help, then a breaker ends the run at once, to be resumed", () =>
    Effect.gen(function* () {
      let isMended = false
      const played = yield* play(aDefinition([aRequirement("req_1", ["a"])]), {
        generate: () =>
          isMended ? { tasks: [planned("task_1", ["req_1.1"])] } : failing("generation_failed", "command")
      })
      assert.strictEqual(contentsOf(played.events, "RUN_FAILED")[0]?.["reason"], "breaker")
      assert.strictEqual(contentsOf(played.events, "ACTIVITY_FAILED").length, 1)
      isMended = true
      const again = yield* resumed(played)
      assert.strictEqual(again.status, "completed")
      assert.isNull(replayed(again))
    })
  )

  it.live(
    "given a breaker in a task run, then the loop asks nobody for more, and a resume goes on in that task run",
    () =>
      Effect.gen(function* () {
        let isMended = false
        let asked = 0
        const played = yield* play(aDefinition([aRequirement("req_1", ["a"])]), {
          generate: () => {
            asked++
            return { tasks: [planned("task_1", ["req_1.1"])] }
          },
          script: () => Effect.succeed(isMended ? { outcome: "COMPLETE" } : { outcome: "ERROR", terminal: true })
        })
        assert.strictEqual(contentsOf(played.events, "TASK_RUN_ENDED")[0]?.["stopped"], "breaker")
        assert.strictEqual(contentsOf(played.events, "RUN_FAILED")[0]?.["reason"], "breaker")
        isMended = true
        const again = yield* resumed(played)
        assert.deepStrictEqual([again.status, again.loop.iteration, asked], ["completed", 1, 1])
        assert.isNull(replayed(again))
      })
  )

  it.live("given a decision that only a person can make, then the task run has stopped for it, and has not ended", () =>
    Effect.gen(function* () {
      const played = yield* play(
        aDefinition([aRequirement("req_1", ["a"])]),
        {
          generate: plans([planned("task_1", ["req_1.1"])]),
          script: () => Effect.succeed({ outcome: "ERROR" })
        },
        { config: { max_retries: 0 }, load: { max_iterations: 1 } }
      )
      const state = stateOf(yield* played.process.engine.load("run_1-iter1"))
      assert.isFalse(needsPerson(state))
      const waiting = {
        run: state.run,
        tasks: {
          ...state.tasks,
          byId: HashMap.map(state.tasks.byId, (task) => ({ ...task, reason: "needs_person" }))
        }
      }
      assert.deepStrictEqual(
        [needsPerson(waiting), outcomeOf(waiting, 1).stopped, hasEnded(waiting), hasEnded(state)],
        [true, "needs_person", false, true]
      )
    })
  )

  it.live("given a verifier that fails before the work, then the loop goes on; after it, then nothing is met", () =>
    Effect.gen(function* () {
      for (const answersAfterwards of [true, false]) {
        const played = yield* play(
          aDefinition([aRequirement("req_1", ["a"])], { verifier: "scripted", trust_agent: true }),
          {
            generate: plans([planned("task_1", ["req_1.1"])]),
            verify: ({ iteration }) =>
              answersAfterwards && iteration > 0 ? { met: true, evidence: "" } : failing("verification_failed")
          },
          { config: { max_retries: 1 }, load: { max_iterations: 1 } }
        )
        assert.strictEqual(played.status, answersAfterwards ? "completed" : "failed")
        assert.strictEqual(contentsOf(played.events, "ACTIVITY_FAILED").length, answersAfterwards ? 2 : 4)
        const verdicts = contentsOf(played.events, "REQUIREMENT_VERIFIED").map(({ verdict }) => verdict)
        assert.strictEqual(verdicts[0], "unproven")
        assert.strictEqual(verdicts[1], answersAfterwards ? "proven" : "unproven")
        assert.isNull(replayed(played))
      }
    })
  )
})

describe("many tasks, and words that once meant something", () => {
  it.live("given more tasks than ten, and texts about permissions, then all of them are run", () =>
    Effect.gen(function* () {
      const tasks = Array.from({ length: 14 }, (_, i) =>
        planned(`task_${i}`, ["req_1.1"], { instruction: "Refuse with permission denied: unauthorized." })
      )
      const played = yield* play(aDefinition([aRequirement("req_1", ["permission denied is answered"])]), {
        generate: plans(tasks),
        script: () =>
          Effect.succeed({
            outcome: "COMPLETE",
            checklist: { summary: "permission denied, unauthorized", checklist: null, problems: [] }
          })
      })
      assert.deepStrictEqual([played.status, played.loop.completed.length], ["completed", 14])
    })
  )
})

describe("plans", () => {
  const refusedBy = (tasks: ReadonlyArray<GeneratedTask>, again: ReadonlyArray<GeneratedTask> = []) =>
    Effect.gen(function* () {
      const former: Array<ReadonlyArray<string> | null> = []
      const played = yield* play(aDefinition([aRequirement("req_1", ["a"])]), {
        generate: (request) => {
          former.push(request.former?.problems ?? null)
          return { tasks: request.ask === 1 ? tasks : again, answer: "the answer" }
        }
      })
      return { played, former }
    })

  it.live(
    "given one that cannot be run, when it is asked for again with what is wrong, then the better one is run",
    () =>
      Effect.gen(function* () {
        const { former, played } = yield* refusedBy(
          [planned("task_1", ["req_1.1"], { depends_on: ["nowhere"] })],
          [planned("task_1", ["req_1.1"])]
        )
        assert.strictEqual(played.status, "completed")
        assert.strictEqual(former.length, 2)
        assert.match(former[1]?.join(" ") ?? "", /nowhere/)
        assert.isNull(replayed(played))
      })
  )

  it.live(
    "given two that cannot be run, then the run fails with the reason, keeps the answer, and can be resumed",
    () =>
      Effect.gen(function* () {
        let isMended = false
        const played = yield* play(aDefinition([aRequirement("req_1", ["a"])]), {
          generate: () =>
            isMended
              ? { tasks: [planned("task_1", ["req_1.1"])] }
              : { tasks: [], problems: ["No YAML."], answer: "Sorry." }
        })
        assert.strictEqual(played.status, "failed")
        assert.match(played.message, /No YAML/)
        assert.deepStrictEqual(
          contentsOf(played.events, "ANSWER_REFUSED").map((one) => one["answer"]),
          ["Sorry.", "Sorry."]
        )
        isMended = true
        const again = yield* resumed(played)
        assert.strictEqual(again.status, "completed")
        assert.isNull(replayed(again))
      })
  )

  it.live(
    "given criteria of a required requirement that no task covers, then it is asked once more, and then warned",
    () =>
      Effect.gen(function* () {
        const asks: Array<string> = []
        const played = yield* play(aDefinition([aRequirement("req_1", ["a", "b"])]), {
          generate: ({ ask, former, iteration }) => {
            asks.push(`${iteration}/${ask}${former === null ? "" : ` ${former.problems.join()}`}`)
            return { tasks: [planned(`task_${iteration}`, [`req_1.${iteration}`])] }
          }
        })
        assert.strictEqual(played.status, "completed")
        assert.deepStrictEqual(asks, ["1/1", "1/2 No task covers the criterion req_1.2.", "2/1"])
        assert.deepStrictEqual(contentsOf(played.events, "TASKS_GENERATED")[0]?.["uncovered"], ["req_1.2"])
        assert.isNull(replayed(played))
      })
  )

  it.live("given a gap that is answered by rubbish, then the plan of before is run", () =>
    Effect.gen(function* () {
      const played = yield* play(aDefinition([aRequirement("req_1", ["a", "b"])]), {
        generate: ({ ask, iteration }) =>
          iteration === 1 && ask === 2
            ? { problems: ["No YAML."] }
            : { tasks: [planned(`task_${iteration}`, [`req_1.${iteration}`])] }
      })
      assert.strictEqual(played.status, "completed")
      assert.isNull(replayed(played))
    })
  )

  it.live("given a gap that is answered with the missing tasks alone, then both plans are run together", () =>
    Effect.gen(function* () {
      const played = yield* play(aDefinition([aRequirement("req_1", ["a", "b"])]), {
        generate: ({ ask }) => ({ tasks: [planned(`task_${ask}`, [`req_1.${ask}`])] })
      })
      assert.deepStrictEqual(
        [played.status, played.loop.iteration, played.loop.completed.map(({ id }) => id)],
        ["completed", 1, ["task_1", "task_2"]]
      )
      assert.isNull(replayed(played))
    })
  )

  it.live("given a task with the id of an earlier iteration, then it is refused, not taken for complete", () =>
    Effect.gen(function* () {
      const former: Array<string> = []
      const played = yield* play(aDefinition([aRequirement("req_1", ["a", "b"])]), {
        generate: ({ ask, former: before, iteration }) => {
          if (before !== null) former.push(before.problems.join(" "))
          const id = iteration === 2 && ask === 2 ? "task_2" : "task_1"
          return { tasks: [planned(id, [`req_1.${iteration}`])] }
        }
      })
      assert.strictEqual(played.status, "completed")
      assert.match(former.at(-1) ?? "", /Task task_1 has the id of a task of iteration 1/)
      assert.strictEqual(contentsOf(played.child(2), "TASK_COMPLETED")[0]?.["task_id"], "task_2")
    })
  )

  it.live.each([
    ["no task", []],
    ["an id twice", [planned("task_1", ["req_1.1"]), planned("task_1", ["req_1.1"])]],
    [
      "a circle",
      [
        planned("task_1", ["req_1.1"], { depends_on: ["task_2"] }),
        planned("task_2", ["req_1.1"], { depends_on: ["task_1"] })
      ]
    ],
    ["a criterion that does not exist", [planned("task_1", ["req_1.1", "req_9.1"])]],
    ["a task that nothing could prove", [planned("task_1", ["req_1.1"], { checks: [] })]],
    ["an id that is none", [planned("../../evil: [x]\n#", ["req_1.1"])]],
    ["a blank instruction", [planned("task_1", ["req_1.1"], { instruction: " " })]]
  ])("given %s, then the plan is refused", ([, tasks]) =>
    Effect.gen(function* () {
      const { played } = yield* refusedBy(tasks as ReadonlyArray<GeneratedTask>)
      assert.strictEqual(played.status, "failed")
      assert.strictEqual(contentsOf(played.events, "TASK_RUN_LINKED").length, 0)
    })
  )
})
