import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { chunkingVisibility } from "../kernel/support/words.ts"
import { done, type Move, type Script } from "./agent.ts"
import { achieved, answerOf, asked, each, expectReplay, fixture } from "./asked.ts"
import { bigTask, chunk, logOf, ofType, part, pass, planned, type Stage, stage, writes } from "./chunkStage.ts"
import { finish, isGone, launcher, proofline, start, until } from "./proofline.ts"
import { valid } from "./schemas.ts"

const authentication = "Create user authentication module with login, logout, and session management"
const two = planned(part("first"), part("second"))
const three = planned(part("first"), part("second"), part("third"))
const analysing = { "analyze:task-001": [{ hang: true }] }

/** A directory for temporary files, which nothing may be left in. */
const temporaryOf = (on: Stage): string => {
  const folder = Path.join(on.room, "temporary")
  mkdirSync(folder, { recursive: true })
  return folder
}

/** The plan as data; nothing was left behind, neither in the project nor where temporary files go. */
const planOf = async (on: Stage, ...args: ReadonlyArray<string>) => {
  const TMPDIR = temporaryOf(on)
  const before = readdirSync(on.dir)
  const answer = await asked(["chunk", ...args, "--plan"], on.dir, { TMPDIR })
  expect([answer.kind, readdirSync(on.dir), readdirSync(TMPDIR)]).toEqual(["chunk", before, []])
  return answer
}

describe("chunk --plan", () => {
  it("shows the split without any agent, as data and for people, and starts nothing", async () => {
    const on = stage({})
    const { code, data, stderr } = await planOf(on, authentication)
    expect([code, stderr]).toEqual([0, ""])
    expect(data).toMatchObject({ decomposable: true, analyzer: "heuristic", execution_mode: "parallel" })
    expect(data.subtasks).toMatchObject(
      ["login", "logout", "session management"].map((word, i) => ({
        subtask_id: `task-001-sub-${i + 1}`,
        dependencies: [],
        execution_order: i + 1,
        prompt: expect.stringContaining(word),
        acceptance_criteria: expect.arrayContaining([expect.any(String)])
      }))
    )
    // the words that led there are the user's
    expect(data.criteria).toHaveLength(4)
    const words = data.criteria.flatMap((one: { met: boolean; words: Array<string> }) => (one.met ? one.words : []))
    expect(words).not.toEqual([])
    for (const word of words) expect(authentication).toContain(word)

    const { stdout } = await proofline(["chunk", authentication, "--plan"], on.dir)
    for (const line of ["Would be split into 3 subtasks, parallel", "3. task-001-sub-3", "was started."])
      expect(stdout).toContain(line)
    expect(stdout).not.toContain("undefined")
  })

  it("reads the prompt from stdin, also one that spans lines and is not English", async () => {
    const on = stage({})
    const child = spawn(process.execPath, [launcher, "chunk", "-", "--plan", "--json"], { cwd: on.dir })
    const ended = finish(child)
    child.stdin.end(
      "次のファイルを作成してください:\n\n1. src/login.ts にログイン処理\n2. src/logout.ts にログアウト処理\n"
    )
    const { code, data, stderr } = answerOf(await ended)
    expect(code, stderr).toBe(0)
    expect(each(data.subtasks, "paths")).toEqual([["src/login.ts"], ["src/logout.ts"]])
    expect(each(data.subtasks, "prompt").join()).toContain("ログアウト処理")
    expect(existsSync(Path.join(on.dir, ".proofline"))).toBe(false)
  })

  it("refuses what cannot be planned, with what to do", async () => {
    for (const [args, reason] of [
      [["  "], "prompt_empty"],
      [[authentication, "--analyzer", "oracle"], "analyzer_unknown"],
      [[authentication, "--analyzer", "agent"], "agent_missing"],
      [[authentication, "--item", "a", "--item", "a"], "item_invalid"],
      [[authentication, "--min-subtasks", "12"], "subtasks_bounds"]
    ] as const) {
      const { code, data, refused } = await planOf(stage({}), ...args)
      expect([code, refused]).toEqual([2, [reason]])
      expect(data.problems[0].hint).not.toBe("")
    }
  })

  it("asks the agent first unless somebody else is named, and for nothing else; the rules where it gives no plan", async () => {
    const plan = planned(part("first"), part("second"), part("third", [1, 2], { title: "Three" }))
    const on = stage({ "analyze:task-001": [...plan, { report: "I would split it." }] })
    const { data } = await planOf(on, bigTask, ...on.withAgent)
    expect(data).toMatchObject({ decomposable: true, analyzer: "agent", execution_mode: "hybrid" })
    expect(data.subtasks[2]).toMatchObject({
      title: "Three",
      prompt: "third",
      dependencies: ["task-001-sub-1", "task-001-sub-2"],
      acceptance_criteria: ["third: done"]
    })
    expect(on.calls()[0]?.prompt).toContain(bigTask)
    const unread = await planOf(on, authentication, ...on.withAgent)
    expect([unread.code, unread.data.subtasks.length]).toEqual([0, 3])
    expect(unread.data).toMatchObject({ decomposable: true, analyzer: "heuristic" })
    expect(unread.data.warnings).toEqual([expect.stringContaining("gave no plan that can be used")])
    expect(each(on.calls(), "role")).toEqual(["analyze", "analyze"])
  })

  it("leaves nothing behind when it is interrupted while the agent thinks", async () => {
    const on = stage(analysing)
    const TMPDIR = temporaryOf(on)
    const child = start(["chunk", bigTask, ...on.withAgent, "--analyzer", "agent", "--plan"], on.dir, { TMPDIR })
    const ended = finish(child)
    await until(() => existsSync(Path.join(on.room, "hanging")))
    child.kill("SIGINT")
    expect((await ended).code).toBe(130)
    expect(isGone(on.calls()[0]?.pid ?? 0)).toBe(true)
    expect([readdirSync(TMPDIR), readdirSync(on.dir)]).toEqual([[], []])
  })
})

describe("the settings of splitting", () => {
  const json = ".claude/task-chunking.json"

  it("of proofline.yaml win over the other file, key by key, and the command line over both", async () => {
    const on = stage(
      {},
      {
        [json]: '{ "min_subtasks": 4, "execution_mode": "sequential" }',
        "proofline.yaml": "chunking:\n  min_subtasks: 3\n"
      }
    )
    const sequential = { decomposable: true, execution_mode: "sequential" }
    expect((await planOf(on, authentication)).data).toMatchObject(sequential)
    const said = await planOf(on, authentication, "--execution-mode", "parallel", "--min-subtasks", "2")
    expect(said.data).toMatchObject({ decomposable: true, execution_mode: "parallel" })
  })

  it("are refused with their place, and the same for people", async () => {
    for (const [file, text, key, line, column] of [
      [json, '{\n  "enabled": true,\n  "max_subtask": 3\n}\n', "max_subtask", 3, 3],
      [json, '{ "min_subtasks": 5, "max_subtasks": 4 }', "max_subtasks", 1, 38],
      ["proofline.yaml", "chunking:\n  workspaces: worktree\n", "chunking.workspaces", 2, 3]
    ] as const) {
      const { code, data, stderr } = await planOf(stage({}, { [file]: text }), authentication)
      const message = expect.stringContaining(key)
      const hint = expect.stringMatching(/./)
      expect([code, data.problems]).toMatchObject([2, [{ file, line, column, message, hint }]])
      expect(stderr).toContain(`${file}:${line}:${column}`)
    }
  })
})

// --- runs ----------------------------------------------------------------------------------------------------------

describe("a large task", () => {
  it("is run in parts at the same time, and is one task to whoever asked", async () => {
    const together = (file: string) => [{ ...writes(file), meet: 3 }]
    const on = stage({
      "analyze:task-001": three,
      "task-001-sub-1": together("a.js"),
      // ends badly once
      "task-001-sub-2": [{ meet: 3, exit: 3, stderr: "boom" }, writes("b.js")],
      "task-001-sub-3": together("c.js"),
      "review:*": [pass]
    })
    const { code, data, stderr, stdout } = answerOf(
      await chunk(on, "--check", "test -s a.js && test -s b.js && test -s c.js")
    )
    expect(code, stdout).toBe(0)
    expect(stderr).toContain("task-001: all 3 subtasks completed after 4 attempts\n")
    const complete = { subtask_status: "COMPLETE", retry_count: 0 }
    expect(data).toMatchObject({
      status: "completed",
      kind: "prompt",
      tasks: [{ id: "task-001", status: "completed" }]
    })
    expect(data.tasks[0]).toMatchObject({
      chunked: {
        status: "COMPLETE",
        execution_mode: "parallel",
        completed_subtasks: 3,
        total_subtasks: 3,
        total_retries: 1
      },
      subtasks: [
        { subtask_id: "task-001-sub-1", ...complete },
        { subtask_id: "task-001-sub-2", ...complete, retry_count: 1, attempts: 2 },
        { subtask_id: "task-001-sub-3", ...complete }
      ]
    })

    // the log, as task chunking §6.2 writes it
    const printed = async (...more: ReadonlyArray<string>) => {
      const { stdout } = await proofline(["events", ...more], on.dir)
      return stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    }
    const events = await printed()
    const chunking = events.filter(({ event_type }) => event_type in chunkingVisibility)
    for (const event of chunking) {
      expect(event.visibility, event.event_type).toBe(
        chunkingVisibility[event.event_type as keyof typeof chunkingVisibility]
      )
      expect(Object.keys(event).slice(0, 4)).toEqual(["event_type", "timestamp", "visibility", "content"])
      expect(event.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(valid("event", event)).toEqual([])
      expect(event.content.parent_task_id).toBe("task-001")
    }
    const contentsOf = (type: string) => ofType(chunking, type).map(({ content }) => content)
    for (const [type, contents] of Object.entries(JSON.parse(fixture("chunking")["contents.json"] ?? "")))
      expect(contentsOf(type), type).toMatchObject(contents as ReadonlyArray<object>)
    const started = contentsOf("SUBTASK_START")
    expect(new Set(each(started.slice(0, 3), "worker_id")).size).toBe(3)
    expect(started.slice(3)).toMatchObject([{ subtask_id: "task-001-sub-2", prompt: "second", retry_count: 1 }])
    const result = { status: "COMPLETE", output_summary: "a.js is written", review_loop_iterations: 1 }
    const first = contentsOf("SUBTASK_COMPLETE").find(({ subtask_id }) => subtask_id === "task-001-sub-1")
    expect(first.subtask_result).toMatchObject(result)
    // atomic: nothing after the end of the parts but the end of the whole
    const types = each(events, "event_type")
    expect(types.slice(-3)).toEqual(["CHUNKING_COMPLETE", "TASK_COMPLETED", "RUN_COMPLETED"])
    expect(types.lastIndexOf("SUBTASK_COMPLETE")).toBeLessThan(types.indexOf("CHUNKING_COMPLETE"))
    // the views of it
    expect(await printed("--visibility", "full")).toEqual(events)
    const summary = await printed("--visibility", "summary")
    expect(summary).toEqual(events.filter(({ visibility }) => visibility === "summary"))
    expect(each(summary, "event_type")).toContain("SUBTASK_RETRY")
    expect(each(summary, "event_type")).not.toContain("SUBTASK_CREATED")
  })

  it("runs what others build on first, tells them what came of it, and gives every part its context", async () => {
    const on = stage({
      "analyze:task-001": planned(
        part("Write the parser in src/parser.js", [], { title: "Parser", paths: ["src/parser.js"] }),
        part("Write the printer", []),
        part("Join both", [1, 2])
      ),
      "task-001-sub-1": [{ ...writes("src/parser.js"), report: { summary: "The parser has three rules." }, meet: 2 }],
      "task-001-sub-2": [{ ...writes("src/printer.js"), meet: 2 }],
      "task-001-sub-3": [writes("src/main.js")],
      "review:*": [pass]
    })
    const request = "Make a compiler:\n- src/parser.js\n- a printer\n- join both"
    const { data } = await achieved(["chunk", request, ...on.withAgent, "--analyzer", "agent"], on.dir)
    expect(data.tasks[0].chunked.execution_mode).toBe("hybrid")
    const last = ["task-001-sub-3", "review:task-001-sub-3"].flatMap((key) => [`+ ${key}`, `- ${key}`])
    expect(on.order().slice(-4)).toEqual(last)
    const promptOf = (task: string) => on.calls("work").find((call) => call.task === task)?.prompt ?? ""
    const first = promptOf("task-001-sub-1")
    for (const said of [
      "> Make a compiler:\n> - src/parser.js",
      "Part 1 of 3",
      "## Files named for this part\n\n- src/parser.js"
    ])
      expect(first).toContain(said)
    expect(first).toMatch(/Not your part[\s\S]*task-001-sub-2: Write the printer/)
    expect(promptOf("task-001-sub-3")).toContain("Reported: The parser has three rules. Files: src/parser.js")
  })
})

describe("a prompt in one piece that states nothing to prove", () => {
  it("is proven by evidence where it says that the work is, and by no other", async () => {
    const item = "Everything the task asks for is done, completely, and nothing else was changed."
    const claimed = (file: string, text: string) => ({
      files: { [file]: text },
      report: { summary: "Done", checklist: [{ item, status: "done", evidence: `${file}:1` }] }
    })
    const login = "export const login = (user) => users.find(user)\n"
    const on = stage({
      "task-001": [
        claimed("status.txt", "all is well\n"),
        claimed("src/auth.js", "export const other = (a) => a + 1\n"),
        claimed("src/auth.js", login)
      ]
    })
    const prompt = "Add login(user) to src/auth.js. Who is not known gets a 401."
    await achieved(["chunk", prompt, ...on.agent, "--analyzer", "heuristic", "--reviewer", "none"], on.dir)
    const refused = ofType(logOf(on.dir), "CHECKLIST_ITEM_REJECTED").map(({ content }) => JSON.stringify(content))
    expect([refused.length, refused[0], refused[1]]).toEqual([
      2,
      expect.stringContaining("The item names src/auth.js"),
      expect.stringContaining("The item asks for login")
    ])
  })
})

describe("a tasks file", () => {
  const run = (on: Stage, ...more: ReadonlyArray<string>) =>
    achieved(["run", "tasks.yaml", ...on.withAgent, ...more], on.dir)

  it("with a task to be split, has it split when its turn has come; what depends on it waits for all of it", async () => {
    const tasks = `tasks:
  - { id: before, name: Before, instruction: Prepare, checks: ["test -e before.js"] }
  - id: big
    name: Big
    instruction: Do the big thing
    depends_on: [before]
    chunk: true
    checks: ["test -e big-sub-1.js", "test -e big-sub-2.js"]
  - { id: after, name: After, instruction: Finish, depends_on: [big], checks: ["test -e after.js"] }
`
    const on = stage(
      { "analyze:big": two, "*": [writes("%task.js")], "review:*": [pass] },
      { "tasks.yaml": tasks, "proofline.yaml": "chunking: { analyzer: agent, auto_detect: false }\n" }
    )
    const { data } = await run(on)
    // whoever wrote the file sees its tasks
    expect(each(data.tasks, "id")).toEqual(["before", "big", "after"])
    expect(each(data.tasks, "status")).toEqual(["completed", "completed", "completed"])
    expect(Object.keys(data.tasks[0]).filter((key) => key.startsWith("chunk"))).toEqual([])
    expect(data.tasks[1].subtasks).toHaveLength(2)
    const started = on.order().filter((line) => line.startsWith("+"))
    expect(started.slice(0, 2)).toEqual(["+ before", "+ analyze:big"])
    expect(started.indexOf("+ after")).toBe(started.length - 1)
    const promptOf = (id: string) => on.calls("work").find(({ task }) => task === id)?.prompt
    expect(promptOf("after")).toContain("big: Big")
    // who works on a part is told of the parts, not of the other tasks
    expect(promptOf("big-sub-1")).toMatch(/Not your part[\s\S]*big-sub-2/)
    // subtasks count in place of their task
    const progress = (await asked(["status", data.run_id], on.dir)).data
    expect(progress).toMatchObject({ completed: 4, total: 4 })
    expect(each(progress.queue, "task_id")).toEqual(["before", "big", "big-sub-1", "big-sub-2", "after"])
  })

  it("with a checklist that says all of its parts, is proven by one line each", async () => {
    const items = ["Set retries to 5 in src/config.js", 'Set host to "b" in src/host.js']
    const tasks = `tasks:
  - id: big
    name: Two settings
    chunk: true
    instruction: |
      1. ${items[0]}
      2. ${items[1]}
    checklist: ${JSON.stringify(items)}
`
    const sets = (file: string, text: string, item = ""): Script[string] => [
      { files: { [file]: text }, report: { checklist: [{ item, status: "done", evidence: `${file}:1` }] } }
    ]
    const on = stage(
      {
        "big-sub-1": sets("src/config.js", "export const retries = 5;\n", items[0]),
        "big-sub-2": sets("src/host.js", 'export const host = "b";\n', items[1])
      },
      {
        "tasks.yaml": tasks,
        "proofline.yaml": "chunking: { analyzer: heuristic }\n",
        "src/config.js": "export const retries = 3;\n",
        "src/host.js": 'export const host = "a";\n'
      }
    )
    const { data } = await run(on)
    expect(data).toMatchObject({ verdict: "proven", counts: { proven: 2 } })
    expect(data.tasks[0].subtasks.map(({ attempts }: { attempts: number }) => attempts)).toEqual([1, 1])
  })

  it("that says nothing of splitting is split with --chunk, or when the project has settings for it, and never otherwise", async () => {
    const tasks = `tasks:
  - id: big
    name: Big
    checks: ["test -e src/login.js"]
    instruction: |
      Create these modules:
      - src/login.js
      - src/logout.js
`
    const script: Script = {
      "big-sub-1": [writes("src/login.js")],
      "big-sub-2": [writes("src/logout.js")],
      big: [writes("src/login.js")],
      "review:*": [pass]
    }
    const workedOn = async (files: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
      const on = stage(script, { "tasks.yaml": tasks, ...files })
      await run(on, ...args)
      expect(ofType(logOf(on.dir), "CHUNKING_START")).toHaveLength(on.calls("work").length - 1)
      return each(on.calls("work"), "task").toSorted()
    }
    expect(await workedOn({})).toEqual(["big"])
    expect(await workedOn({}, "--chunk")).toEqual(["big-sub-1", "big-sub-2"])
    expect(await workedOn({ ".claude/task-chunking.json": "{}" })).toEqual(["big-sub-1", "big-sub-2"])
  })
})

// --- what goes wrong -----------------------------------------------------------------------------------------------

const change = (on: Stage, script: Script) => writeFileSync(Path.join(on.room, "script.json"), JSON.stringify(script))
const begun = (on: Stage) => on.calls("work").map(({ task }) => task.slice(-1))

describe("a subtask that fails", () => {
  it("takes those that need it with it and nobody else; what is done is kept, and a resume does only the rest", async () => {
    const moves = {
      "analyze:task-001": planned(part("first"), part("second"), part("third", [2]), part("fourth", [3, 1])),
      "*": [writes("%task.js")],
      "task-001-sub-2": [{ exit: 3, stderr: "boom" }],
      "review:*": [pass]
    }
    const on = stage(moves)
    const { code, data } = answerOf(await chunk(on, "--max-retries", "1"))
    expect([code, data.status]).toEqual([1, "incomplete"])
    expect(data.tasks).toMatchObject([
      { status: "failed", reason: "subtasks_incomplete", chunked: { status: "FAILED", outcome: "INCOMPLETE" } }
    ])
    const skipped = { status: "skipped", reason: "dependency_failed" }
    expect(data.tasks[0].subtasks).toMatchObject([
      { status: "completed", reason: "" },
      { status: "failed", reason: expect.stringMatching(/\S/) },
      skipped,
      skipped
    ])
    // every end has its event
    const log = logOf(on.dir)
    expect(ofType(log, "SUBTASK_FAILED").map(({ content }) => content)).toMatchObject([
      { subtask_id: "task-001-sub-2", retry_count: 1, attempts: 2, subtask_result: { status: "ERROR" } },
      { subtask_id: "task-001-sub-3", failure_reason: "dependency_failed", attempts: 0 },
      { subtask_id: "task-001-sub-4" }
    ])
    expect(ofType(log, "CHUNKING_COMPLETE", "TASK_COMPLETED")).toEqual([])
    expect(on.read("task-001-sub-1.js")).not.toBeNull()
    const progress = (await asked(["status", data.run_id], on.dir)).data
    expect(progress).toMatchObject({ status: "incomplete", completed: 1, total: 4 })
    expect(progress.queue[0]).toMatchObject({
      task_id: "task-001",
      status: "ERROR",
      reason: "incomplete",
      is_subtask: false,
      chunked_task_ref: "task-001"
    })

    const { "task-001-sub-2": _, ...good } = moves
    change(on, good)
    const resumed = await achieved(["resume"], on.dir)
    expect(resumed.data.tasks[0].chunked).toMatchObject({ status: "COMPLETE", completed_subtasks: 4 })
    expect(begun(on).slice(0, 3).toSorted()).toEqual(["1", "2", "2"])
    expect(begun(on).slice(3)).toEqual(["2", "3", "4"])
    expect(on.calls("analyze")).toHaveLength(1)
    await expectReplay(on.dir)
  })
})

describe("the whole", () => {
  it("given a part has removed what one before it had shown, then the user and the next prompt are told what is gone", async () => {
    const shows = (file: string): Move => ({
      ...writes(file),
      report: done({ [`Create ${file}`]: `${file}:1` }, `${file} is written`)
    })
    const creates = (file: string, after: ReadonlyArray<number> = []) =>
      part(`Create ${file}`, after, { acceptance_criteria: [`Create ${file}`] })
    const on = stage({
      "analyze:task-001": planned(creates("x.js"), creates("y.js", [1])),
      "task-001-sub-1": [shows("x.js")],
      "task-001-sub-2": [{ ...shows("y.js"), run: "rm x.js" }],
      "task-001": [{ exit: 1 }]
    })
    const { stderr } = await chunk(on, "--max-retries", "1")
    const why = "Evidence 'x.js:1' was accepted and does not hold any more: x.js is gone. Task task-001-sub-2"
    expect(stderr).toContain(why)
    expect(on.calls("work").find(({ task }) => task === "task-001")?.prompt).toContain(why)
    await expectReplay(on.dir)
  })

  it("is given to an agent once more when its checks do not hold, with what failed", async () => {
    const parts = { "analyze:task-001": two, "*": [writes("%task.js")], "review:*": [pass] }
    const on = stage({ ...parts, "task-001": [writes("c.js")] })
    const finished = await chunk(on, "--check", "test -s c.js || { echo c.js is missing; false; }")
    expect(finished.code, finished.stdout).toBe(0)
    const [whole, ...more] = on.calls("work").filter(({ task }) => task === "task-001")
    expect(more).toEqual([])
    for (const said of ["c.js is missing", "Its parts are completed", "task-001-sub-1.js is written"])
      expect(whole?.prompt).toContain(said)
    expect(ofType(logOf(on.dir), "SUBTASK_START")).toHaveLength(2)
    const never = stage(parts)
    const { code, data } = answerOf(await chunk(never, "--check", "false", "--max-retries", "1"))
    expect([code, data.tasks]).toMatchObject([1, [{ status: "failed", reason: "checks_failed" }]])
    expect(ofType(logOf(never.dir), "CHUNKING_COMPLETE", "TASK_COMPLETED")).toEqual([])
  })
})

describe("a run in parts that is interrupted", () => {
  it("ends its agents, says how to go on, and goes on with what is not completed", async () => {
    const on = stage({
      "analyze:task-001": three,
      "task-001-sub-1": [writes("a.js")],
      "task-001-sub-2": [{ hang: true }, writes("b.js")],
      "task-001-sub-3": [{ hang: true }, writes("c.js")],
      "review:*": [pass]
    })
    const child = start(["chunk", "Do it", ...on.withAgent, "--analyzer", "agent", "--json"], on.dir)
    const ended = finish(child)
    await until(() => existsSync(Path.join(on.dir, ".proofline")) && on.calls("review").length === 1)
    await until(() => ofType(logOf(on.dir), "SUBTASK_COMPLETE").length === 1 && on.calls("work").length === 3)
    child.kill("SIGINT")
    const { code, data, stderr } = answerOf(await ended)
    expect([code, data.status]).toEqual([130, "cancelled"])
    expect(on.calls().every(({ pid }) => isGone(pid))).toBe(true)
    expect(stderr).toContain(`proofline resume ${data.run_id}`)
    await achieved(["resume"], on.dir)
    expect(on.calls("analyze")).toHaveLength(1)
    expect(begun(on).toSorted()).toEqual(["1", "2", "2", "3", "3"])
  })
})

describe("a reviewer", () => {
  it("may be a command that judges by its exit code; what it prints is what must be changed", async () => {
    const on = stage({
      "analyze:task-001": two,
      "*": [writes("%task.js", "1\n"), writes("%task.js", "2\n")],
      "review:*": [{ report: { judgment: "REJECT", modification_prompt: "Never asked." } }]
    })
    const judge = `if grep -q 1 $PROOFLINE_TASK_ID.js; then echo "$PROOFLINE_TASK_ID is odd"; exit 1; fi`
    writeFileSync(Path.join(on.dir, "proofline.yaml"), `agents:\n  tests: { judge: ${JSON.stringify(judge)} }\n`)
    const { code, data, stdout } = answerOf(await chunk(on, "--reviewer", "tests"))
    expect(code, stdout).toBe(0)
    expect(on.calls("review")).toEqual([])
    const second = on.calls("work").find(({ attempt, task }) => attempt === 2 && task === "task-001-sub-2")
    expect(second?.prompt).toContain("task-001-sub-2 is odd")
    expect(each(data.tasks[0].subtasks, "attempts")).toEqual([2, 2])
  })

  it("that is named and cannot be read, or fails itself, is asked again twice, and costs no attempt", async () => {
    const unreadable = { report: "Looks good to me!" }
    const moves: Script = {
      "analyze:task-001": three,
      "*": [writes("%task.js")],
      "review:task-001-sub-1": [unreadable],
      "review:task-001-sub-2": [{ exit: 3 }],
      "review:task-001-sub-3": [{ exit: 3 }, { exit: 3 }, pass]
    }
    const on = stage(moves)
    const { code, data } = answerOf(await chunk(on, "--reviewer", "command"))
    expect(code).toBe(1)
    const unproven = { status: "failed", verdict: "unproven", attempts: 1, retry_count: 0 }
    expect(data.tasks[0].subtasks).toMatchObject([
      { ...unproven, reason: "review_unread" },
      unproven,
      { status: "completed", attempts: 1 }
    ])
    const reviewsOf = (n: number) => on.calls("review").filter(({ task }) => task === `task-001-sub-${n}`)
    expect(reviewsOf(1).map(({ prompt }) => prompt.includes("could not be read"))).toEqual([false, true, true])
    expect([2, 3].map((n) => reviewsOf(n).length)).toEqual([3, 3])
    const log = logOf(on.dir)
    const tries = ofType(log, "ACTIVITY_RESULT").filter(({ content }) => content.name === "review")
    expect(tries.map(({ content }) => content.result.judgment)).toEqual(Array(6).fill("RETRY"))
    const answered = tries.filter(({ content }) => content.result.outcome === "COMPLETE")
    expect(answered.map(({ content }) => content.result.output.bytes)).toEqual([17, 17])
    const judgments = ofType(log, "QUALITY_JUDGMENT").filter(({ content }) => content.reviewer === "command")
    expect(judgments.map(({ content }) => content.judgment)).toEqual(["PASS"])
    // an answer that can be read is enough, whichever it is
    change(on, { ...moves, "review:task-001-sub-1": [unreadable, pass], "review:task-001-sub-2": [pass] })
    await achieved(["resume"], on.dir)
    expect(on.calls("work")).toHaveLength(3)
  })
})
