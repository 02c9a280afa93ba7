import { describe, expect, it } from "vitest"
import { done, scriptedAgent } from "./agent.ts"
import { asked } from "./asked.ts"
import { project } from "./proofline.ts"

describe("what a run says on stderr where nobody sits at a terminal", () => {
  it.each([
    ["with a checklist", ["a.txt says one"], "proven"],
    ["without one", undefined, "attempt 1"]
  ])("given a task %s, then its checks are named before they run, once each", async (_, checklist, before) => {
    const script = {
      a: [{ files: { "a.txt": "one\n" }, report: done(checklist ? { [checklist[0] ?? ""]: "a.txt:1" } : {}) }]
    }
    const task = {
      id: "a",
      name: "A",
      instruction: "Write one into a.txt.",
      checks: ["test -e a.txt", "true"],
      checklist
    }
    const dir = project({ ...scriptedAgent(script), "tasks.yaml": JSON.stringify({ tasks: [task] }) })
    const run = await asked(["run", "tasks.yaml", "--agent", "command", "--agent-command", "node agent.mjs"], dir)
    const lines = run.stderr.split("\n").filter((line) => / a: /.test(line))
    const at = lines.findIndex((line) => line.endsWith("a: runs `test -e a.txt`, `true`"))
    expect(at, run.stderr).toBeGreaterThan(0)
    expect(lines.filter((line) => line.includes("a: runs"))).toHaveLength(1)
    expect(lines[at - 1]).toContain(before)
    expect(lines[at + 1]).toMatch(/checks? (?:passed|failed)/)
  })
})
