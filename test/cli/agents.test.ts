import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { supportable } from "@proofline/plugins/adapters/command-agent"
import { presets } from "@proofline/plugins/options"
import { describe, expect, it } from "vitest"
import { supportsOf } from "../../packages/plugins/src/adapters/command-agent/look.ts"
import { finish, project, startIn } from "./proofline.ts"

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
    expect(docs).toContain(`| agent | ${supportable.join(" | ")} |`)
  })
})
