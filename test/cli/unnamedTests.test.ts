import { describe, expect, it } from "vitest"
import { unnamedTestsNote } from "../../packages/cli/src/driving/unnamedTests.ts"
import { project, proofline } from "./proofline.ts"

const task = (instruction: string, item = "It works", checks: ReadonlyArray<string> = ["npm test"]) => ({
  id: "a",
  instruction,
  checks,
  checklist: [{ item }]
})

describe("the note on tests that are to change", () => {
  it.each([
    "Refuse blanks. Adapt the existing tests that expect the contrary.",
    "Rename it everywhere and update all affected tests.",
    "Fix the tests",
    "合計を修正し、テストも更新する"
  ])("given %j, then it says that checks count only with the tests as they were", (text) => {
    expect(unnamedTestsNote([task(text)])).toContain("task a asks for other tests and names no test file")
    expect(unnamedTestsNote([task("Do it.", text)])).not.toBeNull()
  })

  it.each([
    ["a named file", task("Adapt the tests in tests/test_time.py.")],
    ["new tests alone", task("Refuse blanks.", "Add tests for it")],
    ["no check", task("Adapt the tests.", "It works", [])],
    ["code that is tested", task("Change the parser and test it.")]
  ])("given %s, then nothing is said", (_, one) => {
    expect(unnamedTestsNote([one])).toBeNull()
  })

  it("is given by `validate` and before a run, and names a few of many", async () => {
    const tasks = Array.from({ length: 7 }, (_, i) => ({ ...task("Adapt the tests."), id: `t${i}`, name: "T" }))
    const dir = project({ "tasks.yaml": JSON.stringify({ tasks }) })
    const note = "note: tasks t0, t1, t2, t3, t4 and 2 more ask for other tests and name no test file"
    expect((await proofline(["validate", "tasks.yaml"], dir)).stderr).toContain(note)
    const flags = ["--agent", "command", "--agent-command", "true", "--dry-run"]
    expect((await proofline(["run", "tasks.yaml", ...flags], dir)).stderr).toContain(note)
  })
})
