import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { callsOf, done, rolesOf, type Script, scriptedAgent, withAgent } from "./agent.ts"
import { achieved, asked, each, expectReplay, fixture } from "./asked.ts"
import { part, planned, stage } from "./chunkStage.ts"
import { eventsOf, isGone, launcher, project, proofline, until } from "./proofline.ts"

const item = "Add add() to add.js"
const oneTask = `
tasks:
  - id: add
    name: Add
    instruction: Write add().
    checks: ["grep -q 'a + b' add.js"]
    checklist: [${item}]
`
const good = { "add.js": "export const add = (a, b) => {\n  return a + b\n}\n" }
const stub = { "add.js": "export const add = (a, b) => {\n  // TODO\n}\n" }
const works = (files: Readonly<Record<string, string>>) => ({ files, report: done({ [item]: "add.js:1-3" }) })

const run = ["run", "tasks.yaml", ...withAgent]
const once = [...run, "--max-retries", "0"]
const staged = (script: Script, tasks = oneTask, more: Readonly<Record<string, string>> = {}) =>
  project({ "tasks.yaml": tasks, ...scriptedAgent(script), ...more })

describe("run", () => {
  it("refuses a stub, tells the agent why, accepts the repaired work, and leaves a receipt", async () => {
    const dir = staged({ add: [works(stub), works(good)] })
    const { data } = await achieved(run, dir)
    const receipt = { path: "add.js", start: 1, end: 3 }
    const proven = { item, status: "done", verdict: "proven", evidence: "add.js:1-3", receipt }
    expect(data).toMatchObject({
      status: "completed",
      tasks: [{ id: "add", title: "Add", status: "completed", attempts: 2, checklist: [proven] }]
    })
    expect(callsOf(dir)[1]?.prompt).toContain("checklist_evidence_empty_impl")
    const rejected = (await eventsOf(data.run_id, dir)).filter(
      ({ event_type }) => event_type === "CHECKLIST_ITEM_REJECTED"
    )
    expect(rejected.map(({ content }) => content.key)).toEqual(["checklist_evidence_empty_impl"])
  })

  it("takes lines that were there before for an item that says so, and for no other", async () => {
    const kept = "subtract() is in add.js"
    const tasks = oneTask.replace(`[${item}]`, `[${item}, { item: ${kept}, existing: true }]`)
    const before = { "add.js": "export const subtract = (a, b) => {\n  return a - b\n}\n" }
    const text = `${before["add.js"]}${good["add.js"]}`
    const report = (evidence: string) => ({
      files: { "add.js": text },
      report: done({ [item]: evidence, [kept]: "add.js:1-3" })
    })
    const dir = staged({ add: [report("add.js:1-3"), report("add.js:4-6")] }, tasks, before)
    const { data } = await achieved(run, dir)
    expect(data.tasks[0]).toMatchObject({ attempts: 2, checklist: [{ verdict: "proven" }, { verdict: "proven" }] })
  })

  it("tells the agent and the user which test failed, wherever in the output of a check that stands", async () => {
    const tasks = oneTask.replace("grep -q 'a + b' add.js", "sh tests.sh")
    const tests = `
      r="not "; grep -q 'a + b' add.js && r=
      many() { yes "ok 1 should be equal" | head -n 300; }
      echo "TAP version 13"; echo "# normalize"; many; echo "\${r}ok 301 sorts keys"; many; echo "1..601"; echo "# tests 601"
      test "$r" = ""
    `
    const wrong = { "add.js": "export const add = (a, b) => {\n  return a - b\n}\n" }
    const dir = staged({ add: [works(wrong), works(good)] }, tasks, { "tests.sh": tests })
    const { code, stderr } = await proofline(run, dir)
    expect(code).toBe(0)
    expect(callsOf(dir)[1]?.prompt).toContain("it names as failed: sorts keys. The end of its output:")
    expect(stderr).toContain("`sh tests.sh` (exited with 1; it names as failed: sorts keys)")
  })

  it("says how to begin where nothing of Proofline is in the project, and where there is no run to look at", async () => {
    const hintOf = async (args: ReadonlyArray<string>, files: Readonly<Record<string, string>>) =>
      (await asked(args, project(files))).data.problems[0].hint
    expect(await hintOf(run, {})).toMatch(/`proofline init` writes one/)
    expect(await hintOf(run, { "proofline.yaml": "" })).not.toContain("init")
    for (const command of ["show", "verify"])
      expect(await hintOf([command], {})).toMatch(/^Begin one with `proofline run tasks\.yaml`/)
  })

  it("ends an attempt that takes too long and leaves no process", async () => {
    const dir = staged({ add: [{ hang: true }] })
    const { code, data } = await asked([...once, "--timeout", "800ms"], dir)
    expect(code).toBe(1)
    const ended = (await eventsOf(data.run_id, dir)).find(({ event_type }) => event_type === "ATTEMPT_ENDED")
    expect(ended.content.outcome).toBe("TIMEOUT")
    expect(isGone(callsOf(dir)[0]?.pid ?? 0)).toBe(true)
  })

  it("opens the breaker when the agent does not exist, without burning retries, and resumes when it does", async () => {
    const dir = staged({ add: [works(good)] })
    const nobody = ["--agent", "command", "--agent-command", "no-such-agent-anywhere"]
    const { code, data } = await asked(["run", "tasks.yaml", ...nobody], dir)
    expect([code, data.tasks[0].attempts]).toEqual([4, 1])
    expect((await achieved(["resume", ...withAgent], dir)).data.status).toBe("completed")
  })

  it("goes on with the next agent when one has no quota left, also to judge, and stops when nobody is left", async () => {
    const broke = { command: "echo 'You have hit your usage limit. Try again in 3 hours.' >&2; exit 1" }
    const spare = { command: withAgent[3] }
    const reviewed = `${oneTask}    validation: [it adds]\n`
    const script: Script = { add: [works(good)], "review:add": [{ report: { judgment: "PASS" } }] }
    const config = (agents: object) => ({
      "proofline.yaml": JSON.stringify({ agents, agent: "broke", reviewer: "broke" })
    })
    const dir = staged(script, reviewed, config({ broke, spare }))
    const alone = await asked(["run", "tasks.yaml"], dir)
    expect([alone.code, alone.data.tasks[0].status]).toEqual([4, "pending"])
    expect(alone.stdout).toMatch(/no quota or credit left for it\. It says to wait until 20\d\d-/)
    expect(callsOf(dir)).toEqual([])
    const { data } = await achieved(["resume", "--fallback", "spare"], dir)
    const events = await eventsOf(data.run_id, dir)
    const attempts = events.filter(({ event_type }) => event_type === "ATTEMPT_ENDED")
    expect(attempts.map(({ content }) => [content.agent, content.outcome])).toEqual([
      ["broke", "ERROR"],
      ["broke", "ERROR"],
      ["spare", "COMPLETE"]
    ])
    expect(rolesOf(dir)).toEqual(["work:add", "review:add"])
    await expectReplay(dir)
  })

  it("stops at the first failure with --fail-fast and ends what still runs", async () => {
    const tasks = `
tasks:
  - { id: slow, name: Slow, instruction: Slow, checks: ["true"] }
  - { id: bad, name: Bad, instruction: Bad, checks: ["test -e ready && until test -e hanging; do :; done; false"] }
`
    const dir = staged({ slow: [{ hang: true }], bad: [{ files: { ready: "" } }] }, tasks)
    const { code, data } = await asked([...once, "--fail-fast"], dir)
    expect([code, data.status, each(data.tasks, "status")]).toEqual([1, "failed", ["skipped", "failed"]])
    expect(isGone(callsOf(dir).find(({ task }) => task === "slow")?.pid ?? 0)).toBe(true)
  })

  it("touches nothing on --dry-run, and without an agent", async () => {
    const dir = staged({})
    expect((await achieved([...run, "--dry-run"], dir)).data).toMatchObject({
      dry_run: true,
      tasks: [{ id: "add", status: "pending" }]
    })
    expect(await asked(["run", "tasks.yaml"], dir)).toMatchObject({ code: 2, refused: ["agent_missing"] })
    expect(existsSync(Path.join(dir, ".proofline"))).toBe(false)
    expect(callsOf(dir)).toEqual([])
  })

  it("runs only the named tasks and takes what they build on as completed", async () => {
    const tasks = `
tasks:
  - { id: a, name: A, instruction: A, checks: ["false"] }
  - { id: b, name: B, instruction: B, checks: ["test -s b.txt"], depends_on: [a] }
  - { id: c, name: C, instruction: C, checks: ["test -s c.txt"], depends_on: [b] }
`
    const dir = staged({ b: [{ files: { "b.txt": "b\n" } }], c: [{ files: { "c.txt": "c\n" } }] }, tasks)
    expect(each((await achieved([...run, "--only", "b"], dir)).data.tasks, "id")).toEqual(["b"])
    // its check would pass without any work
    rmSync(Path.join(dir, "b.txt"))
    expect(each((await achieved([...run, "--from", "b"], dir)).data.tasks, "id")).toEqual(["b", "c"])
    const unknown = await asked([...run, "--only", "x,b"], dir)
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('There is no task "x"')])
  })

  it("ends with its exit code also when nobody reads the output", async () => {
    const dir = staged({ add: [{ exit: 1 }] })
    const command = (...words: ReadonlyArray<string>) =>
      [process.execPath, launcher, ...words].map((word) => `'${word}'`).join(" ")
    const line = command(...once)
    for (const reader of [`(${line}; echo $? > code) | true`, `(${line} 2>&1 >/dev/null; echo $? > code) | true`]) {
      rmSync(Path.join(dir, "code"), { force: true })
      spawnSync("sh", ["-c", reader], { cwd: dir })
      const code = () => (existsSync(Path.join(dir, "code")) ? readFileSync(Path.join(dir, "code"), "utf8") : "")
      await until(() => code() !== "")
      expect(code(), reader).toBe("1\n")
    }
    const { stderr } = spawnSync("sh", ["-c", `${command("status", "--all")} | true`], { cwd: dir, encoding: "utf8" })
    expect(stderr).toBe("")
  })
})

describe("validation", () => {
  const tasks = oneTask.replace(/ {4}checks: .*\n/, "    validation: [It adds]\n")
  const judging = (report: unknown) =>
    `#!/bin/sh\necho >> judged\nprintf '%s' '${JSON.stringify(report)}' > "$PROOFLINE_REPORT_FILE"\n`

  it("asks nobody whom the user did not name: each criterion needs evidence of its own", async () => {
    const shown = { report: done({ [item]: "add.js:2", "It adds": "add.js:1" }) }
    const dir = staged({ add: [works(good), shown], "review:add": [{ report: { judgment: "PASS" } }] }, tasks)
    expect((await achieved(run, dir)).data).toMatchObject({
      verdict: "proven",
      tasks: [{ attempts: 2, checklist: [{ item }, { item: "It adds", verdict: "proven", evidence: "add.js:1" }] }]
    })
    expect(rolesOf(dir)).toEqual(["work:add", "work:add"])
    const [first, second] = callsOf(dir)
    expect(first?.prompt).toContain(`## Checklist\n\n- ${item}\n- It adds\n`)
    expect(second?.prompt).toContain("Missing: 'It adds'")
  })

  it("goes back to the agent when the reviewer rejects, with what must be changed", async () => {
    const reviews = [
      { report: { judgment: "REJECT", modification_prompt: "Use a plus." } },
      { report: { judgment: "PASS", checks: [{ criterion: "It adds", passed: true }] } }
    ]
    const dir = staged({ add: [works(good)], "review:add": reviews }, tasks)
    expect((await achieved([...run, "--reviewer", "command"], dir)).data).toMatchObject({
      verdict: "reviewed",
      tasks: [{ attempts: 2 }]
    })
    expect(rolesOf(dir)).toEqual(["work:add", "review:add", "work:add", "review:add"])
    expect(callsOf(dir)[2]?.prompt).toContain("Use a plus.")
  })

  it("is for a reviewer with a command of its own, and a resume that names another asks that one alone", async () => {
    const dir = staged({ add: [works(good)] }, tasks, {
      "none.sh": "#!/bin/sh\nexit 3\n",
      "critic.sh": judging({ judgment: "PASS" })
    })
    const named = ["--reviewer", "command", "--reviewer-command", "./none.sh"]
    const unread = await asked([...once, ...named], dir)
    expect([unread.code, unread.data.tasks[0].verdict]).toEqual([1, "unproven"])
    const resumed = await achieved(["resume", "--reviewer-command", "./critic.sh"], dir)
    expect(resumed.data).toMatchObject({ verdict: "reviewed", tasks: [{ attempts: 1 }] })
    expect(readFileSync(Path.join(dir, "judged"), "utf8")).toBe("\n")
    expect(rolesOf(dir)).toEqual(["work:add"])
  })

  it("holds back what depends on work that a reviewer with a command of its own has rejected", async () => {
    const after = "  - { id: b, name: B, instruction: B, checks: ['true'], depends_on: [add] }\n"
    const dir = staged({ add: [works(good)] }, tasks + after, { "critic.sh": judging({ judgment: "REJECT" }) })
    const { code } = await asked([...once, "--reviewer", "command", "--reviewer-command", "./critic.sh"], dir)
    expect([code, rolesOf(dir)]).toEqual([1, ["work:add"]])
  })
})

// --- limits -------------------------------------------------------------------------------------------------------

/** Works on any task, and says what it has used; as a reviewer it passes everything. */
const { "spender.sh": spender = "", "three.yaml": three = "" } = fixture("runs")
const withSpender = ["--agent", "command", "--agent-command", "./agent.sh", "--retry-delay", "0s"]
const spend = ["run", "tasks.yaml", ...withSpender]
const spending = (tasks: string, more: Readonly<Record<string, string>> = {}) =>
  project({ "tasks.yaml": tasks, "agent.sh": spender, ...more })
const spentOn = (dir: string) => readFileSync(Path.join(dir, "calls.txt"), "utf8").trim().split("\n")

describe("a run with a budget", () => {
  it("begins no more attempts than it may, says what was used up, and each resume goes on with as many", async () => {
    const dir = spending(three)
    const first = await asked([...spend, "--workers", "3", "--max-attempts", "1"], dir)
    const message = "The budget is used up: 1 of 1 attempt (max_attempts)."
    expect(first.code).toBe(4)
    expect(first.data).toMatchObject({ status: "stopped", stopped: { by: "budget", message }, message })
    expect(each(first.data.tasks, "status").toSorted()).toEqual(["completed", "pending", "pending"])
    const second = await proofline(["resume", first.data.run_id], dir)
    expect(second.code).toBe(4)
    expect(second.stdout).toContain(message)
    expect(second.stdout).toMatch(/Go on with: .*resume run_/)
    expect(spentOn(dir)).toHaveLength(2)
    await achieved(["resume", first.data.run_id], dir)
    expect(spentOn(dir)).toHaveLength(3)
    await expectReplay(dir)
  })

  it("counts the tokens and dollars that agents tell of, and the nearest settings go before", async () => {
    const tasks = `${three}defaults: {workers: 1, max_tokens: 150}\n`
    const dir = spending(tasks, { "proofline.yaml": "max_cost: 1.2\nmax_tokens: 50\n" })
    const { code, data } = await asked(spend, dir)
    expect([code, data.message]).toEqual([4, "The budget is used up: 200 of 150 tokens (max_tokens)."])
    const events = await eventsOf(data.run_id, dir)
    const usage = { input_tokens: 70, output_tokens: 30, cost_usd: 0.5 }
    expect(events.flatMap(({ content, event_type }) => (event_type === "AGENT_CALLED" ? [content] : []))).toEqual(
      ["a", "b"].map((task_id) => ({ agent: "command", role: "work", task_id, attempt: 1, usage }))
    )
    expect(events[0].content.config.budget).toMatchObject({
      max_tokens: 150,
      max_cost_usd: 1.2,
      max_attempts: null,
      max_calls: null
    })
    const more = spending(tasks)
    const dollars = await asked([...spend, "--max-tokens", "1000", "--max-cost", "0.75"], more)
    expect(dollars.data.message).toBe("The budget is used up: $1 of $0.75 (max_cost_usd).")
    expect(spentOn(more)).toHaveLength(2)
  })

  it("is ended when its time is over, with its agents, and takes up what it gave up", async () => {
    const waits = `#!/bin/sh\necho $$ > pid\nwhile ! [ -e go ]; do sleep 0.1; done\necho done > "$PROOFLINE_TASK_ID.txt"\n`
    const dir = spending(three, { "agent.sh": waits })
    const { code, data } = await asked([...spend, "--workers", "1", "--max-duration", "1s"], dir)
    expect([code, data.status, data.message]).toEqual([
      4,
      "stopped",
      "The budget is used up: 1s are over (max_duration)."
    ])
    if (existsSync(Path.join(dir, "pid")))
      expect(isGone(Number(readFileSync(Path.join(dir, "pid"), "utf8")))).toBe(true)
    writeFileSync(Path.join(dir, "go"), "")
    const resumed = await achieved(["resume", "--max-duration", "99h"], dir)
    expect(each(resumed.data.tasks, "status")).toEqual(["completed", "completed", "completed"])
    await expectReplay(dir)
  })
})

describe("a step", () => {
  it("is one call of an agent, says what was done and how to go on", async () => {
    const tasks = `tasks:
  - {id: a, name: a, instruction: Write it., validation: [It is good.]}
  - {id: b, name: b, instruction: Write it., checks: ["test -e b.txt"], depends_on: [a]}
`
    const dir = spending(tasks, { "proofline.yaml": "agents: {critic: {command: ./agent.sh}}\n" })
    const first = await asked([...spend, "--reviewer", "critic", "--step"], dir)
    expect(first.code, first.stderr).toBe(4)
    expect(first.stderr).toContain("One step was made: agent command worked on task a, attempt 1.")
    const next = ["resume", first.data.run_id, "--step"]
    expect(first.stderr).toMatch(new RegExp(`Make the next step with: .*${next.join(" ")}`))
    expect(spentOn(dir)).toEqual(["work a"])
    const second = await asked(next, dir)
    expect([second.code, second.stderr]).toEqual([
      4,
      expect.stringContaining("agent critic reviewed attempt 1 of task a")
    ])
    expect(spentOn(dir)).toEqual(["work a", "review a"])
    expect(each((await achieved(next, dir)).data.tasks, "status")).toEqual(["completed", "completed"])
  })

  it("is an analysis, where an agent plans the split, and asks again within it", async () => {
    const on = stage({ "analyze:task-001": [{ report: "I would split it." }, ...planned(part("one"), part("two"))] })
    const chunk = ["chunk", "Write one.txt and two.txt.", ...on.agent, "--analyzer", "agent", "--reviewer", "none"]
    const first = await asked([...chunk, "--step"], on.dir)
    expect([first.code, first.stderr]).toEqual([
      4,
      expect.stringContaining("agent command planned how to split task task-001")
    ])
    expect(rolesOf(on.room)).toEqual(["analyze:task-001", "analyze:task-001"])
    await asked(["resume", first.data.run_id, "--step"], on.dir)
    expect(rolesOf(on.room).slice(2)).toEqual(["work:task-001-sub-1"])
  })
})

// --- the task files of several iterations ---------------------------------------------------------------------------

describe("a tasks file of a second iteration", () => {
  const first = "generated/notes-tasks-iter1.yaml"
  const second = "generated/notes-tasks-iter2.yaml"
  /** The second as the requirements loop prints it, with something to show. */
  const { [first]: firstFile = "", [second]: secondFile = "" } = fixture("iterations")
  const withoutHead = secondFile.replaceAll(/^#.*\n/gm, "")
  const writer: Script = {
    "*": [
      {
        files: { "%task.txt": "work of %task\n" },
        report: done({ "%task.txt is written": "%task.txt:1" }, "wrote %task")
      }
    ]
  }
  const having = (files: Readonly<Record<string, string>>) => project({ ...scriptedAgent(writer), ...files })
  const valid = { tasks: 1, problems: [], warnings: [] }

  it("given the first beside it and run, then it is valid and runs, and its agent is told what was done before", async () => {
    const dir = having({ [first]: firstFile, [second]: withoutHead })
    await achieved(["run", first, ...withAgent], dir)
    expect((await asked(["validate", second], dir)).data).toMatchObject(valid)
    const again = await achieved(["run", second, ...withAgent], dir)
    expect(again.stderr).not.toContain("on your word")
    expect(again.data.tasks).toMatchObject([{ id: "task_4", status: "completed" }])
    const [started] = await eventsOf(again.data.run_id, dir)
    expect(started.content.completed_tasks).toMatchObject([{ task_id: "task_2", summary: "wrote task_2" }])
    await expectReplay(dir)
  })

  it("given a head that says what was completed, then that is taken at its word where nothing ran here", async () => {
    const dir = having({ [first]: firstFile, [second]: secondFile })
    expect((await asked(["validate", second], dir)).data).toMatchObject(valid)
    const planned = await proofline(["run", second, ...withAgent, "--dry-run"], dir)
    expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining("(after task_2)")])
    // without the head nobody says so: it is warned of, and not run
    writeFileSync(Path.join(dir, second), withoutHead)
    expect((await achieved(["validate", second], dir)).data.warnings).toMatchObject([{ code: "dependency_not_run" }])
    const { code, data } = await asked(["run", second, ...withAgent], dir)
    const hint = expect.stringContaining("Run the file of that iteration first")
    expect([code, data.problems]).toMatchObject([2, [{ code: "dependency_not_completed", line: 5, hint }]])
  })

  it("given a task of the first that failed, then what depends on it is refused, whatever the head says", async () => {
    const dir = having({ [first]: firstFile.replace("task_2.txt is written", "it is not"), [second]: secondFile })
    expect((await asked(["run", first, ...withAgent, "--max-retries", "0"], dir)).code).toBe(1)
    for (const args of [
      ["validate", second],
      ["run", second, ...withAgent]
    ])
      expect(await asked(args, dir)).toMatchObject({ code: 2, refused: ["dependency_not_completed"] })
    const reused = secondFile.replace("id: task_4", "id: task_2").replace("[task_2]", "[task_1]")
    writeFileSync(Path.join(dir, second), reused)
    expect((await asked(["validate", second], dir)).refused).toEqual(["id_of_failed_task"])
    // a file of another feature is no first one
    writeFileSync(Path.join(dir, "generated/other-tasks-iter2.yaml"), secondFile)
    expect((await asked(["validate", "generated/other-tasks-iter2.yaml"], dir)).refused).toEqual(["dependency_unknown"])
  })
})
