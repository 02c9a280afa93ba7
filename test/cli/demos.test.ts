import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { daily } from "../often.ts"
import { git } from "../plugins/repositories.ts"
import { achieved, asked, each, expectReplay } from "./asked.ts"
import { eventsOf, project, proofline } from "./proofline.ts"

/** Those that are played to their end today. */
const ofDay = daily(["chunking", "requirements"], 2)

/** What a demo left in an empty directory. */
const demo = async (name: string) => {
  const dir = Path.join(project({}), "demo")
  const finished = await proofline(["demo", name, "--dir", dir], Path.dirname(dir))
  expect(finished.code, finished.stderr).toBe(0)
  const { runs } = (await asked(["history"], dir)).data
  const [{ run_id }] = runs.filter((run: object) => !("parent_run_id" in run))
  return { dir, run: run_id as string, ...finished }
}

/** Its own tests pass, nothing lies around but the work, and all of it can be decided again. */
const expectDone = async (dir: string, run: string, changed: ReadonlyArray<string>): Promise<void> => {
  expect(git(dir, "status", "--short").split("\n").slice(0, -1)).toEqual(changed)
  expect(spawnSync(process.execPath, ["--test"], { cwd: dir }).status).toBe(0)
  await expectReplay(dir, run)
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into events of every kind
type Event = { readonly event_type: string; readonly content: any }

/** What was decided about each part, whatever happened at the same time in another one and however often it began. */
const partStory = (id: string, events: ReadonlyArray<Event>) =>
  events.flatMap(({ content, event_type }) => {
    if ((content.subtask_id ?? content.task_id) !== id) return []
    if (event_type === "QUALITY_JUDGMENT") return [content.judgment]
    if (event_type === "ATTEMPT_ENDED" && content.outcome === "ERROR") return [content.error.code]
    if (event_type === "SUBTASK_RETRY")
      return [`retry ${content.retry_count} after ${content.reason}, ${content.delay_ms} ms`]
    return event_type === "SUBTASK_COMPLETE" ? [`${content.proven} proven`] : []
  })

/** What was refused and what was accepted of each task of a task run. */
const taskStory = (id: string, events: ReadonlyArray<Event>) =>
  events.flatMap(({ content, event_type }) => {
    if (content.task_id !== id) return []
    if (event_type === "CHECKLIST_ITEM_REJECTED") return [content.key]
    return event_type === "TASK_COMPLETED" ? [`${content.proven} proven`] : []
  })

/** What was decided in the loop, however often it was begun. */
const loopStory = (events: ReadonlyArray<Event>): ReadonlyArray<string> =>
  events.flatMap(({ content, event_type }) => {
    switch (event_type) {
      case "ANSWER_REFUSED":
        return [`refuses a plan: ${content.reason}, ${content.uncovered.join(" ")}`]
      case "TASKS_GENERATED":
        return [`plan ${content.iteration}: ${each(content.tasks, "id").join(" ")}`]
      case "TASK_RUN_ENDED":
        return [`task run ${content.iteration}: ${content.status}`]
      case "REQUIREMENT_VERIFIED":
        return [
          `${content.requirement_id}: ${content.verdict}${content.opinion?.met ? ", and the agent says met" : ""}`
        ]
      case "REQUIREMENTS_MET":
        return [`met: ${content.met.join(" ")}`]
      default:
        return []
    }
  })

describe("the demo chunking", () => {
  it.runIf(ofDay.includes("chunking"))(
    "refuses what is unfinished, tries again what failed, and merges what is proven",
    async () => {
      const { dir, run, stderr, stdout } = await demo("chunking")
      expect(stderr).toContain("split into 3 subtasks, hybrid")
      expect(stdout).toContain("10 receipts: 10 proven, 0 re-anchored, 0 stale, 0 missing.")
      const events: ReadonlyArray<Event> = await eventsOf(run, dir)
      expect([1, 2, 3].map((n) => partStory(`task-001-sub-${n}`, events))).toEqual([
        ["REJECT", "PASS", "4 proven"],
        ["agent_exit", "retry 1 after ERROR, 200 ms", "PASS", "3 proven"],
        ["PASS", "3 proven"]
      ])
      const refused = events.find(({ content }) => content.judgment === "REJECT")
      expect(refused?.content.modification_prompt).toContain("src/sessions.js:15: // TODO: look at endsAt")
      const merged = events.find(({ event_type }) => event_type === "CHUNKING_AGGREGATION")
      const result = { outcome: "merged", conflicts: [], total_files_modified: 4 }
      expect(merged?.content.aggregation_result).toMatchObject(result)
      expect(git(dir, "worktree", "list").trim().split("\n")).toHaveLength(1)
      expect(readdirSync(Path.join(dir, ".proofline/state/worktrees")).filter((name) => name !== ".gitignore")).toEqual(
        []
      )
      expect(readFileSync(Path.join(dir, "src/sessions.js"), "utf8")).not.toContain("TODO")
      await expectDone(dir, run, [" M src/index.js", "?? src/login.js", "?? src/logout.js", "?? src/sessions.js"])
      const { counts } = (await achieved(["verify"], dir)).data
      expect(counts).toMatchObject({ receipts: 10, proven: 11, open: 0, waived: 0 })
    }
  )

  it("is one of those that are told to whom asks for another", async () => {
    const dir = Path.join(project({}), "demo")
    const { code, data, refused } = await asked(["demo", "sorting", "--dir", dir], Path.dirname(dir))
    expect([code, refused]).toEqual([2, ["demo_unknown"]])
    const [{ hint, message }] = data.problems
    expect([message, hint]).toEqual([
      expect.stringContaining('"sorting"'),
      expect.stringMatching(/checklist.*chunking/)
    ])
    expect(existsSync(dir)).toBe(false)
  })
})

describe("the demo requirements", () => {
  const stub = "checklist_evidence_empty_impl"
  const says = ", and the agent says met"
  const allProven = [...["reading", "expiry", "buying"].map((id) => `${id}: proven${says}`), "printing: proven"]

  it.runIf(ofDay.includes("requirements"))(
    "meets all four in two iterations, and refuses what is only claimed",
    async () => {
      const { dir, run, stderr, stdout } = await demo("requirements")
      for (const said of [
        "A scripted agent (no model) works on it.",
        "No task covers the criterion buying.1.",
        "which proves nothing: Everything is done and works as required."
      ])
        expect(stderr).toContain(said)
      // the proof, with the code that is its evidence
      for (const said of [
        "4 of 4 requirements met.",
        "pantry: Everything required is proven. What rests on receipts still holds",
        "┃     const there = same.reduce((sum, entry) => sum + entry.amount, 0)"
      ])
        expect(stdout).toContain(said)
      expect(loopStory(await eventsOf(run, dir))).toEqual([
        "reading: refuted",
        "expiry: refuted",
        "buying: unproven",
        "printing: refuted",
        "refuses a plan: gap, buying.1 buying.2",
        "plan 1: list expiring shopping",
        "task run 1: completed",
        `reading: proven${says}`,
        "expiry: refuted",
        `buying: unproven${says}`,
        "printing: refuted",
        "plan 2: expiring-2 shopping-2 cli-2",
        "task run 2: completed",
        ...allProven,
        // once more, by the machine alone
        ...allProven,
        "met: reading expiry buying printing"
      ])
      const [first, second] = await Promise.all([1, 2].map((iteration) => eventsOf(`${run}-iter${iteration}`, dir)))
      expect(["list", "expiring", "shopping"].map((id) => taskStory(id, first ?? []))).toEqual([
        [stub, stub, "3 proven"],
        ["2 proven"],
        ["1 proven"]
      ])
      for (const id of ["expiring-2", "shopping-2", "cli-2"]) expect(taskStory(id, second ?? [])).toEqual(["1 proven"])
      await expectDone(dir, run, [
        " M src/list.js",
        "?? generated/",
        "?? src/cli.js",
        "?? src/expiring.js",
        "?? src/shopping.js"
      ])
      expect(readdirSync(Path.join(dir, "generated")).toSorted()).toEqual([
        "pantry-tasks-iter1.yaml",
        "pantry-tasks-iter2.yaml"
      ])
      const plan = readFileSync(Path.join(dir, "generated/pantry-tasks-iter2.yaml"), "utf8")
      expect(plan).toContain("# Completed before: list, expiring, shopping\n# Only new tasks:")
      expect(plan).toContain("depends_on: [shopping, list]")
      expect(plan).not.toMatch(/id: (?:list|expiring|shopping)$/m)
      // the commands it names work as they are written
      const named = stderr.match(/proofline (show .+) --out \S+ --cwd/)?.[1]?.split(" ") ?? []
      const page = Path.join(dir, "pantry.html")
      const shown = await proofline([...named, "--out", page], dir)
      expect([shown.code, readFileSync(page, "utf8").startsWith("<!doctype html>")]).toEqual([0, true])
      // claimed is what a verdict rests on: not the last day in `expiring`, which is shown by its check and anew by expiring-2
      const { data } = await achieved(["verify", run], dir)
      expect(data.counts).toMatchObject({ stale: 0, missing: 0 })
      expect(data.receipts.map(({ item, task_id }: Record<string, string>) => `${task_id}: ${item}`)).toEqual([
        "list: `parseList()` refuses what it cannot read",
        "expiring: `expiring()` lists the most urgent first",
        "shopping: `missing()` gives what the stock lacks",
        "shopping-2: `missing()` adds up what lies in several places"
      ])
    }
  )

  it("begins with a project whose file is valid and whose own tests fail", async () => {
    const before = fileURLToPath(new URL("../../packages/cli/examples/requirements/project", import.meta.url))
    const text = readFileSync(Path.join(before, "pantry-requirements.yaml"), "utf8")
    await achieved(["validate", "pantry-requirements.yaml"], project({ "pantry-requirements.yaml": text }))
    expect(spawnSync(process.execPath, ["--test"], { cwd: before }).status).toBe(1)
  })
})
