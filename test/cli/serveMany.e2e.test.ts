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

/** Events that speak of a task. */
const about = async (dir: string, task: string): Promise<number> =>
  (await eventsOf(await runIn(dir), dir)).filter(({ content }) => content.task_id === task).length

describe("a token of one session", () => {
  it("neither reads nor writes what is another's, with any tool, resource or prompt", {
    timeout: 120_000
  }, async () => {
    const dir = project(files)
    const server = await serving(dir, ["--tools", "all", "--approvals"])
    const planner = await lead(server)
    const secret = "NOBODY-ELSES-BUSINESS"
    const ids = await given(planner, [
      { local_id: "mine", title: "Mine", assignee: "a", checklist: ["Show a"] },
      { local_id: "theirs", title: `T ${secret}`, description: secret, assignee: "b", checklist: [`Show ${secret}`] }
    ])
    const [mine = "", theirs = ""] = [ids["mine"], ids["theirs"]]
    const a = await connectHttp(server, (await sessionOf(dir, "a")).token, { name: "A" })
    const b = await connectHttp(server, (await sessionOf(dir, "b")).token, { name: "B" })
    await b.call("get_next_action")
    await b.call("update_task_status", { task_id: theirs, status: "in_progress" })
    expect((await b.call("get_my_task")).body.task).toMatchObject({ task_id: theirs, status: "in_progress" })
    const before = await about(dir, theirs)

    const checklist = [{ item: `Show ${secret}`, status: "done", evidence: "src/a.py:1-2" }]
    const report = { summary: "It is mine now", checklist }
    const args: Readonly<Record<string, ReadonlyArray<Record<string, unknown>>>> = {
      get_next_action: [{}],
      get_my_task: [{}, { task_id: theirs }],
      get_my_task_progress: [{}, { task_id: theirs }],
      submit_phase: [
        { data: { task_id: theirs, ...report } },
        { data: { tasks: [{ id: theirs, status: "cancelled", reason: "not wanted any more" }] } }
      ],
      complete_task: [{ task_id: theirs, data: report }],
      update_task_status: ["todo", "done", "blocked", "cancelled", "in_progress", "backlog"].map((status) => ({
        task_id: theirs,
        status,
        reason: "because it is so"
      })),
      create_tasks: [
        { tasks: [{ title: "A part of it", parent_task_id: theirs }] },
        { tasks: [{ title: "It", local_id: theirs, assignee: "a" }] }
      ],
      check_write_target: [{ file_path: "src/a.py" }],
      get_subtasks: [{ task_id: theirs }],
      answer_approval: [{ answer: "continue" }],
      submit_review: [{ data: { judgment: "PASS" } }],
      submit_verification: [{ data: { all_requirements_met: true, requirement_status: [] } }],
      report_completed: [{ result: "success", summary: "All done" }]
    }
    const { tools } = await a.client.listTools()
    expect(tools.length).toBeGreaterThanOrEqual(Object.keys(args).length)
    // it leaves at the end: who has left is refused everything anyway
    const names = tools.map(({ name }) => name).filter((name) => name !== "report_completed")
    for (const name of [...names, "report_completed"]) {
      for (const one of args[name] ?? [{}]) {
        const { body } = await a.call(name, one)
        // what it said itself may be said back, in a refusal; its own words are none of theirs
        if (!JSON.stringify(one).includes(secret)) expect(JSON.stringify(body), name).not.toContain(secret)
      }
    }
    for (const { uri } of (await a.client.listResources()).resources) {
      expect(JSON.stringify(await a.client.readResource({ uri })), uri).not.toContain(secret)
    }
    for (const { name } of (await a.client.listPrompts()).prompts) {
      expect(JSON.stringify(await a.client.getPrompt({ name })), name).not.toContain(secret)
    }
    expect(await about(dir, theirs)).toBe(before)
    expect((await b.call("get_my_task")).body.task).toMatchObject({ task_id: theirs, status: "in_progress" })
    // and its own is still its own
    expect((await a.call("get_my_task")).body.task?.task_id ?? mine).toBe(mine)
    const done = { task_id: theirs, data: report }
    writeFileSync(Path.join(dir, "src/a.py"), "def a():\n    return 2\n")
    expect((await b.call("complete_task", done)).body).toMatchObject({ success: true, verdict: "proven" })

    // nor is it handed on to who only says that it waits for it, but to who was given what waits for it
    const next = { checklist: ["Show it"], dependencies: [theirs] }
    const c = await connectHttp(server, (await sessionOf(dir, "c")).token, { name: "C" })
    expect((await c.call("create_tasks", { tasks: [{ title: "After", ...next }] })).ok).toBe(true)
    expect((await c.call("get_my_task")).body.task).toMatchObject({ title: "After" })
    expect(JSON.stringify(await c.call("get_my_task"))).not.toContain("It is mine now")
    await given(planner, [{ title: "Then", assignee: "d", ...next }])
    const d = await connectHttp(server, (await sessionOf(dir, "d")).token, { name: "D" })
    expect((await d.call("get_my_task")).body.task).toMatchObject({
      title: "Then",
      handoff: `${theirs}: It is mine now`
    })
  })
})

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
