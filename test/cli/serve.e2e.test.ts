import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { often } from "../often.ts"
import { type Agent, caller } from "./mcpClient.ts"
import { files, journey, refusals, standing } from "./mcpStage.ts"
import { project, proofline, start, until } from "./proofline.ts"
import { connectHttp, type Serving, serving } from "./serveClient.ts"
import { expectReplay, newestLog, newestRun } from "./sessionStage.ts"

describe("a session over HTTP", () => {
  it("goes from the first look to the word that it is done, through servers that are killed and in both revisions", async () => {
    const dir = project(files)
    let before: unknown = null
    let server = await serving(dir)
    for (const [i, pin] of ["2026-07-28", "2025-11-25"].entries()) {
      const agent = await connectHttp(server, server.token, { pin })
      if (before !== null) expect([await refusals(agent), await standing(agent)]).toEqual(before)
      const half = Math.ceil(journey.length / 2)
      for (const { take } of journey.slice(i * half, (i + 1) * half)) await take(agent, dir)
      if (i === 1) continue
      before = [await refusals(agent), await standing(agent)]
      await server.kill()
      server = await serving(dir)
    }
    expect(await server.stop()).toBe(130)
    expect(server.stderr()).toBe("")
    expect(await newestRun(dir)).toMatchObject({ kind: "session", status: "completed" })
    const opened = (await newestLog(dir)).filter(({ event_type }) => event_type === "SESSION_OPENED")
    expect(new Set(opened.map(({ content }) => content.agent))).toEqual(new Set(["test-agent"]))
    await expectReplay(dir)
  })

  it("leaves its token nowhere but on its own output", async () => {
    const dir = project(files)
    const server = await serving(dir, ["--tools", "all"])
    const opened = await caller(dir, "a")
    for (const token of [server.token, opened.token]) {
      const agent = await connectHttp(server, token)
      for (const tool of (await agent.client.listTools()).tools) await agent.call(tool.name, { task_id: "t", data: {} })
    }
    await server.stop()
    const secrets = [server.token, opened.token]
    const isClean = (text: string): boolean => secrets.every((secret) => !text.includes(secret))
    expect(isClean(server.stderr())).toBe(true)
    // as itself, and in the address of the page
    expect(server.stdout().split(server.token).length).toBe(3)
    const below = (path: string): ReadonlyArray<string> =>
      readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => Path.join(entry.parentPath, entry.name))
    const kept = below(Path.join(dir, ".proofline")).filter((file) => existsSync(file))
    expect(kept.length).toBeGreaterThan(0)
    for (const file of kept) expect(isClean(readFileSync(file, "latin1")), file).toBe(true)
  })
})

const small = { "src/a.py": "def a():\n    return 1\n" }

/** Plans, so that tasks can be given to others. */
const lead = async (server: Serving): Promise<Agent> => {
  const agent = await connectHttp(server, server.token, { name: "Lead" })
  await agent.call("submit_phase", { data: { explored_files: ["src/a.py"], findings: ["src/a.py: one function"] } })
  const tasks = [{ id: "whole", description: "Look after all of it", status: "pending" }]
  const { body } = await agent.call("submit_phase", { data: { tasks } })
  expect(body, JSON.stringify(body)).toMatchObject({ success: true, phase: "READY_IMPL" })
  return agent
}

const given = async (agent: Agent, tasks: ReadonlyArray<object>): Promise<Readonly<Record<string, string>>> => {
  const { body } = await agent.call("create_tasks", { tasks })
  expect(body, JSON.stringify(body)).toMatchObject({ success: true })
  return body.local_id_to_real_id
}

describe("many sessions on one server", () => {
  it("report at once, some of them falsely, and nothing is lost or mixed", async () => {
    const dir = project(small)
    const server = await serving(dir)
    const planner = await lead(server)
    const numbers = Array.from({ length: often(50) }, (_, i) => i)
    const ids = await given(
      planner,
      numbers.map((i) => ({
        local_id: `t${i}`,
        title: `Task of ${i}`,
        assignee: `agent-${i}`,
        checklist: [`Show ${i}`, `Show more of ${i}`]
      }))
    )
    const idOf = (i: number): string => ids[`t${i}`] ?? ""
    const agents = await Promise.all(
      numbers.map(async (i) => {
        // some show a token of their own, the others work in the session of their connection
        const token = i % 7 === 0 ? (await caller(dir, `agent-${i}`)).token : server.token
        return connectHttp(server, token, { name: `Agent ${i}`, pin: i % 2 === 0 ? "2026-07-28" : "2025-11-25" })
      })
    )
    const working = await Promise.all(
      agents.map(async (agent, i) => {
        await agent.call("get_next_action")
        writeFileSync(Path.join(dir, `src/f${i}.py`), `def f${i}(x):\n    y = x + ${i}\n    return y * ${i + 2}\n`)
        const report = (last: number) => ({
          task_id: idOf(i),
          data: {
            summary: `Summary of ${i}`,
            checklist: [
              { item: `Show ${i}`, status: "done", evidence: `src/f${i}.py:1-2` },
              { item: `Show more of ${i}`, status: "done", evidence: `src/f${i}.py:${last}` }
            ]
          }
        })
        const first = await agent.call("complete_task", report(i % 3 === 0 ? 99 : 3))
        const second = i % 3 === 0 ? await agent.call("complete_task", report(3)) : first
        const progress = await agent.call("get_my_task_progress")
        return { first, second, progress }
      })
    )
    for (const [i, { first, progress, second }] of working.entries()) {
      if (i % 3 === 0) {
        expect(first.ok).toBe(false)
        expect(first.body.failures).toMatchObject([
          { key: "checklist_evidence_line_out_of_range", item: `Show more of ${i}` }
        ])
      }
      expect(second.body, JSON.stringify(second.body)).toMatchObject({
        success: true,
        task: { id: idOf(i), new_status: "done" },
        verdict: "proven"
      })
      expect(progress.body.tasks).toMatchObject([{ id: idOf(i), title: `Task of ${i}`, status: "done" }])
      expect(progress.body.tasks).toHaveLength(1)
    }
    const events = await newestLog(dir)
    const of = (type: string) => events.filter(({ event_type }) => event_type === type)
    expect(new Set(of("SESSION_OPENED").map(({ content }) => content.agent))).toEqual(
      new Set(["lead", ...numbers.map((i) => `agent-${i}`)])
    )
    for (const i of numbers) {
      const mine = events.filter(({ content }) => content.task_id === idOf(i))
      expect(mine.filter(({ event_type }) => event_type === "TASK_COMPLETED")).toHaveLength(1)
      const cited = JSON.stringify(mine).match(/src\/f\d+\.py/g) ?? []
      expect(new Set(cited)).toEqual(new Set([`src/f${i}.py`]))
      const summaries = JSON.stringify(mine).match(/Summary of \d+/g) ?? []
      expect(new Set(summaries)).toEqual(new Set([`Summary of ${i}`]))
    }
    expect(events.map(({ version }) => version)).toEqual(events.map((_, i) => i + 1))
    await expectReplay(dir)
    await server.stop()
    expect(server.stderr()).toBe("")
  })
})

const chosen = "a-token-of-the-operator-for-a-test"

/** The status of a ping under this Host. */
const asked = (host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${chosen}`, "content-type": "application/json" }
    const sent = request({ host: "127.0.0.1", port: 80, path: "/mcp", method: "POST", headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on("error", reject)
    sent.end("{}")
  })

describe("the port of a server", () => {
  it("is refused when it is none", async () => {
    const dir = project({})
    for (const port of ["65536", "70000", "-1"]) {
      const finished = await proofline(["serve", `--port=${port}`, "--json"], dir)
      expect(finished.code, finished.stderr).toBe(2)
      expect(finished.stdout + finished.stderr).toContain("port_invalid")
    }
  })

  it("is left out by clients where it is HTTP's own", async ({ skip }) => {
    const dir = project({})
    const server = start(["serve", "--port", "80", "--json"], dir, { PROOFLINE_TOKEN: chosen })
    let [stdout, stderr] = ["", ""]
    server.stdout?.on("data", (chunk) => (stdout += chunk))
    server.stderr?.on("data", (chunk) => (stderr += chunk))
    await until(() => stdout.includes("\n") || server.exitCode !== null)
    // not everybody may take it
    if (stderr.includes("port_unavailable")) return skip()
    for (const host of ["127.0.0.1", "localhost", "127.0.0.1:80"]) expect(await asked(host)).not.toBe(403)
    for (const host of ["evil.example", "127.0.0.1:4600"]) expect(await asked(host)).toBe(403)
  })
})
