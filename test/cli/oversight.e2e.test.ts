import { readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { done, scriptedAgent, withAgent } from "./agent.ts"
import { connect } from "./mcpClient.ts"
import { documentOf, eventsOf, project, proofline, until } from "./proofline.ts"
import { colours, expectReplay, refused, submit } from "./sessionStage.ts"

const calc = "def area(r):\n    return 3 * r * r\n\n\ndef volume(a):\n    return a * a * a\n"
const tasks = `
tasks:
  - id: calc
    name: Calculate
    instruction: Write calc.py.
    checklist: [Add area(), Add volume()]
`

/** A project in which an agent proved two items. */
const proven = async () => {
  const report = done({ "Add area()": "calc.py:1-2", "Add volume()": "calc.py:5-6" })
  const dir = project({ "tasks.yaml": tasks, ...scriptedAgent({ calc: [{ files: { "calc.py": calc }, report }] }) })
  const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--json"], dir)
  expect(finished.code, finished.stderr).toBe(0)
  return { dir, run: documentOf(finished).data.run_id as string, file: Path.join(dir, "calc.py") }
}

/** Changes an event in the file, as nothing of Proofline ever does. */
const tamper = (dir: string): number => {
  const database = new DatabaseSync(Path.join(dir, ".proofline", "state", "proofline.db"))
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all()
  const columnsOf = (name: unknown) => database.prepare(`pragma table_info(${name})`).all()
  const table = tables.find(({ name }) => columnsOf(name).some((column) => column["name"] === "content"))?.["name"]
  for (const { name } of database.prepare("select name from sqlite_schema where type = 'trigger'").all()) {
    database.exec(`drop trigger ${name}`)
  }
  const row = database
    .prepare(`select version, content from ${table} where event_type = 'CHECKLIST_ITEM_ACCEPTED' order by version`)
    .get() as { readonly version: number; readonly content: string }
  database
    .prepare(`update ${table} set content = ? where version = ?`)
    .run(row.content.replace("calc.py:1-2", "calc.py:1-1"), row.version)
  database.close()
  return row.version
}

describe("oversight over the protocol", { timeout: 120_000 }, () => {
  it("given a run that proved something, verifies it as the command line does, before and after files and log change", async () => {
    const { dir, file, run } = await proven()
    const { call } = await connect(dir, { args: ["--tools", "all"] })
    const both = async () => {
      const { body, ok } = await call("verify_run", { run_id: run })
      expect(ok, JSON.stringify(body)).toBe(true)
      const shown = await proofline(["verify", run, "--json"], dir)
      const { data } = documentOf(shown)
      expect(body).toMatchObject({ run_id: run, whole: shown.code === 0, chain: data.chain, counts: data.counts })
      return body
    }
    expect(await both()).toMatchObject({ whole: true, run_status: "completed", counts: { receipts: 2, proven: 2 } })

    writeFileSync(file, readFileSync(file, "utf8").replace("return a * a * a", "return 0"))
    const stale = await both()
    expect(stale).toMatchObject({ whole: false, counts: { proven: 1, stale: 1 } })
    expect(stale.receipts[0]).toMatchObject({ task_id: "calc", item: "Add volume()", status: "stale" })

    const version = tamper(dir)
    const broken = await both()
    expect(broken).toMatchObject({ whole: false, chain: { ok: false, version, events: version - 1 }, receipts: [] })

    expect((await call("list_runs")).body.runs).toMatchObject([{ run_id: run, kind: "tasks", status: "completed" }])
    const events = await call("get_events", { run_id: run, from: 1 })
    expect(events.body.events[0]).toMatchObject({ version: 1, event_type: "RUN_STARTED" })
  })

  it("given a question, takes the answer of a person alone, and the work goes on", async () => {
    const dir = project({ ".proofline/phase_contract.yml": colours })
    const agent = await connect(dir, { args: ["--tools", "all"] })
    await submit(agent, { summary: "Red and green" }, "COLOUR")
    const { approvals } = (await agent.call("list_approvals")).body
    expect(approvals).toMatchObject([{ kind: "question", phase: "COLOUR", expected: { answer: "red|green" } }])
    refused(await agent.call("answer_approval", { answer: "green" }), "person_only")

    const person = await connect(dir, { args: ["--tools", "all", "--approvals"], name: "Person" })
    refused(await person.call("answer_approval", { answer: "blue" }), "answer_invalid")
    const { run_id } = approvals[0]
    expect((await person.call("answer_approval", { run_id, answer: "green" })).body).toMatchObject({ phase: "PAINT" })
    expect((await agent.call("get_next_action")).body).toMatchObject({ phase: "PAINT" })
    const answered = (await eventsOf(run_id, dir)).filter(({ event_type }) => event_type === "PHASE_SUBMITTED").at(-1)
    expect(answered.content).toMatchObject({ by: "person", payload: { answer: "green" } })
    await expectReplay(dir)
  })

  it.each(["2026-07-28"])(
    "given a client that wants to hear of progress (%s), tells it when another process did something",
    async (pin) => {
      const dir = project({ ".proofline/phase_contract.yml": colours })
      const watcher = await connect(dir, { name: "Watcher", pin })
      const heard: Array<string> = []
      watcher.client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
        heard.push(params.uri)
      })
      const uri = "proofline://progress"
      if (pin < "2026") await watcher.client.subscribeResource({ uri })
      else await watcher.client.listen({ resourceSubscriptions: [uri] })
      const agent = await connect(dir, { name: "Agent" })
      await submit(agent, { summary: "Red and green" }, "COLOUR")
      await until(() => heard.length > 0)
      expect(new Set(heard)).toEqual(new Set([uri]))
      const { contents } = await watcher.client.readResource({ uri })
      expect(JSON.parse(String((contents[0] as { readonly text: string }).text))).toMatchObject({ phase: "COLOUR" })
    }
  )
})
