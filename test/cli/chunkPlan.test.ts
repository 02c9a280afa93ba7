import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { bigTask, part, planned, type Stage, stage } from "./chunkStage.ts"
import { documentOf, finish, isGone, launcher, proofline, start, until } from "./proofline.ts"
import { examplesOf, valid } from "./schemas.ts"

const authentication = "Create user authentication module with login, logout, and session management"

/** The file as task chunking §10.1 prints it. */
const printed = `// .claude/task-chunking.json
{
  "enabled": true,
  "auto_detect": true,
  "min_subtasks": 2,
  "max_subtasks": 10,
  "execution_mode": "auto",
  "retry": {
    "max_retries": 2,
    "retry_delay_ms": 2000,
    "backoff_multiplier": 1.5,
    "retry_on": ["INCOMPLETE", "ERROR", "TIMEOUT"]
  },
  "fail_fast": false,
  "review_loop_per_subtask": true
}
`

/** The plan as data; nothing was left behind, neither in the project nor where temporary files go. */
const planOf = async (on: Stage, ...args: ReadonlyArray<string>) => {
  const temporary = Path.join(on.room, "temporary")
  mkdirSync(temporary, { recursive: true })
  const before = readdirSync(on.dir)
  const finished = await proofline(["chunk", ...args, "--plan", "--json"], on.dir, { TMPDIR: temporary })
  expect(readdirSync(on.dir)).toEqual(before)
  expect(readdirSync(temporary)).toEqual([])
  expect(valid("chunk.output", documentOf(finished))).toEqual([])
  return { finished, data: documentOf(finished).data }
}
const promptsOf = (data: { subtasks: ReadonlyArray<{ prompt: string }> }) => data.subtasks.map(({ prompt }) => prompt)

describe("chunk --plan", () => {
  it("shows the split of the seed's example without any agent, and starts nothing", async () => {
    const { data, finished } = await planOf(stage({}), authentication)
    expect(finished.code, finished.stderr).toBe(0)
    expect(finished.stderr).toBe("")
    expect(documentOf(finished)).toMatchObject({ schemaVersion: 1, kind: "chunk" })
    expect(data).toMatchObject({ decomposable: true, analyzer: "heuristic", execution_mode: "parallel" })
    expect(data.subtasks).toMatchObject([
      { subtask_id: "task-001-sub-1", dependencies: [], execution_order: 1 },
      { subtask_id: "task-001-sub-2", dependencies: [], execution_order: 2 },
      { subtask_id: "task-001-sub-3", dependencies: [], execution_order: 3 }
    ])
    for (const [i, word] of ["login", "logout", "session management"].entries()) {
      expect(data.subtasks[i].prompt).toContain(word)
      expect(data.subtasks[i].acceptance_criteria.length).toBeGreaterThan(0)
    }
    const found = data.criteria.filter(({ met }: { met: boolean }) => met)
    expect(data.criteria.length).toBe(4)
    expect(found.length).toBeGreaterThan(0)
    // the words that led there are the user's
    for (const { words } of found) for (const word of words) expect(authentication).toContain(word)
  })

  it("reads the prompt from stdin, also one that spans lines and is not English", async () => {
    const on = stage({})
    const child = spawn(process.execPath, [launcher, "chunk", "-", "--plan", "--json"], {
      cwd: on.dir,
      stdio: ["pipe", "pipe", "pipe"]
    })
    const ended = finish(child)
    child.stdin.end(
      "次のファイルを作成してください:\n\n1. src/login.ts にログイン処理\n2. src/logout.ts にログアウト処理\n"
    )
    const finished = await ended
    expect(finished.code, finished.stderr).toBe(0)
    const { data } = documentOf(finished)
    expect(data.subtasks.map(({ paths }: { paths: unknown }) => paths)).toEqual([["src/login.ts"], ["src/logout.ts"]])
    expect(promptsOf(data).join()).toContain("ログアウト処理")
    expect(existsSync(Path.join(on.dir, ".proofline"))).toBe(false)
  })

  it("is for people without --json", async () => {
    const on = stage({})
    const finished = await proofline(["chunk", authentication, "--plan"], on.dir)
    expect(finished.code, finished.stderr).toBe(0)
    expect(finished.stdout).toContain("Would be split into 3 subtasks, parallel")
    expect(finished.stdout).toContain("3. task-001-sub-3")
    expect(finished.stdout).toContain("was started.")
    expect(finished.stdout).not.toContain("undefined")
  })

  it.each([
    ["an empty prompt", ["  "], "prompt_empty"],
    ["an analyzer nobody offers", [authentication, "--analyzer", "oracle"], "analyzer_unknown"],
    ["the agent as analyzer when there is none", [authentication, "--analyzer", "agent"], "agent_missing"],
    ["an item that is given twice", [authentication, "--item", "a", "--item", "a"], "item_invalid"],
    ["a least number above the greatest", [authentication, "--min-subtasks", "12"], "subtasks_bounds"]
  ])("refuses %s", async (_, args, code) => {
    const { data, finished } = await planOf(stage({}), ...args)
    expect(finished.code).toBe(2)
    expect(data.problems.map((problem: { code: string }) => problem.code)).toEqual([code])
    expect(data.problems[0].hint).not.toBe("")
  })

  it("obeys the limits of the command line", async () => {
    const on = stage({})
    const few = await planOf(on, authentication, "--min-subtasks", "4")
    expect(few.finished.code).toBe(0)
    expect(few.data).toMatchObject({
      decomposable: false,
      chunking_skipped: true,
      subtasks: [],
      execution_mode: null
    })
    const many = await planOf(on, authentication, "--max-subtasks", "2")
    expect(many.data.subtasks.length).toBeLessThanOrEqual(2)
    expect(promptsOf(many.data).every((prompt) => prompt.trim() !== "")).toBe(true)
  })

  it("gives one worker one subtask after the other", async () => {
    const { data } = await planOf(stage({}), authentication, "--workers", "1")
    expect(data).toMatchObject({ decomposable: true, execution_mode: "sequential" })
  })

  it("shares out the checklist, every item once", async () => {
    const items = ["Login checks the password", "Logout ends the session"]
    const { data } = await planOf(stage({}), authentication, ...items.flatMap((item) => ["--item", item]))
    const shared = data.subtasks.flatMap(({ checklist }: { checklist: ReadonlyArray<{ item: string }> }) =>
      checklist.map(({ item }) => item)
    )
    // what a part has to show beside them are its own criteria
    expect(shared.filter((item: string) => items.includes(item)).toSorted()).toEqual(items.toSorted())
    expect(data.subtasks[0].checklist[0].item).toBe(items[0])
    expect(data.subtasks[1].checklist[0].item).toBe(items[1])
  })
})

describe("chunk --plan with the agent", () => {
  it("shows what the agent plans, and asks for nothing else", async () => {
    const on = stage({
      "analyze:task-001": planned(part("first"), part("second"), part("third", [1, 2], { title: "Three" }))
    })
    const { data, finished } = await planOf(on, bigTask, ...on.withAgent, "--analyzer", "agent")
    expect(finished.code, finished.stderr).toBe(0)
    expect(data).toMatchObject({ decomposable: true, analyzer: "agent", execution_mode: "hybrid" })
    expect(data.subtasks[2]).toMatchObject({
      title: "Three",
      prompt: "third",
      dependencies: ["task-001-sub-1", "task-001-sub-2"],
      acceptance_criteria: ["third: done"]
    })
    expect(on.calls().map(({ role }) => role)).toEqual(["analyze"])
    expect(on.calls()[0]?.prompt).toContain(bigTask)
  })

  it.each([
    ["is no JSON", "Sure! I would split it in two."],
    [
      "has a circle",
      { is_decomposable: true, decomposition_reason: "", subtasks: [part("first", [2]), part("second", [1])] }
    ],
    ["names a part that is not there", { is_decomposable: true, decomposition_reason: "", subtasks: [part("a", [7])] }]
  ])("is asked again when its answer %s, and then the task stays whole", async (_, report) => {
    const on = stage({ "analyze:task-001": [{ report }] })
    const { data, finished } = await planOf(on, bigTask, ...on.withAgent, "--analyzer", "agent")
    expect(finished.code, finished.stderr).toBe(0)
    expect(data).toMatchObject({ decomposable: false, chunking_skipped: true, subtasks: [] })
    expect(data.skipped_because).toBe("analysis_invalid")
    expect(data.reason).not.toBe("")
    const [first, second] = on.calls()
    expect(on.calls().length).toBe(2)
    expect(second?.attempt).toBe((first?.attempt ?? 0) + 1)
    expect(second?.prompt).toContain("could not be used")
  })

  it("asks it first unless somebody else is named, and the rules where its answers cannot be used", async () => {
    const asked = stage({ "analyze:task-001": planned(part("first"), part("second")) })
    expect((await planOf(asked, authentication, ...asked.withAgent)).data).toMatchObject({ analyzer: "agent" })
    const on = stage({ "analyze:task-001": [{ report: "I would split it." }] })
    const { data, finished } = await planOf(on, authentication, ...on.withAgent)
    expect(finished.code, finished.stderr).toBe(0)
    expect(data).toMatchObject({ decomposable: true, analyzer: "heuristic" })
    expect(data.subtasks.length).toBe(3)
    expect(data.warnings).toEqual([expect.stringContaining("gave no plan that can be used")])
    expect(on.calls().map(({ role }) => role)).toEqual(["analyze"])
  })

  it("uses the second answer when only the first was bad", async () => {
    const good = planned(part("first"), part("second"))
    const on = stage({ "analyze:task-001": [{ report: "no" }, ...good] })
    const { data } = await planOf(on, bigTask, ...on.withAgent, "--analyzer", "agent")
    expect(promptsOf(data)).toEqual(["first", "second"])
  })

  it("keeps the task whole when the agent fails, does not exist, or runs out of time", async () => {
    const on = stage({ "analyze:task-001": [{ exit: 3 }, { hang: true }] })
    const failed = await planOf(on, bigTask, ...on.withAgent, "--analyzer", "agent")
    expect(failed.data).toMatchObject({ decomposable: false, skipped_because: "analysis_failed" })
    const late = await planOf(on, bigTask, ...on.withAgent, "--analyzer", "agent", "--timeout", "700ms")
    expect(late.data).toMatchObject({ decomposable: false, skipped_because: "analysis_failed" })
    expect(late.data.reason).toContain("not done within 0.7 s")
    expect(on.calls().every(({ pid }) => isGone(pid))).toBe(true)
    const gone = ["--agent", "command", "--agent-command", "no-such-agent-anywhere", "--analyzer", "agent"]
    const missing = await planOf(on, bigTask, ...gone)
    expect(missing.data).toMatchObject({ decomposable: false, skipped_because: "analysis_failed" })
  })

  it("leaves nothing behind when it is interrupted while the agent thinks", async () => {
    const on = stage({ "analyze:task-001": [{ hang: true }] })
    const temporary = Path.join(on.room, "temporary")
    mkdirSync(temporary)
    const child = start(["chunk", bigTask, ...on.withAgent, "--analyzer", "agent", "--plan", "--json"], on.dir, {
      TMPDIR: temporary
    })
    const ended = finish(child)
    await until(() => existsSync(Path.join(on.room, "hanging")))
    child.kill("SIGINT")
    expect((await ended).code).toBe(130)
    expect(isGone(on.calls()[0]?.pid ?? 0)).toBe(true)
    expect(readdirSync(temporary)).toEqual([])
    expect(readdirSync(on.dir)).toEqual([])
  })
})

describe("the settings of splitting", () => {
  const json = ".claude/task-chunking.json"

  it("may be the file of the seed as it is printed, with its comment", async () => {
    const on = stage({}, { [json]: printed })
    const { data, finished } = await planOf(on, authentication)
    expect(finished.code, finished.stderr).toBe(0)
    expect(finished.stderr).toBe("")
    expect(data.subtasks.length).toBe(3)
    const checked = await proofline(["validate", json], on.dir)
    expect(checked.code, checked.stderr).toBe(0)
    writeFileSync(Path.join(on.dir, json), printed.replace('"auto"', '"mixed"'))
    const refused = await proofline(["validate", json, "--json"], on.dir)
    expect(refused.code).toBe(2)
    expect(documentOf(refused).data.problems).toMatchObject([{ file: json, line: 7, column: 21 }])
  })

  it("of proofline.yaml win over the other file, key by key, and the command line over both", async () => {
    const on = stage(
      {},
      {
        [json]: '{ "min_subtasks": 4, "execution_mode": "sequential" }',
        "proofline.yaml": "chunking:\n  min_subtasks: 3\n"
      }
    )
    const both = await planOf(on, authentication)
    expect(both.data).toMatchObject({ decomposable: true, execution_mode: "sequential" })
    const said = await planOf(on, authentication, "--execution-mode", "parallel", "--min-subtasks", "2")
    expect(said.data).toMatchObject({ decomposable: true, execution_mode: "parallel" })
  })

  it("switch it off: altogether, or unless somebody asks", async () => {
    const off = await planOf(stage({}, { [json]: '{ "enabled": false }' }), authentication, "--analyzer", "heuristic")
    expect(off.data).toMatchObject({ decomposable: false, chunking_skipped: true, skipped_because: "disabled" })
    const on = stage({}, { "proofline.yaml": "chunking: { auto_detect: false }\n" })
    const unasked = await planOf(on, authentication)
    expect(unasked.data).toMatchObject({ decomposable: false, skipped_because: "auto_detect_off" })
    const asked = await planOf(on, authentication, "--analyzer", "heuristic")
    expect(asked.data.decomposable).toBe(true)
  })

  it.each([
    [json, '{\n  "enabled": true,\n  "max_subtask": 3\n}\n', "max_subtask", 3, 3],
    [json, '{\n  "retry": { "max_retries": -1 }\n}\n', "retry.max_retries", 2, 29],
    [json, '{\n  "retry": {\n    "retry_on": ["INCOMPLETE", "LATE"]\n  }\n}\n', "retry.retry_on", 3, 32],
    [json, '{ "min_subtasks": 5, "max_subtasks": 4 }', "max_subtasks", 1, 38],
    [
      "proofline.yaml",
      "workers: 2\nchunking:\n  aggregation_strategy: { conflict_resolution: guess }\n",
      "chunking.aggregation_strategy.conflict_resolution",
      3,
      48
    ],
    ["proofline.yaml", "chunking:\n  workspaces: worktree\n", "chunking.workspaces", 2, 3]
  ])("of %s are refused with the place: %s", async (file, text, key, line, column) => {
    const on = stage({}, { [file]: text })
    const { data, finished } = await planOf(on, authentication)
    expect(finished.code).toBe(2)
    const [problem] = data.problems
    expect(data.problems.length).toBe(1)
    expect(problem).toMatchObject({ file, line, column })
    expect(problem.message).toContain(key)
    expect(problem.hint).not.toBe("")
    // for people the same
    expect(finished.stderr).toContain(`${file}:${line}:${column}`)
  })
})

describe("published schemas", () => {
  it.each(["chunk.output", "run.output", "status.output", "history.output"])("%s: its own examples fit it", (name) => {
    expect(examplesOf(name).length).toBeGreaterThan(0)
    for (const example of examplesOf(name)) expect(valid(name, example)).toEqual([])
    expect(valid(name, { schemaVersion: 1, kind: "other", data: {} })).not.toEqual([])
  })
})
