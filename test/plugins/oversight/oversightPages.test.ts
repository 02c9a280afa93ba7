import { assert, describe, it } from "@effect/vitest"
import { type EventCandidate, EventLog, type Json, type LogVerification } from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { Context, Effect } from "effect"
import { effect } from "../../effects.ts"
import { randomFrom } from "../../kernel/support/random.ts"
import { newLog, newProcess, type Process, works } from "../../kernel/support/world.ts"
import { readAll } from "../sessions/servers.ts"
import { aWatcher, nothingProven, type Watcher } from "./watcher.ts"

const most = 8 * 1024
const jsonBytes = (body: unknown): number => Buffer.byteLength(JSON.stringify(body))
/** Every character takes six bytes of JSON. */
const costly = (length: number): string => "\u0001".repeat(length)
const long = (text: string, length: number): string => `${text} ${"word ".repeat(length)}`.slice(0, length)

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every kind
type Seen = any

const small = Effect.fnUntraced(function* (
  watcher: Watcher,
  operation: string,
  args: unknown = {}
): Effect.fn.Return<Seen> {
  const { body, ok } = yield* watcher.ask(operation, args)
  assert.isTrue(ok, JSON.stringify(body).slice(0, 500))
  assert.isAtMost(jsonBytes(body), most, operation)
  return body
})

const started = Effect.fnUntraced(function* (
  { engine }: Process,
  tasks: Parameters<typeof aRun>[0],
  over: { readonly name?: string; readonly run_id?: string } = {}
) {
  const run = over.run_id ?? "run_1"
  yield* Effect.orDie(engine.execute(run, { ...aRun(tasks, {}, run), ...over, run_id: run }))
})

/** A log in which this much happened, as kernel and plugins write it; `more` is in the content of each. */
const withEvents = Effect.fnUntraced(function* (
  texts: ReadonlyArray<string>,
  more: Readonly<Record<string, Json>> = {}
) {
  const log = yield* newLog
  const process = yield* newProcess(log, works)
  yield* started(process, [aTask("a")])
  const { version } = yield* Effect.orDie(process.engine.load("run_1"))
  const candidates = texts.map(
    (text, i): EventCandidate => ({
      event_type: "ACTIVITY_STARTED",
      schema_version: 1,
      timestamp: "2026-01-02T12:00:00.000Z",
      visibility: "full",
      content: { name: "x", key: `${i}`, input_sha256: text, ...more },
      command_id: `many_${i}`,
      causation_id: null,
      correlation_id: "run_1"
    })
  )
  for (const [i, candidate] of candidates.entries()) {
    yield* Effect.orDie(Context.get(log, EventLog).append("run_1", version + i, [candidate]))
  }
  return { log, watcher: yield* aWatcher(log), last: version + texts.length }
})

describe("given a run with many events, its pages", () => {
  it.effect.each([1, 2, 3, 4, 5, 6, 7, 8])("hold all of them, once, in order, never more than fits (%i)", (seed) =>
    Effect.gen(function* () {
      const random = randomFrom(seed)
      const texts = Array.from({ length: 1 + random.below(60) }, () =>
        random.chance(0.1) ? costly(random.below(4_000)) : "x".repeat(random.below(random.chance(0.2) ? 9_000 : 400))
      )
      const { last, log, watcher } = yield* withEvents(texts)
      const limit = random.chance(0.5) ? 1 + random.below(200) : undefined
      const seen: Array<number> = []
      for (let from: number | null = 1; from !== null; ) {
        const page: Seen = yield* small(watcher, "get_events", { from, ...(limit === undefined ? {} : { limit }) })
        assert.strictEqual(page.events_before, seen.length)
        assert.isAbove(page.events.length, 0)
        assert.isAtMost(page.events.length, limit ?? 200)
        for (const { version } of page.events) seen.push(version)
        assert.strictEqual(page.events_left_out, last - seen.length)
        from = page.next_from
      }
      const all = yield* readAll(log)
      assert.deepStrictEqual(
        seen,
        all.map(({ version }) => version)
      )
    })
  )

  effect("end with the newest when nothing is said of where to begin", function* () {
    const { last, watcher } = yield* withEvents(Array.from({ length: 40 }, () => "x".repeat(500)))
    const page = yield* small(watcher, "get_events")
    assert.strictEqual(page.events.at(-1).version, last)
    assert.strictEqual(page.events[0].version, page.from)
    assert.isNull(page.next_from)
    assert.isAbove(page.events.length, 5)
    assert.isAbove(page.events_before, 0)
    const few = yield* small(watcher, "get_events", { limit: 2 })
    assert.deepStrictEqual(
      few.events.map(({ version }: { readonly version: number }) => version),
      [last - 1, last]
    )
    const none = yield* small(watcher, "get_events", { from: last + 1 })
    assert.deepStrictEqual([none.events, none.next_from, none.events_left_out], [[], null, 0])
  })

  effect("show of an event that no page has room for how large it is and how it begins", function* () {
    const { last, watcher } = yield* withEvents([costly(5_000)])
    const { events } = yield* small(watcher, "get_events", { from: last })
    assert.deepInclude(events[0], { version: last, event_type: "ACTIVITY_STARTED" })
    assert.isAbove(events[0].content_bytes, 30_000)
    assert.match(events[0].content_cut, /^\{"input_sha256":"\\u0001.*…$/)
    for (const key of ["content", "blobs"]) assert.notProperty(events[0], key)
  })

  effect("name the blobs of such an event, wherever they stand in it, ten at most", function* () {
    const blob = (bytes: number) => ({ sha256: "a".repeat(64), bytes })
    const none = [null, { sha256: "a" }, { sha256: 3, bytes: 3 }, { sha256: "a", bytes: "3" }, { ...blob(3), more: 1 }]
    const few = yield* withEvents([costly(5_000)], { first: blob(1), list: [{ deep: blob(2) }], none })
    const [event] = (yield* small(few.watcher, "get_events", { from: few.last })).events
    assert.deepStrictEqual(event.blobs, [blob(1), blob(2)])
    const all = yield* withEvents([costly(5_000)], { list: Array.from({ length: 12 }, (_, i) => blob(i)) })
    assert.lengthOf((yield* small(all.watcher, "get_events", { from: all.last })).events[0].blobs, 10)
  })
})

describe("given a project of the worst size, an answer", () => {
  const tasks = (count: number, items: number) =>
    Array.from({ length: count }, (_, n) =>
      aTask(`task-${n}`, {
        title: long(`Title ${n}`, 200),
        checklist: Array.from({ length: items }, (_, i) => ({ item: long(`Item ${i}`, 300) }))
      })
    )

  effect("about one run with 200 tasks shows all it can, and counts the rest", function* () {
    const log = yield* newLog
    yield* started(yield* newProcess(log, works), tasks(200, 5), { name: costly(3_000) })
    const body = yield* small(yield* aWatcher(log), "get_run")
    assert.strictEqual(body.tasks.length + body.tasks_left_out, 200)
    assert.isAbove(body.tasks.length, 20)
    assert.property(body, "next_step")
  })

  effect("about one run with few tasks says everything of them, as far as there is room", function* () {
    const log = yield* newLog
    yield* started(yield* newProcess(log, works), tasks(40, 3))
    const body = yield* small(yield* aWatcher(log), "get_run")
    assert.lengthOf(body.tasks, 40)
    assert.notProperty(body, "tasks_left_out")
    assert.lengthOf(body.tasks[0].checklist, 3)
    assert.strictEqual(body.tasks_cut, body.tasks.filter((task: object) => !("checklist" in task)).length)
    assert.isAbove(body.tasks_cut, 0)
  })

  effect("about one task with 200 items fits", function* () {
    const log = yield* newLog
    yield* started(yield* newProcess(log, works), tasks(1, 200))
    const watcher = yield* aWatcher(log)
    yield* small(watcher, "get_run")
    yield* small(watcher, "get_subtasks", { task_id: "task-0" })
  })

  effect("about all runs lists the newest ones, and counts the others", function* () {
    const log = yield* newLog
    const process = yield* newProcess(log, works)
    for (let n = 0; n < 60; n++) yield* started(process, [aTask("a")], { run_id: `run_${n}`, name: costly(500) })
    const watcher = yield* aWatcher(log)
    const ten = yield* small(watcher, "list_runs")
    assert.deepStrictEqual([ten.runs.length, ten.runs_left_out, ten.runs[0].run_id], [10, 50, "run_59"])
    const many = yield* small(watcher, "list_runs", { limit: 50 })
    assert.strictEqual(many.runs.length + many.runs_left_out, 60)
    assert.isAbove(many.runs.length, 10)
  })

  effect("of a verification with 500 receipts shows what no longer holds, and counts the rest", function* () {
    const log = yield* newLog
    yield* started(yield* newProcess(log, works), [aTask("a")])
    const receipts = Array.from({ length: 500 }, (_, n) => ({
      task_id: `task-${n}`,
      item_index: n,
      task_completed: true,
      item: costly(400),
      evidence: long("src/a.ts", 400),
      status: n === 499 ? ("missing" as const) : ("proven" as const),
      verdict: n === 499 ? ("stale" as const) : ("proven" as const),
      shown_by: n === 499 ? null : ("evidence" as const),
      now: null,
      reason: long("why", 1_000),
      weak: []
    }))
    const verify = (run: string): LogVerification => ({
      ...nothingProven(run),
      chain: { ok: false, events: 3, head: null, code: "log_changed", version: 4, message: costly(5_000) },
      receipts
    })
    const body = yield* small(yield* aWatcher(log, { verify }), "verify_run")
    assert.strictEqual(body.receipts[0].status, "missing")
    assert.strictEqual(body.receipts.length + body.receipts_left_out, 500)
    assert.deepInclude(body.chain, { ok: false, version: 4 })
  })
})
