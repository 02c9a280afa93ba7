import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { caller } from "./mcpClient.ts"
import { afterwards, isGone, launcher, project, proofline, until } from "./proofline.ts"
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
