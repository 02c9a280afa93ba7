import { assert, describe, it } from "@effect/vitest"
import { begunStatus, proofOf, type Recorded, taskRowsOf, taskViewOf, workOf } from "@proofline/kernel"
import { isRefusal } from "../../packages/ui/src/fold/log.ts"
import type { Queries } from "../../packages/ui/src/fold/protocol.ts"
import { makeStore, type Store } from "../../packages/ui/src/fold/store.ts"
import { forSeeds, type Random } from "../kernel/support/random.ts"
import { often } from "../often.ts"
import { goldenLogs, longLog, randomLog, type Scratch, scratch, sent, textsOf } from "./foldLogs.ts"

const streamOf = (log: ReadonlyArray<Recorded>): string => log[0]?.stream ?? "run_1"

const storeOf = (log: ReadonlyArray<Recorded>): Store => {
  const store = makeStore(streamOf(log))
  assert.strictEqual(store.add(sent(textsOf(log))), "ok")
  assert.strictEqual(store.head, log.length)
  return store
}

const all = { from: 0, to: Number.MAX_SAFE_INTEGER }
const wholeTree = { ...all, text: "", statuses: [], closed: [] } as const
const wholeTimeline = { ...all, begin: null, end: null, grain: 0 } as const
const everyEvent = { ...all, text: "", types: [], visibility: "full" } as const

/** Everything that is answered at a version is what the kernel's rules make of the log up to there. */
const assertSame = (store: Store, version: number, { history, state }: Scratch): void => {
  const run = store.answer("run", {})
  const { message, spent } = state.run
  const [status, proof] = [begunStatus(state.run), proofOf(state)]
  assert.deepInclude(run, { version, status, proof, message, spent, ...workOf(state) })
  assert.strictEqual(run.at, history.updated_at)
  assert.strictEqual(run.ended_at, history.ended_at)
  assert.isNull(run.fault)
  const rows = taskRowsOf(state, history)
  const tree = store.answer("tree", wholeTree)
  assert.strictEqual(tree.total, rows.length)
  assert.deepStrictEqual(
    tree.rows.map(({ has_children, is_open, label, parent_row, rowIndex, siblings, ...row }) => row),
    rows
  )
  for (const { task_id } of rows) {
    assert.deepStrictEqual(store.answer("task", { task_id }), taskViewOf(state, history, task_id))
  }
  assert.strictEqual(
    store.answer("timeline", wholeTimeline).rows.reduce((sum, lane) => sum + lane.attempts, 0),
    rows.reduce((sum, { task_id }) => sum + (taskViewOf(state, history, task_id)?.history.length ?? 0), 0) +
      orphans(
        history,
        rows.map(({ task_id }) => task_id)
      )
  )
  if (state.run.kind === "requirements") {
    const loop = state.requirements
    assert.strictEqual(run.loop?.status, loop.status)
    assert.strictEqual(run.loop?.iteration, loop.iteration)
    for (const requirement of run.loop?.requirements ?? []) {
      assert.strictEqual(requirement.verdict, loop.requirements.get(requirement.id)?.verdict ?? "unproven")
    }
  } else assert.isNull(run.loop)
}

/** Attempts of tasks that were never registered: a log of single events has them. */
const orphans = ({ tasks }: Scratch["history"], known: ReadonlyArray<string>): number =>
  [...tasks].reduce((sum, [id, { attempts }]) => sum + (known.includes(id) ? 0 : attempts.length), 0)

describe("the store of a run", () => {
  it.each(goldenLogs)(
    "given the log %s, when any event is sought, then all is as the kernel's rules have it",
    (_, log) => {
      const expected = scratch(log)
      const store = storeOf(log)
      // back and forth, so that nothing is only right from the front
      for (const version of [...expected.keys()].sort((a, b) => ((a * 7) % 11) - ((b * 7) % 11))) {
        store.seek(version)
        assertSame(store, version, expected[version] as Scratch)
      }
      store.seek(null)
      assertSame(store, log.length, expected.at(-1) as Scratch)
    }
  )

  it("given any history, when it comes in any pieces, then it is folded as if it had come at once", () => {
    forSeeds(often(40), (random) => {
      const log = randomLog(random)
      const expected = scratch(log)
      const store = makeStore(streamOf(log))
      feed(store, log, random, () => {
        assertSame(store, store.head, expected[store.head] as Scratch)
        const version = random.below(store.head + 1)
        store.seek(version)
        assertSame(store, version, expected[version] as Scratch)
        store.seek(null)
      })
      assertSame(store, log.length, expected.at(-1) as Scratch)
    })
  })

  it("given a log of thousands of events, when any is sought, then it is as if it was folded from the first", () => {
    const log = longLog(2_600, 7)
    const expected = scratch(log)
    const store = storeOf(log)
    forSeeds(1, (random) => {
      const versions = [0, 1, 511, 512, 513, 1_023, 1_024, 1_025, 2_599, 2_600]
      for (const version of [...random.shuffled(versions), ...Array.from({ length: 60 }, () => random.below(2_601))]) {
        store.seek(version)
        assertSame(store, version, expected[version] as Scratch)
      }
    })
  })

  it("given an event that is chosen, when more come, then that moment stays and the head goes on", () => {
    const log = longLog(300, 3)
    const store = makeStore("run_bench")
    store.add(sent(textsOf(log.slice(0, 200))))
    store.seek(150)
    const before = store.answer("tree", wholeTree)
    const revision = store.revision("tree", wholeTree)
    store.add(sent(textsOf(log.slice(200))))
    assert.deepInclude(store.answer("run", {}), { version: 150, head: 300, is_live: false, chosen: 150 })
    assert.deepStrictEqual(store.answer("tree", wholeTree), before)
    assert.strictEqual(store.revision("tree", wholeTree), revision)
    assert.strictEqual(store.answer("events", everyEvent).total, 150)
  })

  it("given an event beyond the head, when it is chosen, then the head is shown", () => {
    const store = storeOf(longLog(20, 2))
    store.seek(21)
    assert.strictEqual(store.answer("run", {}).version, 20)
    store.seek(-5)
    assert.strictEqual(store.answer("run", {}).version, 0)
  })
})

/** Hands a log on in pieces, some of which are sent twice. */
const feed = (store: Store, log: ReadonlyArray<Recorded>, random: Random, after: () => void): void => {
  const texts = textsOf(log)
  while (store.head < log.length) {
    const from = random.chance(0.3) ? Math.max(0, store.head - random.below(5)) : store.head
    const to = store.head + 1 + random.below(40)
    assert.strictEqual(store.add(sent(texts.slice(from, to))), "ok")
    assert.strictEqual(store.head, Math.min(to, log.length))
    after()
  }
}

describe("an event that is not the next", () => {
  const log = longLog(60, 3)
  const texts = textsOf(log)

  it("given it was there already, then it counts once", () => {
    const store = makeStore("run_bench")
    store.add(sent(texts.slice(0, 30)))
    assert.strictEqual(store.add(sent(texts.slice(10, 30))), "ok")
    assert.strictEqual(store.head, 30)
    assertSame(store, 30, scratch(log)[30] as Scratch)
  })

  it("given one before it is missing, then it is not taken", () => {
    const store = makeStore("run_bench")
    store.add(sent(texts.slice(0, 30)))
    assert.strictEqual(store.add(sent([texts[30] as string, texts[32] as string])), "gap")
    assert.strictEqual(store.head, 31)
    assert.strictEqual(store.add(sent(["{", texts[31] as string])), "gap")
    assert.strictEqual(store.add(sent(["null"])), "gap")
    assertSame(store, 31, scratch(log)[31] as Scratch)
  })

  it("given it is of another log, then that is seen: at the same place, behind it, and of another run", () => {
    const store = makeStore("run_bench")
    store.add(sent(texts.slice(0, 30)))
    const other = (version: number, change: Partial<Recorded>) =>
      textsOf([{ ...(log[version - 1] as Recorded), ...change }])
    assert.strictEqual(store.add(sent(other(30, { hash: "f".repeat(64) }))), "other")
    assert.strictEqual(store.add(sent(other(7, { hash: "f".repeat(64) }))), "other")
    assert.strictEqual(store.add(sent(other(31, { prev_hash: "f".repeat(64) }))), "other")
    assert.strictEqual(store.add(sent(other(31, { stream: "run_2" }))), "other")
    assert.strictEqual(store.head, 30)
  })

  it("given the place to go on from, then the last event is sent again", () => {
    const store = makeStore("run_bench")
    assert.isNull(store.resumeAt)
    store.add(sent(texts.slice(0, 1)))
    assert.isNull(store.resumeAt)
    store.add(sent(texts.slice(1, 30)))
    assert.strictEqual(store.resumeAt, log[28]?.position)
    // of a run that came from another log: an event says where it stood there
    store.add(texts.slice(30, 32).map((text, i) => ({ text, position: 1_000 + i })))
    assert.strictEqual(store.resumeAt, 1_000)
  })
})

describe("an event that cannot be read", () => {
  const log = longLog(40, 2)
  const withEvent = (version: number, change: Partial<Recorded>): ReadonlyArray<Recorded> =>
    log.map((event) => (event.version === version ? { ...event, ...change } : event))

  it("given its type is a plugin's from outside, then it is named, listed and changes nothing", () => {
    const strange = withEvent(20, { event_type: "COFFEE_MADE", content: ["a", 1] })
    const store = storeOf(strange)
    const run = store.answer("run", {})
    assert.deepStrictEqual(run.unknown_types, ["COFFEE_MADE"])
    assert.strictEqual(run.version, 40)
    assert.isNull(run.fault)
    store.seek(20)
    assert.deepInclude(store.answer("run", {}), {
      version: 20,
      event_type: "COFFEE_MADE",
      at: strange[19]?.timestamp ?? ""
    })
    const { rows } = store.answer("tree", wholeTree)
    store.seek(19)
    assert.deepStrictEqual(rows, store.answer("tree", wholeTree).rows)
    store.seek(null)
    assert.strictEqual(store.answer("events", { ...everyEvent, types: ["COFFEE_MADE"] }).total, 1)
  })

  it.each([
    ["a newer version wrote it", { schema_version: 99 }],
    ["its content is not as it has to be", { content: { task_id: 7 } }]
  ])("given %s, then the run is shown as it was before, and why is said", (_, change) => {
    const store = storeOf(withEvent(20, change))
    const run = store.answer("run", {})
    assert.deepInclude(run, { version: 19, head: 40, is_live: true })
    assert.include(run.fault, "Event 20 of run_bench")
    store.seek(19)
    assertSame(store, 19, scratch(log)[19] as Scratch)
    store.seek(null)
    assert.strictEqual(store.answer("events", everyEvent).total, 40)
    assert.deepStrictEqual(store.answer("event", { version: 20 })?.content, { ...log[19], ...change }.content)
  })
})

describe("the list of events", () => {
  type Query = Queries["events"]["params"]
  const text = (query: Partial<Query>): Query => ({ ...everyEvent, ...query })
  const found = (store: Store, query: Query): ReadonlyArray<number> => {
    store.search(query, () => false)
    return store.answer("events", query).rows.map(({ version }) => version)
  }

  it("given a text, then it is found in type and content whatever the case, and nowhere else", () => {
    forSeeds(often(10), (random) => {
      const log = random.chance(0.5) ? randomLog(random) : longLog(400, 5)
      const store = storeOf(log)
      const { hash } = random.pick(log)
      for (const needle of ["TASK", "a", "src/A.ts", 'attempt":1', "nowhere", hash]) {
        const expected = log.filter(({ content, event_type }) =>
          `${event_type}\n${JSON.stringify(content)}`.toLowerCase().includes(needle.toLowerCase())
        )
        assert.deepStrictEqual(
          found(store, text({ text: needle })),
          expected.map(({ version }) => version),
          needle
        )
      }
    })
  })

  it("given quotes, backslashes and line breaks in a content, then they are found as they are meant", () => {
    const [first, ...rest] = longLog(3, 1) as [Recorded, ...Array<Recorded>]
    const odd = 'say "Hi\\there"\nÄÖ 漢字 😀'
    const log = [
      first,
      ...rest.map((event, i) => (i === 1 ? { ...event, event_type: "ODD", content: { odd } } : event))
    ]
    const store = storeOf(log)
    for (const needle of ['"hi', "\\there", "äö 漢字", "😀", 'there"\nÄ'])
      assert.deepStrictEqual(found(store, text({ text: needle })), [3], needle)
  })

  it("given types and visibility, then those events are listed, each type with how often it occurs", () => {
    const log = longLog(500, 4)
    const store = storeOf(log)
    store.seek(321)
    const shown = log.slice(0, 321)
    const types = ["ATTEMPT_ENDED", "QUALITY_JUDGMENT"]
    assert.deepStrictEqual(
      found(store, text({ types })),
      shown.filter(({ event_type }) => types.includes(event_type)).map(({ version }) => version)
    )
    assert.deepStrictEqual(
      found(store, text({ visibility: "summary" })),
      shown.filter(({ visibility }) => visibility === "summary").map(({ version }) => version)
    )
    for (const { count, type } of store.answer("events", everyEvent).types) {
      assert.strictEqual(count, shown.filter(({ event_type }) => event_type === type).length)
    }
  })

  it("given it grows while something is looked for, then nothing is left out, also in slices", () => {
    const log = longLog(900, 5)
    const store = makeStore("run_bench")
    const query = text({ text: "task-3" })
    forSeeds(1, (random) => {
      feed(store, log, random, () => {
        // enough after the first 64
        store.search(query, () => true)
        assert.isAtMost(store.answer("events", query).searched, store.head)
      })
    })
    const versionsOf = (needle: string) =>
      log.filter(({ content }) => JSON.stringify(content).includes(needle)).map(({ version }) => version)
    assert.deepStrictEqual(found(store, query), versionsOf("task-3"))
    const other = text({ text: "task-4" })
    let slices = 0
    while (!store.search(other, () => true)) slices++
    assert.isAtLeast(slices, 10)
    assert.deepStrictEqual(found(store, other), versionsOf("task-4"))
  })

  it("given a refusal, then the nearest before and after any event are known", () => {
    forSeeds(often(10), (random) => {
      const log = randomLog(random)
      const store = storeOf(log)
      const claims = log.filter(({ event_type }) => event_type === "CHECKLIST_ITEM_REJECTED")
      const refusals = log.filter(isRefusal).map(({ version }) => version)
      for (let version = 0; version <= log.length; version++) {
        store.seek(version)
        const run = store.answer("run", {})
        assert.strictEqual(run.previous_refusal, refusals.findLast((one) => one < version) ?? null)
        assert.strictEqual(run.next_refusal, refusals.find((one) => one > version) ?? null)
        assert.strictEqual(run.refusals, claims.filter((one) => one.version <= version).length)
      }
    })
  })

  it("given events of every kind, then those that refuse something are marked", () => {
    const logs = goldenLogs.map(([, log]) => log)
    // no release has recorded checks that fail
    forSeeds(20, (random) => {
      logs.push(randomLog(random))
    })
    const always = ["CHECKLIST_ITEM_REJECTED", "GATE_REFUSED", "PHASE_REJECTED", "ANSWER_REFUSED"]
    const refuses = ({ content, event_type }: Recorded): boolean => {
      const said = content as Readonly<Record<string, unknown>>
      if (event_type === "VERIFICATION_RUN" || event_type === "PHASE_VERIFIED") return said["passed"] === false
      if (event_type === "QUALITY_JUDGMENT") return said["judgment"] === "REJECT" || said["judgment"] === "RETRY"
      return always.includes(event_type)
    }
    const seen = new Set<string>()
    for (const log of logs) {
      const marked = storeOf(log)
        .answer("events", everyEvent)
        .rows.map(({ is_refusal }) => is_refusal)
      assert.deepStrictEqual(marked, log.map(refuses))
      for (const event of log.filter(refuses)) {
        const { judgment } = event.content as { readonly judgment?: string }
        seen.add(judgment === undefined ? event.event_type : `${event.event_type} ${judgment}`)
      }
    }
    assert.sameMembers(
      [...seen],
      [...always, "VERIFICATION_RUN", "PHASE_VERIFIED", "QUALITY_JUDGMENT REJECT", "QUALITY_JUDGMENT RETRY"]
    )
  })

  it("given any event, then it is shown as it was recorded", () => {
    for (const [, log] of goldenLogs) {
      const store = storeOf(log)
      for (const event of log) assert.deepStrictEqual(store.answer("event", { version: event.version }), event)
      assert.isNull(store.answer("event", { version: log.length + 1 }))
      assert.isNull(store.answer("event", { version: 0 }))
    }
  })

  it("given anything in an event, then its line is one line without what cannot be seen", () => {
    const [first, second] = longLog(2, 1) as [Recorded, Recorded]
    const nasty = `<script>\n\r\t\u202e\u0000${"x".repeat(5_000)}\ud83d`
    const contents = [
      nasty,
      { task_id: nasty, message: nasty, attempt: 1 },
      [nasty],
      null,
      5,
      { from: nasty, to: nasty }
    ]
    for (const content of contents) {
      const store = storeOf([first, { ...second, event_type: "ODD", content }])
      const { summary } = store.answer("events", { ...everyEvent, from: 1 }).rows[0] ?? { summary: "\n" }
      assert.notMatch(summary, /[\p{Cc}\u202e]/u)
      assert.isTrue(summary.isWellFormed())
      assert.isAtMost(summary.length, 240)
    }
  })
})

describe("a window", () => {
  it("given any cuts, then the windows together are the whole list", () => {
    forSeeds(often(25), (random) => {
      const store = storeOf(
        random.chance(0.5) ? randomLog(random) : longLog(200 + random.below(400), 1 + random.below(9))
      )
      if (random.chance(0.5)) store.seek(random.below(store.head + 1))
      const query = random.pick(["tree", "events", "timeline"] as const)
      const ask = (from: number, to: number): { readonly total: number; readonly rows: ReadonlyArray<unknown> } => {
        switch (query) {
          case "tree":
            return store.answer("tree", { ...wholeTree, from, to })
          case "events":
            return store.answer("events", { ...everyEvent, from, to, visibility: "summary" })
          case "timeline":
            return store.answer("timeline", { ...wholeTimeline, from, to })
        }
      }
      const whole = ask(0, Number.MAX_SAFE_INTEGER)
      assert.strictEqual(whole.rows.length, whole.total)
      const rows: Array<unknown> = []
      while (rows.length < whole.total) {
        const to = rows.length + 1 + random.below(20)
        const window = ask(rows.length, to)
        assert.strictEqual(window.total, whole.total)
        assert.strictEqual(window.rows.length, Math.min(to, whole.total) - rows.length)
        rows.push(...window.rows)
      }
      assert.deepStrictEqual(rows, whole.rows)
      assert.deepStrictEqual(ask(whole.total, whole.total + 10).rows, [])
      assert.deepStrictEqual(ask(5, 2).rows, [])
    })
  })
})
