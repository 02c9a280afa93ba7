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

const untouched =
  "None of these lines was changed since the run began. Cite lines that were written for this item. If the work was done before the run began, its user can say since when: `--base <commit>`. What was true before is `skipped`, with that as the reason."

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

  it("when the file was written but not committed before the run, then it is no work of the run either", async () => {
    const { dir } = repository({ add: [{ report: done({ Old: "add.js:4-6" }) }] }, { "tasks.yaml": tasks("Old") })
    writeFileSync(Path.join(dir, "add.js"), after)
    const finished = await run(dir)
    expect(finished.code).toBe(1)
    expect(finished.stdout).toContain("None of these lines was changed since the run began.")
  })

  it("when nothing is accepted, then it is refused with the reason and what would do", async () => {
    const { dir } = repository(script, { "tasks.yaml": tasks("Old", "New") })
    const finished = await run(dir, "--json")
    expect(finished.code).toBe(1)
    const { data } = documentOf(finished)
    expect(data.tasks[0].checklist).toMatchObject([
      { item: "Old", status: "pending", verdict: "refuted" },
      { item: "New", verdict: "proven", weak: [] }
    ])
    expect(data.tasks[0].checklist[0].weak).toEqual([])
    const rejected = (await eventsOf(data.run_id, dir)).filter(
      ({ event_type }) => event_type === "CHECKLIST_ITEM_REJECTED"
    )
    expect(rejected.map(({ content }) => [content.item, content.key, content.fields])).toEqual([
      ["Old", "checklist_evidence_weak", { evidence: "add.js:1-3", weakness: untouched, reasons: "untouched" }]
    ])
    expect(finished.stderr).toContain("[checklist_evidence_weak]")
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

describe("given two items with the same range", () => {
  const script: Script = {
    add: [{ files: { "add.js": after }, report: done({ One: "add.js:4-6", Two: "add.js:4-6" }) }]
  }

  it("when the user accepts that, then both are weak, also outside of a repository", async () => {
    const files = { "add.js": before, "tasks.yaml": tasks("One", "Two"), ...accepting("not_its_own") }
    const dir = project({ ...files, ...scriptedAgent(script) })
    const finished = await run(dir, "--json")
    expect(finished.code, finished.stderr).toBe(0)
    const { data } = documentOf(finished)
    expect(data.tasks[0].checklist).toMatchObject([{ weak: ["not_its_own"] }, { weak: ["not_its_own"] }])
    expect((await eventsOf(data.run_id, dir))[0].content.base.commit).toBeNull()
  })

  it("when nothing is accepted, then both are refused", async () => {
    const { dir } = repository(script, { "tasks.yaml": tasks("One", "Two") })
    const finished = await run(dir)
    expect(finished.code).toBe(1)
    expect(finished.stdout.match(/checklist_evidence_weak/g)).toHaveLength(2)
    expect(finished.stdout).toContain("Every line of it that was changed is cited for 'One' too.")
  })
})
