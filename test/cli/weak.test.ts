import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { done, type Script, scriptedAgent, withAgent } from "./agent.ts"
import { documentOf, eventsOf, project, proofline } from "./proofline.ts"

const tasks = (...items: ReadonlyArray<string>) => `
tasks:
  - id: add
    name: Add
    instruction: Write add().
    checklist: [${items.join(", ")}]
`
const before = "export const one = () => {\n  return 1\n}\n"
const after = `${before}export const add = (a, b) => {\n  return a + b\n}\n`
const accepting = (reason: string) => ({ "proofline.yaml": `proof: { accept: [${reason}] }\n` })

/** A repository with add.js and everything else committed. */
const repository = (script: Script, files: Readonly<Record<string, string>>) => {
  const dir = project({ "add.js": before, ".gitignore": "calls.ndjson\n", ...files, ...scriptedAgent(script) })
  const git = (...words: ReadonlyArray<string>) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...words], { cwd: dir }).toString()
  git("init", "-q")
  git("add", "-A")
  git("commit", "-q", "-m", "first")
  return { dir, head: git("rev-parse", "HEAD").trim(), git }
}

const run = (dir: string, ...words: ReadonlyArray<string>) =>
  proofline(["run", "tasks.yaml", ...withAgent, "--max-retries", "0", ...words], dir)

describe("given a repository and an agent that cites code of before the run", () => {
  const script: Script = {
    add: [{ files: { "add.js": after }, report: done({ Old: "add.js:1-3", New: "add.js:4-6" }) }]
  }

  it("when the user accepts that, then the item counts as done, and is said to be weak", async () => {
    const { dir, git, head } = repository(script, { "tasks.yaml": tasks("Old", "New"), ...accepting("untouched") })
    const finished = await run(dir, "--json")
    expect(finished.code, finished.stderr).toBe(0)
    const { data } = documentOf(finished)
    expect(data.tasks[0].checklist).toMatchObject([
      { item: "Old", verdict: "weak", weak: ["untouched"] },
      { item: "New", verdict: "proven", weak: [] }
    ])
    expect(data).toMatchObject({ status: "completed", verdict: "weak", counts: { proven: 1, weak: 1 } })
    expect(finished.stderr).toContain("weak: None of these lines was changed since the run began.")
    const events = await eventsOf(data.run_id, dir)
    expect(events[0].content.base).toEqual({
      commit: head,
      snapshot: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: expect.any(Number) }
    })
    expect(git("status", "--porcelain", "--ignored")).toBe(" M add.js\n!! .proofline/\n!! calls.ndjson\n")
    const shown = await proofline(["history", "--show", data.run_id], dir)
    expect(shown.stdout).toContain("\n        weak: None of these lines was changed since the run began.")
    expect((await proofline(["replay", data.run_id], dir)).code).toBe(0)
  })

  it("when a run is resumed, then what is accepted is what the file says today, and the base is that of the run", async () => {
    const { dir, git, head } = repository(script, { "tasks.yaml": tasks("Old", "New") })
    const first = documentOf(await run(dir, "--json")).data
    expect(first.status).not.toBe("completed")
    git("commit", "-q", "-a", "-m", "second")
    writeFileSync(Path.join(dir, "proofline.yaml"), accepting("untouched")["proofline.yaml"])
    const resumed = await proofline(["resume", first.run_id, "--json"], dir)
    expect(resumed.code, resumed.stderr).toBe(0)
    expect(documentOf(resumed).data.tasks[0].checklist).toMatchObject([
      { item: "Old", weak: ["untouched"] },
      { item: "New", weak: [] }
    ])
    const events = await eventsOf(first.run_id, dir)
    expect(events[0].content.base.commit).toBe(head)
    expect(events.find(({ event_type }) => event_type === "RUN_RESUMED").content.config.proof.accept).toEqual([
      "untouched"
    ])
  })
})
