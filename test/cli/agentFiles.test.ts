import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { achieved, asked, each } from "./asked.ts"
import { finish, launcher, project, proofline } from "./proofline.ts"

const init = (dir: string, ...flags: ReadonlyArray<string>) => achieved(["init", ...flags], dir)

/** What a project has of files for agents. */
const agentFiles = (dir: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(dir)
      .filter((name) => name.endsWith(".md"))
      .map((name) => [name, readFileSync(Path.join(dir, name), "utf8")])
  )

const done = (answer: Awaited<ReturnType<typeof init>>) =>
  answer.data.agent_files.map(({ action, path, written }: { action: string; path: string; written: boolean }) =>
    written ? `${action} ${path}` : `${action} ${path}, not written`
  )

const begin = "<!-- proofline:begin -->"
const end = "<!-- proofline:end -->"

const forms: ReadonlyArray<readonly [form: string, text: string]> = [
  ["as people write them", "# Rules\n\n- Be kind.\n"],
  ["with CRLF", "# Rules\r\n\r\n- Be kind.\r\n"],
  ["with a byte order mark and no end of line at the end", "\uFEFF# Rules\r\n\r\n- Be kind."],
  ["that is empty", ""],
  ["with blanks and empty lines at its end", "# Rules   \n\n\n"],
  ["that shows the comments as code", `# Rules\n\n\`\`\`md\n${begin}\nlines\n${end}\n\`\`\`\n`]
]

describe("init --yes", () => {
  it("given no file for agents, makes the standard one, does nothing the second time, and takes it away again", async () => {
    const dir = project({})
    expect(done(await init(dir, "--yes"))).toEqual(["create AGENTS.md"])
    const made = agentFiles(dir)
    expect(made["AGENTS.md"]).toMatch(
      new RegExp(`^${begin}\\n[\\s\\S]*get_next_action[\\s\\S]*\\S+/proofline prime[\\s\\S]*\\n${end}\\n$`)
    )
    expect(done(await init(dir, "--yes"))).toEqual(["unchanged AGENTS.md, not written"])
    expect(agentFiles(dir)).toEqual(made)
    // another machine has its checkout elsewhere, and both are right
    const moved = (made["AGENTS.md"] ?? "").replace(/[^\s`]+\/proofline(?= prime)/, "npx proofline")
    writeFileSync(Path.join(dir, "AGENTS.md"), moved)
    expect(done(await init(dir, "--yes"))).toEqual(["unchanged AGENTS.md, not written"])
    writeFileSync(Path.join(dir, "AGENTS.md"), made["AGENTS.md"] ?? "")
    expect(done(await init(dir, "--remove"))).toEqual(["remove AGENTS.md, not written"])
    expect(agentFiles(dir)).toEqual(made)
    expect(done(await init(dir, "--remove", "--yes"))).toEqual(["remove AGENTS.md"])
    expect(agentFiles(dir)).toEqual({})
    expect(existsSync(Path.join(dir, "proofline.yaml"))).toBe(true)
  })

  it.each(forms)(
    "given a file %s, adds the lines and nothing else, and takes exactly those out again",
    async (_, text) => {
      const dir = project({ "AGENTS.md": text })
      expect(done(await init(dir, "--yes"))).toEqual(["change AGENTS.md"])
      const after = agentFiles(dir)["AGENTS.md"] ?? ""
      expect(after.startsWith(text)).toBe(true)
      expect(after.slice(text.length)).toContain("get_next_action")
      if (text.includes("\r\n")) expect(after.replaceAll("\r\n", "")).not.toContain("\n")
      expect(done(await init(dir, "--yes"))).toEqual(["unchanged AGENTS.md, not written"])
      expect(agentFiles(dir)["AGENTS.md"]).toBe(after)
      await init(dir, "--remove", "--yes")
      expect(agentFiles(dir)).toEqual({ "AGENTS.md": text })
    }
  )

  it.each<[given: string, files: Readonly<Record<string, string>>, written: ReadonlyArray<string>]>([
    ["the file of one client alone", { "CLAUDE.md": "# C\n" }, ["CLAUDE.md"]],
    ["that of another alone", { "GEMINI.md": "# G\n" }, ["GEMINI.md"]],
    [
      "all of them",
      { "AGENTS.md": "# A\n", "CLAUDE.md": "# C\n", "GEMINI.md": "# G\n" },
      ["AGENTS.md", "CLAUDE.md", "GEMINI.md"]
    ],
    [
      "one that brings the standard one along",
      { "AGENTS.md": "# A\n", "CLAUDE.md": "# C\n\n@AGENTS.md\n" },
      ["AGENTS.md"]
    ],
    ["one that brings along what is not there", { "CLAUDE.md": "See @./AGENTS.md.\n" }, ["AGENTS.md"]],
    ["one that only speaks of that", { "CLAUDE.md": "Not `@AGENTS.md`, nor\n```\n@AGENTS.md\n```\n" }, ["CLAUDE.md"]]
  ])("given %s, writes into each file that is read, once", async (_, files, written) => {
    const dir = project(files)
    await init(dir, "--yes")
    const after = agentFiles(dir)
    expect(Object.keys(after).filter((name) => after[name]?.includes(begin))).toEqual(written)
    expect(done(await init(dir, "--yes"))).toEqual(written.map((name) => `unchanged ${name}, not written`))
    await init(dir, "--remove", "--yes")
    expect(agentFiles(dir)).toEqual(files)
  })

  it("given links, writes into the file of the project that they lead to, once, and into none outside", async () => {
    const outside = project({ "CLAUDE.md": "# Mine\n" })
    const dir = project({ "docs/rules.md": "# Rules\n" })
    symlinkSync("docs/rules.md", Path.join(dir, "AGENTS.md"))
    symlinkSync("AGENTS.md", Path.join(dir, "GEMINI.md"))
    symlinkSync(Path.join(outside, "CLAUDE.md"), Path.join(dir, "CLAUDE.md"))
    expect(done(await init(dir, "--yes"))).toEqual(["change AGENTS.md"])
    expect(readFileSync(Path.join(dir, "docs/rules.md"), "utf8").split(begin)).toHaveLength(2)
    expect(agentFiles(outside)).toEqual({ "CLAUDE.md": "# Mine\n" })
    await init(dir, "--remove", "--yes")
    expect(readFileSync(Path.join(dir, "docs/rules.md"), "utf8")).toBe("# Rules\n")
  })

  it("given lines that were moved and say something else, writes its own where they are, and nothing else", async () => {
    const [before, after] = ["\uFEFF", "\r\n# Rules\r\n"]
    const dir = project({ "AGENTS.md": `${before}${begin}\r\nsomething else\r\n${end}\r\n${after}` })
    expect(done(await init(dir, "--yes"))).toEqual(["change AGENTS.md"])
    const now = agentFiles(dir)["AGENTS.md"] ?? ""
    expect([
      now.startsWith(`${before}${begin}\r\n`),
      now.endsWith(`${end}\r\n${after}`),
      now.includes("something else")
    ]).toEqual([true, true, false])
    expect(now.replaceAll("\r\n", "")).not.toContain("\n")
    expect(done(await init(dir, "--yes"))).toEqual(["unchanged AGENTS.md, not written"])
  })

  it.each([
    ["one comment alone", `# A\n${begin}\n`, 2],
    ["the other alone", `# A\n\n${end}`, 3],
    ["both in another order", `${end}\n${begin}\n`, 1],
    ["two blocks", `${begin}\n${end}\n# B\n${begin}\n${end}\n`, 4],
    ["a comment twice", `${begin}\n${begin}\n${end}\n`, 3]
  ])("given %s, refuses with the place, and writes nothing at all", async (_, text, line) => {
    const dir = project({ "AGENTS.md": "# A\n", "CLAUDE.md": text })
    for (const flags of [["--yes"], ["--remove", "--yes"]]) {
      const { code, data, refused } = await asked(["init", ...flags], dir)
      expect([code, refused]).toEqual([2, ["client_file_invalid"]])
      expect(data.problems[0]).toMatchObject({ file: "CLAUDE.md", line, column: 1, hint: expect.stringMatching(/\S/) })
      expect(readdirSync(dir).toSorted()).toEqual(["AGENTS.md", "CLAUDE.md"])
      expect(agentFiles(dir)).toEqual({ "AGENTS.md": "# A\n", "CLAUDE.md": text })
    }
    // who asks for no lines is not kept from beginning
    expect(done(await init(dir))).toEqual([])
    const { findings } = (await asked(["doctor", "--fix"], dir)).data
    expect(findings).toContainEqual(
      expect.objectContaining({
        code: "client_file_invalid",
        severity: "warning",
        place: `CLAUDE.md:${line}:1`,
        fixed: false
      })
    )
    expect(agentFiles(dir)).toEqual({ "AGENTS.md": "# A\n", "CLAUDE.md": text })
  })

  it("given a directory that is not there yet, makes it with all of it", async () => {
    const dir = Path.join(project({}), "new")
    expect(done(await achieved(["init", "--yes", "--cwd", dir], tmpdir()))).toEqual(["create AGENTS.md"])
    expect(readdirSync(dir)).toContain("proofline.yaml")
  })
})

describe("init", () => {
  it("given tests in folders alone, says what it saw, with what to write", async () => {
    const dir = project({ "web/package.json": '{"scripts":{"test":"vitest"}}', "api/go.mod": "module api\n" })
    const { code, stdout } = await proofline(["init", "--yes"], dir)
    expect(code).toBe(0)
    expect(stdout).toContain(
      'tests were seen by api/go.mod, web/package.json. To have them run, write into proofline.yaml those that matter of\n  verifiers: ["cd api && go test -v ./...", "cd web && npm test"]'
    )
    expect(readFileSync(Path.join(dir, "proofline.yaml"), "utf8")).not.toMatch(/^verifiers:/m)
  })

  it("given nobody who could say yes, writes no lines, and says how", async () => {
    const dir = project({ "AGENTS.md": "# Rules\n" })
    const { code, stderr, stdout } = await proofline(["init"], dir)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/not told of Proofline so far: `\S.* init --yes\b.*` writes some lines into AGENTS\.md/)
    expect(done(await init(dir))).toEqual(["change AGENTS.md, not written"])
    expect(agentFiles(dir)).toEqual({ "AGENTS.md": "# Rules\n" })
  })

  it.skipIf(spawnSync("script", ["--version"]).status !== 0).each([
    ["y\n", true],
    ["n\n", false],
    ["\n", false]
  ])("given the answer %j on a terminal, writes the lines: %s", async (answer, isWritten) => {
    const dir = project({})
    const child = spawn("script", ["-qec", `"${process.execPath}" "${launcher}" init`, "/dev/null"], { cwd: dir })
    let shown = ""
    child.stdout.on("data", (chunk) => {
      shown += chunk
      if (shown.includes("[y/N]")) child.stdin.end(answer)
    })
    expect((await finish(child)).code).toBe(0)
    expect(shown).toContain("+++ b/AGENTS.md")
    expect(existsSync(Path.join(dir, "AGENTS.md"))).toBe(isWritten)
    expect(existsSync(Path.join(dir, "proofline.yaml"))).toBe(true)
  })
})

describe("lines for agents of init and of mcp install", () => {
  it("are one block, which goes with whoever has written it", async () => {
    const dir = project({ "AGENTS.md": "# Rules\n" })
    await achieved(["mcp", "install", "codex", "--yes"], dir)
    const ofInstall = agentFiles(dir)["AGENTS.md"] ?? ""
    expect(done(await init(dir, "--yes"))).toEqual(["change AGENTS.md"])
    const ofInit = agentFiles(dir)["AGENTS.md"] ?? ""
    expect([ofInit.split(begin).length, ofInit === ofInstall]).toEqual([2, false])
    expect((await achieved(["mcp", "install", "codex", "--yes"], dir)).data.action).toBe("unchanged")
    await achieved(["mcp", "install", "codex", "--remove", "--yes"], dir)
    expect(agentFiles(dir)["AGENTS.md"]).toBe(ofInit)
    await init(dir, "--remove", "--yes")
    expect(agentFiles(dir)).toEqual({ "AGENTS.md": "# Rules\n" })
    await achieved(["mcp", "install", "codex", "--yes"], dir)
    expect(agentFiles(dir)["AGENTS.md"]).toBe(ofInstall)
    await init(dir, "--remove", "--yes")
    expect(agentFiles(dir)).toEqual({ "AGENTS.md": "# Rules\n" })
  })

  it("given a CLAUDE.md that brings AGENTS.md along, go there for Claude Code too", async () => {
    const files = { "AGENTS.md": "# Rules\n", "CLAUDE.md": "@AGENTS.md\n" }
    const dir = project(files)
    await achieved(["mcp", "install", "claude", "--yes"], dir)
    expect(agentFiles(dir)["CLAUDE.md"]).toBe(files["CLAUDE.md"])
    expect(agentFiles(dir)["AGENTS.md"]).toContain("get_next_action")
    await achieved(["mcp", "install", "codex", "--yes"], dir)
    await achieved(["mcp", "install", "codex", "--remove", "--yes"], dir)
    expect(agentFiles(dir)["AGENTS.md"]).toContain("get_next_action")
    await achieved(["mcp", "install", "claude", "--remove", "--yes"], dir)
    expect(agentFiles(dir)).toEqual(files)
  })
})

describe("doctor, given lines for agents that are not those of this Proofline", () => {
  it.each(["init", "mcp install"])(
    "of %s, says so with the place, and --fix writes them where they are",
    async (owner) => {
      const dir = project({ "GEMINI.md": "# Rules\n", "CLAUDE.md": "# C\n" })
      const install = owner === "init" ? ["init", "--yes"] : ["mcp", "install", "gemini", "--yes"]
      await achieved(install, dir)
      const file = Path.join(dir, "GEMINI.md")
      const today = readFileSync(file, "utf8")
      writeFileSync(file, `${today.replace("counts as done", "is done")}# More\n`)
      const old = async (...flags: ReadonlyArray<string>) =>
        (await asked(["doctor", ...flags], dir)).data.findings.filter(
          ({ code }: { code: string }) => code === "agent_lines_old"
        )
      expect(await old()).toEqual([
        expect.objectContaining({
          severity: "warning",
          place: "GEMINI.md:3",
          fixable: true,
          fixed: false,
          fix: expect.stringContaining("init --yes")
        })
      ])
      expect(readFileSync(file, "utf8")).toContain("is done")
      expect(each(await old("--fix"), "fixed")).toEqual([true])
      expect(readFileSync(file, "utf8")).toBe(`${today}# More\n`)
      expect(await old()).toEqual([])
      mkdirSync(Path.join(dir, "AGENTS.md"))
      expect((await asked(["doctor"], dir)).data.findings).toContainEqual(
        expect.objectContaining({ code: "file_is_directory", severity: "warning" })
      )
    }
  )
})
