import { assert, describe, it } from "@effect/vitest"
import {
  composePlugins,
  type Divergence,
  differencesOf,
  genesisHash,
  type Recorded,
  RecordJudgment,
  reject,
  seal,
  verifyChain
} from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { Result } from "effect"
import { often } from "../often.ts"
import { randomHistory } from "./support/histories.ts"
import { judge, judgeBy } from "./support/judge.ts"
import { forSeeds } from "./support/random.ts"
import { digest, recordedOf, replayOf } from "./support/recorded.ts"
import { refusing } from "./support/refusing.ts"
import {
  check,
  done,
  end,
  endReporting,
  evidence,
  judged,
  resume,
  revisited,
  start,
  stateOf,
  verified
} from "./support/words.ts"

/** Work items as the engine names them. */
const itemOf = (key: string) => digest.uuid5(`run_1/${key}`)

/** A run with everything in it: evidence, checks, a review, a refusal, a resume. */
const commands = [
  aRun([aTask("a", { checklist: [{ item: "one" }], validation: ["good"] }), aTask("b", { depends_on: ["a"] })], {
    reviewer: "critic",
    max_retries: 1
  }),
  start("a", 1, { item_id: itemOf("attempt/a/1") }),
  endReporting("a", 1, [done("one")]),
  evidence("a", 1, 0),
  verified("a", 1, [check(1)]),
  start("a", 2, { item_id: itemOf("attempt/a/2") }),
  endReporting("a", 2, [done("one")]),
  evidence("a", 2, 0),
  verified("a", 2),
  judged("a", 2),
  start("b", 1, { item_id: itemOf("attempt/b/1") }),
  resume(),
  start("b", 2, { item_id: itemOf("attempt/b/2/1") }),
  end("b", 2),
  verified("b", 2),
  revisited()
]

const today = composePlugins([judge])
const batches = commands.map(
  (command, i) =>
    given([], [judge])
      .after(...commands.slice(0, i))
      .when(command).events
)
const log = recordedOf(today, batches)
/** Version of the first event of the batch that a command wrote. */
const versionOf = (command: number) => 1 + batches.slice(0, command).flat().length

/** The log as if these events had been written: sealed anew, so that only the rules can find it. */
const forged = (change: (events: Array<Recorded>) => ReadonlyArray<Recorded>): ReadonlyArray<Recorded> => {
  let prev_hash = genesisHash
  return change([...log]).map((event, i) => {
    const sealed = seal(event, { position: i + 1, stream: event.stream, version: i + 1, prev_hash }, digest.sha256)
    prev_hash = sealed.hash
    return sealed
  })
}

const found = (divergence: Divergence | null) => divergence && [divergence.version, divergence.reason]

describe("two values that differ", () => {
  it("are told apart by the smallest places, as JSON Pointers", () => {
    const recorded = { a: [1, { "x/y": "old", "m~n": 0 }], kept: [1, 2], gone: null, shape: {} }
    const expected = { a: [1, { "x/y": "new", "m~n": 0 }, 3], kept: [1, 2], more: false, shape: [] }
    assert.deepStrictEqual(differencesOf(recorded, expected), [
      { path: "/a/1/x~1y", recorded: "old", expected: "new" },
      { path: "/a/2", expected: 3 },
      { path: "/gone", recorded: null },
      { path: "/shape", recorded: {}, expected: [] },
      { path: "/more", expected: false }
    ])
    assert.deepStrictEqual(differencesOf(recorded, recorded), [])
  })
})

describe("deciding a run again", () => {
  it("finds nothing in a log that these rules wrote", () => {
    const { divergence, events, snapshot } = replayOf(today, log)
    assert.isNull(divergence)
    assert.strictEqual(events, log.length)
    assert.strictEqual(stateOf(snapshot).run.status, "completed")
  })

  it("finds nothing in any run, whatever was sent in whatever order", () => {
    forSeeds(often(300), (random, seed) => {
      const history = randomHistory(random, {
        wild: seed % 2 === 0,
        cannot: seed % 3 === 0,
        commands: 40,
        itemOf
      })
      const events = history.taken.map(({ step }) => step.events).filter((batch) => batch.length > 0)
      const { divergence, snapshot } = replayOf(history.composition, recordedOf(history.composition, events))
      assert.isNull(divergence, JSON.stringify(divergence))
      assert.strictEqual(stateOf(snapshot).run.status, stateOf(history.snapshot).run.status)
    })
  })

  it("finds a decision that says something else", () => {
    const at = log.findIndex(({ event_type }) => event_type === "TASK_STATUS_CHANGED")
    const tampered = forged((events) =>
      events.map((event, i) =>
        i === at ? { ...event, content: { ...(event.content as object), delay_ms: 1 } } : event
      )
    )
    assert.isTrue(Result.isSuccess(verifyChain(tampered, digest.sha256)))
    const { divergence } = replayOf(today, tampered)
    assert.deepStrictEqual(found(divergence), [at + 1, "different"])
    assert.strictEqual(divergence?.message, "Today this TASK_STATUS_CHANGED would say something else.")
    assert.deepInclude(divergence?.expected?.content as object, { delay_ms: 2_000 })
  })

  it("finds a fact that was changed by what does not follow from it", () => {
    const at = log.findIndex(({ event_type }) => event_type === "VERIFICATION_RUN")
    const { divergence } = replayOf(
      today,
      forged((events) =>
        events.map((event, i) =>
          i === at ? { ...event, content: { ...(event.content as object), checks: [{ ...check() }] } } : event
        )
      )
    )
    assert.deepStrictEqual(found(divergence), [at + 1, "different"])
  })

  it("finds another event in place of the one that would follow", () => {
    const at = log.findIndex(({ event_type }) => event_type === "TASK_STATUS_CHANGED")
    const completed = { task_id: "a", attempts: 1, proven: 1, waived: 0 }
    const { divergence } = replayOf(
      today,
      forged((events) =>
        events.map((event, i) => (i === at ? { ...event, event_type: "TASK_COMPLETED", content: completed } : event))
      )
    )
    assert.deepStrictEqual(found(divergence), [at + 1, "different"])
    assert.strictEqual(divergence?.message, "Today a TASK_STATUS_CHANGED would be written here, not a TASK_COMPLETED.")
  })

  it("finds events that nobody would write today, and events that are missing", () => {
    const last = log.at(-1) as Recorded
    const surplus = replayOf(
      today,
      forged((events) => [
        ...events,
        { ...last, event_type: "RUN_CANCELLED", schema_version: 1, content: { reason: "" } }
      ])
    )
    assert.deepStrictEqual(found(surplus.divergence), [log.length + 1, "surplus"])
    const missing = replayOf(
      today,
      forged((events) => events.slice(0, -1))
    )
    assert.deepStrictEqual(found(missing.divergence), [log.length, "missing"])
    assert.strictEqual(missing.divergence?.message, "Today a RUN_COMPLETED would follow here.")
  })

  it("finds that a batch was removed, whichever it was", () => {
    for (let removed = 0; removed < batches.length - 1; removed++) {
      const { divergence } = replayOf(
        today,
        forged((events) => events.filter(({ command_id }) => command_id !== `cmd_${removed + 1}`))
      )
      assert.isNotNull(divergence, `without batch ${removed}`)
      assert.isAtLeast(divergence?.version ?? 0, versionOf(removed))
    }
    const { divergence } = replayOf(
      today,
      forged((events) => events.filter(({ command_id }) => command_id !== "cmd_3"))
    )
    assert.deepStrictEqual(found(divergence), [versionOf(2), "refused"])
  })

  it("finds that batches were put in another order", () => {
    const { divergence } = replayOf(
      today,
      forged((events) => {
        const moved = events.filter(({ command_id }) => command_id === "cmd_4")
        const rest = events.filter(({ command_id }) => command_id !== "cmd_4")
        const before = rest.findIndex(({ command_id }) => command_id === "cmd_3")
        return rest.toSpliced(before, 0, ...moved)
      })
    )
    assert.deepStrictEqual(found(divergence), [versionOf(2), "refused"])
    assert.include(divergence?.message, "Today this would be refused")
  })

  it("finds an attempt that nothing had asked for, and one begun under the work of another", () => {
    for (const item_id of [itemOf("attempt/a/1/9"), itemOf("attempt/a/1"), "elsewhere"]) {
      const at = versionOf(10) - 1
      const { divergence } = replayOf(
        today,
        forged((events) =>
          events.map((event, i) =>
            i === at + 1 ? { ...event, content: { ...(event.content as object), item_id } } : event
          )
        )
      )
      assert.deepStrictEqual(found(divergence), [at + 1, "unordered"], item_id)
    }
  })

  it("finds what cannot be read: unknown types, newer versions, content of another shape, batches nobody writes", () => {
    const changes: ReadonlyArray<Partial<Recorded>> = [
      { event_type: "NEVER_HEARD_OF" },
      { schema_version: 99 },
      { schema_version: 0 },
      { content: { task_id: 7 } },
      { event_type: "CHECKLIST_COMPLETED", content: { task_id: "a", attempt: 1, proven: 1, waived: 0 } }
    ]
    const at = versionOf(4) - 1
    for (const change of changes) {
      const { divergence } = replayOf(
        today,
        forged((events) => events.map((event, i) => (i === at ? { ...event, ...change } : event)))
      )
      assert.deepStrictEqual(found(divergence), [at + 1, "unreadable"], JSON.stringify(change))
    }
  })

  it("stops at the first divergence and still counts the events", () => {
    const { events, snapshot } = replayOf(
      today,
      forged((all) => all.map((event, i) => (i === 0 ? { ...event, event_type: "X" } : event)))
    )
    assert.deepStrictEqual([events, snapshot.version], [log.length, 0])
  })
})

describe("deciding a run again under other rules", () => {
  it("finds the first command that a new guard refuses", () => {
    const strict = refusing(RecordJudgment, reject("no", "No reviews today.", ""))
    const { divergence } = replayOf(composePlugins([judge, strict]), log)
    assert.deepStrictEqual(found(divergence), [versionOf(9), "refused"])
    assert.strictEqual(divergence?.message, "Today this would be refused: No reviews today.")
  })

  it("finds the first verdict that a changed rule would not give", () => {
    const lenient = judgeBy(() => ({ accepted: [], rejected: [] }))
    const { divergence } = replayOf(composePlugins([lenient]), log)
    assert.deepStrictEqual(found(divergence), [versionOf(3) + 1, "surplus"])
  })

  it("finds that nobody judges evidence any more", () => {
    const { divergence } = replayOf(composePlugins([]), log)
    assert.deepStrictEqual(found(divergence), [versionOf(3), "refused"])
  })
})

describe("the chain of hashes", () => {
  const broken = (change: (events: Array<Recorded>) => ReadonlyArray<Recorded>) => {
    const verified = verifyChain(change([...log]), digest.sha256)
    return Result.isFailure(verified) ? [verified.failure.version, verified.failure.reason] : null
  }

  it("holds for a log as it was written, and for none", () => {
    const verified = verifyChain(log, digest.sha256)
    assert.deepStrictEqual(Result.getOrThrow(verified), {
      stream: "run_1",
      version: log.length,
      hash: log.at(-1)?.hash
    } as never)
    assert.isNull(Result.getOrThrow(verifyChain([], digest.sha256)))
  })

  it("breaks at the event of which anything was changed", () => {
    const changes: ReadonlyArray<Partial<Recorded>> = [
      { content: { changed: true } },
      { timestamp: "2026-01-02T03:04:05.679Z" },
      { event_type: "RUN_CANCELLED" },
      { command_id: "cmd_x" },
      { causation_id: "cmd_x" },
      { correlation_id: "run_x" },
      { visibility: "full" },
      { schema_version: 99 },
      { position: 99 },
      { hash: "0".repeat(64) }
    ]
    const at = log.findIndex(({ visibility }) => visibility === "summary")
    for (const change of changes) {
      const result = broken((events) => events.map((event, i) => (i === at ? { ...event, ...change } : event)))
      assert.deepStrictEqual(result, [at + 1, "hash"], JSON.stringify(change))
    }
  })

  it("breaks where an event was removed, repeated, moved or taken from another log", () => {
    assert.deepStrictEqual(
      broken((events) => events.toSpliced(4, 1)),
      [5, "hole"]
    )
    assert.deepStrictEqual(
      broken((events) => events.slice(1)),
      [1, "hole"]
    )
    assert.deepStrictEqual(
      broken((events) => events.toSpliced(4, 0, events[3] as Recorded)),
      [5, "hole"]
    )
    assert.deepStrictEqual(
      broken((events) => events.toSpliced(4, 1, { ...(events[4] as Recorded), stream: "x" })),
      [5, "stream"]
    )
    const other = forged((events) =>
      events.map((event, i) => (i === 3 ? { ...event, timestamp: "2027-01-01T00:00:00.000Z" } : event))
    )
    assert.deepStrictEqual(
      broken((events) => [...events.slice(0, 4), ...other.slice(4)]),
      [5, "prev_hash"]
    )
  })
})
