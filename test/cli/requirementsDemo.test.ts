import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { documentOf, eventsOf, project, proofline } from "./proofline.ts"

const example = fileURLToPath(new URL("../../packages/cli/examples/requirements", import.meta.url))
const emptyDirectory = () => Path.join(project({}), "demo")
const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  spawnSync("git", args, { cwd, encoding: "utf8" })
    .stdout.split("\n")
    .filter((line) => line !== "")
const requirementsRun = async (dir: string): Promise<string> =>
  documentOf(await proofline(["history", "--loopb", "--json"], dir)).data.runs[0].run_id

// biome-ignore lint/suspicious/noExplicitAny: tests look into events of every kind
type Events = ReadonlyArray<any>

/** What was decided in the loop, however often it was begun. */
const loopStory = (events: Events): ReadonlyArray<string> =>
  events.flatMap(({ content, event_type }) => {
    switch (event_type) {
      case "ANSWER_REFUSED":
        return [`refuses a plan: ${content.reason}, ${content.uncovered.join(" ")}`]
      case "TASKS_GENERATED":
        return [`plan ${content.iteration}: ${content.tasks.map(({ id }: { id: string }) => id).join(" ")}`]
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

const asWritten = [
  "reading: refuted",
  "expiry: refuted",
  "buying: unproven",
  "printing: refuted",
  "refuses a plan: gap, buying.1 buying.2",
  "plan 1: list expiring shopping",
  "task run 1: completed",
  "reading: proven, and the agent says met",
  "expiry: refuted",
  "buying: unproven, and the agent says met",
  "printing: refuted",
  "plan 2: expiring-2 shopping-2 cli-2",
  "task run 2: completed",
  "reading: proven, and the agent says met",
  "expiry: proven, and the agent says met",
  "buying: proven, and the agent says met",
  "printing: proven",
  // once more, by the machine alone
  "reading: proven, and the agent says met",
  "expiry: proven, and the agent says met",
  "buying: proven, and the agent says met",
  "printing: proven",
  "met: reading expiry buying printing"
]

/** What was refused and what was accepted in a task run, task by task. */
const taskStory = (events: Events, ids: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  ids.map((id) => [
    id,
    ...events.flatMap(({ content, event_type }) => {
      if (content.task_id !== id) return []
      if (event_type === "CHECKLIST_ITEM_REJECTED") return [content.key]
      return event_type === "TASK_COMPLETED" ? [`${content.proven} proven`] : []
    })
  ])

const stub = "checklist_evidence_empty_impl"
const tasksAsWritten = [
  [
    ["list", stub, stub, "3 proven"],
    ["expiring", "2 proven"],
    ["shopping", "1 proven"]
  ],
  [
    ["expiring-2", "1 proven"],
    ["shopping-2", "1 proven"],
    ["cli-2", "1 proven"]
  ]
]

/** It went as it is written, its own tests pass, nothing lies around but the work, and all of it can be replayed. */
const expectDone = async (dir: string): Promise<void> => {
  const run = await requirementsRun(dir)
  const events = await eventsOf(run, dir)
  expect(loopStory(events)).toEqual(asWritten)
  const children = await Promise.all([1, 2].map((iteration) => eventsOf(`${run}-iter${iteration}`, dir)))
  expect(
    children.map((child, index) =>
      taskStory(
        child,
        (tasksAsWritten[index] ?? []).map(([id = ""]) => id)
      )
    )
  ).toEqual(tasksAsWritten)
  expect(git(dir, "status", "--short")).toEqual([
    " M src/list.js",
    "?? generated/",
    "?? src/cli.js",
    "?? src/expiring.js",
    "?? src/shopping.js"
  ])
  expect(spawnSync(process.execPath, ["--test"], { cwd: dir }).status).toBe(0)
  const replayed = await proofline(["replay", run, "--json"], dir)
  expect(replayed.code, replayed.stderr).toBe(0)
  expect(documentOf(replayed).data).toMatchObject({
    divergence: null,
    task_runs: [{ divergence: null }, { divergence: null }]
  })
}

describe("the demo requirements", () => {
  it("given a scripted agent, when it is run, then two iterations meet all four and what was claimed is refused", {
    timeout: 120_000
  }, async () => {
    const dir = emptyDirectory()
    const finished = await proofline(["demo", "requirements", "--dir", dir], Path.dirname(dir))
    expect(finished.code, finished.stderr).toBe(0)
    expect(finished.stderr).toContain("A scripted agent (no model) works on it.")
    expect(finished.stderr).toContain("No task covers the criterion buying.1.")
    expect(finished.stderr).toContain("which proves nothing: Everything is done and works as required.")
    expect(finished.stdout).toContain("4 of 4 requirements met.")
    // the proof, with the code that is its evidence
    expect(finished.stdout).toContain("pantry: Everything required is proven. What rests on receipts still holds")
    expect(finished.stdout).toContain("│     const there = same.reduce((sum, entry) => sum + entry.amount, 0)")
    await expectDone(dir)

    expect(readdirSync(Path.join(dir, "generated")).toSorted()).toEqual([
      "pantry-tasks-iter1.yaml",
      "pantry-tasks-iter2.yaml"
    ])
    const second = readFileSync(Path.join(dir, "generated", "pantry-tasks-iter2.yaml"), "utf8")
    expect(second).toContain("# Completed before: list, expiring, shopping\n# Only new tasks:")
    expect(second).toContain("depends_on: [shopping, list]")
    expect(second).not.toMatch(/id: (?:list|expiring|shopping)$/m)

    // the commands it names work as they are written
    const named = finished.stderr.match(/proofline (show .+) --out \S+ --cwd/)?.[1]?.split(" ") ?? []
    const page = Path.join(dir, "pantry.html")
    const reported = await proofline([...named, "--out", page], dir)
    expect([reported.code, readFileSync(page, "utf8").startsWith("<!doctype html>")]).toEqual([0, true])
  })

  it("given the project before the work, then its file is valid and its own tests fail", async () => {
    const dir = project({})
    writeFileSync(
      Path.join(dir, "pantry-requirements.yaml"),
      readFileSync(Path.join(example, "project", "pantry-requirements.yaml"))
    )
    expect((await proofline(["validate", "pantry-requirements.yaml"], dir)).code).toBe(0)
    const tests = spawnSync(process.execPath, ["--test"], { cwd: Path.join(example, "project") })
    expect(tests.status).toBe(1)
  })
})
