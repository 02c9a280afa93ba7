import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { done, scriptedAgent, withAgent } from "./agent.ts"
import { documentOf, eventsOf, project, proofline } from "./proofline.ts"

const tasks = `
tasks:
  - id: add
    name: Add
    instruction: Write add().
    checks: ["true"]
    checklist: [Added]
`

const gitIn = (dir: string, ...words: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...words], { cwd: dir }).toString()

describe("given work that was done and committed before the run", () => {
  it("when the commit before it is named with --base, then the work counts as work of the run", async () => {
    const agent = scriptedAgent({ add: [{ files: {}, report: done({ Added: "add.js:1-3" }) }] })
    const dir = project({ "other.js": "export const one = 1\n", "tasks.yaml": tasks, ...agent })
    gitIn(dir, "init", "-q")
    gitIn(dir, "add", "-A")
    gitIn(dir, "commit", "-q", "-m", "first")
    const first = gitIn(dir, "rev-parse", "HEAD").trim()
    writeFileSync(Path.join(dir, "add.js"), "export const add = (a, b) => {\n  return a + b\n}\n")
    gitIn(dir, "add", "add.js")
    gitIn(dir, "commit", "-q", "-m", "second")
    const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--base", "HEAD~1", "--json"], dir)
    expect(finished.code, finished.stderr).toBe(0)
    const { data } = documentOf(finished)
    expect(data.tasks[0].checklist).toMatchObject([{ verdict: "proven", weak: [] }])
    const [started] = await eventsOf(data.run_id, dir)
    expect(started.content.base).toMatchObject({ commit: first, ref: "HEAD~1" })
  })
})

describe("given a --base that means no commit", () => {
  it("then nothing is started, with a code that says why", async () => {
    const dir = project({ "tasks.yaml": tasks, "requirements.yaml": "", ...scriptedAgent({}) })
    const inNoRepository = await proofline(["run", "tasks.yaml", ...withAgent, "--base", "main", "--json"], dir)
    expect(inNoRepository.code).toBe(2)
    expect(documentOf(inNoRepository).data.problems).toMatchObject([{ code: "base_no_repository" }])
    gitIn(dir, "init", "-q")
    for (const words of [
      ["run", "tasks.yaml", ...withAgent, "--json"],
      ["chunk", "Do it", ...withAgent, "--json"],
      ["mcp"]
    ]) {
      const refused = await proofline([...words, "--base", "nothing"], dir)
      expect(refused.code, refused.stderr).toBe(2)
      expect(refused.stderr).toContain("base_unknown")
    }
  })
})
