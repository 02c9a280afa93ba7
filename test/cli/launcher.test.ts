import { spawn } from "node:child_process"
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "vitest"
import { git } from "../plugins/repositories.ts"
import { done, scriptedAgent, withAgent } from "./agent.ts"
import { caller } from "./mcpClient.ts"
import { loadedBy } from "./noting.ts"
import { finish, launcher, project, proofline, repository, start } from "./proofline.ts"
import { explored, files, submit } from "./sessionStage.ts"

const bundle = /^\.\/(app|dryRun|evidenceCheck|stopHook)\.(?:cjs|cjs\.br|ts)$/

type File = "app" | "dryRun" | "evidenceCheck" | "stopHook"

/** What a command prints that the launcher answers with these files of the bundle, which is what the command line prints. */
const answered = async (
  args: ReadonlyArray<string>,
  dir: string,
  by: File | ReadonlyArray<File> | null,
  input?: string,
  env: Readonly<Record<string, string>> = {}
) => {
  const { finished, loaded } = await loadedBy(args, dir, input, env)
  // help is built with the bundle; the sources alone have none
  const isBuilt = loaded.some((specifier) => specifier.endsWith("proofline.cjs"))
  const expected = by ?? (isBuilt ? null : "app")
  assert.deepStrictEqual(
    loaded.flatMap((specifier) => bundle.exec(specifier)?.[1] ?? []),
    [expected ?? []].flat()
  )
  if (![expected].flat().includes("app")) assert.notIncludeMembers([...loaded], ["node:http", "node:https"])
  assert.deepStrictEqual(finished, await proofline(args, dir, env, input))
  return finished
}

const tasks = "tasks: [{ id: a, name: A, instruction: A, checks: ['test -s a.txt'], checklist: [Write a.txt] }]\n"
const report = done({ "Write a.txt": "a.txt:1" })
const script = scriptedAgent({ a: [{ files: { "a.txt": "content\n" }, report }] })

describe("the launcher", () => {
  it("given an agent that stops, answers as the command line does, which it does not load", async () => {
    const dir = project({ ...files, "proofline.yaml": "pull: { agent: mia }\n" })
    const hook = ["hook", "claude-stop"]
    const input = JSON.stringify({ session_id: "s", cwd: dir, hook_event_name: "Stop", background_tasks: [] })
    const goes = { code: 0, stdout: "", stderr: "" }
    assert.deepStrictEqual(await answered(hook, dir, "stopHook", input), goes)

    await submit(await caller(dir, "mia"), explored, "READY_PLAN")
    assert.match((await answered(hook, dir, "stopHook", input)).stdout, /decision.*block 1 of 10.*READY_PLAN/)
    const few = await answered([...hook, "--cwd", dir, "--max-blocks=3"], dir, "stopHook", input)
    assert.match(few.stdout, /block 1 of 3/)
    assert.deepStrictEqual(await answered([...hook, "--agent", "ben"], dir, "stopHook", input), goes)

    const awaited = JSON.stringify({ ...JSON.parse(input), background_tasks: [{ type: "agent" }] })
    assert.match((await answered(hook, dir, "stopHook", awaited)).stdout, /systemMessage.*waits for what runs/)
    assert.match((await answered(hook, dir, "stopHook", "no JSON")).stdout, /hook_input_invalid/)
    writeFileSync(Path.join(dir, "proofline.yaml"), "pull: [")
    assert.deepStrictEqual(await answered(hook, dir, "stopHook", input), goes)
  })

  it.each<[string, ReadonlyArray<string>]>([
    ["a flag that is none", ["--nonsense"]],
    ["a number that is none", ["--max-blocks", "0"]],
    ["a flag without its value", ["--agent"]],
    ["a flag twice", ["--cwd", ".", "--cwd", "."]]
  ])("given %s of the hook, leaves it to the command line", async (_, flags) => {
    await answered(["hook", "claude-stop", ...flags], project(files), "app", "{}")
  })

  it("given evidence to check, judges it as the command line does, which it does not load", async () => {
    const dir = project({
      "a.ts": "export const a = () => {}\nexport const b = (n: number) => n + 1\n",
      "b.md": "# B\n"
    })
    const check = ["evidence", "check"]
    const { code, stdout } = await answered([...check, "a.ts:2", "a.ts:1", "b.md:1"], dir, "evidenceCheck")
    assert.strictEqual(code, 1)
    assert.match(stdout, /^ok {2}a\.ts:2 \(b\)\nno {2}a\.ts:1: .*\n(?:ok|no) {2}b\.md:1.*\n$/)
    await answered([...check, "a.ts:2", "--json", `--cwd=${dir}`], project({}), "evidenceCheck")
    await answered([...check, "--cwd", dir, "--stdin"], project({}), "evidenceCheck", "a.ts:2\nnonsense\n")
    await answered([...check, "--stdin"], dir, "evidenceCheck", "")

    for (const args of [
      ["a.ts"],
      ["a.ts:2", "--json=true"],
      ["a.ts:2", "--cwd", "nowhere"],
      ["--", "a.ts:2"],
      ["a.ts:2", "--root", dir],
      []
    ])
      await answered([...check, ...args], dir, "app")
    await answered([...check, "a.ts:2"], dir, "app", "", { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" })
    await answered(["evidence", "a.ts:2"], dir, "app")
    const odd = project({ "a.ts": "const a = 1\n", "proofline.yaml": "plugins: [./none.ts]\n" })
    assert.match((await proofline([...check, "a.ts:1"], odd)).stderr, /none\.ts/)
  })

  it.each<[ReadonlyArray<string>]>([
    [[]],
    [["--help"]],
    [["--version"]],
    [["run", "-h"]],
    [["history", "export", "--help"]],
    [["hook", "claude-stop", "--help"]]
  ])(
    "given a question of how it is used (%j), answers as the command line does, and loads none of it",
    async (args) => {
      const { code, stdout } = await answered(args, project({}), null)
      assert.strictEqual(code, 0)
      assert.match(stdout, /Usage|^proofline v/)
    }
  )

  it.each<[ReadonlyArray<string>]>([[["nonsense", "--help"]], [["run", "--help", "--nonsense"]], [["--help", "run"]]])(
    "given %j, leaves it to the command line",
    async (args) => {
      await answered(args, project({}), "app")
    }
  )

  it.each<[ReadonlyArray<string>, number]>([
    [["--version"], 0],
    [["run", "--help"], 0],
    [["history"], 0],
    [["status"], 1]
  ])("given nobody who reads what %j prints, ends as it does otherwise: with %i", async (args, code) => {
    const child = start(args, project({}))
    child.stdout?.destroy()
    assert.deepStrictEqual(await finish(child), { code, stdout: "", stderr: "" })
  })

  it.skipIf(!existsSync("/dev/full"))(
    "given an answer that cannot be written, does not end as if it were",
    async () => {
      const dir = repository({ ...files, "tasks.yaml": tasks, ...script })
      assert.strictEqual((await proofline(["run", "tasks.yaml", ...withAgent], dir)).code, 0)
      for (const command of ["--version", "--help", "history", "status"]) {
        const shell = spawn("sh", ["-c", 'exec "$@" >/dev/full', "sh", process.execPath, launcher, command], {
          cwd: dir
        })
        const { code, stderr } = await finish(shell)
        assert.strictEqual(code, 1, command)
        assert.match(stderr, /ENOSPC.*\[output_unwritable\]/, command)
      }
    }
  )

  it("given a run that is only to be shown, shows it as the command line does, which it does not load", async () => {
    const dir = project({
      "tasks.yaml": tasks,
      "proofline.yaml": "agents: { mine: { command: 'true' } }\nagent: mine\n"
    })
    const dry = ["run", "tasks.yaml", "--dry-run"]
    assert.match(
      (await answered(dry, dir, "dryRun")).stdout,
      /^Would run 1 task with agent mine.*\n.*a: A: 1 item, 1 check/
    )
    assert.match((await answered(["run", "--dry-run", "tasks.yaml"], dir, "dryRun")).stdout, /^Would run 1 task/)
    assert.match((await answered([...dry, "--agent=claude"], dir, "dryRun")).stdout, /with agent claude/)
    assert.match((await answered([...dry, "--json"], dir, "app")).stdout, /"dry_run": true/)
    writeFileSync(Path.join(dir, "warned.yaml"), "tasks: [{ id: a, name: A, instruction: A }]\n")
    const warned = await answered(["run", "warned.yaml", "--dry-run"], dir, ["dryRun", "app"])
    assert.match(warned.stderr, /^warning: .*\[task_unprovable\]\n.*\n$/)
    await answered([...dry, "--workers", "2"], dir, "app")
    await answered([...dry, "tasks.yaml"], dir, "app")
    await answered(dry, dir, "app", "", { PROOFLINE_CHECKS_FROM: "nowhere" })
    assert.deepStrictEqual(readdirSync(dir).toSorted(), ["proofline.yaml", "tasks.yaml", "warned.yaml"])
  })

  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ["a file that is wrong", { "tasks.yaml": "tasks: [{ id: a, nam: A }]\n" }, /tasks\.yaml:1:\d+: [\s\S]*nam/],
    ["settings that are wrong", { "tasks.yaml": tasks, "proofline.yaml": "agent: [\n" }, /proofline\.yaml:/],
    [
      "a plugin that is missing",
      { "tasks.yaml": tasks, "proofline.yaml": "agent: claude\nplugins: [./p.ts]\n" },
      /p\.ts/
    ],
    [
      "sentences of its own",
      { "tasks.yaml": tasks, ".proofline/phase_contract.yml": "failures: [\n" },
      /phase_contract/
    ],
    ["a recorded run to be played", { "tasks.yaml": tasks, "proofline.yaml": "agent: replay:last\n" }, /replay:last/]
  ])("given %s, says so once, as the command line does", async (_, files, said) => {
    const { code, stderr } = await answered(["run", "tasks.yaml", "--dry-run"], project(files), ["dryRun", "app"])
    assert.notStrictEqual(code, 0)
    assert.match(stderr, said)
  })

  it("given an environment that asks for more, leaves it to the command line; status alone sends nothing to a collector", async () => {
    const dir = project(files)
    const hook = ["hook", "claude-stop"]
    for (const args of [["history"], ["status"], hook]) {
      const { stderr, stdout } = await answered(args, dir, "app", "{}", { PROOFLINE_BLOBS: "ftp://x" })
      assert.match(`${stdout}${stderr}`, /blobs_invalid/)
    }
    const told = { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" }
    assert.match((await answered(["history"], dir, "app", "{}", told)).stderr, /telemetry_off/)
    assert.match((await answered(hook, dir, "app", "{}", told)).stderr, /telemetry_off/)
    for (const by of [null, "app"] as const) {
      const full = by === null ? [] : ["--state", dir, "--database-url", "nonsense"]
      assert.notMatch((await answered(["status", ...full], dir, by, "{}", told)).stderr, /telemetry/)
    }
  })

  it("given heads of the runs that are there, lists runs by itself; whatever git or the kernel is needed for, it leaves", async () => {
    const dir = repository({ ...files, "tasks.yaml": tasks, ...script })
    assert.match((await answered(["history"], dir, null)).stdout, /^No run so far/)
    const ran = await proofline(["run", "tasks.yaml", ...withAgent], dir)
    assert.strictEqual(ran.code, 0, ran.stderr)
    assert.match(git(dir, "for-each-ref", "refs/proofline/"), /refs\/proofline\/run_\w+\n/)
    for (const args of [[], ["--json"], ["--kind", "tasks"], [`--cwd=${dir}`]]) {
      assert.match((await answered(["history", ...args], dir, null)).stdout, /run_/)
    }
    git(dir, "pack-refs", "--all")
    assert.match((await answered(["history"], dir, null)).stdout, /run_/)
    const tree = Path.join(project({}), "tree")
    git(dir, "worktree", "add", "-q", tree)
    const state = ["--state", Path.join(dir, ".proofline", "state")]
    assert.match((await answered(["history", ...state], tree, null)).stdout, /run_/)

    await answered(["history", "--kind", "nonsense"], dir, "app")
    await answered(["history", "--nonsense"], dir, "app")
    await submit(await caller(dir, "mia"), explored, "READY_PLAN")
    assert.match((await answered(["history"], dir, null)).stdout, /running[\s\S]*completed/)
    rmSync(Path.join(dir, ".proofline", "state"), { recursive: true })
    assert.match((await answered(["history"], dir, "app")).stderr, /log_cut/)
    assert.match((await answered(["history", ...state], tree, "app")).stderr, /log_cut/)
  })
})

describe("words that other programs know", () => {
  it.each([
    [["version"], ["--version"]],
    [["help"], ["--help"]],
    [
      ["help", "run"],
      ["run", "--help"]
    ],
    [
      ["help", "plugins", "check"],
      ["plugins", "check", "--help"]
    ]
  ])("%j says what %j says", async (asked, same) => {
    const dir = project({})
    assert.deepStrictEqual(await proofline(asked, dir), await proofline(same, dir))
    assert.strictEqual((await proofline(asked, dir)).code, 0)
  })
})
