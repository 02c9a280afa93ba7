import { readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { done, scriptedAgent, withAgent } from "./agent.ts"
import { caller, connect } from "./mcpClient.ts"
import { documentOf, eventsOf, project, proofline, until } from "./proofline.ts"
import { colours, expectReplay, files, refused, submit } from "./sessionStage.ts"

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

/** Changes what events of a type hold, as nothing of Proofline ever does. */
const tamper = (dir: string, type: string, from: string, to: string): void => {
  const database = new DatabaseSync(Path.join(dir, ".proofline", "state", "proofline.db"))
  database.exec(`update event set content = replace(content, '${from}', '${to}') where event_type = '${type}'`)
  database.close()
}

const call = async (dir: string, operation: string, args: object = {}) =>
  documentOf(await proofline(["call", operation, JSON.stringify(args)], dir)).data.answer

describe("oversight", () => {
  it("given a run that proved something, verifies it as the command line does, before and after files and log change", async () => {
    const { dir, file, run } = await proven()
    const both = async () => {
      const body = await call(dir, "verify_run", { run_id: run })
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

    tamper(dir, "CHECKLIST_ITEM_ACCEPTED", "calc.py:1-2", "calc.py:1-1")
    const events = await eventsOf(run, dir)
    const { version } = events.find(({ event_type }) => event_type === "CHECKLIST_ITEM_ACCEPTED")
    const broken = await both()
    expect(broken).toMatchObject({ whole: false, chain: { ok: false, version, events: version - 1 }, receipts: [] })

    expect((await call(dir, "list_runs")).runs).toMatchObject([{ run_id: run, kind: "tasks", status: "completed" }])
    const read = await call(dir, "get_events", { run_id: run, from: 1 })
    expect(read.events[0]).toMatchObject({ version: 1, event_type: "RUN_STARTED" })
  })

  it("given the log of a session run that somebody has changed, looks at it, and no call goes on with it", async () => {
    const dir = project(files)
    const { token } = await caller(dir, "ci")
    tamper(dir, "SESSION_OPENED", '"agent":"ci"', '"agent":"me"')
    expect(await call(dir, "verify_run")).toMatchObject({ whole: false, chain: { ok: false } })
    expect((await call(dir, "list_runs")).runs).toHaveLength(1)
    const next = await proofline(["call", "get_next_action"], dir, { PROOFLINE_TOKEN: token })
    expect(next).toMatchObject({ code: 5, stderr: "" })
    expect(documentOf(next).data.problems).toMatchObject([{ code: "log_changed" }])
  })

  it("given a client that listens, tells it what another process did; given a question, takes a person's answer alone", async () => {
    const dir = project({ ".proofline/phase_contract.yml": colours })
    const flags = { args: ["--tools", "all", "--approvals"], pin: "2026-07-28" }
    const person = await connect(dir, { name: "Person", ...flags })
    const heard: Array<string> = []
    person.client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      heard.push(params.uri)
    })
    const uri = "proofline://progress"
    await person.client.listen({ resourceSubscriptions: [uri] })
    const agent = await caller(dir, "agent")
    await submit(agent, { summary: "Red and green" }, "COLOUR")
    await until(() => heard.length > 0)
    expect(new Set(heard)).toEqual(new Set([uri]))
    const { contents } = await person.client.readResource({ uri })
    expect(JSON.parse(String((contents[0] as { readonly text: string }).text))).toMatchObject({ phase: "COLOUR" })

    const { approvals } = (await person.call("list_approvals")).body
    expect(approvals).toMatchObject([{ kind: "question", phase: "COLOUR", expected: { answer: "red|green" } }])
    expect(await call(dir, "answer_approval", { answer: "green" })).toMatchObject({ error: "person_only" })
    refused(await person.call("answer_approval", { answer: "blue" }), "answer_invalid")
    const { run_id } = approvals[0]
    expect((await person.call("answer_approval", { run_id, answer: "green" })).body).toMatchObject({ phase: "PAINT" })
    expect((await agent.call("get_next_action")).body).toMatchObject({ phase: "PAINT" })
    const answered = (await eventsOf(run_id, dir)).filter(({ event_type }) => event_type === "PHASE_SUBMITTED").at(-1)
    expect(answered.content).toMatchObject({ by: "person", payload: { answer: "green" } })
    await expectReplay(dir)
  })
})
