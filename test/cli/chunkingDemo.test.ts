import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { documentOf, eventsOf, project, proofline } from "./proofline.ts"

const emptyDirectory = () => Path.join(project({}), "demo")
const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  spawnSync("git", args, { cwd, encoding: "utf8" })
    .stdout.split("\n")
    .filter((line) => line !== "")
const newestRun = async (dir: string): Promise<string> =>
  documentOf(await proofline(["history", "--json"], dir)).data.runs[0].run_id

/** What was decided about each part, whatever happened at the same time in another one and however often it began. */
const decisions = (events: Awaited<ReturnType<typeof eventsOf>>) => {
  const of = (id: string) =>
    events.flatMap(({ content, event_type }) => {
      if ((content.subtask_id ?? content.task_id) !== id) return []
      if (event_type === "QUALITY_JUDGMENT") return [content.judgment]
      if (event_type === "ATTEMPT_ENDED" && content.outcome === "ERROR") return [content.error.code]
      if (event_type === "SUBTASK_RETRY")
        return [`retry ${content.retry_count} after ${content.reason}, ${content.delay_ms} ms`]
      return event_type === "SUBTASK_COMPLETE" ? [`${content.proven} proven`] : []
    })
  return [1, 2, 3].map((n) => of(`task-001-sub-${n}`))
}

const asWritten = [
  ["REJECT", "PASS", "4 proven"],
  ["agent_exit", "retry 1 after ERROR, 200 ms", "PASS", "3 proven"],
  ["PASS", "3 proven"]
]

/** The project's own tests pass, and nothing of the work lies around but the work. */
const expectDone = async (dir: string) => {
  expect(git(dir, "worktree", "list")).toHaveLength(1)
  const places = readdirSync(Path.join(dir, ".proofline", "state", "worktrees"), { withFileTypes: true })
  expect(places.filter((entry) => entry.isDirectory())).toEqual([])
  expect(git(dir, "status", "--short")).toEqual([
    " M src/index.js",
    "?? src/login.js",
    "?? src/logout.js",
    "?? src/sessions.js"
  ])
  expect(readFileSync(Path.join(dir, "src", "sessions.js"), "utf8")).not.toContain("TODO")
  expect(spawnSync(process.execPath, ["--test"], { cwd: dir }).status).toBe(0)
  const verified = await proofline(["verify", "--json"], dir)
  expect(verified.code, verified.stderr).toBe(0)
  expect(documentOf(verified).data.counts).toMatchObject({ receipts: 10, proven: 11, open: 0, waived: 0 })
}

describe("the demo chunking", () => {
  it("refuses what is unfinished, tries again what failed, and merges what is proven", {
    timeout: 120_000
  }, async () => {
    const dir = emptyDirectory()
    const finished = await proofline(["demo", "chunking", "--dir", dir], Path.dirname(dir))
    expect(finished.code, finished.stderr).toBe(0)
    expect(finished.stderr).toContain("split into 3 subtasks, hybrid")
    expect(finished.stdout).toContain("10 receipts: 10 proven, 0 re-anchored, 0 stale, 0 missing.")

    const events = await eventsOf(await newestRun(dir), dir)
    expect(decisions(events)).toEqual(asWritten)
    const [refused] = events.filter(({ content, event_type }) => {
      return event_type === "QUALITY_JUDGMENT" && content.judgment === "REJECT"
    })
    expect(refused.content.modification_prompt).toContain("src/sessions.js:15: // TODO: look at endsAt")
    const merged = events.find(({ event_type }) => event_type === "CHUNKING_AGGREGATION").content
    expect(merged.aggregation_result).toMatchObject({ outcome: "merged", conflicts: [], total_files_modified: 4 })
    await expectDone(dir)
    expect((await proofline(["replay"], dir)).code).toBe(0)
  })

  it("a name that no demo has is refused with those there are", async () => {
    const dir = emptyDirectory()
    const finished = await proofline(["demo", "sorting", "--dir", dir, "--json"], Path.dirname(dir))
    expect(finished.code).toBe(2)
    const [problem] = documentOf(finished).data.problems
    expect(problem).toMatchObject({ code: "demo_unknown", message: expect.stringContaining('"sorting"') })
    expect(problem.hint).toMatch(/checklist.*chunking/)
    expect(existsSync(dir)).toBe(false)
  })
})
