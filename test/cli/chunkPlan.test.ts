import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { bigTask, part, planned, type Stage, stage } from "./chunkStage.ts"
import { documentOf, finish, isGone, launcher, proofline, start, until } from "./proofline.ts"
import { valid } from "./schemas.ts"

const authentication = "Create user authentication module with login, logout, and session management"

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
