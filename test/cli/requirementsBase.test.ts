import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { git } from "../plugins/repositories.ts"
import { achieved, asked } from "./asked.ts"
import { proofline, repository } from "./proofline.ts"

const agent = `#!/bin/sh
case $PROOFLINE_ROLE in
  generate) cat plan.yaml > "$PROOFLINE_REPORT_FILE" ;;
  work) printf '{"summary":"","checklist":[{"item":"Write sum()","status":"done","evidence":"sum.js:1-3"}]}' > "$PROOFLINE_REPORT_FILE" ;;
  verify) printf '{"all_requirements_met":true,"requirement_status":[{"requirement_id":"sum","met":true,"evidence":"sum.js:1-3"}]}' > "$PROOFLINE_REPORT_FILE" ;;
esac
`
const plan = `tasks:
  - { id: sum, name: Sum, instruction: Write sum., covers: [sum.1], checklist: [Write sum()] }
`
const asking = ["run-requirements", "requirements.yaml", "--agent-command", "sh bin/agent.sh", "--max-iterations", "1"]
const started = [...asking, "--max-retries", "0"]

describe("given work that was there before, and a run that was refused for that", () => {
  it("when --base names the commit before it, then a new run begins there; without it that run goes on", async () => {
    const dir = repository({
      "requirements.yaml": `name: Sums\nrequirements: [{ id: sum, name: Sum, acceptance_criteria: ["sum() sums"] }]\n`,
      "plan.yaml": plan,
      "bin/agent.sh": agent
    })
    writeFileSync(join(dir, "sum.js"), "export const sum = (list) => {\n  return list.reduce((a, b) => a + b, 0)\n}\n")
    git(dir, "add", "-A")
    git(dir, "commit", "-qm", "Write sum")
    const refused = await asked(started, dir)
    expect([refused.code, refused.data.status]).toEqual([1, "failed"])

    for (const base of [[], ["--base", "HEAD"]]) {
      const same = await asked([...started, ...base], dir)
      expect([same.code, same.data.run_id], same.stderr).toEqual([1, refused.data.run_id])
    }
    for (const more of [[], ["--dry-run"]]) {
      const unknown = await asked([...started, "--base", "nosuch", ...more], dir)
      expect([unknown.code, unknown.refused]).toEqual([2, ["base_unknown"]])
    }

    const { data, stderr } = await achieved([...started, "--base", "HEAD~1"], dir)
    expect(stderr).toContain(`Beginning a new run since HEAD~1: ${refused.data.run_id}`)
    expect(data).toMatchObject({ status: "completed", verdict: "proven" })
    expect(data.run_id).not.toBe(refused.data.run_id)
    expect((await proofline(["verify"], dir)).code).toBe(0)
  })
})
