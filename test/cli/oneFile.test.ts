import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { git } from "../plugins/git-workspaces/support.ts"
import { type Logged, logOf, ofType } from "./chunkStage.ts"
import { type Finished, project, proofline } from "./proofline.ts"

/**
 * Writes the function that its part names into the file of its part, as honest agents do: it reads the file, takes its
 * time, and writes it with one function more. Where others do the same meanwhile, theirs is gone.
 */
const agent = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
const here = import.meta.dirname
const { PROOFLINE_TASK_ID: task, PROOFLINE_REPORT_FILE: answer, PROOFLINE_ROLE: role } = process.env
const prompt = readFileSync(0, "utf8")
const plan = JSON.parse(readFileSync(join(here, "plan.json"), "utf8"))
if (role === "analyze") {
  writeFileSync(answer, JSON.stringify(plan.analysis))
} else {
  const [name, file] = plan.work[task.split("-").at(-1) - 1]
  appendFileSync(join(here, "order"), "+ " + name + "\\n")
  const before = existsSync(file) ? readFileSync(file, "utf8") : ""
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700)
  const start = before.split("\\n").length
  writeFileSync(file, before + "export function " + name + "(a, b) {\\n  return [a, b, '" + name + "']\\n}\\n")
  appendFileSync(join(here, "order"), "- " + name + "\\n")
  const evidence = file + ":" + start + "-" + (start + 2)
  const items = plan.criteria[task.split("-").at(-1) - 1].map((item) => ({ item, status: "done", evidence }))
  writeFileSync(answer, JSON.stringify({ summary: name + " is written", ...(plan.silent ? {} : { checklist: items }) }))
}
`

interface Work {
  readonly prompt: string
  /** Function and file of each part. */
  readonly work: ReadonlyArray<readonly [string, string]>
  /** What each part must show; of the heuristic plan unless an agent plans. */
  readonly criteria: ReadonlyArray<ReadonlyArray<string>>
  readonly analysis?: unknown
  /** Its reports cite nothing. */
  readonly silent?: boolean
}

const made = (work: Work, isRepository: boolean, files: Readonly<Record<string, string>> = {}) => {
  const room = project({ "agent.mjs": agent, "plan.json": JSON.stringify(work) })
  const dir = Path.join(room, "project")
  mkdirSync(dir)
  for (const [name, text] of Object.entries(files)) writeFileSync(Path.join(dir, name), text)
  if (isRepository) {
    git(dir, "init", "--quiet", "--initial-branch", "main")
    git(dir, "add", "--all")
    git(dir, "commit", "--quiet", "--allow-empty", "--message", "base")
  }
  const chunk = (...more: ReadonlyArray<string>): Promise<Finished> =>
    proofline(
      [
        ...["chunk", work.prompt, "--agent", "command", "--agent-command", `node ${room}/agent.mjs`],
        ...["--retry-delay", "0s", "--json", ...more]
      ],
      dir
    )
  return { dir, room, chunk }
}

const functions = ["add", "sub", "mul"]
const inShared: Work = {
  prompt: "Implement these functions in shared.js:\n- add(a, b)\n- sub(a, b)\n- mul(a, b)\n",
  work: functions.map((name) => [name, "shared.js"]),
  criteria: functions.map((name) => [`Done: Implement ${name}(a, b)`])
}

const named = (text: string) => functions.filter((name) => text.includes(`function ${name}(`))
const aggregationOf = (log: ReadonlyArray<Logged>) => ofType(log, "CHUNKING_AGGREGATION")[0]?.content.aggregation_result

describe("parts that write one file", () => {
  it.each([
    ["without a repository", false, []],
    [
      "with a shared directory and at the same time asked for",
      true,
      ["--workspace", "shared", "--execution-mode", "parallel"]
    ]
  ] as const)("overwrite nothing of each other %s, and the run is completed", async (_, isRepository, more) => {
    const { chunk, dir } = made(inShared, isRepository)
    const finished = await chunk("--reviewer", "none", ...more)
    expect(finished.code, finished.stdout).toBe(0)
    const shared = readFileSync(Path.join(dir, "shared.js"), "utf8")
    expect(named(shared)).toEqual(functions)
    expect(aggregationOf(logOf(dir))).toMatchObject({ outcome: "merged", conflicts_detected: false })
    expect((await proofline(["replay"], dir)).code).toBe(0)
  })
})

const two = (first: string, second: string) => ({
  is_decomposable: true,
  decomposition_reason: "two parts",
  subtasks: [first, second].map((prompt) => ({ prompt, dependencies: [], acceptance_criteria: [`${prompt}: done`] }))
})
/** Nothing in its words tells where the parts are written. */
const unnamed: Work = {
  prompt: "Do the whole thing",
  work: [
    ["add", "one.js"],
    ["sub", "one.js"]
  ],
  criteria: [["the first thing: done"], ["the second thing: done"]],
  analysis: two("the first thing", "the second thing")
}

describe("parts of which nothing tells what they write", () => {
  it("have worktrees in a repository, and what both wrote is merged or a conflict, never lost in silence", async () => {
    const { chunk, dir } = made(unnamed, true)
    const finished = await chunk("--analyzer", "agent", "--reviewer", "none")
    const log = logOf(dir)
    expect(ofType(log, "CHUNKING_ANALYSIS")[0]?.content).toMatchObject({
      execution_mode: "parallel",
      workspace: "worktree"
    })
    expect(aggregationOf(log)).toMatchObject({ outcome: "conflict", conflicts_detected: true })
    expect(finished.code).not.toBe(0)
    expect(ofType(log, "ATTEMPT_ENDED").map(({ content }) => content.files_modified)).toContainEqual(["one.js"])
  })
})
