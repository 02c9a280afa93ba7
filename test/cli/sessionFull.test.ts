import { rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { type Connected, connect } from "./mcpClient.ts"
import { proofline } from "./proofline.ts"
import {
  expectReplay,
  git,
  newestLog,
  newestRun,
  planOf,
  refused,
  reportOf,
  repository,
  submit,
  taken,
  write
} from "./sessionStage.ts"

const source = "src/auth.py"
const files = {
  [source]: "SALT = 'x'\n",
  "src/routes.py": "import auth\n",
  "README.md": "# Auth\n",
  "verify.sh": "#!/bin/sh\necho run >> verified\ntest -e broken && { echo 'sessions never expire'; exit 1; }\nexit 0\n",
  "proofline.yaml": 'verifiers: ["sh verify.sh"]\n'
}
const full = (...flags: ReadonlyArray<string>) => ({
  args: ["--contract", "full", ...flags]
})

const frame = { action_type: "add", target_symbols: ["login"] }
const explored = { explored_files: [source], findings: [`${source}: there is no login`] }
const reason = "All of it was read and is understood"

/** Plans a task, does it and shows it. */
const build = async (agent: Connected, dir: string, id: string, ...names: ReadonlyArray<string>): Promise<void> => {
  await submit(agent, planOf(id, source, ...names), "READY_IMPL")
  expect((await agent.call("check_write_target", { file_path: source })).body).toMatchObject({ allowed: true })
  write(dir, source, ...names)
  taken(await agent.call("complete_task", { task_id: id, data: reportOf(dir, source, ...names) }), "READY_COMPLETE")
}

const phasesOf = async (dir: string): Promise<ReadonlyArray<string>> =>
  (await newestLog(dir)).filter(({ event_type }) => event_type === "PHASE_ENTERED").map(({ content }) => content.phase)

const leave = async (agent: Connected, dir: string, status: string, result = "success"): Promise<void> => {
  taken(await agent.call("report_completed", { result, summary: "Login" }), result === "success" ? "DONE" : "STOPPED")
  await agent.close()
  expect(agent.stderr()).toBe("")
  expect(await newestRun(dir)).toMatchObject({ kind: "session", status })
  await expectReplay(dir)
}

describe("the full contract", () => {
  it("given a change, goes through every phase to the merge, with what is wrong sent back on the way", {
    timeout: 120_000
  }, async () => {
    const dir = repository(files)
    const agent = await connect(dir, full("--intent", "MODIFY"))
    expect((await agent.call("get_next_action")).body).toMatchObject({
      action: "submit_phase",
      phase: "BRANCH_INTERVENTION"
    })
    expect(
      refused(await agent.call("submit_phase", { data: { choice: "burn" } }), "payload_mismatch").failures
    ).toEqual([expect.objectContaining({ key: "field_invalid", fields: expect.objectContaining({ field: "choice" }) })])
    await submit(agent, { choice: "continue" }, "DOCUMENT_RESEARCH")
    refused(await agent.call("submit_phase", { data: { documents_reviewed: [] } }), "payload_mismatch")
    await submit(agent, { documents_reviewed: ["README.md: nothing about it"] }, "QUERY_FRAME")
    await submit(agent, { ...frame, desired_action: { value: "log in", quote: "add login" } }, "EXPLORATION")
    await submit(agent, explored, "Q1")
    expect(
      refused(
        await agent.call("submit_phase", { data: { needs_more_information: true, reason: "   short   " } }),
        "payload_mismatch"
      ).failures
    ).toEqual([expect.objectContaining({ key: "field_too_short" })])
    // as a text, as some clients send it
    await submit(agent, { needs_more_information: "true", reason }, "SEMANTIC")
    await submit(agent, { search_query: "sign in", search_results: ["src/routes.py: imports auth"] }, "Q2")
    await submit(agent, { has_unverified_hypotheses: true, reason }, "VERIFICATION")
    // what turned out to be wrong is a result too
    const hypothesis = { hypothesis: "routes.py calls login()", result: false, evidence: "src/routes.py:1" }
    await submit(agent, { hypotheses_verified: [hypothesis], explored_files: ["src/routes.py"] }, "Q3")
    await submit(agent, { needs_impact_analysis: true, reason }, "IMPACT_ANALYSIS")
    refused(await agent.call("submit_phase", { data: { impact_summary: {} } }), "payload_mismatch")
    await submit(agent, { impact_summary: { "src/routes.py": "not affected" } }, "READY_PLAN")

    // nothing is written before it is planned
    const early = await agent.call("check_write_target", { file_path: source })
    expect(early.body).toMatchObject({ allowed: false })
    await submit(agent, planOf("login", source, "login"), "READY_IMPL")
    write(dir, source, "login")
    const report = { task_id: "login", data: reportOf(dir, source, "login") }
    const unasked = refused(await agent.call("complete_task", report), "payload_mismatch")
    expect(unasked.failures).toMatchObject([{ key: "write_target_not_checked", fields: { file_path: source } }])
    expect((await agent.call("check_write_target", { file_path: "verify.sh" })).body).toMatchObject({ allowed: false })
    // asking after the writing is too late: it is put back and written again
    const late = await agent.call("check_write_target", { file_path: source })
    expect(late.body).toMatchObject({ allowed: false })
    expect(JSON.stringify(late.body)).toContain("write_target_late")
    git(dir, "checkout", "-q", "--", source)
    expect((await agent.call("check_write_target", { file_path: source })).body).toMatchObject({ allowed: true })
    write(dir, source, "login")
    taken(await agent.call("complete_task", report), "READY_COMPLETE")
    await submit(agent, { summary: "There is a login" }, "POST_IMPL_VERIFY")
    await submit(agent, {}, "PRE_COMMIT")

    git(dir, "switch", "-qc", "proofline/login")
    git(dir, "add", ".")
    git(dir, "commit", "-qm", "Add login")
    const discard = [{ path: "debug.log", decision: "discard" }]
    refused(
      await agent.call("submit_phase", { data: { reviewed_files: discard, commit_message: "x" } }),
      "payload_mismatch"
    )
    const reviewed = [source, { path: "debug.log", decision: "discard", reason: "left over from a try" }]
    await submit(agent, { reviewed_files: reviewed, commit_message: "Add login" }, "QUALITY_REVIEW")
    await submit(agent, { quality_score: 60, issues: [`${source}:3: nobody can log out`] }, "READY_PLAN")

    // the second round: what is done stays done
    await build(agent, dir, "logout", "logout")
    await submit(agent, { summary: "And a logout" }, "POST_IMPL_VERIFY")
    await submit(agent, {}, "PRE_COMMIT")
    git(dir, "commit", "-qam", "Add logout")
    await submit(agent, { reviewed_files: [source], commit_message: "Add logout" }, "QUALITY_REVIEW")
    await submit(agent, { quality_score: 95, issues: [] }, "MERGE")

    const branched = refused(await agent.call("submit_phase", { data: {} }), "verification_failed")
    expect(JSON.stringify(branched.verification)).toContain("Still on the branch of the work.")
    expect(branched.phase).toBe("MERGE")
    git(dir, "switch", "-q", "main")
    git(dir, "merge", "-q", "--no-ff", "-m", "Merge login", "proofline/login")
    writeFileSync(Path.join(dir, "left.txt"), "x")
    const dirty = refused(await agent.call("submit_phase", { data: {} }), "verification_failed")
    expect(JSON.stringify(dirty.verification)).toContain("left.txt")
    rmSync(Path.join(dir, "left.txt"))
    await submit(agent, { summary: "Merged" }, "MERGED_VERIFY")
    await submit(agent, {}, "DONE")
    await leave(agent, dir, "completed")

    const known = (await newestLog(dir)).find(({ event_type }) => event_type === "PHASE_CONTRACT_ADOPTED").content
    expect(known).toMatchObject({ intent: "MODIFY", gate: "auto", flags: [], contract: { name: "full" } })
    const walked = new Set(await phasesOf(dir))
    const never = Object.keys(known.contract.phases).filter((name) => !walked.has(name))
    expect(never.sort()).toEqual([
      "MERGE_DECISION",
      "QUALITY_DECISION",
      "STOPPED",
      "USER_ESCALATION",
      "VERIFY_INTERVENTION"
    ])
  })

  it("given that the verification fails again and again, steps back, asks a person, and goes on as they say", {
    timeout: 120_000
  }, async () => {
    const dir = repository(files)
    const agent = await connect(dir, full("--flag", "fast", "--flag", "no_doc"))
    await submit(agent, { choice: "continue" }, "QUERY_FRAME")
    await submit(agent, frame, "READY_PLAN")
    await build(agent, dir, "login", "login")
    writeFileSync(Path.join(dir, "broken"), "")
    const again = async () => {
      await submit(agent, planOf("login", source, "login"), "READY_IMPL")
      taken(
        await agent.call("complete_task", { task_id: "login", data: reportOf(dir, source, "login") }),
        "READY_COMPLETE"
      )
    }
    const fail = async (phase: string) => {
      await submit(agent, { summary: "Login" }, "POST_IMPL_VERIFY")
      const said = refused(await agent.call("submit_phase", { data: {} }), "verification_failed")
      expect(said.phase).toBe(phase)
      expect(JSON.stringify(said.verification)).toContain("sessions never expire")
    }
    /** From the first failure of a count of three. */
    const failThrice = async () => {
      await fail("READY_PLAN")
      await again()
      await fail("READY_PLAN")
      await again()
      await fail("VERIFY_INTERVENTION")
    }
    const stepBack = { prompt_used: "step_back", action_taken: "Read the output again" }
    await failThrice()
    refused(await agent.call("submit_phase", { data: { ...stepBack, action_taken: " " } }), "payload_mismatch")
    await submit(agent, stepBack, "READY_PLAN")
    // the count begins anew
    await again()
    await failThrice()
    const asked = await submit(agent, stepBack, "USER_ESCALATION")
    expect(asked).toMatchObject({ needs_person: true, expected_payload: {} })
    const own = refused(await agent.call("submit_phase", { data: { answer: "continue" } }), "person_required")
    expect(own).toMatchObject({ needs_person: true, message: expect.stringContaining("USER_ESCALATION") })
    expect((await agent.call("check_write_target", { file_path: source })).body).toMatchObject({ allowed: false })
    expect((await agent.call("get_next_action")).body).toMatchObject({ action: "ask_user", needs_person: true })

    const answered = await proofline(["answer", "continue", "--comment", "The clock is wrong"], dir)
    expect(answered.code, answered.stderr).toBe(0)
    expect(answered.stdout).toContain("READY_PLAN")
    const next = (await agent.call("get_next_action")).body
    expect(next).toMatchObject({ phase: "READY_PLAN", needs_person: false })
    expect(JSON.stringify(next)).toContain("The clock is wrong")
    rmSync(Path.join(dir, "broken"))
    await again()
    await submit(agent, { summary: "Login" }, "POST_IMPL_VERIFY")
    await submit(agent, {}, "PRE_COMMIT")
    git(dir, "commit", "-qam", "Add login")
    await submit(agent, { reviewed_files: [source], commit_message: "Add login" }, "MERGE")
    await submit(agent, {}, "MERGED_VERIFY")
    await submit(agent, {}, "DONE")
    await leave(agent, dir, "completed")
  })
})
