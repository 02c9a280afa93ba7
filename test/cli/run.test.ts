import { existsSync, rmSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { callsOf, done, scriptedAgent, withAgent } from "./agent.ts"
import { documentOf, eventsOf, isGone, project, proofline } from "./proofline.ts"

const oneTask = `
tasks:
  - id: add
    name: Add
    instruction: Write add().
    checks: ["grep -q 'a + b' add.js"]
    checklist: [Add add() to add.js]
`
const goodFile = { "add.js": "export const add = (a, b) => {\n  return a + b\n}\n" }
const item = "Add add() to add.js"

describe("run", () => {
  it("refuses a stub, tells the agent why, accepts the repaired work, and leaves a receipt", async () => {
    const stub = { "add.js": "export const add = (a, b) => {\n  // TODO\n}\n" }
    const dir = project({
      "tasks.yaml": oneTask,
      ...scriptedAgent({
        add: [
          { files: stub, report: done({ [item]: "add.js:1-3" }) },
          { files: goodFile, report: done({ [item]: "add.js:1-3" }) }
        ]
      })
    })
    const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--json"], dir)
    expect(finished.code, finished.stderr).toBe(0)
    const { data, kind, schemaVersion } = documentOf(finished)
    expect({ kind, schemaVersion }).toEqual({ kind: "run", schemaVersion: 1 })
    const receipt = { path: "add.js", start: 1, end: 3 }
    const proven = { item, status: "done", verdict: "proven", evidence: "add.js:1-3", receipt }
    expect(data).toMatchObject({
      status: "completed",
      tasks: [{ id: "add", title: "Add", status: "completed", attempts: 2, checklist: [proven] }]
    })
    expect(callsOf(dir)[1]?.prompt).toContain("checklist_evidence_empty_impl")
    const rejected = (await eventsOf(data.run_id, dir)).filter(
      (event) => event.event_type === "CHECKLIST_ITEM_REJECTED"
    )
    expect(rejected.map((event) => event.content.key)).toEqual(["checklist_evidence_empty_impl"])
  })

  it("ends an attempt that takes too long and leaves no process", async () => {
    const dir = project({ "tasks.yaml": oneTask, ...scriptedAgent({ add: [{ hang: true }] }) })
    const finished = await proofline(
      ["run", "tasks.yaml", ...withAgent, "--max-retries", "0", "--timeout", "800ms", "--json"],
      dir
    )
    expect(finished.code).toBe(1)
    const { run_id } = documentOf(finished).data
    const ended = (await eventsOf(run_id, dir)).find((event) => event.event_type === "ATTEMPT_ENDED")
    expect(ended.content.outcome).toBe("TIMEOUT")
    expect(isGone(callsOf(dir)[0]?.pid ?? 0)).toBe(true)
  })

  it("opens the breaker when the agent does not exist, without burning retries, and resumes when it does", async () => {
    const dir = project({
      "tasks.yaml": oneTask,
      ...scriptedAgent({ add: [{ files: goodFile, report: done({ [item]: "add.js:1-3" }) }] })
    })
    const finished = await proofline(
      ["run", "tasks.yaml", "--agent", "command", "--agent-command", "no-such-agent-anywhere", "--json"],
      dir
    )
    expect(finished.code).toBe(4)
    expect(documentOf(finished).data.tasks[0].attempts).toBe(1)
    const resumed = await proofline(["resume", ...withAgent, "--json"], dir)
    expect(resumed.code, resumed.stderr).toBe(0)
    expect(documentOf(resumed).data.status).toBe("completed")
  })

  it("stops at the first failure with --fail-fast and ends what still runs", async () => {
    const file = `
tasks:
  - { id: slow, name: Slow, instruction: Slow, checks: ["true"] }
  - { id: bad, name: Bad, instruction: Bad, checks: ["test -e ready && until test -e hanging; do :; done; false"] }
`
    const dir = project({
      "tasks.yaml": file,
      ...scriptedAgent({ slow: [{ hang: true }], bad: [{ files: { ready: "" } }] })
    })
    const finished = await proofline(
      ["run", "tasks.yaml", ...withAgent, "--max-retries", "0", "--fail-fast", "--json"],
      dir
    )
    expect(finished.code).toBe(1)
    const { data } = documentOf(finished)
    expect(data.status).toBe("failed")
    expect(data.tasks.map((task: { status: string }) => task.status)).toEqual(["skipped", "failed"])
    const pid = callsOf(dir).find((call) => call.task === "slow")?.pid ?? 0
    expect(isGone(pid)).toBe(true)
  })

  it("touches nothing on --dry-run", async () => {
    const dir = project({ "tasks.yaml": oneTask, ...scriptedAgent({}) })
    const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--dry-run", "--json"], dir)
    expect(finished.code).toBe(0)
    expect(documentOf(finished).data).toMatchObject({ dry_run: true, tasks: [{ id: "add", status: "pending" }] })
    expect(existsSync(Path.join(dir, ".proofline"))).toBe(false)
    expect(existsSync(Path.join(dir, "calls.ndjson"))).toBe(false)
  })

  it("runs only the named tasks and takes what they build on as completed", async () => {
    const file = `
tasks:
  - { id: a, name: A, instruction: A, checks: ["false"] }
  - { id: b, name: B, instruction: B, checks: ["test -s b.txt"], depends_on: [a] }
  - { id: c, name: C, instruction: C, checks: ["test -s c.txt"], depends_on: [b] }
`
    const script = { b: [{ files: { "b.txt": "b\n" } }], c: [{ files: { "c.txt": "c\n" } }] }
    const dir = project({ "tasks.yaml": file, ...scriptedAgent(script) })
    const only = await proofline(["run", "tasks.yaml", ...withAgent, "--only", "b", "--json"], dir)
    expect(only.code, only.stderr).toBe(0)
    expect(documentOf(only).data.tasks.map((task: { id: string }) => task.id)).toEqual(["b"])
    // its check would pass without any work
    rmSync(Path.join(dir, "b.txt"))
    const from = await proofline(["run", "tasks.yaml", ...withAgent, "--from", "b", "--json"], dir)
    expect(from.code, from.stderr).toBe(0)
    expect(documentOf(from).data.tasks.map((task: { id: string }) => task.id)).toEqual(["b", "c"])
    const unknown = await proofline(["run", "tasks.yaml", ...withAgent, "--only", "x,b"], dir)
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain('There is no task "x"')
  })

  it("needs an agent", async () => {
    const dir = project({ "tasks.yaml": oneTask })
    const finished = await proofline(["run", "tasks.yaml", "--json"], dir)
    expect(finished.code).toBe(2)
    expect(documentOf(finished).data.problems[0].code).toBe("agent_missing")
    expect(existsSync(Path.join(dir, ".proofline"))).toBe(false)
  })
})

describe("validation", () => {
  const file = oneTask.replace("    checks: [\"grep -q 'a + b' add.js\"]\n", "    validation: [It adds]\n")
  const work = { files: goodFile, report: done({ [item]: "add.js:1-3" }) }

  it("asks nobody whom the user did not name: each criterion needs evidence of its own", async () => {
    const shown = { report: done({ [item]: "add.js:2", "It adds": "add.js:1" }) }
    const dir = project({
      "tasks.yaml": file,
      ...scriptedAgent({ add: [work, shown], "review:add": [{ report: { judgment: "PASS" } }] })
    })
    const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--json"], dir)
    expect(finished.code, finished.stderr).toBe(0)
    expect(documentOf(finished).data).toMatchObject({
      verdict: "proven",
      tasks: [{ attempts: 2, checklist: [{ item }, { item: "It adds", verdict: "proven", evidence: "add.js:1" }] }]
    })
    const calls = callsOf(dir)
    expect(calls.map((call) => call.role)).toEqual(["work", "work"])
    expect(calls[0]?.prompt).toContain(`## Checklist\n\n- ${item}\n- It adds\n`)
    expect(calls[1]?.prompt).toContain("Missing: 'It adds'")
  })

  it("goes back to the agent when the reviewer rejects, with what must be changed", async () => {
    const dir = project({
      "tasks.yaml": file,
      ...scriptedAgent({
        add: [work],
        "review:add": [
          { report: { judgment: "REJECT", modification_prompt: "Use a plus." } },
          { report: { judgment: "PASS", checks: [{ criterion: "It adds", passed: true }] } }
        ]
      })
    })
    const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--reviewer", "command", "--json"], dir)
    expect(finished.code, finished.stderr).toBe(0)
    expect(documentOf(finished).data).toMatchObject({ verdict: "reviewed", tasks: [{ attempts: 2 }] })
    expect(callsOf(dir).filter((call) => call.role === "work")[1]?.prompt).toContain("Use a plus.")
  })

  it.each([
    ["a PASS that contradicts its own checks", { judgment: "PASS", checks: [{ criterion: "It adds", passed: false }] }]
  ])("takes %s as REJECT", async (_, report) => {
    const dir = project({ "tasks.yaml": file, ...scriptedAgent({ add: [work], "review:add": [{ report }] }) })
    const finished = await proofline(
      ["run", "tasks.yaml", ...withAgent, "--reviewer", "command", "--max-retries", "0", "--json"],
      dir
    )
    expect(finished.code).toBe(1)
    const events = await eventsOf(documentOf(finished).data.run_id, dir)
    expect(events.find((event) => event.event_type === "QUALITY_JUDGMENT").content.judgment).toBe("REJECT")
  })
})
