import { it } from "@effect/vitest"
import { eventLogContractWith, lostLogContract } from "@proofline/kernel/testing"
import { Effect } from "effect"
import { often } from "../often.ts"
import { execute, standingLog, type TestLog, useDatabase } from "../plugins/postgres-log/support.ts"
import { describePostgres } from "../postgres.ts"

describePostgres("postgres", () => {
  const { newLog, url } = useDatabase()
  for (const { name, run } of eventLogContractWith(often(100))) {
    it.live(name, () => run.pipe(Effect.provide(standingLog(url(), newLog()))))
  }
})

/** What others do to a log that is in use. */
const losses: Readonly<Record<string, (schema: string) => string>> = {
  "whose schema is removed": (schema) => `drop schema ${schema} cascade`,
  "of which another program deletes all events": (schema) => `delete from ${schema}.event`,
  "of which another program deletes one run": (schema) =>
    `insert into ${schema}.event select position + 10, 'run_z', version, event_type, schema_version, timestamp, visibility,
      content, command_id, causation_id, correlation_id, prev_hash, hash from ${schema}.event;
    delete from ${schema}.event where stream = 'run_a'`,
  "of which another program deletes the last event": (schema) =>
    `delete from ${schema}.event where position = (select max(position) from ${schema}.event)`
}

for (const [what, lose] of Object.entries(losses)) {
  describePostgres(`postgres, ${what}`, () => {
    const { newLog, url } = useDatabase()
    let log: TestLog = { url: "", schema: "" }
    const taken = Effect.promise(async () => void (await execute(url(), lose(log.schema))))
    for (const { name, run } of lostLogContract(taken)) {
      it.live(name, () => {
        log = newLog()
        return run.pipe(Effect.provide(standingLog(url(), log)))
      })
    }
  })
}
