import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { callsOf, rolesOf, withAgent } from "./agent.ts"
import { documentOf, eventsOf, finish, proofline, start, until } from "./proofline.ts"
import { planOf, requirements, stage } from "./requirementsStage.ts"
import { valid } from "./schemas.ts"

const run = (dir: string, ...more: ReadonlyArray<string>) =>
  proofline(["run-requirements", "requirements.yaml", ...withAgent, ...more], dir)

describe("proofline run-requirements", () => {
  it("given requirements that take two iterations, when it is run, then all are met and every part says so", async () => {
    const dir = stage()
    const finished = await run(dir, "--json")
    expect(finished.code).toBe(0)
    expect(valid("run-requirements.output", documentOf(finished))).toEqual([])
    const { data, kind } = documentOf(finished)
    expect(kind).toBe("run-requirements")
    expect([data.status, data.iterations]).toEqual(["completed", 2])
    expect(data.requirements.map(({ id, verdict }: { id: string; verdict: string }) => [id, verdict])).toEqual([
      ["req_1", "proven"],
      ["req_2", "proven"],
      ["req_3", "proven"]
    ])
    expect(data.requirements[2].criteria[0]).toMatchObject({ id: "req_3.1", verdict: "proven", by: "check" })
    // the second iteration had only the new task, which waits for one of the first
    const second = readFileSync(Path.join(dir, "generated", "requirements-tasks-iter2.yaml"), "utf8")
    expect(second).toContain("# Completed before: task_1")
    expect(second).not.toContain("id: task_1")
    const child = await eventsOf(`${data.run_id}-iter2`, dir)
    expect(child[0].content).toMatchObject({ parent_run_id: data.run_id, completed_task_ids: ["task_1"] })
    // what it builds on, and what it is for, is told to the agent
    const prompt = callsOf(dir).find(({ role, task }) => role === "work" && task === "task_2")?.prompt ?? ""
    expect(prompt).toContain("task_1: Write task_1.txt. Reported: wrote task_1")
    expect(prompt).toContain("A place for notes.")
    const replayed = await proofline(["replay", data.run_id, "--json"], dir)
    expect(replayed.code).toBe(0)
    expect(valid("replay.output", documentOf(replayed))).toEqual([])
    expect(documentOf(replayed).data).toMatchObject({
      divergence: null,
      task_runs: [{ divergence: null }, { divergence: null }]
    })
  })

  it("given what was met is broken later, when the file is run again, then only that is repaired, with new ids", async () => {
    const dir = stage({ "plan-3.yaml": planOf({ task_3: { covers: ["req_2.1", "req_3.1"] } }) })
    expect((await run(dir)).code).toBe(0)
    rmSync(Path.join(dir, "task_2.txt"))
    writeFileSync(
      Path.join(dir, "requirements.yaml"),
      requirements.replace("test -s task_2.txt", "test -s task_2.txt || test -s task_3.txt")
    )
    const before = callsOf(dir).length
    const again = await run(dir, "--json")
    expect([again.code, documentOf(again).data.status]).toEqual([0, "completed"])
    expect(rolesOf(dir).slice(before)).toEqual(["generate:iteration-3", "work:task_3", "verify:req_1", "verify:req_2"])
    expect(existsSync(Path.join(dir, "generated", "requirements-tasks-iter3.yaml"))).toBe(true)
  })

  it("given a dry run, then nothing is started, checked or written, also where a run could be resumed", async () => {
    const dir = stage({ "requirements.yaml": requirements.replace("test -s task_2.txt", "touch checked") })
    const before = readdirSync(dir).toSorted()
    const finished = await run(dir, "--dry-run", "--json")
    expect(finished.code).toBe(0)
    expect(documentOf(finished).data).toMatchObject({ dry_run: true, run_id: null })
    expect(valid("run-requirements.output", documentOf(finished))).toEqual([])
    expect(readdirSync(dir).toSorted()).toEqual(before)
    await run(dir, "--max-attempts", "1")
    const calls = callsOf(dir).length
    const state = readFileSync(Path.join(dir, ".proofline", "state", "proofline.db"))
    expect((await run(dir, "--dry-run")).code).toBe(0)
    expect(callsOf(dir)).toHaveLength(calls)
    expect(readFileSync(Path.join(dir, ".proofline", "state", "proofline.db")).equals(state)).toBe(true)
  })

  it("given the iterations are used up, then it is not met, and the next run of the file has as many again", async () => {
    const dir = stage()
    const first = await run(dir, "--max-iterations", "1", "--json")
    expect([first.code, documentOf(first).data.status]).toEqual([1, "failed"])
    expect(documentOf(first).data.unmet_requirements).toEqual(["req_2", "req_3"])
    const second = await run(dir, "--json")
    expect([second.code, documentOf(second).data.iterations]).toEqual([0, 2])
  })

  it("given the file has changed while the run was not completed, then that is said, and the new one counts", async () => {
    const dir = stage()
    expect((await run(dir, "--max-iterations", "1")).code).toBe(1)
    const [kept] = requirements.split("  - id: req_2")
    writeFileSync(Path.join(dir, "requirements.yaml"), `${kept}`)
    const again = await run(dir, "--json")
    expect(again.stderr).toContain("NOTE: requirements.yaml was changed since this run read it")
    expect(documentOf(again).data.requirements).toHaveLength(1)
    expect([again.code, rolesOf(dir).filter((call) => call === "work:task_1").length]).toEqual([0, 1])
  })

  it("given a changed file that cannot be read, then everything that is wrong is said and nothing is lost", async () => {
    const dir = stage()
    await run(dir, "--max-iterations", "1")
    writeFileSync(Path.join(dir, "requirements.yaml"), "name: x\nrequirements:\n  - id: req_1\n")
    const refused = await run(dir, "--json")
    expect(refused.code).toBe(2)
    expect(valid("run-requirements.output", documentOf(refused))).toEqual([])
    expect(documentOf(refused).data.problems[0]).toMatchObject({ file: "requirements.yaml", line: expect.any(Number) })
    writeFileSync(Path.join(dir, "requirements.yaml"), requirements)
    expect((await run(dir)).code).toBe(0)
  })

  it("given where tasks are to be written, then they are, and a file that is there is kept beside", async () => {
    const dir = stage({ "plans/requirements-tasks-iter1.yaml": "mine: true\n" })
    const finished = await run(dir, "--tasks-output-dir", "plans")
    expect(finished.code).toBe(0)
    expect(readdirSync(Path.join(dir, "plans")).toSorted()).toEqual([
      "requirements-tasks-iter1.yaml",
      "requirements-tasks-iter1.yaml.1.bak",
      "requirements-tasks-iter2.yaml"
    ])
    expect(readFileSync(Path.join(dir, "plans", "requirements-tasks-iter1.yaml.1.bak"), "utf8")).toBe("mine: true\n")
  })

  it("given a requirements file for `run`, then it is run as requirements", async () => {
    const dir = stage()
    const finished = await proofline(["run", "requirements.yaml", ...withAgent, "--json"], dir)
    expect([finished.code, documentOf(finished).kind]).toEqual([0, "run-requirements"])
    const refused = await proofline(["run", "requirements.yaml", ...withAgent, "--only", "a", "--json"], dir)
    expect([refused.code, documentOf(refused).data.problems[0].code]).toEqual([2, "selection_unusable"])
  })

  it.each([
    ["validate", "requirements.yaml"],
    ["run-requirements", "requirements.yaml", ...withAgent]
  ])(
    "given unknown strategies, when asked by %j, then their places are said before anything is started",
    async (...args) => {
      const strategies = "generation:\n  generator: oracle\nverification: { verifier: nobody }\n"
      const dir = stage({ "requirements.yaml": `${requirements}${strategies}` })
      const refused = await proofline([...args, "--json"], dir)
      expect(refused.code).toBe(2)
      const line = requirements.split("\n").length + 1
      expect(documentOf(refused).data.problems).toMatchObject([
        { code: "generator_unknown", file: "requirements.yaml", line, column: 14 },
        { code: "verifier_unknown", file: "requirements.yaml", line: line + 1, column: 27 }
      ])
      expect(callsOf(dir)).toHaveLength(0)
    }
  )
})

describe("several requirements runs of one project at once", () => {
  it("given two files, then each has its own task runs, and the same file twice is refused", async () => {
    const other = requirements
      .replace("name: notes", "name: other")
      .replaceAll("req_", "other_")
      .replace("test -s task_2.txt", "test 1 = 1")
    const dir = stage({ "other.yaml": `${other}generation: { tasks: [other-1.yaml] }\n` }, "work:task_1")
    writeFileSync(
      Path.join(dir, "other-1.yaml"),
      planOf({ task_a: { covers: ["other_1.1"] }, task_b: { covers: ["other_2.1"] } })
    )
    const child = start(["run-requirements", "requirements.yaml", ...withAgent, "--json"], dir)
    const first = finish(child)
    await until(() => existsSync(Path.join(dir, "hanging")))
    const twice = await run(dir, "--json")
    expect([twice.code, documentOf(twice).data.problems[0].code]).toEqual([2, "run_is_driven"])
    const second = await proofline(["run-requirements", "other.yaml", ...withAgent, "--json"], dir)
    expect([second.code, second.stderr]).toEqual([0, expect.any(String)])
    child.kill("SIGINT")
    const ended = documentOf(await first).data
    const { run_id } = documentOf(second).data
    const { runs } = documentOf(await proofline(["history", "--json"], dir)).data
    const parents = Object.fromEntries(
      runs.map((one: { run_id: string; parent_run_id?: string }) => [one.run_id, one.parent_run_id])
    )
    expect(parents).toEqual({
      [ended.run_id]: undefined,
      [`${ended.run_id}-iter1`]: ended.run_id,
      [run_id]: undefined,
      [`${run_id}-iter1`]: run_id
    })
  })
})

describe("proofline resume of a requirements run", () => {
  it("given the id of a task run, then the run above it goes on", async () => {
    const dir = stage()
    const first = documentOf(await run(dir, "--max-attempts", "1", "--json")).data
    const resumed = await proofline(["resume", `${first.run_id}-iter1`, "--json"], dir)
    expect(resumed.stderr).toContain(`is a task run of ${first.run_id}`)
    expect(documentOf(resumed).data).toMatchObject({ run_id: first.run_id })
  })
})
