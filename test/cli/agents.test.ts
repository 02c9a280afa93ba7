import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { supportable } from "@proofline/plugins/adapters/command-agent"
import { modelSupports } from "@proofline/plugins/adapters/language-models"
import { presets } from "@proofline/plugins/options"
import { describe, expect, it } from "vitest"
import { supportsOf } from "../../packages/plugins/src/adapters/command-agent/look.ts"
import { done, type Script, scriptedAgent } from "./agent.ts"
import { achieved, asked, expectReplay } from "./asked.ts"
import { eventsOf, finish, project, startIn } from "./proofline.ts"

/** Programs that stand in for real clients: what `--version` prints, and how they end when they are asked something. */
const program = (version: string, end: string) =>
  `#!/bin/sh\ncase "$*" in --version) echo '${version}';; *) cat > /dev/null; ${end};; esac\n`

const agentsIn = (dir: string, ...args: ReadonlyArray<string>) =>
  finish(startIn(dir, { PATH: `${Path.join(dir, "bin")}:/usr/bin:/bin`, HOME: dir }, ["agents", ...args]))

describe("agents", () => {
  const dir = () =>
    project({
      "proofline.yaml": JSON.stringify({
        agents: {
          mine: { command: "cat {prompt_file} | sh" },
          open: { acp: "nowhere-agent acp" },
          tests: { judge: "true" }
        }
      }),
      "bin/codex": program("codex-cli 0.145.0", "echo '{}'; exit 3"),
      "bin/opencode": program("1.18.33", `echo '{"type":"text","part":{"text":"proofline-hears-you"}}'`),
      "bin/gemini": program("no number", "exit 1")
    })

  it("shows what is installed, in which version, how it is driven, and what is wrong", async () => {
    const { code, stdout } = await agentsIn(dir(), "--json")
    const { agents } = JSON.parse(stdout).data
    const seen = Object.fromEntries(
      agents.map((one: { name: string; kind: string; version: string | null; problem: string | null }) => [
        one.name,
        [one.kind, one.version, one.problem]
      ])
    )
    expect(code).toBe(0)
    expect(seen).toEqual({
      mine: ["command", null, null],
      open: ["acp", null, "There is no program `nowhere-agent` on PATH."],
      tests: ["judge", null, null],
      claude: ["preset", null, "There is no program `claude` on PATH."],
      codex: ["preset", "0.145.0", null],
      gemini: ["preset", null, "`gemini --version` does not say a version."],
      opencode: ["preset", "1.18.33", null]
    })
    expect(agents.find(({ name }: { name: string }) => name === "codex")).toMatchObject({
      driven_by: expect.stringMatching(/^codex exec --json .* -$/),
      path: expect.stringMatching(/bin\/codex$/),
      answers: null
    })
  })

  it("tells with --ask which of them answer, and why the others do not", async () => {
    const { stdout } = await agentsIn(dir(), "--ask")
    expect(stdout).toMatch(/✔ opencode 1\.18\.33 {2}answers/)
    expect(stdout).toMatch(/✗ codex 0\.145\.0 {2}Agent "codex" exited with code 3\./)
  })

  it("ends with 1 where nobody can work", async () => {
    const at = project({})
    expect((await agentsIn(at)).code).toBe(1)
  })

  it("supports what the docs say", () => {
    const docs = readFileSync(fileURLToPath(new URL("../../docs/agents.md", import.meta.url)), "utf8")
    const row = (name: string, supports: ReadonlyArray<string>) =>
      `| ${name} | ${supportable.map((one) => (supports.includes(one) ? "yes" : "")).join(" | ")} |`
    for (const preset of presets) expect(docs).toContain(row(`\`${preset}\``, supportsOf({ preset })))
    expect(docs).toContain(row("an `acp`", supportsOf({ acp: "x" })))
    expect(docs).toContain(row("a `command`", supportsOf({ command: "x" })))
    expect(docs).toContain(row("a `judge`", supportsOf({ judge: "x" })))
    expect(docs).toContain(row("a `model`", modelSupports))
    expect(docs).toContain(`| agent | ${supportable.join(" | ")} |`)
  })
})

describe("the agent `auto`", () => {
  const item = "Add a.txt"
  const tasks = { tasks: [{ id: "a", name: "A", instruction: "Write it.", checklist: [item] }] }
  const works = { command: "node agent.mjs" }
  const gone = { acp: "nowhere-agent acp" }
  const judge = { judge: "true" }
  const codex = { "bin/codex": program("codex-cli 0.145.0", "exit 3") }
  const opencode = { "bin/opencode": program("1.18.33", "exit 3") }
  const gemini = { "bin/gemini": program("no number", "exit 1") }

  const withPath = (dir: string) => ({
    PATH: [Path.join(dir, "bin"), Path.dirname(process.execPath), "/usr/bin", "/bin"].join(":")
  })
  const stage = (config: object, programs: Readonly<Record<string, string>>, script: Script = {}) =>
    project({
      "proofline.yaml": JSON.stringify(config),
      "tasks.yaml": JSON.stringify(tasks),
      ...scriptedAgent(script),
      ...programs
    })

  it.each([
    [{ agent: "auto" }, { ...codex, ...opencode, ...gemini }, [], ["codex", ["opencode"]]],
    [
      { agent: "auto", agents: { gone, judge, works } },
      { ...codex, ...opencode },
      [],
      ["works", ["codex", "opencode"]]
    ],
    [{ agent: "works", agents: { gone, works } }, codex, ["--agent", "auto"], ["works", ["codex"]]],
    [{ agents: ["gemini", "opencode"] }, { ...codex, ...opencode }, ["--agent", "auto"], ["opencode", ["codex"]]],
    [{ agent: "auto", fallback: ["opencode"] }, { ...codex, ...opencode }, [], ["opencode", ["codex"]]],
    [{ agent: "auto", reviewer: "works", agents: { works } }, codex, [], ["codex", ["works"]]],
    [{ agent: "auto", reviewer: "codex" }, codex, [], ["codex", []]],
    [{ agents: { auto: works, gone } }, codex, ["--agent", "auto"], ["auto", undefined]]
  ])("is of %j and what is installed the first, and the others follow", async (config, programs, flags, expected) => {
    const dir = stage(config, programs)
    const { data } = await achieved(["run", "tasks.yaml", "--dry-run", ...flags], dir, withPath(dir))
    expect([data.config.agent, data.config.fallback]).toEqual(expected)
  })

  it("falls over to the next one, is told and recorded by its names, and stays what it was on a resume", async () => {
    const works = { a: [{ files: { "a.txt": "one\n" }, report: done({ [item]: "a.txt:1" }) }] }
    const broke = program("1.18.33", "echo 'You have hit your usage limit.' >&2; exit 1")
    const config = { agent: "auto", agents: { gone, scripted: { command: "node agent.mjs" } }, fallback: ["opencode"] }
    const dir = stage(config, { "bin/opencode": broke, ...gemini }, works)
    const stopped = await asked(["run", "tasks.yaml", "--max-attempts", "1"], dir, withPath(dir))
    expect(stopped.stderr).toMatch(/^Agent: opencode 1\.18\.33\. When it cannot work: scripted\.$/m)
    expect(stopped.stderr).toMatch(/^Not used: gone\. There is no program `nowhere-agent` on PATH\.$/m)
    expect(stopped.stderr).toMatch(/^Not used: gemini\. /m)
    const { data } = await achieved(["resume", "--max-attempts", "9"], dir)
    const events = await eventsOf(data.run_id, dir)
    expect(events[0].content.config).toMatchObject({
      agent: "opencode",
      fallback: ["scripted"],
      agents: { opencode: { preset: "opencode" }, scripted: { command: "node agent.mjs" } }
    })
    const attempts = events.filter(({ event_type }) => event_type === "ATTEMPT_ENDED")
    expect(attempts.at(0).content.agent).toBe("opencode")
    expect(attempts.at(-1).content).toMatchObject({ agent: "scripted", outcome: "COMPLETE" })
    await expectReplay(dir)
  })

  it.each([
    ["run", "tasks.yaml"],
    ["chunk", "Do it."]
  ])("says of `%s` what to install where there is none", async (...args) => {
    const dir = stage({ agents: { gone } }, {})
    const refused = await asked([...args, "--agent", "auto"], dir, withPath(dir))
    expect(refused).toMatchObject({ code: 2, refused: ["no_agent_installed"] })
    const [{ hint, message }] = refused.data.problems
    expect(message).toContain("gone: There is no program `nowhere-agent` on PATH.")
    expect(hint).toContain("Install one of claude, codex, gemini, opencode")
  })

  it("plans by the rules where nobody can be asked", async () => {
    const dir = stage({}, {})
    const { data } = await achieved(["chunk", "Do it.", "--plan", "--agent", "auto"], dir, withPath(dir))
    expect(data.analyzer).toBe("heuristic")
  })
})

describe("an agent whose program is not installed", () => {
  const tasks = { "tasks.yaml": "tasks:\n  - { id: a, name: A, instruction: Do it., checks: ['true'] }\n" }
  const bare = (dir: string) => ({ PATH: `${Path.join(dir, "bin")}:/usr/bin:/bin`, HOME: dir })

  it.each([
    ["works", ["--agent", "claude"]],
    ["works, and neither is one in its place", ["--agent", "claude", "--fallback", "codex"]],
    ["reviews", ["--agent", "gemini", "--reviewer", "claude"]]
  ])("given that it %s, then the run is refused before anything is started", async (_, flags) => {
    const dir = project({ ...tasks, "bin/gemini": program("1.0.0", "exit 1") })
    const refused = await asked(["run", "tasks.yaml", ...flags], dir, bare(dir))
    expect(refused).toMatchObject({ code: 2, refused: expect.arrayContaining(["agent_program_missing"]) })
    const { stdout } = await finish(startIn(dir, bare(dir), ["history", "--json"]))
    expect(JSON.parse(stdout).data.runs).toEqual([])
  })

  it("given that another one may take its place, then the run begins", async () => {
    const dir = project({ ...tasks, "bin/gemini": program("1.0.0", "exit 1") })
    const begun = await asked(["run", "tasks.yaml", "--agent", "claude", "--fallback", "gemini"], dir, bare(dir))
    // that one fails, and there is no other
    expect(begun.code).toBe(4)
  })
})
