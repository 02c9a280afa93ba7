import { execFileSync, spawnSync } from "node:child_process"
import { readdirSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { presets } from "@proofline/plugins/options"
import { describe, expect, it } from "vitest"
import { knownPrograms } from "../../packages/cli/src/base/knownPrograms.ts"
import { done, scriptedAgent } from "./agent.ts"
import { achieved } from "./asked.ts"
import { project, proofline } from "./proofline.ts"

const checkout = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "")
const has = (shell: string): boolean => spawnSync(shell, ["-c", ":"]).status === 0

/** What Bash would offer behind a line, as its own completion asks the script for it. */
const inBash = (script: string, line: string): string => `source '${script}'
COMP_LINE='${line}'; COMP_WORDS=(${line} ${line.endsWith(" ") ? "''" : ""}); COMP_POINT=\${#COMP_LINE}
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_proofline proofline "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "\${COMPREPLY[@]}"`

const shells: Readonly<Record<string, (script: string, line: string) => string>> = {
  bash: inBash,
  fish: (script, line) => `source '${script}'; complete -C '${line}'`
}

describe("completions in a shell", () => {
  it.each(Object.keys(shells).filter(has))(
    "given a project with agents and runs, then %s offers them, and the pages of the docs",
    async (shell) => {
      const report = done({ "A is there": "a.txt:1" })
      const dir = project({
        ...scriptedAgent({ a: [{ files: { "a.txt": "a\n" }, report }] }),
        "bin/codex": "#!/bin/sh\n",
        "proofline.yaml":
          "agent: mine\nagents: # ours\n  mine:\n    command: node agent.mjs\n\n  'other': { preset: claude }\nworkers: 2\n",
        "tasks.yaml": "tasks: [{ id: a, name: A, instruction: A, checklist: [A is there] }]\n"
      })
      const { data } = await achieved(["run", "tasks.yaml"], dir)
      const script = join(dir, "completions")
      writeFileSync(script, (await proofline(["--completions", shell], dir)).stdout)
      const path = [checkout, join(dir, "bin"), "/usr/bin", "/bin"].join(delimiter)
      const offered = (line: string) =>
        execFileSync(shell, ["-c", shells[shell]?.(script, line) ?? ""], {
          cwd: dir,
          env: { HOME: dir, PATH: path },
          encoding: "utf8"
        })
          .split("\n")
          .map((one) => one.split("\t")[0] ?? "")
          .filter((one) => one !== "" && !one.startsWith("-"))
      expect(offered("proofline run --agent ")).toEqual(["mine", "other", "codex", "auto", "command"])
      const behindEquals = offered("proofline run --agent=").map((one) => one.replace(/^--agent=/, ""))
      expect(behindEquals).toEqual(shell === "fish" ? [] : ["mine", "other", "codex", "auto", "command"])
      expect(offered("proofline show ")).toEqual(["last", data.run_id.slice(data.run_id.lastIndexOf("_") + 1)])
      expect(offered("proofline show run_")).toEqual([data.run_id])
      expect(offered("proofline docs evid")).toEqual(["evidence"])
    }
  )

  it("given no project, then nothing is offered in the place of runs, and nothing is made or said", () => {
    const dir = project({})
    const { status, stderr, stdout } = spawnSync(join(checkout, "proofline"), ["--complete", "runs"], { cwd: dir })
    expect([status, String(stdout), String(stderr)]).toEqual([0, "", ""])
    expect(readdirSync(dir)).toEqual([])
  })

  it.each(["zsh", "pwsh"])("then the script of %s has no stand-in left", async (shell) => {
    const dir = project({})
    const { stdout } = await proofline(["--completions", shell], dir)
    expect(stdout).not.toMatch(/VALUES_OF/)
    if (shell === "zsh" && has("zsh")) {
      writeFileSync(join(dir, "_proofline"), stdout)
      execFileSync("zsh", ["-n", join(dir, "_proofline")])
      expect(stdout).toContain('$(proofline --complete runs "$PREFIX" 2>/dev/null)')
    }
  })

  it("knows the programs of all presets", () => {
    expect(knownPrograms).toEqual(presets)
  })
})
