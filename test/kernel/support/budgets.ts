import {
  type AnyCommand,
  type AnyEvent,
  budgetExceeded,
  type Composition,
  callRecord,
  composePlugins,
  emptySnapshot,
  holdsCalls,
  type RunConfig,
  type Snapshot,
  type Start,
  type StartTasks,
  spentLimit,
  step,
  tasksOf,
  type Usage
} from "@proofline/kernel"
import { Result } from "effect"
import { report } from "./histories.ts"
import { judge } from "./judge.ts"
import { type Random, randomFrom } from "./random.ts"
import { digest } from "./recorded.ts"
import { start, stateOf } from "./words.ts"

/** What every call of an agent uses in these plays. */
export const usage: Usage = { input_tokens: 70, output_tokens: 30, cost_usd: 0.1 }

/** Work for which an agent is asked. */
const asksAgent = (activity: string): boolean => activity === "attempt" || activity === "review" || isAnalysis(activity)
const isAnalysis = (activity: string): boolean => activity.startsWith("analyzer-")

export interface Play {
  readonly snapshot: Snapshot
  readonly composition: Composition
  /** The events of every command. */
  readonly batches: ReadonlyArray<ReadonlyArray<AnyEvent>>
  /** The events up to every end of the run. */
  readonly legs: ReadonlyArray<ReadonlyArray<AnyEvent>>
}

interface PlayOptions {
  readonly run: StartTasks
  /** What agents, commands and reviewers do follows from it, from the work and from nothing else. */
  readonly seed: number
  /** Work done at the same time; with one the order is fixed, with more the die decides. */
  readonly slots: number
  readonly random: Random
  /** Goes on with the run when its budget was used up; null: nobody does. */
  readonly resume: AnyCommand | null
}

/** No run of these sizes takes more steps; one that does would never end. */
const mostSteps = 20_000

/** Plays a run to its end, as workers do: nothing that has begun is left, and nothing is begun without a budget. */
export const play = ({ random, resume, run, seed, slots }: PlayOptions): Play => {
  const composition = composePlugins([judge])
  const batches: Array<ReadonlyArray<AnyEvent>> = []
  const legs: Array<Array<AnyEvent>> = [[]]
  const waiting = new Map<string, Start>()
  const begun = new Map<string, Start>()
  const keys = new Map<string, string>()
  let now = emptySnapshot(composition)

  const take = (command: AnyCommand): boolean => {
    const decided = step(composition, now, command)
    if (Result.isFailure(decided)) return false
    batches.push(decided.success.events)
    now = decided.success.after
    legs.at(-1)?.push(...decided.success.events)
    for (const order of decided.success.starts) {
      if (keys.has(itemOf(order.key))) continue
      keys.set(itemOf(order.key), order.key)
      waiting.set(order.key, order)
    }
    for (const work of decided.success.cancels) {
      const key = "key" in work ? work.key : (keys.get(work.item) ?? "")
      waiting.delete(key)
      begun.delete(key)
    }
    return true
  }

  const begin = (order: Start): void => {
    const { attempt, task_id } = order.input as { readonly task_id: string; readonly attempt: number }
    const { activity, input, key } = order
    const limit = spentLimit(stateOf(now))
    waiting.delete(key)
    if (order.kind === "attempt") {
      if (take(start(task_id, attempt, { item_id: itemOf(key) }))) begun.set(key, order)
    } else if (asksAgent(activity) && limit !== null && holdsCalls(limit)) {
      const { message } = limit
      take({ _tag: "RecordActivityFailure", name: activity, key, input, code: budgetExceeded, message })
    } else begun.set(key, order)
  }

  const finish = (order: Start): void => {
    const { attempt, task_id } = order.input as { readonly task_id: string; readonly attempt: number }
    const dice = randomFrom(hashOf(`${seed}/${order.activity}/${task_id}/${attempt}`))
    if (asksAgent(order.activity)) {
      const role = order.kind === "attempt" ? "work" : isAnalysis(order.activity) ? "analyze" : "review"
      const record = callRecord(stateOf(now).run.config, { agent: "command", role, task_id, attempt, usage })
      if (record !== null) take({ ...record })
    }
    const isOurs = begun.delete(order.key)
    if (isOurs) take(report(dice, now, order))
  }

  take(run)
  for (let steps = 0; ; steps++) {
    if (steps > mostSteps) throw new Error("It does not come to an end.")
    const { run } = stateOf(now)
    if (run.status !== "running") {
      if (run.failed_by !== "budget" || resume === null) return { snapshot: now, composition, batches, legs }
      if (waiting.size + begun.size > 0) throw new Error("Work is left although the run has ended.")
      legs.push([])
      take(resume)
      continue
    }
    const orders = [...waiting.values()].sort(byTurn)
    if (orders.length > 0 && begun.size < slots && (begun.size === 0 || random.chance(0.6))) {
      begin(slots === 1 ? (orders[0] as Start) : random.pick(orders))
    } else if (begun.size > 0)
      finish(slots === 1 ? ([...begun.values()][0] as Start) : random.pick([...begun.values()]))
    else throw new Error("The run waits for nothing.")
  }
}

const itemOf = (key: string): string => digest.uuid5(`run_1/${key}`)

const byTurn = (a: Start, b: Start): number =>
  b.priority - a.priority || (a.task_id ?? "").localeCompare(b.task_id ?? "") || a.activity.localeCompare(b.activity)

const hashOf = (text: string): number => {
  let hash = 0
  for (const character of text) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0
  return hash
}

/** What became of every task, without how often the run was taken up. */
export const outcomeOf = (snapshot: Snapshot) => ({
  status: stateOf(snapshot).run.status,
  failed_by: stateOf(snapshot).run.failed_by,
  tasks: tasksOf(stateOf(snapshot)).map(({ attempts, items, reason, retry_count, spec, status, verdict }) => ({
    id: spec.id,
    status,
    verdict,
    reason,
    attempts,
    retry_count,
    items: items.map((item) => item.verdict)
  }))
})

/** One limit of every kind, small enough to be reached. */
export const randomBudget = (random: Random): Partial<RunConfig["budget"]> =>
  random.pick([
    { max_attempts: 1 + random.below(4) },
    { max_calls: 1 + random.below(4) },
    { max_tokens: 1 + random.below(400) },
    { max_cost_usd: 0.05 + random.below(4) / 10 },
    { max_attempts: 1 + random.below(4), max_calls: 1 + random.below(4) }
  ])

export const attemptsStarted = (events: ReadonlyArray<AnyEvent>): number =>
  events.filter(({ type }) => type === "ATTEMPT_STARTED").length

export const callsOf = (events: ReadonlyArray<AnyEvent>): number =>
  events.filter(({ type }) => type === "AGENT_CALLED").length
