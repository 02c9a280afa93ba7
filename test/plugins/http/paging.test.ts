import { assert, describe, it } from "@effect/vitest"
import type { RunSummary } from "@proofline/kernel"
import { aTask } from "@proofline/kernel/testing"
import { pieceBytes, pieceOf } from "@proofline/plugins/frontends/http"
import { Effect, Schema, Stream } from "effect"
import { runStatuses } from "../../../packages/plugins/src/frontends/http/rows.ts"
import { live } from "../../effects.ts"
import { often } from "../../often.ts"
import { facts } from "./facts.ts"
import { staged } from "./stage.ts"

const within = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const summary = (run_id: string, second: number): RunSummary => ({
  run_id,
  kind: "tasks",
  name: `Name of ${run_id}`,
  status: "completed",
  started_at: `2026-01-02T03:04:${String(second).padStart(2, "0")}.000Z`,
  ended_at: null,
  parent_run_id: null,
  tasks_total: 0,
  tasks_completed: 0,
  tasks_failed: 0,
  tasks_skipped: 0,
  items_total: 0,
  items_closed: 0,
  active: []
})

describe("pages", () => {
  it.live.prop(
    "given runs that come while a list is read, when its pages are put together, then all that were there stand in it once, the newest first",
    [
      Schema.Array(within(0, 9)).check(Schema.isMaxLength(30)),
      within(1, 7),
      Schema.Array(within(0, 3)).check(Schema.isMaxLength(20))
    ],
    ([seconds, limit, coming]) =>
      Effect.gen(function* () {
        const before = seconds.map((second, i) => summary(`run_${i}`, second))
        let runs = before
        const { client } = yield* staged({ project: { runs: Effect.sync(() => runs) } })
        const seen: Array<string> = []
        let cursor: string | null = ""
        for (let page = 0; cursor !== null; page++) {
          const query = cursor === "" ? { limit } : { limit, cursor }
          const answer: { runs: ReadonlyArray<{ run_id: string }>; next_cursor: string | null } =
            yield* client.runs.list({
              query
            })
          assert.isAtMost(answer.runs.length, limit)
          seen.push(...answer.runs.map(({ run_id }) => run_id))
          cursor = answer.next_cursor
          const more = coming[page] ?? 0
          runs = [...Array.from({ length: more }, (_, i) => summary(`new_${page}_${i}`, 30 + page)), ...runs]
        }
        const sorted = before.toSorted((a, b) =>
          a.started_at === b.started_at ? (a.run_id < b.run_id ? 1 : -1) : a.started_at < b.started_at ? 1 : -1
        )
        assert.deepStrictEqual(
          seen,
          sorted.map(({ run_id }) => run_id)
        )
      }).pipe(Effect.scoped),
    { arbitrary: { runs: often(20) } }
  )

  live("given runs of many kinds, when they are filtered, then only those that fit are there", function* () {
    const runs: ReadonlyArray<RunSummary> = [
      { ...summary("run_a", 4), name: "Größe ändern" },
      { ...summary("run_b", 3), status: "failed" },
      { ...summary("run_c", 2), kind: "requirements" },
      { ...summary("run_d", 1), parent_run_id: "run_c", status: "running" }
    ]
    const { client } = yield* staged({ project: { runs: Effect.succeed(runs) } })
    const ids = (query: Parameters<typeof client.runs.list>[0]["query"]) =>
      Effect.map(client.runs.list({ query }), (answer) => answer.runs.map(({ run_id }) => run_id))
    assert.deepStrictEqual(yield* ids({}), ["run_a", "run_b", "run_c", "run_d"])
    assert.deepStrictEqual(yield* ids({ status: "failed, running" }), ["run_b", "run_d"])
    assert.deepStrictEqual(yield* ids({ kind: "requirements" }), ["run_c"])
    assert.deepStrictEqual(yield* ids({ parent: "run_c" }), ["run_d"])
    assert.deepStrictEqual(yield* ids({ q: "GRÖSSE" }), [])
    assert.deepStrictEqual(yield* ids({ q: "ÄNDERN" }), ["run_a"])
    assert.deepStrictEqual(yield* ids({ q: "RUN_B" }), ["run_b"])
    assert.deepStrictEqual(yield* ids({ q: "name of", status: "completed" }), ["run_c"])
  })

  live(
    "given any filters, when one more is chosen of what they find, then as many runs are there as was said, and of no other value any",
    function* () {
      const asked = [
        { run_id: "", task_id: "a", attempt: 1, index: 0, item: "one", reason: "", evidence: null, files: [] }
      ]
      const statuses = ["running", "completed", "incomplete", "failed", "cancelled"] as const
      const kinds = ["tasks", "requirements", "session"]
      const runs = Array.from(
        { length: 40 },
        (_, i): RunSummary => ({
          ...summary(`run_${i + 10}`, i),
          status: statuses[(i * 7) % 5] ?? "failed",
          kind: kinds[(i * 5) % 3] ?? "",
          ...(i % 6 === 0 ? { asked } : {})
        })
      )
      const { client } = yield* staged({ project: { runs: Effect.succeed(runs) } })
      for (const other of [{}, { kind: "session" }, { status: "failed,waiting" }, { q: "run_2" }, { limit: 1 }]) {
        const { facets } = yield* client.runs.list({ query: other })
        for (const [filter, values] of [
          ["status", runStatuses],
          ["kind", kinds]
        ] as const) {
          for (const value of values) {
            const query = { ...other, [filter]: value, limit: 100 }
            const found = yield* client.runs.list({ query })
            assert.strictEqual(facets[filter][value] ?? 0, found.runs.length, JSON.stringify(query))
          }
        }
      }
    }
  )

  live(
    "given runs that ask a person, when those that wait are asked for, then all that are shown so and not away are there",
    function* () {
      const asked = [
        { run_id: "", task_id: "a", attempt: 1, index: 0, item: "one", reason: "", evidence: null, files: [] }
      ]
      const runs = Array.from(
        { length: 23 },
        (_, i): RunSummary => ({ ...summary(`run_${i + 10}`, 59 - i), status: "incomplete", asked })
      )
      const gone = { kind: "moved", place: "elsewhere.db", at: "2026-01-02T03:04:05.678Z", version: 1, hash: "" }
      const { client } = yield* staged({
        project: { runs: Effect.succeed([{ ...summary("run_0", 0), asked, away: gone }, ...runs]) }
      })
      const { runs: all } = yield* client.runs.list({ query: {} })
      const { runs: waiting } = yield* client.runs.list({ query: { status: "waiting" } })
      const shown = all.filter(({ shown_as }) => shown_as.word === "waiting").map(({ run_id }) => run_id)
      assert.deepStrictEqual(
        shown,
        runs.map(({ run_id }) => run_id)
      )
      assert.deepStrictEqual(
        waiting.map(({ run_id }) => run_id),
        shown
      )
    }
  )

  live(
    "given words, when tasks are asked for by them, then those are found whose id or title has all of them",
    function* () {
      const { begin, client } = yield* staged()
      yield* begin("run_1", [
        ...Array.from({ length: 12 }, (_, i) => aTask(`part-${i}`, { title: `Write part ${i} of the Ärger` })),
        aTask("other", { title: "Something else" })
      ])
      const found = (q: string, more: { readonly limit?: number; readonly cursor?: string } = {}) =>
        Effect.map(
          client.tasks.list({ params: { run: "run_1" }, query: { q, ...more } }),
          ({ next_cursor, tasks }) => [tasks.map(({ task_id }) => task_id), next_cursor] as const
        )
      assert.deepStrictEqual((yield* found("  OTHER "))[0], ["other"])
      assert.deepStrictEqual((yield* found("ärger part-11"))[0], ["part-11"])
      assert.deepStrictEqual((yield* found("nothing"))[0], [])
      assert.lengthOf((yield* found(""))[0], 13)
      const [first, cursor] = yield* found("part 1", { limit: 2 })
      assert.deepStrictEqual(first, ["part-1", "part-10"])
      assert.deepStrictEqual((yield* found("part 1", { limit: 2, cursor: cursor ?? "" }))[0], ["part-11"])
    }
  )

  live(
    "given a run with many tasks and events, when they are read page by page, then nothing is missing or doubled",
    function* () {
      const { begin, client, engine, log } = yield* staged()
      const names = Array.from({ length: 25 }, (_, i) => `task ${i}/ä?#%`)
      yield* begin(
        "run_1",
        names.map((name) => aTask(name))
      )
      const params = { run: "run_1" }
      const tasks: Array<string> = []
      let cursor: string | null = null
      do {
        const query: { limit: number; cursor?: string } = { limit: 7, ...(cursor === null ? {} : { cursor }) }
        const page: { tasks: ReadonlyArray<{ task_id: string }>; next_cursor: string | null } =
          yield* client.tasks.list({
            params,
            query
          })
        tasks.push(...page.tasks.map(({ task_id }) => task_id))
        cursor = page.next_cursor
      } while (cursor !== null)
      assert.deepStrictEqual(tasks, names)
      const one = yield* client.tasks.get({ params: { ...params, task: names[3] ?? "" } })
      assert.strictEqual(one.task_id, names[3])

      const versions: Array<number> = []
      do {
        const query: { limit: number; cursor?: string; visibility: "full" } = {
          limit: 9,
          visibility: "full",
          ...(cursor === null ? {} : { cursor })
        }
        const page: { events: ReadonlyArray<{ version: number }>; next_cursor: string | null } =
          yield* client.runs.events({
            params,
            query
          })
        versions.push(...page.events.map(({ version }) => version))
        cursor = page.next_cursor
        if (versions.length === 9) {
          const { version } = yield* engine.load("run_1")
          yield* log.append(
            "run_1",
            version,
            facts(3, version + 1).map((fact) => ({ ...fact, command_id: "more" }))
          )
        }
      } while (cursor !== null)
      const { length } = yield* Stream.runCollect(log.read("run_1"))
      assert.deepStrictEqual(
        versions,
        Array.from({ length }, (_, i) => i + 1)
      )
    }
  )
})

describe("pieces of a text", () => {
  it.prop(
    "given any text, when it is read piece by piece from any byte, then the pieces together are the rest of it",
    [
      Schema.Array(Schema.Literals(["a", "é", "漢", "👍", "\n"])).check(Schema.isMaxLength(40)),
      within(0, 6_000),
      Schema.Int
    ],
    ([unit, times, from]) => {
      const text = unit.join("").repeat(unit.length === 0 ? 0 : times)
      const bytes = new TextEncoder().encode(text)
      let piece = pieceOf(bytes, from % (bytes.length + 1))
      const begin = piece.from
      let all = piece.text
      while (piece.next < piece.total) {
        assert.isAbove(piece.next, piece.from)
        assert.isAtMost(new TextEncoder().encode(piece.text).length, pieceBytes)
        piece = pieceOf(bytes, piece.next)
        all += piece.text
      }
      assert.strictEqual(all, new TextDecoder().decode(bytes.subarray(begin)))
      assert.notInclude(all, "\ufffd")
    }
  )

  it.prop(
    "given any bytes, when a piece of them is read, then it goes on",
    [Schema.Uint8Array, Schema.Int],
    ([bytes, from]) => {
      const { from: start, next, total } = pieceOf(bytes, from)
      assert.isAtMost(start, next)
      assert.isAtMost(next, total)
      if (start < total) assert.isBelow(start, next)
    }
  )
})
