import {
  composePlugins,
  defaultChunkingConfig,
  defaultProof,
  defaultRunConfig,
  foldEvent,
  type KernelEvent,
  makeManifest,
  noProgress,
  progressOf,
  type RunConfig,
  type Snapshot,
  type WeakReason
} from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { sessionsRules } from "@proofline/plugins/policies/sessions/rules"
import { Cause, Effect, Logger, Result } from "effect"
import { describe, expect, it } from "vitest"
import { select } from "../../packages/cli/src/base/selection.ts"
import { loggedText } from "../../packages/cli/src/process/stderrLogger.ts"
import {
  failingAs,
  judgedBy,
  type ProofFlags,
  type RunFlags,
  resolveChunking,
  resolveConfig,
  workersOf
} from "../../packages/cli/src/project/settings.ts"
import { stateOf } from "../../packages/cli/src/project/state.ts"
import { eventLine } from "../../packages/cli/src/render/lines.ts"
import { loopWording } from "../../packages/cli/src/render/loopLines.ts"
import { makeRefusals } from "../../packages/cli/src/render/refusals.ts"
import { runReport } from "../../packages/cli/src/render/report.ts"
import { planLines } from "../../packages/cli/src/render/show.ts"
import { stepLines } from "../../packages/cli/src/render/steps.ts"
import { oneLine, plain, styleFor, withEnd } from "../../packages/cli/src/render/style.ts"
import { runTree } from "../../packages/cli/src/render/tree.ts"
import { analysed, begin, finish, part, plan } from "../plugins/aggregation/support.ts"

const style = styleFor(false)
const composition = composePlugins([sessionsRules])
const snapshotOf = (...tasks: ReadonlyArray<ReturnType<typeof aTask>>): Snapshot =>
  given([], [sessionsRules]).when(aRun(tasks)).step?.after ?? composition.initial

const lineOf = (event_type: string, content: unknown) =>
  eventLine({ event_type, content, timestamp: "2026-01-01T00:00:00.000Z" } as never, style)

describe("text from agents and files", () => {
  it("cannot steer the terminal", () => {
    expect(plain("\u001b[31mred\u001b[0m\u0007\u009b2J bell\r\nnext")).toBe("red bell\nnext")
  })

  it("cannot turn round how it is read, and hides nothing", () => {
    const name = "safe \u202egpj.exe\u202c \u2066iso\u200bzero"
    const shown = "safe \\u{202e}gpj.exe\\u{202c} \\u{2066}iso\\u{200b}zero"
    expect(plain(name)).toBe(shown)
    expect(oneLine(name, 80)).toBe(shown)
    expect(withEnd(name, 80)).toBe(shown)
    expect(runTree(stateOf(snapshotOf(aTask("t1", { title: name }))), style, 120, 40)[1]).toContain(shown)
    // what is written out counts as it is shown
    expect([...oneLine("\u202e".repeat(50), 20)]).toHaveLength(20)
    // words and emoji are made with joiners
    expect(plain("👩\u200d🚀 می\u200cخواهم")).toBe("👩\u200d🚀 می\u200cخواهم")
  })

  it("is shortened by characters, not in the middle of one", () => {
    expect(oneLine("😀😀😀😀", 3)).toBe("😀😀…")
    expect(oneLine("short\nsecond line", 20)).toBe("short")
    expect(withEnd("a word\nand another", 20)).toBe("a word and another")
    expect(withEnd("😀😀😀😀 what is wrong with it. Do that.", 19)).toBe("😀😀😀😀 wh … Do that.")
  })
})

describe("the tree", () => {
  it("is never taller than the terminal, and says how much it left out", () => {
    const many = snapshotOf(
      ...Array.from({ length: 100 }, (_, i) => aTask(`t${i}`, { checklist: [{ item: "a" }, { item: "b" }] }))
    )
    for (const height of [4, 10, 50]) {
      const lines = runTree(stateOf(many), style, 80, height)
      expect(lines.length).toBeLessThanOrEqual(height)
      expect(lines.at(-1)).toMatch(/^└── and \d+ more lines$/)
    }
  })

  it("is never wider than the terminal", () => {
    const wide = snapshotOf(aTask("x".repeat(90), { title: "y".repeat(300), checklist: [{ item: "z".repeat(300) }] }))
    for (const line of runTree(stateOf(wide), style, 80, 40)) expect([...line].length).toBeLessThanOrEqual(80)
  })
})

describe("what agents do while they work", () => {
  it("stands below their tasks, the last of it, and never wider than the terminal", () => {
    const lines = stepLines([
      { type: "text", text: "I look.\nAt a.js\n" },
      { type: "plan", entries: [{ text: "Read it", status: "in_progress" }] },
      { type: "tool", id: "1", title: "Edit", status: "running", files: ["a.js"] }
    ])
    expect(lines).toEqual(["plan 0/1: Read it", "… Edit  a.js"])
    const notes = new Map([["t1", [...lines, `\u001b[2J${"x".repeat(300)}`]]])
    const tree = runTree(stateOf(snapshotOf(aTask("t1"), aTask("t2"))), style, 60, 40, notes)
    expect(tree.slice(1, 5)).toEqual([
      expect.stringContaining("t1"),
      "│     plan 0/1: Read it",
      "│     … Edit  a.js",
      expect.stringMatching(/^│ {5}x+…$/)
    ])
    for (const line of tree) expect([...line].length).toBeLessThanOrEqual(60)
  })

  it("is one line a step: what was said last, tools with the files that their titles do not name, and permissions", () => {
    expect(stepLines([{ type: "thought", text: "Hm.\nWhere?\n" }])).toEqual(["(Where?)"])
    expect(stepLines([{ type: "text", text: "  \n" }])).toEqual([])
    expect(
      stepLines([
        { type: "tool", id: "1", title: "Read a.js", status: "failed", files: ["a.js", "b.js"] },
        { type: "permission", title: "rm -r b", answer: "denied" }
      ])
    ).toEqual(["✗ Read a.js  b.js", "may it: rm -r b? denied"])
  })
})

describe("what was given up where the later one wins", () => {
  const files = { "t-sub-1": ["a.js", "b.js"], "t-sub-2": ["a.js"] }
  const together = (outcome: object, strategy: object) => {
    const chunking = {
      ...defaultChunkingConfig,
      workspace: "worktree" as const,
      aggregation_strategy: { ...defaultChunkingConfig.aggregation_strategy, ...strategy }
    }
    const config = { reviewer: "critic", reviewer_named: true, chunking }
    const done = given([], [sessionsRules]).after(
      aRun([aTask("t", { checks: [], chunk: "asked" })], config),
      analysed(plan(part("A"), part("B"))),
      ...Object.entries(files).flatMap(([id, changed]) => [begin(id), ...finish(id, changed)])
    )
    const put = done.when({
      _tag: "RecordAggregation",
      task_id: "t",
      duration_ms: 1,
      outcome: {
        outcome: "merged",
        files_modified: ["a.js", "b.js"],
        conflicts: [],
        message: "",
        evidence: [],
        lost: [],
        ...outcome
      }
    })
    const after = put.step?.after ?? composition.initial
    const content = put.events.find(({ type }) => type === "CHUNKING_AGGREGATION")?.content ?? {}
    const report = runReport(stateOf(after), style, [], (words) => words)
    const plans = planLines(progressOf({ ...noProgress(composition), snapshot: after }))
    return { line: lineOf("CHUNKING_AGGREGATION", content), report, plans }
  }
  const one = [{ file: "a.js", sources: ["t-sub-1", "t-sub-2"] }]
  const told = "the later one won in a.js: what t-sub-1 did there is given up where t-sub-2 has something else"

  it("is told as it happens, at the end of the run and by show", () => {
    const { line, plans, report } = together({ given_up: one }, { type: "last_wins" })
    expect(line).toContain("2 files changed, 0 conflicts, 1 of them as the later one left them")
    expect(report).toContain(told)
    expect(plans[0]).toContain("where two change one file: last_wins")
    expect(plans.slice(1)).toEqual([`  ${told}`])
    const overwritten = together({ conflicts: one }, { conflict_resolution: "overwrite" })
    expect(overwritten.report).toContain(told)
    expect(overwritten.plans.slice(1)).toEqual([`  ${told}`])
  })

  it("is what a resume is told to do after a conflict that would only come again", () => {
    const goesOn = (conflicts: ReadonlyArray<object>, strategy: object = {}, outcome = "conflict") =>
      /^Go on with: +(.*)$/mu.exec(together({ conflicts, outcome }, strategy).report)?.[1]
    expect(goesOn(one)).toMatch(/^resume run_1 --conflict-resolution overwrite \(/u)
    // somebody has to take changes of theirs back, or has said already how it is to be
    expect(goesOn([{ file: "a.js", sources: ["t-sub-1", "project"] }])).toBe("resume run_1")
    // what another task of the run has shown is not taken back for this one
    expect(goesOn([{ file: "a.js", sources: ["t-sub-1", "t", "project"] }])).toMatch(
      /^resume run_1 --conflict-resolution manual/u
    )
    expect(goesOn(one, { conflict_resolution: "manual" }, "needs_person")).toBe("resume run_1")
  })

  it("is not told where nothing was, or a person has decided", () => {
    const nothing = together({}, { type: "last_wins" })
    expect([nothing.report, ...nothing.plans].join("\n")).not.toContain("the later one won")
    const decided = together({ conflicts: one }, { conflict_resolution: "manual" })
    expect([decided.report, ...decided.plans].join("\n")).not.toContain("the later one won")
  })
})

const gateRefused = {
  gate: "frozen_files",
  plugin: "frozen-files",
  reason: "frozen_files",
  message: "vendor/a.js must stay as it is."
}

describe("given a gate of a plugin that refuses an attempt", () => {
  const event = { event_type: "GATE_REFUSED", content: { task_id: "a", attempt: 1, ...gateRefused } }

  it("then the line of the run says which gate it is and why", () => {
    const line = eventLine({ ...event, timestamp: "2026-01-01T00:00:00.000Z" } as never, style)
    expect(line).toContain("a: ✘ refused by the gate frozen_files: vendor/a.js must stay as it is. [frozen_files]")
  })

  it("then agents that look at the log of their work are told why", () => {
    const recorded = { ...event, schema_version: 1, stream: "run_a", version: 1 }
    expect(makeManifest(composition).tell(recorded)).toBe(
      "a: refused by the gate frozen_files: vendor/a.js must stay as it is."
    )
  })
})

describe("the report", () => {
  it("names what was claimed and refused, attempt by attempt", () => {
    const refusals = makeRefusals()
    const record = (event_type: string, content: unknown) =>
      refusals.add({ event_type, content, timestamp: "2026-01-01T00:00:00.000Z" } as never)
    record("CHECKLIST_REPORTED", {
      task_id: "a",
      attempt: 1,
      summary: "",
      problems: [],
      checklist: [
        { item: "x", status: "done" },
        { item: "y", status: "pending" }
      ]
    })
    record("CHECKLIST_ITEM_REJECTED", {
      task_id: "a",
      attempt: 1,
      item: "x",
      key: "checklist_evidence_required",
      message: "No evidence."
    })
    record("GATE_REFUSED", { task_id: "a", attempt: 1, ...gateRefused })
    record("ATTEMPT_ENDED", { task_id: "b", attempt: 2, outcome: "TIMEOUT", error: { message: "Too long." } })
    expect(refusals.lines(style)).toEqual([
      "Claimed and refused:",
      "  a, attempt 1: claimed 1 item done",
      "      ✘ checklist_evidence_required: x: No evidence.",
      "      ✘ frozen_files (gate frozen_files): vendor/a.js must stay as it is.",
      "  b, attempt 2: TIMEOUT: Too long.",
      ""
    ])
  })

  it("given more refusals of an attempt than anybody reads, and one without end, names the first, and how many more there are", () => {
    const refusals = makeRefusals()
    for (let index = 0; index < 50; index++)
      refusals.add({
        event_type: "CHECKLIST_ITEM_REJECTED",
        content: { task_id: "a", attempt: 1, item: `i${index}`, key: "k", message: "wrong ".repeat(2_000) }
      } as never)
    const [, , ...lines] = refusals.lines(style)
    expect([lines.length, lines[20]]).toEqual([22, "      ✘ and 30 more"])
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(4_100)
  })

  it("keeps the advice at the end of a long refusal, also in the line of the run", () => {
    const message = `${"Every line of it is cited for another item too. ".repeat(9)}Cite\nless.`
    const event = {
      event_type: "CHECKLIST_ITEM_REJECTED",
      content: { task_id: "a", attempt: 1, item: "x", key: "checklist_evidence_weak", message },
      timestamp: "2026-01-01T00:00:00.000Z"
    } as never
    const refusals = makeRefusals()
    refusals.add(event)
    expect(refusals.lines(style).join("\n")).toContain("Cite less.")
    expect(eventLine(event, style)).toContain("Cite less.")
  })

  it("given refusals that an attempt before has met too, tells what is new, and how many are not", () => {
    const refusals = makeRefusals()
    const refused = (attempt: number, item: string) =>
      refusals.add({
        event_type: "CHECKLIST_ITEM_REJECTED",
        content: { task_id: "a", attempt, item, key: "k", message: "Cite less." },
        timestamp: "2026-01-01T00:00:00.000Z"
      } as never)
    for (const item of ["w", "x", "y"]) refused(1, item)
    for (const item of ["x", "y", "z"]) refused(2, item)
    for (const item of ["y", "z", "v"]) refused(3, item)
    const [, ...lines] = refusals.lines(style)
    expect(lines).toEqual([
      ...["  a, attempt 1", "      ✘ k: w: Cite less.", "      ✘ k: x: Cite less.", "      ✘ k: y: Cite less."],
      ...["  a, attempt 2", "      ✘ k: z: Cite less.", "      ✘ the same 2 refusals as in attempt 1"],
      ...["  a, attempt 3", "      ✘ k: v: Cite less.", "      ✘ the same 2 refusals as in attempts 1, 2", ""]
    ])
  })

  it("tells what attempts one after the other say alike once, with their number", () => {
    const refusals = makeRefusals()
    const refused = (attempt: number, message: string) =>
      refusals.add({
        event_type: "CHECKLIST_ITEM_REJECTED",
        content: { task_id: "a", attempt, item: "x", key: "k", message },
        timestamp: "2026-01-01T00:00:00.000Z"
      } as never)
    for (const attempt of [1, 2, 3]) refused(attempt, "Cite less.")
    refused(4, "No evidence.")
    refused(5, "Cite less.")
    expect(refusals.lines(style)).toEqual([
      "Claimed and refused:",
      ...["  a, attempts 1 to 3", "      ✘ k: x: Cite less."],
      ...["  a, attempt 4", "      ✘ k: x: No evidence."],
      ...["  a, attempt 5", "      ✘ k: x: Cite less.", ""]
    ])
    expect(refusals.attempts().length).toBe(5)
  })

  it("says why a task was skipped in words, and of an agent that cannot be started no second time why", () => {
    const skipped = { task_id: "c", reason: "dependency_not_completed", waiting_for: ["a", "b"] }
    expect(lineOf("TASK_SKIPPED", skipped)).toContain("c: skipped: it depends on a, b, which were not completed")
    const event = { type: "TASK_SKIPPED", content: skipped } as KernelEvent
    const text = runReport(stateOf(foldEvent(composition, snapshotOf(aTask("c")), event)), style, [], (words) => words)
    expect(text).toContain("      it depends on a, b, which were not completed\n")
    const waits = { task_id: "a", from: "in_progress", to: "pending", reason: "Is it installed?", retry_count: 0 }
    expect(lineOf("TASK_STATUS_CHANGED", { ...waits, delay_ms: 0 })).toMatch(/a: waits for another agent, or a resume$/)
  })

  it("says of a check that passed and does not count that it passed, and names its command once", () => {
    const check = {
      ...{ command: "cargo test", item_index: null, exit_code: 0, signal: null, timed_out: false, duration_ms: 1 },
      ...{ output: null, output_tail: "", ablation: null },
      lost_tests: [{ test: "adds", path: null, how: "vanished" }]
    }
    const failing = { ...check, command: "npm test", exit_code: 1, lost_tests: [] }
    const lineWith = (...checks: ReadonlyArray<unknown>) =>
      String(lineOf("VERIFICATION_RUN", { task_id: "a", attempt: 1, passed: false, checks, items: [] }))
    const alone = lineWith(check)
    expect(alone).toContain("a: ✘ check passed, and does not count: `cargo test` counts only with the tests")
    expect(alone.split("cargo test").length - 1).toBe(1)
    expect(alone).not.toContain("failed")
    expect(lineWith(check, failing)).toMatch(
      /a: ✘ check failed `npm test` \(exited with 1\); ✘ check passed, and does not count: `cargo test` counts/
    )
  })

  it("says of a report that was not there nothing but that, and once", () => {
    const problem = "There was no report: no report file."
    const rejected = {
      ...{ task_id: "a", attempt: 1, index: null, item: null, error: "payload_mismatch" },
      ...{ key: "checklist_items_mismatch", fields: { missing: "'Add it'", problems: problem } },
      message: `Reported checklist items don't match registered items. Missing: 'Add it'. ${problem}`
    }
    expect(lineOf("CHECKLIST_ITEM_REJECTED", rejected)).toMatch(
      /a: ✘ refused There was no report: no report file\. \[checklist_items_mismatch\]$/
    )
    const refusals = makeRefusals()
    const add = (event_type: string, content: unknown) => refusals.add({ event_type, content, stream: "r" } as never)
    add("CHECKLIST_REPORTED", { task_id: "a", attempt: 1, checklist: null, summary: "", problems: [problem] })
    add("CHECKLIST_ITEM_REJECTED", rejected)
    expect(refusals.lines(style)).toEqual(["Claimed and refused:", "  a, attempt 1", `      ✘ ${problem}`, ""])
    // a report that was read is compared with what was registered
    const { problems, ...others } = { ...rejected.fields, unknown: "'Add that'" }
    expect(lineOf("CHECKLIST_ITEM_REJECTED", { ...rejected, fields: others })).toContain("Missing: 'Add it'")
  })

  it("says in seconds how long is waited, and in words why", () => {
    const again = { task_id: "a", from: "in_progress", to: "retrying", retry_count: 1 }
    const waits = (reason: string, delay_ms: number) => lineOf("TASK_STATUS_CHANGED", { ...again, reason, delay_ms })
    expect(waits("payload_mismatch", 2_000)).toMatch(/a: again in 2 s \(retry 1: its report was refused\)$/)
    expect(waits("checks_failed", 200)).toMatch(/a: again in 0\.2 s \(retry 1: checks failed\)$/)
    expect(waits("attempt_lost", 0)).toMatch(/a: again at once \(its attempt was lost\)$/)
    const lost = { subtask_id: "a-1", loop_count: 1, retry_count: 0, delay_ms: 0, failure_reason: "attempt_lost" }
    expect(lineOf("SUBTASK_RETRY", lost)).toMatch(/a-1: again at once \(its attempt was lost\)$/)
    expect(waits("agent_quota", 10_800_000)).toMatch(/a: again in 3 h /)
  })

  it("counts no items of a task that has none of its own", () => {
    const ended = { task_id: "a", attempts: 1, proven: 0, waived: 0 }
    expect(lineOf("TASK_COMPLETED", ended)).toMatch(/a: ✔ completed after 1 attempt$/)
    expect(lineOf("TASK_COMPLETED", { ...ended, proven: 2, weak: 1 })).toMatch(
      /✔ completed after 1 attempt: 2 proven, 1 weak, as accepted, 0 waived$/
    )
  })

  it("calls a requirement weak as the end does, where what shows it was accepted though it is weak", () => {
    const criteria = [{ id: "c", verdict: "proven", by: "check", tasks: [], message: "", weak: ["check_changed"] }]
    const verifiedWith = (found: ReadonlyArray<unknown>) =>
      loopWording(
        {
          event_type: "REQUIREMENT_VERIFIED",
          content: { requirement_id: "r", verdict: "proven", criteria: found }
        } as never,
        {
          definition: { requirements: [{ id: "r", acceptance_criteria: [{ id: "c", criterion: "It adds" }] }] },
          requirements: new Map([["r", { criteria: found, opinion: null }]]),
          completed: []
        } as never,
        style
      )
    expect(verifiedWith(criteria)).toBe("requirement r: ✔ weak, as accepted (check_changed)")
    expect(verifiedWith(criteria.map(({ weak, ...one }) => one))).toBe("requirement r: ✔ proven")
  })

  it("keeps the way out at the end of a check that fails for what was changed, however many files that are", () => {
    const restored = Array.from({ length: 60 }, (_, i) => `packages/some/long/path/of/a/file/number_${i}_test.go`)
    const run = { exit_code: 1, timed_out: false, duration_ms: 1, output: null }
    const check = {
      ...{ command: "go test -vet=off -v ./...", item_index: null, exit_code: 0, signal: null, timed_out: false },
      ...{ duration_ms: 1, output: null, output_tail: "", ablation: null },
      clean_room: { run, message: "There it exits with 1.", restored, left_out: [] }
    }
    const event = {
      event_type: "VERIFICATION_RUN",
      content: { task_id: "a", attempt: 1, passed: false, checks: [check], items: [] },
      timestamp: "2026-01-01T00:00:00.000Z"
    } as never
    const refusals = makeRefusals()
    refusals.add(event)
    const wayOut =
      "Put them back, or make it pass there too. Where the change is what was asked for, the user names the file in the task, or accepts `check_changed`."
    expect(refusals.lines(style).join("\n")).toContain(wayOut)
    expect(eventLine(event, style)).toContain(wayOut)
    expect(eventLine(event, style)?.length).toBeLessThan(1_000)
  })

  it("names the tests that a check names as failed where they stand before the end of its output", () => {
    const check = {
      ...{ command: "npm test", item_index: null, exit_code: 1, signal: null, timed_out: false, duration_ms: 1 },
      ...{ output: null, output_tail: "ok 1701 last\n# fail 1\n", ablation: null, failed_tests: ["sorts keys"] }
    }
    const event = {
      event_type: "VERIFICATION_RUN",
      content: { task_id: "a", attempt: 1, passed: false, checks: [check], items: [] },
      timestamp: "2026-01-01T00:00:00.000Z"
    } as never
    const refusals = makeRefusals()
    refusals.add(event)
    const named = "it names as failed: sorts keys"
    expect([refusals.lines(style).join("\n"), eventLine(event, style)]).toEqual([
      expect.stringContaining(named),
      expect.stringContaining(named)
    ])
  })

  it("says loudly what is unproven, and how to go on", () => {
    const failed: KernelEvent = {
      type: "TASK_FAILED",
      content: { task_id: "a", attempts: 1, verdict: "unproven", reason: "no_reviewer", message: "Nobody judged it." }
    }
    const text = runReport(
      stateOf(foldEvent(composition, snapshotOf(aTask("a")), failed)),
      style,
      [],
      (words) => `proofline ${words}`
    )
    expect(text).toContain("UNPROVEN: a.")
    expect(text).toContain("proofline resume run_1")
  })

  it("has a line for every summary event and none for the rest", () => {
    const line = (event_type: string, content: unknown) =>
      eventLine({ event_type, content, timestamp: "2026-01-01T10:11:12.000Z" } as never, style)
    expect(line("RUN_CANCELLED", { reason: "interrupted" })).toBe("10:11:12 run cancelled: interrupted")
    expect(line("TASK_REGISTERED", { task_id: "a" })).toBeNull()
  })
})

describe("settings", () => {
  it("come from the command line before the tasks file before proofline.yaml before the defaults", () => {
    const agents = { builder: { command: "build" } }
    const config = Result.getOrThrow(
      resolveConfig(
        { max_retries: 7 },
        [
          { max_retries: 1, workers: 2, agent: "builder" },
          { max_retries: 3, timeout_ms: 5 }
        ],
        agents
      )
    )
    expect(config).toMatchObject({
      max_retries: 7,
      workers: 2,
      timeout_ms: 5,
      retry_delay_ms: 2_000,
      agent: "builder",
      agents
    })
  })

  it("given a step, then it is of one invocation: a resume without it goes on to the end, with as many workers", () => {
    const of = (flags: RunFlags, before: RunConfig = defaultRunConfig) =>
      Result.getOrThrow(resolveConfig({ agent_command: "a", ...flags }, [{ workers: 3 }], {}, before))
    const stepped = of({ step: true })
    expect([stepped.budget.max_calls, workersOf(stepped), stepped.workers]).toEqual([1, 1, 3])
    for (const flags of [{}, { step: false }]) {
      const resumed = of(flags, stepped)
      expect([resumed.budget.max_calls, workersOf(resumed)]).toEqual([null, 3])
    }
  })

  it("accept what proofline.yaml and the command line name", () => {
    const of = (flags: ProofFlags, accept?: ReadonlyArray<WeakReason>) =>
      judgedBy(defaultRunConfig, { evidence: {}, proof: accept === undefined ? null : { accept } }, flags).proof
    expect(of({})).toEqual(defaultProof)
    expect(of({ accept: ["untouched", "was_green"], max_waived: 0.5 }, ["ignored", "untouched"])).toEqual({
      accept: ["ignored", "untouched", "was_green"],
      max_waived: 0.5
    })
  })

  it("ask the working agent to review unless somebody is named or nobody wanted", () => {
    const of = (flags: object, files: object = {}) => {
      const { agents, reviewer, reviewer_named } = Result.getOrThrow(
        resolveConfig({ agent_command: "a", ...flags }, [files], {})
      )
      return { agents: Object.keys(agents), reviewer, reviewer_named }
    }
    expect(of({})).toEqual({ agents: ["command"], reviewer: "command", reviewer_named: false })
    expect(of({ reviewer: "none" })).toEqual({ agents: ["command"], reviewer: null, reviewer_named: true })
    expect(of({ reviewer: "claude" })).toEqual({
      agents: ["command", "claude"],
      reviewer: "claude",
      reviewer_named: true
    })
    expect(of({ reviewer_command: "r" })).toEqual({
      agents: ["command", "reviewer"],
      reviewer: "reviewer",
      reviewer_named: true
    })
    expect(of({}, { reviewer: null })).toEqual({ agents: ["command"], reviewer: null, reviewer_named: true })
  })
})

describe("a selection", () => {
  const tasks = [aTask("a"), aTask("b", { depends_on: ["a"] }), aTask("c", { depends_on: ["b", "a"] })]
  it("keeps the order of the file and names what it takes as completed", () => {
    const of = (options: object) =>
      Result.map(select(tasks, options), ({ assumed, tasks }) => [tasks.map((task) => task.id), assumed])
    expect(Result.getOrThrow(of({}))).toEqual([["a", "b", "c"], []])
    expect(Result.getOrThrow(of({ from: "b" }))).toEqual([["b", "c"], ["a"]])
    expect(Result.getOrThrow(of({ only: "c, b" }))).toEqual([["b", "c"], ["a"]])
    expect(Result.isFailure(of({ only: "d" }))).toBe(true)
  })
})

describe("whether parts stop at the first failure", () => {
  const told = (flags: RunFlags, files: object, sections: ReadonlyArray<object>) =>
    Result.getOrThrow(resolveChunking(defaultRunConfig, flags, files, sections)).chunking.fail_fast

  it("is as the run says where nothing is said of parts, and else as is said of them, the command line last", () => {
    expect(told({}, {}, [])).toBe(false)
    expect(told({}, { fail_fast: true }, [])).toBe(true)
    expect(told({}, { fail_fast: true }, [{ fail_fast: false }])).toBe(false)
    expect(told({}, {}, [{ fail_fast: false }, { fail_fast: true }])).toBe(true)
    expect(told({ fail_fast: true }, {}, [{ fail_fast: false }])).toBe(true)
  })

  it("is changed by a resume with the run, but in runs of before, where the run decides for both", () => {
    const now = Result.getOrThrow(resolveChunking(defaultRunConfig, {}, {}, []))
    expect(failingAs(now, { fail_fast: true })).toMatchObject({ fail_fast: true, chunking: { fail_fast: true } })
    expect(failingAs(now, {})).toEqual(now)
    expect(failingAs(defaultRunConfig, { fail_fast: true })).toMatchObject({
      fail_fast: true,
      chunking: { fail_fast: false }
    })
  })
})

describe("what is logged while a command is at work", () => {
  const logged = async (log: Effect.Effect<void>): Promise<string> => {
    const texts: Array<string> = []
    const logger = Logger.make((options) => void texts.push(loggedText({ ...options, date: new Date(3_600_000) })))
    await Effect.runPromise(Effect.provideService(log, Logger.CurrentLoggers, new Set([logger])))
    return texts.join("")
  }

  it("is written as the other lines are: the time, what it is, and the sentence", async () => {
    expect(await logged(Effect.logWarning("The log is away."))).toBe("01:00:00 warning: The log is away.\n")
    expect(await logged(Effect.logError("It failed.", "Why."))).toBe("01:00:00 error: It failed.\nWhy.\n")
    expect(await logged(Effect.logInfo("It began."))).toBe("01:00:00 info: It began.\n")
    const fault = await logged(Effect.logError("It failed.", Cause.fail(new Error("the disk"))))
    expect(fault).toMatch(/^01:00:00 error: It failed\.\nError: the disk/)
  })
})
