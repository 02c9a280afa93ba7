import { HashMap, Option, Schema } from "effect"
import { originOf, type Recorded } from "../base/Recorded.ts"
import { asKernelEvent, type KernelEvent, kernelStateOf } from "../composition.ts"
import type { Composition, Snapshot } from "../core/compose.ts"
import type { AnyEvent } from "../core/contract.ts"
import { foldEvent } from "../core/step.ts"
import { isInWorktree } from "../modules/chunking/state.ts"
import { RunProof, Verdict } from "../modules/run/obligations.ts"
import { kindOf } from "../modules/run/points.ts"
import { isShown } from "../modules/run/verdicts.ts"
import { Census, type CheckRun, TestChange } from "../modules/tasks/CheckRun.ts"
import { hasPassed, isGreen } from "../modules/tasks/checks.ts"
import { Receipt, ReviewCheck, Weakness } from "../modules/tasks/Report.ts"
import { TaskStatus } from "../modules/tasks/schemas.ts"
import { type HasTasks, type ItemState, ownItemsOf, type TaskState, taskOf, tasksOf } from "../modules/tasks/state.ts"
import type { Digest } from "../port/Digest.ts"
import { proofOf } from "./Proof.ts"
import { asItStands, shownStatus } from "./Standing.ts"

/** Where an event stands in the log. `hash` covers the event and, through the chain, all before it in the run. */
export const EventRef = Schema.Struct({
  /** Place in the run, from 1. */
  version: Schema.Int,
  /** Place in the whole log in which it was written first, from 1. */
  position: Schema.Int,
  hash: Schema.String
})
export type EventRef = typeof EventRef.Type

/** What decides about a command beside its exit code. */
export const decidingFields = {
  /** Of the run that decides: in the clean room where there is one. Left out: no runner reported tests. */
  census: Schema.optionalKey(Census),
  /** Whether it passed in the clean room; null: the user has turned it off. Left out: it was not run there. */
  clean_room: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  /** Tests that are not what they were before the run. Left out: none. */
  changed_tests: Schema.optionalKey(Schema.Array(TestChange))
} as const

/** A command that was run to verify the attempt in which the item was accepted. */
export const VerifierRun = Schema.Struct({
  argv: Schema.Array(Schema.String),
  /** Index of the checklist item it was run for; null: for the whole task. */
  item_index: Schema.NullOr(Schema.Int),
  /** Null: ended by a signal, or not started. */
  exit_code: Schema.NullOr(Schema.Int),
  timed_out: Schema.Boolean,
  /** Of everything it printed; null when that was not kept. */
  output_sha256: Schema.NullOr(Schema.String),
  passed: Schema.Boolean,
  /** Whether the cited lines bear it; null: not asked for. */
  ablation: Schema.NullOr(Schema.Literals(["load_bearing", "vacuous", "unproven"])),
  ...decidingFields
})
export type VerifierRun = typeof VerifierRun.Type

/** All that stands behind one checklist item that was accepted as proven. */
export const ItemReceipt = Schema.Struct({
  /** The task run it comes from, whose events are meant; left out: the run itself. */
  run_id: Schema.optionalKey(Schema.String),
  task_id: Schema.String,
  task_title: Schema.String,
  /** False: the item holds, but the task it belongs to was not completed. */
  task_completed: Schema.Boolean,
  /** What its subtask did is in the worktree of that and not in the project, until its parts are put together. Left out: no. */
  in_worktree: Schema.optionalKey(Schema.Literal(true)),
  /** Counts the task's checklist from 0. */
  item_index: Schema.Int,
  item: Schema.String,
  /**
   * SHA-256 of the canonical JSON (RFC 8785) of the item as it was asked for: `item`, and `check`, `existing`, `ablation` and
   * `covers` where it has them. Left out in exports of before it was said.
   */
  item_sha256: Schema.optionalKey(Schema.String),
  /**
   * In a requirements run: the acceptance criteria it counts for, with the SHA-256 of the canonical JSON of `check`,
   * `criterion` and `verify` of each.
   */
  criteria: Schema.optionalKey(Schema.Array(Schema.Struct({ id: Schema.String, sha256: Schema.String }))),
  attempt: Schema.Int,
  /** Who did the work, as it is named in the configuration; null when the log does not say. */
  agent: Schema.NullOr(Schema.String),
  /** As it was reported. */
  evidence: Schema.String,
  receipt: Receipt,
  /** Left out in exports of before it was said: proven. */
  verdict: Schema.optionalKey(Verdict),
  weak: Schema.Array(Weakness),
  verifier_runs: Schema.Array(VerifierRun),
  /** The judgement of the attempt; null: nobody reviewed it. */
  review: Schema.NullOr(
    Schema.Struct({
      reviewer: Schema.String,
      judgment: Schema.Literals(["PASS", "REJECT", "RETRY"]),
      checks: Schema.Array(ReviewCheck)
    })
  ),
  events: Schema.Struct({
    checklist_item_accepted: EventRef,
    evidence_checked: Schema.NullOr(EventRef),
    verification_run: Schema.NullOr(EventRef),
    quality_judgment: Schema.NullOr(EventRef),
    task_completed: Schema.NullOr(EventRef)
  })
})
export type ItemReceipt = typeof ItemReceipt.Type

const ItemRef = { task_id: Schema.String, item_index: Schema.Int, item: Schema.String }

/** The receipts of a run, and what has none. */
export const RunReceipts = Schema.Struct({
  run_id: Schema.String,
  name: Schema.String,
  status: Schema.Literals(["none", "running", "completed", "incomplete", "failed", "stopped", "cancelled"]),
  /** What the run has shown; left out where nothing here knows its kind, and in exports of before it was said. */
  proof: Schema.optionalKey(RunProof),
  /** HEAD when the run began; null outside a repository and when nobody looked. */
  base_commit: Schema.NullOr(Schema.String),
  /** Where the log ended when it was read; null for an empty one. */
  head: Schema.NullOr(Schema.Struct({ version: Schema.Int, hash: Schema.String })),
  receipts: Schema.Array(ItemReceipt),
  /** Items that were left out, with the reason that was accepted. */
  waived: Schema.Array(Schema.Struct({ ...ItemRef, reason: Schema.String })),
  /** Items that are neither proven nor waived. */
  open: Schema.Array(Schema.Struct({ ...ItemRef, task_status: TaskStatus }))
})
export type RunReceipts = typeof RunReceipts.Type

/** What is known of a run's receipts after some of its events. */
export interface ReceiptsFold {
  readonly snapshot: Snapshot
  readonly head: EventRef | null
  readonly tasks: HashMap.HashMap<string, TaskEvents>
}

/** What happened to a task since its evidence was last looked at. */
interface TaskEvents {
  readonly evidence_checked: EventRef | null
  readonly verification: Found<"VERIFICATION_RUN"> | null
  readonly judgment: Found<"QUALITY_JUDGMENT"> | null
  readonly completed: EventRef | null
  readonly accepted: HashMap.HashMap<number, Accepted>
}

interface Found<T extends KernelEvent["type"]> {
  readonly ref: EventRef
  readonly content: Extract<KernelEvent, { readonly type: T }>["content"]
}

interface Accepted {
  readonly ref: EventRef
  readonly attempt: number
  readonly agent: string | null
}

export const noReceipts = ({ initial }: Composition): ReceiptsFold => ({
  snapshot: initial,
  head: null,
  tasks: HashMap.empty()
})

const nothingYet: TaskEvents = {
  evidence_checked: null,
  verification: null,
  judgment: null,
  completed: null,
  accepted: HashMap.empty()
}

/** Folds one event of a run. `event` is what the manifest makes of it; null: of a type that is not the kernel's. */
export const foldReceipts = (
  composition: Composition,
  fold: ReceiptsFold,
  recorded: Recorded,
  event: AnyEvent | null
): ReceiptsFold => {
  const { hash, version } = recorded
  const ref: EventRef = { version, position: originOf(recorded), hash }
  if (event === null) return { ...fold, head: ref }
  const snapshot = foldEvent(composition, fold.snapshot, event)
  const change = changeOf(asKernelEvent(event), ref, kernelStateOf(snapshot))
  if (change === null) return { ...fold, snapshot, head: ref }
  const after = change.to(eventsOf(fold.tasks, change.task_id))
  return { snapshot, head: ref, tasks: HashMap.set(fold.tasks, change.task_id, after) }
}

const eventsOf = (tasks: ReceiptsFold["tasks"], id: string): TaskEvents =>
  Option.getOrElse(HashMap.get(tasks, id), () => nothingYet)

interface Change {
  readonly task_id: string
  readonly to: (events: TaskEvents) => TaskEvents
}

const changeOf = ({ content, type }: KernelEvent, ref: EventRef, state: HasTasks): Change | null => {
  switch (type) {
    // judged anew, as the state does
    case "EVIDENCE_CHECKED":
      return { task_id: content.task_id, to: () => ({ ...nothingYet, evidence_checked: ref }) }
    case "CHECKLIST_ITEM_ACCEPTED": {
      const current = taskOf(state, content.task_id)?.current
      const agent = current?.attempt === content.attempt ? current.agent : null
      const accepted = { ref, attempt: content.attempt, agent }
      return {
        task_id: content.task_id,
        to: (events) => ({ ...events, accepted: HashMap.set(events.accepted, content.index, accepted) })
      }
    }
    case "VERIFICATION_RUN":
      return { task_id: content.task_id, to: (events) => ({ ...events, verification: { ref, content } }) }
    case "QUALITY_JUDGMENT":
      return { task_id: content.task_id, to: (events) => ({ ...events, judgment: { ref, content } }) }
    case "SUBTASK_COMPLETE":
      return { task_id: content.subtask_id, to: (events) => ({ ...events, completed: ref }) }
    case "TASK_COMPLETED":
      return { task_id: content.task_id, to: (events) => ({ ...events, completed: ref }) }
    default:
      return null
  }
}

/** The receipts as they stand after the last event that was folded. */
export const receiptsOf = (
  { head, snapshot, tasks }: ReceiptsFold,
  sha256: Digest["Service"]["sha256"]
): RunReceipts => {
  const state = kernelStateOf(snapshot)
  const items = tasksOf(state).flatMap((task) =>
    ownItemsOf(task).map(([item_index, item]) => ({
      task,
      item,
      ref: { task_id: task.spec.id, item_index, item: item.item }
    }))
  )
  const receipts = items.flatMap(({ item, ref, task }) => {
    const receipt = itemReceipt(task, item, ref.item_index, eventsOf(tasks, task.spec.id), sha256)
    if (receipt === null) return []
    return [isInWorktree(state, task) ? { ...receipt, in_worktree: true as const } : receipt]
  })
  const shown = new Set(receipts.map(({ item_index, task_id }) => `${item_index} ${task_id}`))
  return {
    run_id: state.run.run_id,
    name: state.run.name,
    status: shownStatus(state.run),
    ...(kindOf(state) === undefined ? {} : { proof: proofOf(state) }),
    base_commit: state.run.base?.commit ?? null,
    head: head === null ? null : { version: head.version, hash: head.hash },
    receipts,
    waived: items.flatMap(({ item, ref }) =>
      item.verdict === "waived" ? [{ ...ref, reason: item.reason ?? "" }] : []
    ),
    // also an item that is called proven and has nothing to show for it
    open: items.flatMap(({ item, ref, task }) =>
      item.verdict === "waived" || shown.has(`${ref.item_index} ${ref.task_id}`)
        ? []
        : [{ ...ref, task_status: asItStands(state.run, task).status }]
    )
  }
}

/**
 * The receipts of a requirements run: of its task runs those on which its verdicts rest, `tasks` by id. What another task
 * has shown anew since, or was not completed, is not claimed.
 */
export const withTaskRuns = (
  whole: RunReceipts,
  taskRuns: ReadonlyArray<RunReceipts>,
  tasks: ReadonlySet<string>
): RunReceipts => {
  const receipts = taskRuns.flatMap(({ receipts: own, run_id }) =>
    own.flatMap((receipt) => (receipt.task_completed && tasks.has(receipt.task_id) ? [{ run_id, ...receipt }] : []))
  )
  const completed = new Set(receipts.map(({ task_id }) => task_id))
  return {
    ...whole,
    receipts,
    waived: taskRuns.flatMap(({ waived }) => waived.filter(({ task_id }) => completed.has(task_id)))
  }
}

/** What the run in the clean room says beside the exit code. */
export const deciding = ({ census: own, changed_tests, clean_room, lost_tests }: CheckRun) => {
  const census = clean_room?.with_new?.run?.census ?? clean_room?.run?.census ?? own
  const tests = [...(lost_tests ?? []), ...(changed_tests ?? [])]
  return {
    ...(census === undefined ? {} : { census }),
    ...(clean_room === undefined ? {} : { clean_room: clean_room === null ? null : isGreen(clean_room) }),
    ...(tests.length === 0 ? {} : { changed_tests: tests })
  }
}

/** What was asked for as canonical JSON (RFC 8785): nothing but texts and truth values, keys sorted. */
const askedFor = ({ ablation, check, covers, existing, item }: ItemState): string =>
  JSON.stringify({ ablation, check, covers, existing, item })

const itemReceipt = (
  task: TaskState,
  item: ItemState,
  index: number,
  events: TaskEvents,
  sha256: Digest["Service"]["sha256"]
): ItemReceipt | null => {
  const accepted = Option.getOrUndefined(HashMap.get(events.accepted, index))
  if (!isShown(item.verdict) || item.receipt === null || accepted === undefined) return null
  const { attempt } = accepted
  const verification = events.verification?.content.attempt === attempt ? events.verification : null
  const judgment = events.judgment?.content.attempt === attempt ? events.judgment : null
  const isCompleted = task.status === "completed"
  return {
    task_id: task.spec.id,
    task_title: task.spec.title,
    task_completed: isCompleted,
    item_index: index,
    item: item.item,
    item_sha256: sha256(askedFor(item)),
    attempt,
    agent: accepted.agent,
    evidence: item.evidence ?? "",
    receipt: item.receipt,
    verdict: item.verdict,
    weak: item.weak,
    verifier_runs: (verification?.content.checks ?? [])
      .filter(({ item_index }) => item_index === null || item_index === index)
      .map((check) => ({
        argv: ["sh", "-c", check.command],
        item_index: check.item_index,
        exit_code: check.exit_code,
        timed_out: check.timed_out,
        output_sha256: check.output?.sha256 ?? null,
        passed: hasPassed(check),
        ablation: check.ablation?.verdict ?? null,
        ...deciding(check)
      })),
    review:
      judgment === null
        ? null
        : {
            reviewer: judgment.content.reviewer,
            judgment: judgment.content.judgment,
            checks: judgment.content.checks
          },
    events: {
      checklist_item_accepted: accepted.ref,
      evidence_checked: events.evidence_checked,
      verification_run: verification?.ref ?? null,
      quality_judgment: judgment?.ref ?? null,
      task_completed: isCompleted ? events.completed : null
    }
  }
}
