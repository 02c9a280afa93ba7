import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { type Connected, connect } from "./mcpClient.ts"
import { documentOf, eventsOf, project, proofline, withSources } from "./proofline.ts"

const examples = fileURLToPath(new URL("../../packages/cli/examples", import.meta.url))
const emptyDirectory = () => Path.join(project({}), "demo")

/** The project of the example, in a directory of its own. */
const copied = (files: Readonly<Record<string, string>> = {}): string => {
  const dir = mkdtempSync(Path.join(tmpdir(), "proofline-test-"))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  cpSync(Path.join(examples, "pull-mode", "project"), dir, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(Path.join(dir, name), text)
  return dir
}

const runOf = async (dir: string) => documentOf(await proofline(["history", "--json"], dir)).data.runs[0]

// biome-ignore lint/suspicious/noExplicitAny: tests look into events of every kind
type Events = ReadonlyArray<any>

/** What was decided, in order: phases, refusals, verifications and tasks that became done. */
const story = (events: Events): ReadonlyArray<string> =>
  events.flatMap(({ content, event_type }) => {
    switch (event_type) {
      case "PHASE_ENTERED":
        return [`enters ${content.phase}`]
      case "PHASE_REJECTED":
        return [`refuses ${content.failures.map(({ key }: { key: string }) => key).join(", ")}`]
      case "CHECKLIST_ITEM_REJECTED":
        return [`refuses ${content.key}`]
      case "PHASE_VERIFIED":
        return [content.passed ? "passes" : "fails"]
      case "TASK_COMPLETED":
        return [`${content.task_id}: ${content.proven} proven, ${content.waived} waived`]
      case "COMPLETION_REPORTED":
        return [`reports ${content.result}`]
      default:
        return []
    }
  })

const allDone = ["fines: 4 proven, 1 waived", "tsk_3: 1 proven, 0 waived", "desk: 2 proven, 0 waived"]
const asWritten = [
  "enters EXPLORATION",
  "enters READY_PLAN",
  "enters READY_IMPL",
  "refuses checklist_evidence_empty_impl",
  "refuses checklist_evidence_file_not_found",
  "refuses checklist_evidence_line_out_of_range",
  "refuses checklist_evidence_format_invalid",
  "refuses checklist_reason_required",
  "fines: 4 proven, 1 waived",
  "refuses subtasks_incomplete",
  "tsk_3: 1 proven, 0 waived",
  "desk: 2 proven, 0 waived",
  "enters READY_COMPLETE",
  "enters POST_IMPL_VERIFY",
  "fails",
  "enters READY_IMPL",
  ...allDone,
  "enters READY_COMPLETE",
  "enters POST_IMPL_VERIFY",
  "passes",
  "enters DONE",
  "reports success"
]

const expectProven = async (dir: string): Promise<void> => {
  expect(await runOf(dir)).toMatchObject({ kind: "session", status: "completed" })
  expect(spawnSync(process.execPath, ["check.mjs"], { cwd: dir }).status).toBe(0)
  const verified = await proofline(["verify", "--json"], dir)
  expect(verified.code, verified.stderr).toBe(0)
  expect(documentOf(verified).data.counts).toMatchObject({ receipts: 7, proven: 7, open: 0, waived: 1 })
  const replayed = await proofline(["replay", "--json"], dir)
  expect(documentOf(replayed).data).toMatchObject({ divergence: null, integrity: null })
}

describe("the demo pull-mode", () => {
  it("refuses what is not so, sends the work back once, and is proven in the end", async () => {
    const dir = emptyDirectory()
    const finished = await proofline(["demo", "pull-mode", "--dir", dir], Path.dirname(dir))
    expect(finished.code, finished.stderr).toBe(0)
    expect(finished.stderr).toContain("data/members.json exists, and was neither looked at")
    expect(finished.stderr).toContain("NO  nobody pays for a Sunday, when the library is closed: 60, not 40")
    // of what the client hands in, everything is asked for
    expect(finished.stderr).not.toContain("warning:")
    expect(finished.stdout).toContain("3 tasks of 3 completed")
    expect(finished.stdout).toContain("7 receipts: 7 proven, 0 re-anchored, 0 stale, 0 missing.")
    for (const hint of ["events run_", "replay run_", "verify run_"]) expect(finished.stdout).toContain(hint)
    const events = await eventsOf((await runOf(dir)).run_id, dir)
    expect(story(events)).toEqual(asWritten)
    const targets = events.filter(({ event_type }) => event_type === "WRITE_TARGET_CHECKED")
    expect(targets.map(({ content }) => [content.file_path, content.code])).toEqual([
      ["data/members.json", "not_explored"],
      ["src/fines.js", "allowed"]
    ])
    await expectProven(dir)
    const status = spawnSync("git", ["status", "--short"], { cwd: dir, encoding: "utf8" }).stdout
    expect(status.split("\n").filter(Boolean)).toEqual([" M src/desk.js", "?? src/fines.js", "?? src/money.js"])
  })

  it("given an agent, says that nobody starts it, and makes nothing", async () => {
    const dir = emptyDirectory()
    const finished = await proofline(["demo", "pull-mode", "--dir", dir, "--agent", "claude", "--json"], "/")
    expect(finished.code).toBe(2)
    expect(documentOf(finished).data.problems).toMatchObject([{ code: "demo_agent" }])
    expect(existsSync(dir)).toBe(false)
  })

  it("given no server, its client says so, and does not call that proven", () => {
    const client = Path.join(examples, "pull-mode", "client.mjs")
    const { status, stderr } = spawnSync(process.execPath, [client, "/no/such/program"], { cwd: copied() })
    expect(status).toBe(1)
    expect(stderr.toString()).toContain("The server cannot be started")
  })
})

describe("the example of a plugin with a phase", () => {
  const plugin = withSources(readFileSync(Path.join(examples, "phase-plugin", "security-review.mjs"), "utf8"))
  const withPlugin = {
    "security-review.mjs": plugin,
    "proofline.yaml": "plugins: [./security-review.mjs]\nverifiers: [test -e src/loans.js]\n"
  }
  const item = "Lend with lend() in src/loans.js"
  const tasks = (id: string) => ({
    data: { tasks: [{ id, description: id, status: "pending", checklist: [{ item, status: "pending" }] }] }
  })
  /** Does something to the file for a task, and shows that. */
  const done = (dir: string, task_id: string) => {
    const file = Path.join(dir, "src", "loans.js")
    const text = `${readFileSync(file, "utf8")}\nexport const ${task_id} = (library) => library.loans.length\n`
    writeFileSync(file, text)
    const evidence = `src/loans.js:${text.split("\n").length - 1}`
    return { task_id, data: { summary: "lend()", checklist: [{ item, status: "done", evidence }] } }
  }
  const finding = { file: "src/loans.js", weakness: "Anybody may lend", risk: "high" }
  const review = (data: object) => ({ data: { reviewed_files: ["src/loans.js"], findings: [], ...data } })

  const toReview = async (agent: Connected, dir: string): Promise<void> => {
    const explored = { explored_files: ["src/loans.js"], findings: ["src/loans.js: lend() is there"] }
    await agent.call("submit_phase", { data: explored })
    await agent.call("submit_phase", tasks("lend"))
    await agent.call("complete_task", done(dir, "lend"))
    const { body } = await agent.call("submit_phase", { data: { summary: "lend()" } })
    expect(body).toMatchObject({ phase: "SECURITY_REVIEW", expected_payload: { verdict: "clear|mend" } })
    expect(body.instruction).toMatch(/^Review what was written for weaknesses/)
  }

  it("is entered, refuses what its validator finds, is left by its verdict, and is replayed, as long as it is there", async () => {
    const dir = copied(withPlugin)
    const agent = await connect(dir)
    await toReview(agent, dir)
    // while it is not there, its run neither goes on nor is replayed
    writeFileSync(Path.join(dir, "proofline.yaml"), "verifiers: [test -e src/loans.js]\n")
    for (const words of [["mcp"], ["session", "open", "--agent", "b"], ["answer", "continue"], ["replay"]]) {
      const finished = await proofline(words, dir)
      expect(finished, words.join(" ")).toMatchObject({ code: 2, stdout: "" })
      expect(finished.stderr).toContain("[plugin_missing]")
    }
    writeFileSync(Path.join(dir, "proofline.yaml"), withPlugin["proofline.yaml"])
    const unseen = await agent.call("submit_phase", review({ verdict: "mend", reviewed_files: ["README.md"] }))
    expect(unseen).toMatchObject({ ok: false, body: { error: "payload_mismatch", phase: "SECURITY_REVIEW" } })
    expect(unseen.body.failures).toMatchObject([
      {
        key: "file_not_reviewed",
        fields: { file_path: "src/loans.js" },
        message: "src/loans.js is cited as evidence, so it was written. Review it too, and name it in reviewed_files."
      },
      { key: "nothing_to_mend", message: "The verdict is `mend`, but no weakness is named." }
    ])
    const shrugged = { ...finding, mitigation: "whatever " }
    const open = await agent.call("submit_phase", review({ verdict: "clear", findings: [finding, shrugged] }))
    expect(open.body.failures.map(({ key }: { key: string }) => key)).toEqual(["risk_open", "risk_open"])
    const misfit = await agent.call("submit_phase", review({ verdict: "fine", findings: [{ file: "x" }] }))
    expect(misfit.body.failures.map(({ fields }: { fields: { field: string } }) => fields.field)).toEqual([
      "findings[0].weakness",
      "findings[0].risk",
      "verdict"
    ])

    const back = await agent.call("submit_phase", review({ verdict: "mend", findings: [finding] }))
    expect(back).toMatchObject({ ok: true, body: { phase: "READY_PLAN" } })
    await agent.call("submit_phase", tasks("mend"))
    await agent.call("complete_task", done(dir, "mend"))
    await agent.call("submit_phase", { data: { summary: "Mended" } })
    const mitigated = { ...finding, mitigation: "The desk asks for a card first." }
    const clear = await agent.call("submit_phase", review({ verdict: "clear", findings: [mitigated] }))
    expect(clear).toMatchObject({ ok: true, body: { phase: "POST_IMPL_VERIFY" } })
    expect((await agent.call("submit_phase", { data: {} })).body).toMatchObject({ phase: "DONE" })
    expect((await agent.call("report_completed", { result: "success" })).body.run_status).toBe("completed")
    await agent.close()

    const replayed = await proofline(["replay", "--json"], dir)
    expect(replayed.code, replayed.stdout).toBe(0)
    expect(documentOf(replayed).data.divergence).toBeNull()
    // what the phase asks is decided again, not believed
    const lenient = plugin.replace(".filter((file) => !reviewed.has(file))", ".filter(() => false)")
    expect(lenient).not.toBe(plugin)
    writeFileSync(Path.join(dir, "security-review.mjs"), lenient)
    expect((await proofline(["replay"], dir)).code).toBe(1)
  })

  it("when it does not fit the contract, then nothing starts", async () => {
    for (const [from, to, says] of [
      ['"POST_IMPL_VERIFY"', '"NOWHERE"', "SECURITY_REVIEW leads to NOWHERE"],
      ["low|high", "low|hihg[", "The field findings of SECURITY_REVIEW"]
    ] as const) {
      const dir = copied({ ...withPlugin, "security-review.mjs": plugin.replace(from, to) })
      const finished = await proofline(["mcp"], dir)
      expect(finished).toMatchObject({ code: 2, stdout: "" })
      expect(finished.stderr).toContain("[contract_invalid]")
      expect(finished.stderr).toContain(says)
      expect(documentOf(await proofline(["history", "--json"], dir)).data.runs).toEqual([])
    }
  })
})
