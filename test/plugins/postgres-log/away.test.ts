import { assert } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { addressOf, openDatabase } from "../../../packages/plugins/src/adapters/postgres-log/database.ts"
import { live } from "../../effects.ts"
import { describePostgres } from "../../postgres.ts"
import { execute, useDatabase } from "./support.ts"

describePostgres("a statement of which the answer is lost", () => {
  const { newLog, url } = useDatabase()

  const awayMs = 200

  /** Ends the connection of who has marked what it asks for, once that takes longer than the database may be away. */
  const cut = (mark: string) =>
    Effect.repeat(
      Effect.promise(() =>
        execute(
          url(),
          `select pg_terminate_backend(pid) as done from pg_stat_activity
            where state = 'active' and query like '%${mark}%' and pid <> pg_backend_pid()
              and clock_timestamp() - query_start > interval '${awayMs + 100} milliseconds'`
        )
      ),
      { until: (rows) => rows.length > 0, schedule: Schedule.spaced("20 millis") }
    )

  live(
    "is asked again although it has taken longer than the database may be away: a process that was stopped asks so too",
    function* () {
      const database = yield* Effect.flatMap(addressOf(newLog().url), openDatabase)
      const asked = { name: "slow", text: "select 'asked-again', 7 from pg_sleep(1)", values: [] }
      const asking = yield* Effect.forkChild(database.ask(asked, awayMs))
      yield* cut("asked-again")
      assert.deepStrictEqual(yield* Fiber.join(asking), [["asked-again", 7]])
    }
  )
})
