import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { done, rolesOf, scriptedAgent, withAgent } from "./agent.ts"
import { documentOf, launcher, project, proofline, until, withSources } from "./proofline.ts"

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
    expect(rolesOf(dir)).toEqual(["work:a"])
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
