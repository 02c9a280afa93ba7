import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { often } from "../often.ts"
import type { Agent } from "./mcpClient.ts"
import { documentOf, eventsOf, project, proofline } from "./proofline.ts"
import { connectHttp, type Serving, serving } from "./serveClient.ts"

const files = { "src/a.py": "def a():\n    return 1\n" }

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

const sessionOf = async (
  dir: string,
  agent: string
): Promise<{ readonly token: string; readonly session_id: string }> =>
  documentOf(await proofline(["session", "open", "--agent", agent, "--json"], dir)).data

const runIn = async (dir: string): Promise<string> =>
  documentOf(await proofline(["history", "--json"], dir)).data.runs[0].run_id

describe("many sessions on one server", () => {
  it("report at once, some of them falsely, and nothing is lost or mixed", { timeout: 240_000 }, async () => {
    const dir = project(files)
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
        const token = i % 7 === 0 ? (await sessionOf(dir, `agent-${i}`)).token : server.token
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
    const run = await runIn(dir)
    const events = await eventsOf(run, dir)
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
    const replayed = await proofline(["replay", run, "--json"], dir)
    expect(documentOf(replayed).data, replayed.stdout).toMatchObject({ divergence: null })
    await server.stop()
    expect(server.stderr()).toBe("")
  })
})
