import { DatabaseSync } from "node:sqlite"
import { assert, describe } from "@effect/vitest"
import type { AnyCommand } from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { Effect } from "effect"
import poll from "../../../examples/plugins/poll.ts"
import { runIn } from "../../../packages/plugins/src/policies/sessions/contract.ts"
import { live } from "../../effects.ts"
import { facts } from "./facts.ts"
import { asking, directory, staged } from "./stage.ts"

const works = aTask("a", { checklist: [{ item: "it works" }] })
const plans = [works, aTask("b", { depends_on: ["a"], checklist: [{ item: "it works" }] })]

describe("what there is", () => {
  live("given runs, then each is found as the command line finds it, wherever an address names it", function* () {
    const { client, drive, send } = yield* staged()
    yield* drive("tasks-1_k3x9q2", [works])
    yield* drive("tasks-2_k3yyyy", [works])
    const idOf = (run: string) => Effect.map(client.runs.get({ params: { run } }), ({ run_id }) => run_id)
    assert.strictEqual(yield* idOf("k3x"), "tasks-1_k3x9q2")
    assert.strictEqual(yield* idOf("tasks-2"), "tasks-2_k3yyyy")
    const [newest] = (yield* client.runs.list({ query: {} })).runs
    assert.strictEqual(yield* idOf("last"), newest?.run_id)
    const params = { run: "k3x9" }
    assert.lengthOf((yield* client.tasks.list({ params, query: {} })).tasks, 1)
    const [first] = (yield* client.runs.events({ params, query: { limit: 1 } })).events
    assert.strictEqual(first?.stream, "tasks-1_k3x9q2")
    const { json, status } = yield* send("/api/v1/runs/tasks")
    assert.deepInclude({ status, code: json?.code }, { status: 404, code: "run_ambiguous" })
  })

  live("given a run of a kind that a plugin brings, then it is listed, shown and asked for by its kind", function* () {
    const { client, engine } = yield* staged({ plugins: [poll] })
    yield* engine.execute("run_1", { ...aRun([], {}, "run_1"), kind: "poll", question: "Tabs?" } as AnyCommand)
    const { runs } = yield* client.runs.list({ query: { kind: "tasks,poll" } })
    assert.deepStrictEqual(
      runs.map(({ kind, run_id }) => [run_id, kind]),
      [["run_1", "poll"]]
    )
    assert.deepInclude(yield* client.runs.get({ params: { run: "run_1" } }), { kind: "poll", status: "running" })
    assert.deepStrictEqual((yield* client.runs.list({ query: { kind: "session" } })).runs, [])
  })

  live(
    "given a run that was driven to its end, when each endpoint is asked, then it answers with what the log holds",
    function* () {
      const { client, drive, root } = yield* staged()
      yield* drive("run_1", plans)
      const about = yield* client.about()
      assert.deepInclude(about, {
        name: "proofline",
        version: "1.2.3",
        root,
        can_start: true,
        agents: ["claude-code"]
      })
      assert.deepStrictEqual(yield* client.inputs(), { inputs: [{ path: "tasks.yaml", kind: "tasks", bytes: 10 }] })
      assert.deepStrictEqual(yield* client.approvals(), { approvals: [] })

      const { next_cursor, runs } = yield* client.runs.list({ query: {} })
      assert.isNull(next_cursor)
      assert.deepInclude(runs[0], { run_id: "run_1", status: "completed", tasks_total: 2, tasks_completed: 2 })
      const params = { run: "run_1" }
      const run = yield* client.runs.get({ params })
      assert.deepInclude(run, { version: about.position, position: about.position, message: "", failed_by: null })
      assert.match(run.hash, /^[0-9a-f]{64}$/)

      const { tasks } = yield* client.tasks.list({ params, query: {} })
      assert.deepStrictEqual(
        tasks.map(({ task_id, status, depth }) => [task_id, status, depth]),
        [
          ["a", "completed", 0],
          ["b", "completed", 0]
        ]
      )
      const a = { ...params, task: "a" }
      const task = yield* client.tasks.get({ params: a })
      assert.strictEqual(task.checklist[0]?.verdict, "proven")
      assert.deepStrictEqual((yield* client.tasks.checklist({ params: a })).checklist, task.checklist)
      assert.deepStrictEqual((yield* client.tasks.attempts({ params: a })).attempts, task.history)
      assert.deepStrictEqual(yield* client.tasks.attempt({ params: { ...a, attempt: 1 } }), task.history[0])
      const evidence = yield* client.tasks.evidence({ params: { ...a, index: 0 } })
      assert.deepInclude(evidence, {
        task_id: "a",
        index: 0,
        item: "it works",
        evidence: "src/a.ts:1-2",
        status: "proven"
      })

      const receipts = yield* client.runs.receipts({ params })
      assert.strictEqual(receipts.receipts[0]?.item, "it works")
      const { events } = yield* client.runs.events({ params, query: { limit: 1_000 } })
      assert.deepStrictEqual(
        events.map(({ version }) => version),
        events.map((_, i) => i + 1)
      )
      assert.strictEqual(events.length, run.version)
      const only = yield* client.runs.events({ params, query: { types: "ATTEMPT_STARTED,ATTEMPT_ENDED" } })
      assert.deepStrictEqual(
        only.events.map(({ event_type }) => event_type),
        ["ATTEMPT_STARTED", "ATTEMPT_ENDED", "ATTEMPT_STARTED", "ATTEMPT_ENDED"]
      )
      const summary = yield* client.runs.events({ params, query: { visibility: "summary" } })
      assert.deepStrictEqual(
        summary.events,
        events.filter(({ visibility }) => visibility === "summary")
      )
    }
  )

  live("given names that there are not, when they are asked for, then each is refused by its own code", function* () {
    const { drive, send } = yield* staged()
    yield* drive("run_1", plans)
    const cases: ReadonlyArray<readonly [path: string, code: string, status?: number]> = [
      ["/runs/run_2", "run_unknown"],
      ["/runs/run_2/tasks", "run_unknown"],
      ["/runs/run_2/events", "run_unknown"],
      ["/runs/run_2/events/stream", "run_unknown"],
      ["/runs/run_2/receipts", "run_unknown"],
      ["/runs/..%2F..%2Fetc%2Fpasswd", "run_unknown"],
      ["/runs/%00", "run_unknown"],
      ["/runs/run_1/tasks/c", "task_unknown"],
      ["/runs/run_1/tasks/a/attempts/2", "attempt_unknown"],
      ["/runs/run_1/tasks/a/attempts/-1", "attempt_unknown"],
      ["/runs/run_1/tasks/a/checklist/1/evidence", "item_unknown"],
      ["/runs/run_1/report", "task_dependency_unknown"],
      ["/runs/run_1/nothing", "not_found"],
      ["/nothing", "not_found"],
      ["", "not_found"]
    ]
    for (const [path, code] of cases) {
      const { headers, json, status } = yield* send(`/api/v1${path}`)
      assert.deepStrictEqual(
        [status, json?.code, headers["content-type"]],
        [404, code, "application/problem+json"],
        path
      )
      assert.match(json.hint, /\S/)
      assert.match(json.type, /^urn:proofline:problem:/)
    }
  })

  live(
    "given runs that nobody here can read, when runs and what waits are asked for, then those of the others are told",
    function* () {
      const root = yield* directory
      const names = ["run_newer", "run_archived", "run_changed", "run_damaged", "run_whole"]
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { engine, file, log } = yield* staged({ root })
          for (const run of names) yield* engine.execute(run, asking(run))
          const { version } = yield* engine.load("run_newer")
          yield* log.append("run_newer", version, facts(1))
          yield* log.leave("run_archived", (yield* engine.load("run_archived")).version, {
            kind: "archived",
            place: "old.jsonl",
            at: "2026-01-02T03:04:05.678Z"
          })
          const db = new DatabaseSync(file)
          db.exec("update event set content = replace(content, 'Go on?', 'Go off?') where stream = 'run_changed'")
          db.exec("update event set content = 'no JSON' where stream = 'run_damaged'")
          db.close()
        })
      )
      // a process that has read nothing of them so far
      const { client } = yield* staged({ root })
      const { runs } = yield* client.runs.list({ query: {} })
      assert.sameMembers(
        runs.map(({ run_id }) => run_id),
        names
      )
      const { runs: waiting } = yield* client.runs.list({ query: { status: "waiting" } })
      const { approvals } = yield* client.approvals()
      for (const told of [waiting, approvals]) {
        assert.deepStrictEqual(
          told.map(({ run_id }) => run_id),
          ["run_whole"]
        )
      }
    }
  )

  live(
    "given an attempt whose prompt and output were kept, when a piece is asked for, then it is cut between characters",
    function* () {
      const { blobs, begin, client, engine, log } = yield* staged()
      yield* begin("run_1")
      const text = "é".repeat(40_000)
      const prompt = yield* blobs.put(text)
      const { version } = yield* engine.load("run_1")
      const [before] = facts(1)
      if (before === undefined) return assert.fail()
      const started = {
        task_id: "a",
        attempt: 1,
        agent: "x",
        worker_id: "w",
        item_id: "i",
        lease: 1,
        iteration: 1,
        prompt
      }
      yield* log.append("run_1", version, [{ ...before, event_type: "ATTEMPT_STARTED", content: started }])
      const params = { run: "run_1", task: "a", attempt: 1 }
      const first = yield* client.tasks.prompt({ params, query: {} })
      assert.deepInclude(first, { from: 0, next: 65_536, total: 80_000, is_live: false })
      const second = yield* client.tasks.prompt({ params, query: { from: first.next } })
      assert.strictEqual(first.text + second.text, text)
      assert.deepInclude(yield* client.tasks.prompt({ params, query: { from: -3 } }), { from: 79_996, text: "éé" })
      assert.deepInclude(yield* client.tasks.output({ params, query: { stream: "stderr" } }), {
        total: 0,
        is_live: false
      })
    }
  )

  live("given an agent at work, when its output is asked for, then it is what it printed so far", function* () {
    const asked: Array<unknown> = []
    const { client, drive } = yield* staged({
      project: {
        liveOutput: (attempt, stream, from) => {
          asked.push({ ...attempt, stream, from })
          return Effect.succeed({ from: 5, next: 8, total: 8, text: "abc" })
        },
        isDriven: () => Effect.succeed(true)
      }
    })
    yield* drive("run_1", [works])
    const params = { run: "run_1", task: "a", attempt: 1 }
    const output = yield* client.tasks.output({ params, query: { stream: "stderr", from: -3 } })
    assert.deepInclude(output, { text: "abc", is_live: true })
    assert.deepStrictEqual(asked, [{ run_id: "run_1", task_id: "a", attempt: 1, stream: "stderr", from: -3 }])
  })

  live(
    "given an agent that has ended while its output is asked for, then it is read where it is kept, and until that is known nothing is lost",
    function* () {
      const text = "written until the end"
      const ends: Array<Effect.Effect<unknown>> = []
      const { begin, blobs, client, engine, log } = yield* staged({
        project: {
          // its files are gone, and what the driver appends comes right after
          liveOutput: () => Effect.as(ends.pop() ?? Effect.void, null),
          isDriven: () => Effect.succeed(true)
        }
      })
      yield* begin("run_1")
      const append = Effect.fnUntraced(function* (event_type: string, content: object) {
        const { version } = yield* engine.load("run_1")
        const events = facts(1).map((fact) => ({ ...fact, event_type, content: { ...attempt, ...content } }))
        yield* log.append("run_1", version, events)
      }, Effect.orDie)
      const attempt = { task_id: "a", attempt: 1 }
      const prompt = yield* blobs.put("Do it.")
      yield* append("ATTEMPT_STARTED", {
        agent: "x",
        worker_id: "w",
        item_id: "i",
        lease: 1,
        iteration: 1,
        prompt
      })
      const params = { run: "run_1", task: "a", attempt: 1 }
      const ask = (from: number) => client.tasks.output({ params, query: { stream: "stdout", from } })

      const meanwhile = { from: 8, next: 8, total: 8, text: "", is_live: true }
      assert.deepStrictEqual({ ...(yield* ask(8)) }, meanwhile)
      const stdout = yield* blobs.put(text)
      ends.push(append("ATTEMPT_OUTPUT_SUMMARIZED", { output_tail: "", stdout, stderr: null }))
      assert.deepInclude(yield* ask(8), { from: 8, text: "until the end", is_live: false })
    }
  )
})

describe("what is done", () => {
  live(
    "given a run and the task run below it, when the run is cancelled, then both end, and a second time is refused",
    function* () {
      const { begin, client, engine, post } = yield* staged()
      yield* begin("run_1")
      yield* begin("run_2", undefined, "run_1")
      const run = yield* client.runs.cancel({ params: { run: "run_1" }, payload: { reason: "enough" } })
      assert.deepInclude(run, { status: "cancelled", child_run_ids: ["run_2"] })
      assert.strictEqual(runIn(yield* engine.load("run_2")).run.status, "cancelled")
      const again = yield* post("/api/v1/runs/run_1/cancel")
      assert.deepStrictEqual([again.status, again.json.code], [409, "run_not_running"])
      assert.strictEqual((yield* post("/api/v1/runs/run_9/cancel")).status, 404)
    }
  )

  live("given a question, when it is approved, then the answer that means yes is given, once", function* () {
    const { client, engine, post } = yield* staged()
    yield* engine.execute("run_1", asking("run_1"))
    const { approvals } = yield* client.approvals()
    assert.deepStrictEqual(
      approvals.map(({ kind, phase, question, run_id }) => [run_id, kind, phase, question]),
      [["run_1", "question", "ASKED", "Go on?"]]
    )
    assert.match(approvals[0]?.asked_at ?? "", /^\d{4}-.*Z$/)
    const named = (status: string) =>
      Effect.map(client.runs.list({ query: { status } }), ({ runs }) =>
        runs.map(({ run_id, shown_as, status }) => [run_id, shown_as.word, status])
      )
    assert.deepStrictEqual(yield* named("waiting"), [["run_1", "waiting", "running"]])
    assert.deepStrictEqual(yield* named("failed,waiting"), [["run_1", "waiting", "running"]])
    const run = yield* client.runs.approve({ params: { run: "run_1" }, payload: { comment: "fine" } })
    assert.deepInclude(run, { phase: "EXPLORATION", approvals: [], failures: [] })
    assert.deepStrictEqual(yield* named("waiting"), [])
    const again = yield* post("/api/v1/runs/run_1/approve")
    assert.deepStrictEqual([again.status, again.json.code], [409, "no_question"])
    assert.strictEqual((yield* post("/api/v1/runs/run_1/answer", { answer: "yes" })).status, 409)
  })

  live(
    "given an answer to a question that was answered meanwhile, then it is not taken for the one that is asked now",
    function* () {
      const { client, engine, post } = yield* staged()
      yield* engine.execute("run_1", asking("run_1"))
      const [asked] = (yield* client.approvals()).approvals
      const late = yield* post("/api/v1/runs/run_1/answer", { answer: "yes", question_id: "AN_EARLIER_ONE.1" })
      assert.deepStrictEqual([late.status, late.json.code], [409, "question_changed"])
      const approved = yield* post("/api/v1/runs/run_1/approve", { question_id: `${asked?.phase}.2` })
      assert.deepStrictEqual([approved.status, approved.json.code], [409, "question_changed"])
      const payload = { answer: "yes", question_id: asked?.question_id ?? "" }
      assert.strictEqual((yield* client.runs.answer({ params: { run: "run_1" }, payload })).phase, "EXPLORATION")
    }
  )

  live("given a question, when it is answered, then who answers waits for no diff of what is asked next", function* () {
    let asked = 0
    const { client, engine } = yield* staged({
      project: { changes: () => Effect.sync(() => ({ files: [], left_out: ++asked })) }
    })
    const base = { commit: null, snapshot: { sha256: "0".repeat(64), bytes: 2 } }
    // it asks again and again
    const run: AnyCommand = JSON.parse(JSON.stringify(asking("run_1")).replaceAll('"EXPLORATION"', '"ASKED"'))
    yield* engine.execute("run_1", { ...run, base })
    const params = { run: "run_1" }
    assert.strictEqual((yield* client.runs.get({ params })).approvals[0]?.changes?.left_out, 1)
    const after = yield* client.runs.answer({ params, payload: { answer: "yes" } })
    assert.deepStrictEqual(
      after.approvals.map(({ changes, phase }) => [phase, changes]),
      [["ASKED", null]]
    )
    assert.strictEqual((yield* client.runs.approve({ params, payload: {} })).approvals.length, 1)
    assert.strictEqual(asked, 1)
  })

  live("given a key or a parameter that nobody knows, then it is refused: it would not be done", function* () {
    const { begin, post, send } = yield* staged()
    yield* begin("run_1")
    const bodies: ReadonlyArray<readonly [path: string, body: unknown]> = [
      ["", { file: "tasks.yaml", max_costs: 1 }],
      ["/run_1/cancel", { why: "so" }],
      ["/run_1/resume", { steps: 1 }],
      ["/run_1/answer", { answer: "yes", by: "me" }],
      ["/run_1/approve", { yes: true }]
    ]
    for (const [path, body] of bodies) {
      const { json, status } = yield* post(`/api/v1/runs${path}`, body)
      assert.deepStrictEqual([status, json.code], [400, "request_invalid"], path)
    }
    for (const path of ["runs?statuses=running", "approvals?run=run_1", "about?a=1", "runs/run_1?a=1", "workers?a"]) {
      const { json, status } = yield* send(`/api/v1/${path}`)
      assert.deepStrictEqual([status, json.code], [400, "request_invalid"], path)
    }
  })

  live(
    "given a question without an answer that means yes, when it is approved, then the answers are named",
    function* () {
      const { client, engine, post } = yield* staged()
      yield* engine.execute("run_1", asking("run_1", ["continue", "stop"]))
      const { json, status } = yield* post("/api/v1/runs/run_1/approve")
      assert.deepStrictEqual([status, json.code], [409, "approval_ambiguous"])
      assert.include(json.detail, "continue, stop")
      const wrong = yield* post("/api/v1/runs/run_1/answer", { answer: "maybe" })
      assert.strictEqual(wrong.status, 422)
      const run = yield* client.runs.answer({ params: { run: "run_1" }, payload: { answer: "stop" } })
      assert.strictEqual(run.phase, "STOPPED")
    }
  )

  live(
    "given what the project refuses, when it is asked to start, resume or verify, then each fault has its place",
    function* () {
      const { begin, client, post } = yield* staged()
      yield* begin("run_1")
      const started = yield* Effect.flip(client.runs.start({ payload: { file: "tasks.yaml" } }))
      assert.deepInclude(started, { _tag: "Refused", code: "task_dependency_unknown" })
      const { json, status } = yield* post("/api/v1/runs", { file: "tasks.yaml" })
      assert.strictEqual(status, 422)
      assert.deepInclude(json.problems[0], { file: "tasks.yaml", line: 7, column: 3 })
      const resumed = yield* post("/api/v1/runs/run_1/resume")
      assert.deepStrictEqual([resumed.status, resumed.json.code], [409, "run_is_driven"])
      const verified = yield* post("/api/v1/runs/run_1/verify")
      assert.deepStrictEqual([verified.status, verified.json.code], [409, "log_changed"])
    }
  )

  live("given a server that starts nothing, when a run is to be started, then it says so", function* () {
    const { begin, client, post } = yield* staged({ project: { start: null, resume: null } })
    yield* begin("run_1")
    assert.isFalse((yield* client.about()).can_start)
    for (const [path, body] of [
      ["/api/v1/runs", { file: "tasks.yaml" }],
      ["/api/v1/runs/run_1/resume", {}]
    ] as const) {
      const { json, status } = yield* post(path, body)
      assert.deepStrictEqual([status, json.code], [409, "start_not_possible"])
    }
  })
})
