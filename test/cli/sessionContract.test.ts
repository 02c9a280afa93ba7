import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { type Caller, caller, connect } from "./mcpClient.ts"
import { project, proofline } from "./proofline.ts"
import {
  expectReplay,
  explored,
  files,
  git,
  newestLog,
  newestRun,
  planOf,
  refused,
  reportOf,
  repository,
  source,
  submit,
  taken,
  write
} from "./sessionStage.ts"

const own = ".proofline/phase_contract.yml"
const fixture = (name: string): string =>
  readFileSync(new URL(`fixtures/${name}.phase_contract.yml`, import.meta.url), "utf8")

/** What standard error tells, one `place [code]` for each problem. */
const told = (stderr: string): ReadonlyArray<string> =>
  stderr
    .split("\n")
    .filter((line) => line.startsWith("error: "))
    .map((line) => line.replace(/^error: (?:(\S+?:\d+:\d+): )?.*\[(\w+)\]$/, "$1 $2").trim())

const adopted = async (dir: string) =>
  (await newestLog(dir)).find(({ event_type }) => event_type === "PHASE_CONTRACT_ADOPTED").content

describe("how a person wants agents to work", () => {
  it("given in a wrong file, is told to the agent by every call that would begin a run, until it is mended", async () => {
    const dir = project({ ...files, [own]: fixture("broken") })
    const agent = await connect(dir)
    expect((await agent.client.listTools()).tools.length).toBeGreaterThan(7)
    for (const tool of ["get_next_action", "get_my_task"]) {
      const said = refused(await agent.call(tool), "value_not_allowed")
      for (const place of ["2:10", "8:23", "14:13"]) expect(said.message).toContain(`${own}:${place}: `)
      expect(said.message).toContain("[notation_invalid]")
      expect(said.open).toContain(`${own}:2:10`)
      expect(said.next_step).toContain("the next call reads it again")
    }
    // people are told where the server was started
    expect(told(agent.stderr()).length).toBeGreaterThan(10)
    writeFileSync(Path.join(dir, own), "name: mended\n")
    expect((await agent.call("get_next_action")).body).toMatchObject({ phase: "EXPLORATION" })
    expect(await adopted(dir)).toMatchObject({ contract: { name: "mended" } })
    // a run goes on under the contract it began with, whatever becomes of the file
    writeFileSync(Path.join(dir, own), fixture("broken"))
    await agent.close()
    const again = await connect(dir)
    expect((await again.call("get_next_action")).body).toMatchObject({ phase: "EXPLORATION" })
  })

  it("given wrongly, is told what there is, and starts nothing", async () => {
    // nothing else is taken instead of what was named
    const dir = project({ ...files, ".code-intel/phase_contract.yml": "name: mine\n" })
    for (const [args, codes, hint] of [
      [["--agent", ""], ["agent_name_invalid"], ""],
      [["--contract", "other.yml"], ["other.yml:1:1 file_not_found"], "other.yml"],
      [["--contract", "full", "--flag", "qick", "--flag", "fast"], ["flag_unknown"], "quick"],
      [["--flag", "quick"], ["flag_unknown"], "It has no flags"],
      [["--intent", "MODIFY"], ["intent_unknown"], "leave it out"],
      [["--contract", "full", "--intent", "x", "--flag", "y"], ["flag_unknown", "intent_unknown"], "IMPLEMENT"]
    ] as const) {
      const finished = await proofline(["mcp", ...args], dir)
      expect(finished).toMatchObject({ code: 2, stdout: "" })
      expect(told(finished.stderr)).toEqual(codes)
      expect(finished.stderr).toContain(hint)
    }
    expect(existsSync(Path.join(dir, ".proofline"))).toBe(false)
  })

  it("given in proofline.yaml, holds for every run, and the command line wins", async () => {
    const text = "pull: { contract: full, intent: QUESTION, flags: [no_doc], agent: helper, gate: full }\n"
    const dir = project({ ...files, "proofline.yaml": text })
    const agent = await connect(dir)
    await submit(agent, { choice: "continue" }, "QUERY_FRAME")
    await agent.close()
    const opened = async () =>
      (await newestLog(dir)).find(({ event_type }) => event_type === "SESSION_OPENED").content.agent
    expect(await adopted(dir)).toMatchObject({ intent: "QUESTION", flags: ["no_doc"], gate: "full" })
    expect(await opened()).toBe("helper")
    await proofline(["session", "end"], dir)
    const args = ["--intent", "MODIFY", "--flag", "quick", "--gate", "auto", "--agent", "other"]
    const other = await connect(dir, { args })
    expect((await other.call("get_next_action")).body).toMatchObject({ phase: "DOCUMENT_RESEARCH" })
    await other.close()
    expect(await adopted(dir)).toMatchObject({ intent: "MODIFY", flags: ["quick"], gate: "auto" })
    expect(await opened()).toBe("other")
  })

  it("given as the fragments it was asked for with, in .code-intel, is what agents are told and refused with", async () => {
    const guide = "# Plan\nOne task for each part.\n"
    const dir = project({
      ...files,
      ".code-intel/phase_contract.yml": fixture("asked-for"),
      ".code-intel/task_planning.md": guide
    })
    const agent = await caller(dir, "ann")
    expect(await submit(agent, explored, "READY_PLAN")).toMatchObject({
      planning_guide: guide,
      instruction: expect.stringMatching(/^If \.code-intel\/task_planning\.md exists, .*Submit via submit_phase\.$/s),
      expected_payload: { tasks: "list[{id, description, status, checklist: list[{item, status}]}]" }
    })
    const bad = refused(await agent.call("submit_phase", { data: {} }), "payload_mismatch")
    const missing = expect.stringMatching(/^Es fehlt tasks: a list, list/)
    expect(bad.failures).toMatchObject([{ key: "field_missing", message: missing }])
    const names = ["login", "logout", "expire"]
    expect(await submit(agent, planOf("auth", source, ...names), "READY_IMPL")).toMatchObject({
      instruction: expect.stringContaining('- "skipped" requires reason (min 10 characters explaining why not needed)'),
      expected_payload: { task_id: "str", checklist: "list[{item, status, evidence?, reason?}]" }
    })
    write(dir, source, ...names)
    const report = reportOf(dir, source, ...names)
    const [login, logout, expire] = report.checklist.map(({ item }) => item)
    const checklist = [
      { item: login, status: "done", evidence: `${source}:900` },
      { item: logout, status: "done" },
      { item: expire, status: "pending" }
    ]
    const cheat = { task_id: "auth", data: { summary: "Done", checklist } }
    const cheated = refused(await agent.call("complete_task", cheat), "payload_mismatch")
    expect(cheated.failures.map(({ message }: { message: string }) => message)).toEqual([
      "Zeile 900 gibt es nicht; es sind 13.",
      `Und wo steht '${logout}'?`,
      `Checklist item '${expire}' is still pending. Set status to 'done' (with evidence) or 'skipped' (with reason).`
    ])
    const nobody = await agent.call("complete_task", { ...cheat, task_id: "nobody" })
    expect(refused(nobody, "payload_mismatch").message).toContain("Wer ist nobody?")
    taken(await agent.call("complete_task", { task_id: "auth", data: report }), "READY_COMPLETE")
    await expectReplay(dir)
  })

  it("given anew while a run goes on, changes nothing of that run", async () => {
    const plan = "phases: { READY_PLAN: { instruction: Plan. } }\nlimits: { parallel_tasks: 1 }\n"
    const dir = project({ ...files, [own]: plan })
    const first = await caller(dir, "first")
    await submit(first, explored, "READY_PLAN")
    const other = "phases: { OTHER: { kind: submit, instruction: Something else., next: END }, END: { kind: end } }"
    writeFileSync(Path.join(dir, own), `extends: none\nstart: OTHER\n${other}\n`)
    const second = await caller(dir, "second")
    const asPlanned = { phase: "READY_PLAN", instruction: "Plan." }
    for (const one of [first, second]) expect((await one.call("get_next_action")).body).toMatchObject(asPlanned)
    const tasks = ["a", "b"].map((id) => ({ id, description: id, status: "pending" }))
    await submit(second, { tasks }, "READY_IMPL")
    taken(await second.call("update_task_status", { task_id: "a", status: "in_progress" }), "READY_IMPL")
    refused(await second.call("update_task_status", { task_id: "b", status: "in_progress" }), "parallel_limit")
    await expectReplay(dir)
    expect((await newestLog(dir)).filter(({ event_type }) => event_type === "PHASE_CONTRACT_ADOPTED").length).toBe(1)

    await proofline(["session", "end"], dir)
    const third = await caller(dir, "third")
    expect((await third.call("get_next_action")).body).toMatchObject({ phase: "OTHER" })
  })
})

describe("the full contract", () => {
  const project = () =>
    repository({
      ...files,
      "src/routes.py": "import auth\n",
      "README.md": "# Auth\n",
      "verify.sh": "#!/bin/sh\ntest -e broken && { echo 'sessions never expire'; exit 1; }\nexit 0\n",
      "proofline.yaml": 'verifiers: ["sh verify.sh"]\n'
    })
  const start = (dir: string, ...flags: ReadonlyArray<string>) =>
    connect(dir, { args: ["--contract", "full", ...flags] })

  const frame = { action_type: "add", target_symbols: ["login"] }
  const reason = "All of it was read and is understood"
  const handedIn = (agent: Caller, data: unknown) => agent.call("submit_phase", { data })
  const mayWrite = async (agent: Caller, file_path = source) =>
    (await agent.call("check_write_target", { file_path })).body

  /** Hands in one phase after the other, each with what it is refused for before. */
  const walk = async (
    agent: Caller,
    steps: ReadonlyArray<readonly [data: Record<string, unknown>, phase: string, wrong?: unknown, failure?: object]>
  ): Promise<void> => {
    for (const [data, phase, wrong, failure] of steps) {
      if (wrong !== undefined) {
        const { failures } = refused(await handedIn(agent, wrong), "payload_mismatch")
        expect(failures).toEqual([expect.objectContaining(failure ?? {})])
      }
      await submit(agent, data, phase)
    }
  }

  /** Shows what was done for a task. */
  const show = async (agent: Caller, dir: string, task_id: string): Promise<void> =>
    taken(await agent.call("complete_task", { task_id, data: reportOf(dir, source, task_id) }), "READY_COMPLETE")

  /** Plans a task, does it and shows it. */
  const build = async (agent: Caller, dir: string, name: string): Promise<void> => {
    await submit(agent, planOf(name, source, name), "READY_IMPL")
    expect(await mayWrite(agent)).toMatchObject({ allowed: true })
    write(dir, source, name)
    await show(agent, dir, name)
  }

  const leave = async (agent: Awaited<ReturnType<typeof start>>, dir: string): Promise<void> => {
    taken(await agent.call("report_completed", { result: "success", summary: "Login" }), "DONE")
    await agent.close()
    expect(agent.stderr()).toBe("")
    expect(await newestRun(dir)).toMatchObject({ kind: "session", status: "completed" })
    await expectReplay(dir)
  }

  it("given a change, goes through every phase to the merge, with what is wrong sent back on the way", async () => {
    const dir = project()
    const agent = await start(dir, "--intent", "MODIFY")
    const first = { action: "submit_phase", phase: "BRANCH_INTERVENTION" }
    expect((await agent.call("get_next_action")).body).toMatchObject(first)
    const ofChoice = { key: "field_invalid", fields: expect.objectContaining({ field: "choice" }) }
    // what turned out to be wrong is a result too
    const hypothesis = { hypothesis: "routes.py calls login()", result: false, evidence: "src/routes.py:1" }
    await walk(agent, [
      [{ choice: "continue" }, "DOCUMENT_RESEARCH", { choice: "burn" }, ofChoice],
      [{ documents_reviewed: ["README.md: nothing about it"] }, "QUERY_FRAME", { documents_reviewed: [] }],
      [{ ...frame, desired_action: { value: "log in", quote: "add login" } }, "EXPLORATION"],
      [explored, "Q1"],
      // as a text, as some clients send it
      [
        { needs_more_information: "true", reason },
        "SEMANTIC",
        { needs_more_information: true, reason: "   short   " },
        { key: "field_too_short" }
      ],
      [{ search_query: "sign in", search_results: ["src/routes.py: imports auth"] }, "Q2"],
      [{ has_unverified_hypotheses: true, reason }, "VERIFICATION"],
      [{ hypotheses_verified: [hypothesis], explored_files: ["src/routes.py"] }, "Q3"],
      [{ needs_impact_analysis: true, reason }, "IMPACT_ANALYSIS"],
      [{ impact_summary: { "src/routes.py": "not affected" } }, "READY_PLAN", { impact_summary: {} }]
    ])

    // nothing is written before it is planned
    expect(await mayWrite(agent)).toMatchObject({ allowed: false })
    await submit(agent, planOf("login", source, "login"), "READY_IMPL")
    write(dir, source, "login")
    const report = { task_id: "login", data: reportOf(dir, source, "login") }
    const unasked = refused(await agent.call("complete_task", report), "payload_mismatch")
    expect(unasked.failures).toMatchObject([{ key: "write_target_not_checked", fields: { file_path: source } }])
    expect(await mayWrite(agent, "verify.sh")).toMatchObject({ allowed: false })
    // asking after the writing is too late: it is put back and written again
    const late = await mayWrite(agent)
    expect(late).toMatchObject({ allowed: false })
    expect(JSON.stringify(late)).toContain("write_target_late")
    git(dir, "checkout", "-q", "--", source)
    expect(await mayWrite(agent)).toMatchObject({ allowed: true })
    write(dir, source, "login")
    await show(agent, dir, "login")
    await walk(agent, [
      [{ summary: "There is a login" }, "POST_IMPL_VERIFY"],
      [{}, "PRE_COMMIT"]
    ])

    git(dir, "switch", "-qc", "proofline/login")
    git(dir, "add", ".")
    git(dir, "commit", "-qm", "Add login")
    const discard = { path: "debug.log", decision: "discard" }
    const reviewed = [source, { ...discard, reason: "left over from a try" }]
    await walk(agent, [
      [
        { reviewed_files: reviewed, commit_message: "Add login" },
        "QUALITY_REVIEW",
        { reviewed_files: [discard], commit_message: "x" }
      ],
      [{ quality_score: 60, issues: [`${source}:3: nobody can log out`] }, "READY_PLAN"]
    ])

    // the second round: what is done stays done
    await build(agent, dir, "logout")
    await walk(agent, [
      [{ summary: "And a logout" }, "POST_IMPL_VERIFY"],
      [{}, "PRE_COMMIT"]
    ])
    git(dir, "commit", "-qam", "Add logout")
    await walk(agent, [
      [{ reviewed_files: [source], commit_message: "Add logout" }, "QUALITY_REVIEW"],
      [{ quality_score: 95, issues: [] }, "MERGE"]
    ])

    const branched = refused(await handedIn(agent, {}), "verification_failed")
    expect(JSON.stringify(branched.verification)).toContain("Still on the branch of the work.")
    expect(branched.phase).toBe("MERGE")
    git(dir, "switch", "-q", "main")
    git(dir, "merge", "-q", "--no-ff", "-m", "Merge login", "proofline/login")
    writeFileSync(Path.join(dir, "left.txt"), "x")
    const dirty = refused(await handedIn(agent, {}), "verification_failed")
    expect(JSON.stringify(dirty.verification)).toContain("left.txt")
    rmSync(Path.join(dir, "left.txt"))
    await walk(agent, [
      [{ summary: "Merged" }, "MERGED_VERIFY"],
      [{}, "DONE"]
    ])
    await leave(agent, dir)

    const known = await adopted(dir)
    expect(known).toMatchObject({ intent: "MODIFY", gate: "auto", flags: [], contract: { name: "full" } })
    const walked = (await newestLog(dir)).flatMap(({ content, event_type }) =>
      event_type === "PHASE_ENTERED" ? [content.phase] : []
    )
    const never = Object.keys(known.contract.phases).filter((name) => !walked.includes(name))
    expect(never.sort()).toEqual([
      "MERGE_DECISION",
      "QUALITY_DECISION",
      "STOPPED",
      "USER_ESCALATION",
      "VERIFY_INTERVENTION"
    ])
  })

  it("given that the verification fails again and again, steps back, asks a person, and goes on as they say", async () => {
    const dir = project()
    const agent = await start(dir, "--flag", "fast", "--flag", "no_doc")
    await walk(agent, [
      [{ choice: "continue" }, "QUERY_FRAME"],
      [frame, "READY_PLAN"]
    ])
    await build(agent, dir, "login")
    writeFileSync(Path.join(dir, "broken"), "")
    const again = async () => {
      await submit(agent, planOf("login", source, "login"), "READY_IMPL")
      await show(agent, dir, "login")
    }
    /** From the first failure of a count of three. */
    const failThrice = async () => {
      for (const phase of ["READY_PLAN", "READY_PLAN", "VERIFY_INTERVENTION"]) {
        await submit(agent, { summary: "Login" }, "POST_IMPL_VERIFY")
        const said = refused(await handedIn(agent, {}), "verification_failed")
        expect(said.phase).toBe(phase)
        expect(JSON.stringify(said.verification)).toContain("sessions never expire")
        if (phase === "READY_PLAN") await again()
      }
    }
    const stepBack = { prompt_used: "step_back", action_taken: "Read the output again" }
    await failThrice()
    await walk(agent, [[stepBack, "READY_PLAN", { ...stepBack, action_taken: " " }]])
    // the count begins anew
    await again()
    await failThrice()
    const asked = await submit(agent, stepBack, "USER_ESCALATION")
    expect(asked).toMatchObject({ needs_person: true, expected_payload: {} })
    const unasked = refused(await handedIn(agent, { answer: "continue" }), "person_required")
    expect(unasked).toMatchObject({ needs_person: true, message: expect.stringContaining("USER_ESCALATION") })
    expect(await mayWrite(agent)).toMatchObject({ allowed: false })
    expect((await agent.call("get_next_action")).body).toMatchObject({ action: "ask_user", needs_person: true })

    const answered = await proofline(["answer", "continue", "--comment", "The clock is wrong"], dir)
    expect(answered.code, answered.stderr).toBe(0)
    expect(answered.stdout).toContain("READY_PLAN")
    const next = (await agent.call("get_next_action")).body
    expect(next).toMatchObject({ phase: "READY_PLAN", needs_person: false })
    expect(JSON.stringify(next)).toContain("The clock is wrong")
    rmSync(Path.join(dir, "broken"))
    await again()
    await walk(agent, [
      [{ summary: "Login" }, "POST_IMPL_VERIFY"],
      [{}, "PRE_COMMIT"]
    ])
    git(dir, "commit", "-qam", "Add login")
    await walk(agent, [
      [{ reviewed_files: [source], commit_message: "Add login" }, "MERGE"],
      [{}, "MERGED_VERIFY"],
      [{}, "DONE"]
    ])
    await leave(agent, dir)
  })
})
