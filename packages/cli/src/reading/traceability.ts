/**
 * What stands behind a run, from its requirements down to the lines of code: built from the logs of the run and its task
 * runs, with every receipt compared with the files as they are now. No command is run again; how one ended last is told.
 */
import {
  asItStands,
  askedIn,
  begunStatus,
  type CheckRun,
  decidedBy,
  deciding,
  hasPassed,
  type ItemReceipt,
  type ItemState,
  isLineReceipt,
  isProven,
  isShown,
  permissionsIn,
  proofFields,
  type Receipt,
  type ReceiptStatus,
  type RunProof,
  stoppedFields,
  type TaskState,
  tasksOf,
  withoutLost
} from "@proofline/kernel"
import type {
  Code,
  ReportView,
  TracedCheck,
  TracedCriterion,
  TracedEvidence,
  TracedItem,
  TracedRequirement,
  TracedTask
} from "@proofline/plugins/frontends/http/api"
import type { JudgedReceipt } from "@proofline/plugins/policies/evidence"
import {
  type CriterionVerdict,
  coveredIds,
  gateOf,
  isMetBy,
  type Loop,
  linkedItems,
  type Opinion,
  type Requirement,
  spentOf
} from "@proofline/plugins/policies/requirements"
import { loopStatus } from "../documents/requirements.ts"
import type { CheckSeen, RunRecord } from "./requirementViews.ts"

type Verdict = CriterionVerdict["verdict"]
type Criterion = Requirement["acceptance_criteria"][number]

/** Where a receipt belongs: an item of a task, or a place that an opinion about a requirement cites. */
export interface Held extends Partial<Pick<ItemReceipt, "in_worktree" | "task_id">> {
  readonly receipt: Receipt
  readonly key: string
}

const itemKey = (run: string, task: string, index: number): string => `${run} ${task} ${index}`
const opinionKey = (requirement: string, index: number): string => `opinion ${requirement} ${index}`

/** What has to be compared with the disk. */
export const receiptsIn = ({ loop }: RunRecord, runs: ReadonlyArray<RunRecord>): ReadonlyArray<Held> => [
  ...runs.flatMap(({ receipts, run_id }) =>
    receipts.receipts.map(({ in_worktree, item_index, receipt, task_id }) => ({
      receipt,
      key: itemKey(run_id, task_id, item_index),
      ...(in_worktree === undefined ? {} : { in_worktree, task_id })
    }))
  ),
  ...[...loop.requirements.values()].flatMap(({ opinion, requirement_id }) =>
    (opinion?.facts ?? []).flatMap(({ receipt }, index) =>
      receipt === null ? [] : [{ receipt, key: opinionKey(requirement_id, index) }]
    )
  )
]

export interface Found {
  readonly judged: JudgedReceipt<Held>
  readonly code: Code | null
}

/** `runs` are those whose tasks are shown, the run itself where it has any; `shown`: what it has shown, as far as that holds. */
export const traceOf = (
  record: RunRecord,
  runs: ReadonlyArray<RunRecord>,
  found: ReadonlyMap<string, Found>,
  shown: RunProof
): ReportView => {
  const { loop, state } = record
  const requirements = (loop.definition?.requirements ?? []).map((one) => tracedRequirement(record, runs, found, one))
  const tasks = runs.flatMap((run) =>
    tasksOf(run.state).map((task) => tracedTask(run, task, loop, iterationOf(loop, run.run_id), found))
  )
  const gate = new Set(loop.definition === null ? [] : gateOf(loop.definition).map(({ id }) => id))
  const isLoop = loop.definition !== null
  const statuses = [...found.values()].map(({ judged }) => judged.status)
  const holding = statuses.filter(isHolding).length
  // of a requirements run that counts which its requirements rest on
  const holds = !isLoop || (gate.size > 0 && requirements.every((one) => !gate.has(one.id) || isMetBy(one)))
  const asked = runs.flatMap((one) => askedIn(one.state))
  const permissions = runs.flatMap((one) => permissionsIn(one.state))
  const stale = requirements.flatMap(({ criteria }) => criteria.filter(({ verdict }) => verdict === "stale"))
  // some were so when they were verified last
  const lost = isLoop ? stale.slice(shown.counts.stale).map((): Verdict => "proven") : []
  const left = withoutLost(shown, lost, lost.length)
  const proof = holds ? left : { ...left, verdict: "unproven" as const }
  return {
    run_id: record.run_id,
    kind: state.run.kind,
    name: state.run.name,
    status: isLoop ? loopStatus(loop, state) : begunStatus(state.run),
    run_status: begunStatus(state.run),
    ...stoppedFields(state.run),
    message: isLoop ? (loop.error ?? state.run.message) : state.run.message,
    ...(asked.length === 0 ? {} : { asked }),
    ...(permissions.length === 0 ? {} : { permissions }),
    ...proofFields(proof),
    proven: isProven(proof),
    started_at: record.started_at,
    ended_at: record.ended_at,
    input: isLoop ? { path: loop.requirements_path, sha256: loop.sha256 } : state.run.input,
    iterations: isLoop ? { current: loop.iteration, max: loop.limit } : null,
    spent: spentOf(loop, state.run),
    budget: state.run.config.budget,
    head: record.receipts.head,
    runs: runs.map((run) => ({
      run_id: run.run_id,
      iteration: iterationOf(loop, run.run_id),
      status: begunStatus(run.state.run),
      tasks_yaml_path: loop.iterations.find((one) => one.loop_c_history_id === run.run_id)?.tasks_yaml_path ?? null,
      head: run.receipts.head
    })),
    counts: {
      requirements: requirements.length,
      requirements_proven: requirements.filter(({ verdict }) => verdict === "proven").length,
      receipts: statuses.length,
      holding,
      ...proof.counts,
      missing: statuses.filter((status) => status === "missing").length
    },
    requirements,
    tasks
  }
}

const isHolding = (status: ReceiptStatus): status is "proven" | "re_anchored" =>
  status === "proven" || status === "re_anchored"

const iterationOf = (loop: Loop, run: string): number | null =>
  loop.iterations.find((one) => one.loop_c_history_id === run)?.iteration_number ??
  loop.completed.find((task) => task.run_id === run)?.iteration ??
  null

/** The run a planned task was run in; null: in none so far. */
const runOf = (loop: Loop, task: string, iteration: number): string | null =>
  loop.completed.find(({ id }) => id === task)?.run_id ??
  loop.iterations.find((one) => one.iteration_number === iteration)?.loop_c_history_id ??
  null

// --- requirements ---------------------------------------------------------------------------------------------------

const tracedRequirement = (
  record: RunRecord,
  runs: ReadonlyArray<RunRecord>,
  found: ReadonlyMap<string, Found>,
  requirement: Requirement
): TracedRequirement => {
  const { acceptance_criteria, description, id, name, priority } = requirement
  const { loop, verified } = record
  const seen = loop.requirements.get(id)
  const criteria = acceptance_criteria.map((criterion) => tracedCriterion(record, runs, found, requirement, criterion))
  return {
    id,
    name,
    description,
    priority,
    verdict: worst(criteria),
    verified_at: verified.get(id) ?? null,
    opinion: seen?.opinion == null ? null : tracedOpinion(id, seen.opinion, found),
    criteria
  }
}

const tracedCriterion = (
  record: RunRecord,
  runs: ReadonlyArray<RunRecord>,
  found: ReadonlyMap<string, Found>,
  requirement: Requirement,
  criterion: Criterion
): TracedCriterion => {
  const { checks, loop } = record
  const { id } = requirement
  const recorded = loop.requirements.get(id)?.criteria.find((one) => one.id === criterion.id) ?? {
    id: criterion.id,
    verdict: "unproven" as const,
    by: null,
    tasks: [],
    message: "It was not verified."
  }
  const tasks = plannedFor(loop, runs, id, criterion)
  const lost = lostProof(record, requirement, recorded, found, tasks)
  const commands = [
    ...(criterion.check === null ? [] : [criterion.check]),
    ...tasks.flatMap(({ items, task }) =>
      task === undefined ? [] : [...task.spec.checks, ...items.flatMap((index) => task.items[index]?.check ?? [])]
    )
  ]
  return {
    id: criterion.id,
    criterion: criterion.criterion,
    verify: criterion.verify,
    verdict: lost === null ? recorded.verdict : "stale",
    by: recorded.by,
    message: lost ?? recorded.message,
    checks: [...new Set(commands)].flatMap((command) => {
      const check = checks.get(command)
      return check === undefined ? [] : [checkSeen(check)]
    }),
    tasks: tasks.map(({ items, run_id, task_id }) => ({
      task_id,
      run_id,
      items,
      superseded_by: recorded.by !== "tasks" || recorded.tasks.includes(task_id) ? [] : recorded.tasks
    }))
  }
}

/** The planned tasks that cover a criterion of a requirement, with the items of theirs that do. */
const plannedFor = (loop: Loop, runs: ReadonlyArray<RunRecord>, requirement: string, criterion: Criterion) =>
  loop.planned
    .flatMap((planned) => {
      const ids = coveredIds(planned, requirement, criterion)
      return ids.length === 0 ? [] : [{ planned, ids }]
    })
    .map(({ ids, planned }) => {
      const run_id = runOf(loop, planned.id, planned.iteration)
      const task = taskIn(runs, run_id, planned.id)
      const items = task === undefined ? [] : linkedItems(task.items, ids).map(({ index }) => index)
      return { task_id: planned.id, run_id, items, task }
    })

const worst = (criteria: ReadonlyArray<TracedCriterion>): Verdict =>
  (["refuted", "stale", "unproven"] as const).find((verdict) => criteria.some((one) => one.verdict === verdict)) ??
  (criteria.length === 0 ? "unproven" : criteria.some(({ verdict }) => verdict === "proven") ? "proven" : "waived")

const taskIn = (runs: ReadonlyArray<RunRecord>, run: string | null, id: string): TaskState | undefined => {
  const record = runs.find(({ run_id }) => run_id === run)
  return record === undefined ? undefined : tasksOf(record.state).find(({ spec }) => spec.id === id)
}

/** Why a criterion that was proven is so no longer: what its verification rested on has changed since; null: nothing. */
const lostProof = (
  { looked }: RunRecord,
  { id }: Requirement,
  { by, tasks: proving, verdict }: CriterionVerdict,
  found: ReadonlyMap<string, Found>,
  tasks: ReadonlyArray<{
    readonly task_id: string
    readonly run_id: string | null
    readonly items: ReadonlyArray<number>
  }>
): string | null => {
  if (verdict !== "proven") return null
  const sentence = ({ judged }: Found, place: string) => `${place} no longer holds. ${judged.reason}`.trim()
  if (by === "agent") {
    const [lost] = [...found.values()].filter(
      ({ judged }) => judged.item.key.startsWith(opinionKey(id, 0).slice(0, -1)) && !isHolding(judged.status)
    )
    return lost === undefined ? null : sentence(lost, `What the opinion cites in ${sourceOf(lost.judged.item.receipt)}`)
  }
  const provingItems = new Set(
    (looked.get(id) ?? []).flatMap(({ item_index, status, task_id }) =>
      isHolding(status) ? [`${task_id} ${item_index}`] : []
    )
  )
  for (const { items, run_id, task_id } of tasks) {
    if (!proving.includes(task_id) || run_id === null) continue
    for (const index of items) {
      const now = found.get(itemKey(run_id, task_id, index))
      // what did not hold when it was verified was not what proved it
      if (now !== undefined && provingItems.has(`${task_id} ${index}`) && !isHolding(now.judged.status)) {
        return sentence(now, `${task_id}: ${citedIn(now.judged.item.receipt)}`)
      }
    }
  }
  return null
}

/** Where a receipt has its proof: the file, or the source of another kind of evidence. */
const sourceOf = (receipt: Receipt): string =>
  isLineReceipt(receipt) ? receipt.path : `${receipt.scheme}:${receipt.reference}`

const citedIn = (receipt: Receipt): string =>
  isLineReceipt(receipt) ? `${receipt.path}:${receipt.start}` : sourceOf(receipt)

const tracedOpinion = (
  id: string,
  { evidence, facts, met, verifier }: Opinion,
  found: ReadonlyMap<string, Found>
): TracedRequirement["opinion"] => ({
  verifier,
  met,
  evidence,
  cited: facts.flatMap((fact, index) => {
    const now = found.get(opinionKey(id, index))
    return now === undefined ? [] : [tracedEvidence(fact.evidence, now)]
  })
})

// --- tasks ----------------------------------------------------------------------------------------------------------

const tracedTask = (
  run: RunRecord,
  task: TaskState,
  loop: Loop,
  iteration: number | null,
  found: ReadonlyMap<string, Found>
): TracedTask => {
  const { carried, current, parent_task_id, spec } = task
  const checks = current?.verification?.checks ?? []
  return {
    task_id: spec.id,
    run_id: run.run_id,
    iteration,
    parent_task_id,
    title: spec.title,
    status: asItStands(run.state.run, task).status,
    verdict: task.verdict,
    attempts: task.attempts,
    // what was put together is of no agent
    agent: current?.agent || null,
    message: task.message,
    covers: loop.planned.find(({ id }) => id === spec.id)?.covers.map(({ id }) => id) ?? [],
    checks: checks.filter(({ item_index }) => item_index === null).map(checkRun),
    review:
      current?.judgment == null
        ? null
        : {
            reviewer: current.judgment.reviewer,
            judgment: current.judgment.judgment,
            checks: current.judgment.checks
          },
    // what a subtask has shown for its parent, the parent shows
    items: task.items.flatMap((item, index) =>
      index < carried
        ? []
        : [
            tracedItem(
              item,
              index,
              checks.filter((check) => check.item_index === index),
              found.get(itemKey(run.run_id, spec.id, index))
            )
          ]
    )
  }
}

const tracedItem = (
  item: ItemState,
  index: number,
  checks: ReadonlyArray<CheckRun>,
  found: Found | undefined
): TracedItem => ({
  index,
  item: item.item,
  covers: item.covers ?? [],
  verdict: !isShown(item.verdict)
    ? item.verdict
    : found === undefined
      ? "unproven"
      : isHolding(found.judged.status)
        ? item.verdict
        : found.judged.status,
  evidence: found === undefined || !isShown(item.verdict) ? null : tracedEvidence(item.evidence ?? "", found),
  reason: item.verdict === "waived" ? (item.reason ?? "") : null,
  shown_by: found !== undefined && isHolding(found.judged.status) ? "evidence" : null,
  weak: item.weak.map(({ reason }) => reason),
  weaknesses: item.weak.map(({ message }) => message),
  checks: checks.map(checkRun)
})

const tracedEvidence = (evidence: string, { code, judged }: Found): TracedEvidence => ({
  evidence,
  status: judged.status,
  now: judged.now,
  why: judged.reason,
  sha256: isLineReceipt(judged.item.receipt) ? judged.item.receipt.sha256 : "",
  code: isHolding(judged.status) ? code : null
})

const checkRun = (run: CheckRun): TracedCheck => checkSeen({ run, at: null })

const checkSeen = ({ at, run }: { readonly run: CheckRun; readonly at: CheckSeen["at"] | null }): TracedCheck => ({
  command: run.command,
  passed: hasPassed(run),
  exit_code: run.exit_code,
  signal: run.signal,
  timed_out: run.timed_out,
  output_tail: run.output_tail,
  why: decidedBy(run),
  ...deciding(run),
  at
})
