import { assert } from "@effect/vitest"
import { type Claim, EventLog, Workers, WorkQueue } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as postgresLog } from "@proofline/plugins/adapters/postgres-log"
import { Context, Deferred, Effect, Layer, Queue, Stream } from "effect"
import { live } from "../../effects.ts"
import { describePostgres } from "../../postgres.ts"
import { useDatabase } from "./support.ts"
import { events, item } from "./words.ts"

const needed = [[], ["gpu"], ["linux"], ["gpu", "linux"]]

const work = Array.from({ length: 80 }, (_, i) => ({
  ...item(`item_${i}`),
  labels: needed[i % needed.length] ?? [],
  priority: (i * 7) % 5
}))

const takers = [
  { slots: 1, labels: [] },
  { slots: 2, labels: ["gpu"] },
  { slots: 5, labels: ["gpu", "linux", "macos"] }
]

describePostgres("given three takers of one log in PostgreSQL, and work for more than their slots", () => {
  const { newLog } = useDatabase()

  live(
    "each holds at most what it has slots for, takes what comes first, and nothing that needs what it does not offer",
    function* () {
      const { url } = newLog()
      const all = yield* Effect.forEach(takers, (taker, i) =>
        Effect.map(
          Layer.build(
            Layer.fresh(postgresLog({ url, holder: { pid: process.pid, host: "here", name: `taker_${i}` } })).pipe(
              Layer.provide(nodeDigest)
            )
          ),
          (context) => ({ ...taker, context, taken: [] as Array<Claim["item"]>, most: 0 })
        )
      )
      const [{ context }] = all as [(typeof all)[number]]
      yield* Context.get(context, EventLog).append("run_a", 0, events("a"), { dispatch: work })
      const done = yield* Deferred.make<void>()
      const left = new Set(work.map(({ id }) => id))
      yield* Effect.forEach(all, (taker) =>
        Effect.gen(function* () {
          const queue = Context.get(taker.context, WorkQueue)
          const held = yield* Queue.unbounded<Claim>()
          let holding = 0
          // whatever it is given at once it has, before any of it is done
          const taking = Stream.runForEach(queue.take(taker.slots, taker.labels), (claim) => {
            taker.taken.push(claim.item)
            taker.most = Math.max(taker.most, ++holding)
            return Queue.offer(held, claim)
          })
          const doing = Effect.forever(
            Effect.gen(function* () {
              const claim = yield* Queue.take(held)
              for (const { holding, name, slots } of yield* Context.get(taker.context, Workers).list) {
                assert.isAtMost(holding, slots, name)
              }
              holding--
              left.delete(claim.item.id)
              yield* queue.settle(claim)
              if (left.size === 0) yield* Deferred.succeed(done, undefined)
            })
          )
          yield* Effect.forkScoped(taking)
          yield* Effect.forkScoped(Effect.catchDefect(doing, (defect) => Deferred.die(done, defect)))
        })
      )
      yield* Deferred.await(done)
      assert.strictEqual(all.flatMap(({ taken }) => taken).length, work.length)
      const place = ({ id, priority }: Claim["item"]) =>
        -priority * work.length + work.findIndex((one) => one.id === id)
      for (const { labels, most, slots, taken } of all) {
        assert.strictEqual(most, slots)
        assert.deepStrictEqual(
          taken.map(place),
          taken.map(place).toSorted((one, other) => one - other)
        )
        assert.deepStrictEqual(
          taken.flatMap((one) => one.labels.filter((label) => !(labels as ReadonlyArray<string>).includes(label))),
          []
        )
      }
    }
  )
})
