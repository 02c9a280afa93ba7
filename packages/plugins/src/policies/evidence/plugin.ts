import {
  type Baseline,
  type Batch,
  type Command,
  type Digest,
  definePlugin,
  type KernelEvent,
  type Plugin,
  type PluginCommand,
  type RecordEvidence,
  type Rejection,
  reject,
  type State,
  type Syntax,
  taskOf,
  type Workplaces,
  type Workspace
} from "@proofline/kernel"
import { Effect, Result } from "effect"
import { makeEvidenceActivity } from "./activities.ts"
import { judge } from "./judge.ts"
import { originalFinding } from "./original.ts"
import { findingOf, type Rule } from "./range.ts"
import { citedElsewhere } from "./weakness.ts"

export { type EvidenceVerdict, judgeEvidence } from "./fault.ts"
export { type Look, makeLook, makeRelocate } from "./look.ts"
export {
  findElsewhere,
  judgeReceipt,
  mayHold,
  type ReceiptJudgement,
  type ReceiptStatus,
  type SourceFile,
  sourceFileOf
} from "./receipts.ts"
export { placeholders, type Templates } from "./rejections.ts"

/**
 * Accepts a checklist item only with evidence that holds. The activity `evidence` reads what a report cites and records
 * it; the verdict follows from what was recorded, so a replay comes to it again without a disk.
 */
const evidenceBy = (
  name: string,
  version: string,
  rule: Rule
): Effect.Effect<Plugin, never, Workplaces | Workspace | Digest | Syntax | Baseline> =>
  Effect.map(makeEvidenceActivity(rule), (activity) =>
    definePlugin<null>({
      name,
      version,
      initial: null,
      commands: ["RecordEvidence"],
      writes: ["EVIDENCE_CHECKED", "CHECKLIST_ITEM_ACCEPTED", "CHECKLIST_ITEM_REJECTED", "CHECKLIST_COMPLETED"],
      decide,
      recall: { EVIDENCE_CHECKED: commandOf },
      activities: { evidence: activity }
    })
  )

/** Judges by syntax trees, and by the text where there is none. */
export const evidence = evidenceBy("evidence", "3", findingOf)

/** Judges by the five patterns of the beginning; in place of `evidence`, to compare what each of them accepts. */
export const evidenceRegex = evidenceBy("evidence-regex", "2", originalFinding)

const decide = (
  command: Command | PluginCommand,
  state: State
): Result.Result<ReadonlyArray<KernelEvent>, Rejection> =>
  command._tag === "RecordEvidence"
    ? decideEvidence(command, state)
    : Result.fail(
        reject(
          "command_unowned",
          `The evidence policy does not decide ${command._tag}.`,
          "Ask the plugin that owns it."
        )
      )

const decideEvidence = (
  { attempt, facts, task_id }: RecordEvidence,
  state: State
): Result.Result<ReadonlyArray<KernelEvent>, Rejection> => {
  const task = taskOf(state, task_id)
  const current = task?.current
  if (
    task?.status !== "in_progress" ||
    current?.attempt !== attempt ||
    current.cancelled ||
    current.outcome === null ||
    current.facts !== null
  ) {
    return Result.fail(
      reject(
        "attempt_not_current",
        `Attempt ${attempt} of task ${task_id} does not wait for its evidence to be judged.`,
        "Drop this result."
      )
    )
  }
  const about = { task_id, attempt }
  const { accepted, failures } = judge(task, current.report, facts, state.config.messages, {
    strict: state.config.evidence.strict,
    elsewhere: citedElsewhere(state, task_id)
  })
  const proven = accepted.filter(({ verdict }) => verdict === "proven").length
  // nothing registered is nothing shown: 0 of 0 completes no checklist
  const complete = failures.length === 0 && task.items.length > 0 && accepted.length === task.items.length
  return Result.succeed([
    { type: "EVIDENCE_CHECKED", content: { ...about, facts } },
    ...accepted.map((item): KernelEvent => ({ type: "CHECKLIST_ITEM_ACCEPTED", content: { ...about, ...item } })),
    ...failures.map((failure): KernelEvent => ({ type: "CHECKLIST_ITEM_REJECTED", content: { ...about, ...failure } })),
    ...(complete
      ? [
          {
            type: "CHECKLIST_COMPLETED",
            content: { ...about, proven, waived: accepted.length - proven }
          } satisfies KernelEvent
        ]
      : [])
  ])
}

const commandOf = (batch: Batch): RecordEvidence => {
  const { attempt, facts, task_id } = batch[0].content as Omit<RecordEvidence, "_tag">
  return { _tag: "RecordEvidence", task_id, attempt, facts }
}
