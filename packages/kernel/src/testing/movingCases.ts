/** What every `EventLog` must do with runs that come from another log or go to one: the other one is in memory. */
import { Effect, Fiber, Layer, Queue, Result, Stream } from "effect"
import { LogUnavailable } from "../base/LogUnavailable.ts"
import type { Recorded } from "../base/Recorded.ts"
import { ChainBroken, toExport, verifyChain } from "../log/codec.ts"
import { Conflict, EventLog, LeaseLost } from "../log/EventLog.ts"
import { layerMemory } from "../log/EventLogMemory.ts"
import { Digest } from "../port/Digest.ts"
import { WorkQueue } from "../port/WorkQueue.ts"
import { append, type ContractCase, events, given, item, readEverything, readStream, unchanged } from "./logCases.ts"
import { holds, same } from "./vocabulary.ts"

const inAnotherLog = <A, E>(use: Effect.Effect<A, E, EventLog>): Effect.Effect<A, E, Digest> =>
  Effect.flatMap(Digest, (digest) =>
    Effect.provide(use, Layer.fresh(layerMemory).pipe(Layer.provide(Layer.succeed(Digest, digest))))
  )

/** `run_a` of another log: five events of three commands, on positions 2, 3, 5, 6 and 7. */
const elsewhere = inAnotherLog(
  Effect.gen(function* () {
    yield* append("run_other", 0, events("o1"))
    yield* append("run_a", 0, events("a1", 2))
    yield* append("run_other", 1, events("o2"))
    yield* append("run_a", 2, events("a2", 2))
    yield* append("run_a", 4, events("a3", 1))
    return yield* readStream("run_a")
  })
)

const adopt = (expected: number, taken: ReadonlyArray<Recorded>, arriving?: { place: string; at: string }) =>
  Effect.flatMap(EventLog, (log) => log.adopt("run_a", expected, taken, arriving === undefined ? {} : { arriving }))

const leave = (kind: "moved" | "archived", expected: number) =>
  Effect.flatMap(EventLog, (log) => log.leave("run_a", expected, { kind, place: "over there", at }))

const at = "2026-01-02T03:04:05.678Z"
const from = { place: "another log", at }

const exported = (recorded: ReadonlyArray<Recorded>) => recorded.map((event) => JSON.stringify(toExport(event)))

const saysElsewhere = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.result(effect), (answer) =>
    holds(
      Result.isFailure(answer) && answer.failure instanceof LogUnavailable && answer.failure.code === "run_elsewhere",
      `expected run_elsewhere, found ${answer}`
    )
  )

const positions = Effect.map(readEverything(), (all) => all.map(({ position, stream }) => `${stream}@${position}`))

const broken = <R>(effect: Effect.Effect<unknown, unknown, R>, reason: ChainBroken["reason"], version: number) =>
  Effect.flatMap(Effect.flip(effect), (failure) =>
    holds(
      failure instanceof ChainBroken && failure.reason === reason && failure.version === version,
      `expected a break (${reason}) at version ${version}, found ${failure}`
    )
  )

export const moving: ReadonlyArray<ContractCase> = [
  given(
    "takes over a run of another log with its hashes, under positions of its own, and exports it as it was",
    Effect.gen(function* () {
      const { sha256 } = yield* Digest
      const there = yield* elsewhere
      for (let i = 0; i < 3; i++) yield* append("run_here", i, events(`h${i}`))
      const taken = yield* adopt(0, there.slice(0, 3))
      yield* adopt(3, there.slice(3))
      yield* same(
        taken.map(({ hash, position }) => ({ hash, position })),
        there.slice(0, 3).map(({ hash }, i) => ({ hash, position: 4 + i })),
        "what was taken over"
      )
      yield* same(
        (yield* positions).slice(3),
        [4, 5, 6, 7, 8].map((position) => `run_a@${position}`),
        "the positions"
      )
      const here = yield* readStream("run_a")
      yield* same(exported(here), exported(there), "the export")
      yield* same(yield* readEverything(4), here, "the log")
      yield* same(yield* readStream("run_a", 4), here.slice(3), "the stream from a version")
      const verified = verifyChain(here, sha256)
      yield* holds(Result.isSuccess(verified) && verified.success?.version === 5, "the chain is broken")
    })
  ),
  given(
    "goes on with a run it took over, and gives it to a third log as it is",
    Effect.gen(function* () {
      const { sha256 } = yield* Digest
      const there = yield* elsewhere
      yield* append("run_here", 0, events("h"))
      yield* adopt(0, there)
      const more = yield* append("run_a", 5, events("a4", 2))
      yield* same(
        more.events.map(({ position, version }) => [position, version]),
        [
          [7, 6],
          [8, 7]
        ],
        "what was appended"
      )
      const here = yield* readStream("run_a")
      const third = yield* inAnotherLog(Effect.andThen(adopt(0, here), readStream("run_a")))
      yield* same(exported(third), exported(here), "the export of the third log")
      for (const log of [here, third]) yield* holds(Result.isSuccess(verifyChain(log, sha256)), "the chain is broken")
    })
  ),
  given(
    "knows the commands of a run it took over, also of one that came in two pieces",
    Effect.gen(function* () {
      const there = yield* elsewhere
      yield* adopt(0, there.slice(0, 3))
      yield* adopt(3, there.slice(3))
      const here = yield* readStream("run_a")
      for (const [command, written] of [
        ["a1", here.slice(0, 2)],
        ["a2", here.slice(2, 4)]
      ] as const) {
        const again = yield* unchanged(append("run_a", 5, events(command, 2)))
        yield* same(again, { events: written, repeated: true }, `the answer to ${command}`)
      }
    })
  ),
  given(
    "refuses what does not continue its stream, and writes nothing of it",
    Effect.gen(function* () {
      const there = yield* elsewhere
      const own = yield* inAnotherLog(Effect.map(append("run_a", 0, events("own", 2)), (answer) => answer.events))
      const other = yield* inAnotherLog(Effect.map(append("run_b", 0, events("b")), (answer) => answer.events))
      yield* adopt(0, own)
      yield* unchanged(broken(adopt(2, there.slice(2)), "prev_hash", 3))
      yield* unchanged(broken(adopt(2, there.slice(3)), "hole", 3))
      yield* unchanged(broken(adopt(2, other), "stream", 1))
      const changed = there.map((event, i) => (i === 1 ? { ...event, content: { changed: true } } : event))
      const fresh = Effect.gen(function* () {
        const failed = broken(adopt(0, changed), "hash", 2)
        yield* unchanged(failed)
        yield* unchanged(broken(adopt(0, there.slice(1)), "hole", 1))
      })
      yield* inAnotherLog(fresh)
      const refused = yield* unchanged(Effect.flip(adopt(0, there)))
      yield* holds(refused instanceof Conflict && refused.actual === 2, `expected Conflict, found ${refused}`)
    })
  ),
  given(
    "takes nothing else for a run of which more is to come, and is free for it once all is there",
    Effect.gen(function* () {
      const log = yield* EventLog
      const there = yield* elsewhere
      yield* adopt(0, there.slice(0, 4), from)
      const away = yield* log.away("run_a")
      yield* same(away, { kind: "arriving", ...from, version: 0, hash: "" }, "where it is")
      yield* unchanged(saysElsewhere(append("run_a", 4, events("a9"))))
      yield* adopt(4, there.slice(4))
      yield* same(yield* log.away("run_a"), null, "where it is at the end")
      yield* append("run_a", 5, events("a9"))
    })
  ),
  given(
    "dispatches nothing for a run it takes over, and follows it like any other",
    Effect.gen(function* () {
      const log = yield* EventLog
      const queue = yield* WorkQueue
      const there = yield* elsewhere
      const followed = yield* Queue.unbounded<Recorded>()
      const claimed = yield* Effect.forkScoped(Stream.runHead(queue.take(1, [])))
      yield* Effect.forkScoped(log.follow().pipe(Stream.runForEach((event) => Queue.offer(followed, event))))
      yield* adopt(0, there)
      yield* same(yield* Queue.takeN(followed, 5), yield* readStream("run_a"), "what was followed")
      yield* append("run_b", 0, events("b"), { dispatch: [item("x", { run: "run_b" })] })
      const first = yield* Fiber.join(claimed)
      yield* same(first._tag === "Some" ? first.value.item.id : null, "x", "the first work")
    })
  ),
  given(
    "keeps a run that was moved to be read, takes nothing more for it, and gives out none of its work",
    Effect.gen(function* () {
      const log = yield* EventLog
      const queue = yield* WorkQueue
      yield* append("run_a", 0, events("a1", 2), { dispatch: [item("x", { priority: 1 })] })
      yield* append("run_b", 0, events("b"), { dispatch: [item("y", { run: "run_b" })] })
      const before = yield* readStream("run_a")
      const early = yield* Effect.flip(leave("moved", 1))
      yield* holds(early instanceof Conflict && early.actual === 2, `expected Conflict, found ${early}`)
      const held = yield* Stream.runHead(queue.take(1, []))
      const away = yield* leave("moved", 2)
      const hash = before[1]?.hash
      yield* same(away, { kind: "moved", place: "over there", at, version: 2, hash }, "where it is")
      yield* same(yield* log.away("run_a"), away, "where it is, asked for")
      yield* same(yield* readStream("run_a"), before, "what can be read")
      yield* unchanged(saysElsewhere(append("run_a", 2, events("a2"))))
      // whoever was at work on it drops what comes too late, and goes on with other work
      const lease = held._tag === "Some" ? held.value.lease : { item: "none", number: 0 }
      const late = yield* unchanged(Effect.flip(append("run_a", 2, events("late"), { lease })))
      yield* holds(late instanceof LeaseLost && late.item === "x", `expected LeaseLost, found ${late}`)
      const again = yield* append("run_a", 2, events("a1", 2))
      yield* holds(again.repeated, "a command that was carried out before is not known any more")
      const first = yield* Stream.runHead(queue.take(1, []))
      yield* same(first._tag === "Some" ? first.value.item.id : null, "y", "the only work")
      yield* adopt(2, [])
      yield* append("run_a", 2, events("a2"))
    })
  ),
  given(
    "takes a run out that was archived, leaves its positions empty, and says so to whoever asks for it",
    Effect.gen(function* () {
      const log = yield* EventLog
      yield* append("run_b", 0, events("b1"))
      yield* append("run_a", 0, events("a1", 2))
      yield* append("run_b", 1, events("b2"))
      yield* append("run_a", 2, events("a2"))
      const before = yield* readStream("run_a")
      yield* leave("archived", 3)
      yield* same(yield* positions, ["run_b@1", "run_b@4"], "the positions")
      yield* saysElsewhere(readStream("run_a"))
      yield* saysElsewhere(append("run_a", 0, events("a9")))
      yield* log.check
      const followed = yield* Queue.unbounded<number>()
      yield* Effect.forkScoped(log.follow().pipe(Stream.runForEach(({ position }) => Queue.offer(followed, position))))
      yield* append("run_b", 2, events("b3"))
      yield* same(yield* Queue.takeN(followed, 3), [1, 4, 6], "what a follower is given")
      yield* same(
        (yield* readEverything(2)).map(({ position }) => position),
        [4, 6],
        "what is read from an empty position"
      )
      yield* adopt(0, before.slice(0, 1), from)
      yield* saysElsewhere(readStream("run_a"))
      yield* adopt(1, before.slice(1))
      yield* same(exported(yield* readStream("run_a")), exported(before), "the export of what came back")
      yield* same((yield* positions).slice(3), ["run_a@7", "run_a@8", "run_a@9"], "its positions")
      yield* append("run_a", 3, events("a3"))
    })
  ),
  given(
    "takes no run back that is not the one that was archived",
    Effect.gen(function* () {
      const there = yield* elsewhere
      const own = yield* inAnotherLog(Effect.map(append("run_a", 0, events("own", 5)), (answer) => answer.events))
      yield* adopt(0, there)
      yield* leave("archived", 5)
      for (const wrong of [own, there.slice(0, 4)]) {
        const refused = yield* unchanged(Effect.flip(adopt(0, wrong)))
        yield* holds(
          refused instanceof LogUnavailable && refused.code === "log_corrupt",
          `expected log_corrupt, found ${refused}`
        )
      }
      yield* adopt(0, there)
      yield* same(exported(yield* readStream("run_a")), exported(there), "the export of what came back")
    })
  )
]
