import { readFileSync, symlinkSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { events as declared } from "@proofline/plugins/policies/requirements"
import { describe, expect, it } from "vitest"
import { rolesOf, withAgent } from "./agent.ts"
import { documentOf, proofline, withSources } from "./proofline.ts"
import { stage } from "./requirementsStage.ts"

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

describe("docs/events.md", () => {
  it("tells of every event of a requirements run", () => {
    const events = readFileSync(at("docs/events.md"), "utf8")
    for (const { name: type } of declared) {
      expect(events).toContain(` \`${type}\``)
      expect(events).toMatch(new RegExp(`^\\| .*\`${type}\`.* \\| .* \\|$`, "m"))
    }
  })
})

describe("docs/plugins.md", () => {
  it("shows a generator that a requirements file can name", { timeout: 60_000 }, async () => {
    const [text = ""] =
      readFileSync(at("docs/plugins.md"), "utf8").match(
        /(?<=^## A generator or a verifier\n[\s\S]*?```ts\n)[\s\S]*?(?=```)/m
      ) ?? []
    const dir = stage({
      "generator.mjs": withSources(stripTypeScriptTypes(text)),
      "proofline.yaml": "plugins: [./generator.mjs]\n",
      "requirements.yaml": `name: x
requirements:
  - { id: r, description: two notes, acceptance_criteria: [r.1-try-1.txt is written, r.2-try-1.txt is written] }
generation: { generator: one-each }
verification: { verifier: none }
`
    })
    // `effect`, as where it is installed
    symlinkSync(at("node_modules"), Path.join(dir, "node_modules"))
    const finished = await proofline(["run-requirements", "requirements.yaml", ...withAgent, "--json"], dir)
    expect(finished.stderr).not.toContain("error:")
    expect([finished.code, documentOf(finished).data.completed_task_ids]).toEqual([0, ["r.1-try-1", "r.2-try-1"]])
    expect(rolesOf(dir).toSorted()).toEqual(["work:r.1-try-1", "work:r.2-try-1"])
  })
})
