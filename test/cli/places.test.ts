import { execFileSync, spawnSync } from "node:child_process"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { documentOf, launcher, project, proofline } from "./proofline.ts"

const report = JSON.stringify({
  summary: "",
  checklist: [{ item: "Write a.txt", status: "done", evidence: "a.txt:1" }]
})
const files = {
  "tasks.yaml": "tasks: [{ id: a, name: A, instruction: Write., checklist: [Write a.txt] }]\n",
  "agent.sh": `echo a > a.txt\nprintf '%s' '${report}' > "$PROOFLINE_REPORT_FILE"\n`
}
const run = ["run", "tasks.yaml", "--agent", "command", "--agent-command", "sh agent.sh"]
const read = (dir: string, name: string) => readFileSync(Path.join(dir, name), "utf8")
const codesOf = (finished: Awaited<ReturnType<typeof proofline>>): ReadonlyArray<string> =>
  documentOf(finished).data.problems.map(({ code }: { readonly code: string }) => code)

describe("a directory that is named", () => {
  it("given one for the state in which somebody keeps a .gitignore, leaves that as it is", async () => {
    const dir = project({ ...files, "ci/.gitignore": "kept\n" })
    assert.strictEqual((await proofline([...run, "--state", "ci"], dir)).code, 0)
    assert.strictEqual(read(dir, "ci/.gitignore"), "kept\n")
  })

  it("given none, because a variable of a script is not set, is refused, and nothing is written", async () => {
    const dir = project(files)
    for (const flag of ["--state", "--cwd"]) {
      const finished = await proofline([...run, flag, "", "--json"], dir)
      assert.strictEqual(finished.code, 2)
      assert.deepStrictEqual(codesOf(finished), ["path_empty"])
    }
    assert.isFalse(existsSync(Path.join(dir, "proofline.db")))
  })

  it("given twelve for states on databases in one process, leaves no file with a URL there, and Node warns of nothing", () => {
    const dir = project({})
    const module = new URL("../../packages/cli/src/base/database.ts", import.meta.url).href
    const program = `
import { readFileSync } from "node:fs"
import { fileWithUrl } from ${JSON.stringify(module)}
for (let n = 0; n < 12; n++) {
  const file = fileWithUrl("postgres://host/db" + n, "state" + n)
  console.log(readFileSync(file, "utf8").trim())
}`
    const { stderr, stdout } = spawnSync(
      process.execPath,
      ["--conditions=@proofline/source", "--input-type=module", "--eval", program],
      {
        cwd: dir,
        encoding: "utf8"
      }
    )
    assert.strictEqual(stderr, "")
    assert.deepStrictEqual(
      stdout.trim().split("\n"),
      Array.from({ length: 12 }, (_, n) => `postgres://host/db${n}`)
    )
    for (let n = 0; n < 12; n++) assert.deepStrictEqual(readdirSync(Path.join(dir, `state${n}`)), [])
  })

  it.each([
    "status",
    "history",
    "stats",
    "show",
    "verify",
    "resume",
    "answer continue",
    "log archive --before 2020-01-01"
  ])("given one that is not there, or is a file, is refused by every command: %s", async (command) => {
    const dir = project(files)
    for (const cwd of ["nowhere", "agent.sh", "agent.sh/in"]) {
      const finished = await proofline([...command.split(" "), "--cwd", cwd, "--json"], dir)
      assert.strictEqual(finished.code, 2, finished.stderr)
      assert.deepStrictEqual(codesOf(finished), ["directory_missing"])
    }
    assert.isFalse(existsSync(Path.join(dir, "nowhere")))
  })

  it("given a file in place of a directory that would be made, is refused, and the file is kept", async () => {
    const dir = project(files)
    for (const cwd of ["agent.sh", "agent.sh/in", "agent.sh/in/it"]) {
      const finished = await proofline(["init", "--yes", "--cwd", cwd, "--json"], dir)
      assert.strictEqual(finished.code, 2, finished.stderr)
      assert.deepStrictEqual(codesOf(finished), ["directory_missing"])
    }
    assert.strictEqual(readFileSync(Path.join(dir, "agent.sh"), "utf8"), files["agent.sh"])
  })

  it.each(["verify", "replay", "audit"])("given a name that no system takes, says so: %s", async (command) => {
    const dir = project(files)
    symlinkSync("loop", Path.join(dir, "loop"))
    for (const name of ["loop", `./${"a".repeat(300)}`]) {
      const finished = await proofline([command, name, "--json"], dir)
      assert.strictEqual(finished.code, 2, finished.stderr)
      assert.notInclude(finished.stderr, "internal_error")
      assert.isNotEmpty(codesOf(finished))
    }
  })
})

describe("a file to write to that is there already", () => {
  it("given receipts, keeps what somebody else wrote, and replaces its own", async () => {
    const dir = project({ ...files, "notes.txt": "kept\n" })
    assert.strictEqual((await proofline(run, dir)).code, 0)
    const refused = await proofline(["receipts", "export", "--out", "notes.txt"], dir)
    assert.strictEqual(refused.code, 2)
    assert.include(refused.stderr, "[out_exists]")
    assert.strictEqual(read(dir, "notes.txt"), "kept\n")
    for (const _ of [1, 2])
      assert.strictEqual((await proofline(["receipts", "export", "--out", "receipts.json"], dir)).code, 0)
    const both = await proofline(["events", "export", "--redact", "--out", "x", "--key", "x"], dir)
    assert.strictEqual(both.code, 2)
    assert.isFalse(existsSync(Path.join(dir, "x")))
  })
})

/** Whatever waits for ever is ended, and fails. */
const withinAMinute = (args: ReadonlyArray<string>, cwd: string) =>
  spawnSync(process.execPath, [launcher, ...args], { cwd, encoding: "utf8", timeout: 60_000, killSignal: "SIGKILL" })

describe.skipIf(process.platform === "win32")("a place to write to that is none", () => {
  const receipts = ["receipts", "export", "last"]
  const commands = (place: string): ReadonlyArray<ReadonlyArray<string>> => [
    ["show", "--out", place],
    [...receipts, "--out", place],
    ["history", "export", "--dir", place],
    ["events", "export", "--out", place],
    ["sample", "tasks", "--out", place],
    ["log", "archive", "--before", "2999-01-01", "--yes", "--to", place],
    ["log", "copy", "--to", place],
    [...run, "--state", place]
  ]

  it("given a pipe, is refused by every command at once, and stays", async () => {
    const dir = project(files)
    assert.strictEqual((await proofline(run, dir)).code, 0)
    const pipe = Path.join(dir, "pipe")
    execFileSync("mkfifo", [pipe])
    for (const command of commands(pipe)) {
      const { signal, status, stderr } = withinAMinute(command, dir)
      assert.deepStrictEqual([signal, [1, 2].includes(status ?? 0)], [null, true], command.join(" "))
      assert.match(stderr, /\[(out_unwritable|out_exists|export_dir_unusable|log_unwritable)\]/)
    }
    assert.isTrue(lstatSync(pipe).isFIFO())
    for (const place of ["/dev/stdout", "."]) {
      const { status, stderr } = withinAMinute(["show", "--out", place], dir)
      assert.strictEqual(status, 2)
      assert.include(stderr, "[out_unwritable]")
    }
  })

  it("given a pipe where a file is read, of the log, of the project or of the user, is refused at once", async () => {
    const { "tasks.yaml": _, ...withoutTasks } = files
    const dir = project(withoutTasks)
    for (const name of ["proofline.yaml", "pipe"]) execFileSync("mkfifo", [Path.join(dir, name)])
    const commands = {
      "events import pipe": "events_unreadable",
      "log restore pipe": "events_unreadable",
      "init --from pipe --yes": "file_not_regular",
      "validate proofline.yaml": "file_not_regular",
      "config list": "",
      "--complete agents": ""
    }
    for (const [command, code] of Object.entries(commands)) {
      const { signal, stderr } = withinAMinute(command.split(" "), dir)
      assert.strictEqual(signal, null, command)
      assert.include(stderr, code, command)
    }
    writeFileSync(Path.join(dir, "tasks.yaml"), files["tasks.yaml"])
    rmSync(Path.join(dir, "proofline.yaml"))
    for (const end of ["", "-wal", "-shm"]) {
      const state = mkdtempSync(Path.join(dir, "state"))
      execFileSync("mkfifo", [Path.join(state, `proofline.db${end}`)])
      if (end !== "") writeFileSync(Path.join(state, "proofline.db"), "")
      for (const command of [["status"], ["show"], ["doctor"], ["doctor", "--repair"], run]) {
        const { signal, status, stderr, stdout } = withinAMinute([...command, "--state", state], dir)
        assert.deepStrictEqual([signal, status], [null, 1], `${command} ${stderr}`)
        assert.include(`${stderr}${stdout}`, "[log_not_regular]")
      }
    }
  })

  it("given one for generated tasks, is refused before an agent is asked for them, and no run begins", async () => {
    const requirements = `name: more
requirements: [{ id: r, description: More, acceptance_criteria: [{ criterion: There is more, check: "true" }] }]
`
    const dir = project({ ...files, "more.yaml": requirements, file: "", "agent.sh": "touch asked\n" })
    const loop = ["run-requirements", "more.yaml", ...run.slice(2)]
    for (const place of ["file", "file/below", ...(existsSync("/proc/self") ? ["/proc/none/there"] : [])]) {
      const { signal, status, stderr } = withinAMinute([...loop, "--tasks-output-dir", place], dir)
      assert.deepStrictEqual([signal, status], [null, 2], stderr)
      assert.include(stderr, "[output_dir_unusable]")
    }
    writeFileSync(Path.join(dir, "generated"), "")
    assert.include(withinAMinute(loop, dir).stderr, "[output_dir_unusable]")
    assert.isFalse(existsSync(Path.join(dir, "asked")))
    assert.deepStrictEqual(documentOf(await proofline(["history", "--json"], dir)).data.runs, [])
  })

  // nothing can be made there, and the system says so by another word than of any other place
  it.skipIf(!existsSync("/proc/self"))("given one below /proc, is refused by every command at once", async () => {
    const dir = project(files)
    assert.strictEqual((await proofline(run, dir)).code, 0)
    for (const command of commands("/proc/none/there")) {
      const { signal, status, stderr } = withinAMinute(command, dir)
      assert.deepStrictEqual([signal, [1, 2].includes(status ?? 0)], [null, true], command.join(" "))
      assert.match(stderr, /\[(out_unwritable|export_dir_unusable|log_unwritable)\]/)
    }
  })
})

describe.skipIf(!existsSync("/dev/full"))("output on a disk that is full", () => {
  it.each(["events", "show", "verify --json", "schema print event", "sample tasks", "history", "status"])(
    "is told, and ends with another exit code: %s",
    async (command) => {
      const dir = project(files)
      mkdirSync(Path.join(dir, "home"))
      writeFileSync(Path.join(dir, "a.txt"), "")
      assert.strictEqual((await proofline(run, dir)).code, 0)
      const { status, stderr } = spawnSync(
        "sh",
        ["-c", '"$@" > /dev/full', "sh", process.execPath, launcher, ...command.split(" ")],
        {
          cwd: dir,
          encoding: "utf8"
        }
      )
      assert.strictEqual(status, 1)
      assert.include(stderr, "[output_unwritable]")
    }
  )
})
