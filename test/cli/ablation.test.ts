import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { done, type Move, type Script, scriptedAgent, withAgent } from "./agent.ts"
import { documentOf, eventsOf, project, proofline } from "./proofline.ts"

const item = "add() adds"

const tasksFile = (check: string) => `
tasks:
  - id: add
    name: Add
    instruction: Write add() in add.js.
    checklist:
      - item: ${item}
        check: ${check}
        ablation: true
`

const git = (directory: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], {
    cwd: directory,
    encoding: "utf8",
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" }
  })

const stub = "export const other = () => {\n  return 7\n}\n\nexport const add = (a, b) => {\n}\n"
const real = stub.replace("(a, b) => {\n", "(a, b) => {\n  return a + b\n")
const tests = (assertion: string) =>
  `import assert from "node:assert"\nimport { test } from "node:test"\nimport { add } from "./add.js"\ntest("add", () => {\n  ${assertion}\n})\n`

/** A project of JavaScript with a function that is to be written, committed, and a scripted agent. */
const committed = (check: string, turns: ReadonlyArray<Move>): string => {
  const script: Script = { add: turns }
  const directory = project({
    "tasks.yaml": tasksFile(check),
    "package.json": '{"type":"module"}\n',
    "add.js": stub,
    ".gitignore": "calls.ndjson\n",
    ...scriptedAgent(script)
  })
  git(directory, "init", "--quiet")
  git(directory, "add", "--all")
  git(directory, "commit", "--quiet", "--message", "base")
  return directory
}

const reported = (evidence: string, files: Readonly<Record<string, string>>): Move => ({
  files,
  report: done({ [item]: evidence })
})

const work = (assertion: string) => ({ "add.js": real, "add.test.js": tests(assertion) })
const asserting = work("assert.equal(add(1, 2), 3)")
const ablationsOf = async (run: string, directory: string) =>
  (await eventsOf(run, directory))
    .filter((event) => event.event_type === "VERIFICATION_RUN")
    .map((event) => event.content.checks[0].ablation)

describe("a load-bearing check", () => {
  it("refuses a test that asserts nothing, tells the agent why, and accepts one that does", async () => {
    const directory = committed("node --test add.test.js", [
      reported("add.js:5-7", work("assert.ok(add)")),
      reported("add.js:5-7", asserting)
    ])
    const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--json"], directory)
    expect(finished.code, finished.stderr).toBe(0)
    const { data } = documentOf(finished)
    expect(data.tasks[0]).toMatchObject({ status: "completed", attempts: 2 })
    expect((await ablationsOf(data.run_id, directory)).map(({ verdict }) => verdict)).toEqual([
      "vacuous",
      "load_bearing"
    ])
    const calls = readFileSync(Path.join(directory, "calls.ndjson"), "utf8").trim().split("\n")
    const [first, second] = calls.map((line) => JSON.parse(line).prompt)
    expect(first).toContain("must fail as it was before this run")
    expect(second).toContain("`node --test add.test.js` shows nothing: The check passes without the cited lines")
  })
})
