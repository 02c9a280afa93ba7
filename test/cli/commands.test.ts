import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { scriptedAgent, withAgent } from "./agent.ts"
import {
  documentOf,
  eventsOf,
  finish,
  isGone,
  launcher,
  project,
  proofline,
  start,
  until,
  withSources
} from "./proofline.ts"
import { valid } from "./schemas.ts"

const tasks = `
tasks:
  - { id: a, name: A, instruction: A, checks: ["test -s a.txt"], checklist: [Write a.txt, Leave b.txt out] }
`
const script = {
  a: [
    {
      files: { "a.txt": "content\n" },
      report: {
        summary: "written",
        checklist: [
          { item: "Write a.txt", status: "done", evidence: "a.txt:1" },
          { item: "Leave b.txt out", status: "skipped", reason: "nobody needs it here" }
        ]
      }
    }
  ]
}
const finishedRun = async () => {
  const dir = project({ "tasks.yaml": tasks, ...scriptedAgent(script) })
  const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--json"], dir)
  expect(finished.code, finished.stderr).toBe(0)
  return { dir, run: documentOf(finished).data.run_id as string, document: documentOf(finished) }
}

describe("documents", () => {
  it("keep to their published schemas", async () => {
    const { dir, document, run } = await finishedRun()
    expect(valid("run.output", document)).toEqual([])
    expect(valid("history.output", documentOf(await proofline(["history", "--json"], dir)))).toEqual([])
    expect(valid("status.output", documentOf(await proofline(["status", "--json"], dir)))).toEqual([])
    expect(valid("run.output", documentOf(await proofline(["history", "--show", run, "--json"], dir)))).toEqual([])
    expect(valid("replay.output", documentOf(await proofline(["replay", run, "--json"], dir)))).toEqual([])
    expect(valid("validate.output", documentOf(await proofline(["validate", "tasks.yaml", "--json"], dir)))).toEqual([])
    expect(valid("init.output", documentOf(await proofline(["init", "--json"], project({}))))).toEqual([])
    for (const event of await eventsOf(run, dir)) expect(valid("event", event)).toEqual([])
  })

  it("also when the input is refused", async () => {
    const dir = project({ "tasks.yaml": "tasks: 3" })
    for (const args of [
      ["run", "tasks.yaml", ...withAgent],
      ["resume", "run_x"]
    ]) {
      const finished = await proofline([...args, "--json"], dir)
      expect(finished.code).toBe(2)
      expect(valid("run.output", documentOf(finished))).toEqual([])
      expect(documentOf(finished).data.problems.length).toBeGreaterThan(0)
    }
    for (const [args, meant] of [
      [["run", "tasks.yaml", "--agnet", "x"], "--agent"],
      [["resum"], "resume"]
    ] as const) {
      const usage = await proofline([...args, "--json"], dir)
      expect(usage.code).toBe(2)
      expect(documentOf(usage).data.problems[0].code).toMatch(/^usage_/)
      expect(documentOf(usage).data.problems[0].hint).toContain(`Did you mean \`${meant}\`?`)
    }
  })

  it("are the only thing on stdout", async () => {
    const { dir, run } = await finishedRun()
    const finished = await proofline(["replay", run, "--json"], dir)
    expect(() => JSON.parse(finished.stdout)).not.toThrow()
    expect(finished.stderr).toBe("")
  })
})

describe("a run that is under way", () => {
  it("is ended by cancel, its agent too; then it has ended", async () => {
    const dir = project({ "tasks.yaml": tasks, ...scriptedAgent({ a: [{ hang: true }] }) })
    const running = start(["run", "tasks.yaml", ...withAgent, "--json"], dir)
    await until(() => existsSync(Path.join(dir, "hanging")))
    const cancelled = await proofline(["cancel", "--reason", "not wanted any more", "--json"], dir)
    expect(cancelled.code, cancelled.stderr).toBe(0)
    expect(valid("run.output", documentOf(cancelled))).toEqual([])
    expect(documentOf(cancelled).data).toMatchObject({ status: "cancelled", message: "not wanted any more" })
    expect((await finish(running)).code).toBe(1)
    expect(isGone(Number(readFileSync(Path.join(dir, "hanging"), "utf8")))).toBe(true)
    const again = await proofline(["cancel", "--json"], dir)
    expect([again.code, documentOf(again).data.problems[0].code]).toEqual([2, "run_not_running"])
  })
})

describe("input", () => {
  it("is refused with every problem at once, before anything is started", async () => {
    const bad = `tasks:
  - id: a
    name: A
    instruction: A
    checklist: []
  - id: a
    name: 3
    instruction: A
    depends_on: [z, b]
    extra: 1
  - id: b
    name: B
    instruction: B
    depends_on: [c]
  - id: c
    name: C
    instruction: C
    depends_on: [b]
`
    const dir = project({ "tasks.yaml": bad, ...scriptedAgent({}) })
    const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--json"], dir)
    expect(finished.code).toBe(2)
    const { problems } = documentOf(finished).data
    expect(problems.length).toBeGreaterThanOrEqual(6)
    for (const problem of problems) {
      expect(problem).toMatchObject({ file: "tasks.yaml", line: expect.any(Number), column: expect.any(Number) })
      expect(problem.hint).not.toBe("")
      expect(problem.message).not.toMatch(/\bat .*\.ts:\d/)
    }
    expect(existsSync(Path.join(dir, ".proofline"))).toBe(false)
    expect(existsSync(Path.join(dir, "calls.ndjson"))).toBe(false)
  })

  it.each([
    ["a file that does not exist", ["run", "nothing.yaml"], "file_not_found"],
    ["a directory", ["run", "."], "file_is_directory"],
    ["a project directory that does not exist", ["run", "tasks.yaml", "--cwd", "nowhere"], "directory_missing"],
    ["an agent nobody knows", ["run", "tasks.yaml", "--agent", "clude"], "agent_unknown"],
    ["a run nobody knows", ["replay", "run_x"], "run_unknown"]
  ])("%s is refused with a code", async (_, args, code) => {
    const dir = project({ "tasks.yaml": tasks })
    const finished = await proofline([...args, "--json"], dir)
    expect(finished.code).toBe(2)
    expect(documentOf(finished).data.problems[0].code).toBe(code)
  })

  it("reads the agent and the settings from proofline.yaml; the command line wins", async () => {
    const dir = project({
      "tasks.yaml": tasks,
      "proofline.yaml": "agent: command\nagent_command: exit 7\nretry_delay_ms: 0\nmax_retries: 1\n",
      ...scriptedAgent(script)
    })
    const configured = await proofline(["run", "tasks.yaml", "--json"], dir)
    expect(configured.code).toBe(1)
    expect(documentOf(configured).data.tasks[0].attempts).toBe(2)
    const flags = await proofline(["run", "tasks.yaml", "--agent-command", "node agent.mjs", "--json"], dir)
    expect(flags.code, flags.stderr).toBe(0)
  })
})

describe("a plugin of the project", () => {
  const freeze = withSources(`import { definePlugin, plugin, Run, reject, StartAttempt, Tasks } from "@proofline/kernel"
const Freeze = plugin("freeze", { state: null, after: [Run, Tasks] })
export default definePlugin(Freeze, {
  version: "1",
  parts: [Freeze.guard(StartAttempt, () => reject("frozen", "Nothing is worked on today.", "Wait."))]
})
`)
  it("is refused by name when it cannot be loaded", async () => {
    const dir = project({ "tasks.yaml": tasks, "proofline.yaml": "plugins: [./nope.mjs]\n", ...scriptedAgent(script) })
    const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--json"], dir)
    expect(finished.code).toBe(2)
    expect(documentOf(finished).data.problems[0]).toMatchObject({ code: "plugin_unusable" })
  })

  it("guards every command, and its refusal ends the task instead of the program waiting", async () => {
    const dir = project({
      "tasks.yaml": tasks,
      "freeze.mjs": freeze,
      "proofline.yaml": "plugins: [./freeze.mjs]\n",
      ...scriptedAgent(script)
    })
    const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--json"], dir)
    expect(finished.code, finished.stderr).toBe(1)
    expect(documentOf(finished).data.tasks[0]).toMatchObject({ status: "failed", verdict: "unproven", attempts: 0 })
    expect(existsSync(Path.join(dir, "calls.ndjson"))).toBe(false)
    const [started] = await eventsOf(documentOf(finished).data.run_id, dir)
    expect(started.content.plugins.map((plugin: { name: string }) => plugin.name)).toContain("freeze")
  })
})

describe("events", () => {
  it("prove their own order to a stranger", async () => {
    const { dir, run } = await finishedRun()
    const docs = readFileSync(fileURLToPath(new URL("../../docs/events.md", import.meta.url)), "utf8")
    const program = /```python\n([\s\S]*?)```/.exec(docs)?.[1] ?? ""
    expect(program).toContain("hashlib")
    const { stdout } = await proofline(["events", run], dir)
    const python = (input: string) => spawnSync("python3", ["-c", program], { input, encoding: "utf8" })
    if (python("").error !== undefined) return
    expect(python(stdout)).toMatchObject({ status: 0, stdout: expect.stringContaining("chain intact") })
    expect(python(stdout.replace("written", "wRitten")).status).toBe(1)
    expect(python(stdout.split("\n").toSpliced(3, 1).join("\n")).status).toBe(1)
  })

  it("follow a run that is being written until it has ended", async () => {
    const dir = project({
      "tasks.yaml": tasks.replace("test -s a.txt", "test -s a.txt && until test -e go; do :; done"),
      ...scriptedAgent(script)
    })
    const running = start(["run", "tasks.yaml", ...withAgent], dir)
    const ended = finish(running)
    await until(() => existsSync(Path.join(dir, "a.txt")))
    const follower = start(["events", "--follow"], dir)
    const seen = finish(follower)
    let text = ""
    follower.stdout?.on("data", (chunk) => (text += chunk))
    await until(() => text.includes("CHECKLIST_COMPLETED"))
    expect(text).not.toContain("RUN_COMPLETED")
    writeFileSync(Path.join(dir, "go"), "")
    expect((await ended).code).toBe(0)
    const { code, stdout } = await seen
    expect(code).toBe(0)
    expect(stdout).toBe((await proofline(["events"], dir)).stdout)
  })

  it("do not complain when the reader has seen enough", async () => {
    const { dir } = await finishedRun()
    const out = execFileSync("sh", ["-c", `"${process.execPath}" "${launcher}" events | head -n 1`], {
      cwd: dir,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"]
    })
    expect(JSON.parse(out).event_type).toBe("RUN_STARTED")
  })
})

describe("replay", () => {
  it("finds every decision as recorded, and a changed log broken with exit code 5", async () => {
    const { dir, run } = await finishedRun()
    expect((await proofline(["replay", run], dir)).code).toBe(0)
    const { DatabaseSync } = await import("node:sqlite")
    const db = new DatabaseSync(Path.join(dir, ".proofline/state/proofline.db"))
    db.exec(
      "update event set content = replace(content, 'nobody needs it', 'somebody needs it') where event_type = 'CHECKLIST_REPORTED'"
    )
    db.close()
    const finished = await proofline(["replay", run, "--json"], dir)
    expect(finished.code).toBe(5)
    expect(documentOf(finished).data.integrity.version).toBeGreaterThan(1)
    expect(documentOf(finished).data.divergence).not.toBeNull()
  })
})

describe("init", () => {
  it("writes files that are valid and keeps what exists", async () => {
    const dir = project({ "proofline.yaml": "# mine\n" })
    const finished = await proofline(["init", "--json"], dir)
    expect(finished.code).toBe(0)
    expect(documentOf(finished).data.files).toContainEqual({ path: "proofline.yaml", action: "kept" })
    expect(readFileSync(Path.join(dir, "proofline.yaml"), "utf8")).toBe("# mine\n")
    expect((await proofline(["validate", "tasks.yaml"], dir)).code).toBe(0)
    expect((await proofline(["validate", ".proofline/phase_contract.yml"], dir)).code).toBe(0)
  })

  const template = (path: string) =>
    readFileSync(new URL(`../../packages/cli/templates/${path}`, import.meta.url), "utf8")

  it.each([
    { args: [], contract: "phase_contract.yml", guide: "task_planning.md" },
    { args: ["--contract", "full"], contract: "phase_contract.full.yml", guide: "task_planning.md" },
    { args: ["--lang", "ja"], contract: "ja/phase_contract.yml", guide: "ja/task_planning.md" },
    {
      args: ["--lang", "ja", "--contract", "full"],
      contract: "ja/phase_contract.full.yml",
      guide: "ja/task_planning.md"
    }
  ])(
    "writes the phase contract and the planning guide that are asked for: $args",
    async ({ args, contract, guide }) => {
      const dir = project({})
      const finished = await proofline(["init", ...args, "--json"], dir)
      expect(finished.code, finished.stderr).toBe(0)
      const paths = [
        "proofline.yaml",
        "tasks.yaml",
        ".proofline/.gitignore",
        ".proofline/phase_contract.yml",
        ".proofline/task_planning.md"
      ]
      expect(documentOf(finished).data.files).toEqual(paths.map((path) => ({ path, action: "created" })))
      expect(readFileSync(Path.join(dir, ".proofline/phase_contract.yml"), "utf8")).toBe(template(contract))
      expect(readFileSync(Path.join(dir, ".proofline/task_planning.md"), "utf8")).toBe(template(guide))
      const again = await proofline(["init", "--json"], dir)
      expect(documentOf(again).data.files).toEqual(paths.map((path) => ({ path, action: "kept" })))
      expect(readFileSync(Path.join(dir, ".proofline/phase_contract.yml"), "utf8")).toBe(template(contract))
    }
  )

  it("puts nothing before the contract and the guide that a project has elsewhere", async () => {
    const dir = project({ ".code-intel/phase_contract.yml": "failures: {}\n" })
    const { files } = documentOf(await proofline(["init", "--json"], dir)).data
    expect(files).toContainEqual({ path: ".code-intel/phase_contract.yml", action: "kept" })
    expect(files).toContainEqual({ path: ".proofline/task_planning.md", action: "created" })
    expect(existsSync(Path.join(dir, ".proofline/phase_contract.yml"))).toBe(false)
  })

  it("tells which languages and contracts there are", async () => {
    const finished = await proofline(["init", "--lang", "fr", "--json"], project({}))
    expect(finished.code).toBe(2)
    expect(documentOf(finished).data.problems[0].message).toContain("fr")
  })
})

describe("a project in which nothing ever ran", () => {
  it("has no history and stays untouched", async () => {
    const dir = project({})
    expect(documentOf(await proofline(["history", "--json"], dir)).data).toEqual({ runs: [] })
    expect(documentOf(await proofline(["status", "--json"], dir)).data).toEqual({ runs: [] })
    expect((await proofline(["events"], dir)).code).toBe(2)
    expect(existsSync(Path.join(dir, ".proofline"))).toBe(false)
  })
})

describe("storage", () => {
  const isRoot = process.getuid?.() === 0

  it.skipIf(isRoot)("that cannot be written stops the run with a sentence", async () => {
    const dir = project({ "tasks.yaml": tasks, ...scriptedAgent(script) })
    mkdirSync(Path.join(dir, "ro"))
    chmodSync(Path.join(dir, "ro"), 0o500)
    const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--state", "ro/state", "--json"], dir)
    expect(finished.code).toBe(1)
    expect(documentOf(finished).data.problems[0].code).toBe("log_unwritable")
  })

  it("whose place is taken by a file stops the run with a sentence", async () => {
    const dir = project({ "tasks.yaml": tasks, ".proofline": "a file", ...scriptedAgent(script) })
    const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--json"], dir)
    expect(finished.code).toBe(1)
    expect(documentOf(finished).data.problems[0]).toMatchObject({
      code: "log_unwritable",
      hint: expect.stringContaining("--state")
    })
    expect(existsSync(Path.join(dir, "calls.ndjson"))).toBe(false)
  })

  it("that is full stops the run with a sentence; with room again it goes on", { timeout: 120_000 }, async ({
    skip
  }) => {
    const dir = project({ "tasks.yaml": tasks, ...scriptedAgent(script), "disk/.keep": "" })
    const disk = Path.join(dir, "disk")
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk])
    if (mounted.status !== 0) skip("this machine does not let a test mount a small disk")
    try {
      const filler = Path.join(disk, "filler")
      const where = ["--state", "disk/state"]
      // fill the disk more and more until the run no longer fits: some of these stop in the middle
      const codes: Array<number | null> = []
      for (const free of [600, 400, 300, 200, 120, 60]) {
        spawnSync(
          "sh",
          ["-c", `rm -rf state; : > filler; dd if=/dev/zero of=filler bs=1k count=${1024 - free} 2>/dev/null`],
          { cwd: disk }
        )
        const finished = await proofline(["run", "tasks.yaml", ...withAgent, ...where, "--json"], dir)
        codes.push(finished.code)
        expect(finished.stderr).not.toMatch(/\n\s+at /)
        if (finished.code === 0) continue
        expect(documentOf(finished).data.problems[0].code, finished.stdout).toBe("log_disk_full")
        spawnSync("rm", ["-f", filler])
        const runs = documentOf(await proofline(["history", ...where, "--json"], dir)).data.runs
        if (runs.length === 0) continue
        expect((await proofline(["replay", runs[0].run_id, ...where], dir)).code).toBe(0)
        const resumed = await proofline(["resume", runs[0].run_id, ...where, "--json"], dir)
        expect(resumed.code, resumed.stderr).toBe(0)
      }
      expect(codes).toContain(1)
    } finally {
      spawnSync("umount", ["-l", disk])
    }
  })
})

describe("the launcher", () => {
  it("says in one sentence that Node is too old", () => {
    const old = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.9.0" } }); (await import('node:module')).createRequire('/')(${JSON.stringify(launcher)})`
    const { status, stderr, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", old], {
      encoding: "utf8"
    })
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
    expect(stderr).toMatch(/^Proofline needs Node 22\.19 or newer, and this is Node 20\.9\.0: .*\n$/)
  })

  it("prints help and version: commands by what a person wants to do, examples first, older spellings nowhere", async () => {
    const help = await proofline(["--help"], project({}))
    expect(help.code).toBe(0)
    const titles = help.stdout.split("\n").filter((line) => /^[A-Z][a-z ]+$/.test(line))
    expect(titles).toEqual([
      "Examples",
      "Usage",
      "Do work",
      "Look at work",
      "Judge and prove",
      "Steer",
      "Connect agents",
      "Set up",
      "Flags"
    ])
    const described = help.stdout.split("\n").flatMap((line) => /^ {2}([a-z-]+) {2,}(\S.*)$/.exec(line)?.[1] ?? [])
    expect(described).toEqual(
      expect.arrayContaining([
        "run",
        "show",
        "status",
        "history",
        "verify",
        "resume",
        "cancel",
        "serve",
        "init",
        "demo"
      ])
    )
    expect(described).not.toEqual(expect.arrayContaining(["report"]))
    expect(described).not.toEqual(expect.arrayContaining(["watch"]))
    expect(help.stdout).not.toContain("loopb")
    expect((await proofline(["--version"], project({}))).stdout).toContain("0.1.0")
    expect((await proofline(["run", "--help"], project({}))).stdout).toContain("--agent-command")
  })
})

describe("the demo", () => {
  it("refuses the cheat, accepts the work, and says both", { timeout: 60_000 }, async () => {
    const dir = Path.join(project({}), "demo")
    const finished = await proofline(["demo", "--dir", dir], Path.dirname(dir))
    expect(finished.code, finished.stderr).toBe(0)
    for (const key of [
      "checklist_items_mismatch",
      "checklist_evidence_empty_impl",
      "checklist_evidence_line_out_of_range"
    ]) {
      expect(finished.stdout).toContain(key)
    }
    expect(finished.stdout).toContain("Claimed and refused")
    expect(finished.stdout).toMatch(/3 tasks of 3 completed\.\ncompleted · 10 proven · 1 waived\n/)
    expect(spawnSync(process.execPath, ["--test"], { cwd: dir, encoding: "utf8" }).status).toBe(0)
    expect((await proofline(["replay", "--cwd", dir], Path.dirname(dir))).code).toBe(0)
  })
})

describe("a report", () => {
  it("with half characters in it is stored without breaking the log", async () => {
    const report = `{"summary":"\\ud800 odd","checklist":[{"item":"Write a.txt","status":"done","evidence":"a.txt:1"},{"item":"Leave b.txt out","status":"skipped","reason":"because \\udfff of it"}]}`
    const dir = project({
      "tasks.yaml": tasks,
      ...scriptedAgent({ a: [{ files: { "a.txt": "x = 1\n" }, report, stdout: "\u{1F600}".repeat(3000) }] })
    })
    const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--json"], dir)
    expect(finished.code, finished.stderr).toBe(0)
    expect((await proofline(["replay"], dir)).code).toBe(0)
  })
})
