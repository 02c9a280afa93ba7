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

  it("given attempts whose claims are refused as before, then it tells what is new, and how many are not", async () => {
    const items = ["w is there", "x is there", "y is there"]
    const claims = (file: string) => ({
      report: done(Object.fromEntries(items.map((item, i) => [item, i === 0 ? file : `none${i}.txt:1`])))
    })
    const task = { id: "a", name: "A", instruction: "Write.", checklist: items }
    const script = { a: [claims("none.txt:1"), claims("other.txt:1"), claims("other.txt:1")] }
    const dir = project({ ...scriptedAgent(script), "tasks.yaml": JSON.stringify({ tasks: [task] }) })
    const args = [
      "--agent",
      "command",
      "--agent-command",
      "node agent.mjs",
      "--max-retries",
      "2",
      "--retry-delay",
      "0s"
    ]
    const run = await asked(["run", "tasks.yaml", ...args], dir)
    const told = run.stderr.split("\n").filter((line) => line.includes("✘ refused"))
    expect(told.map((line) => line.replace(/^.*refused /, "").slice(0, 40))).toEqual([
      ...items.map((item) => expect.stringContaining(item)),
      expect.stringContaining("w is there"),
      "the same 2 refusals as in attempt 1",
      "the same 3 refusals as in attempts 1, 2"
    ])
  })
})
