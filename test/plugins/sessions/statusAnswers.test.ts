import { assert, describe, it } from "@effect/vitest"
import { actionText } from "../../../packages/plugins/src/policies/sessions/actionTexts.ts"
import {
  afterDone,
  myTaskAnswer,
  nextActionAnswer
} from "../../../packages/plugins/src/policies/sessions/nextAction.ts"
import { sessionStatusOf } from "../../../packages/plugins/src/policies/sessions/sessionStatus.ts"
import { cancel, evidence } from "../../kernel/support/words.ts"
import {
  alice,
  aNewTask,
  aPart,
  aPhase,
  aPlay,
  bob,
  type Play,
  planning,
  withContract,
  working
} from "./rules/playing.ts"

const byWord = { id: "b", checklist: null } as const
const done = (): Play => working("a").proven("a")
const person = (): Play => done().failing().proven("a").failing()
const ended = (): Play => done().handedIn().passed()
const given = (): Play => working("a").after(bob.opens(), alice.creates(aNewTask("x", { assignee: "bob" })))
const blocked = (): Play => working("a", { id: "b", depends_on: ["a"] }).after(alice.starts("a"), alice.blocks("a"))
const parts = (): Play => working("a").after(alice.creates(aPart("x", "a"), aPart("y", "a", { dependencies: ["x"] })))
const partsDone = (): Play =>
  working(byWord).after(alice.creates(aPart("x", "b")), alice.starts("tsk_2"), alice.finishes("tsk_2"))

/** A run that has come to an end that says this. */
const endSaying = (instruction: string): Play =>
  withContract({ DONE: aPhase({ kind: "end", instruction }) })
    .working("a")
    .proven("a")
    .handedIn()
    .passed()

const status = (play: Play, agent = "alice") => sessionStatusOf(play.state, play.session(agent))
const next = (play: Play, agent = "alice") => nextActionAnswer(play.state, play.session(agent)).body
const begins = (text: unknown, with_: string): void => assert.strictEqual(String(text).slice(0, with_.length), with_)

describe("the instruction of every answer", () => {
  it.each<[string, () => Play, begins: string]>([
    ["is that of the phase", aPlay, "Go on."],
    ["waits for commands that run", () => done().handedIn(), "The commands that verify POST_IMPL_VERIFY are running."],
    ["is that of the end", () => endSaying("All is well."), "All is well."],
    ["says that it is the end where the contract says nothing", () => endSaying(" "), "All phases are done."],
    ["says that a person has ended the run", () => working("a").after(cancel()), "The run was ended by a person."],
    [
      "says how to go on after a session of a process",
      () => aPlay().after(alice.reports("failed")),
      "The session is over. Stop here. For something new"
    ],
    [
      "says that the token opens nothing after another session",
      () =>
        aPlay()
          .after(bob.opens({ of_process: false }))
          .after(bob.closes()),
      "The session is over. Stop here. Its token opens nothing"
    ]
  ])("%s", (_, play, text) => {
    const then = play()
    begins(status(then, then.phases.sessions.at(-1)?.agent)["instruction"], text)
  })

  it("is that of the phase for whoever has no session, and nothing is told of a run without phases", () => {
    const { state } = working("a")
    const { instruction, progress } = sessionStatusOf(state, null)
    assert.deepStrictEqual([instruction, (progress as { next_task: unknown }).next_task], ["Go on.", null])
    assert.deepStrictEqual(sessionStatusOf({ ...state, sessions: { ...state.sessions, phases: null } }, null), {})
  })
})

describe("every answer", () => {
  it.each<[string, () => Play, call: string | undefined, fields: ReadonlyArray<string>, needsPerson: boolean]>([
    ["the phase of tasks", () => working("a"), "complete_task", ["checklist", "task_id"], false],
    ["another phase", done, "submit_phase", ["summary"], false],
    ["what a person is asked", person, undefined, [], true],
    ["the end", ended, undefined, [], false]
  ])("says what %s asks for, and by which call", (_, play, call, fields, needsPerson) => {
    const body = status(play())
    assert.deepStrictEqual(
      [body["call"], Object.keys(body["expected_payload"] as object).toSorted(), body["needs_person"]],
      [call, fields, needsPerson]
    )
  })

  it("has the commands that failed, and none that passed", () => {
    const handed = done().handedIn()
    const failed = handed.after(handed.ends({ exit_code: 1, output_tail: "broken" }))
    const { verification } = status(failed)
    assert.deepStrictEqual(verification, {
      passed: false,
      commands: [{ command: "true", exit_code: 1, timed_out: false, output: "broken" }]
    })
    for (const play of [done(), ended()]) assert.notProperty(status(play), "verification")
  })

  it("counts the tasks by how they stand", () => {
    const counted = { total: 0, completed: 0, pending: 0, in_progress: 0, blocked: 0, cancelled: 0 }
    const progress = (play: Play) => status(play)["progress"]
    assert.deepStrictEqual(progress(aPlay()), { ...counted, next_task: null, all_complete: false })
    const all = working("a", "b", "c", "d", "e")
      .proven("a")
      .after(alice.starts("b"), alice.starts("c"), alice.blocks("c"), alice.cancels("d"))
    assert.deepStrictEqual(progress(all), {
      total: 5,
      completed: 1,
      pending: 3,
      in_progress: 1,
      blocked: 1,
      cancelled: 1,
      next_task: "b",
      all_complete: false
    })
    const over = working("a", "d").proven("a").after(alice.cancels("d"))
    assert.deepStrictEqual(progress(over), {
      ...counted,
      total: 2,
      completed: 1,
      cancelled: 1,
      next_task: null,
      all_complete: true
    })
  })
})

describe("what an agent is told to do", () => {
  const finishA =
    'When it is done, call complete_task(task_id: "a", data: {summary, checklist}) with evidence or a reason for every item.'
  const finish = "When it is done, set its status to done with update_task_status."
  const begin = "Set its status to in_progress with update_task_status first."

  it.each<[action: string, () => Play, says: string, agent?: "bob"]>([
    ["submit_phase", aPlay, "Go on."],
    ["work", () => working("a"), `Work on this task yourself. a: Do a. ${finishA}\n\nGo on.`],
    ["work", () => working(byWord), `Work on this task yourself. b: Do b. ${begin} ${finish}\n\nGo on.`],
    [
      "work",
      () => working(byWord).after(alice.starts("b")),
      `Work on this task yourself. b: Do b. ${finish}\n\nGo on.`
    ],
    [
      "work",
      partsDone,
      `Work on this task yourself. b: Do b. ${begin} All its subtasks are closed. ${finish}\n\nGo on.`
    ],
    [
      "start_subtask",
      parts,
      `Start the next subtask: set its status to in_progress with update_task_status, and carry it out. tsk_2: x. ${finish}\n\nGo on.`
    ],
    [
      "execute_subtask",
      () => parts().after(alice.starts("tsk_2")),
      `Carry out the current subtask. tsk_2: x. ${finish}\n\nGo on.`
    ],
    ["get_task", given, "A task was given to you. Fetch it with get_my_task.\n\nGo on.", "bob"],
    [
      "create_subtasks",
      () => given().after(bob.asks(), bob.fetches()),
      'Split the task, if it is too large to be done in one piece, with create_tasks (parent_task_id: "tsk_2"); otherwise call get_next_action again. tsk_2: x.\n\nGo on.',
      "bob"
    ],
    ["review_and_resolve_blocks", blocked, "Everything that is left is blocked or put off. a: Do a. Resolve"],
    ["wait", () => done().handedIn(), "Something is being checked, or others have to finish first."],
    [
      "wait",
      () => given().after(alice.creates(aNewTask("y", { dependencies: ["tsk_2"] })), alice.cancels("a")),
      "Others have to finish first: tsk_3 waits for tsk_2. Call get_next_action again later.\n\nGo on."
    ],
    ["ask_user", person, "A person must answer."],
    ["report_completion", () => endSaying("All is well."), "All is well."],
    [
      "report_completion",
      () => given().after(bob.asks(), bob.fetches(), bob.asks(), bob.starts("tsk_2"), bob.finishes("tsk_2")),
      'Nothing is left for you. Call report_completed(result: "success", summary), then stop.',
      "bob"
    ],
    ["report_completion", () => working("a").after(cancel()), "The run was ended by a person."],
    ["exit", () => working("a").after(alice.reports("failed")), "The session is over. Stop here."]
  ])("is said in words: %s (%#)", (action, play, says, agent) => {
    const body = next(play(), agent)
    assert.strictEqual(body["action"], action)
    const told = String(body["instruction"])
    if (says.endsWith("Go on.")) assert.strictEqual(told, says)
    else begins(told, says)
    if (action === "exit" || action === "report_completion") assert.notInclude(told, "\n\n")
  })

  it("names the first five that wait, and how many more", () => {
    const { state } = working("a")
    const ids = (count: number) => Array.from({ length: count }, (_, i) => `t${i}`)
    const says = (tasks: number, others: number) => {
      const waiting = ids(tasks).map((id) => ({ id, title: id, waiting_for: ids(others) }))
      return actionText(state, { action: "dependency_deadlock", task_id: null, waiting })
    }
    begins(says(1, 5), "Nothing can be started: t0 waits for t0, t1, t2, t3, t4. Take up")
    begins(says(1, 6), "Nothing can be started: t0 waits for t0, t1, t2, t3, t4 and 1 more. Take up")
    begins(says(2, 1), "Nothing can be started: t0 waits for t0; t1 waits for t0. Take up")
    assert.include(says(7, 1), "t4 waits for t0 and 2 more. Take up")
  })

  it("is created where nothing is left and no plan is taken, and nothing is said of what nobody knows", () => {
    const { state } = working("a")
    begins(actionText(state, { action: "create_tasks", task_id: null, waiting: [] }), "Nothing is left to work on")
    assert.strictEqual(actionText(state, { action: "dance", task_id: "a", waiting: [] }), "")
    assert.strictEqual(
      actionText(state, { action: "work", task_id: "nobody", waiting: [] }),
      `Work on this task yourself. ${finish}`
    )
  })
})

describe("the next action", () => {
  it("has the task, what it is a part of, and how far that is", () => {
    const play = parts().after(alice.starts("tsk_2"), alice.finishes("tsk_2"))
    const { current_subtask, state, subtask_progress, task, waiting_subtasks } = next(play)
    assert.deepStrictEqual(
      [state, current_subtask, subtask_progress, (task as { task_id: string }).task_id, waiting_subtasks],
      ["READY_IMPL", { id: "tsk_3", title: "y" }, { completed: 1, total: 2 }, "tsk_3", undefined]
    )
    for (const key of ["current_subtask", "subtask_progress", "waiting_subtasks", "last_refusal"]) {
      assert.notProperty(next(working("a")), key)
    }
    assert.notProperty(next(aPlay()), "task")
  })

  it("has what waits, what was handed in last, and why what was handed in was refused", () => {
    assert.deepStrictEqual(next(blocked())["waiting_subtasks"], [{ id: "b", title: "Do b.", waiting_for: ["a"] }])
    assert.notProperty(next(aPlay()), "last_submission")
    assert.deepStrictEqual(next(planning())["last_submission"], {
      phase: "EXPLORATION",
      payload: { explored_files: ["src/a.ts"], findings: ["src/a.ts: nothing adds up"] }
    })
    assert.property(next(aPlay().when(alice.submits({}))), "last_refusal")
  })
})

describe("the task of an agent", () => {
  it.each<[string, () => Play, task: string | undefined, says: string, agent?: "bob"]>([
    [
      "is the one to go on with",
      () => working("a", "b").after(alice.starts("b")),
      "b",
      "Work on this task yourself. b:"
    ],
    ["is the first that is left where none is to be worked on", person, "a", "A person must answer."],
    ["is none where nothing is left", done, undefined, "No task is assigned to you. Call get_next_action."],
    [
      "is the first that is left after the end",
      () => working("a", "b").after(alice.reports("failed")),
      "a",
      "Call get_next_action."
    ]
  ])("%s", (_, play, task, says) => {
    const then = play()
    const { body } = myTaskAnswer(then.state, then.session())
    assert.deepStrictEqual(
      [body["has_task"], (body["task"] as { task_id: string } | undefined)?.task_id],
      [task !== undefined, task]
    )
    begins(body["instruction"], says)
  })
})

describe("after a task was done", () => {
  it.each<[code: string, string, () => Play, says: string, agent?: "bob"]>([
    [
      "all_done",
      "the next phase is to be handed in",
      done,
      "All tasks assigned to you are done. Submit READY_COMPLETE with"
    ],
    [
      "all_done",
      "nothing is handed in after the end",
      ended,
      "All tasks assigned to you are done. Call report_completed."
    ],
    [
      "all_done",
      "the phase of tasks is left to the others",
      () => working("a").after(bob.opens()),
      "All tasks assigned to you are done. Call report_completed.",
      "bob"
    ],
    ["tasks_left", "others are gone on with", () => working("a", "b").proven("a"), "Look with get_my_task_progress"],
    ["tasks_left", "one that waits for a blocked one is left too", blocked, "Look with get_my_task_progress"],
    [
      "only_blocked_left",
      "what blocks is resolved",
      () => working("a", "b").proven("a").after(alice.starts("b"), alice.blocks("b")),
      "Only blocked tasks are left."
    ]
  ])("%s: %s", (code, _, play, says, agent) => {
    const then = play()
    const told = afterDone(then.state, then.session(agent))
    assert.strictEqual(told.code, code)
    begins(told.instruction, says)
  })
})

describe("what came of a report", () => {
  it("is told with the task as long as it is with the agent", () => {
    const refused = working("a").after(alice.completes("a"), evidence("a", 1))
    const lastReport = (play: Play) =>
      (next(play)["task"] as { last_report?: { failures: ReadonlyArray<{ key: string }> } }).last_report
    assert.deepStrictEqual(
      lastReport(refused)?.failures.map(({ key }) => key),
      ["checklist_evidence_required"]
    )
    assert.isUndefined(lastReport(refused.after(alice.completes("a"))))
    assert.isUndefined(lastReport(working("a")))
  })

  it("has what a task is a part of, and why it is blocked", () => {
    const task = (play: Play) => next(play)["task"]
    assert.deepInclude(task(parts()), { task_id: "tsk_2", context: "Part of a: Do a. Do a." })
    assert.deepInclude(task(blocked()), { task_id: "a", reason: "no access" })
    for (const key of ["context", "reason", "handoff"]) assert.notProperty(task(working("a")), key)
    for (const key of ["checklist", "evidence_kinds"]) assert.notProperty(task(working(byWord)), key)
  })

  it("of the tasks before it is told nothing where there was no report", () => {
    const own = working(byWord, { id: "a", depends_on: ["b"] }).byWord("b")
    assert.notProperty(next(own)["task"], "handoff")
  })

  it("of the tasks before it is told where the task is handed on, and not to who did both", () => {
    const summed = (play: Play, agent?: "bob") => (next(play, agent)["task"] as { handoff?: string }).handoff
    const own = working("a", { id: "b", depends_on: ["a"] }).proven("a")
    assert.strictEqual(summed(own), "a: a is done.")
    const handed = working("a")
      .after(bob.opens(), alice.creates(aNewTask("x", { assignee: "bob", dependencies: ["a"] })))
      .proven("a")
    assert.strictEqual(summed(handed, "bob"), "a: a is done.")
    const planned = working("a")
      .after(bob.opens(), bob.creates(aNewTask("x", { dependencies: ["a"] })))
      .proven("a")
    assert.isUndefined(summed(planned, "bob"))
  })
})
