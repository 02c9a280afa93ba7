import {
  composePlugins,
  defaultProof,
  emptySnapshot,
  foldEvent,
  foldHistory,
  foldProgress,
  foldReceipts,
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
  rowProof,
  rowVerdict,
  shownRowStatus,
  standingText,
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
import { viewOf } from "../../packages/plugins/src/frontends/http/rows.ts"
import { proofBody } from "../../packages/plugins/src/operations/excerpts.ts"
import { runBody, runsBody } from "../../packages/plugins/src/policies/oversight/overviews.ts"
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
      const [, items] = /\/(\d+) items\]/.exec(summaryLine(summary)) ?? []
      const known = rowProof(summary)
      if (items !== undefined && known !== null) {
        expect(Number(items)).toBe(Object.values(known.counts).reduce((sum, count) => sum + count, 0))
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
})
