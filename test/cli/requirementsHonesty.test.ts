import { rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { callsOf, withAgent } from "./agent.ts"
import { documentOf, eventsOf, proofline } from "./proofline.ts"
import { planOf, requirements, stage } from "./requirementsStage.ts"

const run = (dir: string, ...more: ReadonlyArray<string>) =>
  proofline(["run-requirements", "requirements.yaml", ...withAgent, ...more], dir)

/** An agent that does something besides, by its role and task. */
const meddling = (when: string, what: string) => ({
  "meddle.mjs": `#!/usr/bin/env node
import { readFileSync, rmSync, writeFileSync } from "node:fs"
if (process.env.PROOFLINE_ROLE + ":" + process.env.PROOFLINE_TASK_ID === ${JSON.stringify(when)}) { ${what} }
await import("./agent.mjs")
`
})
const withMeddler = ["--agent", "command", "--agent-command", "node meddle.mjs", "--retry-delay", "0s"]

describe("agents that change what they are judged by", () => {
  it("given one rewrites the requirements while it works, then the run is judged by what was asked, and nothing is taken over", async () => {
    const easier = requirements.split("  - id: req_2")[0] ?? ""
    const dir = stage(meddling("work:task_1", `writeFileSync("requirements.yaml", ${JSON.stringify(easier)})`))
    const first = await proofline(
      ["run-requirements", "requirements.yaml", ...withMeddler, "--max-iterations", "1", "--json"],
      dir
    )
    expect(first.code).toBe(1)
    expect(documentOf(first).data.requirements).toHaveLength(3)
    expect(first.stderr).toContain("was changed while the run was at work")
    for (const command of [["run-requirements", "requirements.yaml", ...withAgent], ["resume"]]) {
      const refused = await proofline([...command, "--json"], dir)
      expect([refused.code, documentOf(refused).data.problems[0].code]).toEqual([2, "requirements_changed_meanwhile"])
    }
    // as it was again, it goes on; whoever wants the other one says so
    writeFileSync(Path.join(dir, "requirements.yaml"), requirements)
    expect((await run(dir, "--json")).code).toBe(0)
  })

  it("given a person has changed it on purpose, then --take-over takes it over", async () => {
    const fewer = requirements.split("  - id: req_2")[0] ?? ""
    const dir = stage(meddling("work:task_1", `writeFileSync("requirements.yaml", ${JSON.stringify(fewer)})`))
    await proofline(["run-requirements", "requirements.yaml", ...withMeddler, "--max-iterations", "1"], dir)
    const taken = await run(dir, "--take-over", "--json")
    expect([taken.code, documentOf(taken).data.requirements.length]).toEqual([0, 1])
  })

  it("given a verifier destroys what another requirement rests on, then that is seen before anything counts as met", async () => {
    const dir = stage({
      ...meddling("verify:req_2", `writeFileSync("task_1.txt", "something else\\n")`),
      "requirements.yaml": `name: x
requirements:
  - { id: req_1, description: a first note, acceptance_criteria: [the first note] }
  - { id: req_2, description: a second note, acceptance_criteria: [the second note], priority: optional }
`,
      "plan-1.yaml": planOf({ task_1: { covers: ["req_1.1"] } })
    })
    const finished = await proofline(
      ["run-requirements", "requirements.yaml", ...withMeddler, "--max-iterations", "1", "--json"],
      dir
    )
    const { data } = documentOf(finished)
    expect([finished.code, data.requirements[0].verdict]).toEqual([1, "stale"])
  })
})

describe("what a run of a file that was met already shows", () => {
  it("given nothing was to be done, then verify and the receipts are those of the run before", async () => {
    const dir = stage()
    expect((await run(dir)).code).toBe(0)
    expect((await run(dir)).code).toBe(0)
    const verified = await proofline(["verify", "--json"], dir)
    expect([verified.code, documentOf(verified).data.counts.proven]).toEqual([0, 3])
    rmSync(Path.join(dir, "task_1.txt"))
    expect((await proofline(["verify"], dir)).code).toBe(1)
  })

  it("given the file says how to run, then a changed file says it for the run that goes on", async () => {
    const dir = stage()
    await run(dir, "--max-iterations", "1")
    writeFileSync(Path.join(dir, "requirements.yaml"), `${requirements}defaults: { workers: 7 }\n`)
    const again = documentOf(await run(dir, "--json")).data
    const resumed = (await eventsOf(again.run_id, dir)).find(({ event_type }) => event_type === "RUN_RESUMED")
    expect(resumed.content.config.workers).toBe(7)
  })

  it("given plans that do not exist, then that is said before anything is started", async () => {
    const dir = stage({ "requirements.yaml": `${requirements}generation: { tasks: [plan-1.yaml, plan-9.yaml] }\n` })
    const refused = await run(dir, "--json")
    expect([refused.code, documentOf(refused).data.problems[0].code]).toEqual([2, "plan_missing"])
    expect(callsOf(dir)).toEqual([])
  })
})
