import {
  type Accepted,
  type AskedItem,
  definePlugin,
  type EvidenceFact,
  heldItems,
  isLineFact,
  isWaivedByPerson,
  judges,
  type LineFact,
  type LineReceipt,
  type Plugin,
  plugin,
  RecordEvidence,
  RecordRevisit,
  type Rejected,
  Run,
  type TaskState,
  Tasks,
  taskOf
} from "@proofline/kernel"
import { Effect, Schema } from "effect"

export const receipt: LineReceipt = {
  kind: "lines",
  path: "src/a.ts",
  start: 1,
  end: 2,
  sha256: "a".repeat(64),
  git_blob: null,
  git_commit: null,
  covers: { start: 1, end: 2, sha256: null },
  declaration: { name: "add", kind: "function", start: 1, end: 3, hash: "b".repeat(64) }
}

/** What the disk says about the evidence of item `index`. */
export const fact = (index: number, outcome: LineFact["outcome"] = "ok"): LineFact => ({
  index,
  evidence: "src/a.ts:1-2",
  outcome,
  detail: "",
  path: "src/a.ts",
  start: 1,
  end: 2,
  total: 9,
  declaration: outcome === "ok" ? (receipt.declaration?.name ?? null) : null,
  untouched: outcome === "ok" ? false : null,
  receipt: outcome === "ok" ? receipt : null
})

const Judge = plugin("judge", { state: null, after: [Run, Tasks] })

/** What the report of the current attempt and the facts come to for the item at `index`. */
const judged = (
  { current, items }: TaskState,
  index: number,
  facts: ReadonlyArray<EvidenceFact>
): Accepted | Rejected => {
  const item = items[index]?.item ?? ""
  const said = current?.report?.checklist?.find((entry) => entry.item === item)
  const found = facts.find((one) => one.index === index)
  if (said?.status === "done" && found !== undefined && isLineFact(found) && found.receipt !== null) {
    const { evidence, receipt } = found
    return { index, item, status: "done", verdict: "proven", evidence, reason: null, receipt, weak: [] }
  }
  if (said?.status === "skipped" && said.reason) {
    const { reason } = said
    return { index, item, status: "skipped", verdict: "waived", evidence: null, reason, receipt: null, weak: [] }
  }
  return {
    index,
    error: "payload_mismatch",
    key: "checklist_evidence_required",
    item,
    fields: {},
    message: `${item}: not shown.`
  }
}

type Judge = (
  task: TaskState,
  facts: ReadonlyArray<EvidenceFact>
) => {
  readonly accepted: ReadonlyArray<Accepted>
  readonly rejected: ReadonlyArray<Rejected>
  readonly cannot?: ReadonlyArray<AskedItem>
}

/** What the report says it cannot do, with a reason. */
const impossibleIn = ({ current, items }: TaskState): ReadonlyArray<AskedItem> =>
  items.flatMap(({ item }, index) => {
    const said = current?.report?.checklist?.find((entry) => entry.item === item && entry.status === "cannot")
    return said?.reason ? [{ index, item, reason: said.reason, evidence: said.evidence ?? null }] : []
  })

export const byReport: Judge = (task, facts) => {
  const cannot = impossibleIn(task)
  const all = task.items.flatMap((item, index) =>
    isWaivedByPerson(item) || cannot.some((one) => one.index === index) ? [] : [judged(task, index, facts)]
  )
  return {
    accepted: all.filter((one) => "verdict" in one),
    rejected: all.filter((one) => "error" in one),
    cannot
  }
}

const look = Judge.activity("evidence", {
  input: Schema.Struct({ task_id: Schema.String, attempt: Schema.Int }),
  run: ({ attempt, task_id }, { state }) => {
    const checklist = taskOf(state, task_id)?.current?.report?.checklist ?? []
    const facts = checklist.flatMap(({ evidence, status }, index) =>
      status === "done" ? [fact(index, evidence === "wrong" ? "file_not_found" : "ok")] : []
    )
    return Effect.succeed(RecordEvidence({ task_id, attempt, facts }))
  }
})

const lookAgain = Judge.activity("evidence_again", {
  input: Schema.Struct({ round: Schema.Int }),
  run: ({ round }, { state }) => Effect.succeed(RecordRevisit({ round, judged: heldItems(state).length, stale: [] }))
})

/** A policy that judges evidence like this; what it has accepted holds to the end. Its activity believes every report whose evidence is not the word `wrong`. */
export const judgeBy = (decide: Judge): Plugin =>
  definePlugin(Judge, {
    version: "1",
    parts: [Judge.offer(judges, "judge", { judge: (_, task, facts) => decide(task, facts) }), look, lookAgain]
  })

/**
 * A small policy that judges evidence: an item is proven when its fact is `ok`, waived when the report skips it with a
 * reason, refused otherwise.
 */
export const judge: Plugin = judgeBy(byReport)
