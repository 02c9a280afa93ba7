import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { scriptedAgent, withAgent } from "./agent.ts"
import { documentOf, finish, project, proofline, start, until } from "./proofline.ts"
import { command, files, metRun, script, secret } from "./requirementsViewStage.ts"
import { valid } from "./schemas.ts"

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "")
const jsonIn = (dir: string, ...path: ReadonlyArray<string>) =>
  JSON.parse(readFileSync(Path.join(dir, ...path), "utf8"))
const history = ".task-orchestrator-history"

describe("history of requirements runs", () => {
  it("given a run of two iterations, lists it with where its loop stands, and its task runs by themselves", async () => {
    const { children, dir, run } = await metRun()
    const listed = await proofline(["history", "--loopb"], dir)
    expect(listed.code).toBe(0)
    expect(listed.stdout.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, "<time>")).toBe(
      `✔ ${run} completed  [iter:2/3] [met:2/3] [tasks:3] completed <time> Geometry <b>lib</b> · 3 proven\n`
    )
    const document = documentOf(await proofline(["history", "--json"], dir))
    expect(valid("history.output", document)).toEqual([])
    expect(document.data.runs).toMatchObject([
      { run_id: children[1], kind: "tasks", parent_run_id: run },
      { run_id: children[0], kind: "tasks", parent_run_id: run },
      { run_id: run, kind: "requirements", loop_status: "completed", iteration: 2, requirements_met: 2 }
    ])
    const below = documentOf(await proofline(["history", "--loopb-children", run, "--json"], dir))
    expect(valid("history.output", below)).toEqual([])
    expect(below.data.runs.map(({ run_id }: { run_id: string }) => run_id)).toEqual([children[1], children[0]])
    expect(linesOf((await proofline(["history", "--loopb-children", run], dir)).stdout)).toHaveLength(2)
  })

  it("shows one with the verdict of every criterion and the tasks of every iteration, and a task run as before", async () => {
    const { children, dir, run } = await metRun()
    const { code, stdout } = await proofline(["history", "--loopb", "--show", run], dir)
    expect(code).toBe(0)
    for (const line of [
      "Geometry <b>lib</b>: completed",
      "  ✔ req_1 proven  Areas",
      "      ✔ req_1.2 proven  It knows pi",
      "  ✘ req_3 refuted  Read me (optional)",
      `Iteration 1: generated/geometry-tasks-iter1.yaml, run ${children[0]} incomplete`,
      "    ✔ areas completed  Write area (1 attempt)",
      "    not met after it: req_2, req_3",
      `Iteration 2: generated/geometry-tasks-iter2.yaml, run ${children[1]} completed`,
      "2 of 3 requirements met."
    ]) {
      expect(stdout.split("\n")).toContain(line)
    }
    expect(stdout).toMatch(/^ {4}✘ cubes failed {2}Write volume \(1 attempt\): .*cube\.py/m)
    const shown = documentOf(await proofline(["history", "--show", run, "--json"], dir))
    expect(shown).toMatchObject({ kind: "run-requirements", data: { run_id: run, status: "completed", iterations: 2 } })
    expect(shown).toEqual(documentOf(await proofline(["history", "--loopb", "--show", run, "--json"], dir)))
    const child = documentOf(await proofline(["history", "--show", children[1], "--json"], dir))
    expect(child).toMatchObject({ kind: "run", data: { run_id: children[1], status: "completed" } })
  })

  it("refuses an unknown id, an id of the other kind, and two choices at once", async () => {
    const { children, dir } = await metRun()
    for (const [args, problem] of [
      [["--loopb", "--show", "run_0"], "run_unknown"],
      [["--loopb-children", "run_0"], "run_unknown"],
      [["--loopb", "--show", children[0]], "run_not_requirements"],
      [["--loopb-children", children[0]], "run_not_requirements"],
      [["--loopb-children", children[0], "--show", children[0]], "history_choice"]
    ] as const) {
      const finished = await proofline(["history", ...args, "--json"], dir)
      expect(finished.code, args.join(" ")).toBe(2)
      expect(documentOf(finished).data.problems).toMatchObject([{ code: problem, hint: expect.any(String) }])
      expect(finished.stderr).toContain(problem)
    }
  })

  it("given no run at all, says so and writes nothing", async () => {
    const dir = project({})
    expect((await proofline(["history", "--loopb"], dir)).stdout).toBe("No run so far.\n")
    const exported = await proofline(["history", "export"], dir)
    expect([exported.code, exported.stdout]).toEqual([0, "No run so far; nothing was written.\n"])
    expect(readdirSync(dir)).toEqual([])
  })
})

describe("a requirements run that goes on", () => {
  it("has its task run below it, under the same driver, and waits for resume when it is killed", async () => {
    const dir = project(files({ ...script, areas: [{ hang: true }] }))
    const running = start(command, dir)
    const ended = finish(running)
    await until(() => existsSync(Path.join(dir, "hanging")))
    const overview = documentOf(await proofline(["status", "--json"], dir))
    expect(valid("status.output", overview)).toEqual([])
    const [parent, child] = overview.data.runs
    expect(parent).toMatchObject({ kind: "requirements", loop_status: "executing_tasks", iteration: 1, tasks_total: 2 })
    expect(child).toMatchObject({ parent_run_id: parent.run_id, status: "running", driver: { pid: running.pid } })
    expect(child.driver).toEqual(parent.driver)
    const lines = linesOf((await proofline(["status"], dir)).stdout)
    expect(lines).toHaveLength(2)
    expect(lines[0]).toContain(`[iter:1/3] [met:0/3] [tasks:2] executing_tasks ${parent.started_at.slice(0, 10)}`)
    expect(lines[0]).toContain(`driven by process ${running.pid}`)
    expect(lines[1]).toMatch(new RegExp(`^ {2}└── ▶ ${child.run_id} running .* @ areas`))
    const tree = linesOf((await proofline(["status", parent.run_id], dir)).stdout)
    expect(tree[0]).toBe("Geometry <b>lib</b> running [iter:1/3] [met:0/3] executing_tasks")
    expect(tree[2]).toMatch(/^ {2}├── ▶ areas: Write area in progress/)
    const watching = start(["watch", parent.run_id, "--json"], dir)
    const watched = finish(watching)
    running.kill("SIGKILL")
    await ended
    const left = linesOf((await proofline(["status"], dir)).stdout)
    expect(left[0]).toContain(`driven by nobody, go on with: proofline resume ${parent.run_id}`)
    expect(left[1]).not.toContain("driven by")
    // what is named by nobody is the whole, not its part
    writeFileSync(Path.join(dir, "script.json"), JSON.stringify(script))
    const resumed = await proofline(["resume", "--json"], dir)
    expect(documentOf(resumed).data).toMatchObject({ run_id: parent.run_id, status: "completed" })
    // it has seen all of it, the task runs too
    const documents = linesOf((await watched).stdout).map((line) => JSON.parse(line))
    for (const document of documents) expect(valid("status.output", document)).toEqual([])
    expect(documents.at(-1).data).toMatchObject({
      status: "completed",
      loop: { loop_status: "completed", iteration: 2, requirements_met: 2, requirements_total: 3 },
      task_runs: [{ run_id: child.run_id }, { run_id: `${parent.run_id}-iter2`, status: "completed" }]
    })
    const [row] = documentOf(await proofline(["history", "--loopb", "--json"], dir)).data.runs
    expect(row).toMatchObject({ loop_status: "completed", iteration: 2, max_iterations: 3, requirements_met: 2 })
  })

  it("given that its budget is used up, is stopped everywhere and not failed, and says where a resume goes on", async () => {
    const dir = project(files(script))
    const ended = await proofline([...command, "--workers", "1", "--max-attempts", "1"], dir)
    expect(ended.code).toBe(4)
    const why = "The budget is used up: 1 of 1 attempt (max_attempts)."
    expect(ended.stdout).toContain(`stopped at executing_tasks: ${why}`)
    const [{ run_id }] = documentOf(await proofline(["history", "--loopb", "--json"], dir)).data.runs
    const shown = documentOf(await proofline(["history", "--show", run_id, "--json"], dir))
    expect(valid("run-requirements.output", shown)).toEqual([])
    expect(shown.data).toMatchObject({
      status: "executing_tasks",
      run_status: "stopped",
      stopped: { by: "budget", message: why }
    })
    const list = await proofline(["history"], dir)
    expect(list.stdout).toMatch(/^■ \S+ stopped +.*executing_tasks.*\(The budget is used up/m)
    expect(list.stdout).not.toContain("failed")
    const document = documentOf(await proofline(["status", "--json"], dir))
    expect(valid("status.output", document)).toEqual([])
    expect(document.data.runs).toMatchObject([
      {
        status: "stopped",
        stopped: { by: "budget", message: why },
        loop_status: "executing_tasks",
        loop_resumes_at: "executing_tasks",
        iteration: 1,
        tasks_completed: 0
      }
    ])
    const exported = documentOf(await proofline(["history", "export", "--json"], dir))
    expect(jsonIn(dir, history, exported.data.files[0].path)).toMatchObject({
      status: "executing_tasks",
      final_result: null,
      error: null,
      stopped: { by: "budget", message: why }
    })
    const report = await proofline(["report"], dir)
    expect([report.code, report.stdout.split("\n")[0]]).toEqual([
      1,
      expect.stringContaining("Not everything required is proven.")
    ])
    expect(report.stdout).toContain("1 of 1 attempts")
    expect(report.stdout).toContain("executing_tasks; run stopped")
    expect(report.stdout).not.toContain("failed")
  })
})

describe("history export", () => {
  it("writes a file for every run, linked both ways, the same with every export, and no secret", async () => {
    const { children, dir, run } = await metRun()
    const exported = await proofline(["history", "export", "--json"], dir)
    expect(exported.code, exported.stderr).toBe(0)
    const document = documentOf(exported)
    expect(valid("history-export.output", document)).toEqual([])
    const [loop, first, second] = document.data.files
    expect([loop.run_id, first.run_id, second.run_id]).toEqual([run, ...children])
    expect(loop.path).toMatch(/^loopb\/geometry-requirements_\d{8}_\d{6}\.json$/)
    expect(first.path).toMatch(/^geometry-tasks-iter1_\d{8}_\d{6}\.json$/)
    const above = jsonIn(dir, history, loop.path)
    const below = [first, second].map(({ path }) => jsonIn(dir, history, path))
    expect(valid("requirements-history", above)).toEqual([])
    for (const one of below) expect(valid("history-tasks", one)).toEqual([])
    expect(`${above.history_id}.json`).toBe(Path.basename(loop.path))
    expect(above.loop_c_history_ids).toEqual([first.history_id, second.history_id])
    expect(above.iterations).toMatchObject([
      { loop_c_history_id: first.history_id, unmet_requirements: ["req_2", "req_3"] },
      { loop_c_history_id: second.history_id, unmet_requirements: ["req_3"] }
    ])
    expect(above).toMatchObject({
      status: "completed",
      current_iteration: 2,
      completed_task_ids: ["areas", "again"],
      final_result: { all_requirements_met: true },
      error: null
    })
    expect(below.map(({ loopb_history_id }) => loopb_history_id)).toEqual([above.history_id, above.history_id])
    expect(below[0]).toMatchObject({
      completed: false,
      yaml_path: Path.join(dir, "generated", "geometry-tasks-iter1.yaml"),
      task_results: [
        { task_id: "areas", status: "approved", instruction_output: "done", validation_approved: true, error: null },
        {
          task_id: "cubes",
          status: "declined",
          validation_approved: false,
          validation_output: expect.stringContaining("refused: Add volume(): Evidence file not found"),
          error: expect.stringContaining("cube.py")
        }
      ],
      completed_task_ids: ["areas"],
      total_attempts: 2
    })
    const texts = () =>
      document.data.files.map(({ path }: { path: string }) => readFileSync(Path.join(dir, history, path), "utf8"))
    const before = texts()
    expect(before.join("")).not.toContain(secret)
    expect(documentOf(await proofline(["history", "export", "--json"], dir))).toEqual(document)
    expect(texts()).toEqual(before)
    // nothing is left of how they were written
    expect(readdirSync(Path.join(dir, history)).sort()).toEqual([first.path, second.path, "loopb"].sort())
  })

  it("writes ids that --show, --loopb-children and resume take, before and after it was written", async () => {
    const { children, dir, run } = await metRun()
    const named = async () => {
      const { files } = documentOf(await proofline(["history", "export", "--dir", "elsewhere", "--json"], dir)).data
      return files.map(({ history_id }: { history_id: string }) => history_id)
    }
    const [loop, first] = await named()
    const shown = documentOf(await proofline(["history", "--loopb", "--show", loop, "--json"], dir))
    expect(shown.data.run_id).toBe(run)
    const task = documentOf(await proofline(["history", "--show", `${first}.json`, "--json"], dir))
    expect(task.data.run_id).toBe(children[0])
    const below = documentOf(await proofline(["history", "--loopb-children", `loopb/${loop}.json`, "--json"], dir))
    expect(below.data.runs.map(({ run_id }: { run_id: string }) => run_id)).toEqual([children[1], children[0]])
    const resumed = await proofline(["resume", loop], dir)
    expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringContaining(`Run ${run} is completed already`)])
    const again = documentOf(await proofline(["history", "export", "--run", loop, "--json"], dir))
    expect(again.data.files.map(({ run_id }: { run_id: string }) => run_id)).toEqual([run, ...children])
    const refused = await proofline(["history", "--loopb", "--show", first], dir)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("run_not_requirements")])
    const unknown = await proofline(["history", "--show", loop.replace(/\d{6}$/, "000000")], dir)
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("run_unknown")])
  })

  it("exports one run with its task runs, and a task run with the link to what is above it", async () => {
    const { children, dir, run } = await metRun()
    const to = (one: string, name: string) =>
      proofline(["history", "export", "--run", one, "--dir", name, "--json"], dir)
    expect(documentOf(await to(run, "whole")).data.files).toHaveLength(3)
    const [only, ...more] = documentOf(await to(children[0], "part")).data.files
    expect(more).toEqual([])
    expect(jsonIn(dir, "part", only.path).loopb_history_id).toMatch(/^geometry-requirements_/)
    const unknown = await to("run_0", "none")
    expect([unknown.code, documentOf(unknown).data.problems[0].code]).toEqual([2, "run_unknown"])
    expect(existsSync(Path.join(dir, "none"))).toBe(false)
  })

  it("keeps files of others, whatever they are called, and finds its own again", async () => {
    const { dir } = await metRun()
    const names: ReadonlyArray<{ path: string }> = documentOf(
      await proofline(["history", "export", "--dir", "names", "--json"], dir)
    ).data.files
    const taken = names.map(({ path }) => Path.join(dir, history, path))
    mkdirSync(Path.join(dir, history, "loopb"), { recursive: true })
    for (const file of taken) writeFileSync(file, "of somebody else")
    const exported = documentOf(await proofline(["history", "export", "--json"], dir))
    for (const file of taken) expect(readFileSync(file, "utf8")).toBe("of somebody else")
    expect(exported.data.files.map(({ path }: { path: string }) => path)).toEqual(
      names.map(({ path }) => path.replace(".json", "_2.json"))
    )
    const above = jsonIn(dir, history, exported.data.files[0].path)
    expect(above.loop_c_history_ids.every((id: string) => id.endsWith("_2"))).toBe(true)
    expect(documentOf(await proofline(["history", "export", "--json"], dir))).toEqual(exported)
  })

  it("given two runs of one second, of files with one stem, gives each a name of its own", async () => {
    const tasks = "tasks: [{id: t, name: T, instruction: I, checks: [exit 0]}]"
    const dir = project({ "a/tasks.yaml": tasks, "b/tasks.yaml": tasks, ...scriptedAgent({}) })
    const runs = []
    for (const folder of ["a", "b"]) {
      const finished = await proofline(["run", `${folder}/tasks.yaml`, ...withAgent, "--json"], dir)
      runs.push(documentOf(finished).data.run_id)
    }
    const database = new DatabaseSync(Path.join(dir, ".proofline", "state", "proofline.db"))
    for (const [i, run] of runs.entries()) {
      const at = `2026-01-01T10:00:00.00${i}Z`
      database
        .prepare(
          "update run_summary set started_at = ?, summary = json_set(summary, '$.started_at', ?) where run_id = ?"
        )
        .run(at, at, run)
    }
    database.close()
    const exported = documentOf(await proofline(["history", "export", "--json"], dir))
    expect(exported.data.files).toMatchObject([
      { run_id: runs[0], path: "tasks_20260101_100000.json" },
      { run_id: runs[1], path: "tasks_20260101_100000_2.json" }
    ])
    expect(jsonIn(dir, history, "tasks_20260101_100000_2.json")).toMatchObject({
      history_id: "tasks_20260101_100000_2",
      loopb_history_id: null,
      yaml_path: Path.join(dir, "b", "tasks.yaml")
    })
    // by itself it is called the same
    const alone = documentOf(await proofline(["history", "export", "--run", runs[1], "--dir", "one", "--json"], dir))
    expect(alone.data.files[0].path).toBe("tasks_20260101_100000_2.json")
  })

  it("follows no link out of its directory", async () => {
    const { dir } = await metRun()
    const outside = project({})
    mkdirSync(Path.join(dir, history))
    symlinkSync(outside, Path.join(dir, history, "loopb"))
    const refused = await proofline(["history", "export", "--json"], dir)
    expect([refused.code, documentOf(refused).data.problems[0].code]).toEqual([2, "export_dir_unusable"])
    symlinkSync(outside, Path.join(dir, "linked"))
    expect((await proofline(["history", "export", "--dir", "linked"], dir)).code).toBe(2)
    // a link in place of a file is nobody's run: it stays, and what it leads to too
    const names = documentOf(await proofline(["history", "export", "--dir", "names", "--json"], dir)).data.files
    const target = Path.join(outside, "target.json")
    writeFileSync(target, "{}")
    mkdirSync(Path.join(dir, "files"))
    symlinkSync(target, Path.join(dir, "files", names[1].path))
    const kept = documentOf(await proofline(["history", "export", "--dir", "files", "--json"], dir)).data.files
    expect(kept[1].path).toBe(names[1].path.replace(".json", "_2.json"))
    expect(readFileSync(target, "utf8")).toBe("{}")
    expect(readdirSync(outside)).toEqual(["target.json"])
    expect(statSync(Path.join(dir, "files", kept[1].path)).isFile()).toBe(true)
  })
})
