import { type ChildProcess, fork } from "node:child_process"
import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { type Caller, caller, connect } from "./mcpClient.ts"
import { afterwards, type Finished, finish, isGone, launcher, project, proofline, start, until } from "./proofline.ts"
import { explored, files, planOf, source, submit } from "./sessionStage.ts"

const unset = { CLAUDE_PROJECT_DIR: "", PROOFLINE_ATTEMPT: "", PROOFLINE_TOKEN: "" }
const said = (cwd: string) => JSON.stringify({ session_id: "s", cwd, hook_event_name: "Stop", stop_hook_active: false })
const goes = { code: 0, stdout: "", stderr: "" }

/** A client as a process of its own, with its server and its hook. */
const client = (dir: string, name: string) => {
  const process = fork(fileURLToPath(new URL("hookClient.mjs", import.meta.url)), [launcher, name], {
    cwd: dir,
    env: { ...globalThis.process.env, ...unset }
  })
  afterwards(async () => {
    process.disconnect()
    await until(() => isGone(process.pid ?? 0))
  })
  return {
    call: (tool: string, args: object = {}) => answerOf(process, { tool, args }),
    stop: () => answerOf(process, { input: said(dir) })
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every kind
const answerOf = (process: ChildProcess, message: object): Promise<any> =>
  new Promise((resolve) => {
    process.once("message", resolve)
    process.send(message)
  })

describe("hook claude-stop, given several clients whose names begin alike", () => {
  it("and no way to know which of them stops, blocks as long as one has work, and says whose", async () => {
    const dir = project(files)
    const agent = await caller(dir, "claude-code")
    await submit(agent, explored, "READY_PLAN")
    await submit(agent, planOf("auth", source, "login"), "READY_IMPL")
    // it has nothing to do, and came last
    const other = await caller(dir, "claude-desktop")
    expect((await other.call("get_next_action")).body).toMatchObject({ action: "wait" })
    const { stdout } = await proofline(["hook", "claude-stop"], dir, unset, said(dir))
    const { decision, reason } = JSON.parse(stdout)
    expect(decision).toBe("block")
    expect(reason).toContain(`This is of claude-code, session ${agent.session_id}: 2 clients are here`)
    expect(reason).toContain("- auth: ")
    // whoever is named is meant alone
    expect(await proofline(["hook", "claude-stop", "--agent", "claude-desktop"], dir, unset, said(dir))).toEqual(goes)
    // one that is gone without a word may be the one that stops
    await proofline(["session", "revoke", other.session_id], dir)
    expect(JSON.parse((await proofline(["hook", "claude-stop"], dir, unset, said(dir))).stdout).reason).not.toContain(
      "which of them"
    )
  })

  it("and processes that started their servers and the hook, judges the one that stops", async () => {
    const dir = project(files)
    const desktop = client(dir, "claude-desktop")
    expect(await desktop.call("submit_phase", { data: explored })).toMatchObject({ success: true })
    expect(await desktop.call("submit_phase", { data: planOf("auth", source, "login") })).toMatchObject({
      success: true
    })
    const code = client(dir, "claude-code")
    expect(await code.call("get_next_action")).toMatchObject({ action: "wait" })
    expect(await code.stop()).toEqual(goes)
    const { decision, reason } = JSON.parse((await desktop.stop()).stdout)
    expect(decision).toBe("block")
    expect(reason).toContain("- auth: ")
    expect(reason).not.toContain("which of them")
  })
})

describe("hook claude-stop, given work that is handed to another client", () => {
  const shim = fileURLToPath(new URL("clock.cjs", import.meta.url))
  /** The same so many minutes later. */
  const stopAfter = (dir: string, minutes: number) => {
    const clock = Path.join(dir, "clock")
    writeFileSync(clock, `${minutes * 60_000}`)
    const env = { ...unset, NODE_OPTIONS: `--require ${shim}`, CLOCK_FILE: clock }
    return finish(start(["hook", "claude-stop"], dir, env, said(dir)))
  }
  const reasonOf = ({ stdout }: Finished): string => {
    const { decision, reason } = JSON.parse(stdout)
    expect(decision).toBe("block")
    return reason
  }
  const byWord = async (agent: Caller, task_id: string) => {
    for (const status of ["in_progress", "done"]) {
      expect((await agent.call("update_task_status", { task_id, status })).ok).toBe(true)
    }
  }
  const planned = async () => {
    const dir = project(files)
    const agent = await caller(dir, "claude-code")
    await submit(agent, explored, "READY_PLAN")
    await submit(agent, { tasks: [{ id: "mine", description: "Mine", status: "pending" }] }, "READY_IMPL")
    return { agent, dir }
  }

  it("lets it stop while that one is at work, and says whose silence keeps it, and what to do", async () => {
    const { agent, dir } = await planned()
    const ben = await caller(dir, "ben")
    const { body } = await agent.call("create_tasks", { tasks: [{ title: "Write the tests", assignee: "ben" }] })
    const [id] = body.created.map((task: { id: string }) => task.id)
    await byWord(agent, "mine")
    expect(await stopAfter(dir, 9)).toEqual(goes)
    const silent = reasonOf(await stopAfter(dir, 11))
    expect(silent).toContain(`Of ${id} nothing comes: that is given to ben, who has asked for nothing since 20`)
    expect(silent).toMatch(new RegExp(`proofline session revoke ${ben.session_id}\` of your user`))
    // what it has begun may take long, and its session not for ever
    await ben.call("update_task_status", { task_id: id, status: "in_progress" })
    expect(await stopAfter(dir, 50)).toEqual(goes)
    expect(reasonOf(await stopAfter(dir, 70))).toContain("who is gone: get_next_action gives you what is left.")
  })

  it("does not let it stop when the process of that one is gone, and it is given the work", async () => {
    const { agent, dir } = await planned()
    const ben = await connect(dir, { name: "ben" })
    await ben.call("get_next_action")
    await agent.call("create_tasks", { tasks: [{ title: "Write the tests", assignee: "ben" }] })
    await byWord(agent, "mine")
    expect(await stopAfter(dir, 0)).toEqual(goes)
    await ben.kill()
    expect(reasonOf(await stopAfter(dir, 0))).toMatch(/Of \S+ nothing comes: that is given to ben, who is gone/)
    expect((await agent.call("get_next_action")).body).toMatchObject({ action: "work" })
  })

  it("leaves it the phases when those who were to hand them in are gone, and tells its user when they are silent", async () => {
    const dir = project(files)
    const planner = await connect(dir, { name: "planner" })
    await submit(planner, explored, "READY_PLAN")
    await submit(planner, { tasks: [{ id: "plan", description: "Plan", status: "pending" }] }, "READY_IMPL")
    const agent = await caller(dir, "claude-code")
    const { body } = await planner.call("create_tasks", { tasks: [{ title: "Do it", assignee: "claude-code" }] })
    await byWord(planner, "plan")
    await agent.call("get_my_task")
    await byWord(agent, body.created[0].id)
    expect((await agent.call("get_next_action")).body).toMatchObject({ action: "report_completion" })
    expect(await stopAfter(dir, 0)).toEqual(goes)
    const { systemMessage } = JSON.parse((await stopAfter(dir, 11)).stdout)
    expect(systemMessage).toMatch(
      /\[work_unproven\][\s\S]*The rest is left to planner, who has asked for nothing since/
    )
    await planner.kill()
    expect(reasonOf(await stopAfter(dir, 0))).toContain("The rest is left to planner, who is gone")
    expect((await agent.call("get_next_action")).body).toMatchObject({
      action: "submit_phase",
      phase: "READY_COMPLETE"
    })
  })
})
