import {
  composePlugins,
  defaultProof,
  emptySnapshot,
  foldEvent,
  foldHistory,
  foldProgress,
  foldReceipts,
  isWorkedOn,
  makeManifest,
  makeSummaries,
  noHistory,
  noProgress,
  noReceipts,
  type ProofConfig,
  progressOf,
  proofOf,
  type RunSummary,
  receiptsOf,
  rootsOf,
  rowProof,
  rowVerdict,
  runRowNow,
  shownRowStatus,
  standingText,
  taskRowsOf,
  tasksOf,
  unlimited
} from "@proofline/kernel"
import { acceptsWeak } from "@proofline/kernel/testing"
import { type JudgedReceipt, proofNow, verificationOf } from "@proofline/plugins/policies/evidence"
import { loopOf, requirementsRules } from "@proofline/plugins/policies/requirements"
import { sessionsRules } from "@proofline/plugins/policies/sessions/rules"
import { HashMap } from "effect"
import { describe, expect, it } from "vitest"
import { runData } from "../../packages/cli/src/documents/run.ts"
import { stateOf } from "../../packages/cli/src/project/state.ts"
import { summarizers } from "../../packages/cli/src/project/storage.ts"
import { statusCode, statusData } from "../../packages/cli/src/quick/status.ts"
import { exitCodeOf } from "../../packages/cli/src/reading/oneRun.ts"
import { traceOf } from "../../packages/cli/src/reading/traceability.ts"
import { runReport } from "../../packages/cli/src/render/report.ts"
import { styleFor } from "../../packages/cli/src/render/style.ts"
import { summaryLine } from "../../packages/cli/src/render/summaryLine.ts"
import { runTree } from "../../packages/cli/src/render/tree.ts"
import { viewOf } from "../../packages/plugins/src/frontends/http/rows.ts"
import { proofBody } from "../../packages/plugins/src/operations/excerpts.ts"
import { runBody, runsBody, subtasksBody } from "../../packages/plugins/src/policies/oversight/overviews.ts"
import { labelOf as treeLabel } from "../../packages/ui/src/fold/label.ts"
import { randomHistory } from "../kernel/support/histories.ts"
import { judge } from "../kernel/support/judge.ts"
import { forSeeds, type Random } from "../kernel/support/random.ts"
import { digest, recordedOf } from "../kernel/support/recorded.ts"
import { often } from "../often.ts"

const plugins = [judge, sessionsRules, requirementsRules]
const composition = composePlugins(plugins)
const manifest = makeManifest(composition)
const { summarize } = makeSummaries(summarizers)

const proofs: ReadonlyArray<ProofConfig> = [acceptsWeak, defaultProof, { accept: [], max_waived: 1 }]

/** A run as every front-end would find it in its log. */
const played = (random: Random) => {
  const history = randomHistory(random, {
    plugins,
    wild: false,
    commands: 20 + random.below(80),
    chunks: random.chance(0.3),
    config: {
      proof: random.pick(proofs),
      reviewer: "critic",
      reviewer_named: random.chance(0.5),
      budget: random.chance(0.15) ? { ...unlimited, max_attempts: 1 + random.below(3) } : unlimited
    }
  })
  const log = recordedOf(
    composition,
    history.taken.map(({ step }) => step.events)
  )
  let [snapshot, seen] = [emptySnapshot(composition), noHistory]
  let [progress, receipts] = [noProgress(composition), noReceipts(composition)]
  let summary: RunSummary | null = null
  for (const recorded of log) {
    const event = manifest.decode(recorded, () => snapshot)
    snapshot = foldEvent(composition, snapshot, event)
    seen = foldHistory(seen, recorded, event)
    progress = foldProgress(composition, progress, recorded, event)
    receipts = foldReceipts(composition, receipts, recorded, event)
    summary = summarize(summary, recorded)
  }
  if (summary === null) throw new Error("There is no run.")
  const state = stateOf(snapshot)
  return {
    state,
    seen,
    loop: loopOf(snapshot),
    progress: progressOf(progress),
    receipts: receiptsOf(receipts, digest.sha256),
    summary
  }
}

type Played = ReturnType<typeof played>

/** Every receipt holds, as right after the run. */
const judgedOf = ({ receipts }: Played): ReadonlyArray<JudgedReceipt> =>
  receipts.receipts.map((item) => ({ item, status: "proven", now: item.evidence, reason: "", gone: false }))

const reported = (run: Played) => {
  const { loop, receipts, state } = run
  const none = { checks: new Map(), looked: new Map(), verified: new Map(), outputs: new Map() }
  const at = { started_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:00.000Z", ended_at: null }
  const record = { run_id: state.run.run_id, state, loop, receipts, ...at, ...none }
  return traceOf(record, [record], new Map(), proofNow(judgedOf(run), receipts))
}

const verified = (run: Played) => {
  const { run_status, ...data } = verificationOf({
    receipts: run.receipts,
    chain: null,
    keptHead: null,
    signature: null,
    ref: null,
    judged: judgedOf(run)
  })
  return { ...data, status: run_status }
}

/** What all of them say alike. */
const saidBy = ({ counts, status, verdict, weak }: Readonly<Record<string, unknown>>, of: object) => ({
  status,
  verdict,
  weak,
  counts: Object.fromEntries(Object.keys(of).map((key) => [key, (counts as Record<string, number>)[key]]))
})

describe("given any run", () => {
  it("every front-end says the same status, verdict and counts of it, and exits with 0 for what is proven alone", () => {
    const seen = new Set<string>()
    // fewer do not show every way in which a run ends
    forSeeds(Math.max(100, often(400)), (random) => {
      const run = played(random)
      const { progress, state, summary } = run
      const { counts } = proofOf(state)
      const row = { ...summary, driver: null }
      const proof = rowProof(row) ?? progress
      const said = saidBy(runData(state), counts)
      const shown = [{ run: row, proof }]
      const { runs, ...together } = statusData(shown)
      for (const [name, data] of Object.entries({
        "status RUN": progress,
        status: runs[0],
        "status together": { ...together, status: said.status },
        report: reported(run),
        verify: verified(run),
        http: viewOf(summary, [], { state, history: run.seen, asked_at: HashMap.empty() }),
        get_run: runBody(state)
      })) {
        expect(saidBy(data as never, counts), name).toEqual(said)
      }
      // of the rows of lists only what is known without the events
      if (rowProof(summary) !== null) {
        expect(rowProof(summary)).toEqual(proofOf(state))
        expect(runsBody([summary], 1)["runs"]).toMatchObject([{ status: said.status, ...proofBody(proofOf(state)) }])
      }
      expect([said.verdict, null]).toContain(rowVerdict(summary))
      expect(summaryLine(summary)).toContain(shownRowStatus(summary))
      const long = { ...summary, name: "n".repeat(2_000) }
      expect(summaryLine(long)).toContain(long.name)
      expect(summaryLine({ ...summary, name: "a\u001b[31mb\u202e" })).toContain(" ab\\u{202e}")
      expect(summaryLine(long, 1_500)).toHaveLength(1_500)
      expect(summaryLine(long, 20)).toMatch(/ n{19}…/)
      const [, items] = /\/(\d+) items\]/.exec(summaryLine(summary)) ?? []
      // what a part does not show any more is asked of the whole once more
      if (items !== undefined && tasksOf(state).every(({ parent_task_id }) => parent_task_id === null)) {
        expect(Number(items)).toBe(runRowNow(summary, state).items_total)
      }
      expect(shownRowStatus(summary)).toBe(said.status)
      const words = runReport(state, styleFor(false), [], (text) => text)
      expect(words).toContain(`\n${standingText(String(said.status), proofOf(state))}\n`)

      const isProven = said.verdict !== "unproven"
      expect(exitCodeOf(state) === 0, "run and resume").toBe(isProven)
      expect(statusCode(shown) === 0, "status").toBe(isProven)
      expect(reported(run).proven, "report").toBe(isProven)
      expect(proofNow(judgedOf(run), run.receipts).verdict !== "unproven", "verify").toBe(isProven)
      if (isProven) expect(state.run.status).toBe("completed")
      seen.add(`${said.status} ${said.verdict}`)
    })
    // the die has shown enough of them
    for (const one of [
      "completed proven",
      "completed weak",
      "completed reviewed",
      "failed unproven",
      "stopped unproven",
      "running unproven"
    ]) {
      expect([...seen]).toContain(one)
    }
  })

  it("what does not hold any more is no proof, and is counted as stale", () => {
    forSeeds(often(60), (random) => {
      const run = played(random)
      const judged = judgedOf(run)
      const lost = judged.map((one, i) => (i === 0 ? { ...one, status: "stale" as const } : one))
      const [before, after] = [proofNow(judged, run.receipts), proofNow(lost, run.receipts)]
      if (judged.length === 0) return expect(after).toEqual(before)
      expect(after.verdict).toBe("unproven")
      expect(after.counts.stale).toBe(before.counts.stale + 1)
      const all = (counts: object) => Object.values(counts).reduce((sum, count) => sum + count, 0)
      expect(all(after.counts)).toBe(all(before.counts))
    })
  })

  it("every front-end says the same of each task, and that nobody works on any when the run has ended", () => {
    let left = 0
    forSeeds(Math.max(60, often(200)), (random) => {
      const run = played(random)
      const { progress, state } = run
      const rows = new Map(taskRowsOf(state, run.seen).map(({ status, task_id }) => [task_id, status]))
      // biome-ignore lint/suspicious/noExplicitAny: documents of any shape
      const tasksIn = (tasks: any): ReadonlyArray<readonly [string, string]> =>
        // biome-ignore lint/suspicious/noExplicitAny: documents of any shape
        (tasks ?? []).flatMap(({ id, status, subtask_id, subtasks, task_id }: any) => [
          [subtask_id ?? task_id ?? id, status],
          ...(Array.isArray(subtasks) ? tasksIn(subtasks) : [])
        ])
      for (const [name, tasks] of Object.entries({
        run: runData(state).tasks,
        show: reported(run).tasks,
        get_run: runBody(state)["tasks"],
        get_subtasks: rootsOf(state).flatMap((task) => {
          const body = subtasksBody(state, task)
          return [body["task"], ...(body["subtasks"] as ReadonlyArray<object>)]
        })
      })) {
        for (const [id, status] of tasksIn(tasks)) expect([id, status], name).toEqual([id, rows.get(id)])
      }
      const words = [
        runTree(state, styleFor(false), 100).slice(1).join("\n"),
        ...tasksOf(state).map((task) => treeLabel(state, task))
      ]
      if (state.run.status === "running") return
      const isLeft = tasksOf(state).some(isWorkedOn)
      left += Number(isLeft)
      for (const status of rows.values()) expect(["in_progress", "retrying"]).not.toContain(status)
      for (const { outcome, status, subtasks } of progress.chunked_tasks) {
        expect(["COMPLETE", "FAILED"]).toContain(status)
        expect(outcome === undefined).toBe(status === "COMPLETE")
        for (const part of subtasks) expect(["RUNNING", "RETRYING"]).not.toContain(part.status)
      }
      for (const { reason, status } of progress.queue) {
        expect(status).not.toBe("RUNNING")
        expect(reason === undefined).toBe(status !== "ERROR")
      }
      for (const text of words) expect(text).not.toMatch(/RUNNING|Running|Retrying|in progress|retrying/)
    })
    expect(left, "runs that ended with something under way").toBeGreaterThan(0)
  })
})
