import { assert, describe, it } from "@effect/vitest"
import { definePlugin, EventLog, elsewhere, type LogVerification, plugin, type Recorded } from "@proofline/kernel"
import type { Answer } from "@proofline/plugins/operations"
import { Context, Effect, Stream } from "effect"
import { effect } from "../../effects.ts"
import { rules } from "../../kernel/golden/scenarios.ts"
import { aggregated, analysed, aSplit, parts, passes } from "../../kernel/support/chunks.ts"
import { judge } from "../../kernel/support/judge.ts"
import { check } from "../../kernel/support/words.ts"
import { newLog, newProcess } from "../../kernel/support/world.ts"
import { aPlan, explored } from "../sessions/rules/playing.ts"
import { aClient, alone, newProject, newServer, type Project, readAll } from "../sessions/servers.ts"
import { aWatcher, nothingProven } from "./watcher.ts"

const bad = { summary: "no", checklist: [{ item: "add adds", status: "done", evidence: "src/nowhere.ts:1" }] }
const good = { summary: "yes", checklist: [{ item: "add adds", status: "done", evidence: "src/ledger.ts:1-3" }] }
const plan = aPlan({ id: "ledger", checklist: ["add adds"] }, { id: "second", checklist: ["one"] })

/** A session run that alice works on, and whoever looks after the project. */
const watched = Effect.gen(function* () {
  const { alice: client, project } = yield* alone()
  yield* client.call("submit_phase", { data: explored })
  yield* client.call("submit_phase", { data: plan })
  return { project, ...client, watcher: yield* aWatcher(project.log) }
})

/** Alice failed so often that a person is asked. */
const asking = Effect.gen(function* () {
  const project = yield* newProject()
  const client = yield* aClient(
    yield* newServer(project, "one", { verify: () => Effect.succeed(check(1, { output_tail: "1 test failed" })) }),
    "alice"
  )
  const { call, works } = client
  yield* works({ id: "ledger", checklist: ["add adds"] })
  for (let round = 0; round < 2; round++) {
    yield* call("complete_task", { task_id: "ledger", data: good })
    yield* call("submit_phase", { data: { summary: "Done." } })
    yield* call("submit_phase", { data: {} })
  }
  return { project, ...client }
})

/** A watcher with every plugin that the run was made with. */
const samePlugins = Effect.fnUntraced(function* ({ log }: Project) {
  const verification = definePlugin(plugin("verification", { state: null }), { version: "1" })
  const own = yield* rules(log, () => Effect.die("Nobody is driven here."))
  return yield* aWatcher(log, { plugins: [...own, verification] })
})

const refusedWith = ({ body, ok }: Answer, error: string): void => {
  assert.isFalse(ok, JSON.stringify(body))
  assert.include(body, { success: false, error }, JSON.stringify(body))
  assert.match(String(body["message"]), /\S/)
  assert.match(String(body["next_step"]), /\S/)
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every kind
const bodyOf = ({ body, ok }: Answer): any => {
  assert.isTrue(ok, JSON.stringify(body))
  return body
}

describe("given a project in which nothing was run", () => {
  effect("lists nothing, and says for every run that there is none and what to do", function* () {
    const { ask } = yield* aWatcher(yield* newLog)
    assert.deepStrictEqual(bodyOf(yield* ask("list_runs")), { runs: [] })
    assert.deepStrictEqual(bodyOf(yield* ask("list_approvals")), { success: true, approvals: [] })
    for (const operation of ["get_run", "get_events", "verify_run"]) refusedWith(yield* ask(operation), "run_missing")
    refusedWith(yield* ask("get_subtasks", { task_id: "a" }), "run_missing")
    refusedWith(yield* ask("answer_approval", { answer: "continue" }, true), "session_run_missing")
  })
})

describe("given a session run, whoever looks after the project", () => {
  effect("sees it in the list, with its phase and how far it is", function* () {
    const { opened, watcher } = yield* watched
    const { runs } = bodyOf(yield* watcher.ask("list_runs", { limit: 1 }))
    assert.deepInclude(runs[0], {
      run_id: opened.run,
      kind: "session",
      status: "running",
      phase: "READY_IMPL",
      tasks: { total: 2, completed: 0, failed: 0, skipped: 0 },
      items: { total: 2, closed: 0 }
    })
  })

  effect("sees the newest run when none is named, what is wrong with it first, with what was proven", function* () {
    const { call, opened, watcher } = yield* watched
    yield* call("complete_task", { task_id: "ledger", data: good })
    yield* call("complete_task", { task_id: "second", data: bad })
    const run = bodyOf(yield* watcher.ask("get_run"))
    assert.deepInclude(run, { run_id: opened.run, status: "running", phase: "READY_IMPL" })
    assert.deepInclude(run.counts, { tasks: 2, completed: 1, items: 2, proven: 1 })
    assert.deepStrictEqual(
      run.tasks.map(({ id }: { readonly id: string }) => id),
      ["second", "ledger"]
    )
    assert.deepInclude(run.tasks[1].checklist[0], { verdict: "proven", evidence: "src/ledger.ts:1-3" })
    assert.deepStrictEqual(run, bodyOf(yield* watcher.ask("get_run", { run_id: opened.run })))
  })

  effect("sees subtasks with what each waits for", function* () {
    const { call, watcher } = yield* watched
    const created = bodyOf(
      yield* call("create_tasks", {
        tasks: [
          { title: "first half", local_id: "a", parent_task_id: "ledger", checklist: ["x"] },
          { title: "second half", local_id: "b", parent_task_id: "ledger", dependencies: ["a"], checklist: ["y"] }
        ]
      })
    )
    const [first, second] = created.created.map(({ id }: { readonly id: string }) => id)
    const { subtasks, task } = bodyOf(yield* watcher.ask("get_subtasks", { task_id: "ledger" }))
    assert.strictEqual(task.id, "ledger")
    assert.deepStrictEqual(
      subtasks.map(({ id, waiting_for = [] }: { readonly id: string; readonly waiting_for?: unknown }) => [
        id,
        waiting_for
      ]),
      [
        [first, []],
        [second, [first]]
      ]
    )
    assert.deepStrictEqual(bodyOf(yield* watcher.ask("get_subtasks", { task_id: "second" })).subtasks, [])
    refusedWith(yield* watcher.ask("get_subtasks", { task_id: "nothing" }), "task_unknown")
  })

  effect("changes nothing by looking", function* () {
    const { project, watcher } = yield* watched
    const before = (yield* readAll(project.log)).length
    for (const operation of ["list_runs", "get_run", "get_events", "verify_run", "list_approvals"]) {
      bodyOf(yield* watcher.ask(operation))
    }
    assert.lengthOf(yield* readAll(project.log), before)
  })
})

describe("given arguments that do not fit, an operation", () => {
  effect("names every failure at once, with what was expected", function* () {
    const { watcher } = yield* watched
    const answer = yield* watcher.ask("get_events", { run_id: 3, from: 0, limit: 1_000 })
    refusedWith(answer, "payload_mismatch")
    assert.deepStrictEqual(
      (answer.body["failures"] as ReadonlyArray<{ key: string; fields: { field: string } }>).map((failure) => [
        failure.key,
        failure.fields.field
      ]),
      [
        ["field_invalid", "run_id"],
        ["field_out_of_range", "from"],
        ["field_out_of_range", "limit"]
      ]
    )
  })

  it.effect("finds a run by the beginning of its id, as the command line does", () =>
    Effect.gen(function* () {
      const { watcher } = yield* watched
      const { run_id } = (yield* watcher.ask("get_run", {})).body as { readonly run_id: string }
      for (const name of [run_id, run_id.slice(0, -2), "last"]) {
        assert.strictEqual((yield* watcher.ask("get_run", { run_id: name })).body["run_id"], run_id, name)
      }
    })
  )

  it.effect.each([
    ["list_runs", { limit: 0 }, "payload_mismatch"],
    ["list_runs", { limit: 51 }, "payload_mismatch"],
    ["list_runs", { limit: "many" }, "payload_mismatch"],
    ["get_subtasks", {}, "payload_mismatch"],
    ["get_run", { run_id: "run_nothing" }, "run_unknown"],
    ["get_events", { run_id: "run_nothing" }, "run_unknown"],
    ["get_events", { from: 10_000 }, "from_out_of_range"],
    ["verify_run", { run_id: "run_nothing" }, "run_unknown"],
    ["destroy_run", {}, "operation_unknown"]
  ] as const)("refuses %s with %j as %s", ([operation, args, code]) =>
    Effect.gen(function* () {
      const { watcher } = yield* watched
      refusedWith(yield* watcher.ask(operation, args), code)
    })
  )

  effect("given one that is not known, is not carried out, and says which was meant and which there are", function* () {
    const { watcher } = yield* watched
    const answer = yield* watcher.ask("get_events", { run: "last", limits: 3 })
    refusedWith(answer, "payload_mismatch")
    assert.deepStrictEqual(
      (answer.body["failures"] as ReadonlyArray<{ key: string; message: string }>).map(({ key, message }) => [
        key,
        message
      ]),
      [
        ["argument_unknown", 'There is no argument "run" here. It takes `run_id`, `from`, `limit`.'],
        [
          "argument_unknown",
          'There is no argument "limits" here. Did you mean `limit`? It takes `run_id`, `from`, `limit`.'
        ]
      ]
    )
  })

  effect("given what clients add by themselves, is carried out as without it", function* () {
    const { watcher } = yield* watched
    for (const added of [{ _meta: {} }, { wait_for_previous: true }]) {
      assert.notProperty(bodyOf(yield* watcher.ask("list_runs", { limit: 3, ...added })), "warnings")
    }
    // without arguments of its own a filler is all that a client can send
    assert.notProperty(bodyOf(yield* watcher.ask("list_approvals", { random_string: "x" })), "warnings")
    const { warnings } = bodyOf(yield* watcher.ask("list_approvals", { run_id: "x" }))
    assert.deepInclude(warnings[0], { code: "field_unexpected" })
  })
})

describe("given a person who is asked, the approvals", () => {
  effect("hold the question, where its answers lead, what failed and what was handed in", function* () {
    const { opened, project } = yield* asking
    const { approvals } = bodyOf(yield* (yield* aWatcher(project.log)).ask("list_approvals"))
    assert.lengthOf(approvals, 1)
    assert.deepInclude(approvals[0], {
      run_id: opened.run,
      kind: "question",
      phase: "VERIFY_INTERVENTION",
      question: "Go on.",
      expected: { answer: "continue|stop", "comment?": "str" },
      answers: [
        {
          answer: ["continue"],
          goes_on_with: "READY_IMPL",
          leads_to: "The agent reads it and goes on with READY_IMPL."
        },
        { answer: ["stop"], goes_on_with: "STOPPED", leads_to: "The work is given up: the run ends (STOPPED)." }
      ]
    })
    assert.deepInclude(approvals[0].failed.commands[0], { exit_code: 1, output: "1 test failed" })
    assert.property(approvals[0], "last_submission")
  })

  effect("are not answered by an agent: nothing is recorded", function* () {
    const { project } = yield* asking
    const before = (yield* readAll(project.log)).length
    const answer = yield* (yield* samePlugins(project)).ask("answer_approval", { answer: "continue" })
    refusedWith(answer, "person_only")
    assert.include(String(answer.body["next_step"]), "proofline answer")
    assert.lengthOf(yield* readAll(project.log), before)
  })

  effect("are answered by a person as on the command line, and the work goes on", function* () {
    const { call, opened, project } = yield* asking
    const watcher = yield* samePlugins(project)
    refusedWith(yield* watcher.ask("answer_approval", { answer: "perhaps" }, true), "answer_invalid")
    const answered = bodyOf(yield* watcher.ask("answer_approval", { answer: "continue", comment: "Look again." }, true))
    assert.deepStrictEqual(answered, {
      success: true,
      run_id: opened.run,
      run_status: "running",
      phase: "READY_IMPL"
    })
    const submitted = (yield* readAll(project.log)).filter(({ event_type }) => event_type === "PHASE_SUBMITTED").at(-1)
    assert.deepInclude(submitted?.content as object, {
      by: "person",
      session_id: null,
      payload: { answer: "continue", comment: "Look again." }
    })
    assert.strictEqual(bodyOf(yield* call("get_next_action")).phase, "READY_IMPL")
    refusedWith(yield* watcher.ask("answer_approval", { answer: "continue" }, true), "no_question")
    assert.deepStrictEqual(bodyOf(yield* watcher.ask("list_approvals")).approvals, [])
  })

  effect("are not answered without a plugin that the run was made with", function* () {
    const { opened, project } = yield* asking
    const watcher = yield* aWatcher(project.log)
    const answer = yield* watcher.ask("answer_approval", { run_id: opened.run, answer: "continue" }, true)
    refusedWith(answer, "plugin_missing")
    assert.include(String(answer.body["message"]), "verification")
  })

  effect("are not answered in a log that was changed", function* () {
    const { project } = yield* asking
    const log = Context.get(project.log, EventLog)
    const changed = Context.add(project.log, EventLog, {
      ...log,
      read: (run, from) =>
        Stream.map(log.read(run, from), (event) => (event.version === 3 ? { ...event, hash: "0".repeat(64) } : event))
    })
    const watcher = yield* samePlugins({ ...project, log: changed })
    const answer = yield* watcher.ask("answer_approval", { answer: "continue" }, true)
    refusedWith(answer, "log_changed")
    assert.include(String(answer.body["message"]), "version 3")
  })
})

describe("given changes of subtasks that a person must decide between", () => {
  const conflictedLog = Effect.fnUntraced(function* (...runs: ReadonlyArray<string>) {
    const log = yield* newLog
    const { engine } = yield* newProcess(log, [judge])
    const conflicts = [{ file: "src/a.ts", sources: ["p-sub-1", "p-sub-2"] }]
    for (const run of runs) {
      for (const command of [
        { ...aSplit({ reviewer: "critic" }), run_id: run },
        analysed(parts(2)),
        ...passes("p-sub-1"),
        ...passes("p-sub-2"),
        aggregated({ outcome: "needs_person", conflicts, message: "Run `git merge p-sub-2`." })
      ]) {
        yield* Effect.orDie(engine.execute(run, command))
      }
    }
    return log
  })
  const conflicted = Effect.flatMap(conflictedLog("run_1"), aWatcher)

  effect("the approvals name the task, the files, and how to go on", function* () {
    const { ask } = yield* conflicted
    const { approvals } = bodyOf(yield* ask("list_approvals"))
    assert.lengthOf(approvals, 1)
    assert.deepInclude(approvals[0], {
      run_id: "run_1",
      kind: "conflict",
      task_id: "p",
      files: [{ file: "src/a.ts", sources: ["p-sub-1", "p-sub-2"] }]
    })
    assert.include(approvals[0].question, "git merge p-sub-2")
    assert.include(approvals[0].next_step, "proofline resume run_1")
  })

  const gone = { kind: "archived", place: "old.jsonl", at: "2026-01-02T03:04:05.678Z", version: 3, hash: "" } as const
  for (const [why, spoiled] of [
    ["is not as it was written", Stream.map((event: Recorded) => ({ ...event, hash: "0".repeat(64) }))],
    ["is elsewhere", () => Stream.fail(elsewhere("run_2", gone))]
  ] as const) {
    effect(`the approvals are told although another run ${why}`, function* () {
      const log = yield* conflictedLog("run_1", "run_2")
      const whole = Context.get(log, EventLog)
      const { ask } = yield* aWatcher(
        Context.add(log, EventLog, {
          ...whole,
          read: (run, from) => (run === "run_2" ? spoiled(whole.read(run, from)) : whole.read(run, from))
        })
      )
      const { approvals, runs_not_looked_at } = bodyOf(yield* ask("list_approvals"))
      assert.deepStrictEqual(
        approvals.map(({ run_id }: { readonly run_id: string }) => run_id),
        ["run_1"]
      )
      assert.strictEqual(runs_not_looked_at, 1)
    })
  }

  effect("the run shows the task first as it failed, and its subtasks as they ended", function* () {
    const { ask } = yield* conflicted
    const { counts, tasks } = bodyOf(yield* ask("get_run"))
    assert.deepInclude(counts, { tasks: 1, failed: 1 })
    assert.deepInclude(tasks[0], { id: "p", status: "failed", reason: "needs_person", subtasks: 2 })
    const { subtasks } = bodyOf(yield* ask("get_subtasks", { task_id: "p" }))
    assert.deepStrictEqual(
      subtasks.map(({ attempts, id, status }: Readonly<Record<string, unknown>>) => [id, status, attempts]),
      [
        ["p-sub-1", "completed", 1],
        ["p-sub-2", "completed", 1]
      ]
    )
  })
})

describe("given what the files say, the verification", () => {
  const receipt = (status: LogVerification["receipts"][number]["status"], n: number) => ({
    task_id: "t",
    task_completed: true,
    item_index: n,
    item: `item ${n}`,
    evidence: `src/a.ts:${n}`,
    status,
    verdict: status === "proven" ? ("proven" as const) : ("stale" as const),
    shown_by: status === "proven" ? ("evidence" as const) : null,
    now: null,
    reason: "",
    weak: []
  })

  effect("tells first what no longer holds, and whether all of it does", function* () {
    const { project } = yield* watched
    const verify = (run: string): LogVerification => ({
      ...nothingProven(run),
      counts: { ...nothingProven(run).counts, receipts: 3, proven: 1, stale: 1, missing: 1 },
      receipts: [receipt("proven", 1), receipt("stale", 2), receipt("missing", 3)]
    })
    const body = bodyOf(yield* (yield* aWatcher(project.log, { verify })).ask("verify_run"))
    assert.isFalse(body.whole)
    assert.deepStrictEqual(
      body.receipts.map(({ status }: { readonly status: string }) => status),
      ["missing", "stale", "proven"]
    )
  })

  effect("says that the hash chain is broken, and where", function* () {
    const { project } = yield* watched
    const chain = {
      ok: false,
      events: 2,
      code: "log_changed",
      version: 3,
      message: "The event was changed."
    } as const
    const verify = (run: string): LogVerification => ({ ...nothingProven(run), chain: { ...chain, head: null } })
    const body = bodyOf(yield* (yield* aWatcher(project.log, { verify })).ask("verify_run"))
    assert.deepStrictEqual([body.whole, body.chain], [false, { ...chain, head: null }])
  })
})
