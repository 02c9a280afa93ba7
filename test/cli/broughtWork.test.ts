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

  it.each([
    ["merges what makes it pass, shows nothing by it", true, "incomplete"],
    ["writes what makes it pass beside a merge of something else, shows it by that", false, "completed"]
  ])("and that is verified by a command alone: that %s", async (_, isDone, status) => {
    const verifiers = 'verifiers: ["grep -q def.login src/auth.py"]\n'
    const dir = repository({ ...files, "proofline.yaml": verifiers })
    git(dir, "checkout", "-qb", "done")
    write(dir, source, isDone ? "login" : "other")
    git(dir, "commit", "-qam", "Log in")
    git(dir, "checkout", "-q", "main")
    const agent = await caller(dir, "ann")
    await submit(agent, explored, "READY_PLAN")
    await submit(agent, { tasks: [{ id: "auth", description: "Log in", status: "pending" }] }, "READY_IMPL")
    git(dir, "merge", "-q", "--no-ff", "-m", "Merge", "done")
    if (!isDone) write(dir, source, "login")
    for (const to of ["in_progress", "done"]) {
      await agent.call("update_task_status", { task_id: "auth", status: to })
    }
    await submit(agent, { summary: "Login" }, "POST_IMPL_VERIFY")
    await submit(agent, {}, "DONE")
    if (isDone) {
      const { missing } = refused(await agent.call("report_completed", { result: "success" }), "not_proven")
      expect(missing).toContainEqual(expect.objectContaining({ task_id: "auth", reason: "by_word" }))
    }
    const { body } = await agent.call("report_completed", { result: "success" })
    expect(body).toMatchObject({ success: true, run_status: status })
    await expectReplay(dir)
  })
})
