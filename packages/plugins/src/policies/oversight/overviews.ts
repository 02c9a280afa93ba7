import {
  afterAnswer,
  asItStands,
  askedId,
  askedIn,
  type Chain,
  childrenOf,
  chunkedTaskStatus,
  chunkOf,
  type ItemView,
  isChunked,
  isLost,
  itemAnswers,
  itemViewsOf,
  type LogVerification,
  permissionAnswers,
  permissionsIn,
  proofFields,
  proofOf,
  type RunSummary,
  rootsOf,
  rowItems,
  rowProof,
  rowVerdict,
  shownRowStatus,
  shownStatus,
  subtasksOf,
  type TaskState,
  waitingFor
} from "@proofline/kernel"
import type { Body } from "../../operations/Answer.ts"
import { payloadExcerpt, verificationBody as phaseVerification, proofBody } from "../../operations/excerpts.ts"
import { fitting, jsonBytes, lineOf, maxResponseBytes, truncate, withList } from "../../operations/sizeLimit.ts"
import { type AnyRun, assignmentOf, assignmentStatusOf } from "../sessions/contract.ts"
import { type Question, undecidedTasks } from "./questions.ts"

/** What no longer holds comes first. */
const worstFirst = ["missing", "stale", "re_anchored", "proven"]

export const verificationBody = ({
  chain,
  receipts,
  ref: _,
  kept_head: __,
  signature: ___,
  ...rest
}: LogVerification): Body =>
  withList(
    {
      ...rest,
      chain: chainBody(chain)
    },
    "receipts",
    receipts
      .toSorted((a, b) => worstFirst.indexOf(a.status) - worstFirst.indexOf(b.status))
      .map((receipt) => ({
        ...receipt,
        item: lineOf(receipt.item, 120),
        evidence: lineOf(receipt.evidence, 200),
        reason: lineOf(receipt.reason, 200)
      })),
    { next_step: "`proofline verify` shows every receipt." }
  )

const chainBody = (chain: Chain): Body => (chain.ok ? chain : { ...chain, message: lineOf(chain.message, 400) })

// --- runs ---------------------------------------------------------------------------------------------------------

/** The newest first. */
export const runsBody = (runs: ReadonlyArray<RunSummary>, limit: number): Body =>
  withList({}, "runs", runs.slice(0, limit).map(runLine), { next_step: "`proofline history` shows all." }, runs.length)

const runLine = (run: RunSummary): Body => ({
  run_id: run.run_id,
  kind: run.kind,
  name: lineOf(run.name, 100),
  status: shownRowStatus(run),
  ...shownOfRow(run),
  started_at: run.started_at,
  ...(run.ended_at === null ? {} : { ended_at: run.ended_at }),
  ...(run.parent_run_id === null ? {} : { parent_run_id: run.parent_run_id }),
  ...(run["phase"] === undefined ? {} : { phase: run["phase"] }),
  tasks: {
    total: run.tasks_total,
    completed: run.tasks_completed,
    failed: run.tasks_failed,
    skipped: run.tasks_skipped
  },
  items: itemsBody(run),
  ...(run.active.length === 0 ? {} : { active: run.active.slice(0, 5).map((id) => lineOf(id, 80)) })
})

const itemsBody = (run: RunSummary): Body => {
  const { items_closed, items_total } = rowItems(run)
  return { total: items_total, closed: items_closed }
}

/** As far as it is known without its events. */
const shownOfRow = (run: RunSummary): Body => {
  const proof = rowProof(run)
  const verdict = rowVerdict(run)
  return proof === null ? (verdict === null ? {} : { verdict }) : proofBody(proof)
}

/** A run with its tasks, those that need a person first, as many fields as the response size limit allows. */
export const runBody = (state: AnyRun): Body => {
  const { run } = state
  const { phases } = state.sessions
  const tasks = rootsOf(state)
  const proof = proofOf(state)
  const asks = askedIn(state)
    .slice(0, 5)
    .map(({ evidence, item, reason, task_id }) => ({
      task_id,
      item: lineOf(item, 200),
      reason: lineOf(reason, 200),
      ...(evidence === null ? {} : { evidence: lineOf(evidence, 200) })
    }))
  const head = {
    run_id: run.run_id,
    kind: run.kind,
    name: lineOf(run.name, 100),
    status: shownStatus(run),
    ...(asks.length === 0 ? {} : { asks }),
    ...proofFields(proof),
    ...(run.message === "" ? {} : { message: lineOf(run.message, 500) }),
    ...(phases === null ? {} : { phase: phases.phase }),
    counts: {
      tasks: tasks.length,
      completed: tasks.filter(({ status }) => status === "completed").length,
      failed: tasks.filter(isLost).length,
      items: tasks.flatMap((task) => task.items).length,
      ...proof.counts
    }
  }
  return listed(
    head,
    "tasks",
    tasks.toSorted((a, b) => urgencyOf(a) - urgencyOf(b) || a.order - b.order).map((task) => formsOf(state, task)),
    { next_step: "get_subtasks with a task_id shows one task more closely; `proofline show` shows all." }
  )
}

const urgencyOf = ({ status, verdict }: TaskState): number => {
  const rank = ["failed", "retrying", "in_progress", "blocked", "skipped", "pending", "backlog"].indexOf(status)
  return rank >= 0 ? rank : verdict === "unproven" ? rank + 7 : 8
}

/** The same task in few words and in many. */
interface Forms {
  readonly short: Body
  readonly long: Body
}

/** A list of which every member is shown before any of them is shown at length, the first ones first. */
const listed = (rest: Body, key: string, all: ReadonlyArray<Forms>, more: Body): Body => {
  const long = { ...rest, [key]: all.map((forms) => forms.long) }
  if (jsonBytes(long) <= maxResponseBytes) return long
  const counts = { [`${key}_left_out`]: all.length, [`${key}_cut`]: all.length }
  const bytes = maxResponseBytes - jsonBytes({ ...rest, [key]: [], ...counts, ...more })
  const shown = all.slice(
    0,
    fitting(
      all.map(({ short }) => short),
      bytes
    ).length
  )
  const isLong = lengthened(shown, bytes - jsonBytes(shown.map(({ short }) => short)))
  const cut = isLong.filter((one) => !one).length
  return {
    ...rest,
    [key]: shown.map(({ long, short }, i) => (isLong[i] === true ? long : short)),
    ...(cut === 0 ? {} : { [`${key}_cut`]: cut }),
    ...(shown.length === all.length ? {} : { [`${key}_left_out`]: all.length - shown.length }),
    ...more
  }
}

/** Which of the members are shown at length when so many bytes are left, the first ones first. */
const lengthened = (members: ReadonlyArray<Forms>, bytes: number): ReadonlyArray<boolean> => {
  let left = bytes
  return members.map(({ long, short }) => {
    const extra = jsonBytes(long) - jsonBytes(short)
    const fits = extra <= left
    if (fits) left -= extra
    return fits
  })
}

const formsOf = (state: AnyRun, task: TaskState): Forms => {
  const assignment = assignmentOf(state, task)
  const subtasks = directSubtasksOf(state, task)
  const short = {
    id: task.spec.id,
    title: lineOf(task.spec.title, 80),
    status: asItStands(state.run, task).status,
    verdict: task.verdict,
    ...(task.reason === "" ? {} : { reason: lineOf(task.reason, 80) }),
    ...(subtasks.length === 0 ? {} : { subtasks: subtasks.length })
  }
  return {
    short,
    long: {
      ...short,
      title: lineOf(task.spec.title, 200),
      attempts: task.attempts,
      ...(assignment === null
        ? {}
        : { board_status: assignmentStatusOf(asItStands(state.run, task)), assignee: assignment.assignee }),
      ...(task.message === "" ? {} : { message: lineOf(task.message, 500) }),
      ...(isChunked(state, task) ? { chunked: chunkedTaskStatus(state, task) } : {}),
      checklist: itemViewsOf(state, task).map(itemBody)
    }
  }
}

const itemBody = ({ evidence, item, reason, shown_by, status, verdict, weak }: ItemView): Body => ({
  item: lineOf(item, 200),
  status,
  verdict,
  ...(shown_by === null ? {} : { shown_by }),
  ...(evidence === null ? {} : { evidence: lineOf(evidence, 200) }),
  ...(reason === null ? {} : { reason: lineOf(reason, 200) }),
  ...(weak.length === 0 ? {} : { weak: weak.map((weakness) => weakness.reason) })
})

/** What a task was split into, by an analysis or by agents. */
const directSubtasksOf = (state: AnyRun, task: TaskState): ReadonlyArray<TaskState> => {
  const split = subtasksOf(state, task)
  return split.length > 0 ? split : childrenOf(state, task)
}

/** The subtasks of a task in their order, each with what it waits for; the task itself first. */
export const subtasksBody = (state: AnyRun, task: TaskState): Body => {
  const { long } = formsOf(state, task)
  // what is asked for is its parts
  const head = { run_id: state.run.run_id, task: truncate(long, maxResponseBytes / 2) }
  return listed(
    head,
    "subtasks",
    directSubtasksOf(state, task).map((subtask) => {
      const forms = formsOf(state, subtask)
      const waits = waitingFor(state, subtask).slice(0, 20)
      const waiting = waits.length === 0 ? {} : { waiting_for: waits }
      return {
        short: { ...forms.short, ...waiting },
        long: {
          ...forms.long,
          ...waiting,
          ...(subtask.spec.depends_on.length === 0 ? {} : { dependencies: subtask.spec.depends_on.slice(0, 20) }),
          retry_count: subtask.retry_count
        }
      }
    }),
    { next_step: "get_subtasks with the task_id of one of them shows it more closely." }
  )
}

// --- what waits for a person --------------------------------------------------------------------------------------

export const questionBody = (state: AnyRun, { answers, expected, other_leads_to, phase, question }: Question): Body => {
  const { run } = state
  const { last, verification } = state.sessions.phases ?? { last: null, verification: null }
  return {
    run_id: run.run_id,
    kind: "question",
    name: lineOf(run.name, 100),
    phase,
    question: question.trim(),
    expected,
    answers,
    ...(other_leads_to === null ? {} : { other_leads_to }),
    ...(verification === null || verification.passed ? {} : { failed: phaseVerification(verification) }),
    ...(last === null ? {} : { last_submission: { phase: last.phase, payload: payloadExcerpt(last.payload) } }),
    next_step: "A person answers with `proofline answer`, or with answer_approval where they may."
  }
}

/** What agents ask leave for. */
export const permissionBodies = (state: AnyRun): ReadonlyArray<Body> =>
  permissionsIn(state).map((one) => ({
    run_id: state.run.run_id,
    kind: "permission",
    question_id: one.permission,
    name: lineOf(state.run.name, 100),
    task_id: one.task_id,
    attempt: one.attempt,
    agent: one.agent,
    role: one.role,
    question: lineOf(one.title, 300),
    ...(one.detail === "" ? {} : { detail: lineOf(one.detail, 1_000) }),
    ...(one.tool === "" ? {} : { tool: one.tool }),
    files: one.files,
    answers: answersOf(permissionAnswers),
    next_step: "The agent waits. A person answers with `proofline answer`, or with answer_approval where they may."
  }))

const answersOf = (answers: Readonly<Record<string, string>>) =>
  Object.entries(answers).map(([answer, then]) => ({ answer: [answer], then }))

/** Items that an agent cannot do. */
export const asksOf = (state: AnyRun): ReadonlyArray<Body> =>
  askedIn(state).map((one) => ({
    run_id: state.run.run_id,
    kind: "cannot",
    question_id: askedId(one),
    name: lineOf(state.run.name, 100),
    task_id: one.task_id,
    item: lineOf(one.item, 300),
    reason: lineOf(one.reason, 600),
    ...(one.evidence === null ? {} : { evidence: lineOf(one.evidence, 200) }),
    attempts: one.attempt,
    files: one.files,
    answers: answersOf(itemAnswers),
    ...(state.run.status === "running" ? {} : { after: afterAnswer(false) }),
    next_step: "A person answers with `proofline answer`, or with answer_approval where they may."
  }))

/** Tasks that ended because somebody must decide between changes to the same file. */
export const conflictsOf = (state: AnyRun): ReadonlyArray<Body> =>
  undecidedTasks(state).map((task) => ({
    run_id: state.run.run_id,
    kind: "conflict",
    task_id: task.spec.id,
    title: lineOf(task.spec.title, 100),
    question: lineOf(task.message, 600),
    files: (chunkOf(state, task)?.outcome?.conflicts ?? [])
      .slice(0, 20)
      .map(({ file, sources }) => ({ file, sources })),
    next_step: `A person decides in the files, then goes on with \`proofline resume ${state.run.run_id}\`.`
  }))
