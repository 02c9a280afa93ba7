import { afterAll, assert, beforeAll } from "@effect/vitest"
import { Worker } from "@proofline/kernel"
import { Effect, Fiber } from "effect"
import pg from "pg"
import { live } from "../../effects.ts"
import { named, startRuns, whenEnded } from "../../faults/cluster.ts"
import { clusterProcess, sleeping } from "../../faults/engine.ts"
import { describePostgres, freshDatabase } from "../../postgres.ts"

const attemptMs = 1_000

const sent = pg.Client.prototype.query

describePostgres("given a worker whose attempts take a second", () => {
  const clients = new Map<pg.Client, string>()
  // every statement of this process passes here, also those of pg-boss
  beforeAll(() => {
    pg.Client.prototype.query = function (
      this: pg.Client & { connectionParameters?: { application_name: string } },
      ...args: ReadonlyArray<unknown>
    ) {
      clients.set(this, this.connectionParameters?.application_name ?? "")
      return Reflect.apply(sent, this, args)
    } as typeof sent
  })
  afterAll(() => {
    pg.Client.prototype.query = sent
  })

  live(
    "no transaction is open while they run, and the server ends one that is forgotten, on every connection",
    function* () {
      const url = yield* freshDatabase
      yield* Effect.provide(
        Effect.gen(function* () {
          const worker = yield* Worker
          const working = yield* Effect.forkChild(worker.run({ workerId: "w", slots: 5, labels: [] }))
          const ending = yield* Effect.forkChild(whenEnded(2))
          yield* startRuns(named(2), 5)
          const looks = yield* Effect.acquireRelease(
            Effect.promise(async () => {
              const client = new pg.Client({ connectionString: url, application_name: "looks" })
              await client.connect()
              return client
            }),
            (client) => Effect.promise(() => client.end())
          )
          const longest = { open: 0, seen: 0 }
          const looking = yield* Effect.forkChild(
            Effect.forever(
              Effect.andThen(
                Effect.promise(async () => {
                  const { rows } = await looks.query(
                    `select application_name, state, extract(epoch from clock_timestamp() - xact_start) * 1000 as open
                    from pg_stat_activity where datname = current_database() and application_name like 'proofline%'`
                  )
                  longest.seen = Math.max(longest.seen, rows.length)
                  for (const { open } of rows) longest.open = Math.max(longest.open, Number(open ?? 0))
                }),
                Effect.sleep(10)
              )
            )
          )
          yield* Fiber.join(ending)
          yield* Fiber.interrupt(looking)
          assert.isAbove(longest.seen, 2)
          assert.isBelow(longest.open, attemptMs)
          const ours = [...clients].filter(([, name]) => name.startsWith("proofline"))
          assert.includeMembers(
            ours.map(([, name]) => name),
            ["proofline", "proofline-queue"]
          )
          for (const [client, name] of ours) {
            const rows = yield* Effect.promise(() =>
              (sent as (text: string) => Promise<{ rows: Array<unknown> }>)
                .call(client, "show idle_in_transaction_session_timeout")
                .then(
                  ({ rows }) => rows,
                  () => null
                )
            )
            // what was ended since is asked nothing
            if (rows !== null) assert.deepStrictEqual(rows, [{ idle_in_transaction_session_timeout: "3s" }], name)
          }
          yield* Fiber.interrupt(working)
        }),
        clusterProcess(url, sleeping(attemptMs))
      )
    }
  )
})
