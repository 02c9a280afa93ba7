import { assert, describe, it } from "@effect/vitest"
import { type AnyCommand, kernelStateOf, type RunConfig, type Snapshot } from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import {
  type Loop,
  loopOf,
  type RequirementDefinition,
  requirementsRules
} from "@proofline/plugins/policies/requirements"
import { cancel, resume, typesOf } from "../../kernel/support/words.ts"
import { aDefinition, aRequirement, completed, loading, planned, starting } from "./stage.ts"

type Given = ReturnType<typeof given>

/** A command of the loop, as the worker sends it. */
const command = (name: string, content: object): AnyCommand => ({ _tag: `requirements.${name}`, ...content }) as never

const facts = (requirement_id = "req_1", round = 1, iteration = 0) =>
  command("RecordFacts", { iteration, round, requirement_id, runs: [], receipts: [] })

const plan = (more: object = {}) =>
  command("RecordPlan", {
    generator: "scripted",
    iteration: 1,
    round: 1,
    ask: 1,
    tasks: [planned("task_1", ["req_1.1"])],
    problems: [],
    answer: null,
    output: null,
    ...more
  })

const opinion = (more: object = {}) =>
  command("RecordOpinion", {
    verifier: "scripted",
    iteration: 0,
    round: 1,
    ask: 1,
    requirement_id: "req_1",
    met: true,
    evidence: "`npm test`: ok",
    facts: [],
    problems: [],
    answer: null,
    output: null,
    ...more
  })

const spent = { attempts: 1, calls: 2, tokens: 30, cost_usd: 0.5 }
const { covers: _, iteration: __, run_id: ___, ...outcome } = completed("task_1")
const runEnded = (more: object = {}) =>
  command("RecordRun", {
    iteration: 1,
    run_id: "run_1-iter1",
    status: "completed",
    stopped: null,
    message: "",
    tasks: [outcome],
    spent,
    ...more
  })

const link = (more: object = {}) =>
  command("LinkRun", { iteration: 1, run_id: "run_1-iter1", tasks_yaml_path: "a.yaml", sha256: "0", ...more })

const beginning = (role: string, more: object = {}) =>
  command("Begin", {
    role,
    iteration: 0,
    round: 1,
    ask: 1,
    requirement_id: role === "generate" ? null : "req_1",
    ...more
  })

const failing = (name: string, more: object = {}): AnyCommand => ({
  _tag: "RecordActivityFailure",
  name,
  key: "k",
  input: {},
  code: "it_failed",
  message: "It broke.",
  ...more
})

const one = aDefinition([aRequirement("req_1", ["a"])])
const trusting = aDefinition([aRequirement("req_1", ["a"])], { verifier: "scripted", trust_agent: true })

const loaded = (definition: RequirementDefinition = one, config: Partial<RunConfig> = {}): Given =>
  given([], [requirementsRules]).after(starting("/project", { max_retries: 1, ...config }), loading(definition))

const generating = (config: Partial<RunConfig> = {}) => loaded(one, config).after(facts())
const executing = (config: Partial<RunConfig> = {}) => generating(config).after(plan())
const asked = (config: Partial<RunConfig> = {}) => loaded(trusting, config).after(facts())

const loopIn = (now: Given | Snapshot | undefined): Loop => {
  assert.isDefined(now)
  return loopOf("snapshot" in now ? now.snapshot : now)
}
const after = (now: Given, last: AnyCommand): Loop => loopIn(now.when(last).step?.after)

/** What it is refused with, or the types of its events. */
const answerTo = (now: Given, what: AnyCommand): string | ReadonlyArray<string> => {
  const { events, rejected } = now.when(what)
  return rejected === null ? typesOf(events) : rejected.code
}

describe("an answer that the loop does not wait for", () => {
  it.each<readonly [string, () => Given, AnyCommand]>([
    ["a look at another requirement", () => loaded(), facts("req_2")],
    ["a look in another round", () => loaded(), facts("req_1", 2)],
    ["a look in another iteration", () => loaded(), facts("req_1", 1, 1)],
    ["a second look", () => asked(), facts()],
    ["a look while tasks are planned", () => generating(), facts()],
    ["a look once the run is cancelled", () => loaded().after(cancel()), facts()],
    ["an opinion before anybody has looked", () => loaded(trusting), opinion()],
    ["an opinion of another requirement", () => asked(), opinion({ requirement_id: "req_2" })],
    ["an opinion that was asked for before", () => asked(), opinion({ ask: 2 })],
    ["an opinion of another round", () => asked(), opinion({ round: 2 })],
    ["an opinion while tasks are planned", () => generating(), opinion()],
    ["a plan before it is asked for", () => loaded(), plan()],
    ["a plan of another iteration", () => generating(), plan({ iteration: 2 })],
    ["a plan of another round", () => generating(), plan({ round: 2 })],
    ["a plan that was asked for before", () => generating(), plan({ ask: 2 })],
    [
      "a plan once nobody can plan",
      () => generating().after(failing("generator-scripted", { terminal: true, agent: "command" })),
      plan()
    ],
    ["a second plan", () => executing(), plan()],
    ["a task run before there are tasks", () => generating(), link()],
    ["a task run of another iteration", () => executing(), link({ iteration: 2 })],
    ["the end of a task run before there are tasks", () => generating(), runEnded()],
    ["the end of that of another iteration", () => executing(), runEnded({ iteration: 2 })],
    ["the end of one that was stopped", () => executing().after(runEnded({ stopped: "budget" })), runEnded()],
    ["that a look begins, of another requirement", () => loaded(), beginning("look", { requirement_id: "req_2" })],
    ["that a look begins, where one was taken", () => asked(), beginning("look")],
    ["that an opinion begins, where nobody has looked", () => loaded(trusting), beginning("verify")],
    ["that an opinion begins, asked for before", () => asked(), beginning("verify", { ask: 2 })],
    ["that an opinion begins, of nothing", () => asked(), beginning("verify", { requirement_id: null })],
    ["that a plan begins, before it is asked for", () => loaded(), beginning("generate")],
    ["that a plan begins, asked for before", () => generating(), beginning("generate", { iteration: 1, ask: 2 })],
    ["that a plan begins, of another iteration", () => generating(), beginning("generate", { iteration: 2 })],
    ["that a plan begins, of another round", () => generating(), beginning("generate", { iteration: 1, round: 2 })],
    [
      "that a plan begins, once nobody can plan",
      () => generating().after(failing("generator-scripted", { terminal: true, agent: "command" })),
      beginning("generate", { iteration: 1 })
    ],
    [
      "that a plan begins, of a cancelled run",
      () => generating().after(cancel()),
      beginning("generate", { iteration: 1 })
    ]
  ])("given %s, then it is refused", (_, now, what) => {
    assert.strictEqual(answerTo(now(), what), "task_not_ready")
  })

  it.each<readonly [string, () => Given, AnyCommand]>([
    ["a look", () => loaded(), beginning("look", { ask: 0 })],
    ["an opinion", () => asked(), beginning("verify")],
    ["a plan", () => generating(), beginning("generate", { iteration: 1 })],
    ["the task run that is known", () => executing().after(link()), link()],
    ["the same file again", () => loaded(), loading(one)]
  ])("given that %s begins as it is waited for, then nothing is recorded", (_, now, what) => {
    assert.deepStrictEqual(answerTo(now(), what), [])
  })

  it("given a run without requirements, then nothing of a loop is for it", () => {
    const tasks = given([], [requirementsRules]).after(aRun([aTask("task_1")]))
    for (const what of [facts(), plan(), loading(one), command("NoteFile", { sha256: "x" })])
      assert.strictEqual(answerTo(tasks, what), "run_not_requirements")
    assert.strictEqual(answerTo(given([], [requirementsRules]), loading(one)), "run_not_requirements")
  })
})

describe("a file of requirements", () => {
  const proof = { verifier_named: true, user_commands: [] }
  it.each([
    ["other words", { sha256: "other" }],
    ["other rules of proof", { proof }],
    ["more iterations", { max_iterations: 9 }],
    ["another place for tasks", { tasks_output_dir: "elsewhere" }]
  ])(
    "given it is loaded again with %s, then it has changed, and what an earlier run left does not count twice",
    (_, more) => {
      const carried = { run_id: "run_0", iteration: 4, planned: [], completed: [] }
      const { events } = loaded().when(loading(one, { ...more, carried }))
      assert.deepStrictEqual(typesOf(events), ["REQUIREMENTS_LOADED"])
      assert.deepInclude(events[0]?.content, { changed: true, carried: null, ...more })
    }
  )

  it("given it is loaded first, then what an earlier run left counts", () => {
    const carried = { run_id: "run_0", iteration: 4, planned: [], completed: [] }
    const run = given([], [requirementsRules]).after(starting("/project"))
    const { events } = run.when(loading(one, { carried }))
    assert.deepInclude(events[0]?.content, { changed: false, carried })
    assert.deepInclude(after(run, loading(one, { carried })), { iteration: 4, offset: 4, limit: 7, round: 1 })
  })

  it("given it says something else at the end, then that is noted once, until it is loaded", () => {
    const note = (sha256: string) => command("NoteFile", { sha256 })
    const changed = loaded().after(note("other"))
    assert.strictEqual(loopIn(changed).changed_meanwhile, "other")
    assert.deepStrictEqual(answerTo(changed, note("other")), [])
    assert.deepStrictEqual(answerTo(changed, note("another")), ["REQUIREMENTS_FILE_CHANGED"])
    assert.deepStrictEqual(answerTo(changed, note(loopIn(changed).sha256)), [])
    assert.isNull(loopIn(changed.after(loading(one, { sha256: "other" }))).changed_meanwhile)
  })

  it("given its run is completed, then nothing is loaded any more", () => {
    const met = asked().after(opinion(), facts("req_1", 2))
    assert.strictEqual(kernelStateOf(met.snapshot).run.status, "completed")
    assert.strictEqual(answerTo(met, loading(one, { sha256: "other" })), "run_completed")
  })

  it("given it changes while tasks are planned, then that iteration is begun again by the new words", () => {
    const { iteration, iterations, replaced, round, stage } = loopIn(
      generating().after(loading(one, { sha256: "other" }))
    )
    assert.deepStrictEqual([iteration, iterations.length, stage._tag, round], [0, 0, "Verifying", 2])
    assert.strictEqual(loopIn(generating().after(loading(one, { sha256: "other" }))).limit, 3)
    assert.strictEqual(replaced?.stage._tag, "Generating")
  })

  it("given it changes while tasks are run, then they are finished first", () => {
    const { iteration, iterations, requirements, stage } = loopIn(executing().after(loading(one, { sha256: "other" })))
    assert.deepStrictEqual([iteration, iterations.length, stage._tag, requirements.size], [1, 1, "Executing", 0])
  })

  it("given only where tasks are written changes, then the same is waited for, and what was seen counts", () => {
    const before = generating()
    const { replaced, requirements, stage, tasks_output_dir } = loopIn(
      before.after(loading(one, { tasks_output_dir: "x" }))
    )
    assert.deepStrictEqual([stage, tasks_output_dir, replaced, requirements.size], [loopIn(before).stage, "x", null, 1])
  })
})

describe("a plan", () => {
  it.each<readonly [string, object, ReadonlyArray<string>]>([
    ["that can be run", {}, ["TASKS_GENERATED"]],
    ["that cannot be read", { problems: ["No YAML."], tasks: [] }, ["ANSWER_REFUSED"]],
    ["without a task", { tasks: [] }, ["ANSWER_REFUSED"]],
    ["that leaves something out", { tasks: [planned("task_1", [])] }, ["ANSWER_REFUSED"]],
    ["of files that leaves something out", { generator: "files", tasks: [planned("task_1", [])] }, ["TASKS_GENERATED"]],
    [
      "of files that cannot be read",
      { generator: "files", problems: ["No YAML."], tasks: [] },
      ["ANSWER_REFUSED", "REQUIREMENTS_UNMET", "RUN_FAILED"]
    ]
  ])("%s comes to that", (_, more, types) => {
    assert.deepStrictEqual(answerTo(generating(), plan(more)), types)
  })

  it("given two that cannot be read, then nobody plans, and the number of questions is told", () => {
    const bad = { problems: ["No YAML."], tasks: [] }
    const { events } = generating()
      .after(plan(bad))
      .when(plan({ ...bad, ask: 2 }))
    assert.deepStrictEqual(typesOf(events), ["ANSWER_REFUSED", "REQUIREMENTS_UNMET", "RUN_FAILED"])
    assert.deepInclude(events[1]?.content, {
      reason: "generation_failed",
      message: "scripted gave no plan that can be used, asked 2 times: No YAML.",
      unmet: ["req_1"]
    })
    const once = generating().when(plan({ ...bad, generator: "files" })).events
    assert.deepInclude(once[1]?.content, { message: "files gave no plan that can be used: No YAML." })
  })

  it("given what was wrong, then the next question has the answer and every reason", () => {
    const { stage } = loopIn(generating().after(plan({ problems: ["No YAML."], tasks: [], answer: "Here." })))
    assert.deepInclude(stage, {
      ask: 2,
      former: { answer: "Here.", problems: ["No YAML."] },
      kept: null,
      isAskedForGap: false
    })
    const gap = loopIn(generating().after(plan({ tasks: [planned("task_1", [])] }))).stage
    assert.deepInclude(gap, {
      ask: 2,
      former: { answer: "", problems: ["No task covers the criterion req_1.1."] },
      kept: { tasks: [planned("task_1", [])], uncovered: ["req_1.1"] },
      isAskedForGap: true
    })
  })

  const refusedWith = (tasks: ReadonlyArray<object>, now = generating(), more: object = {}) =>
    (now.when(plan({ tasks, ...more })).events[0]?.content as { readonly problems?: unknown } | undefined)?.problems

  it.each<readonly [string, object, string]>([
    ["no id that a task can have", { id: "a b" }, 'A task cannot have the id "a b".'],
    ["a dot for an id", { id: ".." }, 'A task cannot have the id "..".'],
    ["a blank name", { title: " " }, "Task task_1 says nothing: its name or instruction is blank."],
    ["a blank instruction", { instruction: "\n" }, "Task task_1 says nothing: its name or instruction is blank."],
    [
      "a criterion that is none",
      { covers: ["req_1.1", "req_9.1"] },
      "Task task_1 covers req_9.1, and no criterion has that id."
    ],
    [
      "an item for a criterion that is none",
      { checklist: [{ item: "x", covers: ["req_9.1"] }] },
      "Task task_1 covers req_9.1, and no criterion has that id."
    ],
    [
      "nothing that could prove it",
      { checks: [] },
      "Nothing could prove that task task_1 is done: give it a checklist or checks."
    ]
  ])("given a task with %s, then it is refused", (_, more, problem) => {
    assert.deepStrictEqual(refusedWith([planned("task_1", ["req_1.1"], more)]), [problem])
  })

  it.each([
    ["a checklist", { checklist: [{ item: "x" }] }],
    ["criteria", { validation: ["x"] }]
  ])("given a task that %s alone can prove, then it is run", (_, more) => {
    const tasks = [planned("task_1", ["req_1.1"], { checks: [], ...more })]
    assert.deepStrictEqual(answerTo(generating(), plan({ tasks })), ["TASKS_GENERATED"])
  })

  it("given tasks of an earlier iteration, then their ids are taken, and only completed ones can be built on", () => {
    const tasks = [planned("done", ["req_1.1"]), planned("lost", [])]
    const outcomes = [
      { ...outcome, id: "done" },
      { ...outcome, id: "lost", status: "failed", message: "It broke." }
    ]
    const second = generating().after(plan({ tasks }), runEnded({ tasks: outcomes }), facts("req_1", 2, 1))
    const now = { iteration: 2, round: 2 }
    const refused = (task: object) => refusedWith([{ ...planned("new", ["req_1.1"]), ...task }], second, now)
    assert.deepStrictEqual(refused({ id: "done" }), [
      "Task done has the id of a task of iteration 1; ids are unique over all iterations."
    ])
    assert.deepStrictEqual(refused({ id: "lost" }), [
      "Task lost has the id of a task of iteration 1 that was not completed: plan what is left of it as a new task with an id that no task has had. [id_of_failed_task]"
    ])
    assert.deepStrictEqual(refused({ depends_on: ["lost"] }), [
      "Task new depends on lost, which was not completed: plan its work anew."
    ])
    const good = plan({ ...now, tasks: [planned("new", ["req_1.1"], { depends_on: ["done"] })] })
    assert.deepStrictEqual(answerTo(second, good), ["TASKS_GENERATED"])
    assert.lengthOf(refusedWith([planned("new", ["req_1.1"], { depends_on: ["nobody"] })], second, now) as [], 1)
  })
})

describe("an opinion that cannot be read", () => {
  const bad = { problems: ["No JSON.", "No words."], answer: "Fine." }

  it("given the first, then it is asked again with what was wrong", () => {
    const { hasAsked, requirements: known, stage } = loopIn(asked().after(opinion(bad)))
    assert.deepStrictEqual([hasAsked, known.size], [true, 0])
    assert.deepInclude(stage, { _tag: "Verifying", ask: 2, former: { answer: "Fine.", problems: bad.problems } })
    const silent = loopIn(asked().after(opinion({ ...bad, answer: null }))).stage
    assert.deepInclude(silent, { former: { answer: "", problems: bad.problems } })
  })

  it("given the second too, then nobody is asked any more, and that is why nothing is shown", () => {
    const { events } = asked()
      .after(opinion(bad))
      .when(opinion({ ...bad, ask: 2 }))
    assert.deepStrictEqual(typesOf(events).slice(0, 2), ["ANSWER_REFUSED", "REQUIREMENT_VERIFIED"])
    assert.deepInclude(events[0]?.content, { role: "verify", ask: 2, requirement_id: "req_1", reason: "unreadable" })
    const content = events[1]?.content as { readonly criteria?: ReadonlyArray<object> } | undefined
    assert.deepInclude(content?.criteria?.[0], {
      message: "No task covers it. scripted gave no answer that can be used: No JSON. No words."
    })
  })
})

describe("the end of a task run", () => {
  it("given its tasks are over, then everything is verified again, with what they used", () => {
    const second = { ...outcome, id: "task_2", status: "failed", message: "It broke." }
    const loop = after(executing().after(link()), runEnded({ tasks: [outcome, second] }))
    assert.deepInclude(loop, {
      status: "verifying_requirements",
      halted: null,
      error: null,
      round: 2,
      spentBelow: spent
    })
    assert.deepStrictEqual(
      loop.completed.map(({ covers, id, iteration, run_id }) => [id, covers, iteration, run_id]),
      [["task_1", ["req_1.1"], 1, "run_1-iter1"]]
    )
    assert.deepInclude(loop.iterations[0], { loop_c_history_id: "run_1-iter1" })
    const again = loopIn(
      executing().after(
        runEnded(),
        facts("req_1", 2, 1),
        plan({ iteration: 2, round: 2, tasks: [planned("task_2", ["req_1.1"])] }),
        runEnded({ iteration: 2, tasks: [outcome] })
      )
    )
    assert.deepStrictEqual(again.spentBelow, { attempts: 2, calls: 4, tokens: 60, cost_usd: 1 })
    assert.deepStrictEqual(
      again.completed.map(({ id, iteration }) => [id, iteration]),
      [["task_1", 2]]
    )
  })

  it("given it was stopped, then the run ends with it, and a resume goes on in it", () => {
    const { events } = executing().when(runEnded({ stopped: "budget", message: "No more." }))
    assert.deepStrictEqual(typesOf(events), ["TASK_RUN_ENDED", "RUN_FAILED"])
    assert.deepInclude(events[1]?.content, { reason: "budget", message: "No more.", failed: 1, total: 1 })
    const again = loopIn(executing().after(runEnded({ stopped: "budget", message: "No more." }), resume()))
    assert.deepInclude(again, { status: "executing_tasks", halted: null, error: null })
    assert.deepStrictEqual(again.spentBelow, { attempts: 0, calls: 0, tokens: 0, cost_usd: 0 })
  })

  it.each(["needs_person", "cancelled"] as const)(
    "given it was stopped because of %s, then the run is incomplete",
    (stopped) => {
      const { events } = executing().when(runEnded({ stopped, message: "Look." }))
      assert.deepInclude(events.at(-1), { type: "RUN_INCOMPLETE" })
      assert.deepInclude(events.at(-1)?.content, { reason: "Look.", failed: 0 })
    }
  )
})

describe("work of the loop that failed", () => {
  const awaitedBy = (now: Given, what: AnyCommand) =>
    (now.when(what).events[0]?.content as { readonly awaited_by?: { readonly consequence: string } | null } | undefined)
      ?.awaited_by?.consequence ?? null
  const terminal = { terminal: true, agent: "command" }

  it.each<readonly [string, () => Given, AnyCommand, string | null]>([
    ["a plan, for a passing reason", () => generating(), failing("generator-scripted"), "survived"],
    ["a plan, for the last time", () => generating({ max_retries: 0 }), failing("generator-scripted"), "blocked"],
    [
      "a plan, so that the same again cannot help",
      () => generating(),
      failing("generator-scripted", { code: "plan_missing" }),
      "blocked"
    ],
    [
      "a plan, of an agent that cannot work",
      () => generating(),
      failing("generator-scripted", terminal),
      "agent_unavailable"
    ],
    ["a plan that nobody waits for", () => loaded(), failing("generator-scripted"), null],
    ["a look", () => loaded(), failing("requirements-facts"), "blocked"],
    ["a look that was taken", () => asked(), failing("requirements-facts"), null],
    ["an opinion, for the last time", () => asked({ max_retries: 0 }), failing("verifier-scripted"), "survived"],
    ["an opinion that nobody waits for", () => loaded(trusting), failing("verifier-scripted"), null],
    ["a task run", () => executing(), failing("requirements-execute"), "blocked"],
    ["a task run that nobody waits for", () => generating(), failing("requirements-execute"), null],
    ["other work", () => executing(), failing("something"), null],
    [
      "a plan, of a run that has stopped",
      () => generating().after(failing("generator-scripted", terminal)),
      failing("generator-scripted"),
      null
    ]
  ])("given %s, then that is what follows", (_, now, what, consequence) => {
    assert.strictEqual(awaitedBy(now(), what), consequence)
  })

  it("given a plan that fails again and again, then it is asked for as often as tasks are tried", () => {
    const once = generating().after(failing("generator-scripted"))
    assert.deepInclude(loopIn(once), { failures: 1, halted: null })
    const { events } = once.when(failing("generator-scripted"))
    assert.deepStrictEqual(typesOf(events), ["ACTIVITY_FAILED", "REQUIREMENTS_UNMET", "RUN_FAILED"])
    assert.deepInclude(events[1]?.content, { reason: "generation_failed", message: "It broke." })
    const again = loopIn(once.after(failing("generator-scripted"), resume()))
    assert.deepInclude(again, { failures: 0, halted: null, error: null, status: "generating_tasks" })
  })

  it("given an opinion that fails for good, then what nothing has proven stays unproven, with the reason", () => {
    const { events } = asked({ max_retries: 0 }).when(failing("verifier-scripted"))
    assert.deepInclude(events[1], { type: "REQUIREMENT_VERIFIED" })
    const content = events[1]?.content as { readonly criteria?: ReadonlyArray<object> } | undefined
    assert.deepInclude(content?.criteria?.[0], { verdict: "unproven", message: "No task covers it. It broke." })
  })

  it("given an agent that cannot work, then a breaker ends the run", () => {
    const { events } = generating().when(failing("generator-scripted", terminal))
    assert.deepInclude(events.at(-1)?.content, { reason: "breaker", message: "Agent command cannot work: It broke." })
  })
})

describe("a loop that is taken up again", () => {
  it("given what was seen, then it is looked at again, and an opinion that was not to be had is asked for", () => {
    const before = asked({ max_retries: 0 }).after(cancel())
    assert.isNotNull((loopIn(before).stage as { readonly facts?: unknown }).facts)
    const again = loopIn(before.after(resume()))
    assert.deepInclude(again.stage, { facts: null, unasked: null })
    assert.strictEqual(again.runs.size, 0)
  })

  it("given a question that was put again, then that one is put once more; given a failure, a new one is", () => {
    const again = generating({ max_retries: 0 }).after(plan({ problems: ["No YAML."], tasks: [], answer: "Here." }))
    const stopped = loopIn(again.after(cancel(), resume()))
    assert.deepInclude(stopped.stage, { ask: 2, former: { answer: "Here.", problems: ["No YAML."] } })
    const failed = loopIn(again.after(failing("generator-scripted"), resume()))
    assert.deepInclude(failed.stage, { ask: 1, former: null })
  })

  it("given other settings, then they hold from there on; given none, those of before", () => {
    const stopped = generating({ max_retries: 7 }).after(cancel())
    assert.strictEqual(loopIn(stopped.after(resume())).config?.max_retries, 7)
    const other = { ...kernelStateOf(stopped.snapshot).run.config, max_retries: 9 }
    assert.strictEqual(loopIn(stopped.after(resume(other))).config?.max_retries, 9)
  })

  it("given two iterations, then what came of each stays its own", () => {
    const second = { iteration: 2, round: 2, tasks: [planned("task_2", ["req_1.1"])] }
    const loop = loopIn(
      executing().after(
        link(),
        runEnded(),
        facts("req_1", 2, 1),
        plan(second),
        link({ iteration: 2, run_id: "run_1-iter2" }),
        runEnded({ iteration: 2, run_id: "run_1-iter2", tasks: [{ ...outcome, id: "task_2" }] })
      )
    )
    assert.deepStrictEqual(
      loop.iterations.map(({ ended, loop_c_history_id, tasks }) => [
        ended?.run_id,
        loop_c_history_id,
        tasks.map(({ id }) => id)
      ]),
      [
        ["run_1-iter1", "run_1-iter1", ["task_1"]],
        ["run_1-iter2", "run_1-iter2", ["task_2"]]
      ]
    )
    assert.deepStrictEqual(
      loop.completed.map(({ covers, id, iteration }) => [id, covers, iteration]),
      [
        ["task_1", ["req_1.1"], 1],
        ["task_2", ["req_1.1"], 2]
      ]
    )
    assert.deepStrictEqual(loop.planned, [
      { id: "task_1", iteration: 1, covers: [{ id: "req_1.1", requirement_id: "req_1", criterion: "a" }] },
      { id: "task_2", iteration: 2, covers: [{ id: "req_1.1", requirement_id: "req_1", criterion: "a" }] }
    ])
  })

  it("given its iterations were used up, then it gets as many again", () => {
    const used = loaded(one).after(loading(one, { max_iterations: 1, sha256: "x" }))
    const over = used.after(facts("req_1", 2), plan({ round: 2 }), runEnded(), facts("req_1", 3, 1))
    assert.deepInclude(loopIn(over), { status: "failed", limit: 1, stage: { _tag: "Ended", met: false } })
    assert.deepInclude(loopIn(over.after(resume())), {
      status: "verifying_requirements",
      limit: 2,
      round: 4,
      error: null
    })
    const other = loading(one, { max_iterations: 2, sha256: "y" })
    assert.deepInclude(loopIn(over.after(other)), { limit: 3, iteration: 1 })
  })
})
