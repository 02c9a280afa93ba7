import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { done, type Script, scriptedAgent, withAgent } from "./agent.ts"
import { documentOf, eventsOf, project as plainProject, proofline } from "./proofline.ts"

/** Runs of it say what counts as proof. */
const project = (files: Readonly<Record<string, string>>): string =>
  plainProject({ "proofline.yaml": "proof: {}\n", ...files })

const tasks = (checks: ReadonlyArray<string>, more = "") => `
tasks:
  - id: add
    name: Add
    instruction: Write add().
    checks: ${JSON.stringify(checks)}
    checklist: [Added]
${more}`

const addJs = "export const add = (a, b) => {\n  return a + b\n}\n"
const works = (files: Readonly<Record<string, string>> = {}): Script => ({
  add: [{ files: { "add.js": addJs, ...files }, report: done({ Added: "add.js:1-3" }) }]
})

const repository = (files: Readonly<Record<string, string>>) => {
  const dir = project({ ".gitignore": "node_modules\ncalls.ndjson\n", ...files })
  const git = (...words: ReadonlyArray<string>) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...words], { cwd: dir }).toString()
  git("init", "-q")
  git("add", "-A")
  git("commit", "-q", "-m", "first")
  return { dir, git }
}

const run = async (dir: string) => {
  const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--max-retries", "0", "--json"], dir)
  const { data } = documentOf(finished)
  const events = await eventsOf(data.run_id, dir)
  const of = (type: string) => events.filter((event) => event.event_type === type).map(({ content }) => content)
  return { finished, data, of }
}

const scratchIn = () => readdirSync(tmpdir()).filter((name) => name.startsWith("proofline-checkout-"))

describe("given a command of the user", () => {
  it("that fails before the work, then it is run once at the base", async () => {
    const files = {
      "tasks.yaml": tasks(["grep -q add add.js && touch made.txt"]),
      ...scriptedAgent(works())
    }
    const dir = project(files)
    const before = scratchIn()
    const { data, finished, of } = await run(dir)
    expect(finished.code, finished.stderr).toBe(0)
    expect(of("BASE_CHECKED")).toMatchObject([
      { checks: [{ command: "grep -q add add.js && touch made.txt", outcome: "red", exit_code: 2, rests_on: [] }] }
    ])
    expect(of("VERIFICATION_RUN")).toMatchObject([{ passed: true }])
    expect(scratchIn().filter((name) => !before.includes(name))).toEqual([])
    expect((await proofline(["replay", data.run_id], dir)).code).toBe(0)
  })

  it("that needs installed packages, then they are there at the base too", async () => {
    const { dir } = repository({
      "node_modules/answer/index.js": "module.exports = 42\n",
      "package.json": '{"scripts":{"test":"node test.js"}}\n',
      "test.js":
        "if (require('answer') !== 42) process.exit(3)\nif (!require('fs').existsSync('add.js')) process.exit(4)\n",
      "tasks.yaml": tasks(["npm test --silent"]),
      ...scriptedAgent(works())
    })
    const { finished, of } = await run(dir)
    expect(finished.code, finished.stderr).toBe(0)
    expect(of("BASE_CHECKED")).toMatchObject([
      {
        checks: [
          { outcome: "red", exit_code: 4, rests_on: [{ path: "package.json", script: "test" }, { path: "test.js" }] }
        ]
      }
    ])
  })

  it("that cannot be found there, then nobody knows", async () => {
    const { dir } = repository({ "tasks.yaml": tasks(["./made-later.sh"]), ...scriptedAgent(works()) })
    const { of } = await run(dir)
    expect(of("BASE_CHECKED")).toMatchObject([{ checks: [{ outcome: "unknown", exit_code: 127 }] }])
  })
})

describe("given an agent that changes what a command rests on", () => {
  it("when it adds tests and those of the user still pass, then the command counts", async () => {
    const test = (more: string) =>
      `import { readFileSync } from "node:fs"\nif (!readFileSync("add.js", "utf8").includes("a + b")) process.exit(1)\n${more}`
    const { dir } = repository({
      "test.mjs": test(""),
      "tasks.yaml": tasks(["node test.mjs"]),
      ...scriptedAgent(works({ "test.mjs": test("console.log('more')\n") }))
    })
    const { finished, of } = await run(dir)
    expect(finished.code, finished.stderr).toBe(0)
    expect(of("VERIFICATION_RUN")).toMatchObject([
      { passed: true, checks: [{ changed: ["test.mjs"], as_written: { run: { exit_code: 0 }, message: "" } }] }
    ])
    expect(readFileSync(Path.join(dir, "test.mjs"), "utf8")).toContain("more")
    expect(existsSync(Path.join(dir, ".git/worktrees"))).toBe(false)
  })
})
