/**
 * What every `EventLog` with its `WorkQueue` must do, as cases for any test runner. Each case wants a log of its own,
 * empty and fresh; it brings its own clock, sleeps nowhere and fails with `ContractViolated`.
 *
 * ```ts
 * for (const { name, run } of eventLogContract) it.effect(name, () => run.pipe(Effect.provide(freshLayer())))
 * ```
 *
 * `lostLogContract` is for those that others can take events from.
 */
import { Effect, Fiber, Layer, Queue, Result, Stream } from "effect"
import { LogUnavailable } from "../base/LogUnavailable.ts"
import { type EventCandidate, genesisHash, type Recorded } from "../base/Recorded.ts"
import type { Claim, WorkItem } from "../base/Work.ts"
import { canonicalJson, toExport, verifyChain } from "../log/codec.ts"
import { type Appended, type AppendOptions, Conflict, EventLog, LeaseLost } from "../log/EventLog.ts"
import { claimSilenceMs, declinedMs, layerMemory } from "../log/EventLogMemory.ts"
import { Digest } from "../port/Digest.ts"
import { WorkQueue } from "../port/WorkQueue.ts"
import {
  append,
  type ContractCase,
  type Env,
  events,
  given,
  item,
  readEverything,
  readStream,
  unchanged
} from "./logCases.ts"
import { moving } from "./movingCases.ts"
import { advance, holds, noon, same } from "./vocabulary.ts"

export type { ContractCase } from "./logCases.ts"

const dispatch = (...items: ReadonlyArray<WorkItem>) =>
  Effect.gen(function* () {
    const { length } = yield* readStream("run_dispatch")
    return yield* append("run_dispatch", length, events(`dispatch_${length}`), { dispatch: items })
  })

const settle = (claim: Claim) => Effect.flatMap(WorkQueue, (queue) => queue.settle(claim))
const decline = (claim: Claim) => Effect.flatMap(WorkQueue, (queue) => queue.decline(claim))
const keep = (...claims: ReadonlyArray<Claim>) => Effect.flatMap(WorkQueue, (queue) => queue.keep(claims))

/** A consumer of the queue that takes as much as it may; `next` waits for its next claim. */
interface Worker {
  readonly next: Effect.Effect<Claim>
  /** Claims that have arrived and were not asked for. */
  readonly waiting: Effect.Effect<number>
}

const worker = (slots: number, labels: ReadonlyArray<string> = []): Effect.Effect<Worker, never, Env> =>
  Effect.gen(function* () {
    const queue = yield* WorkQueue
    const claims = yield* Queue.unbounded<Claim>()
    yield* queue.take(slots, labels).pipe(
      Stream.runForEach((claim) => Queue.offer(claims, claim)),
      Effect.orDie,
      Effect.forkScoped
    )
    return { next: Queue.take(claims), waiting: Queue.size(claims) }
  })

/** The next claim of a consumer that leaves after it. */
const takeOne = (labels: ReadonlyArray<string> = []) =>
  Effect.flatMap(WorkQueue, (queue) =>
    queue.take(1, labels).pipe(
      Stream.runHead,
      Effect.flatMap((head) => (head._tag === "Some" ? Effect.succeed(head.value) : Effect.die("take has ended")))
    )
  )

// ---- the cases

const appending: ReadonlyArray<ContractCase> = [
  given(
    "numbers versions per stream and positions over the log, both from 1 and without holes",
    Effect.gen(function* () {
      yield* append("run_a", 0, events("a1", 2))
      yield* append("run_b", 0, events("b1", 1))
      const last = yield* append("run_a", 2, events("a2", 2))
      yield* same(last.events.map(place), ["run_a/3@4", "run_a/4@5"], "the answer")
      yield* same(
        (yield* readEverything()).map(place),
        ["run_a/1@1", "run_a/2@2", "run_b/1@3", "run_a/3@4", "run_a/4@5"],
        "the log"
      )
    })
  ),
  given(
    "gives back what was appended, as it answered the append",
    Effect.gen(function* () {
      const content = {
        z: 1.5,
        a: [null, true, 'é\u2028\u0000"\\/😀', -0, 1e21, 5e-324],
        10: {},
        9: [],
        nested: { __proto__x: "x" }
      }
      const written = yield* append("run_a", 0, events("a1", 2, content))
      yield* holds(!written.repeated, "a first append was called repeated")
      const [first] = written.events
      yield* same(first?.content, content, "the content")
      yield* same({ ...first, hash: "" }, { ...events("a1", 1, content)[0], ...origin("run_a"), hash: "" }, "the event")
      yield* same(yield* readStream("run_a"), written.events, "the stream")
      yield* same(yield* readEverything(), written.events, "the log")
      yield* same(Object.keys(first ?? {}), Object.keys(toExport(first as Recorded)), "the order of the keys")
    })
  ),
  given(
    "chains every stream by hashes, from 64 zeros",
    Effect.gen(function* () {
      const { sha256 } = yield* Digest
      for (let i = 0; i < 3; i++) {
        yield* append("run_a", i * 2, events(`a${i}`, 2))
        yield* append("run_b", i, events(`b${i}`, 1))
      }
      for (const [stream, n] of [
        ["run_a", 6],
        ["run_b", 3]
      ] as const) {
        const recorded = yield* readStream(stream)
        yield* same(recorded[0]?.prev_hash, genesisHash, "the first prev_hash")
        const verified = verifyChain(recorded, sha256)
        yield* holds(Result.isSuccess(verified) && verified.success?.version === n, `the chain of ${stream} is broken`)
      }
      for (const event of yield* readEverything()) {
        const { hash, ...rest } = event
        yield* same(sha256(canonicalJson(rest)), hash, "the hash")
      }
    })
  ),
  given(
    "refuses a stale or a future expected version with Conflict and writes nothing",
    Effect.gen(function* () {
      yield* append("run_a", 0, events("a1", 2))
      for (const expected of [0, 1, 3]) {
        const refused = yield* unchanged(Effect.flip(append("run_a", expected, events("a2"))))
        yield* holds(refused instanceof Conflict, `expected Conflict, found ${refused}`)
        yield* same({ ...refused }, { ...new Conflict({ stream: "run_a", expected, actual: 2 }) }, "the refusal")
      }
      const refused = yield* unchanged(Effect.flip(append("run_new", 1, events("n1"))))
      yield* holds(refused instanceof Conflict && refused.actual === 0, "a new stream is at version 0")
      yield* append("run_a", 2, events("a2"))
    })
  ),
  given(
    "writes behind a command only where the stream ends with it, also at the expected version",
    Effect.gen(function* () {
      yield* append("run_a", 0, events("a1", 2))
      yield* append("run_a", 2, events("a2", 2), { behind: "cmd_a1" })
      for (const behind of ["cmd_a1", "cmd_a3", "cmd_b1"]) {
        const refused = yield* unchanged(
          Effect.flip(append("run_a", 4, events("a3"), { behind, dispatch: [item("x")] }))
        )
        yield* same({ ...refused }, { ...new Conflict({ stream: "run_a", expected: 4, actual: 4 }) }, "the refusal")
      }
      yield* same((yield* append("run_a", 2, events("a2", 2), { behind: "cmd_a3" })).repeated, true, "what is repeated")
      const refused = yield* unchanged(Effect.flip(append("run_b", 0, events("b1"), { behind: "cmd_a2" })))
      yield* holds(refused instanceof Conflict, "a new stream ends with no command")
    })
  ),
  given(
    "writes what is asked for at once, each behind the one before, in this order, up to one that is refused",
    Effect.gen(function* () {
      yield* append("run_a", 0, events("c0", 2), { dispatch: [item("x")] })
      const { lease } = yield* takeOne()
      const asked = Array.from({ length: 12 }, (_, i) => {
        const wrong = { lease: { ...lease, number: i === 8 ? lease.number + 1 : lease.number } }
        return ["run_a", "run_b"].map((stream) =>
          Effect.result(
            append(stream, (stream === "run_a" ? 2 : 0) + i * 2, events(`c${i + 1}`, 2, { i, stream }), {
              ...(stream === "run_a" ? { behind: `cmd_c${i}`, ...wrong } : i === 0 ? {} : { behind: `cmd_c${i}` }),
              dispatch: [item(`${stream}/${i}`)]
            })
          )
        )
      }).flat()
      const answers = yield* Effect.all(asked, { concurrency: "unbounded" })
      const told = (of: 0 | 1) =>
        answers
          .filter((_, i) => i % 2 === of)
          .map((answer) => (Result.isSuccess(answer) ? answer.success.events.length : answer.failure._tag))
      const eight = Array.from({ length: 8 }, () => 2)
      yield* same(told(0), [...eight, "LeaseLost", "Conflict", "Conflict", "Conflict"], "the answers of run_a")
      yield* same(told(1), [...eight, 2, 2, 2, 2], "the answers of run_b")
      const { sha256 } = yield* Digest
      for (const [stream, of] of [
        ["run_a", 0],
        ["run_b", 1]
      ] as const) {
        const recorded = yield* readStream(stream)
        yield* holds(Result.isSuccess(verifyChain(recorded, sha256)), `the chain of ${stream} is broken`)
        const answered = answers.flatMap((answer, i) =>
          i % 2 === of && Result.isSuccess(answer) ? answer.success.events : []
        )
        yield* same(recorded.slice(of === 0 ? 2 : 0), answered, `what was written to ${stream}`)
      }
    })
  ),
  given(
    "answers a command id it has seen with what it wrote then, and writes nothing",
    Effect.gen(function* () {
      const first = yield* append("run_a", 0, events("a1", 2))
      for (const expected of [0, 2, 7]) {
        const again: Appended = yield* unchanged(append("run_a", expected, events("a1", 1, { other: true })))
        yield* same(again, { events: first.events, repeated: true }, "the answer")
      }
      yield* append("run_a", 2, events("a2", 3))
      yield* append("run_b", 0, events("b1"))
      const later = yield* unchanged(append("run_a", 0, events("a1", 2)))
      yield* same(later, { events: first.events, repeated: true }, "the answer after later appends")
    })
  ),
  given(
    "knows a command id in its own stream only",
    Effect.gen(function* () {
      yield* append("run_a", 0, events("same"))
      const other = yield* append("run_b", 0, events("same"))
      yield* holds(!other.repeated, "the command was taken for one of another stream")
    })
  ),
  given(
    "lets exactly one of many writers with the same expected version win",
    Effect.gen(function* () {
      yield* append("run_a", 0, events("a0"))
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, (_, i) => Effect.result(append("run_a", 1, events(`w${i}`, 2)))),
        { concurrency: "unbounded" }
      )
      yield* same(answers.filter(Result.isSuccess).length, 1, "winners")
      yield* holds(
        answers.every((answer) => Result.isSuccess(answer) || answer.failure instanceof Conflict),
        "a loser was told something else than Conflict"
      )
      yield* same((yield* readStream("run_a")).length, 3, "events")
    })
  ),
  given(
    "writes a command once when it arrives many times at once",
    Effect.gen(function* () {
      const answers = yield* Effect.all(
        Array.from({ length: 10 }, () => append("run_a", 0, events("a1", 2))),
        { concurrency: "unbounded" }
      )
      yield* same(answers.filter(({ repeated }) => !repeated).length, 1, "appends that wrote")
      for (const answer of answers) yield* same(answer.events, yield* readStream("run_a"), "the answer")
    })
  ),
  given(
    "accepts an append of work without events",
    Effect.gen(function* () {
      const answer = yield* append("run_a", 0, [], { dispatch: [item("x")] })
      yield* same(answer, { events: [], repeated: false }, "the answer")
      yield* same((yield* takeOne()).item.id, "x", "the item")
      const refused = yield* Effect.flip(append("run_a", 1, [], { dispatch: [item("y")] }))
      yield* holds(refused instanceof Conflict, "the expected version counts without events too")
    })
  ),
  given(
    "writes nothing of an append whose last event is no JSON",
    Effect.gen(function* () {
      yield* append("run_a", 0, events("a1"))
      const bad = [...events("a2", 2), ...events("a2", 1, { text: "\ud800" })]
      const exit = yield* unchanged(Effect.exit(append("run_a", 1, bad, { dispatch: [item("x")] })))
      yield* holds(exit._tag === "Failure", "a lone surrogate was stored")
      yield* append("run_a", 1, events("a3"), { dispatch: [item("y")] })
      yield* same((yield* takeOne()).item.id, "y", "the only item")
    })
  )
]

const reading: ReadonlyArray<ContractCase> = [
  given(
    "reads a stream from a version and the log from a position",
    Effect.gen(function* () {
      for (let i = 0; i < 5; i++) {
        yield* append("run_a", i * 2, events(`a${i}`, 2))
        yield* append("run_b", i, events(`b${i}`))
      }
      const stream = yield* readStream("run_a")
      const all = yield* readEverything()
      for (const from of [0, 1, 2, 5, 10, 11, 99]) {
        yield* same(yield* readStream("run_a", from), stream.slice(Math.max(from, 1) - 1), `read from ${from}`)
      }
      for (const from of [0, 1, 2, 9, 15, 16, 99]) {
        yield* same(yield* readEverything(from), all.slice(Math.max(from, 1) - 1), `readAll from ${from}`)
      }
      yield* same(yield* readStream("run_none"), [], "a stream that does not exist")
    })
  ),
  given(
    "reads long streams in order and whole",
    Effect.gen(function* () {
      const n = 5_000
      for (let i = 0; i < n; i += 500) yield* append("run_a", i, events(`a${i}`, 500))
      const versions = (yield* readStream("run_a")).map(({ version }) => version)
      yield* holds(versions.length === n && versions.every((version, i) => version === i + 1), "a version is missing")
    })
  ),
  given(
    "follows from any position, past and future, neither skipping nor repeating one while writers append",
    Effect.gen(function* () {
      const [writers, rounds] = [4, 15]
      const total = 10 + writers * rounds * 2
      yield* append("run_past", 0, events("past", 10))
      const log = yield* EventLog
      const followers = yield* Effect.forEach([1, 5, 11, 40], (from) =>
        Effect.gen(function* () {
          const positions = yield* Queue.unbounded<number>()
          yield* log.follow(from).pipe(
            Stream.runForEach(({ position }) => Queue.offer(positions, position)),
            Effect.orDie,
            Effect.forkScoped
          )
          return { from, positions }
        })
      )
      // those that have something to read have begun before the writers do
      for (const { from, positions } of followers) if (from <= 10) yield* Queue.peek(positions)
      const write = (own: number) =>
        Effect.forEach(
          Array.from({ length: rounds }, (_, i) => i),
          (i) =>
            Effect.andThen(
              eventually(own % 2 === 0 ? "run_shared" : `run_${own}`, events(`w${own}_${i}`, 2)),
              Effect.yieldNow
            )
        )
      yield* Effect.all(
        Array.from({ length: writers }, (_, own) => write(own)),
        { concurrency: "unbounded" }
      )
      yield* append("run_last", 0, events("last"))
      for (const { from, positions } of followers) {
        yield* same(
          yield* Queue.takeN(positions, total - from + 2),
          Array.from({ length: total - from + 2 }, (_, i) => from + i),
          `positions followed from ${from}`
        )
      }
    })
  )
]

const working: ReadonlyArray<ContractCase> = [
  given(
    "dispatches work if and only if the events are written",
    Effect.gen(function* () {
      yield* append("run_a", 0, events("a1"))
      yield* Effect.flip(append("run_a", 0, events("a2"), { dispatch: [item("lost", { priority: 9 })] }))
      yield* append("run_a", 1, events("a3"), { dispatch: [item("kept")] })
      yield* append("run_a", 0, events("a1"), { dispatch: [item("repeated", { priority: 9 })] })
      const claimed = yield* takeOne()
      yield* same(claimed, { item: item("kept"), lease: { item: "kept", number: 1 } }, "the claim")
    })
  ),
  given(
    "hands out an item once, however often it is dispatched, also after it was settled or cancelled",
    Effect.gen(function* () {
      yield* dispatch(item("x"), item("x"), item("gone"))
      yield* append("run_a", 0, events("a1"), { cancel: ["gone"] })
      const claimed = yield* takeOne()
      yield* same(claimed.item.id, "x", "the item")
      yield* dispatch(item("x", { priority: 5 }))
      yield* settle(claimed)
      yield* dispatch(item("x", { priority: 5 }), item("gone", { priority: 5 }), item("y"))
      yield* same((yield* takeOne()).item.id, "y", "the next item")
    })
  ),
  given(
    "takes the highest priority first, equal ones in the order of dispatch",
    Effect.gen(function* () {
      yield* dispatch(item("a"), item("b", { priority: 2 }), item("c", { priority: -1 }))
      yield* dispatch(item("d", { priority: 2 }), item("e"))
      const { next } = yield* worker(5)
      const order = yield* Effect.all(Array.from({ length: 5 }, () => next))
      yield* same(
        order.map((claimed) => claimed.item.id),
        ["b", "d", "a", "e", "c"],
        "the order"
      )
    })
  ),
  given(
    "gives an item only to a worker that offers all its labels",
    Effect.gen(function* () {
      yield* dispatch(
        item("gpu", { labels: ["gpu", "linux"], priority: 3 }),
        item("linux", { labels: ["linux"], priority: 2 }),
        item("any", { priority: 1 })
      )
      yield* same((yield* takeOne([])).item.id, "any", "without labels")
      yield* same((yield* takeOne(["linux", "mac"])).item.id, "linux", "with one of two labels")
      yield* same((yield* takeOne(["linux", "gpu"])).item.id, "gpu", "with all labels")
    })
  ),
  given(
    "waits until an item is due",
    Effect.gen(function* () {
      yield* dispatch(item("later", { not_before: noon + 2_000, priority: 9 }), item("now", { not_before: noon }))
      const { next, waiting } = yield* worker(5)
      yield* same((yield* next).item.id, "now", "the due item")
      yield* advance(1_999)
      yield* dispatch(item("meanwhile"))
      yield* same((yield* next).item.id, "meanwhile", "the item before the delayed one")
      yield* same(yield* waiting, 0, "claims before they are due")
      yield* advance(1)
      yield* same((yield* next).item.id, "later", "the delayed item")
    })
  ),
  given(
    "wakes a waiting worker when work is dispatched",
    Effect.gen(function* () {
      const { next } = yield* worker(1)
      const waiter = yield* Effect.forkScoped(next)
      yield* dispatch(item("x"))
      yield* same((yield* Fiber.join(waiter)).item.id, "x", "the item")
    })
  ),
  given(
    "never exceeds the slots, and frees one when its claim is settled",
    Effect.gen(function* () {
      const [slots, n] = [3, 20]
      yield* dispatch(...Array.from({ length: n }, (_, i) => item(`i${i}`)))
      const { next, waiting } = yield* worker(slots)
      const openClaims: Array<Claim> = []
      let turns = 0
      for (let i = 0; i < n; i++) {
        openClaims.push(yield* next)
        if (openClaims.length < slots) continue
        // lets an implementation that would hand out more do so
        for (let j = 0; j < 5; j++) yield* append("run_turns", turns++, events(`turn_${turns}`))
        yield* same(yield* waiting, 0, "claims beyond the slots")
        yield* settle(openClaims.shift() as Claim)
      }
    })
  ),
  given(
    "leaves to others what a full worker cannot take, and frees a slot when a claim is cancelled",
    Effect.gen(function* () {
      yield* dispatch(item("x"), item("y"))
      const full = yield* worker(1)
      yield* same((yield* full.next).item.id, "x", "the claim of the full worker")
      yield* same((yield* takeOne()).item.id, "y", "the claim of the other")
      yield* dispatch(item("z"))
      yield* same(yield* full.waiting, 0, "claims beyond the slots")
      yield* append("run_a", 0, events("a1"), { cancel: ["x"] })
      yield* same((yield* full.next).item.id, "z", "the claim after the cancellation")
    })
  ),
  given(
    "gives an item to one of many workers",
    Effect.gen(function* () {
      const n = 30
      yield* dispatch(...Array.from({ length: n }, (_, i) => item(`i${i}`)))
      const queue = yield* WorkQueue
      const arrived = yield* Queue.unbounded<string>()
      for (let i = 0; i < 5; i++) {
        yield* queue.take(n, []).pipe(
          Stream.runForEach((claimed) => Queue.offer(arrived, claimed.item.id)),
          Effect.orDie,
          Effect.forkScoped
        )
      }
      const ids = yield* Queue.takeN(arrived, n)
      yield* same(new Set(ids).size, n, "different items")
    })
  )
]

const leasing: ReadonlyArray<ContractCase> = [
  given(
    "accepts a report under the lease, which settles nothing by itself",
    Effect.gen(function* () {
      yield* dispatch(item("x"))
      const claimed = yield* takeOne()
      yield* append("run_a", 0, events("a1"), { lease: claimed.lease })
      yield* append("run_a", 1, events("a2"), { lease: claimed.lease })
      yield* same(yield* keep(claimed), [], "claims that are lost")
    })
  ),
  given(
    "settles the work with a report that says so, and with no other",
    Effect.gen(function* () {
      yield* dispatch(item("x"), item("y"), item("z"))
      const { next, waiting } = yield* worker(1)
      const x = yield* next
      yield* Effect.flip(append("run_a", 7, events("a1"), { lease: x.lease, settles: true }))
      yield* same(yield* keep(x), [], "claims that are lost by a conflict")
      yield* append("run_a", 0, events("a1"), { lease: x.lease, settles: true })
      yield* same(yield* keep(x), [x], "claims that are lost by the report")
      yield* refusedLease(x)
      const y = yield* next
      yield* same(y.item.id, "y", "the item in its slot")
      const again = yield* append("run_a", 0, events("a1"), { lease: y.lease, settles: true })
      yield* same(again.repeated, true, "whether it was repeated")
      yield* same(yield* keep(y), [], "claims that are lost by a repeated command")
      yield* append("run_a", 1, [], { lease: y.lease, settles: true })
      yield* same((yield* next).item.id, "z", "the item after a report without events")
      yield* same(yield* waiting, 0, "claims beyond the slots")
    })
  ),
  given(
    "refuses a report with LeaseLost once the work is settled, and writes nothing",
    Effect.gen(function* () {
      yield* dispatch(item("x"))
      const claimed = yield* takeOne()
      yield* settle(claimed)
      yield* refusedLease(claimed)
      yield* same(yield* keep(claimed), [claimed], "claims that are lost")
    })
  ),
  given(
    "refuses a report once the work is cancelled, and tells its holder",
    Effect.gen(function* () {
      yield* dispatch(item("x"), item("y"))
      const { next } = yield* worker(2)
      const [x, y] = [yield* next, yield* next]
      yield* append("run_a", 0, events("a1"), { cancel: ["x"] })
      yield* same(yield* keep(x, y), [x], "claims that are lost")
      yield* refusedLease(x)
    })
  ),
  given(
    "refuses a report on an item that was never claimed, or under a number that was not given",
    Effect.gen(function* () {
      yield* dispatch(item("x"), item("y"))
      const claimed = yield* takeOne()
      yield* refusedLease({ item: item("y"), lease: { item: "y", number: 0 } })
      yield* refusedLease({ item: item("none"), lease: { item: "none", number: 1 } })
      yield* refusedLease({ ...claimed, lease: { ...claimed.lease, number: 2 } })
    })
  ),
  given(
    "hands an item out again under a higher number when its holder was silent for more than 10 s",
    Effect.gen(function* () {
      yield* dispatch(item("x"))
      const silent = yield* worker(1)
      const first = yield* silent.next
      yield* advance(claimSilenceMs)
      yield* same(yield* keep(first), [], "a claim kept in time")
      yield* advance(claimSilenceMs + 1)
      const second = yield* takeAny(silent)
      yield* same(second.lease, { item: "x", number: 2 }, "the second claim")
      yield* refusedLease(first)
      yield* same(yield* keep(first, second), [first], "claims that are lost")
      yield* append("run_a", 0, events("a1"), { lease: second.lease })
    })
  ),
  given(
    "wakes a worker that waits for somebody else's claim to go silent",
    Effect.gen(function* () {
      yield* dispatch(item("x"))
      const first = yield* takeOne()
      const other = yield* worker(1)
      yield* dispatch(item("y"))
      const y = yield* other.next
      yield* same(y.item.id, "y", "the item while the other is held")
      yield* settle(y)
      yield* advance(claimSilenceMs + 1)
      yield* same((yield* other.next).lease, { item: "x", number: 2 }, "the claim taken over")
      yield* refusedLease(first)
    })
  ),
  given(
    "frees the slot of a claim that was lost, also for the worker that lost it",
    Effect.gen(function* () {
      yield* dispatch(item("x"))
      const { next } = yield* worker(1)
      const first = yield* next
      yield* advance(claimSilenceMs + 1)
      yield* same((yield* next).lease, { item: "x", number: 2 }, "the second claim")
      yield* same(yield* keep(first), [first], "claims that are lost")
    })
  ),
  given(
    "ignores the settling of a claim that is no longer valid",
    Effect.gen(function* () {
      yield* dispatch(item("x"))
      const first = yield* takeOne()
      yield* advance(claimSilenceMs + 1)
      const second = yield* takeOne()
      yield* settle(first)
      yield* same(yield* keep(second), [], "claims that are lost")
      yield* settle(second)
      yield* settle(second)
      yield* settle(first)
      yield* dispatch(item("y"))
      yield* same((yield* takeOne()).item.id, "y", "the next item")
    })
  ),
  given(
    "offers declined work again a while later, and has the slot free at once",
    Effect.gen(function* () {
      yield* dispatch(item("x", { priority: 1 }), item("y"))
      const { next } = yield* worker(1)
      const first = yield* next
      yield* decline(first)
      const other = yield* next
      yield* same(other.item.id, "y", "what comes meanwhile")
      yield* settle(other)
      yield* advance(declinedMs)
      const second = yield* next
      yield* same(second.lease, { item: "x", number: 2 }, "the second claim")
      yield* decline(first)
      yield* same(yield* keep(first, second), [first], "claims that are lost")
      yield* settle(second)
      yield* decline(second)
      yield* dispatch(item("z"))
      yield* advance(declinedMs)
      yield* same((yield* next).item.id, "z", "what comes after it")
    })
  ),
  given(
    "answers a repeated report although its lease is gone",
    Effect.gen(function* () {
      yield* dispatch(item("x"))
      const claimed = yield* takeOne()
      const first = yield* append("run_a", 0, events("a1", 2), { lease: claimed.lease })
      yield* settle(claimed)
      const again = yield* unchanged(append("run_a", 0, events("a1", 2), { lease: claimed.lease }))
      yield* same(again, { events: first.events, repeated: true }, "the answer")
    })
  ),
  given(
    "cancels queued work, ignores unknown and finished ids, and cancels what the same append dispatches",
    Effect.gen(function* () {
      yield* dispatch(item("queued", { priority: 2 }), item("done", { priority: 1 }), item("z"))
      const queued = yield* takeOne()
      yield* settle(queued)
      yield* append("run_a", 0, events("a1"), {
        dispatch: [item("same", { priority: 9 })],
        cancel: ["done", "none", "queued", "same"]
      })
      yield* same((yield* takeOne()).item.id, "z", "the only item left")
    })
  ),
  given(
    "cancels nothing when the append is refused",
    Effect.gen(function* () {
      yield* dispatch(item("x"))
      yield* Effect.flip(append("run_a", 7, events("a1"), { cancel: ["x"] }))
      const claimed = yield* takeOne()
      yield* Effect.flip(append("run_a", 7, events("a1"), { cancel: ["x"] }))
      yield* same(yield* keep(claimed), [], "claims that are lost")
    })
  )
]

// ---- the reference as an oracle

/** A reproducible source of choices: mulberry32. */
const chooser = (seed: number) => {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    /** One of 0 … n - 1. */
    below: (n: number) => Math.floor(next() * n),
    one: <A>(values: readonly [A, ...ReadonlyArray<A>]): A => values[Math.floor(next() * values.length)] as A
  }
}

type Services = readonly [EventLog["Service"], WorkQueue["Service"]]

/** One step of the walk: what is done, and what it answered as JSON. */
type Step = (services: Services) => Effect.Effect<unknown>

const told = <A, E>(effect: Effect.Effect<A, E>, show: (answer: A) => unknown): Effect.Effect<unknown> =>
  Effect.map(Effect.result(effect), (result) =>
    Result.isSuccess(result) ? show(result.success) : { ...(result.failure as object), message: `${result.failure}` }
  )

/**
 * `walk` chooses steps from the seed; the choice knows what the reference answered, never what the other did. Every
 * round uses streams, items and a label of its own, since the log is never emptied.
 */
const walk = (seed: number, claims: Array<Claim>) => {
  const { below, one } = chooser(seed)
  const versions = new Map<string, number>()
  const label = `round${seed}`
  let commands = 0
  const randomItem = (): WorkItem =>
    item(`${label}/i${below(12)}`, {
      labels: [label],
      priority: below(3),
      not_before: noon + below(3) * 1_000,
      input: { seed, n: below(1_000) }
    })
  const appendStep = (): Step => {
    const stream = `${label}/s${below(3)}`
    const at = versions.get(stream) ?? 0
    const expected = Math.max(0, at + one([0, 0, 0, 0, 0, -1, 1]))
    const command = `${label}/${below(4) === 0 ? below(commands + 1) : ++commands}`
    const candidates = events(command, below(4), { seed, text: one(["", "é", '"\n', "😀"]), n: below(1_000) / 7 })
    const lease = below(3) === 0 ? claims[below(claims.length + 1)]?.lease : undefined
    const behind = below(5) === 0 ? `cmd_${label}/${below(commands + 1)}` : undefined
    const options: AppendOptions = {
      ...(behind === undefined ? {} : { behind }),
      dispatch: Array.from({ length: below(3) }, randomItem),
      cancel: below(4) === 0 ? [`${label}/i${below(12)}`] : [],
      ...(lease === undefined ? {} : { lease, settles: below(3) === 0 })
    }
    return ([log]) =>
      told(log.append(stream, expected, candidates, options), (answer) => {
        versions.set(stream, Math.max(at, answer.events.at(-1)?.version ?? 0))
        return answer
      })
  }
  // a last item of lowest priority is always there, so that a take never waits
  const takeStep = (): Step => {
    const last = item(`${label}/last${below(1_000_000)}`, { labels: [label], priority: -1 })
    return ([log, queue]) =>
      told(
        log
          .append(`${label}/last`, versions.get("last") ?? 0, [], { dispatch: [last] })
          .pipe(Effect.andThen(Stream.runHead(queue.take(1, [label])))),
        (head) => {
          if (head._tag === "None") return null
          if (claims.length < 200) claims.push(head.value)
          return head.value
        }
      )
  }
  const someClaims = () => claims.filter(() => below(2) === 0)
  const keepStep = (): Step => {
    const chosen = someClaims()
    return ([, queue]) => told(queue.keep(chosen), (lost) => lost)
  }
  const settleStep = (): Step => {
    const chosen = claims[below(claims.length + 1)]
    return ([, queue]) => (chosen === undefined ? Effect.succeed(null) : told(queue.settle(chosen), () => null))
  }
  const readStep = (): Step => {
    const [stream, from] = [`${label}/s${below(3)}`, below(6)]
    return ([log]) => told(Stream.runCollect(log.read(stream, from)), (read) => read)
  }
  const timeStep = (): Step => {
    const ms = one([500, 1_000, 4_000, claimSilenceMs + 1])
    let moved = false
    return () => (moved ? Effect.succeed(null) : Effect.tap(advance(ms), () => Effect.sync(() => (moved = true))))
  }
  return { next: () => one([appendStep, appendStep, appendStep, takeStep, keepStep, settleStep, readStep, timeStep])() }
}

const likeTheReference = (rounds: number, steps: number) =>
  given(
    `answers ${rounds} random histories of ${steps} steps as the log in memory does`,
    Effect.gen(function* () {
      const digest = yield* Digest
      const subject: Services = [yield* EventLog, yield* WorkQueue]
      const memory = yield* Layer.build(Layer.fresh(layerMemory).pipe(Layer.provide(Layer.succeed(Digest, digest))))
      const reference = yield* Effect.provide(Effect.all([EventLog, WorkQueue]), memory)
      for (let seed = 1; seed <= rounds; seed++) {
        const claims: Array<Claim> = []
        const { next } = walk(seed, claims)
        for (let i = 0; i < steps; i++) {
          const step = next()
          const before = claims.length
          const expected = yield* step(reference)
          const found = yield* step(subject)
          // both answered the same claim, or the next line fails: it is known once
          if (claims.length > before + 1) claims.length = before + 1
          yield* same(found ?? null, expected ?? null, `step ${i + 1} of round ${seed}`)
        }
      }
      yield* same(
        yield* Stream.runCollect(subject[0].readAll()),
        yield* Stream.runCollect(reference[0].readAll()),
        "the whole log"
      )
    })
  )

/** The same with so many random histories: where each step is slow, fewer of them say nearly as much. */
export const eventLogContractWith = (histories: number): ReadonlyArray<ContractCase> => [
  ...appending,
  ...reading,
  ...working,
  ...leasing,
  ...moving,
  likeTheReference(histories, 60)
]

export const eventLogContract: ReadonlyArray<ContractCase> = eventLogContractWith(40)

/**
 * What a log that is kept outside of the process must do when `lose` takes away events that this process has seen,
 * behind its back: the run `run_a` as a whole, or everything.
 */
export const lostLogContract = (lose: Effect.Effect<void>): ReadonlyArray<ContractCase> => [
  given(
    "refuses every append once events were taken away that it had acknowledged",
    Effect.gen(function* () {
      yield* append("run_a", 0, events("a1", 2))
      yield* lose
      yield* saysLost(append("run_a", 2, events("a2")))
      yield* saysLost(append("run_b", 0, events("b1")))
    })
  ),
  given(
    "fails whoever reads, checks or waits for work once events were taken away that were read",
    Effect.gen(function* () {
      const log = yield* EventLog
      const queue = yield* WorkQueue
      yield* append("run_a", 0, events("a1", 2))
      yield* log.check
      yield* lose
      yield* saysLost(Stream.runDrain(log.read("run_a", 3)))
      yield* saysLost(Stream.runDrain(log.readAll()))
      yield* saysLost(log.check)
      yield* saysLost(Stream.runDrain(queue.take(1, [])))
    })
  ),
  given(
    "ends whoever follows it, with nothing new to wait for",
    Effect.gen(function* () {
      const log = yield* EventLog
      const seen = yield* Queue.unbounded<Recorded>()
      yield* append("run_a", 0, events("a1"))
      const following = yield* Effect.forkChild(
        log.follow().pipe(Stream.runForEach((event) => Queue.offer(seen, event)))
      )
      yield* Queue.take(seen)
      yield* lose
      yield* saysLost(Fiber.join(following))
    })
  )
]

const saysLost = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.result(effect), (answer) =>
    holds(
      Result.isFailure(answer) && answer.failure instanceof LogUnavailable && answer.failure.code === "log_lost",
      `expected log_lost, found ${answer}`
    )
  )

// ---- what the cases share

const place = (event: Recorded): string => `${event.stream}/${event.version}@${event.position}`

/** What the log adds to the first event of an empty log. */
const origin = (stream: string) => ({ position: 1, stream, version: 1, prev_hash: genesisHash })

const refusedLease = (claim: Claim) =>
  Effect.gen(function* () {
    const { length } = yield* readStream("run_a")
    const refused = yield* unchanged(
      Effect.flip(append("run_a", length, events(`late_${length}`), { lease: claim.lease, dispatch: [item("late")] }))
    )
    yield* holds(
      refused instanceof LeaseLost && refused.item === claim.lease.item && refused.lease === claim.lease.number,
      `expected LeaseLost, found ${refused}`
    )
  })

/** The next claim of a new worker or of the one that is there, whoever is quicker. */
const takeAny = (there: Worker) => Effect.flatMap(worker(1), (other) => Effect.raceFirst(there.next, other.next))

/** Appends at whatever version the stream is when its turn comes. */
const eventually = (
  stream: string,
  candidates: ReadonlyArray<EventCandidate>,
  expected = 0
): Effect.Effect<Appended, unknown, EventLog> =>
  append(stream, expected, candidates).pipe(
    Effect.catchTag("Conflict", (conflict) => eventually(stream, candidates, conflict.actual))
  )
