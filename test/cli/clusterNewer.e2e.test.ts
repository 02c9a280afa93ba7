import { randomUUID } from "node:crypto"
import { EventLog } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as postgresLog } from "@proofline/plugins/adapters/postgres-log"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { execute } from "../plugins/postgres-log/support.ts"
import { events, item } from "../plugins/postgres-log/words.ts"
import { describePostgres } from "../postgres.ts"
import { achieved } from "./asked.ts"
import { database, workerOf } from "./clusterStage.ts"
import { repository, until } from "./proofline.ts"

const files = {
  "tasks.yaml": "tasks: [{ id: a, name: A, instruction: A, checks: [test -s a.txt], checklist: [Write a.txt] }]\n",
  "proofline.yaml": "agents: { mine: { command: sh agent.sh } }\n",
  "agent.sh": `printf 'A line that is not empty.\\n' > a.txt
printf '{"summary":"","checklist":[{"item":"Write a.txt","status":"done","evidence":"a.txt:1"}]}' > "$PROOFLINE_REPORT_FILE"
`
}

/** Runs whose first event this version does not know, each with a piece of work. */
const appendNewer = (url: string, runs: Readonly<Record<string, { event_type: string; schema_version: number }>>) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const log = yield* EventLog
      for (const [run, newer] of Object.entries(runs)) {
        const begun = events(randomUUID()).map((event) => ({ ...event, ...newer }))
        yield* log.append(run, 0, begun, { dispatch: [{ ...item(randomUUID()), run }] })
      }
    }).pipe(Effect.provide(postgresLog({ url })), Effect.provide(nodeDigest))
  )

describePostgres("given runs of a newer Proofline before all others, and a worker with one slot", () => {
  it("it leaves them to others, says so once for each, works on the others, and goes on", async () => {
    const dir = repository(files)
    const env = await database()
    const url = env["PROOFLINE_DATABASE_URL"] ?? ""
    await appendNewer(url, {
      run_later: { event_type: "RUN_STARTED", schema_version: 999 },
      run_other: { event_type: "REMEMBERED", schema_version: 1 }
    })
    const { child, said } = await workerOf(dir, env, "--slots", "1")
    expect((await achieved(["run", "tasks.yaml", "--agent", "mine"], dir, env)).data).toMatchObject({
      verdict: "proven"
    })
    await until(async () => {
      const [row] = await execute(
        url,
        "select min(lease)::int as least from proofline.work_item where run in ('run_later', 'run_other')"
      )
      return Number(row?.["least"]) > 1
    })
    for (const run of ["run_later", "run_other"]) {
      expect(said().match(new RegExp(`work of ${run} is left to other workers`, "g")), said()).toHaveLength(1)
    }
    expect(child.exitCode).toBeNull()
  })
})
