import { assert, describe, it } from "@effect/vitest"
import type { Recorded } from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { isRefusal } from "../../packages/ui/src/fold/log.ts"
import type { Bar, Queries } from "../../packages/ui/src/fold/protocol.ts"
import { makeStore, type Store } from "../../packages/ui/src/fold/store.ts"
import { fact } from "../kernel/support/judge.ts"
import { logOf } from "../kernel/support/logOf.ts"
import { forSeeds } from "../kernel/support/random.ts"
import { endReporting, start, verified } from "../kernel/support/words.ts"
import { often } from "../often.ts"
import { randomLog, sent, textsOf } from "./foldLogs.ts"

const storeOf = (log: ReadonlyArray<Recorded>): Store => {
  const store = makeStore("run_1")
  store.add(sent(textsOf(log)))
  return store
}

type Tree = Queries["tree"]
const tree = (store: Store, params: Partial<Tree["params"]> = {}): Tree["answer"] =>
  store.answer("tree", { from: 0, to: 10_000, text: "", statuses: [], closed: [], ...params })
const idsOf = ({ rows }: Tree["answer"]) => rows.map(({ task_id }) => task_id)

describe("the tree of tasks", () => {
  it("given any run, then every row knows where it stands, as a reader of the screen needs it", () => {
    forSeeds(often(30), (random) => {
      const store = storeOf(randomLog(random))
      store.seek(random.below(store.head + 1))
      const all = tree(store)
      const closed = all.rows.filter(({ has_children }) => has_children && random.chance(0.5)).map((row) => row.task_id)
      const filter = random.chance(0.5) ? { closed } : { text: random.pick(["t1", "sub", "command", ""]) }
      const shown = tree(store, filter)
      const { rows } = shown
      for (const { task_id } of all.rows) {
        const row = rows.findIndex((one) => one.task_id === task_id)
        // also where that row is not among those that are asked for
        const { sought } = tree(store, { ...filter, to: 0, sought: task_id })
        assert.deepStrictEqual(sought, row === -1 ? null : { task_id, row })
      }
      assert.isNull(shown.sought)
      rows.forEach((row, i) => {
        const parent = row.parent_row === null ? null : rows[row.parent_row]
        assert.strictEqual(parent?.task_id ?? null, row.depth === 0 ? null : row.parent_task_id)
        const family = rows.filter((one) => one.parent_row === row.parent_row)
        assert.strictEqual(row.siblings, family.length)
        assert.strictEqual(row.rowIndex, family.indexOf(row) + 1)
        if (row.parent_row !== null) assert.isBelow(row.parent_row, i)
      })
    })
  })

  it("given tasks are closed, then exactly what is below them is hidden", () => {
    forSeeds(often(30), (random) => {
      const store = storeOf(randomLog(random))
      const all = tree(store)
      const closed = all.rows.filter(({ has_children }) => has_children && random.chance(0.5)).map((row) => row.task_id)
      const byId = new Map(all.rows.map((row) => [row.task_id, row]))
      const isBelow = (id: string | null): boolean =>
        id !== null && (closed.includes(id) || isBelow(byId.get(id)?.parent_task_id ?? null))
      const expected = all.rows.filter(({ depth, parent_task_id }) => depth === 0 || !isBelow(parent_task_id))
      const shown = tree(store, { closed })
      assert.deepStrictEqual(idsOf(shown), idsOf({ ...all, rows: expected }))
      for (const row of shown.rows) {
        assert.strictEqual(row.is_open, row.has_children && !closed.includes(row.task_id))
      }
      assert.strictEqual(shown.whole, all.total)
    })
  })

  it("given a text or a status is looked for, then what fits is shown with all it is part of, and is counted", () => {
    forSeeds(often(40), (random) => {
      const store = storeOf(randomLog(random))
      const all = tree(store).rows
      const text = random.pick(["", "T1", "sub-2", "command"])
      const statuses = random.chance(0.5) ? [random.pick(["completed", "failed", "pending"])] : []
      const holds = ({ agent, task_id, title, worker_id }: (typeof all)[number]) =>
        `${task_id} ${title} ${agent} ${worker_id}`.toLowerCase().includes(text.toLowerCase())
      const fitting = all.filter((row) => holds(row) && (statuses.length === 0 || statuses.includes(row.status)))
      const byId = new Map(all.map((row) => [row.task_id, row]))
      const wanted = new Set<string>()
      for (const row of fitting) {
        for (let at = byId.get(row.task_id); at !== undefined; at = byId.get(at.parent_task_id ?? ""))
          wanted.add(at.task_id)
      }
      const shown = tree(store, { text, statuses, closed: all.map(({ task_id }) => task_id) })
      if (text === "" && statuses.length === 0) return
      assert.deepStrictEqual(
        idsOf(shown),
        all.map(({ task_id }) => task_id).filter((id) => wanted.has(id))
      )
      for (const { count, status } of shown.counts) {
        assert.strictEqual(count, all.filter((row) => holds(row) && row.status === status).length)
      }
    })
  })

  it("given a task that was split, then it and its parts are named as on the terminal", () => {
    let seen = 0
    forSeeds(often(60), (random) => {
      const store = storeOf(randomLog(random))
      for (let version = 0; version <= store.head; version += 5) {
        store.seek(version)
        for (const row of tree(store).rows) {
          if (row.subtasks_total > 0) {
            seen++
            assert.match(row.label, /^(RUNNING|COMPLETE|INCOMPLETE|ERROR|FAILED) - Chunked \d+\/\d+$/)
            assert.isTrue(row.label.endsWith(` ${row.subtasks_completed}/${row.subtasks_total}`))
          } else if (row.status === "in_progress") {
            assert.strictEqual(row.label, row.iteration > 1 ? `Running (iteration ${row.iteration})` : "Running")
          } else if (row.status === "completed") assert.strictEqual(row.label, "Complete")
          else if (row.status === "pending") assert.strictEqual(row.label, "Pending")
          else if (row.status === "failed") assert.match(row.label, /^(Failed( \(.+\))?|Interrupted)$/)
        }
      }
    })
    assert.isAbove(seen, often(20))
  })
})

type Timeline = Queries["timeline"]
const timeline = (store: Store, params: Partial<Timeline["params"]> = {}): Timeline["answer"] =>
  store.answer("timeline", { from: 0, to: 10_000, begin: null, end: null, grain: 0, ...params })

const second = 1_000
const epoch = Date.parse("2026-01-02T03:04:05.000Z")

/** Attempts of one task each, by one worker, with their begin and end in seconds. */
const attemptsLog = (spans: ReadonlyArray<readonly [begin: number, end: number | null, worker?: string]>) => {
  const tasks = spans.map((_, i) => aTask(`t${i}`, { checks: [], checklist: [] }))
  const setUp = logOf(aRun(tasks))
  const shape = logOf(aRun(tasks), start("t0"), endReporting("t0", 1, []))
  const begun = shape.find(({ event_type }) => event_type === "ATTEMPT_STARTED") as Recorded
  const ended = shape.find(({ event_type }) => event_type === "ATTEMPT_ENDED") as Recorded
  const moments = spans.flatMap(([begin, end, worker = "w"], i) => [
    { at: begin, event: { ...begun, content: { ...(begun.content as object), task_id: `t${i}`, worker_id: worker } } },
    ...(end === null
      ? []
      : [{ at: end, event: { ...ended, content: { ...(ended.content as object), task_id: `t${i}` } } }])
  ])
  const events = [
    ...setUp.map((event) => ({ at: 0, event })),
    // an attempt begins before it ends
    ...moments.map((one, i) => ({ ...one, i })).sort((a, b) => a.at - b.at || a.i - b.i)
  ]
  return events.map(({ at, event }, i) => ({
    ...event,
    version: i + 1,
    position: i + 1,
    timestamp: new Date(epoch + at * second).toISOString(),
    prev_hash: String(i),
    hash: String(i + 1)
  })) as ReadonlyArray<Recorded>
}

describe("the timeline", () => {
  const timesOf = (bar: Bar, until: number) => [
    Date.parse(bar.started_at),
    bar.ended_at === null ? until : Date.parse(bar.ended_at)
  ]

  it("given attempts at the same time, then no bar covers another, and none is left out", () => {
    forSeeds(often(50), (random) => {
      const spans = Array.from({ length: 1 + random.below(30) }, () => {
        const begin = random.below(100)
        return [begin, random.chance(0.1) ? null : begin + random.below(30), random.pick(["w", "v"])] as const
      })
      const store = storeOf(attemptsLog(spans))
      const answer = timeline(store)
      assert.strictEqual(
        answer.rows.reduce((sum, { bars }) => sum + bars.length, 0),
        spans.length
      )
      const until = Date.parse(answer.until ?? "")
      for (const { bars, rows } of answer.rows) {
        for (const [i, bar] of bars.entries()) {
          assert.isBelow(bar.row, rows)
          const [begin = 0, end = 0] = timesOf(bar, until)
          for (const other of bars.slice(i + 1).filter(({ row }) => row === bar.row)) {
            const [otherBegin = 0, otherEnd = 0] = timesOf(other, until)
            assert.isTrue(end <= otherBegin || otherEnd <= begin, `${bar.task_id} covers ${other.task_id}`)
          }
        }
      }
    })
  })

  it("given a coarse scale, then short attempts become one bar that counts them, long ones stay", () => {
    forSeeds(often(50), (random) => {
      const spans = Array.from({ length: 2 + random.below(60) }, () => {
        const begin = random.below(1_000)
        return [begin, begin + (random.chance(0.2) ? 60 : 1)] as const
      })
      const store = storeOf(attemptsLog(spans))
      const grain = 20 * second
      const { rows } = timeline(store, { grain })
      const bars = rows.flatMap((lane) => lane.bars)
      assert.strictEqual(
        bars.reduce((sum, { merged }) => sum + merged, 0),
        spans.length
      )
      assert.strictEqual(
        bars.filter((bar) => bar.merged === 1 && timesOf(bar, 0)[1] === (timesOf(bar, 0)[0] ?? 0) + 60 * second).length,
        spans.filter(([begin, end]) => end - begin === 60).length
      )
      // however many there are, those that can be seen are few
      const most = rows.reduce((sum, lane) => sum + lane.rows, 0) * (1_100 / 20)
      assert.isAtMost(bars.filter(({ merged }) => merged > 1).length, most)
    })
  })

  it("given a part of the time, then the attempts in it are answered and no others", () => {
    const store = storeOf(
      attemptsLog([
        [0, 10],
        [20, 30],
        [40, null]
      ])
    )
    const bars = (begin: number, end: number) =>
      timeline(store, { begin: epoch + begin * second, end: epoch + end * second }).rows.flatMap((lane) =>
        lane.bars.map(({ task_id }) => task_id)
      )
    assert.deepStrictEqual(bars(0, 5), ["t0"])
    assert.deepStrictEqual(bars(11, 19), [])
    assert.deepStrictEqual(bars(10, 20), ["t0", "t1"])
    assert.deepStrictEqual(bars(25, 100), ["t1", "t2"])
  })

  it("given how attempts ended, then each bar says what became of it", () => {
    const a = aTask("a", { checks: [], checklist: [{ item: "one" }] })
    const claim = [{ item: "one", status: "done" as const, evidence: "src/a.ts:1-2" }]
    const wrong = { _tag: "RecordEvidence", task_id: "a", attempt: 1, facts: [fact(0, "file_not_found")] } as const
    const refused = storeOf(logOf(aRun([a]), start("a"), endReporting("a", 1, claim), wrong))
    assert.deepInclude(timeline(refused).rows[0]?.bars[0], { status: "refuted", outcome: "COMPLETE", refusals: 1 })
    const running = storeOf(logOf(aRun([a]), start("a")))
    assert.deepInclude(timeline(running).rows[0]?.bars[0], { status: "running", ended_at: null })
    const checked = aTask("a", { checks: ["true"], checklist: [] })
    const proven = storeOf(logOf(aRun([checked]), start("a"), endReporting("a", 1, []), verified("a", 1)))
    assert.deepInclude(timeline(proven).rows[0]?.bars[0], { status: "COMPLETE" })
  })
})

describe("what was refused", () => {
  it("given any moment of any run, then every refusal until then is there, newest first, beside what a later attempt did", () => {
    forSeeds(often(30), (random) => {
      const log = randomLog(random)
      const store = storeOf(log)
      const version = random.below(store.head + 1)
      store.seek(version)
      const { rows, total } = store.answer("refusals", { from: 0, to: 10_000, event: null })
      const expected = log.filter((event) => event.version <= version && isRefusal(event)).map((event) => event.version)
      assert.deepStrictEqual(
        rows.map((row) => row.version),
        expected.toReversed()
      )
      assert.strictEqual(total, expected.length)
      // one that is meant is the last of what is shown, where that is not more
      for (const event of expected) {
        const { rows: least } = store.answer("refusals", { from: 0, to: 1, event })
        assert.strictEqual(least.at(-1)?.version, event)
      }
      for (const { attempt, next, task_id } of rows) {
        const later = log.some(({ content, event_type }) => {
          const begun = content as { readonly task_id: string; readonly attempt: number }
          return event_type === "ATTEMPT_STARTED" && begun.task_id === task_id && begun.attempt > (attempt ?? 0)
        })
        assert.strictEqual(next !== null, later && attempt !== null)
        if (next !== null) assert.isAbove(next.attempt, attempt ?? 0)
      }
      // along the slider all of them are marked, also those that are to come
      const { marks } = store.answer("run", {})
      assert.deepStrictEqual(
        marks,
        log.filter(isRefusal).map((event) => event.version)
      )
    })
  })
})
