import { hash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { it } from "@effect/vitest"
import type { ReportView } from "@proofline/plugins/frontends/http/api"
import { Schema } from "effect"
import { describe, expect } from "vitest"
import { traceabilityHtml } from "../../packages/cli/src/render/traceabilityHtml.ts"
import { traceabilityMarkdown } from "../../packages/cli/src/render/traceabilityText.ts"
import { done, scriptedAgent, withAgent } from "./agent.ts"
import { achieved, answerOf, asked, each } from "./asked.ts"
import { eventsOf, finish, project, proofline, start, until } from "./proofline.ts"
import { calc, command, copyOfMet, files, metRun, requirements, script, secret } from "./requirementsViewStage.ts"
import { examplesOf, valid } from "./schemas.ts"

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "")
const printed = async (args: ReadonlyArray<string>, dir: string) => linesOf((await proofline(args, dir)).stdout)
const jsonIn = (dir: string, ...path: ReadonlyArray<string>) =>
  JSON.parse(readFileSync(Path.join(dir, ...path), "utf8"))
const databaseIn = (dir: string) => new DatabaseSync(Path.join(dir, ".proofline/state/proofline.db"))
const why = "The budget is used up: 1 of 1 attempt (max_attempts)."

describe("history of requirements runs", () => {
  it("given a run of two iterations, lists it with where its loop stands, and its task runs by themselves", async () => {
    const { children, dir, run } = await metRun()
    const { code, stdout } = await proofline(["history", "--loopb"], dir)
    expect([code, stdout.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, "<time>")]).toEqual([
      0,
      `✔ ${run} completed  [iter:2/3] [met:2/3] [tasks:3] completed <time> Geometry <b>lib</b> · 3 proven\n`
    ])
    expect((await asked(["history"], dir)).data.runs).toMatchObject([
      { run_id: children[1], kind: "tasks", parent_run_id: run },
      { run_id: children[0], kind: "tasks", parent_run_id: run },
      { run_id: run, kind: "requirements", loop_status: "completed", iteration: 2, requirements_met: 2 }
    ])
    const below = ["history", "--loopb-children", run]
    expect(each((await asked(below, dir)).data.runs, "run_id")).toEqual([children[1], children[0]])
    expect(await printed(below, dir)).toHaveLength(2)
  })

  it("shows one with the verdict of every criterion and the tasks of every iteration, and a task run as before", async () => {
    const { children, dir, run } = await metRun()
    const show = ["history", "--loopb", "--show", run]
    const lines = await printed(show, dir)
    expect(lines).toEqual(
      expect.arrayContaining([
        "Geometry <b>lib</b>: completed",
        "  ✔ req_1 proven  Areas",
        "      ✔ req_1.2 proven  It knows pi",
        "  ✘ req_3 refuted  Read me (optional)",
        `Iteration 1: generated/geometry-tasks-iter1.yaml, run ${children[0]} incomplete`,
        "    ✔ areas completed  Write area (1 attempt)",
        expect.stringMatching(/^ {4}✘ cubes failed {2}Write volume \(1 attempt\): .*cube\.py/),
        "    not met after it: req_2, req_3",
        `Iteration 2: generated/geometry-tasks-iter2.yaml, run ${children[1]} completed`,
        "2 of 3 requirements met."
      ])
    )
    const { data, kind } = await achieved(show, dir)
    expect([kind, data]).toMatchObject(["run-requirements", { run_id: run, status: "completed", iterations: 2 }])
    expect((await asked(["history", "--show", run], dir)).data).toEqual(data)
    const child = await asked(["history", "--show", children[1]], dir)
    expect([child.kind, child.data]).toMatchObject(["run", { run_id: children[1], status: "completed" }])
  })

  it("refuses an unknown id, an id of the other kind, and two choices at once", async () => {
    const { children, dir } = await metRun()
    for (const [args, problem] of [
      [["--loopb", "--show", "run_0"], "run_unknown"],
      [["--loopb-children", "run_0"], "run_unknown"],
      [["--loopb", "--show", children[0]], "run_not_requirements"],
      [["--loopb-children", children[0]], "run_not_requirements"],
      [["--loopb-children", children[0], "--show", children[0]], "history_choice"],
      [["--loopb", "--kind", "tasks"], "history_choice"],
      [["--of", children[0], "--kind", "tasks"], "history_choice"]
    ] as const) {
      const { code, data, refused, stderr } = await asked(["history", ...args], dir)
      expect([code, refused, stderr]).toEqual([2, [problem], expect.stringContaining(problem)])
      expect(data.problems[0].hint).toMatch(/./)
    }
  })

  it("given no run at all, says so and writes nothing", async () => {
    const dir = project({})
    expect(await printed(["history", "--loopb"], dir)).toEqual(["No run so far."])
    const { code, stdout } = await proofline(["history", "export"], dir)
    expect([code, stdout]).toEqual([0, "No run so far; nothing was written.\n"])
    expect(readdirSync(dir)).toEqual([])
  })
})

describe("a requirements run that goes on", () => {
  it("has its task run below it, under the same driver, and waits for resume when it is killed", async () => {
    const dir = project(files({ ...script, areas: [{ hang: true }] }))
    const running = start(command, dir)
    const ended = finish(running)
    await until(() => existsSync(Path.join(dir, "hanging")))
    const [parent, child] = (await asked(["status"], dir)).data.runs
    expect(parent).toMatchObject({ kind: "requirements", loop_status: "executing_tasks", iteration: 1, tasks_total: 2 })
    expect(child).toMatchObject({ parent_run_id: parent.run_id, status: "running", driver: { pid: running.pid } })
    expect(child.driver).toEqual(parent.driver)
    const stands = `[iter:1/3] [met:0/3] [tasks:2] executing_tasks ${parent.started_at.slice(0, 10)}`
    const [above = "", ...below] = await printed(["status"], dir)
    expect(above).toContain(stands)
    expect(above).toContain(`driven by process ${running.pid}`)
    expect(below).toEqual([expect.stringMatching(`^ {2}└── ▶ ${child.run_id} running .* @ areas`)])
    const tree = await printed(["status", parent.run_id], dir)
    expect(tree[0]).toBe("Geometry <b>lib</b> running [iter:1/3] [met:0/3] executing_tasks")
    expect(tree[2]).toMatch(/^ {2}├── ▶ areas: Write area in progress/)
    expect((await printed(["history"], dir)).join()).not.toContain("driven by")
    expect(tree.join()).not.toContain("No process")
    const watched = finish(start(["watch", parent.run_id, "--json"], dir))
    running.kill("SIGKILL")
    await ended
    const left = await printed(["status"], dir)
    expect(left[0]).toContain(`driven by nobody, go on with: proofline resume ${parent.run_id}`)
    expect(left[1]).not.toContain("driven by")
    // wherever else it is shown as running, it is said too
    const listed = await printed(["history"], dir)
    expect(listed.filter((line) => line.endsWith("; driven by nobody"))).toEqual([
      expect.stringContaining(` ${parent.run_id} running`)
    ])
    expect((await printed(["status", parent.run_id], dir)).at(-1)).toMatch(`resume ${parent.run_id}`)
    const part = `No process drives ${parent.run_id}; go on with: `
    expect((await printed(["status", child.run_id], dir)).at(-1)).toContain(part)
    expect((await proofline(["show", child.run_id], dir)).stderr).toContain(part)
    // what is named by nobody is the whole, not its part
    writeFileSync(Path.join(dir, "script.json"), JSON.stringify(script))
    expect((await asked(["resume"], dir)).data).toMatchObject({ run_id: parent.run_id, status: "completed" })
    // it has seen all of it, the task runs too
    const documents = linesOf((await watched).stdout).map((line) => JSON.parse(line))
    for (const document of documents) expect(valid("status.output", document)).toEqual([])
    expect(documents.at(-1).data).toMatchObject({
      status: "completed",
      loop: { loop_status: "completed", iteration: 2, requirements_met: 2, requirements_total: 3 },
      task_runs: [{ run_id: child.run_id }, { run_id: `${parent.run_id}-iter2`, status: "completed" }]
    })
    const [row] = (await asked(["history", "--loopb"], dir)).data.runs
    expect(row).toMatchObject({ loop_status: "completed", iteration: 2, max_iterations: 3, requirements_met: 2 })
  })

  it("given that its budget is used up, is stopped everywhere and not failed, and says where a resume goes on", async () => {
    const dir = project(files(script))
    const ended = await proofline([...command, "--workers", "1", "--max-attempts", "1"], dir)
    expect(ended.code).toBe(4)
    expect(ended.stdout).toContain(`stopped at executing_tasks: ${why}`)
    const stopped = { by: "budget", message: why }
    const [run] = (await asked(["status"], dir)).data.runs
    expect(run).toMatchObject({
      status: "stopped",
      stopped,
      loop_status: "executing_tasks",
      loop_resumes_at: "executing_tasks",
      iteration: 1,
      tasks_completed: 0
    })
    const shown = await asked(["history", "--show", run.run_id], dir)
    expect(shown.data).toMatchObject({ status: "executing_tasks", run_status: "stopped", stopped })
    const list = await proofline(["history"], dir)
    expect(list.stdout).toMatch(/^■ \S+ stopped +.*executing_tasks.*\(The budget is used up/m)
    const exported = await achieved(["history", "export"], dir)
    expect(jsonIn(dir, history, exported.data.files[0].path)).toMatchObject({
      status: "executing_tasks",
      final_result: null,
      error: null,
      stopped
    })
    const report = await proofline(["report"], dir)
    expect([report.code, linesOf(report.stdout)[0]]).toEqual([
      1,
      expect.stringContaining("Not everything required is proven.")
    ])
    expect(report.stdout).toContain("1 of 1 attempts")
    expect(report.stdout).toContain("executing_tasks; run stopped")
    for (const { stdout } of [list, report]) expect(stdout).not.toContain("failed")
  })

  it("given that everything was met already, has the receipts of the run before", async () => {
    const { dir, run } = await copyOfMet()
    const again = await achieved(command, dir)
    expect(again.data.run_id).not.toBe(run)
    expect((await achieved(["verify"], dir)).data.counts.proven).toBe(3)
    rmSync(Path.join(dir, "calc.py"))
    expect((await asked(["verify"], dir)).code).toBe(1)
  })
})

// --- history export ------------------------------------------------------------------------------------------------

const history = ".task-orchestrator-history"
const exported = async (dir: string, ...args: ReadonlyArray<string>) =>
  (await achieved(["history", "export", ...args], dir)).data.files

describe("history export", () => {
  it("writes a file for every run, linked both ways, the same with every export, and no secret", async () => {
    const { children, dir, run } = await copyOfMet()
    const written = await exported(dir)
    expect(each(written, "run_id")).toEqual([run, ...children])
    const [loop, first, second] = written
    expect(loop.path).toMatch(/^loopb\/geometry-requirements_\d{8}_\d{6}\.json$/)
    expect(first.path).toMatch(/^geometry-tasks-iter1_\d{8}_\d{6}\.json$/)
    const above = jsonIn(dir, history, loop.path)
    const below = [first, second].map(({ path }) => jsonIn(dir, history, path))
    expect(valid("requirements-history", above)).toEqual([])
    for (const one of below) expect(valid("history-tasks", one)).toEqual([])
    expect(above).toMatchObject({
      history_id: Path.basename(loop.path, ".json"),
      loop_c_history_ids: [first.history_id, second.history_id],
      iterations: [
        { loop_c_history_id: first.history_id, unmet_requirements: ["req_2", "req_3"] },
        { loop_c_history_id: second.history_id, unmet_requirements: ["req_3"] }
      ],
      status: "completed",
      current_iteration: 2,
      completed_task_ids: ["areas", "again"],
      final_result: { all_requirements_met: true },
      error: null
    })
    expect(each(below, "loopb_history_id")).toEqual([above.history_id, above.history_id])
    expect(below[0]).toMatchObject({
      completed: false,
      yaml_path: expect.stringMatching(/\/generated\/geometry-tasks-iter1\.yaml$/),
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
    const texts = () => written.map(({ path }: { path: string }) => readFileSync(Path.join(dir, history, path), "utf8"))
    const before = texts()
    expect(before.join("")).not.toContain(secret)
    expect([await exported(dir), texts()]).toEqual([written, before])
    // nothing is left of how they were written
    expect(readdirSync(Path.join(dir, history)).sort()).toEqual([first.path, second.path, "loopb"].sort())
  })

  it("writes ids that --show, --loopb-children, --run and resume take, also before they are written here", async () => {
    const { children, dir, run } = await copyOfMet()
    const [loop, first] = each(await exported(dir, "--dir", "elsewhere"), "history_id") as [string, string]
    const runOf = async (...args: ReadonlyArray<string>) => (await achieved(["history", ...args], dir)).data.run_id
    expect(await runOf("--loopb", "--show", loop)).toBe(run)
    expect(await runOf("--show", `${first}.json`)).toBe(children[0])
    const below = await achieved(["history", "--loopb-children", `loopb/${loop}.json`], dir)
    expect(each(below.data.runs, "run_id")).toEqual([children[1], children[0]])
    const resumed = await proofline(["resume", loop], dir)
    expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringContaining(`Run ${run} is completed already`)])
    // one run has its task runs with it, and a task run the link to what is above it
    expect(each(await exported(dir, "--run", loop), "run_id")).toEqual([run, ...children])
    const [only, ...more] = await exported(dir, "--run", children[0], "--dir", "part")
    expect([more, jsonIn(dir, "part", only.path).loopb_history_id]).toEqual([[], loop])
    for (const [args, code] of [
      [["--loopb", "--show", first], "run_not_requirements"],
      [["--show", loop.replace(/\d{6}$/, "000000")], "run_unknown"],
      [["export", "--run", "run_0", "--dir", "none"], "run_unknown"]
    ] as const)
      expect(await asked(["history", ...args], dir)).toMatchObject({ code: 2, refused: [code] })
    expect(existsSync(Path.join(dir, "none"))).toBe(false)
  })

  it("keeps files of others, whatever they are called, finds its own again, and follows no link out of its directory", async () => {
    const { dir } = await copyOfMet()
    const names = each(await exported(dir, "--dir", "names"), "path") as ReadonlyArray<string>
    const taken = names.map((path) => Path.join(dir, history, path))
    mkdirSync(Path.join(dir, history, "loopb"), { recursive: true })
    for (const file of taken) writeFileSync(file, "of somebody else")
    const beside = await exported(dir)
    for (const file of taken) expect(readFileSync(file, "utf8")).toBe("of somebody else")
    expect(each(beside, "path")).toEqual(names.map((path) => path.replace(".json", "_2.json")))
    for (const id of jsonIn(dir, history, beside[0].path).loop_c_history_ids) expect(id).toMatch(/_2$/)
    expect(await exported(dir)).toEqual(beside)

    const outside = project({ "target.json": "{}" })
    rmSync(Path.join(dir, history), { recursive: true })
    mkdirSync(Path.join(dir, history))
    symlinkSync(outside, Path.join(dir, history, "loopb"))
    symlinkSync(outside, Path.join(dir, "linked"))
    for (const args of [[], ["--dir", "linked"]])
      expect(await asked(["history", "export", ...args], dir)).toMatchObject({
        code: 2,
        refused: ["export_dir_unusable"]
      })
    // a link in place of a file is nobody's run: it stays, and what it leads to too
    mkdirSync(Path.join(dir, "files"))
    symlinkSync(Path.join(outside, "target.json"), Path.join(dir, "files", names[1] ?? ""))
    const kept = await exported(dir, "--dir", "files")
    expect(kept[1].path).toBe(names[1]?.replace(".json", "_2.json"))
    expect(statSync(Path.join(dir, "files", kept[1].path)).isFile()).toBe(true)
    expect([readdirSync(outside), readFileSync(Path.join(outside, "target.json"), "utf8")]).toEqual([
      ["target.json"],
      "{}"
    ])
  })

  it("given two runs of one second, of files with one stem, gives each a name of its own", async () => {
    const tasks = "tasks: [{id: t, name: T, instruction: I, checks: [exit 0]}]"
    const dir = project({ "a/tasks.yaml": tasks, "b/tasks.yaml": tasks, ...scriptedAgent({}) })
    const runs: Array<string> = []
    for (const folder of ["a", "b"])
      runs.push((await asked(["run", `${folder}/tasks.yaml`, ...withAgent], dir)).data.run_id)
    const database = databaseIn(dir)
    const digest = (...texts: ReadonlyArray<unknown>) => hash("sha256", texts.join("\n"))
    database.function("digest_of", { varargs: true }, digest)
    const begun = database.prepare(
      "update run_summary set started_at = ?1, summary = json_set(summary, '$.started_at', ?1), digest = digest_of(run_id, ?1, json_set(summary, '$.started_at', ?1)) where run_id = ?2"
    )
    for (const [i, run] of runs.entries()) begun.run(`2026-01-01T10:00:00.00${i}Z`, run)
    database.close()
    const second = "tasks_20260101_100000_2"
    expect(await exported(dir)).toMatchObject([
      { run_id: runs[0], path: "tasks_20260101_100000.json" },
      { run_id: runs[1], path: `${second}.json` }
    ])
    expect(jsonIn(dir, history, `${second}.json`)).toMatchObject({
      history_id: second,
      loopb_history_id: null,
      yaml_path: Path.join(dir, "b/tasks.yaml")
    })
    // by itself it is called the same
    const [alone] = await exported(dir, "--run", runs[1] ?? "", "--dir", "one")
    expect(alone.path).toBe(`${second}.json`)
  })
})

// --- report --------------------------------------------------------------------------------------------------------

const reportOf = (dir: string, ...args: ReadonlyArray<string>) => asked(["report", ...args], dir)

describe("a report of a requirements run", () => {
  it("goes from every requirement down to the code, and can be compared with the log", async () => {
    const { children, dir, run } = await metRun()
    const { code, data } = await reportOf(dir)
    expect(code).toBe(0)
    expect(data).toMatchObject({
      run_id: run,
      status: "completed",
      proven: true,
      iterations: { current: 2, max: 3 },
      spent: { attempts: 3 },
      counts: { requirements: 3, requirements_proven: 2, receipts: 2, holding: 2, stale: 0, missing: 0 },
      requirements: [
        {
          id: "req_1",
          verdict: "proven",
          criteria: [
            { id: "req_1.1", verdict: "proven", by: "tasks", tasks: [{ task_id: "areas", items: [0] }] },
            { id: "req_1.2", by: "check", checks: [{ command: "grep -q math.pi calc.py", exit_code: 0, passed: true }] }
          ]
        },
        { id: "req_2", criteria: [{ tasks: [{ task_id: "cubes" }, { task_id: "again" }] }] },
        {
          id: "req_3",
          priority: "optional",
          verdict: "refuted",
          criteria: [{ checks: [{ passed: false, output_tail: expect.stringContaining("README.md") }] }]
        }
      ]
    })
    const areas = data.tasks.find(({ task_id }: { task_id: string }) => task_id === "areas")
    expect(areas).toMatchObject({ run_id: children[0], iteration: 1, covers: ["req_1.1", "req_1.2"] })
    // the head was cited, its whole declaration judged
    const lines = calc.split("\n").slice(3, 6)
    expect(areas.items[0]).toMatchObject({
      verdict: "proven",
      evidence: { evidence: "calc.py:4", code: { path: "calc.py", start: 4, cited: [4, 4], lines, more: 0 } }
    })
    for (const { head, run_id } of [data, ...data.runs]) {
      const { hash, version } = (await eventsOf(run_id, dir)).at(-1)
      expect(head).toEqual({ version, hash })
    }
  })

  it("says the same on a terminal, and as Markdown", async () => {
    const { dir, run } = await metRun()
    const lines = await printed(["report", run], dir)
    expect(lines[0]).toBe(
      "Geometry <b>lib</b>: Everything required is proven. What rests on receipts still holds; 2 criteria rest on commands, which were not run again."
    )
    const markdown = await printed(["report", run, "--format", "markdown"], dir)
    expect(markdown[0]).toBe("# Geometry &lt;b&gt;lib&lt;/b&gt;")
    for (const [some, line] of [
      [lines, "        ✔ proven  Add area()"],
      [lines, "                 6 │     return math.pi * square  # <script>alert(1)</script>"],
      // once is enough
      [lines, "        ✔ proven  Add area() (shown above)"],
      [lines, "          cat: README.md: No such file or directory"],
      [markdown, "### ✔ req\\_1.1: Areas of circles"],
      [markdown, "    6      return math.pi * square  # <script>alert(1)</script>"]
    ])
      expect(some).toContain(line)
  })

  it("is a part of what show says, which has the tree, the iterations, what was refused and what is next too", async () => {
    const { children, dir, run } = await metRun()
    const short = run.slice(run.lastIndexOf("_") + 1, -2)
    const lines = await printed(["show", short], dir)
    const reported = await printed(["report", "last"], dir)
    expect(lines[0]).toBe(reported[0])
    expect(lines).toEqual(
      expect.arrayContaining([
        ...reported,
        "Geometry <b>lib</b> completed [iter:2/3] [met:2/3] completed",
        expect.stringMatching(`^Iteration 2: generated/geometry-tasks-iter2\\.yaml, run ${children[1]} completed`),
        "Claimed and refused:",
        expect.stringMatching(`^Decide it again: .* replay ${run}`)
      ])
    )
    const { attempts, progress, ...rest } = (await achieved(["show"], dir)).data
    expect(rest).toEqual((await reportOf(dir)).data)
    expect(progress).toEqual((await asked(["status", run], dir)).data)
    expect(attempts).toContainEqual(expect.objectContaining({ run_id: children[0], task_id: "areas" }))
    const one = await proofline(["show", "--task", "areas", "--format", "json"], dir)
    const { requirements, tasks } = answerOf(one).data
    expect([requirements, each(tasks, "task_id")]).toEqual([[], ["areas"]])
  })

  it("is one page of HTML that needs nothing and runs nothing", async () => {
    const { dir, run } = await copyOfMet()
    const written = await proofline(["report", run, "--format", "html", "--out", "report.html"], dir)
    expect([written.code, written.stdout]).toEqual([0, ""])
    const page = readFileSync(Path.join(dir, "report.html"), "utf8")
    for (const part of [
      "&lt;script&gt;alert(1)&lt;/script&gt;",
      `content="default-src 'none'; style-src 'unsafe-inline'"`,
      "prefers-color-scheme:dark",
      "@media print",
      `<span class="line cited"><span class="number">4</span>def area(radius):`
    ])
      expect(page).toContain(part)
    expect(page).not.toMatch(/<script|<img|<link|<iframe|<object|javascript:|\son\w+=/i)
    expect(page).not.toMatch(/https?:|url\(|@import|\ssrc=/i)
    // every place it links to is in it
    for (const [, id] of page.matchAll(/href="#([^"]*)"/g)) expect(page).toContain(`id="${id}"`)
  })

  it("given code that changed since, shows no code for it, calls what it proved stale, and ends with 1", async () => {
    const { dir } = await copyOfMet()
    writeFileSync(Path.join(dir, "calc.py"), calc.replace("radius * radius", "radius + radius"))
    const { code, data } = await reportOf(dir)
    expect(code).toBe(1)
    expect(data).toMatchObject({ status: "completed", proven: false, counts: { stale: 1, requirements_proven: 1 } })
    const message = expect.stringMatching(/^areas: calc\.py:4 no longer holds\. ./)
    expect(data.requirements[0]).toMatchObject({
      verdict: "stale",
      criteria: [
        { verdict: "stale", message },
        { verdict: "proven", by: "check" }
      ]
    })
    const evidence = { status: "stale", why: expect.stringMatching(/./), code: null }
    expect(data.tasks[0].items[0]).toMatchObject({ verdict: "stale", evidence })
    const { stdout } = await proofline(["report"], dir)
    expect(stdout).not.toContain("radius + radius")
    expect(linesOf(stdout)[0]).toContain("Not everything required is proven.")
    rmSync(Path.join(dir, "calc.py"))
    expect((await reportOf(dir)).data.tasks[0].items[0]).toMatchObject({ verdict: "missing", evidence: { now: null } })
  })

  it("given that an agent was trusted, marks its opinion, and takes it back with the code it shows", async () => {
    const trusting = requirements.replace("verifier: none", "verifier: agent, trust_agent: true")
    const opinion = (requirement_id: string, evidence: string) => ({
      report: { all_requirements_met: true, requirement_status: [{ requirement_id, met: true, evidence }] }
    })
    const turns = {
      ...script,
      cubes: [{ report: done({ "Add volume()": "none.py:1" }) }],
      "verify:req_1": [opinion("req_1", "shapes.py:1")],
      "verify:req_2": [opinion("req_2", "cube.py:1-2 computes it")]
    }
    const dir = project({
      ...files(turns, trusting),
      "cube.py": "def volume(side):\n    return side * side * side\n"
    })
    await achieved(command, dir)
    const { code, data } = await reportOf(dir)
    expect(code).toBe(0)
    expect(data.requirements[1]).toMatchObject({
      verdict: "proven",
      opinion: { met: true, evidence: "cube.py:1-2 computes it", cited: [{ status: "proven", code: { start: 1 } }] },
      criteria: [{ by: "agent" }]
    })
    for (const format of ["terminal", "markdown", "html"]) {
      const { stdout } = await proofline(["report", "--format", format], dir)
      expect(stdout.replaceAll(/<[^>]*>/g, "")).toMatch(/opinion of .*no proof by itself/i)
    }
    writeFileSync(Path.join(dir, "cube.py"), "def volume(side):\n    return 0\n")
    const after = await reportOf(dir)
    expect([after.code, after.data.requirements[1].verdict]).toEqual([1, "stale"])
  })

  it("given a log that was changed, says so and shows nothing", async () => {
    const { children, dir, run } = await copyOfMet()
    const database = databaseIn(dir)
    const { changes } = database
      .prepare(
        "update event set content = replace(content, 'Write area', 'Wrote area') where stream = ? and event_type = 'TASK_REGISTERED'"
      )
      .run(children[0])
    database.close()
    expect(changes).toBeGreaterThan(0)
    const { code, stderr, stdout } = await proofline(["report", run], dir)
    expect([code, stdout, stderr]).toEqual([5, "", expect.stringContaining("log_changed")])
  })

  it("is refused with a code and what to do", async () => {
    const { dir } = await metRun()
    for (const [args, problem] of [
      [["run_0"], "run_unknown"],
      [["--format", "html"], "report_format"],
      [["--out", "no/such/folder/report.json"], "out_unwritable"]
    ] as const) {
      const { code, data, kind, refused } = await reportOf(dir, ...args)
      expect([code, kind, refused]).toEqual([2, "report", [problem]])
      expect(data.problems[0].hint).toMatch(/./)
    }
    expect(existsSync(Path.join(dir, "no"))).toBe(false)
  })
})

describe("a report of a task run", () => {
  it("has no requirements, and ends as verify does", async () => {
    const tasks = "tasks: [{id: areas, name: T, instruction: I, checks: [grep -q pi calc.py], checklist: [Add area()]}]"
    const dir = project({ ...files(script), "tasks.yaml": tasks })
    await achieved(["run", "tasks.yaml", ...command.slice(2)], dir)
    const { code, data } = await reportOf(dir)
    expect(code).toBe(0)
    expect(data).toMatchObject({ kind: "tasks", status: "completed", iterations: null, requirements: [], proven: true })
    expect(data.tasks).toMatchObject([
      {
        task_id: "areas",
        iteration: null,
        checks: [{ command: "grep -q pi calc.py", exit_code: 0 }],
        items: [{ evidence: { evidence: "calc.py:4" } }]
      }
    ])
    expect((await proofline(["report"], dir)).stdout).toContain("areas completed  T")
    writeFileSync(Path.join(dir, "calc.py"), "pi\n")
    expect([(await reportOf(dir)).code, (await asked(["verify"], dir)).code]).toEqual([1, 1])
  })
})

describe("commands in a report", () => {
  it("given one that was ended by a signal and one that took too long, says which of it", async () => {
    const checks = "kill -SEGV $$, sleep 60"
    const tasks = `tasks: [{id: areas, name: T, instruction: I, checks: [${checks}], checklist: [Add area()]}]`
    const dir = project({
      ...files(script),
      "tasks.yaml": tasks,
      "proofline.yaml": "check_timeout_ms: 500\n"
    })
    await proofline(["run", "tasks.yaml", ...command.slice(2)], dir)
    const { data } = await reportOf(dir)
    expect(data.tasks[0].checks).toMatchObject([
      { command: "kill -SEGV $$", passed: false, exit_code: null, signal: "SIGSEGV", timed_out: false },
      { command: "sleep 60", passed: false, exit_code: null, timed_out: true }
    ])
    const { stdout } = await proofline(["report"], dir)
    expect(stdout).toContain("`kill -SEGV $$` was ended by SIGSEGV")
    expect(stdout).toContain("`sleep 60` ran out of time")
  })
})

describe("text in a report", () => {
  const [example] = examplesOf("report.output") as ReadonlyArray<{ readonly data: ReportView }>
  const check = {
    command: "x",
    passed: false,
    exit_code: 1,
    signal: null,
    timed_out: false,
    output_tail: "x",
    at: null
  }
  const fields = "name message criterion title item description evidence agent command output_tail".split(" ")
  /** The same text in every place that comes from people, agents and files. */
  const traceWith = (text: string): ReportView =>
    JSON.parse(
      JSON.stringify({ ...example?.data, tasks: example?.data.tasks.map((task) => ({ ...task, checks: [check] })) }),
      (key, value) =>
        fields.includes(key) && typeof value === "string" ? text : key === "lines" ? text.split("\n") : value
    )
  const nasty = ["<", ">", "&", '"', "'", "`", "```\n", "\n", "#", "[x](y:1)", "-->", "</pre>", "\u202e", "\u001b[2J"]
  const Nasty = Schema.Array(Schema.Union([Schema.Literals(nasty), Schema.String]))
  const invisible = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u
  const count = (text: string, one: string) => text.split(one).length

  it.prop("is never markup of the page, and nothing in it is invisible", [Nasty], ([parts]) => {
    const text = `x${parts.join("")}`.replaceAll(/\s+/g, " ")
    const page = traceabilityHtml(traceWith(text), "1")
    const plain = traceabilityHtml(traceWith("x"), "1")
    for (const one of ["<", ">", '"']) expect(count(page, one)).toBe(count(plain, one))
    expect(page.replaceAll("\n", "")).not.toMatch(invisible)
  })

  it.prop("is never markup of Markdown: no tag, no link, and nothing ends its fence", [Nasty], ([parts]) => {
    const lines = traceabilityMarkdown(traceWith(`\`\`\`\n${parts.join("")}`)).split("\n")
    const outside: Array<string> = []
    let fence: string | null = null
    for (const line of lines) {
      const [, ticks, word] = /^ {0,3}(`{3,})(text)?\s*$/.exec(line) ?? []
      if (fence === null) {
        if (ticks === undefined) outside.push(line)
        else fence = ticks
      } else if (ticks !== undefined && word === undefined && ticks.length >= fence.length) fence = null
    }
    expect(fence).toBeNull()
    expect(outside.filter((line) => !line.includes("`")).join(" ")).not.toMatch(/<|(?<!\\)\[/)
    expect(lines.join("").replaceAll("\t", "")).not.toMatch(invisible)
  })
})
