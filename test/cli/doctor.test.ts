import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import type { Entry } from "../../packages/cli/src/clients/json.ts"
import { type ClientName, clientNames, clients } from "../../packages/cli/src/clients/table.ts"
import type { Table } from "../../packages/cli/src/clients/toml.ts"
import { isOlder } from "../../packages/cli/src/doctor/program.ts"
import { daily } from "../often.ts"
import { git } from "../plugins/repositories.ts"
import { done, scriptedAgent, withAgent } from "./agent.ts"
import { type Answer, achieved, answerOf, asked, each } from "./asked.ts"
import { finish, isGone, project, proofline, repository, start, startBound, startIn, until } from "./proofline.ts"

interface Finding {
  readonly check: string
  readonly code: string
  readonly severity: string
  readonly message: string
  readonly place: string
  readonly fix: string
  readonly fixable: boolean
  readonly fixed: boolean
}

const realGit = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim()

/** An agent of the project's own, and programs that stand in for what a machine has. */
const working = {
  "proofline.yaml": "agent: mine\nagents:\n  mine: { command: ./agent.sh }\nverifiers: [./check.sh && true]\n",
  "agent.sh": "#!/bin/sh\n",
  "check.sh": "#!/bin/sh\n"
}

/** A machine that has the system's programs, those in `bin` of the project, and nothing else. */
const machine = (dir: string) => ({
  ...{ PATH: `${Path.join(dir, "bin")}:/usr/bin:/bin`, HOME: dir },
  ...{ GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" }
})

const toldOf = (answer: Answer) => {
  const findings: ReadonlyArray<Finding> = answer.data.findings
  return { ...answer, findings, codes: each(findings, "code") }
}

/** What a doctor says on it. */
const look = async (dir: string, flags: ReadonlyArray<string> = [], env: Readonly<Record<string, string>> = {}) =>
  toldOf(await asked(["doctor", ...flags], dir, { ...machine(dir), ...env }))

/** The same where no other variable is set. */
const lookAlone = async (dir: string, ...flags: ReadonlyArray<string>) =>
  toldOf(answerOf(await finish(startIn(dir, machine(dir), ["doctor", ...flags, "--json"]))))

/** Every file below a directory, with its bytes. */
const treeOf = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => Path.join(parentPath, name))
    .filter((file) => !file.includes("/.git/"))
    .toSorted()
    .map((file) => [Path.relative(dir, file), readFileSync(file, "latin1")])

interface Case {
  readonly given: string
  readonly files?: Readonly<Record<string, string>>
  /** What is done before, in the project; `null`: it is no repository. */
  readonly before?: ((dir: string) => void) | null
  readonly env?: Readonly<Record<string, string>>
  readonly code: string
  readonly severity: "error" | "warning" | "note"
  readonly place: RegExp
  readonly says: RegExp
  /** Whether --fix does it. */
  readonly fixable?: true
}

const isRoot = process.getuid?.() === 0

const cases: ReadonlyArray<Case> = [
  {
    given: "no git",
    files: {},
    env: { PATH: "/nowhere" },
    ...{ code: "git_missing", severity: "warning", place: /proofline-test-/, says: /Install git 2\.38/ }
  },
  {
    given: "a git that is too old",
    files: {
      "bin/git": `#!/bin/sh\ncase "$*" in *" version") echo git version 2.25.1;; *) exec ${realGit} "$@";; esac\n`
    },
    ...{ code: "git_old", severity: "warning", place: /proofline-test-/, says: /Install git 2\.38/ }
  },
  {
    given: "a git that fails",
    files: { "bin/git": "#!/bin/sh\necho 'fatal: something is broken' >&2; exit 128\n" },
    ...{ code: "git_refuses", severity: "error", place: /proofline-test-/, says: /something is broken/ }
  },
  {
    given: "a git and an agent that never answer",
    files: {
      "bin/git": "#!/bin/sh\nexec sleep 600\n",
      "bin/claude": "#!/bin/sh\nexec sleep 600\n",
      "proofline.yaml": "agent: claude\n"
    },
    ...{ code: "agent_silent", severity: "error", place: /^proofline\.yaml, agent claude$/, says: /within 10 s/ }
  },
  {
    given: "no repository",
    before: null,
    ...{ code: "repository_none", severity: "warning", place: /proofline-test-/, says: /git init/ }
  },
  {
    given: "a repository of somebody else",
    before: (dir) => execFileSync("chown", ["-R", "12345", dir]),
    ...{
      code: "git_refuses",
      severity: "error",
      place: /proofline-test-/,
      says: /git config --global --add safe\.directory \//
    }
  },
  {
    given: "a repository without a commit",
    before: (dir) => {
      rmSync(Path.join(dir, ".git"), { recursive: true })
      git(dir, "init", "-q")
    },
    ...{ code: "repository_empty", severity: "warning", place: /proofline-test-/, says: /git commit/ }
  },
  {
    given: "a repository without a commit, and a git that does not know the user",
    before: (dir) => {
      rmSync(Path.join(dir, ".git"), { recursive: true })
      git(dir, "init", "-q")
      git(dir, "config", "user.useConfigOnly", "true")
    },
    env: {
      ...{ HOME: "/nowhere", XDG_CONFIG_HOME: "/nowhere", GIT_CONFIG_GLOBAL: "/dev/null", EMAIL: "" },
      ...{ GIT_AUTHOR_NAME: "", GIT_AUTHOR_EMAIL: "", GIT_COMMITTER_NAME: "", GIT_COMMITTER_EMAIL: "" }
    },
    ...{
      code: "repository_empty",
      severity: "warning",
      place: /proofline-test-/,
      says: /git config --global user\.name .* user\.email .*, then git add -A && git commit/
    }
  },
  {
    given: "settings that a rule for hidden files leaves out of every commit",
    files: { ".proofline/task_planning.md": "Plan.\n" },
    before: (dir) => writeFileSync(Path.join(dir, ".gitignore"), ".*\nbin\n"),
    ...{
      code: "settings_ignored",
      severity: "note",
      place: /proofline-test-/,
      says: /\.proofline\/task_planning\.md.*check-ignore.*!\.proofline\//
    }
  },
  {
    given: "a state directory that git sees",
    before: (dir) => {
      mkdirSync(Path.join(dir, ".proofline/state"), { recursive: true })
      writeFileSync(Path.join(dir, ".gitignore"), "bin\n")
    },
    ...{ code: "state_not_ignored", severity: "warning", place: /\.proofline\/state$/, says: /\.gitignore/ },
    fixable: true
  },
  {
    given: "a state directory that is part of the repository",
    before: (dir) => {
      mkdirSync(Path.join(dir, ".proofline/state"), { recursive: true })
      writeFileSync(Path.join(dir, ".proofline/state/old.db"), "")
      git(dir, "add", "-f", ".proofline/state/old.db")
    },
    ...{
      code: "state_tracked",
      severity: "warning",
      place: /\.proofline\/state$/,
      says: /git rm -r --quiet --cached \.proofline\/state/
    }
  },
  {
    given: "a proofline.yaml with a mistake",
    files: { "proofline.yaml": "workers: 2\nworker_count: x\n" },
    ...{ code: "unknown_key", severity: "error", place: /^proofline\.yaml:2:1$/, says: /./ }
  },
  {
    given: "a phase contract with a mistake",
    files: { ".proofline/phase_contract.yml": "name: x\nphases: 3\n" },
    ...{ code: "wrong_type", severity: "error", place: /^\.proofline\/phase_contract\.yml:2:\d+$/, says: /./ }
  },
  {
    given: "an agent whose program is gone",
    files: { "proofline.yaml": "agent: mine\nagents:\n  mine: { command: ./gone.sh --headless }\n" },
    ...{
      code: "agent_program_missing",
      severity: "error",
      place: /^proofline\.yaml, agent mine$/,
      says: /`\.\/gone\.sh`/
    }
  },
  {
    given: "an agent that nobody uses and whose program is gone",
    files: { "proofline.yaml": "agent: mine\nagents:\n  mine: { command: ./agent.sh }\n  other: { preset: codex }\n" },
    ...{ code: "agent_program_missing", severity: "warning", place: /^proofline\.yaml, agent other$/, says: /codex/ }
  },
  {
    given: "an agent that says no version",
    files: { "proofline.yaml": "agent: codex\n", "bin/codex": "#!/bin/sh\nexit 1\n" },
    ...{
      code: "agent_silent",
      severity: "error",
      place: /^proofline\.yaml, agent codex$/,
      says: /bin\/codex --version/
    }
  },
  {
    given: "a model without its key",
    files: {
      "proofline.yaml":
        "agent: mine\nreviewer: small\nagents:\n  mine: { command: ./agent.sh }\n  small: { model: m, base_url: 'https://example.org/v1', key_env: NO_SUCH_KEY }\n"
    },
    ...{ code: "agent_unusable", severity: "error", place: /^proofline\.yaml, agent small$/, says: /NO_SUCH_KEY/ }
  },
  {
    given: "`agent: auto` and no agent",
    files: { "proofline.yaml": "agent: auto\n" },
    ...{ code: "agent_none", severity: "error", place: /^PATH$/, says: /claude, codex, gemini, opencode/ }
  },
  {
    given: "no agent at all",
    files: { "proofline.yaml": "workers: 2\n" },
    ...{ code: "agent_none", severity: "warning", place: /^PATH$/, says: /--agent-command/ }
  },
  {
    given: "a verifier whose program is gone",
    files: { "proofline.yaml": "workers: 2\n\nverifiers:\n  - CI=1 nowhere-test --all 2>&1 | cat\n" },
    ...{ code: "verifier_missing", severity: "error", place: /^proofline\.yaml:3$/, says: /`nowhere-test`/ }
  },
  {
    given: "a verifier that runs a module which its Python has not",
    files: {
      "bin/python3": "#!/bin/sh\nfor m; do case $m in nowhere_tests) echo $m;; esac; done\n",
      "proofline.yaml": "verifiers: [python3 -X dev -m unittest, python3 -q -m nowhere_tests.all -v]\n"
    },
    ...{
      code: "verifier_missing",
      severity: "error",
      place: /^proofline\.yaml:1$/,
      says: /`nowhere_tests`, which is no module that `python3` has/
    }
  },
  {
    given: "a check of a task whose program is gone",
    files: {
      "tasks.yaml": "tasks: [{ id: a, name: A, instruction: A, checks: [nowhere-check], checklist: [A] }]\n"
    },
    ...{ code: "check_missing", severity: "warning", place: /^tasks\.yaml$/, says: /task a, .*`nowhere-check`/ }
  },
  {
    given: "a variable that is none of ours",
    env: { PROOFLINE_DATABSE_URL: "x" },
    ...{
      code: "variable_unknown",
      severity: "warning",
      place: /^PROOFLINE_DATABSE_URL$/,
      says: /PROOFLINE_DATABASE_URL/
    }
  },
  {
    given: "a project in which nothing was set up",
    files: { "proofline.yaml": "#" },
    before: (dir) => rmSync(Path.join(dir, "proofline.yaml")),
    ...{ code: "project_new", severity: "note", place: /proofline-test-/, says: /\binit\b/ }
  },
  {
    given: "a pipe in the place of the log",
    before: (dir) => {
      mkdirSync(Path.join(dir, ".proofline/state"), { recursive: true })
      execFileSync("mkfifo", [Path.join(dir, ".proofline/state/proofline.db")])
    },
    ...{ code: "log_not_regular", severity: "error", place: /proofline\.db$/, says: /--state/ }
  },
  {
    given: "a file in the place of the state directory",
    files: { ".proofline/state": "" },
    ...{ code: "state_not_directory", severity: "error", place: /\.proofline\/state$/, says: /--state/ }
  },
  {
    given: "the URL of a database that a process has left",
    before: (dir) => {
      mkdirSync(Path.join(dir, ".proofline/state"), { recursive: true })
      writeFileSync(Path.join(dir, ".proofline/state/database-url.99999999"), "postgresql://me:secret@host/db\n")
    },
    ...{ code: "secret_left", severity: "warning", place: /database-url\.99999999$/, says: /rm / },
    fixable: true
  },
  {
    given: "a database that cannot be reached",
    env: { PROOFLINE_DATABASE_URL: "postgresql://me@127.0.0.1:9/x" },
    ...{ code: "log_failed", severity: "error", place: /^database x on 127\.0\.0\.1:9$/, says: /the server runs/ }
  },
  {
    given: "a file of a client that mentions Proofline and cannot be read",
    files: { ".mcp.json": '{\n  "mcpServers": { "proofline": ]\n}\n' },
    ...{ code: "client_file_invalid", severity: "error", place: /^\.mcp\.json:2:\d+$/, says: /Mend the file/ }
  }
]

const needsRoot = /somebody else/

describe("doctor", () => {
  it("given a project in which everything works, finds nothing but that nothing was run, and changes nothing", async () => {
    const dir = repository(working)
    const before = treeOf(dir)
    const { code, codes, data, findings } = await lookAlone(dir)
    expect([code, codes]).toEqual([0, ["log_none"]])
    expect(findings[0]).toMatchObject({ severity: "note", fixable: false, fixed: false })
    expect(data.programs).toMatchObject({ node: process.versions.node, git: expect.stringMatching(/^\d+\.\d+/) })
    expect((await lookAlone(dir, "--fix")).codes).toEqual(["log_none"])
    expect((await proofline(["doctor"], dir)).stdout).not.toContain("0 of 0")
    expect(treeOf(dir)).toEqual(before)
  })

  it("given warnings or notes alone, ends with what follows from them", async () => {
    const closing = async (dir: string) =>
      (await finish(startIn(dir, machine(dir), ["doctor"]))).stdout.trimEnd().split("\n").at(-1)
    expect(await closing(repository(working))).toBe("Nothing is damaged, and nothing keeps a run from working.")
    expect(await closing(project(working))).toBe("Nothing is damaged. The warning above may get in the way of a run.")
  })

  it("given a plugin that cannot be loaded, says so as `plugins check` does", async () => {
    const dir = repository({ ...working, "proofline.yaml": `${working["proofline.yaml"]}plugins: [./gone.js]\n` })
    const { refused, data } = await asked(["plugins", "check"], dir, machine(dir))
    const { code, findings } = await lookAlone(dir)
    const [found, ...others] = findings.filter(({ check }) => check === "plugins")
    expect([code, others, refused]).toEqual([1, [], ["plugin_unusable"]])
    expect(found).toMatchObject({ code: "plugin_unusable", severity: "error", place: "proofline.yaml:5:11" })
    expect([found?.message, found?.fix]).toEqual([data.problems[0].message, data.problems[0].hint])
    expect((await finish(startIn(dir, machine(dir), ["doctor"]))).stdout).not.toContain("Nothing is damaged")
  })

  it.each(
    daily(
      cases.filter(({ given }) => isRoot || !needsRoot.test(given)),
      3
    )
  )(
    "given $given, says so with a place and what to do, and --fix does it where nothing can be lost: $code",
    async ({ before, code, env, files = {}, fixable = false, place, says, severity }) => {
      const dir = before === null ? project({ ...working, ...files }) : repository({ ...working, ...files })
      before?.(dir)
      const tree = treeOf(dir)
      const looked = await look(dir, [], env)
      const found = looked.findings.filter((one) => one.code === code && place.test(one.place))
      expect(found, looked.stdout).toHaveLength(1)
      expect(found[0]).toMatchObject({ severity, fixable, fixed: false, place: expect.stringMatching(place) })
      expect(`${found[0]?.message} ${found[0]?.fix}`).toMatch(says)
      for (const { fix, message } of looked.findings) expect([fix, message]).not.toContain("")
      expect(looked.code).toBe(looked.findings.some((one) => one.severity === "error") ? 1 : 0)
      expect(treeOf(dir)).toEqual(tree)
      const fixed = await look(dir, ["--fix"], env)
      expect(fixed.findings.find((one) => one.code === code && place.test(one.place))).toMatchObject({ fixed: fixable })
      if (fixable) expect((await look(dir, [], env)).codes).not.toContain(code)
      else expect(treeOf(dir)).toEqual(tree)
    }
  )

  it("given a state directory that may only be read, says that no run can begin, and not that nothing keeps one", async () => {
    const dir = repository({ ...working, ".proofline/state/.gitignore": "*\n" })
    chmodSync(Path.join(dir, ".proofline/state"), 0o555)
    const { code, data } = answerOf(await finish(startBound(["doctor", "--json"], dir)))
    expect(data.findings).toContainEqual(
      expect.objectContaining({
        ...{ code: "state_unwritable", severity: "error", place: Path.join(dir, ".proofline/state") }
      })
    )
    expect(code).toBe(1)
    expect((await finish(startBound(["doctor"], dir))).stdout).not.toContain("nothing keeps a run from working")
    chmodSync(Path.join(dir, ".proofline/state"), 0o755)
  })

  it.each([".proofline", ".proofline/state", ".proofline/state/blobs"])(
    "given a run, and %s that may not be read, says so, and not that anything is gone or damaged; so do others",
    async (name) => {
      const dir = repository({
        "tasks.yaml": "tasks: [{ id: a, name: A, instruction: A, checklist: [Write a.txt] }]\n",
        ...scriptedAgent({ a: [{ files: { "a.txt": "a\n" }, report: done({ "Write a.txt": "a.txt:1" }) }] })
      })
      await achieved(["run", "tasks.yaml", ...withAgent], dir)
      chmodSync(Path.join(dir, name), 0)
      const others = name.endsWith("blobs") ? [] : [["verify"], ["log", "copy", "--to", Path.join(dir, "copy")]]
      for (const command of [["doctor"], ["events", "export", "--out", Path.join(dir, "runs.ndjson")], ...others]) {
        const { code, refused } = answerOf(await finish(startBound([...command, "--json"], dir)))
        expect([command[0], code, refused]).toEqual([command[0], 1, ["log_unwritable"]])
      }
      chmodSync(Path.join(dir, name), 0o755)
      expect(readdirSync(dir)).not.toContain("runs.ndjson")
    }
  )
})

/** As an installation that is gone has written it, beside what others have. */
const leftBy = (client: ClientName, dir: string): ReadonlyArray<readonly [path: string, text: string]> =>
  clients[client]
    .files(["npx", "--prefix", Path.join(dir, "gone"), "proofline"])
    .flatMap((file) =>
      file.format === "markdown"
        ? []
        : [[file.path, file.format === "json" ? jsonOf(file.entries) : tomlOf(file.table)]]
    )

const jsonOf = (entries: ReadonlyArray<Entry>): string => {
  const all: Record<string, unknown> = {}
  for (const { in: path, key, value } of entries) {
    const [outer = "", inner] = path
    const added = key === undefined ? [value] : { other: { command: "other" }, [key]: value }
    all[outer] = inner === undefined ? added : { [inner]: added }
  }
  return JSON.stringify(all, null, 2)
}

const tomlOf = ({ path, values }: Table): string =>
  [
    `model = "x"`,
    "",
    `[${path.join(".")}]`,
    ...Object.entries(values).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
    ""
  ].join("\n")

describe("doctor, given clients that start a Proofline which is gone", () => {
  it.each(daily(clientNames, 3))(
    "names each command of %s with its place, and --fix writes that of this Proofline",
    async (client) => {
      const dir = project(working)
      const files = leftBy(client, dir)
      for (const [path, text] of files) {
        mkdirSync(Path.join(dir, Path.dirname(path)), { recursive: true })
        writeFileSync(Path.join(dir, path), text)
      }
      const { code, findings } = await look(dir)
      const gone = findings.filter((one) => one.code === "client_command_gone")
      expect([code, gone.length]).toEqual([1, files.length])
      for (const [index, [path]] of files.entries()) {
        expect(gone[index]).toMatchObject({
          severity: "error",
          fixable: true,
          place: expect.stringMatching(new RegExp(`^${path}:\\d+:\\d+$`))
        })
      }
      const fixed = await look(dir, ["--fix"])
      expect([fixed.code, fixed.findings.filter((one) => one.fixed).length], fixed.stdout).toEqual([0, files.length])
      for (const [path, text] of files) {
        const now = readFileSync(Path.join(dir, path), "utf8")
        expect(now).not.toContain(Path.join(dir, "gone"))
        expect(now).toContain(text.includes("other") ? '"other"' : "proofline")
      }
      expect((await look(dir)).codes).not.toContain("client_command_gone")
      expect(treeOf(dir).map(([path]) => path)).toEqual(
        [...files.map(([path]) => path), ...Object.keys(working)].toSorted()
      )
    }
  )

  it("leaves an entry that was written by hand as it is, and says how it is replaced", async () => {
    const text =
      '{ "mcpServers": { "proofline": { "command": "/opt/gone/proofline", "args": ["mcp", "--tools", "all"] } } }\n'
    const dir = project({ ...working, ".mcp.json": text })
    const { findings } = await look(dir, ["--fix"])
    expect(findings.find((one) => one.code === "client_command_gone")).toMatchObject({
      fixed: false,
      message: expect.stringMatching(/could not be fixed: .*\[entry_differs\]/),
      fix: expect.stringContaining("--replace")
    })
    expect(readFileSync(Path.join(dir, ".mcp.json"), "utf8")).toBe(text)
  })

  it.each([
    [{ command: "nowhere-proofline", args: ["mcp"] }, "there is no program `nowhere-proofline` on PATH"],
    [{ command: "/opt/gone/proofline", args: ["mcp"] }, "there is no program `/opt/gone/proofline` any more"],
    [{ command: "sh", args: ["-c", "true"] }, null],
    [{ command: "npx", args: ["proofline", "mcp"] }, "Proofline is installed neither in the project nor on PATH"],
    [{ command: ["bin/node", "/opt/gone/proofline.cjs", "mcp"] }, "there is no file /opt/gone/proofline.cjs any more"]
  ])("says of %j: %s", async (proofline, missing) => {
    const dir = project({
      ...working,
      "bin/node": "#!/bin/sh\n",
      "bin/npx": "#!/bin/sh\n",
      ".mcp.json": JSON.stringify({ mcpServers: { proofline } })
    })
    const gone = (await look(dir)).findings.filter((one) => one.code === "client_command_gone")
    expect(each(gone, "message")).toEqual(missing === null ? [] : [expect.stringContaining(missing)])
  })

  it("says nothing of a server over HTTP, of other servers, and of one whose program is there", async () => {
    const here = { command: "./agent.sh", args: ["mcp"] }
    for (const proofline of [{ type: "http", url: "http://127.0.0.1:4600/mcp" }, here, { ...here, args: "mcp" }]) {
      const dir = project({
        ...working,
        ".mcp.json": JSON.stringify({ mcpServers: { proofline, other: { command: "/gone" } } })
      })
      expect((await look(dir)).codes).not.toContain("client_command_gone")
    }
  })
})

describe("doctor, given a run whose process was killed", () => {
  it("names the run with what goes on, and takes out what the process stands as the holder of", async () => {
    const dir = project({
      "tasks.yaml": "tasks: [{ id: a, name: A, instruction: A, checklist: [Write a.txt] }]\n",
      ...scriptedAgent({ a: [{ hang: true }] })
    })
    const child = start(["run", "tasks.yaml", ...withAgent], dir)
    const hanging = Path.join(dir, "hanging")
    await until(() => existsSync(hanging) && readFileSync(hanging, "utf8") !== "")
    expect((await look(dir)).codes).not.toContain("run_interrupted")
    child.kill("SIGKILL")
    await finish(child)
    const agent = Number(readFileSync(hanging, "utf8"))
    await until(() => isGone(agent))
    const { code, findings } = await look(dir)
    expect(code).toBe(0)
    const interrupted = findings.find((one) => one.code === "run_interrupted")
    expect(interrupted).toMatchObject({ severity: "warning", place: expect.stringMatching(/^run_/), fixable: false })
    expect(interrupted?.fix).toContain(`resume ${interrupted?.place}`)
    expect(findings.find((one) => one.code === "holds_left")).toMatchObject({
      severity: "note",
      message: expect.stringContaining(String(child.pid)),
      fixable: true
    })
    expect((await look(dir, ["--fix"])).findings.find((one) => one.code === "holds_left")).toMatchObject({
      fixed: true
    })
    expect((await look(dir)).codes).not.toContain("holds_left")
    writeFileSync(
      Path.join(dir, "script.json"),
      JSON.stringify({ a: [{ files: { "a.txt": "content\n" }, report: done({ "Write a.txt": "a.txt:1" }) }] })
    )
    expect((await asked(["resume", ...withAgent.slice(0, 4)], dir)).data.status).toBe("completed")
    expect((await look(dir)).codes).not.toContain("run_interrupted")
  })
})

describe("doctor, given a requirements run of which an iteration came to a conflict", () => {
  /** In the first iteration both subtasks write the same file too. */
  const agent = `#!/bin/sh
task=$PROOFLINE_TASK_ID
report() { printf '%s' "$1" > "$PROOFLINE_REPORT_FILE"; }
written() {
  printf 'export const %s = (a) => {\\n  return a * %s\\n}\\n' "$1" "$2" > "$1.js"
  case $task in big1-*) echo "$1" > both.txt;; esac
  report "{\\"summary\\":\\"\\",\\"checklist\\":[{\\"item\\":\\"Create $1() in $1.js\\",\\"status\\":\\"done\\",\\"evidence\\":\\"$1.js:1-3\\"}]}"
}
case $PROOFLINE_ROLE:$task in
analyze:*) report '{"is_decomposable":true,"decomposition_reason":"two","subtasks":[{"prompt":"Create fx() in fx.js","dependencies":[],"acceptance_criteria":[],"checklist":[1]},{"prompt":"Create fy() in fy.js","dependencies":[],"acceptance_criteria":[],"checklist":[2]}]}';;
generate:*) printf 'tasks:\\n  - { id: big%s, name: Both, instruction: Create fx and fy., covers: [add.1, add.2], checklist: [Create fx() in fx.js, Create fy() in fy.js] }\\n' "\${task#iteration-}" > "$PROOFLINE_REPORT_FILE";;
verify:*) report '{"all_requirements_met":true,"requirement_status":[{"requirement_id":"add","met":true,"evidence":"fx.js:1-3, fy.js:1-3"}]}';;
work:*-sub-1) written fx 2;;
work:*-sub-2) written fy 3;;
esac
`
  it("names the worktrees that nothing needs any more, and says nothing once they are gone", async () => {
    const dir = repository({
      "requirements.yaml":
        "name: Maths\nrequirements:\n  - { id: add, description: Numbers, acceptance_criteria: [fx() in fx.js doubles, fy() in fy.js triples] }\n",
      "bin/agent.sh": agent
    })
    const withAgent = ["--agent", "command", "--agent-command", "sh bin/agent.sh", "--reviewer", "none"]
    const flags = ["--max-retries", "0", "--retry-delay", "0s", "--chunk"]
    const { data } = await asked(["run-requirements", "requirements.yaml", ...withAgent, ...flags], dir)
    expect(data).toMatchObject({ status: "completed" })
    const named = async () => (await look(dir)).findings.filter(({ code }) => code === "worktrees_unused")
    const place = Path.join(dir, ".proofline/state/worktrees", `${data.run_id}-iter1`)
    expect(await named()).toMatchObject([{ severity: "note", place, message: expect.stringContaining(data.run_id) }])
    for (const tree of readdirSync(place)) git(dir, "worktree", "remove", "--force", Path.join(place, tree))
    expect(await named()).toEqual([])
  })
})

describe("a version", () => {
  it.each([
    ["22.18.3", "22.19", true],
    ["20.20.0", "22.19", true],
    ["22.19.0", "22.19", false],
    ["22.19.0", "22.19.1", true],
    ["24.1.0", "22.19", false],
    ["22.2.0", "22.19", true]
  ])("%s is older than %s: %s", (version, than, expected) => expect(isOlder(version, than)).toBe(expected))
})

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

const sourcesIn = (...folders: ReadonlyArray<string>): string =>
  folders
    .flatMap((folder) =>
      readdirSync(at(folder), { recursive: true, encoding: "utf8" })
        .filter((name) => /\.c?[jt]s$/.test(name))
        .map((name) => readFileSync(Path.join(at(folder), name), "utf8"))
    )
    .join("\n")

describe("docs/doctor.md", () => {
  it("tells every code that a doctor has of its own, and no other", () => {
    const shared = readFileSync(at("packages/cli/src/reading/notHome.ts"), "utf8")
    const sources = sourcesIn("packages/cli/src/doctor") + shared
    const codes = new Set([...sources.matchAll(/code: "([a-z_]+)"/g)].map(([, code]) => code))
    codes.delete("run_is_driven")
    codes.delete("log_failed")
    const page = readFileSync(at("docs/doctor.md"), "utf8")
    const told = new Set([...page.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, code]) => code))
    expect([...told].toSorted()).toEqual([...codes].toSorted())
  })
})
