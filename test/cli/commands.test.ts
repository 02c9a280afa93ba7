import { execFileSync, spawnSync } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { parse } from "yaml"
import { version } from "../../packages/cli/src/base/version.ts"
import { sampleRequirements, sampleTasks } from "../../packages/cli/src/commands/sample.ts"
import { scriptedAgent, withAgent } from "./agent.ts"
import { type Answer, achieved, answerOf, asked } from "./asked.ts"
import { caller } from "./mcpClient.ts"
import {
  documentOf,
  eventsOf,
  finish,
  isGone,
  launcher,
  project,
  proofline,
  start,
  startBound,
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

/** A project in which the agent does what it was told. */
const honest = (more: Readonly<Record<string, string>> = {}): string =>
  project({ "tasks.yaml": tasks, ...scriptedAgent(script), ...more })

const run = (dir: string, ...args: ReadonlyArray<string>): Promise<Answer> =>
  asked(["run", "tasks.yaml", ...withAgent, ...args], dir)

describe("given a run that has ended", () => {
  let dir: string
  let id: string
  beforeAll(async () => {
    dir = honest()
    const finished = await run(dir)
    expect(finished.code, finished.stderr).toBe(0)
    id = finished.data.run_id
  })

  it("documents of it are all that is on stdout, and keep to their schemas", async () => {
    for (const args of [
      ["history"],
      ["status"],
      ["history", "--show", id],
      ["replay", id],
      ["validate", "tasks.yaml"]
    ]) {
      expect(await asked(args, dir)).toMatchObject({ code: 0, stderr: "" })
    }
  })

  it("its events keep to their schema, prove their order to a stranger, and do not complain when somebody has seen enough", async () => {
    for (const event of await eventsOf(id, dir)) expect(valid("event", event)).toEqual([])
    const out = execFileSync("sh", ["-c", `"${process.execPath}" "${launcher}" events | head -n 1`], {
      cwd: dir,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"]
    })
    expect(JSON.parse(out).event_type).toBe("RUN_STARTED")

    const docs = readFileSync(fileURLToPath(new URL("../../docs/events.md", import.meta.url)), "utf8")
    const program = /```python check\.py\n([\s\S]*?)```/.exec(docs)?.[1] ?? ""
    expect(program).toContain("hashlib")
    const { stdout } = await proofline(["events", id], dir)
    const python = (input: string) => spawnSync("python3", ["-c", program], { input, encoding: "utf8" })
    if (python("").error !== undefined) return
    expect(python(stdout)).toMatchObject({ status: 0, stdout: expect.stringContaining("chain intact") })
    expect(python(stdout.replace("written", "wRitten")).status).toBe(1)
    expect(python(stdout.split("\n").toSpliced(3, 1).join("\n")).status).toBe(1)
  })

  it("replay finds every decision as recorded, and a changed log broken with exit code 5", async () => {
    const copy = project({})
    cpSync(dir, copy, { recursive: true })
    const db = new DatabaseSync(Path.join(copy, ".proofline/state/proofline.db"))
    db.exec(
      "update event set content = replace(content, 'nobody needs it', 'somebody needs it') where event_type = 'CHECKLIST_REPORTED'"
    )
    db.close()
    const { code, data } = await asked(["replay", id], copy)
    expect(code).toBe(5)
    expect(data.integrity.version).toBeGreaterThan(1)
    expect(data.divergence).not.toBeNull()
  })

  it("receipts are not exported with a key that does not fit, and nothing is written", async () => {
    const pem = { type: "pkcs8", format: "pem" } as const
    writeFileSync(Path.join(dir, "rsa.pem"), generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export(pem))
    const { publicKey } = generateKeyPairSync("ed25519")
    writeFileSync(Path.join(dir, "key.pub"), publicKey.export({ type: "spki", format: "pem" }))
    for (const [key, code, says] of [
      ["rsa.pem", "key_unusable", "for rsa"],
      ["key.pub", "key_unusable", "no private key"],
      ["tasks.yaml", "key_unusable", "no private key"],
      ["gone.pem", "file_not_found", "gone.pem"]
    ] as const) {
      const finished = await proofline(["receipts", "export", "--key", key, "--out", "r.json"], dir)
      expect(finished, key).toMatchObject({ code: 2, stdout: "" })
      expect(finished.stderr).toContain(says)
      expect(finished.stderr).toContain(`[${code}]`)
      expect(existsSync(Path.join(dir, "r.json"))).toBe(false)
    }
  })
})

describe("a run that is under way", () => {
  it("is followed by events while it is written, until it has ended", async () => {
    const dir = honest({ "tasks.yaml": tasks.replace("-s a.txt", "-s a.txt && until test -e go; do sleep 0.05; done") })
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

  it("is ended by cancel, its agent too; then it has ended", async () => {
    const dir = project({ "tasks.yaml": tasks, ...scriptedAgent({ a: [{ hang: true }] }) })
    const running = start(["run", "tasks.yaml", ...withAgent, "--json"], dir)
    await until(() => existsSync(Path.join(dir, "hanging")))
    const { data } = await achieved(["cancel", "--reason", "not wanted any more"], dir)
    expect(data).toMatchObject({ status: "cancelled", message: "not wanted any more" })
    expect((await finish(running)).code).toBe(1)
    expect(isGone(Number(readFileSync(Path.join(dir, "hanging"), "utf8")))).toBe(true)
    expect(await asked(["cancel"], dir)).toMatchObject({ code: 2, refused: ["run_not_running"] })
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
    const dir = honest({ "tasks.yaml": bad })
    const finished = await run(dir)
    expect(finished.code).toBe(2)
    const { problems } = finished.data
    expect(problems.length).toBeGreaterThanOrEqual(6)
    for (const problem of problems) {
      expect(problem).toMatchObject({ file: "tasks.yaml", line: expect.any(Number), column: expect.any(Number) })
      expect(problem.hint).not.toBe("")
      expect(problem.message).not.toMatch(/\bat .*\.ts:\d/)
    }
    expect(existsSync(Path.join(dir, ".proofline"))).toBe(false)
    expect(existsSync(Path.join(dir, "calls.ndjson"))).toBe(false)
  })

  it("that cannot be is refused with a code, also in its document", async () => {
    const dir = project({ "tasks.yaml": tasks })
    const usage = expect.stringMatching(/^usage_/)
    for (const [args, code, says = ""] of [
      [["run", "nothing.yaml"], "file_not_found"],
      [["run", "."], "file_is_directory"],
      [["run", "tasks.yaml", "--cwd", "nowhere"], "directory_missing"],
      [
        ["run", "tasks.yaml", "--agent", "cluade"],
        "agent_unknown",
        "Did you mean `claude`? Known: claude, codex, gemini, opencode, command, auto."
      ],
      [["run", "tasks.yaml", "--agent-command", ""], "name_empty", "--agent-command is empty."],
      [["run", "tasks.yaml", "--protected", " "], "name_empty"],
      [["history", "--blobs", ""], "blobs_invalid"],
      [["replay", "run_x"], "run_unknown"],
      [["resume", "run_x"], "run_unknown"],
      [["history", "--kind", "taks"], "kind_unknown", "Did you mean `tasks`? There are tasks, requirements,"],
      [["init", "--lang", "fr"], usage, "fr"],
      [["run", "tasks.yaml", "--agnet", "x"], usage, "Did you mean `--agent`?"],
      [["resum"], usage, "Did you mean `resume`?"],
      [["show", "--run", "abc"], usage, "takes its id by itself: `proofline show RUN`."]
    ] as ReadonlyArray<[ReadonlyArray<string>, unknown, string?]>) {
      const finished = await proofline([...args, "--json"], dir)
      expect(finished.code, args.join(" ")).toBe(2)
      const [problem] = documentOf(finished).data.problems
      expect(problem.code).toEqual(code)
      expect(`${problem.message} ${problem.hint}`).toContain(says)
      if (["run", "resume"].includes(args[0] ?? "")) expect(valid("run.output", documentOf(finished))).toEqual([])
    }
  })

  it("reads the agent and the settings from proofline.yaml; the command line wins", async () => {
    const dir = honest({
      "proofline.yaml": "agent: command\nagent_command: exit 7\nretry_delay_ms: 0\nmax_retries: 1\n"
    })
    expect(await asked(["run", "tasks.yaml"], dir)).toMatchObject({ code: 1, data: { tasks: [{ attempts: 2 }] } })
    await achieved(["run", "tasks.yaml", "--agent-command", "node agent.mjs"], dir)
  })

  it("of half characters in a report is stored without breaking the log", async () => {
    const report = `{"summary":"\\ud800 odd","checklist":[{"item":"Write a.txt","status":"done","evidence":"a.txt:1"},{"item":"Leave b.txt out","status":"skipped","reason":"because \\udfff of it"}]}`
    const move = { files: { "a.txt": "x = 1\n" }, report, stdout: "\u{1F600}".repeat(3000) }
    const dir = honest(scriptedAgent({ a: [move] }))
    const finished = await run(dir)
    expect(finished.code, finished.stderr).toBe(0)
    expect((await proofline(["replay"], dir)).code).toBe(0)
  })
})

describe("a plugin of the project", () => {
  it("is refused by name when it cannot be loaded", async () => {
    const dir = honest({ "proofline.yaml": "plugins: [./nope.mjs]\n" })
    expect(await run(dir)).toMatchObject({ code: 2, refused: ["plugin_unusable"] })
  })

  it("guards every command, and its refusal ends the task instead of the program waiting", async () => {
    const freeze =
      withSources(`import { definePlugin, plugin, Run, reject, StartAttempt, Tasks } from "@proofline/kernel"
const Freeze = plugin("freeze", { state: null, after: [Run, Tasks] })
export default definePlugin(Freeze, {
  version: "1",
  parts: [Freeze.guard(StartAttempt, () => reject("frozen", "Nothing is worked on today.", "Wait."))]
})
`)
    const dir = honest({ "freeze.mjs": freeze, "proofline.yaml": "plugins: [./freeze.mjs]\n" })
    const finished = await run(dir)
    expect(finished.code, finished.stderr).toBe(1)
    expect(finished.data.tasks[0]).toMatchObject({ status: "failed", verdict: "unproven", attempts: 0 })
    expect(existsSync(Path.join(dir, "calls.ndjson"))).toBe(false)
    const [started] = await eventsOf(finished.data.run_id, dir)
    expect(started.content.plugins.map((plugin: { name: string }) => plugin.name)).toContain("freeze")
  })
})

describe("init", () => {
  const template = (path: string) =>
    readFileSync(new URL(`../../packages/cli/templates/${path}`, import.meta.url), "utf8")
  const contractFile = ".proofline/phase_contract.yml"
  const paths = ["proofline.yaml", "tasks.yaml", ".proofline/.gitignore", contractFile, ".proofline/task_planning.md"]

  it.each([
    [[], "phase_contract.yml", "task_planning.md"],
    [["--contract", "full"], "phase_contract.full.yml", "task_planning.md"],
    [["--lang", "ja"], "ja/phase_contract.yml", "ja/task_planning.md"],
    [["--lang", "ja", "--contract", "full"], "ja/phase_contract.full.yml", "ja/task_planning.md"]
  ])(
    "with %j writes what is asked for, which is valid and can be begun with, and keeps it the next time",
    async (args, contract, guide) => {
      const dir = project({})
      const written = async (...more: ReadonlyArray<string>) => {
        return (await achieved(["init", ...more], dir)).data.files
      }
      expect(await written(...args)).toEqual(paths.map((path) => ({ path, action: "created" })))
      expect(readFileSync(Path.join(dir, ".proofline/task_planning.md"), "utf8")).toBe(template(guide))
      expect(await written()).toEqual(paths.map((path) => ({ path, action: "kept" })))
      expect(readFileSync(Path.join(dir, contractFile), "utf8")).toBe(template(contract))
      for (const file of ["tasks.yaml", contractFile]) expect((await proofline(["validate", file], dir)).code).toBe(0)
      const { body } = await (await caller(dir, "ann")).call("get_next_action")
      expect(body.phase).toBe(contract.includes("full") ? "BRANCH_INTERVENTION" : "EXPLORATION")
      expect(/[\u3040-\u30ff]/.test(body.instruction)).toBe(args.includes("ja"))
    }
  )

  it("names the agents and the test command that are found in settings that hold, and only tells them where settings are there", async () => {
    const files = { "package.json": JSON.stringify({ scripts: { test: "exit 0" } }), "bin/codex": "#!/bin/sh\n" }
    const dir = project(files)
    chmodSync(Path.join(dir, "bin/codex"), 0o755)
    const PATH = `${Path.join(dir, "bin")}:${Path.dirname(process.execPath)}:/usr/bin:/bin`
    const found = { agents: ["codex"], tests: [{ command: "npm test", from: "package.json" }] }
    const first = await proofline(["init", "--yes", "--json"], dir, { PATH })
    expect(JSON.parse(first.stdout).data.found).toEqual(found)
    const settings = readFileSync(Path.join(dir, "proofline.yaml"), "utf8")
    expect(parse(settings)).toEqual({ agent: "auto", verifiers: ["npm test"] })
    expect((await proofline(["validate", "proofline.yaml"], dir)).code).toBe(0)
    const again = await proofline(["init"], dir, { PATH })
    expect(again.stdout).toContain('proofline.yaml was kept; it could say: agent: auto; verifiers: ["npm test"]')
  })

  it("names the flags that take any command where no agent is found", async () => {
    const { stdout } = await proofline(["init"], project({}), {
      PATH: `${Path.dirname(process.execPath)}:/usr/bin:/bin`
    })
    const next = stdout.split("\n").find((line) => line.includes(" run tasks.yaml"))
    expect(next).toMatch(/run tasks\.yaml --agent command --agent-command '\.\/my-agent\.sh'/)
  })

  it("keeps what a project has, and puts nothing before a contract that it has elsewhere", async () => {
    const dir = project({ "proofline.yaml": "# mine\n", ".code-intel/phase_contract.yml": "failures: {}\n" })
    const { files } = (await achieved(["init"], dir)).data
    for (const [path, action] of [
      ["proofline.yaml", "kept"],
      [".code-intel/phase_contract.yml", "kept"],
      [".proofline/task_planning.md", "created"]
    ]) {
      expect(files).toContainEqual({ path, action })
    }
    expect(readFileSync(Path.join(dir, "proofline.yaml"), "utf8")).toBe("# mine\n")
    expect(existsSync(Path.join(dir, contractFile))).toBe(false)
  })
})

describe("config show", () => {
  it("tells of each setting its value and where it is said", async () => {
    const dir = project({
      "proofline.yaml":
        "agent: mine\nagents:\n  mine: { command: exit 0 }\n\nmax_retries: 5\nmax_cost: 2\nchunking:\n  max_subtasks: 4\n  workers: 5\nfail_fast: true\n",
      ".claude/task-chunking.json": JSON.stringify({ max_subtasks: 7, min_subtasks: 3, retry: { retry_delay_ms: 7 } })
    })
    const { settings } = (await achieved(["config", "show", "--blobs", "kept"], dir)).data
    const said = Object.fromEntries(
      // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
      settings.map(({ key, origin, value }: any) => [key, [value, origin.file ?? origin.kind, origin.line]])
    )
    expect(said).toMatchObject({
      state: [Path.join(realpathSync(dir), ".proofline/state"), "default", null],
      blobs: [expect.stringMatching(/kept$/), "flag", null],
      agent: ["mine", "proofline.yaml", 1],
      agents: [{ mine: { command: "exit 0" } }, "proofline.yaml", 2],
      max_cost: [2, "proofline.yaml", 6],
      // of parts as of tasks where only the one is said
      workers: [5, "proofline.yaml", 9],
      "chunking.retry.max_retries": [5, "proofline.yaml", 5],
      "chunking.retry.retry_delay_ms": [7, ".claude/task-chunking.json", 1],
      "chunking.retry.backoff_multiplier": [1.5, "default", null],
      "chunking.fail_fast": [true, "proofline.yaml", 10],
      "chunking.max_subtasks": [4, "proofline.yaml", 8],
      "chunking.min_subtasks": [3, ".claude/task-chunking.json", 1],
      "evidence.strict": [false, "default", null]
    })
    const shown = await proofline(["config", "show", "--origin"], dir)
    expect(shown.stdout).toMatch(/^agent: "mine" +# proofline\.yaml:1$/m)
    const PROOFLINE_DATABASE_URL = "postgres://somebody:secret@127.0.0.1:1/log"
    const elsewhere = await proofline(["config", "show", "--origin"], dir, {
      PROOFLINE_BLOBS: "kept",
      PROOFLINE_DATABASE_URL
    })
    expect(elsewhere.stdout).toMatch(/^blobs: ".*kept" +# environment$/m)
    expect(elsewhere.stdout).toMatch(/^database_url: ".*" +# environment$/m)
    expect(elsewhere.stdout).not.toContain("secret")
  })
})

describe("schema", () => {
  it("prints each that it lists, and says which there are where one is asked for that is not", async () => {
    const dir = project({})
    const { schemas } = (await achieved(["schema", "list"], dir)).data
    expect(schemas.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(["tasks", "event", "run.output"])
    )
    for (const { description, file, name } of schemas.slice(0, 3)) {
      const printed = await proofline(["schema", "print", name], dir)
      expect(JSON.parse(printed.stdout)).toEqual(JSON.parse(readFileSync(file, "utf8")))
      expect(JSON.parse(printed.stdout).description).toBe(description)
    }
    const unknown = await proofline(["schema", "print", "../package"], dir)
    expect(unknown).toMatchObject({ code: 2, stdout: "" })
    expect(unknown.stderr).toContain("[schema_unknown]")
  })
})

describe("--completions", () => {
  it("completes commands, flags and the names of files in bash", async () => {
    const dir = project({ "some.yaml": "", "sources/keep": "" })
    const { stdout } = await proofline(["--completions", "bash"], dir)
    writeFileSync(Path.join(dir, "completions"), stdout)
    const completed = (...words: ReadonlyArray<string>) => {
      const line = words.join(" ")
      const script = `. ./completions; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; COMP_LINE="${line}"; COMP_POINT=${line.length}
        $(complete -p proofline | sed 's/.*-F \\([^ ]*\\).*/\\1/') proofline "${words.at(-1)}" "${words.at(-2)}"; echo "\${COMPREPLY[@]}"`
      return spawnSync("bash", ["-c", script], { cwd: dir, encoding: "utf8" }).stdout.trim().split(" ")
    }
    expect(completed("proofline", "re")).toEqual(["receipts", "replay", "resume"])
    expect(completed("proofline", "run", "--agent-c")).toEqual(["--agent-command"])
    expect(completed("proofline", "plugins", "c")).toEqual(["check"])
    for (const words of [
      ["run"],
      ["validate"],
      ["verify"],
      ["replay"],
      ["audit", "other.md"],
      ["verify", "--receipts"],
      ["receipts", "export", "--key"]
    ])
      expect(completed("proofline", ...words, "so").toSorted(), words.join(" ")).toEqual(["some.yaml", "sources"])
    expect(completed("proofline", "run", "--cwd", "so")).toEqual(["sources"])
  })
})

describe("sample", () => {
  it.each([
    ["requirements", sampleRequirements],
    ["tasks", sampleTasks]
  ] as const)(
    "%s is printed as a text and nothing else, or written where --cwd says, and is valid without a warning",
    async (kind, text) => {
      const dir = project({ "inner/.keep": "" })
      expect(await proofline(["sample", kind], dir)).toEqual({ code: 0, stdout: text(dir), stderr: "" })
      expect(existsSync(Path.join(dir, ".proofline"))).toBe(false)
      const written = await proofline(["sample", kind, "--cwd", "inner", "--out", "mine.yaml"], dir)
      expect(written).toMatchObject({ code: 0, stdout: "" })
      expect(readFileSync(Path.join(dir, "inner/mine.yaml"), "utf8")).toBe(text(dir))
      const { data } = await asked(["validate", "inner/mine.yaml"], dir)
      expect(data).toMatchObject({ problems: [], warnings: [], [kind]: parse(text(dir))[kind].length })
    }
  )

  it("of requirements shows every form there is", () => {
    const { constraints, context, requirements } = parse(sampleRequirements())
    expect(requirements.length).toBeGreaterThanOrEqual(3)
    expect(constraints.length).toBeGreaterThan(0)
    expect(context).toContain("\n")
    // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
    const criteria: ReadonlyArray<any> = requirements.flatMap((one: any) => one.acceptance_criteria)
    for (const form of [
      criteria.some((criterion) => typeof criterion === "string"),
      criteria.some(({ check }) => check !== undefined),
      criteria.some(({ verify }) => verify !== undefined)
    ]) {
      expect(form).toBe(true)
    }
    const priorities = requirements.map(({ priority }: { priority: string }) => priority)
    expect(priorities).toEqual(expect.arrayContaining(["required", "optional"]))
  })

  it("to a file that exists, or where none can be, is refused, and nothing is touched", async () => {
    const dir = project({ "mine.yaml": "mine\n", "inner/.keep": "" })
    symlinkSync("nowhere", Path.join(dir, "dangling.yaml"))
    for (const [out, code, says] of [
      ["mine.yaml", "out_exists", "mine.yaml exists already, and nothing was written."],
      ["dangling.yaml", "out_exists", "dangling.yaml exists already, and nothing was written."],
      ["inner", "out_exists", "inner exists already"],
      ["nowhere/new.yaml", "out_unwritable", "nowhere/new.yaml cannot be written: "]
    ]) {
      const finished = await proofline(["sample", "requirements", "--out", out ?? ""], dir)
      expect(finished).toMatchObject({ code: 2, stdout: "" })
      expect(finished.stderr).toContain(says)
      expect(finished.stderr).toContain(`[${code}]`)
    }
    expect(readFileSync(Path.join(dir, "mine.yaml"), "utf8")).toBe("mine\n")
    expect(existsSync(Path.join(dir, "nowhere"))).toBe(false)
  })
})

describe("validate", () => {
  it("knows requirements and tasks for what they are, whatever their file is called", async () => {
    const sound = "name: N\nrequirements: [{id: a, name: A, acceptance_criteria: [C]}]\n"
    const dir = project({ "anything.yaml": sound, "x-requirements.yaml": sampleTasks(".") })
    const finished = await proofline(["validate", "anything.yaml"], dir)
    expect(finished).toEqual({ code: 0, stdout: "anything.yaml is valid: 1 requirement.\n", stderr: "" })
    const { data, refused } = await asked(["validate", "x-requirements.yaml"], dir)
    expect({ ...data, refused }).toMatchObject({ tasks: 0, requirements: 0, refused: ["not_requirements"] })
  })
})

describe("a task without a check where verifiers are set", () => {
  const dir = () =>
    project({
      "proofline.yaml": 'verifiers: ["npm test"]\n',
      "tasks.yaml": tasksYaml(`{ id: a, name: A, instruction: A, checklist: [A] }, ${checked("b")}, ${checkedItem}`),
      "checked.yaml": tasksYaml(checked("a"))
    })
  const tasksYaml = (tasks: string) => `tasks: [${tasks}]\n`
  const checked = (id: string) => `{ id: ${id}, name: B, instruction: B, checks: ["true"], checklist: [B] }`
  const checkedItem = '{ id: c, name: C, instruction: C, checklist: [{ item: C, check: "true" }] }'

  it.each([[["validate"]], [["run", "--agent", "command", "--agent-command", "x", "--dry-run"]]])(
    "is named by %j, which says that nothing runs them",
    async ([command = "", ...flags]) => {
      const { code, stderr } = await proofline([command, "tasks.yaml", ...flags], dir())
      expect(code).toBe(0)
      expect(stderr).toMatch(/^note: task a has no check, and the verifiers .*`npm test`.* pull mode only/)
      expect((await proofline([command, "checked.yaml", ...flags], dir())).stderr).toBe("")
    }
  )
})

describe("a project in which nothing ever ran", () => {
  it("has no history and stays untouched", async () => {
    const dir = project({})
    for (const command of ["history", "status"]) {
      expect((await asked([command], dir)).data).toEqual({ runs: [] })
    }
    expect((await proofline(["events"], dir)).code).toBe(2)
    expect(existsSync(Path.join(dir, ".proofline"))).toBe(false)
  })
})

describe("storage", () => {
  it("that cannot be written stops the run with a sentence", async () => {
    const dir = honest()
    mkdirSync(Path.join(dir, "ro"))
    chmodSync(Path.join(dir, "ro"), 0o500)
    const finished = answerOf(
      await finish(startBound(["run", "tasks.yaml", ...withAgent, "--state", "ro/state", "--json"], dir))
    )
    expect([finished.code, finished.refused]).toEqual([1, ["log_unwritable"]])
  })

  it("whose place is taken by a file stops the run with a sentence", async () => {
    const dir = honest({ ".proofline": "a file" })
    const finished = await run(dir)
    expect(finished.code).toBe(1)
    expect(finished.data.problems[0]).toMatchObject({
      code: "log_unwritable",
      hint: expect.stringContaining("--state")
    })
    expect(existsSync(Path.join(dir, "calls.ndjson"))).toBe(false)
  })

  it("that is full stops the run with a sentence; with room again it goes on", async ({ skip }) => {
    const dir = honest({ "disk/.keep": "" })
    const disk = Path.join(dir, "disk")
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk])
    if (mounted.status !== 0) skip("this machine does not let a test mount a small disk")
    try {
      const filler = Path.join(disk, "filler")
      const where = ["--state", "disk/state"]
      // fill the disk more and more until the run no longer fits: some of these stop in the middle
      const codes: Array<number | null> = []
      for (const free of [400, 200, 120, 60]) {
        spawnSync(
          "sh",
          ["-c", `rm -rf state; : > filler; dd if=/dev/zero of=filler bs=1k count=${1024 - free} 2>/dev/null`],
          { cwd: disk }
        )
        const finished = await run(dir, ...where)
        codes.push(finished.code)
        expect(finished.stderr).not.toMatch(/\n\s+at /)
        if (finished.code === 0) continue
        expect(finished.data.problems[0].code, finished.stdout).toBe("log_disk_full")
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
    const lines = help.stdout.split("\n")
    const titles = [
      "Examples",
      "Usage",
      "Do work",
      "Look at work",
      "Judge and prove",
      "Steer",
      "Connect agents",
      "Use many machines",
      "Look after the log",
      "Set up"
    ]
    expect(lines.filter((line) => /^[A-Z][a-z ]+$/.test(line))).toEqual([...titles, "Flags"])
    const described = lines.flatMap((line) => /^ {2}([a-z-]+) {2,}(\S.*)$/.exec(line)?.[1] ?? [])
    const commands = ["run", "show", "status", "history", "verify", "resume", "cancel", "serve", "init", "demo"]
    expect(described).toEqual(expect.arrayContaining(commands))
    for (const older of ["report", "watch"]) expect(described).not.toContain(older)
    expect(help.stdout).not.toContain("loopb")
    expect((await proofline(["--version"], project({}))).stdout).toBe(`proofline v${version}\n`)
    expect((await proofline(["run", "--help"], project({}))).stdout).toContain("--agent-command")
  })
})

describe("the demo", () => {
  it("refuses the cheat, accepts the work, and prints one document with --json, and what is said of its run", async () => {
    const dir = Path.join(project({}), "demo")
    const finished = await achieved(["demo", "--dir", dir], Path.dirname(dir))
    const { counts, run_id, status } = finished.data
    expect({ counts, status }).toMatchObject({ status: "completed", counts: { proven: 10, waived: 1 } })
    for (const key of ["items_mismatch", "evidence_empty_impl", "evidence_line_out_of_range"]) {
      expect(finished.stderr).toContain(`checklist_${key}`)
    }
    const said = (await proofline(["history", "--show", run_id], dir)).stdout
    expect(said).toContain("Claimed and refused")
    expect(said).toMatch(/3 tasks of 3 completed\.\ncompleted · 10 proven · 1 waived\n/)
    expect(spawnSync(process.execPath, ["--test"], { cwd: dir, encoding: "utf8" }).status).toBe(0)
    expect((await proofline(["replay", "--cwd", dir], Path.dirname(dir))).code).toBe(0)
  })
})
