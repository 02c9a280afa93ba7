import {
  type Activity,
  type Command,
  definePlugin,
  type EvidenceFact,
  type KernelEvent,
  type Plugin,
  type PluginCommand,
  type Receipt,
  type RecordEvidence,
  type Rejection,
  reject,
  type State,
  taskOf
} from "@proofline/kernel"
import { Effect, Result } from "effect"

export const receipt: Receipt = {
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
export const fact = (index: number, outcome: EvidenceFact["outcome"] = "ok"): EvidenceFact => ({
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

/**
 * A small policy that judges evidence: an item is proven when its fact is `ok`, waived when the report skips it with a
 * reason, refused otherwise. Its activity believes every report whose evidence is not the word `wrong`.
 */
export const judge: Plugin = definePlugin({
  name: "judge",
  version: "1",
  initial: null,
  commands: ["RecordEvidence"],
  writes: ["EVIDENCE_CHECKED", "CHECKLIST_ITEM_ACCEPTED", "CHECKLIST_ITEM_REJECTED", "CHECKLIST_COMPLETED"],
  decide: (command, state) => decide(command as RecordEvidence, state),
  recall: {
    EVIDENCE_CHECKED: ([checked]) =>
      ({ _tag: "RecordEvidence", ...(checked.content as object) }) as Command | PluginCommand
  },
  activities: { evidence: (context) => look(context) }
})

const decide = (command: RecordEvidence, state: State): Result.Result<ReadonlyArray<KernelEvent>, Rejection> => {
  const task = taskOf(state, command.task_id)
  const current = task?.current
  if (
    task?.status !== "in_progress" ||
    current?.attempt !== command.attempt ||
    current.outcome === null ||
    current.cancelled ||
    current.facts !== null
  ) {
    return Result.fail(reject("attempt_not_current", "Nobody waits for this evidence.", "Drop it."))
  }
  const { attempt, facts, task_id } = command
  const about = { task_id, attempt }
  const items = task.items.map(({ item }, index): KernelEvent => {
    const said = current.report?.checklist?.find((entry) => entry.item === item)
    const found = facts.find((one) => one.index === index)
    if (said?.status === "done" && found?.outcome === "ok" && found.receipt !== null) {
      const { evidence, receipt } = found
      return accepted({
        ...about,
        index,
        item,
        status: "done",
        verdict: "proven",
        evidence,
        reason: null,
        receipt,
        weak: []
      })
    }
    if (said?.status === "skipped" && said.reason) {
      const { reason } = said
      return accepted({
        ...about,
        index,
        item,
        status: "skipped",
        verdict: "waived",
        evidence: null,
        reason,
        receipt: null,
        weak: []
      })
    }
    return {
      type: "CHECKLIST_ITEM_REJECTED",
      content: {
        ...about,
        index,
        error: "payload_mismatch",
        key: "checklist_evidence_required",
        item,
        fields: {},
        message: `${item}: not shown.`
      }
    }
  })
  const proven = items.filter(({ content }) => "verdict" in content && content.verdict === "proven").length
  return Result.succeed([
    { type: "EVIDENCE_CHECKED", content: { ...about, facts } },
    ...items,
    ...(items.every(({ type }) => type === "CHECKLIST_ITEM_ACCEPTED")
      ? [{ type: "CHECKLIST_COMPLETED", content: { ...about, proven, waived: items.length - proven } } as const]
      : [])
  ])
}

const accepted = (content: Extract<KernelEvent, { type: "CHECKLIST_ITEM_ACCEPTED" }>["content"]): KernelEvent => ({
  type: "CHECKLIST_ITEM_ACCEPTED",
  content
})

const look: Activity = ({ item, state }) => {
  const { attempt, task_id } = item.input as { readonly task_id: string; readonly attempt: number }
  const checklist = taskOf(state, task_id)?.current?.report?.checklist ?? []
  const facts = checklist.flatMap(({ evidence, status }, index) =>
    status === "done" ? [fact(index, evidence === "wrong" ? "file_not_found" : "ok")] : []
  )
  return Effect.succeed({ _tag: "RecordEvidence", task_id, attempt, facts })
}
