import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { done, scriptedAgent, withAgent, withReviewer } from "./agent.ts"
import { documentOf, eventsOf, finish, launcher, project, proofline, start, until, withSources } from "./proofline.ts"

const tasks = `
tasks:
  - { id: a, name: A, instruction: A, checks: ["test -s a.txt"], checklist: [Write a.txt] }
`
const reviewed = `
tasks:
  - { id: a, name: A, instruction: A, validation: [It is good], checklist: [Write a.txt] }
  - { id: b, name: B, instruction: B, validation: [It is good], depends_on: [a], checklist: [Write b.txt] }
`
const work = (name: string) => ({
  files: { [`${name}.txt`]: "content\n" },
  report: done({ [`Write ${name}.txt`]: `${name}.txt:1` })
})
const rolesOf = (dir: string) =>
  readFileSync(Path.join(dir, "calls.ndjson"), "utf8")
    .trim()
    .split("\n")
    .map((line) => `${JSON.parse(line).task} ${JSON.parse(line).role}`)

describe("a log that was changed", () => {
  it("is not continued: exit 5", async () => {
    const dir = project({ "tasks.yaml": tasks, ...scriptedAgent({ a: [{ exit: 1 }] }) })
    const failed = await proofline(["run", "tasks.yaml", ...withAgent, "--max-retries", "0", "--json"], dir)
    expect(failed.code).toBe(1)
    const db = new DatabaseSync(Path.join(dir, ".proofline/state/proofline.db"))
    db.exec("update event set content = replace(content, 'Write a.txt', 'Write x.txt') where version = 3")
    db.close()
    const resumed = await proofline(["resume", "--json"], dir)
    expect(resumed.code).toBe(5)
    expect(documentOf(resumed).data.problems[0].code).toBe("log_changed")
  })

  it("is missed when the agent deletes it: exit 5, and no word of proof", async () => {
    const dir = project({ "tasks.yaml": tasks, ...scriptedAgent({ a: [work("a")] }) })
    const args = ["--agent", "command", "--agent-command", "rm -f .proofline/state/proofline.db*; node agent.mjs"]
    const finished = await proofline(["run", "tasks.yaml", ...args, "--json"], dir)
    expect(finished.code, finished.stdout).toBe(5)
    expect(documentOf(finished).data.problems[0].code).toBe("log_lost")
  })

  it("is called corrupt when it is no database, by every command that reads it", async () => {
    const dir = project({ "tasks.yaml": tasks, ".proofline/state/proofline.db": "garbage ".repeat(1000) })
    for (const command of ["status", "history", "replay", "events", "resume"]) {
      const finished = await proofline([command, ...(command === "events" ? [] : ["--json"])], dir)
      expect(finished.code, command).toBe(5)
      expect(finished.stdout + finished.stderr, command).toContain("log_corrupt")
      expect(finished.stderr, command).not.toContain("internal_error")
    }
  })

  it("is not continued without the plugins it was made with", async () => {
    const plugin = withSources(`import { definePlugin, plugin } from "@proofline/kernel"
export default definePlugin(plugin("extra", { state: null }), { version: "1" })
`)
    const dir = project({
      "tasks.yaml": tasks,
      "extra.mjs": plugin,
      "proofline.yaml": "plugins: [./extra.mjs]\n",
      ...scriptedAgent({ a: [{ exit: 1 }] })
    })
    expect((await proofline(["run", "tasks.yaml", ...withAgent, "--max-retries", "0"], dir)).code).toBe(1)
    rmSync(Path.join(dir, "proofline.yaml"))
    const resumed = await proofline(["resume", "--json"], dir)
    expect(resumed.code).toBe(2)
    expect(documentOf(resumed).data.problems[0]).toMatchObject({ code: "plugin_missing" })
    expect((await proofline(["replay", "--json"], dir)).code).toBe(2)
  })
})

describe("a reviewer", () => {
  it("with a command of its own is another agent than the worker, whatever they are called", async () => {
    const dir = project({
      "tasks.yaml": reviewed,
      ...scriptedAgent({ a: [work("a")], b: [work("b")] }),
      "critic.sh": '#!/bin/sh\nprintf \'{"judgment":"REJECT"}\' > "$PROOFLINE_REPORT_FILE"\n'
    })
    const finished = await proofline(
      [
        "run",
        "tasks.yaml",
        ...withAgent,
        "--reviewer",
        "command",
        "--reviewer-command",
        "./critic.sh",
        "--max-retries",
        "0",
        "--json"
      ],
      dir
    )
    expect(finished.code).toBe(1)
    expect(rolesOf(dir)).toEqual(["a work"])
  })

  it("that cannot work opens the breaker: nothing more is worked on in vain, and a resume reviews without working again", async () => {
    const broken = { stderr: "Invalid API key\n", exit: 1 }
    const pass = { report: { judgment: "PASS" } }
    const script = { a: [work("a")], b: [work("b")], "review:a": [broken], "review:b": [pass] }
    const dir = project({ "tasks.yaml": reviewed, ...scriptedAgent(script) })
    const finished = await proofline(["run", "tasks.yaml", ...withReviewer, "--json"], dir)
    expect(finished.code, finished.stderr).toBe(4)
    expect(rolesOf(dir)).toEqual(["a work", "a review"])
    writeFileSync(Path.join(dir, "script.json"), JSON.stringify({ ...script, "review:a": [pass] }))
    const resumed = await proofline(["resume", "--json"], dir)
    expect(resumed.code, resumed.stderr).toBe(0)
    expect(rolesOf(dir)).toEqual(["a work", "a review", "a review", "b work", "b review"])
    expect((await proofline(["replay"], dir)).code).toBe(0)
  })
})

describe("what an agent says", () => {
  it.each([
    ["an emoji in place of JSON", "\u{1F389} All done"],
    ["a cut emoji", `${"x".repeat(1_999)}\u{1F389}`]
  ])("is refused and does not break the run: %s", async (_, report) => {
    const dir = project({ "tasks.yaml": tasks, ...scriptedAgent({ a: [{ report }, work("a")] }) })
    const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--json"], dir)
    expect(finished.code, finished.stderr).toBe(0)
    expect(documentOf(finished).data.tasks[0].attempts).toBe(2)
  })
})

describe("the exit code", () => {
  it("is that of the run also when nobody reads the output", async () => {
    const dir = project({ "tasks.yaml": tasks, ...scriptedAgent({ a: [{ exit: 1 }] }) })
    const line = `"${process.execPath}" "${launcher}" run tasks.yaml ${withAgent.map((word) => `'${word}'`).join(" ")} --max-retries 0`
    for (const reader of [`(${line}; echo $? > code) | true`, `(${line} 2>&1 >/dev/null; echo $? > code) | true`]) {
      rmSync(Path.join(dir, "code"), { force: true })
      spawnSync("sh", ["-c", reader], { cwd: dir })
      await until(() => existsSync(Path.join(dir, "code")) && readFileSync(Path.join(dir, "code"), "utf8") !== "")
      expect(readFileSync(Path.join(dir, "code"), "utf8").trim(), reader).toBe("1")
    }
    const status = spawnSync("sh", ["-c", `"${process.execPath}" "${launcher}" status --all | true`], {
      cwd: dir,
      encoding: "utf8"
    })
    expect(status.stderr).toBe("")
  })
})

describe("a run that was interrupted and resumed", () => {
  it("is followed to its real end, and what was finished before the interruption is not done again", {
    timeout: 60_000
  }, async () => {
    const hang = { "review:a": [{ hang: true }] }
    const pass = { "review:a": [{ report: { judgment: "PASS" } }], "review:b": [{ report: { judgment: "PASS" } }] }
    const dir = project({ "tasks.yaml": reviewed, ...scriptedAgent({ a: [work("a")], b: [work("b")], ...hang }) })
    const child = start(["run", "tasks.yaml", ...withReviewer, "--json"], dir)
    const ended = finish(child)
    await until(() => existsSync(Path.join(dir, "hanging")))
    child.kill("SIGINT")
    const interrupted = await ended
    expect(interrupted.code).toBe(130)
    const { run_id, status } = documentOf(interrupted).data
    expect(status).toBe("cancelled")
    writeFileSync(Path.join(dir, "script.json"), JSON.stringify({ a: [work("a")], b: [work("b")], ...pass }))
    const resumed = await proofline(["resume", "--json"], dir)
    expect(resumed.code, resumed.stderr).toBe(0)
    expect(rolesOf(dir)).toEqual(["a work", "a review", "a review", "b work", "b review"])
    const followed = await proofline(["events", run_id, "--follow"], dir)
    const events = await eventsOf(run_id, dir)
    expect(followed.stdout.trim().split("\n").length).toBe(events.length)
    expect(events.at(-1).event_type).toBe("RUN_COMPLETED")
  })
})
