import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { WeakReason } from "@proofline/kernel"
import { operations } from "@proofline/plugins/operations"
import { placeholders } from "@proofline/plugins/policies/evidence"
import { agentsBlock, instructions, refusals, told } from "@proofline/plugins/told"
import { describe, expect, it } from "vitest"
import { scriptedAgent, withAgent } from "./agent.ts"
import { achieved } from "./asked.ts"
import { caller } from "./mcpClient.ts"
import { finish, isGone, project, proofline, start, until } from "./proofline.ts"
import { explored, files, newestRun, planOf, refused, source, submit } from "./sessionStage.ts"

const unset = { CLAUDE_PROJECT_DIR: "", PROOFLINE_ATTEMPT: "", PROOFLINE_TASK_ID: "", PROOFLINE_TOKEN: "" }

/** What an agent is told in a directory; a hook has its JSON on standard input. */
const prime = async (at: string, env: Readonly<Record<string, string>> = {}, ...flags: ReadonlyArray<string>) => {
  const input = JSON.stringify({ session_id: "s", hook_event_name: "SessionStart", source: "compact", cwd: at })
  const { code, stderr, stdout } = await proofline(["prime", ...flags], at, { ...unset, ...env }, input)
  expect(code, stderr).toBe(0)
  expect(stdout.split("\n").length - 1).toBeLessThanOrEqual(60)
  return { stderr, text: stdout, now: /## Now\n\n([\s\S]*?)\n\n## /.exec(stdout)?.[1] ?? "" }
}

const words = (text: string) => [...new Set(text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [])]

describe("prime", () => {
  it("given a project in which nothing is open, tells all rules that prompts and the server tell, and that nothing is", async () => {
    const dir = project({ "proofline.yaml": "workers: 2\n" })
    const { now, stderr, text } = await prime(dir)
    expect(stderr).toBe("")
    const { begin, ...rules } = told
    for (const rule of [...Object.values(rules), ...refusals]) expect(text).toContain(rule)
    expect(now).toBe("Nothing is open. The first call of get_next_action begins a run.")
    expect((await achieved(["prime"], dir)).data).toEqual({ project: dir, run: null, text })
  })

  it("speaks of no tool, and of no reason, that is not there", async () => {
    const { text } = await prime(project({ "proofline.yaml": "" }))
    const known = new Set<string>([
      ...operations.map(({ name }) => name),
      ...Object.keys(placeholders),
      ...WeakReason.literals,
      ...["expected_payload", "next_step", "file_path", "in_progress"]
    ])
    for (const told of [text, instructions, agentsBlock("init").join("\n")]) {
      expect(words(told).filter((word) => !known.has(word))).toEqual([])
    }
    for (const line of refusals) {
      for (const [, code = ""] of line.matchAll(/`([a-z_]+)`/g)) expect(known, code).toContain(code)
    }
  })

  it("given no project, prints nothing, so that a hook of all projects says nothing there", async () => {
    const dir = project({})
    expect(await prime(dir)).toMatchObject({ text: "", stderr: expect.stringContaining("proofline init") })
    expect((await achieved(["prime"], dir, unset)).data).toEqual({ project: null, run: null, text: "" })
    expect((await prime(dir, {}, "--cwd", ".")).text).toContain("## Now")
  })

  it("looks for the project where the client works, and above", async () => {
    const dir = project({ "proofline.yaml": "", "src/deep/a.txt": "", "other/b.txt": "" })
    expect((await prime(Path.join(dir, "src/deep"))).text).toContain("## Now")
    const elsewhere = project({})
    expect((await prime(elsewhere, { CLAUDE_PROJECT_DIR: Path.join(dir, "src") })).text).toContain("## Now")
  })

  it("given a session run, says where it stands, what is open, and what was refused", async () => {
    const dir = project(files)
    const agent = await caller(dir, "claude-code")
    await agent.call("get_next_action")
    const { run_id } = await newestRun(dir)
    expect((await prime(dir)).now).toBe(
      `The run ${run_id} goes on: call get_next_action now. Phase EXPLORATION is still to be handed in, with submit_phase.`
    )
    refused(await agent.call("submit_phase", { data: { explored_files: [] } }), "payload_mismatch")
    expect((await prime(dir)).now).toMatch(/^What was handed in last for EXPLORATION was refused:\n- \S/m)
    await submit(agent, explored, "READY_PLAN")
    await submit(agent, planOf("auth", source, "login", "logout"), "READY_IMPL")
    const report = {
      summary: "Wrote it",
      checklist: [{ item: `Add login() to ${source}`, status: "done", evidence: `${source}:90` }]
    }
    refused(await agent.call("complete_task", { task_id: "auth", data: report }), "payload_mismatch")
    const { now } = await prime(dir)
    expect(now).toContain(
      `The run ${run_id} goes on: call get_next_action now. In phase READY_IMPL, 1 of 1 task is open.`
    )
    expect(now).toContain(`- auth: Write login and logout in ${source}`)
    expect(now).toContain(`  - [ ] Add logout() to ${source}`)
    expect(now).toMatch(/^ {2}refused: Evidence line 90 /m)
    expect((await achieved(["prime"], dir, unset)).data).toMatchObject({ project: dir, run: run_id })
  })

  it("given more open tasks than fit, says how many lines are left out", async () => {
    const dir = project(files)
    const agent = await caller(dir, "claude-code")
    await submit(agent, explored, "READY_PLAN")
    const tasks = Array.from({ length: 30 }, (_, i) => planOf(`t${i}`, source, `f${i}`, `g${i}`).tasks[0])
    await submit(agent, { tasks }, "READY_IMPL")
    const { now } = await prime(dir)
    expect(now).toContain("30 of 30 tasks are open")
    expect(now).toMatch(/… and 78 lines more; get_my_task_progress shows every task\./)
  })

  it("given a run that Proofline drives, or did, leaves it to it, or names what goes on with it", async () => {
    const dir = project({
      "tasks.yaml": "tasks: [{ id: a, name: A, instruction: A, checklist: [Write a.txt] }]\n",
      ...scriptedAgent({ a: [{ hang: true }] })
    })
    const child = start(["run", "tasks.yaml", ...withAgent], dir)
    const hanging = Path.join(dir, "hanging")
    await until(() => existsSync(hanging) && readFileSync(hanging, "utf8") !== "")
    const { run_id } = await newestRun(dir)
    const driven = (await prime(dir)).now
    expect(driven).toContain(run_id)
    expect(driven).toContain("leave them to it")
    child.kill("SIGKILL")
    await finish(child)
    await until(() => isGone(Number(readFileSync(hanging, "utf8"))))
    expect((await prime(dir)).now).toMatch(new RegExp(`Nobody works on it: .*resume ${run_id}`))
  })

  it("given an attempt that Proofline has started, says that its prompt says all", async () => {
    const dir = project({ "proofline.yaml": "" })
    const { now } = await prime(dir, { PROOFLINE_ATTEMPT: "2", PROOFLINE_TASK_ID: "login" })
    expect(now).toMatch(/^You were started for the task login, attempt 2: your prompt says all of it/)
  })

  it.each([
    ["a log that is none", "proofline.db", "this is no database"],
    ["a directory in its place", "proofline.db/a", ""]
  ])("given %s, tells the rules all the same", async (_, name, text) => {
    const dir = project({ "proofline.yaml": "" })
    const file = Path.join(dir, ".proofline/state", name)
    mkdirSync(Path.dirname(file), { recursive: true })
    writeFileSync(file, text)
    const told = await prime(dir)
    expect(told.now).toMatch(/^What is open cannot be told: .*proofline\.db/)
    expect(told.text).not.toMatch(/\n\s+at /)
  })
})
