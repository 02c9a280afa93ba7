import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { done, scriptedAgent, withAgent } from "./agent.ts"
import { achieved, asked } from "./asked.ts"
import { eventsOf, finish, project, proofline, start, until, withSources } from "./proofline.ts"

const gate = readFileSync(new URL("../../examples/plugins/two-people.ts", import.meta.url), "utf8")
const files = {
  "tasks.yaml": "tasks:\n  - { id: a, name: A, instruction: A, checks: [test -s a.txt], checklist: [Write a.txt] }\n",
  "proofline.yaml": "plugins:\n  - use: ./gate.ts\n    with: { people: 2 }\n",
  "gate.ts": withSources(gate),
  ...scriptedAgent({ a: [{ files: { "a.txt": "content\n" }, report: done({ "Write a.txt": "a.txt:1" }) }] })
}
const waits = "waits for gate approval of plugin approval"

describe("given a plugin whose gate is open and wants nothing", () => {
  it("then run, status and show say what is waited for, and people open it with an operation on that run", async () => {
    const dir = project(files)
    const run = start(["run", "tasks.yaml", ...withAgent, "--json"], dir)
    const ended = finish(run)
    let said = ""
    run.stderr?.on("data", (chunk) => (said += chunk))
    await until(() => said.includes(waits))
    expect((await proofline(["status"], dir)).stdout).toContain(`    a ${waits}\n`)
    expect((await proofline(["status", "last"], dir)).stdout).toContain(waits)
    expect((await proofline(["show"], dir)).stdout).toContain(waits)
    const held = [{ task_id: "a", gate: "approval", plugin: "approval" }]
    expect((await asked(["status"], dir)).data.runs).toMatchObject([{ held }])
    expect((await asked(["status", "last"], dir)).data).toMatchObject({ held })

    const approve = (person: string, ...more: ReadonlyArray<string>) =>
      asked(["call", "approve", JSON.stringify({ task_id: "a", person }), ...more], dir)
    const unnamed = await approve("Ada")
    expect([unnamed.code, unnamed.refused]).toEqual([2, ["token_missing"]])
    expect(unnamed.data.problems[0].hint).toContain("--run")
    const once = await approve("Ada", "--run", "last")
    expect(once).toMatchObject({ code: 0, data: { answer: { success: true, approved_by: ["Ada"] } } })
    const twice = await approve("Ada", "--run", "last")
    expect(twice).toMatchObject({ code: 1, data: { ok: false, answer: { error: "not_approvable" } } })
    await approve("Bo", "--run", "last")
    const { code, stderr } = await ended
    expect(code, stderr).toBe(0)
    expect(stderr.split(waits)).toHaveLength(2)
    expect((await proofline(["status"], dir)).stdout).not.toContain(waits)
    const { run_id } = (await asked(["status"], dir)).data.runs[0]
    expect((await eventsOf(run_id, dir)).filter(({ event_type }) => event_type === "TASK_APPROVED")).toHaveLength(2)
    await achieved(["replay"], dir)
  })

  it("then an operation of Proofline's own, and one by an agent with a token, take no run", async () => {
    const dir = project(files)
    const refused = async (command: ReadonlyArray<string>, env = {}) => (await asked(command, dir, env)).refused
    expect(await refused(["call", "get_run", "--run", "last"])).toEqual(["run_not_taken"])
    expect(await refused(["call", "approve", "--run", "last"], { PROOFLINE_TOKEN: "att_x" })).toEqual(["run_not_taken"])
    expect(await refused(["call", "approve", "--run", "last"])).toEqual(["run_unknown"])
  })
})
