import { assert, describe, it } from "@effect/vitest"
import type { Queries, QueryKind, Response } from "../../packages/ui/src/fold/protocol.ts"
import { makeStore } from "../../packages/ui/src/fold/store.ts"
import { makeSubscriptions, type Subscriptions } from "../../packages/ui/src/fold/subscriptions.ts"
import { randomFrom } from "../kernel/support/random.ts"
import { often } from "../often.ts"
import { longLog, sent, textsOf } from "./foldLogs.ts"

/** A subscriptions with a clock that is moved by hand: what waits runs when its time has come. */
const someSubscriptions = (run = "run_bench") => {
  let time = 0
  let waiting: Array<{ readonly at: number; readonly run: () => void }> = []
  const posted: Array<Response> = []
  const subscriptions: Subscriptions = makeSubscriptions(run, (response) => posted.push(response), {
    now: () => time,
    after: (ms, run) => waiting.push({ at: time + ms, run })
  })
  /** Lets so many ms pass. */
  const pass = (ms: number): void => {
    const until = time + ms
    for (;;) {
      const next = waiting.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      waiting = waiting.filter((one) => one !== next)
      time = Math.max(time, next.at)
      next.run()
    }
    time = until
  }
  const answers = <K extends QueryKind>(id: number): ReadonlyArray<Queries[K]["answer"]> =>
    posted.flatMap((one) => (one.type === "answer" && one.id === id ? [one.answer as Queries[K]["answer"]] : []))
  const watch = <K extends QueryKind>(id: number, kind: K, params: Queries[K]["params"]): void =>
    subscriptions.receive({ type: "watch", id, kind, params })
  const add = (texts: ReadonlyArray<string>): void => {
    subscriptions.store.add(sent(texts))
    subscriptions.changed()
  }
  return { subscriptions, pass, answers, watch, add }
}

const log = longLog(600, 4)
const texts = textsOf(log)
const wholeTree = { from: 0, to: 100, text: "", statuses: [], closed: [] }
const everyEvent = { from: 0, to: 10, text: "", types: [], visibility: "full" } as const

describe("what is watched", () => {
  it("given events come all the time, then it is answered at most five times a second, and the last answer is of now", () => {
    const { add, answers, pass, watch } = someSubscriptions()
    watch(1, "run", {})
    // 500 events in a second
    for (let i = 0; i < 500; i += 5) {
      add(texts.slice(i, i + 5))
      pass(10)
    }
    pass(1_000)
    assert.isAtMost(answers<"run">(1).length, 7)
    assert.isAtLeast(answers<"run">(1).length, 4)
    assert.strictEqual(answers<"run">(1).at(-1)?.version, 500)
  })

  it("given a few events come all the time, then each is answered before a tenth of a second has passed", () => {
    const { add, answers, pass, watch } = someSubscriptions()
    watch(1, "run", {})
    pass(1_000)
    for (let version = 1; version <= 100; version++) {
      add(texts.slice(version - 1, version))
      pass(40)
      assert.isAtLeast(answers<"run">(1).at(-1)?.version ?? 0, version - 1)
    }
  })

  it("given somebody asks, then the answer does not wait", () => {
    const { add, answers, pass, watch } = someSubscriptions()
    add(texts.slice(0, 100))
    pass(0)
    watch(1, "tree", wholeTree)
    pass(0)
    assert.strictEqual(answers<"tree">(1)[0]?.total, 4)
  })

  it("given nothing changed in the answer, then it is not sent again", () => {
    const { add, answers, pass, watch } = someSubscriptions()
    add(texts.slice(0, 20))
    watch(1, "event", { version: 3 })
    watch(2, "task", { task_id: "nobody" })
    watch(3, "run", {})
    pass(0)
    for (let i = 20; i < 120; i++) {
      add(texts.slice(i, i + 1))
      pass(300)
    }
    assert.strictEqual(answers(1).length, 1)
    assert.deepStrictEqual(answers<"task">(2), [null])
    assert.isAtLeast(answers(3).length, 100)
    assert.deepStrictEqual(answers<"event">(1)[0], log[2])
  })

  it("given the slider was moved a moment ago, then what comes after that waits for its turn", () => {
    const { add, answers, subscriptions, pass, watch } = someSubscriptions()
    add(texts.slice(0, 20))
    watch(1, "run", {})
    pass(1_000)
    add(texts.slice(20, 30))
    pass(0)
    add(texts.slice(30, 40))
    pass(190)
    subscriptions.receive({ type: "seek", version: 5 })
    pass(0)
    add(texts.slice(40, 50))
    const before = answers(1).length
    pass(150)
    assert.strictEqual(answers(1).length, before)
    pass(100)
    assert.deepInclude(answers<"run">(1).at(-1), { version: 5, head: 50 })
  })

  it("given it is not watched any more, then nothing is sent", () => {
    const { add, answers, subscriptions, pass, watch } = someSubscriptions()
    watch(1, "run", {})
    pass(0)
    const before = answers(1).length
    subscriptions.receive({ type: "unwatch", id: 1 })
    add(texts.slice(0, 20))
    pass(1_000)
    assert.strictEqual(answers(1).length, before)
  })

  it("given the slider is dragged, then the newest place is answered at once, for everything", () => {
    const { add, answers, subscriptions, pass, watch } = someSubscriptions()
    add(texts)
    watch(1, "run", {})
    watch(2, "tree", wholeTree)
    pass(1_000)
    const before = answers(1).length
    for (let version = 1; version <= 400; version++) subscriptions.receive({ type: "seek", version })
    pass(0)
    assert.strictEqual(answers(1).length, before + 1)
    assert.deepInclude(answers<"run">(1).at(-1), { version: 400, is_live: false })
    const there = makeStore("run_bench")
    there.add(sent(texts.slice(0, 400)))
    assert.deepStrictEqual(answers<"tree">(2).at(-1), there.answer("tree", wholeTree))
    subscriptions.receive({ type: "seek", version: null })
    pass(0)
    assert.deepInclude(answers<"run">(1).at(-1), { version: 600, is_live: true })
  })

  it("given the slider stands in the past while events come, then what is shown of the past is not sent again", () => {
    const { add, answers, subscriptions, pass, watch } = someSubscriptions()
    add(texts.slice(0, 300))
    watch(1, "tree", wholeTree)
    watch(2, "run", {})
    subscriptions.receive({ type: "seek", version: 200 })
    pass(1_000)
    const before = answers(1).length
    add(texts.slice(300))
    pass(1_000)
    assert.strictEqual(answers(1).length, before)
    assert.deepInclude(answers<"run">(2).at(-1), { version: 200, head: 600 })
  })

  it("given a text is looked for, then it is found in all events, also in those that come later", () => {
    const { add, answers, pass, watch } = someSubscriptions()
    add(texts.slice(0, 300))
    watch(1, "events", { ...everyEvent, text: "task-2" })
    pass(1_000)
    add(texts.slice(300))
    pass(1_000)
    const expected = log.filter(({ content }) => JSON.stringify(content).includes("task-2")).length
    assert.deepInclude(answers<"events">(1).at(-1), { total: expected, whole: 600, searched: 600 })
  })

  it("given the log is another one, then everything is answered from that one", () => {
    const { add, answers, subscriptions, pass, watch } = someSubscriptions()
    add(texts.slice(0, 300))
    subscriptions.receive({ type: "seek", version: 100 })
    watch(1, "run", {})
    watch(2, "tree", wholeTree)
    pass(1_000)
    subscriptions.restart()
    pass(1_000)
    const other = longLog(50, 2)
    add(textsOf(other))
    pass(1_000)
    assert.deepInclude(answers<"run">(1).at(-1), { version: 50, head: 50, is_live: true })
    assert.strictEqual(answers<"tree">(2).at(-1)?.total, 2)
  })

  it("given anything happens in any order, then at rest every answer is the one of a store that has it all", () => {
    for (let seed = 1; seed <= often(30); seed++) {
      const random = randomFrom(seed)
      const { add, answers, subscriptions, pass, watch } = someSubscriptions()
      let chosen: number | null = null
      while (subscriptions.store.head < texts.length) {
        if (random.chance(0.5))
          add(texts.slice(subscriptions.store.head, subscriptions.store.head + 1 + random.below(60)))
        if (random.chance(0.3)) {
          chosen = random.chance(0.3) ? null : random.below(texts.length)
          subscriptions.receive({ type: "seek", version: chosen })
        }
        if (random.chance(0.3)) watch(1, "tree", { ...wholeTree, from: random.below(3) })
        if (random.chance(0.5)) pass(random.below(400))
      }
      watch(2, "run", {})
      watch(1, "tree", wholeTree)
      pass(5_000)
      const store = makeStore("run_bench")
      store.add(sent(texts))
      store.seek(chosen)
      assert.deepStrictEqual(answers<"run">(2).at(-1), store.answer("run", {}), `seed ${seed}`)
      assert.deepStrictEqual(answers<"tree">(1).at(-1), store.answer("tree", wholeTree), `seed ${seed}`)
    }
  })
})
