import { assert } from "@effect/vitest"
import { type Claim, EventLog, LeaseLost, WorkQueue } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as postgresLog } from "@proofline/plugins/adapters/postgres-log"
import { Effect, Fiber, Layer, Logger, Schedule, Stream } from "effect"
import { live } from "../../effects.ts"
import { linkTo } from "../../faults/proxy.ts"
import { describePostgres } from "../../postgres.ts"
import { useDatabase } from "./support.ts"
import { events, item } from "./words.ts"

const until = (condition: () => boolean) =>
  Effect.repeat(Effect.void, { until: condition, schedule: Schedule.spaced("20 millis") })

/** A process that takes work in two slots and keeps it. */
const worker = (url: string) =>
  Effect.gen(function* () {
    const services = yield* Layer.build(Layer.fresh(postgresLog({ url })).pipe(Layer.provide(nodeDigest)))
    const [log, queue] = yield* Effect.provide(Effect.all([EventLog, WorkQueue]), services)
    const held = new Map<string, Claim>()
    const given: Array<Claim> = []
    const take = queue.take(2, []).pipe(
      Stream.runForEach((claim) =>
        Effect.sync(() => {
          given.push(claim)
          held.set(claim.item.id, claim)
        })
      )
    )
    const keep = Effect.map(
      Effect.suspend(() => queue.keep([...held.values()])),
      (lost) => {
        for (const { item } of lost) held.delete(item.id)
      }
    )
    return { log, queue, held, given, take, keep: Effect.repeat(keep, Schedule.spaced("1 second")) }
  })

describePostgres("a worker that is cut off from PostgreSQL", () => {
  const { newLog } = useDatabase()

  live("gives up its work, which others take; its late report is refused, and it takes new work later", function* () {
    const { url } = newLog()
    const near = yield* linkTo(url)
    const [other, cut] = [yield* worker(url), yield* worker(near.url)]
    yield* other.log.append("run_a", 0, events("a"), { dispatch: [item("x"), item("y")] })
    for (const { keep, take } of [cut, other]) {
      yield* Effect.forkScoped(take)
      yield* Effect.forkScoped(keep)
      yield* until(() => cut.held.size === 2)
    }
    near.cut()
    const reporting = yield* Effect.forkScoped(
      Effect.flip(cut.log.append("run_late", 0, events("late"), { lease: { item: "x", number: 1 } }))
    )
    yield* until(() => cut.held.size === 0)
    yield* until(() => other.held.size === 2)
    assert.deepStrictEqual(
      other.given.map(({ lease }) => lease),
      [
        { item: "x", number: 2 },
        { item: "y", number: 2 }
      ]
    )
    near.mend()
    assert.instanceOf(yield* Fiber.join(reporting), LeaseLost)
    yield* other.log.append("run_a", 1, events("b"), { dispatch: [item("z")] })
    yield* until(() => cut.held.has("z"))
    assert.strictEqual(other.held.size, 2)
  })
})

describePostgres("whoever has a log in a PostgreSQL that is away", () => {
  const { newLog } = useDatabase()

  live("is told so once, and that it answers again; never who logs in, or how", function* () {
    const { schema, url } = newLog()
    const near = yield* linkTo(url)
    const said: Array<string> = []
    const logger = Logger.make(({ message }) => void said.push(`${message}`))
    yield* Layer.build(Layer.fresh(postgresLog({ url: near.url })).pipe(Layer.provide(nodeDigest))).pipe(
      Effect.provide(Logger.layer([logger]))
    )
    near.cut()
    yield* until(() => said.length > 0)
    near.mend()
    yield* until(() => said.length > 1)
    const [away = "", back = ""] = said
    assert.match(
      away,
      new RegExp(`^The log in the schema ${schema} .*cannot be used: .* asked again until it answers\\.$`)
    )
    assert.match(back, new RegExp(`^The log in the schema ${schema} .* answers again, after \\d+ s\\.$`))
    assert.notInclude(said.join(), new URL(url).password)
    assert.lengthOf(said, 2)
  })
})
