import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { daily } from "../often.ts"
import { commit, git } from "../plugins/repositories.ts"
import { callsOf, done, type Script, scriptedAgent, withAgent } from "./agent.ts"
import { achieved, asked, each, expectReplay } from "./asked.ts"
import { stage } from "./chunkStage.ts"
import { eventsOf, finish, project, proofline, repository, start, until, withSources } from "./proofline.ts"

const run = ["run", "tasks.yaml", ...withAgent]
const once = [...run, "--max-retries", "0"]

/** One task that may have commands and items. */
const oneTask = (checks: ReadonlyArray<string>, ...items: ReadonlyArray<string>) =>
  `tasks:\n  - id: add\n    name: Add\n    instruction: Write add().\n    checks: ${JSON.stringify(checks)}\n${items.length === 0 ? "" : `    checklist: ${JSON.stringify(items)}\n`}`
const addJs = "export const add = (a, b) => {\n  return a + b\n}\n"
const works = (files: Readonly<Record<string, string>> = {}, items = { Added: "add.js:1-3" }): Script => ({
  add: [{ files: { "add.js": addJs, ...files }, report: done(items) }]
})

const contentsOf = async (dir: string, run: string, type: string) =>
  (await eventsOf(run, dir)).filter(({ event_type }) => event_type === type).map(({ content }) => content)

describe("given a repository and an agent that cites code of before the run", () => {
  it("when the user accepts that by the time it is resumed, then the item counts as done, and is said to be weak", async () => {
    const one = "export const one = () => {\n  return 1\n}\n"
    const dir = repository({
      "add.js": one,
      "tasks.yaml": oneTask([], "Old", "New"),
      ...scriptedAgent(works({ "add.js": one + addJs }, { Old: "add.js:1-3", New: "add.js:4-6" } as never))
    })
    const head = git(dir, "rev-parse", "HEAD").trim()
    const first = await asked(once, dir)
    expect(first.data.status).not.toBe("completed")
    expect(git(dir, "status", "--porcelain", "--ignored")).toBe(" M add.js\n!! .proofline/\n!! calls.ndjson\n")
    commit(dir, "second")
    writeFileSync(Path.join(dir, "proofline.yaml"), "proof: { accept: [untouched] }\n")
    // its tasks are those it began with
    writeFileSync(Path.join(dir, "tasks.yaml"), oneTask([], "New"))
    const { data, stderr } = await achieved(["resume"], dir)
    expect(data).toMatchObject({ status: "completed", verdict: "weak", counts: { proven: 1, weak: 1 } })
    expect(stderr).toContain("NOTE: tasks.yaml was changed since this run began")
    expect(stderr).toContain("counts for that one as there before, unless `--base` names a commit before it")
    expect(data.tasks[0].checklist).toMatchObject([
      { item: "Old", verdict: "weak", weak: ["untouched"] },
      { item: "New", verdict: "proven", weak: [] }
    ])
    const why = "weak: None of these lines was changed since the run began."
    expect(stderr).toContain(why)
    expect((await proofline(["history", "--show", data.run_id], dir)).stdout).toContain(`\n        ${why}`)
    // what is accepted is what the file says today, and the base is that of the run
    const [started] = await eventsOf(data.run_id, dir)
    expect(started.content.base).toEqual({
      commit: head,
      snapshot: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: expect.any(Number) }
    })
    const [resumed] = await contentsOf(dir, data.run_id, "RUN_RESUMED")
    expect(resumed.config.proof.accept).toEqual(["untouched"])
    await expectReplay(dir)
  })
})

describe("given an agent that writes into proofline.yaml what it is judged by", () => {
  it("when the run is resumed, then it goes on only where a person says so", async () => {
    const one = "export const one = () => {\n  return 1\n}\n"
    const loose = "proof: { accept: [untouched], max_waived: 0.9 }\n"
    const files = { "add.js": one + addJs, "proofline.yaml": loose }
    const dir = repository({
      "add.js": one,
      "tasks.yaml": oneTask([], "Old", "New"),
      ...scriptedAgent(works(files, { Old: "add.js:1-3", New: "add.js:4-6" } as never))
    })
    expect((await asked(once, dir)).data.status).not.toBe("completed")
    const stopped = await asked(["resume"], dir)
    expect(stopped).toMatchObject({ code: 2, refused: ["proof_loosened"] })
    expect(stopped.data.problems[0]).toMatchObject({
      file: "proofline.yaml",
      message: expect.stringContaining("accept: untouched; max_waived: 0.9")
    })
    expect((await achieved(["resume", "--take-over"], dir)).data).toMatchObject({ verdict: "weak" })
  })
})

describe("--base", () => {
  it("names a commit since which work that was done before counts as work of the run", async () => {
    const agent = scriptedAgent({ add: [{ report: done({ Added: "add.js:1-3" }) }] })
    const dir = repository({ "tasks.yaml": oneTask(["true"], "Added"), ...agent })
    const first = git(dir, "rev-parse", "HEAD").trim()
    writeFileSync(Path.join(dir, "add.js"), addJs)
    commit(dir, "second")
    const { data } = await achieved([...run, "--base", "HEAD~1"], dir)
    expect(data.tasks[0].checklist).toMatchObject([{ verdict: "proven", weak: [] }])
    const [started] = await eventsOf(data.run_id, dir)
    expect(started.content.base).toMatchObject({ commit: first, ref: "HEAD~1" })
  })

  it("that means no commit starts nothing, with a code that says why", async () => {
    const dir = project({ "tasks.yaml": oneTask(["true"]), ...scriptedAgent({}) })
    expect(await asked([...run, "--base", "main"], dir)).toMatchObject({ code: 2, refused: ["base_no_repository"] })
    git(dir, "init", "--quiet")
    for (const words of [
      [...run, "--json"],
      [...run, "--json", "--dry-run"],
      ["chunk", "Do it", ...withAgent, "--json"],
      ["chunk", "Do it", ...withAgent, "--json", "--plan"],
      ["mcp"]
    ]) {
      const { code, stderr } = await proofline([...words, "--base", "nothing"], dir)
      expect([code, stderr]).toEqual([2, expect.stringContaining("base_unknown")])
    }
  })
})

// --- commands of the user ------------------------------------------------------------------------------------------

/** A directory for the copies of the project that are made meanwhile, and which of them are there. */
const temporary = (dir: string) => {
  const folder = `${dir}-tmp`
  mkdirSync(folder)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { folder, copies: () => readdirSync(folder).filter((name) => name.startsWith("proofline-checkout-")) }
}

const testJs = (more = "") =>
  `import { existsSync, readFileSync } from "node:fs"\nimport answer from "answer"\nif (answer !== 42) process.exit(3)\nif (!existsSync("add.js") || !readFileSync("add.js", "utf8").includes("a + b")) process.exit(4)\n${more}`
const npm = {
  "node_modules/answer/index.js": "module.exports = 42\n",
  "package.json": '{"type":"module","scripts":{"test":"node test.js"}}\n',
  "test.js": testJs()
}

interface Judged {
  readonly title: string
  readonly make: (files: Readonly<Record<string, string>>) => string
  readonly check: string
  readonly files?: Readonly<Record<string, string>>
  /** What the agent writes. */
  readonly writes?: Readonly<Record<string, string>>
  /** What has to be shown besides. */
  readonly items?: ReadonlyArray<string>
  readonly base: object
  readonly verified: object
  /** Why it has failed; none: it has not. */
  readonly reason?: string
}

const judged: ReadonlyArray<Judged> = [
  ...[project, repository].map((make) => ({
    title: `fails before the work, in a ${make.name === "project" ? "directory" : "repository"}`,
    make,
    check: "grep -q add add.js && touch made.txt",
    base: { outcome: "red", exit_code: 2, rests_on: [] },
    verified: { exit_code: 0 }
  })),
  {
    title: "needs installed packages",
    make: repository,
    check: "npm test --silent",
    files: npm,
    base: { outcome: "red", exit_code: 4, rests_on: [{ path: "package.json", script: "test" }, { path: "test.js" }] },
    verified: { exit_code: 0 }
  },
  {
    title: "runs tests to which the agent has added some, and those of the user still pass",
    make: repository,
    check: "npm test --silent",
    files: npm,
    writes: { "test.js": testJs("console.log('more')\n") },
    base: { outcome: "red" },
    verified: { changed: ["test.js"], clean_room: { run: { exit_code: 0 }, message: "", restored: ["test.js"] } }
  },
  {
    title: "runs a script of package.json that the agent has bent so that it passes",
    make: repository,
    check: "npm test --silent",
    files: npm,
    writes: { "add.js": addJs.replace("a + b", "a - b"), "package.json": '{"scripts":{"test":"exit 0"}}\n' },
    base: { outcome: "red" },
    verified: { exit_code: 0, changed: ["package.json"], clean_room: { run: { exit_code: 4 } } },
    reason: "checks_failed"
  },
  {
    title: "runs a script that the agent writes, and nothing else",
    make: project,
    check: "node check.mjs",
    writes: { "check.mjs": "console.log(1 + 2)\n" },
    items: [],
    base: { outcome: "red" },
    verified: { written: ["check.mjs"] },
    reason: "agents_check"
  },
  {
    title: "runs a script that the agent writes, and says itself what has to come out",
    make: project,
    check: "node check.mjs | grep -qx 3",
    writes: { "check.mjs": "console.log(1 + 2)\n" },
    items: [],
    base: { outcome: "red" },
    verified: { written: ["check.mjs"] }
  }
]

describe("given a command of the user", () => {
  it.each(daily(judged, 4).map((given) => [given.title, given] as const))(
    "that %s, then it is run once at the base, and judged by that",
    async (_, given) => {
      const { base, check, files, items = ["Added"], make, reason, verified, writes } = given
      const dir = make({ "tasks.yaml": oneTask([check], ...items), ...files, ...scriptedAgent(works(writes)) })
      const { copies, folder } = temporary(dir)
      const { code, data, stderr } = await asked(once, dir, { TMPDIR: folder })
      expect([code, data.tasks[0].reason], stderr).toEqual(reason === undefined ? [0, ""] : [1, reason])
      expect(await contentsOf(dir, data.run_id, "BASE_CHECKED")).toMatchObject([
        { checks: [{ command: check, ...base }] }
      ])
      expect(await contentsOf(dir, data.run_id, "VERIFICATION_RUN")).toMatchObject([{ checks: [verified] }])
      expect(copies()).toEqual([])
      expect(existsSync(Path.join(dir, ".git/worktrees"))).toBe(false)
      // what was tried in copies has left the work alone
      for (const [file, text] of Object.entries(writes ?? {}))
        expect(readFileSync(Path.join(dir, file), "utf8")).toBe(text)
      await expectReplay(dir)
    }
  )

  it("that runs tests, when the run is shown as JSON, then with what its text says of them and of the clean room", async () => {
    const tests = "import { test } from 'node:test'\nimport { add } from './add.js'\n"
    const dir = repository({
      "tasks.yaml": oneTask(["node --test add.test.js"], "Added"),
      "package.json": '{"type":"module"}\n',
      "add.test.js": `${tests}test('adds', (t) => t.assert.equal(add(1, 2), 3))\ntest('later', { skip: true }, () => {})\n`,
      ...scriptedAgent(works())
    })
    await achieved(run, dir)
    const text = await proofline(["show"], dir)
    expect(text.stdout).toMatch(/In the clean room 1 test passed, 1 skipped\. In the clean room it passes/)
    const [task] = (await achieved(["show"], dir)).data.tasks
    const census = { passed: 1, failed: 0, skipped: 1 }
    expect(task.checks).toMatchObject([{ command: "node --test add.test.js", passed: true, clean_room: true, census }])
    const [plain] = (await achieved(["report"], dir)).data.tasks
    expect(plain.checks).toEqual(task.checks)
  })

  it("that is at work at the base, when the run is interrupted, then no copy of the project is left behind", async () => {
    const dir = project({
      // at the base it tells that it is there and stays
      "check.sh": 'echo here > "$WAITING/here"\nexec sleep 600\n',
      "tasks.yaml": oneTask(["sh ./check.sh"], "Added"),
      ...scriptedAgent(works())
    })
    const { copies, folder } = temporary(dir)
    const child = start(run, dir, { TMPDIR: folder, WAITING: folder })
    const finished = finish(child)
    await until(() => existsSync(Path.join(folder, "here")))
    expect(copies()).toHaveLength(1)
    child.kill("SIGINT")
    expect((await finished).code).toBe(130)
    expect(copies()).toEqual([])
  })
})

describe("given a line that was only removed", () => {
  it("when one of the lines beside its place is cited, then that is refused with what would do; both are accepted", async () => {
    const file = (...names: ReadonlyArray<string>) => names.map((name) => `export const ${name} = "${name}"\n`).join("")
    const work = (evidence: string) => ({
      files: { "names.js": file("a", "c") },
      report: done({ "b is gone": evidence })
    })
    const dir = repository({
      "names.js": file("a", "b", "c"),
      "tasks.yaml": oneTask([], "b is gone"),
      ...scriptedAgent({ add: [work("names.js:1"), work("names.js:1-2")] })
    })
    const { data } = await achieved(run, dir)
    expect(data.tasks[0]).toMatchObject({ status: "completed", verdict: "proven", attempts: 2 })
    const told = "Lines that were only removed are shown by both the line before their place and the line behind it."
    const [refused] = await contentsOf(dir, data.run_id, "CHECKLIST_ITEM_REJECTED")
    expect(refused.message).toContain(told)
    expect(callsOf(dir)[0]?.prompt).toContain(told)
  })
})

describe("a load-bearing check", () => {
  it("refuses a test that asserts nothing, tells the agent why, and accepts one that does", async () => {
    const stub = "export const other = () => {\n  return 7\n}\n\nexport const add = (a, b) => {\n}\n"
    const work = (assertion: string) => ({
      files: {
        "add.js": stub.replace("(a, b) => {\n", "(a, b) => {\n  return a + b\n"),
        "add.test.js": `import assert from "node:assert"\nimport { test } from "node:test"\nimport { add } from "./add.js"\ntest("add", () => {\n  ${assertion}\n})\n`
      },
      report: done({ "add() adds": "add.js:5-7" })
    })
    const dir = repository({
      "tasks.yaml":
        "tasks: [{id: add, name: Add, instruction: Write add()., checklist: [{item: add() adds, check: node --test add.test.js, ablation: true}]}]\n",
      "package.json": '{"type":"module"}\n',
      "add.js": stub,
      ...scriptedAgent({ add: [work("assert.ok(add)"), work("assert.equal(add(1, 2), 3)")] })
    })
    const { data } = await achieved(run, dir)
    expect(data.tasks[0]).toMatchObject({ status: "completed", attempts: 2 })
    const verified = await contentsOf(dir, data.run_id, "VERIFICATION_RUN")
    expect(verified.map(({ checks }) => checks[0].ablation.verdict)).toEqual(["vacuous", "load_bearing"])
    const [first, second] = callsOf(dir)
    expect(first?.prompt).toContain("must fail as it was before this run")
    expect(second?.prompt).toContain(
      "`node --test add.test.js` shows nothing: The check passes without the cited lines"
    )
  })
})

// --- whose work it is ------------------------------------------------------------------------------------------------

describe("given an attempt that is interrupted with Ctrl-C", () => {
  it("when the run is resumed, then the files that it had written count as work of the run", async () => {
    const report = JSON.stringify(done({ Added: "add.js:1-3" }))
    const dir = project({
      "tasks.yaml": oneTask([], "Added"),
      "agent.sh": `if [ ! -e add.js ]; then printf '%s' '${addJs}' > add.js; touch written; sleep 60; fi
printf '%s' '${report}' > "$PROOFLINE_REPORT_FILE"\n`
    })
    const child = start(
      ["run", "tasks.yaml", "--agent", "command", "--agent-command", "sh agent.sh", "--max-retries", "0"],
      dir
    )
    const first = finish(child)
    await until(() => existsSync(Path.join(dir, "written")))
    child.kill("SIGINT")
    expect((await first).code).toBe(130)
    expect((await achieved(["resume"], dir)).data).toMatchObject({ status: "completed", verdict: "proven" })
  })
})

describe("given two tasks that are worked on at the same time", () => {
  it("then each has changed the files that it alone is asked to write; of others nobody can tell", async () => {
    const write = (file: string) => ({
      files: { [file]: "export const x = 1\n" },
      report: { summary: `${file} is written` }
    })
    const taskOf = (id: string, instruction: string) =>
      `  - { id: ${id}, name: ${id}, instruction: "${instruction}", checks: ["test -e ${id}.js"] }\n`
    const { dir, withAgent: asAgent } = stage(
      {
        a: [{ ...write("a.js"), meet: 2, run: "touch free.js; touch %stage/a-has-written" }],
        b: [{ ...write("b.js"), meet: 2, until: "a-has-written" }]
      },
      { "tasks.yaml": `tasks:\n${taskOf("a", "Create a.js")}${taskOf("b", "Create b.js like a.js")}`, "before.js": "" }
    )
    const { data } = await asked(["run", "tasks.yaml", ...asAgent], dir)
    const ended = await contentsOf(dir, data.run_id, "ATTEMPT_ENDED")
    const [a, b] = ["a", "b"].map((id) => ended.find(({ task_id }) => task_id === id))
    expect(a.files_modified).toEqual(["a.js"])
    expect(a.files_undecided).toContain("free.js")
    expect([b.files_modified, b.files_undecided]).toEqual([["b.js"], ["a.js", "free.js"]])
    await expectReplay(dir)
  })
})

describe("given a later task that removes, empties and moves what was accepted", () => {
  it("when the others mend it, then only what did not hold was opened again, and verify agrees with the end", async () => {
    const code = (name: string) => `export const ${name} = (rows) => {\n  return rows.filter((row) => row.${name})\n}\n`
    const writes = (id: string, files: Readonly<Record<string, string>> = {}) => ({
      files: { [`${id}.js`]: code(id), ...files },
      report: done({ [`${id} filters`]: `${id}.js:1-3` })
    })
    const spoilt = {
      "b.js": "export const b = (rows) => {\n  throw new Error('not implemented')\n}\n",
      "c.js": `// helpers\nexport const helper = (n) => {\n  return n + 1\n}\n${code("c")}`
    }
    const ids = ["a", "b", "c", "z"]
    const task = (id: string, i: number) =>
      `  - { id: ${id}, name: Filter by ${id}, instruction: Write ${id}()., depends_on: [${ids[i - 1] ?? ""}], checklist: [${id} filters] }\n`
    const script = {
      a: [writes("a")],
      b: [writes("b")],
      c: [writes("c")],
      z: [{ ...writes("z", spoilt), run: "rm a.js" }]
    }
    const dir = project({ "tasks.yaml": `tasks:\n${ids.map(task).join("")}`, ...scriptedAgent(script) })
    const { data } = await achieved([...run, "--max-retries", "1"], dir)
    expect(each(data.tasks, "attempts")).toEqual([2, 2, 1, 1])
    const [first, ...more] = await contentsOf(dir, data.run_id, "EVIDENCE_REVISITED")
    expect(each(first.stale, "path")).toEqual(["a.js", "b.js"])
    expect(first.stale[0]).toMatchObject({ reason: "a.js is gone.", changed_by: { task_id: "z" } })
    expect(more).toMatchObject([{ stale: [] }])
    await achieved(["verify"], dir)
  })
})

// --- languages and rules of a project ----------------------------------------------------------------------------------

describe("given a project that names the example language in proofline.yaml", () => {
  const grammar = new URL("../../packages/plugins/package.json", import.meta.url)
  /** The example as a project would have it, with the grammar found where this repository has it. */
  const dart = withSources(
    readFileSync(new URL("../../packages/cli/examples/dart-language/dart.mjs", import.meta.url), "utf8").replace(
      "createRequire(import.meta.url)",
      `createRequire(${JSON.stringify(grammar.href)})`
    )
  )
  const cart = `class Cart extends Base {
  int total() {
    return items.length;
  }

  void clear() {
    // TODO
  }

  void pay() => throw UnimplementedError();
}
`
  const check = (files: Readonly<Record<string, string>>, ...lines: ReadonlyArray<string>) =>
    proofline(
      ["evidence", "check", ...lines.map((line) => `lib/cart.dart:${line}`), "--json"],
      project({ "proofline.yaml": "plugins: [./dart.mjs]\n", "lib/cart.dart": cart, ...files })
    )

  it("when evidence in it is checked, then it is judged by its syntax tree", async () => {
    const { code, stderr, stdout } = await check({ "dart.mjs": dart }, "2", "6", "10", "1-4")
    expect(code, stderr).toBe(1)
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(answers.map(({ declaration, ok }) => [declaration, ok])).toEqual([
      ["Cart.total", true],
      ["Cart.clear", false],
      ["Cart.pay", false],
      ["Cart", false]
    ])
    expect(answers[1].reason).toBe("Cart.clear (line 6) holds only comments.")
  })

  it("when it would let everything pass, then it is refused and told why", async () => {
    const { code, stderr } = await check({ "dart.mjs": dart.replaceAll("#unfinished?", "#unfinishedd?") }, "2")
    expect([code, stderr]).toEqual([2, expect.stringMatching(/#unfinishedd\?.*language_unusable/s)])
  })
})

describe("given a project that names evidence-regex", () => {
  it("when a head hides its stub, then the rules of the beginning accept it, and a replay by them agrees", async () => {
    const dir = project({
      "tasks.yaml": oneTask(["true"], "Added"),
      "proofline.yaml": "plugins: [evidence-regex]\n",
      ...scriptedAgent(works({ "add.py": "def add(a, b):\n    pass\n" }, { Added: "add.py:1-2" }))
    })
    const { data } = await achieved(once, dir)
    const [started] = await eventsOf(data.run_id, dir)
    const plugins = each(started.content.plugins, "name")
    expect(plugins).toContain("evidence-regex")
    expect(plugins).not.toContain("evidence")
    await expectReplay(dir)
  })
})
