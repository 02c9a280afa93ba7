import { randomUUID } from "node:crypto"
import { expect, it } from "vitest"
import { daily } from "../often.ts"
import { execute } from "../plugins/postgres-log/support.ts"
import { describePostgres } from "../postgres.ts"
import { achieved, asked } from "./asked.ts"
import { database, workerOf } from "./clusterStage.ts"
import { afterwards, project, proofline, repository } from "./proofline.ts"

const files = {
  "tasks.yaml": "tasks: [{ id: a, name: A, instruction: A, checks: [test -s a.txt], checklist: [Write a.txt] }]\n",
  "proofline.yaml": "agents: { mine: { command: sh agent.sh } }\n",
  "agent.sh": `printf 'A line that is not empty.\\n' > a.txt
printf '{"summary":"","checklist":[{"item":"Write a.txt","status":"done","evidence":"a.txt:1"}]}' > "$PROOFLINE_REPORT_FILE"
`
}

const word = "a word of its own"

/** A role that may log in and no more, and the same URL for it. */
const newRole = async (url: string) => {
  const role = `Worker of ${randomUUID()}`
  await execute(url, `create role "${role}" login password '${word}'`)
  afterwards(() => execute(url, `drop owned by "${role}"; drop role "${role}"`))
  const changed = new URL(url)
  changed.username = encodeURIComponent(role)
  changed.password = encodeURIComponent(word)
  return { role, ofRole: { PROOFLINE_DATABASE_URL: changed.href } }
}

const denied = /permission denied|must be owner/

describePostgres("given a role of the database that the owner of the log gave its rights", () => {
  it.each(daily(["cluster role", "its SQL"], 2))(
    "by %s: a worker does the work of the owner's run, and can do no more",
    async (by) => {
      const dir = repository(files)
      const owner = await database()
      const url = owner["PROOFLINE_DATABASE_URL"] ?? ""
      const { role, ofRole } = await newRole(url)
      if (by === "cluster role") {
        expect((await achieved(["cluster", "role", role], dir, owner)).data).toMatchObject({ role, granted: true })
      } else {
        await achieved(["cluster", "role", (await newRole(url)).role], dir, owner)
        await execute(url, (await proofline(["cluster", "role", role, "--sql"], dir, owner)).stdout)
      }
      await workerOf(dir, ofRole, "--slots", "1")
      const done = await achieved(["run", "tasks.yaml", "--agent", "mine"], dir, owner)
      expect(done.data).toMatchObject({ status: "completed", verdict: "proven" })
      expect((await achieved(["verify"], dir, ofRole)).data).toMatchObject({ verdict: "proven" })

      for (const statement of [
        "update proofline.event set content = '{}'",
        "delete from proofline.event",
        "insert into proofline.event select * from proofline.event",
        "truncate proofline.event",
        "drop table proofline.event"
      ]) {
        await expect(execute(ofRole.PROOFLINE_DATABASE_URL, statement), statement).rejects.toThrow(denied)
      }
      const of = (schema: string, env: typeof owner) => ({
        PROOFLINE_DATABASE_URL: `${env["PROOFLINE_DATABASE_URL"]}?schema=${schema}`
      })
      await achieved(["cluster", "role", (await newRole(url)).role], dir, of("other", owner))
      for (const args of [["history"], ["worker"], ["cluster", "role", role]]) {
        const refused = await asked(args, dir, of("other", ofRole))
        expect(refused.refused, args.join(" ")).toEqual(["log_unwritable"])
        expect(refused.stdout + refused.stderr).not.toContain(word)
      }
    }
  )
})

describePostgres("given a role that is not there", () => {
  it("it is given nothing, and the statement that makes it is told", async () => {
    const refused = await asked(["cluster", "role", "nobody else"], project(files), await database())
    expect(refused).toMatchObject({ refused: ["log_failed"] })
    expect(refused.data.problems[0].hint).toContain(`create role "nobody else" login`)
  })
})

it("given no database, there is no role to give rights to", async () => {
  expect(await asked(["cluster", "role", "me"], project({}))).toMatchObject({
    code: 2,
    refused: ["database_url_missing"]
  })
})
