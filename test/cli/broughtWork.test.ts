import { describe, expect, it } from "vitest"
import { caller } from "./mcpClient.ts"
import {
  expectReplay,
  explored,
  files,
  git,
  planOf,
  refused,
  reportOf,
  repository,
  source,
  submit,
  write
} from "./sessionStage.ts"

describe("a session, given a branch on which the work was done before it began", () => {
  it.each([
    ["switches to it", ["checkout", "-q", "done"]],
    ["merges it", ["merge", "-q", "--no-ff", "-m", "Merge", "done"]]
  ])("that %s, is told that this is no work of it, and is taken at its own", async (_, command) => {
    const dir = repository(files)
    git(dir, "checkout", "-qb", "done")
    write(dir, source, "login")
    git(dir, "commit", "-qam", "Log in")
    git(dir, "checkout", "-q", "main")
    const agent = await caller(dir, "ann")
    await submit(agent, explored, "READY_PLAN")
    await submit(agent, planOf("auth", source, "login"), "READY_IMPL")
    git(dir, ...command)
    const report = { task_id: "auth", data: reportOf(dir, source, "login") }
    const { failures } = refused(await agent.call("complete_task", report), "payload_mismatch")
    expect(failures).toMatchObject([{ key: "checklist_evidence_weak" }])
    expect(failures[0].message).toContain(`came with the commit ${git(dir, "rev-parse", "done").slice(0, 12)}`)

    await submit(agent, planOf("out", source, "logout"), "READY_IMPL")
    git(dir, "checkout", "-qb", "mine")
    write(dir, source, "logout")
    git(dir, "commit", "-qam", "Log out")
    git(dir, "checkout", "-q", "-")
    git(dir, "merge", "-q", "mine")
    const own = { task_id: "out", data: reportOf(dir, source, "logout") }
    expect((await agent.call("complete_task", own)).body).toMatchObject({ success: true, verdict: "proven" })
    await expectReplay(dir)
  })
})
