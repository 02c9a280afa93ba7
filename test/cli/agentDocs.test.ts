import { readFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { parse, stringify } from "yaml"
import { agentPages, usualAddress } from "../clients/docs.ts"
import { playing } from "../clients/replaying.ts"
import { TASKS } from "../clients/scene.ts"
import { daily } from "../often.ts"
import { finish, project, startIn } from "./proofline.ts"

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8")
const page = (name: string) => agentPages[name] ?? { text: "", lines: [], files: [] }
const shown = (name: string, path: string): ReadonlyArray<string> =>
  page(name)
    .files.filter((file) => file.path === path)
    .map(({ text }) => text)

/** Which recordings stand for the program, as a preset and over the protocol; a stand-in where there are none. */
const programs: Readonly<Record<string, { preset: string; recorded: ReadonlyArray<readonly [string, string]> }>> = {
  codex: {
    preset: "codex",
    recorded: [
      ["codex", "codex"],
      ["codex-acp", "acp-codex"]
    ]
  },
  "gemini-cli": {
    preset: "gemini",
    recorded: [
      ["gemini", "gemini"],
      ["gemini", "acp-gemini"]
    ]
  },
  opencode: {
    preset: "opencode",
    recorded: [
      ["opencode", "opencode"],
      ["opencode", "acp-opencode"]
    ]
  }
}

interface Found {
  readonly name: string
  readonly kind: string
  readonly driven_by: string
  readonly path: string | null
  readonly problem: string | null
}

/** As `docs/agents/others.md` starts them. */
const others = ["qwen", "kilo", "cline", "nanocoder", "cn", "pi"]
const names = ["claude", "codex", "gemini", "opencode", "claude-agent-acp", ...others]

/** The agents of a project on a machine that has all programs. */
const agentsOf = async (files: Readonly<Record<string, string>>): Promise<ReadonlyArray<Found>> => {
  const root = project({
    ...files,
    ...Object.fromEntries(names.map((name) => [`bin/${name}`, "#!/bin/sh\necho 1.2.3\n"]))
  })
  const PATH = [join(root, "bin"), "/usr/bin", "/bin"].join(delimiter)
  const { stdout } = await finish(startIn(root, { PATH, HOME: root }, ["agents", "--json"]))
  return JSON.parse(stdout).data.agents
}

/** Which one a command line starts. */
const program = (driven_by: string): string => others.find((name) => driven_by.split(" ").includes(name)) ?? driven_by

const SHOWN = "add() adds  src/add.py:1-2"

describe("docs/agents", () => {
  it("has a page for every preset and every kind, and each is reached from the contract", () => {
    const contract = read("docs/agents.md")
    expect(Object.keys(agentPages).toSorted()).toEqual([
      "acp",
      "claude-code",
      "codex",
      "command",
      "gemini-cli",
      "models",
      "opencode",
      "others"
    ])
    for (const [name, { text }] of Object.entries(agentPages)) {
      expect(contract).toContain(`(agents/${name}.md)`)
      expect(text).toContain("(../agents.md#which-agents-there-are)")
    }
  })

  it("names the packages that are tested, in the versions in which they are", () => {
    const { dependencies } = JSON.parse(read("test/clients/programs/package.json"))
    const unpinned = ["@anthropic-ai/claude-code", "@agentclientprotocol/claude-agent-acp"]
    const named = Object.entries(agentPages).flatMap(([name, { lines }]) =>
      lines.flatMap((line) => (line.startsWith("npm install ") ? [[name, line.split(" ").at(-1) ?? ""] as const] : []))
    )
    const packages = named.map(([, one]) => one)
    expect(packages.toSorted()).toEqual([...Object.keys(dependencies), ...unpinned].toSorted())
    for (const [name, one] of named) {
      if (dependencies[one] !== undefined) expect(page(name).text).toContain(` with ${dependencies[one]}`)
    }
    const rows = Object.fromEntries(
      page("acp")
        .text.split("\n")
        .flatMap((line) => [...line.matchAll(/^\| \[[^\]]+\]\(([\w-]+)\.md.* \| ([^|]+) \|$/g)])
        .map(([, name, version]) => [name, version])
    )
    expect(rows).toEqual({
      opencode: dependencies["opencode-ai"],
      "gemini-cli": dependencies["@google/gemini-cli"],
      codex: dependencies["@agentclientprotocol/codex-acp"],
      "claude-code": "not tried"
    })
  })

  it("shows how each preset is started", async () => {
    const agents = await agentsOf({})
    for (const [name, preset] of [
      ["claude-code", "claude"],
      ...Object.entries(programs).map(([k, v]) => [k, v.preset])
    ]) {
      const { driven_by } = agents.find((one) => one.name === preset) ?? { driven_by: "" }
      expect(page(name ?? "").text).toContain(`\`\`\`text\n${driven_by}\n\`\`\`\n`)
    }
  })

  for (const [name, { preset, recorded }] of daily(Object.entries(programs), 3)) {
    it(`shows files for ${preset} with which a run is completed, as the client was recorded`, async () => {
      const configurations = shown(name, "proofline.yaml")
      expect(configurations).toHaveLength(recorded.length)
      for (const [index, [program, recording]] of recorded.entries()) {
        const root = project({ "tasks.yaml": TASKS, "proofline.yaml": `${configurations[index]}retry_delay_ms: 1\n` })
        const PATH = playing(root, recording, program)
        const { code, stderr, stdout } = await finish(startIn(root, { PATH, HOME: root }, ["run", "tasks.yaml"]))
        expect(code, stdout + stderr).toBe(0)
        expect(stdout).toContain(SHOWN)
      }
    })

    it(`shows a command for ${preset} that completes one without a file`, async () => {
      const [line = ""] = page(name).lines.filter((one) => one.startsWith("proofline "))
      const root = project({ "tasks.yaml": TASKS })
      const PATH = playing(root, preset, preset)
      const { code, stdout } = await finish(startIn(root, { PATH, HOME: root }, line.split(" ").slice(1)))
      expect(code, stdout).toBe(0)
      expect(stdout).toContain(SHOWN)
    })
  }

  it("shows files for Claude Code and for the protocol in which an agent is found", async () => {
    const files = [...shown("claude-code", "proofline.yaml"), ...shown("acp", "proofline.yaml")]
    expect(files).toHaveLength(4)
    for (const text of files) {
      const [first] = await agentsOf({ "proofline.yaml": text })
      expect(first).toMatchObject({ kind: text.includes("preset:") ? "preset" : "acp", problem: null })
      expect(first?.path).toContain("/bin/")
    }
  })

  it("shows files for the other programs in which every agent is found, and the server as it is started or asked", async () => {
    const all = shown("others", "proofline.yaml").map((text) => parse(text).agents)
    const found = await agentsOf({ "proofline.yaml": stringify({ agents: Object.assign({}, ...all) }) })
    const own = found.filter(({ kind }) => kind !== "preset")
    expect(own.filter(({ driven_by, problem }) => problem !== null || !others.includes(program(driven_by)))).toEqual([])
    expect([...new Set(own.map(({ driven_by }) => program(driven_by)))].toSorted()).toEqual(others.toSorted())
    const settings = page("others").files.filter(({ transport }) => transport !== "")
    expect(settings.map(({ transport }) => transport)).toEqual(
      settings.map((_, at) => (at % 2 === 0 ? "stdio" : "http"))
    )
    for (const { text, transport } of settings) {
      const server = transport === "http" ? [`${usualAddress}/mcp`] : ["proofline", "mcp"]
      for (const part of server) expect(text).toContain(part)
    }
  })

  it("shows a script that is an agent", async () => {
    const [agent = ""] = shown("command", "my-agent.sh")
    const [tasks = ""] = shown("command", "tasks.yaml")
    const [config = ""] = shown("command", "proofline.yaml")
    const [line = ""] = page("command").lines.filter((one) => one.startsWith("proofline "))
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "").slice(1)
    for (const [args, files] of [
      [words, {}],
      [["run", "tasks.yaml"], { "proofline.yaml": config }]
    ] as const) {
      const root = project({ "tasks.yaml": tasks, "my-agent.sh": agent, ...files })
      const env = { PATH: process.env["PATH"] ?? "", HOME: root }
      const { code, stderr, stdout } = await finish(startIn(root, env, args))
      expect(code, stdout + stderr).toBe(0)
      expect(stdout).toContain("1 proven")
    }
  })
})
