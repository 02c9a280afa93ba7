import { existsSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { connect } from "./mcpClient.ts"
import { project, proofline } from "./proofline.ts"
import { expectReplay, newestLog, planOf, refused, reportOf, submit, taken, write } from "./sessionStage.ts"

const source = "src/auth.py"
const files = { [source]: "SALT = 'x'\n" }
const explored = { explored_files: [source], findings: [`${source}: there is no login`] }
const own = ".proofline/phase_contract.yml"

/** What standard error tells, one `place [code]` for each problem. */
const told = (stderr: string): ReadonlyArray<string> =>
  stderr
    .split("\n")
    .filter((line) => line.startsWith("error: "))
    .map((line) => line.replace(/^error: (?:(\S+?:\d+:\d+): )?.*\[(\w+)\]$/, "$1 $2").trim())

describe("a wrong contract file", () => {
  const broken = `name: broken
extends: fulll
start: NOWHERE
phases:
  ONE:
    kind: sumbit
    expected_payload:
      files: "list[str"
      level: "low|"
    not_empty: [filez]
    min_chars: { files: -1 }
    writes: maybe
    transitions:
      - to: TWO
        when: { flag: [quick], reached: [tries] }
    surprise: 1
limits: { tries: three }
write_targets: { existing: some }
failures:
  READY:
    checklist_evidence_line_out_of_range: "Line {lin} is too far."
`

  it("is told to the agent by every call that would begin a run, until it is mended", { timeout: 60_000 }, async () => {
    const dir = project({ ...files, [own]: broken })
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
    expect(
      (await newestLog(dir)).find(({ event_type }) => event_type === "PHASE_CONTRACT_ADOPTED").content
    ).toMatchObject({ contract: { name: "mended" } })
    // a run goes on under the contract it began with, whatever becomes of the file
    writeFileSync(Path.join(dir, own), broken)
    await agent.close()
    const again = await connect(dir)
    expect((await again.call("get_next_action")).body).toMatchObject({ phase: "EXPLORATION" })
  })

  it("given by name, is looked for where it was named, and nothing else is taken instead", async () => {
    const dir = project({ ...files, [own]: "name: mine\n" })
    const finished = await proofline(["mcp", "--contract", "other.yml"], dir)
    expect(finished).toMatchObject({ code: 2, stdout: "" })
    expect(finished.stderr).toContain("other.yml")
    expect(finished.stderr).toContain("[file_not_found]")
    expect(existsSync(Path.join(dir, ".proofline/state"))).toBe(false)
  })
})

describe("how a person wants agents to work", () => {
  it.each([
    [["--contract", "full", "--flag", "qick", "--flag", "fast"], ["flag_unknown"], "quick"],
    [["--flag", "quick"], ["flag_unknown"], "It has no flags"],
    [["--intent", "MODIFY"], ["intent_unknown"], "leave it out"],
    [["--contract", "full", "--intent", "x", "--flag", "y"], ["flag_unknown", "intent_unknown"], "IMPLEMENT"]
  ])("given %j, tells what there is, and starts nothing", async (args, codes, hint) => {
    const dir = project(files)
    const finished = await proofline(["mcp", ...args], dir)
    expect(finished).toMatchObject({ code: 2, stdout: "" })
    expect(told(finished.stderr)).toEqual(codes)
    expect(finished.stderr).toContain(hint)
    expect(existsSync(Path.join(dir, ".proofline"))).toBe(false)
  })

  it("given in proofline.yaml, holds for every run, and the command line wins", async () => {
    const text = "pull: { contract: full, intent: QUESTION, flags: [no_doc], agent: helper, gate: full }\n"
    const dir = project({ ...files, "proofline.yaml": text })
    const agent = await connect(dir)
    await submit(agent, { choice: "continue" }, "QUERY_FRAME")
    await agent.close()
    const adopted = async () => {
      const events = await newestLog(dir)
      const of = (type: string) => events.find(({ event_type }) => event_type === type)?.content
      return { ...of("PHASE_CONTRACT_ADOPTED"), agent: of("SESSION_OPENED").agent }
    }
    expect(await adopted()).toMatchObject({ intent: "QUESTION", flags: ["no_doc"], gate: "full", agent: "helper" })
    await proofline(["session", "end"], dir)
    const other = await connect(dir, {
      args: ["--intent", "MODIFY", "--flag", "quick", "--gate", "auto", "--agent", "other"]
    })
    expect((await other.call("get_next_action")).body).toMatchObject({ phase: "DOCUMENT_RESEARCH" })
    await other.close()
    expect(await adopted()).toMatchObject({ intent: "MODIFY", flags: ["quick"], gate: "auto", agent: "other" })
  })
})

/** The changes of the contract as they were asked for, word for word. */
const fragments = `READY_PLAN:
  expected_payload:
    tasks: list[{id, description, status, checklist: list[{item, status}]}]
    # Added checklist
  instruction: >-
    If .code-intel/task_planning.md exists, read it and create a task list following the guidelines.
    Each task MUST include a checklist of specific implementation items.
    Submit via submit_phase.

READY_IMPL:
  expected_payload:
    task_id: str
    checklist: list[{item, status, evidence?, reason?}]
    # Added checklist report
  instruction: >-
    Run check_write_target before modifying files.
    After implementation, report task completion with checklist status:
    - For each checklist item, set status to "done" or "skipped"
    - "done" requires evidence in strict format: <file_path>:<line> or <file_path>:<start>-<end>
    Examples: "auth.py:42", "src/services/auth.py:42-58"
    Invalid: "auth.py line 42", "line 42 in auth.py"
    - "skipped" requires reason (min 10 characters explaining why not needed)
    Submit via complete_task(task_id, data={summary, checklist}).

failures:
  READY:
    checklist_item_pending:
      error: payload_mismatch
      message: "Checklist item '{item}' is still pending. Set status to 'done' (with evidence) or 'skipped' (with reason)."
    checklist_evidence_line_out_of_range:
      error: payload_mismatch
      message: "Zeile {line} gibt es nicht; es sind {total}."
    checklist_evidence_required: "Und wo steht '{item}'?"
    unknown_task: "Wer ist {task_id}?"
    no_pending_tasks: "Nichts zu tun."
common_failures:
  field_missing: "Es fehlt {field}: {expected}."
`

describe("the contract of a project", () => {
  it("given as the fragments it was asked for with, in .code-intel, is what agents are told and refused with", {
    timeout: 120_000
  }, async () => {
    const dir = project({
      ...files,
      ".code-intel/phase_contract.yml": fragments,
      ".code-intel/task_planning.md": "# Plan\nOne task for each part.\n"
    })
    const agent = await connect(dir)
    const planned = await submit(agent, explored, "READY_PLAN")
    expect(planned).toMatchObject({
      planning_guide: "# Plan\nOne task for each part.\n",
      instruction: expect.stringMatching(/^If \.code-intel\/task_planning\.md exists, .*Submit via submit_phase\.$/s),
      expected_payload: { tasks: "list[{id, description, status, checklist: list[{item, status}]}]" }
    })
    const bad = refused(await agent.call("submit_phase", { data: {} }), "payload_mismatch")
    expect(bad.failures).toMatchObject([
      { key: "field_missing", message: expect.stringMatching(/^Es fehlt tasks: a list, list/) }
    ])
    const begun = await submit(agent, planOf("auth", source, "login", "logout", "expire"), "READY_IMPL")
    expect(begun).toMatchObject({
      instruction: expect.stringContaining('- "skipped" requires reason (min 10 characters explaining why not needed)'),
      expected_payload: { task_id: "str", checklist: "list[{item, status, evidence?, reason?}]" }
    })
    write(dir, source, "login", "logout", "expire")
    const report = reportOf(dir, source, "login", "logout", "expire")
    const [login, logout, expire] = report.checklist.map(({ item }) => item)
    const cheated = refused(
      await agent.call("complete_task", {
        task_id: "auth",
        data: {
          summary: "Done",
          checklist: [
            { item: login, status: "done", evidence: `${source}:900` },
            { item: logout, status: "done" },
            { item: expire, status: "pending" }
          ]
        }
      }),
      "payload_mismatch"
    )
    expect(cheated.failures.map(({ message }: { message: string }) => message)).toEqual([
      "Zeile 900 gibt es nicht; es sind 13.",
      `Und wo steht '${logout}'?`,
      `Checklist item '${expire}' is still pending. Set status to 'done' (with evidence) or 'skipped' (with reason).`
    ])
    const nobody = refused(
      await agent.call("complete_task", { task_id: "nobody", data: { summary: "x", checklist: [] } }),
      "payload_mismatch"
    )
    expect(nobody.message).toContain("Wer ist nobody?")
    taken(await agent.call("complete_task", { task_id: "auth", data: report }), "READY_COMPLETE")
    await agent.close()
    await expectReplay(dir)
  })

  it("given another one while a run goes on, changes nothing of that run", { timeout: 120_000 }, async () => {
    const dir = project({
      ...files,
      [own]: "phases: { READY_PLAN: { instruction: Plan. } }\nlimits: { parallel_tasks: 1 }\n"
    })
    const first = await connect(dir)
    await submit(first, explored, "READY_PLAN")
    const changed = `extends: none
start: OTHER
phases:
  OTHER: { kind: submit, instruction: Something else., next: END }
  END: { kind: end }
`
    writeFileSync(Path.join(dir, own), changed)
    expect((await first.call("get_next_action")).body).toMatchObject({ phase: "READY_PLAN", instruction: "Plan." })
    await first.kill()
    const second = await connect(dir)
    expect((await second.call("get_next_action")).body).toMatchObject({ phase: "READY_PLAN", instruction: "Plan." })
    const tasks = ["a", "b"].map((id) => ({ id, description: id, status: "pending" }))
    await submit(second, { tasks }, "READY_IMPL")
    taken(await second.call("update_task_status", { task_id: "a", status: "in_progress" }), "READY_IMPL")
    refused(await second.call("update_task_status", { task_id: "b", status: "in_progress" }), "parallel_limit")
    await second.close()
    await expectReplay(dir)
    expect((await newestLog(dir)).filter(({ event_type }) => event_type === "PHASE_CONTRACT_ADOPTED").length).toBe(1)

    await proofline(["session", "end"], dir)
    const third = await connect(dir)
    expect((await third.call("get_next_action")).body).toMatchObject({ phase: "OTHER" })
    await third.close()
  })
})

describe("validate", () => {
  it("takes both contracts that init writes, in either language, and they can be begun with", {
    timeout: 120_000
  }, async () => {
    for (const [lang, contract] of [
      ["en", "full"],
      ["ja", "default"]
    ] as const) {
      const dir = project(files)
      expect((await proofline(["init", "--lang", lang, "--contract", contract], dir)).code).toBe(0)
      expect((await proofline(["validate", own], dir)).code).toBe(0)
      const agent = await connect(dir)
      const { body } = await agent.call("get_next_action")
      expect(body.phase).toBe(contract === "full" ? "BRANCH_INTERVENTION" : "EXPLORATION")
      expect(/[\u3040-\u30ff]/.test(body.instruction)).toBe(lang === "ja")
      await agent.close()
    }
  })
})
