/** Counts what agents claimed, what held, and what it cost: from the log alone, never from an agent's word. */
import { HashMap, Option } from "effect"
import { asKernelEvent, type KernelEvent, type KernelState } from "../composition.ts"
import type { AnyEvent } from "../core/contract.ts"
import type { Verdict } from "../modules/run/obligations.ts"
import { criteriaReviewer, evidenceStale } from "../modules/tasks/events.ts"
import {
  childrenOf,
  isWaivedByPerson,
  ownItemsOf,
  parentOf,
  type TaskState,
  taskOf,
  tasksOf
} from "../modules/tasks/state.ts"
import type { Usage } from "../port/Agent.ts"
import { reasonsOf } from "./Decisions.ts"
import {
  type Stats,
  type StatsFigures,
  type StatsGroup,
  type StatsKey,
  type StatsTotal,
  statsKeys
} from "./StatsShapes.ts"

/** Figures of what has all of this in common. */
export interface StatsCell {
  readonly run: string
  readonly kind: string
  /** The outermost task; null: it was about none. */
  readonly task: string | null
  /** Null: the log does not say. */
  readonly agent: string | null
  readonly model: string | null
  readonly figures: StatsFigures
}

const noFigures: StatsFigures = {
  attempts: 0,
  lost: 0,
  retries: 0,
  claimed: 0,
  accepted: 0,
  refusals: {},
  stale: 0,
  asked: 0,
  omitted: 0,
  items: 0,
  items_proven: 0,
  items_weak: 0,
  items_waived: 0,
  items_open: 0,
  duration_ms: 0,
  duration_unknown: 0,
  calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  tokens_unknown: 0,
  cost_usd: 0,
  cost_unknown: 0
}

/** A call of an agent in any role. */
interface Call {
  readonly task_id: string
  readonly attempt: number
  readonly role: string
  readonly agent: string | null
  readonly model: string | null
  /** Null: it is not known what was used. */
  readonly usage: Usage | null
}

/** An attempt of an agent; what parts show together is none. */
interface Attempt {
  readonly agent: string | null
  readonly model: string | null
  readonly figures: StatsFigures
  readonly isOver: boolean
  readonly isLost: boolean
  /** It began in the run that this one was forked from, and counts there. */
  readonly isInherited: boolean
}

/** What of a run is counted as its events come by. */
export interface RunCounts {
  readonly attempts: HashMap.HashMap<string, Attempt>
  /** By the attempt that they are about. */
  readonly calls: HashMap.HashMap<string, ReadonlyArray<Call>>
  /** Verdicts of items that the run which this one was forked from had shown before. */
  readonly inherited: ReadonlyMap<string, Verdict>
}

export const noCounts: RunCounts = { attempts: HashMap.empty(), calls: HashMap.empty(), inherited: new Map() }

/** Of a task and an attempt, or an item, of it. */
const keyOf = (task_id: string, number: number): string => JSON.stringify([task_id, number])

const modelOf = ({ run }: KernelState, agent: string | null): string | null => {
  const spec = agent === null ? undefined : run.config.agents[agent]
  const model = (spec as { readonly model?: unknown } | null | undefined)?.model
  return typeof model === "string" ? model : null
}

const plus = (counts: StatsFigures["refusals"], reasons: ReadonlyArray<string>): StatsFigures["refusals"] => {
  const sum: Record<string, number> = { ...counts }
  for (const reason of reasons) sum[reason] = (sum[reason] ?? 0) + 1
  return sum
}

type Change = (figures: StatsFigures) => Partial<StatsFigures>

const refused =
  (...reasons: ReadonlyArray<string>): Change =>
  ({ refusals }) => ({ refusals: plus(refusals, reasons) })

/** Folds one event of a run. `state` is the run with that event; null: of a type that nobody here knows. */
export const foldCounts = (counts: RunCounts, event: AnyEvent | null, state: () => KernelState): RunCounts => {
  if (event === null || !counted.has(event.type)) return counts
  const known = asKernelEvent(event)
  if (known.type === "RUN_FORKED") return forked(counts, state())
  return withCall(withAttempt(counts, known, state), known, state)
}

/** The only events that are looked at. */
const counted: ReadonlySet<string> = new Set([
  "ATTEMPT_STARTED",
  "ATTEMPT_ENDED",
  "ATTEMPT_CANCELLED",
  "CHECKLIST_REPORTED",
  "CHECKLIST_ITEM_ACCEPTED",
  "CHECKLIST_ITEM_REJECTED",
  "GATE_REFUSED",
  "VERIFICATION_RUN",
  "QUALITY_JUDGMENT",
  "AGENT_CALLED",
  "RUN_FORKED"
])

/** What is before it happened in another run, which is counted by itself. */
const forked = ({ attempts }: RunCounts, state: KernelState): RunCounts => ({
  attempts: HashMap.map(attempts, (attempt) => ({ ...attempt, figures: noFigures, isInherited: true })),
  calls: HashMap.empty(),
  inherited: new Map(
    tasksOf(state).flatMap((task) =>
      ownItemsOf(task).flatMap(([index, { verdict }]) =>
        ofItem(verdict).items_open === 1 ? [] : [[keyOf(task.spec.id, index), verdict] as const]
      )
    )
  )
})

const withAttempt = (counts: RunCounts, event: KernelEvent, state: () => KernelState): RunCounts => {
  const change = changeOf(event, state)
  if (change === null) return counts
  const { attempt, task_id } = event.content as { readonly task_id: string; readonly attempt: number }
  const key = keyOf(task_id, attempt)
  const before = Option.getOrUndefined(HashMap.get(counts.attempts, key)) ?? begun(counts, event, state)
  if (before === null) return counts
  const changed = { ...before.figures, ...change(before.figures) }
  const isLost = before.isLost || changed.lost === 1
  // one that was under way when the run was forked is lost here alone
  const figures = before.isInherited ? { ...changed, lost: 0 } : changed
  const isOver = before.isOver || event.type === "ATTEMPT_ENDED" || event.type === "ATTEMPT_CANCELLED"
  return { ...counts, attempts: HashMap.set(counts.attempts, key, { ...before, figures, isOver, isLost }) }
}

/** An attempt that the log speaks of for the first time; null: no agent makes it. */
const begun = ({ attempts }: RunCounts, { content, type }: KernelEvent, state: () => KernelState): Attempt | null => {
  // of one that was reported by an agent that came by itself the log has the end alone
  if (type !== "ATTEMPT_STARTED" && type !== "ATTEMPT_ENDED") return null
  const { agent, attempt, task_id } = content
  const last = Option.getOrUndefined(HashMap.get(attempts, keyOf(task_id, attempt - 1)))
  const isRetry = attempt > 1 && last?.isLost !== true
  return {
    agent,
    model: modelOf(state(), agent),
    figures: { ...noFigures, attempts: 1, retries: Number(isRetry) },
    isOver: false,
    isLost: false,
    isInherited: false
  }
}

const changeOf = ({ content, type }: KernelEvent, state: () => KernelState): Change | null => {
  switch (type) {
    case "ATTEMPT_STARTED":
    case "ATTEMPT_CANCELLED":
      return () => ({})
    case "ATTEMPT_ENDED": {
      const { duration_ms, outcome } = content
      return (before) => ({ lost: Number(outcome === "LOST"), duration_ms: before.duration_ms + duration_ms })
    }
    case "CHECKLIST_REPORTED": {
      const { checklist, task_id } = content
      const task = taskOf(state(), task_id)
      const asked = (task?.items ?? []).filter((item) => !isWaivedByPerson(item)).map(({ item }) => item)
      const reported = checklist ?? []
      return (before) => ({
        claimed: before.claimed + reported.filter(({ status }) => status === "done").length,
        asked: before.asked + asked.length,
        omitted: before.omitted + unmentioned(asked, reported).length
      })
    }
    case "CHECKLIST_ITEM_ACCEPTED":
      return ({ accepted }) => ({ accepted: accepted + Number(content.status === "done") })
    case "CHECKLIST_ITEM_REJECTED": {
      const { fields, key } = content
      if (key === evidenceStale) return ({ stale }) => ({ stale: stale + 1 })
      return refused(...reasonsOf(key, fields["reasons"]))
    }
    case "GATE_REFUSED":
      return refused(content.reason)
    case "VERIFICATION_RUN":
      return content.passed ? () => ({}) : refused("checks_failed")
    case "QUALITY_JUDGMENT":
      return content.judgment === "PASS" ? () => ({}) : refused(judgedAs(content))
    default:
      return null
  }
}

const judgedAs = ({
  judgment,
  reviewer
}: {
  readonly judgment: "PASS" | "REJECT" | "RETRY"
  readonly reviewer: string
}) => (reviewer === criteriaReviewer ? "criteria_not_met" : `review_${judgment.toLowerCase()}`)

/** Of items with the same text as many are mentioned as there are claims. */
const unmentioned = (
  asked: ReadonlyArray<string>,
  reported: ReadonlyArray<{ readonly item: string }>
): ReadonlyArray<string> => {
  const left = new Map<string, number>()
  for (const { item } of reported) left.set(item, (left.get(item) ?? 0) + 1)
  return asked.filter((item) => {
    const count = left.get(item) ?? 0
    left.set(item, count - 1)
    return count <= 0
  })
}

const withCall = (counts: RunCounts, { content, type }: KernelEvent, state: () => KernelState): RunCounts => {
  if (type === "AGENT_CALLED") {
    const { agent, attempt, role, task_id, usage } = content
    const call: Call = { task_id, attempt, role, agent, model: modelOf(state(), agent), usage }
    const calls = callsOf(counts, call)
    // it is written before or behind what shows that there was such a call
    const at = calls.findLastIndex((one) => isSame(one, call) && one.usage === null)
    return withCalls(counts, call, at < 0 ? [...calls, call] : calls.with(at, call))
  }
  if (type !== "QUALITY_JUDGMENT" || content.reviewer === criteriaReviewer) return counts
  const { attempt, reviewer: agent, task_id } = content
  const call: Call = { task_id, attempt, role: "review", agent, model: modelOf(state(), agent), usage: null }
  const calls = callsOf(counts, call)
  return calls.some((one) => isSame(one, call)) ? counts : withCalls(counts, call, [...calls, call])
}

type OfAttempt = Pick<Call, "task_id" | "attempt">

const callsOf = ({ calls }: RunCounts, { attempt, task_id }: OfAttempt): ReadonlyArray<Call> =>
  Option.getOrElse(HashMap.get(calls, keyOf(task_id, attempt)), () => [])

const withCalls = (counts: RunCounts, { attempt, task_id }: OfAttempt, calls: ReadonlyArray<Call>): RunCounts => ({
  ...counts,
  calls: HashMap.set(counts.calls, keyOf(task_id, attempt), calls)
})

const isSame = (a: Call, b: Call): boolean => a.role === b.role && a.agent === b.agent

/** What a run has to be counted for, as it stands. */
export const statsCellsOf = (state: KernelState, counts: RunCounts): ReadonlyArray<StatsCell> => {
  const { attempts, calls, inherited } = counts
  const { kind, run_id } = state.run
  const cells = new Map<string, StatsCell>()
  const add = (
    task: string | null,
    { agent, model }: Pick<Attempt, "agent" | "model">,
    figures: Partial<StatsFigures>
  ): void => {
    const key = JSON.stringify([task, agent, model])
    const before = cells.get(key) ?? { run: run_id, kind, task, agent, model, figures: noFigures }
    cells.set(key, { ...before, figures: together(before.figures, { ...noFigures, ...figures }) })
  }
  for (const [key, attempt] of HashMap.entries(attempts)) {
    const [task_id, number] = JSON.parse(key) as [string, number]
    const task = outermostOf(state, task_id)
    const { figures, isInherited, isOver } = attempt
    if (isInherited) {
      if (!isNothing(figures)) add(task, attempt, figures)
      continue
    }
    // nobody measures how long an agent works that came by itself, nor when one was lost
    add(task, attempt, { ...figures, duration_unknown: Number(isOver && figures.duration_ms === 0) })
    const said = callsOf(counts, { task_id, attempt: number }).some(({ role }) => role === "work")
    if (!said && isOver) add(task, attempt, ofCall(null))
  }
  for (const call of [...HashMap.values(calls)].flat()) add(outermostOf(state, call.task_id), call, ofCall(call.usage))
  for (const task of tasksOf(state)) {
    // all that an attempt beside others shows is its task's
    if (task.alternative) continue
    for (const [index, { verdict }] of ownItemsOf(task)) {
      if (inherited.get(keyOf(task.spec.id, index)) === verdict) continue
      add(outermostOf(state, task.spec.id), workerOf(state, attempts, task, index), ofItem(verdict))
    }
  }
  // a run of which nothing is counted so far is one all the same
  if (cells.size === 0) add(null, { agent: null, model: null }, {})
  return [...cells.values()]
}

const isNothing = ({ refusals, ...figures }: StatsFigures): boolean =>
  Object.keys(refusals).length === 0 && Object.values(figures).every((figure) => figure === 0)

/** Parts, and attempts beside each other, are their task's. */
const outermostOf = (state: KernelState, task_id: string): string | null => {
  const task = taskOf(state, task_id)
  if (task === undefined) return null
  const parent = parentOf(state, task)
  return parent === undefined ? task_id : outermostOf(state, parent.spec.id)
}

const nobody: Pick<Attempt, "agent" | "model"> = { agent: null, model: null }

/** Who worked last on an item; of a task that was split, on the part that shows it. */
const workerOf = (
  state: KernelState,
  attempts: RunCounts["attempts"],
  task: TaskState,
  index: number
): Pick<Attempt, "agent" | "model"> => {
  for (let attempt = task.attempts; attempt > 0; attempt--) {
    const own = Option.getOrUndefined(HashMap.get(attempts, keyOf(task.spec.id, attempt)))
    if (own !== undefined) return own
  }
  const item = task.items[index]
  const parts = childrenOf(state, task)
  const showing = parts.filter(({ carried, items }) => items.slice(0, carried).some((one) => one.item === item?.item))
  const winner = showing.find(({ status }) => status === "completed") ?? showing.at(-1)
  if (winner !== undefined) return workerOf(state, attempts, winner, 0)
  // of what none of them carries: where one agent made all of them, it is that one
  const workers = parts.map((part) => workerOf(state, attempts, part, 0))
  const [first = nobody] = workers
  return workers.every(({ agent, model }) => agent === first.agent && model === first.model) ? first : nobody
}

const ofItem = (verdict: Verdict): Partial<StatsFigures> => ({
  items: 1,
  items_proven: Number(verdict === "proven"),
  items_weak: Number(verdict === "weak"),
  items_waived: Number(verdict === "waived"),
  items_open: Number(verdict === "unproven" || verdict === "refuted" || verdict === "stale")
})

const ofCall = (usage: Usage | null): Partial<StatsFigures> => {
  const { cost_usd = null, input_tokens = null, output_tokens = null } = usage ?? {}
  return {
    calls: 1,
    input_tokens: input_tokens ?? 0,
    output_tokens: output_tokens ?? 0,
    tokens_unknown: Number(input_tokens === null || output_tokens === null),
    cost_usd: cost_usd ?? 0,
    cost_unknown: Number(cost_usd === null)
  }
}

const together = (a: StatsFigures, b: StatsFigures): StatsFigures => {
  const refusals: Record<string, number> = { ...a.refusals }
  for (const [reason, count] of Object.entries(b.refusals)) refusals[reason] = (refusals[reason] ?? 0) + count
  const sums = Object.fromEntries(
    Object.entries(a).map(([name, value]) => [name, (value as number) + (b[name as keyof StatsFigures] as number)])
  )
  return { ...(sums as unknown as StatsFigures), refusals }
}

/** Figures of all cells, kept apart by these keys. */
export const statsBy = (
  by: ReadonlyArray<StatsKey>,
  cells: ReadonlyArray<StatsCell>,
  about: Pick<Stats, "since" | "left_out">
): Stats => {
  const groups = [...Map.groupBy(cells, (cell) => JSON.stringify(by.map((key) => cell[key])))].map(
    ([key, same]): StatsGroup => {
      const values = JSON.parse(key) as ReadonlyArray<string | null>
      return { ...Object.fromEntries(by.map((name, i) => [name, values[i] ?? null])), ...totalOf(same) }
    }
  )
  const total = totalOf(cells)
  return {
    by,
    since: about.since,
    values: Object.fromEntries(
      statsKeys.map((key) => [key, new Set(cells.flatMap((cell) => cell[key] ?? [])).size])
    ) as Stats["values"],
    groups: groups.toSorted((a, b) => b.claimed - a.claimed || compareKeys(by, a, b)),
    total,
    left_out: about.left_out,
    reasons: Object.entries(total.refusals)
      .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
      .map(([reason]) => reason)
  }
}

const compareKeys = (by: ReadonlyArray<StatsKey>, a: StatsGroup, b: StatsGroup): number => {
  const text = (group: StatsGroup): string => JSON.stringify(by.map((key) => group[key] ?? ""))
  return text(a) < text(b) ? -1 : 1
}

const totalOf = (cells: ReadonlyArray<StatsCell>): StatsTotal => {
  const figures = cells.reduce((sum, cell) => together(sum, cell.figures), noFigures)
  const { calls, cost_unknown, duration_ms, items_proven, tokens_unknown } = figures
  const known = <A>(unknown: number, figure: A): A | null => (unknown < calls ? figure : null)
  const input_tokens = known(tokens_unknown, figures.input_tokens)
  const output_tokens = known(tokens_unknown, figures.output_tokens)
  const cost_usd = known(cost_unknown, figures.cost_usd)
  const per = (figure: number | null): number | null =>
    figure === null || items_proven === 0 ? null : figure / items_proven
  return {
    runs: new Set(cells.map(({ run }) => run)).size,
    tasks: new Set(cells.flatMap(({ run, task }) => (task === null ? [] : [JSON.stringify([run, task])]))).size,
    ...figures,
    refused: Object.values(figures.refusals).reduce((sum, count) => sum + count, 0),
    input_tokens,
    output_tokens,
    cost_usd,
    acceptance_rate: ratio(figures.accepted, figures.claimed),
    omission_rate: ratio(figures.omitted, figures.asked),
    per_proven_item: {
      duration_ms: per(duration_ms),
      tokens: per(input_tokens === null || output_tokens === null ? null : input_tokens + output_tokens),
      cost_usd: per(cost_usd)
    }
  }
}

const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)
