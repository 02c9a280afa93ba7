import {
  type Analysis,
  type AnyCommand,
  type AnyEvent,
  acceptanceCriteria,
  askedIn,
  type CheckRun,
  type CommandOf,
  type Composition,
  composePlugins,
  criteriaReviewer,
  defaultChunkingConfig,
  defaultRunConfig,
  type EndAttempt,
  emptySnapshot,
  heldItems,
  type KernelState,
  nextWork,
  type Plugin,
  type RunConfig,
  type Snapshot,
  type Start,
  type Step,
  step,
  type TaskState,
  taskOf,
  tasksOf,
  workKey
} from "@proofline/kernel"
import { acceptsWeak, aRun } from "@proofline/kernel/testing"
import { Result } from "effect"
import { fact, judge } from "./judge.ts"
import type { Random } from "./random.ts"
import { randomTasks } from "./random.ts"
import {
  activityFailed,
  answered,
  cancel,
  check,
  end,
  endTerminal,
  gone,
  impossible,
  judged,
  resume,
  resumeFor,
  revisited,
  start,
  stateOf,
  verified
} from "./words.ts"

/** One command that was carried out. */
export interface Taken {
  readonly command: AnyCommand
  readonly before: Snapshot
  readonly step: Step
}

/** What has become of a piece of work that was ordered. */
export type WorkStatus = "open" | "settled" | "cancelled"

/** A run that is played by the rules alone: the queue is a map, the world is a die. */
export interface History {
  readonly composition: Composition
  readonly taken: ReadonlyArray<Taken>
  readonly refused: ReadonlyArray<{ readonly command: AnyCommand; readonly before: Snapshot }>
  readonly snapshot: Snapshot
}

export interface HistoryOptions {
  readonly plugins?: ReadonlyArray<Plugin>
  /** Also commands that nothing asked for: late, doubled, out of order, about nothing. */
  readonly wild: boolean
  readonly commands: number
  /** Tasks may be split. */
  readonly chunks?: boolean
  /** Tasks are attempted several times beside each other, in a repository with a commit; they have no commands. */
  readonly races?: boolean
  /** What would be left open may be reported as what cannot be done, and persons answer that. */
  readonly cannot?: boolean
  /** What else the run is begun and resumed with. */
  readonly config?: Partial<RunConfig>
  /** Names the work item of a key. */
  readonly itemOf?: (key: string) => string
  /** Called after every command that was carried out. */
  readonly onStep?: (taken: Taken, work: ReadonlyMap<string, WorkStatus>) => void
}

export const randomConfig = (random: Random): RunConfig => ({
  ...defaultRunConfig,
  proof: acceptsWeak,
  reviewer: random.pick([null, "critic", "command"]),
  max_retries: random.below(3),
  retry_on: (["INCOMPLETE", "ERROR", "TIMEOUT"] as const).filter(() => random.chance(0.8)),
  max_lost_attempts: random.below(3),
  fail_fast: random.chance(0.25)
})

export const randomHistory = (random: Random, options: HistoryOptions): History => {
  const composition = composePlugins(options.plugins ?? [judge])
  const taken: Array<Taken> = []
  const refused: Array<{ readonly command: AnyCommand; readonly before: Snapshot }> = []
  const work = new Map<string, WorkStatus>()
  const orders = new Map<string, Start>()
  const keysByItem = new Map<string, string>()
  const itemOf = options.itemOf ?? ((key: string) => `item:${key}`)
  let now = emptySnapshot(composition)

  const take = (command: AnyCommand, settles?: string): void => {
    const decided = step(composition, now, command)
    if (Result.isFailure(decided)) {
      refused.push({ command, before: now })
      // a worker whose report is refused is done with the work all the same
      if (settles !== undefined) work.set(settles, "settled")
      return
    }
    const before = now
    now = decided.success.after
    if (settles !== undefined && work.get(settles) === "open") work.set(settles, "settled")
    for (const order of decided.success.starts) {
      // as in every log: what was ordered once is not ordered again
      if (work.has(order.key)) continue
      work.set(order.key, "open")
      orders.set(order.key, order)
      keysByItem.set(itemOf(order.key), order.key)
    }
    for (const dropped of decided.success.cancels) {
      const key = "key" in dropped ? dropped.key : keysByItem.get(dropped.item)
      if (key !== undefined && work.get(key) === "open") work.set(key, "cancelled")
    }
    const entry = { command, before, step: decided.success }
    taken.push(entry)
    options.onStep?.(entry, work)
  }

  /** One more step of a piece of work: begin it, or report on it. */
  const carryOn = (order: Start): void => {
    const { attempt, task_id } = order.input as { readonly task_id: string; readonly attempt: number }
    const current = () => taskOf(stateOf(now), task_id)?.current
    const hasBegun = current()?.attempt === attempt && current()?.outcome === null
    if (order.kind === "activity" || hasBegun) {
      const said = report(random, now, order)
      take(options.cannot === true ? withCannot(said) : said, order.key)
    } else if (random.chance(0.05)) take(activityFailed(task_id, attempt, "attempt", order.key), order.key)
    else {
      take(start(task_id, attempt, { item_id: itemOf(order.key), agent: stateOf(now).run.config.agent }))
      // refused: the worker drops it
      if (current()?.item_id !== itemOf(order.key) && work.get(order.key) === "open") work.set(order.key, "settled")
    }
  }

  const withChunks = options.chunks === true
  const withRaces = options.races === true
  const config = () => ({
    ...randomConfig(random),
    ...(withChunks ? { chunking: randomChunking(random) } : {}),
    ...(withRaces ? { attempts: 2 + random.below(2) } : {}),
    ...options.config
  })
  const begin = aRun(
    randomTasks(random, withChunks ? 3 : 7, () => ({
      ...randomSpec(random),
      chunk: withChunks ? random.pick(["asked", "auto", "no"] as const) : "no",
      ...(withRaces ? { checks: [], checklist: [{ item: "one" }, { item: "two" }].slice(random.below(2)) } : {})
    })),
    config()
  )
  take(withRaces ? { ...begin, base } : begin)
  for (let i = 0; i < options.commands; i++) {
    const open = [...work].flatMap(([key, status]) => (status === "open" ? key : []))
    if (random.chance(0.04)) take(aResume(random, now, config))
    else if (random.chance(0.01)) take(cancel())
    else if (options.wild && random.chance(0.35)) take(anyCommand(random, now, itemOf))
    else if (options.cannot === true && askedIn(stateOf(now)).length > 0 && random.chance(0.3))
      take(anAnswer(random, now))
    else if (open.length > 0) carryOn(orders.get(random.pick(open)) as Start)
    else if (stateOf(now).run.status !== "running") {
      if (random.chance(0.3)) break
      take(aResume(random, now, config))
    }
  }
  return { composition, taken, refused, snapshot: now }
}

export const randomChunking = (random: Random): RunConfig["chunking"] => ({
  ...defaultChunkingConfig,
  enabled: random.chance(0.95),
  auto_detect: random.chance(0.9),
  max_subtasks: 3 + random.below(6),
  execution_mode: random.pick(["auto", "auto", "parallel", "sequential"]),
  retry: { ...defaultChunkingConfig.retry, max_retries: random.below(3) },
  fail_fast: random.chance(0.3),
  review_loop_per_subtask: random.chance(0.7),
  max_iterations: 1 + random.below(3)
})

const base = { commit: "c".repeat(40), snapshot: { sha256: "0".repeat(64), bytes: 2 } }

/** Mostly a plan that can be run. */
const randomAnalysis = (random: Random, items: number): Analysis => {
  const parts = 2 + random.below(5)
  const carried = Array.from({ length: items }, () => random.below(parts))
  return {
    is_decomposable: random.chance(0.9),
    decomposition_reason: "As the die says.",
    criteria: [],
    subtasks: Array.from({ length: parts }, (_, i) => ({
      title: `part ${i + 1}`,
      prompt: `Do part ${i + 1}.`,
      dependencies: Array.from({ length: i }, (_, n) => n + 1).filter(() => random.chance(0.3)),
      acceptance_criteria: random.chance(0.8) ? [`part ${i + 1} is done`, `part ${i + 1} is tried`] : [],
      checklist: carried.flatMap((part, index) => (part === i ? index : [])),
      paths: [],
      changes_files: true
    }))
  }
}

/** What a subtask has shown may be gone. */
const lostProof = (random: Random, state: KernelState, parent: string) =>
  tasksOf(state).flatMap(({ carried, items, parent_task_id, spec }) =>
    parent_task_id === parent
      ? items
          .slice(carried)
          .filter(({ verdict }) => verdict === "proven" && random.chance(0.1))
          .map(({ item }) => ({ subtask_id: spec.id, item, evidence: "src/a.ts:1-2" }))
      : []
  )

const randomSpec = (random: Random) => ({
  checks: random.chance(0.7) ? ["true"] : [],
  checklist: ["one", "two"]
    .slice(0, random.below(3))
    .map((item) => (random.chance(0.2) ? { item, check: `check ${item}` } : { item })),
  validation: random.chance(0.4) ? ["good"] : []
})

/** What a worker says at the end of a piece of work: mostly good, so that histories get far. */
export const report = (random: Random, now: Snapshot, order: Start): AnyCommand => {
  const { attempt, task_id } = order.input as { readonly task_id: string; readonly attempt: number }
  const task = taskOf(stateOf(now), task_id)
  const items = task?.spec.checklist ?? []
  if (order.activity !== "attempt" && order.task_id !== null && random.chance(0.06))
    return activityFailed(task_id, attempt, order.activity, order.key)
  switch (order.activity) {
    case "evidence_again": {
      const { input, key } = order
      const { round } = input as { readonly round: number }
      if (random.chance(0.06)) return { ...activityFailed("", 0, order.activity, key), input }
      const held = heldItems(stateOf(now))
      const stale = held.filter(() => random.chance(0.15)).map((one) => gone(one.task_id, one.attempt, one.index))
      return revisited(round, stale, held.length)
    }
    case "evidence":
      return {
        _tag: "RecordEvidence",
        task_id,
        attempt,
        facts: items.map((_, index) => fact(index, random.chance(0.85) ? "ok" : "file_not_found"))
      }
    case "checks":
      return verified(
        task_id,
        attempt,
        randomChecks(random, [
          ...checksFor(items),
          ...(task?.spec.checks ?? []).map((command) => ({ command, item_index: null }))
        ])
      )
    case "criteria":
      return { ...judged(task_id, attempt, random.chance(0.85) ? "PASS" : "REJECT"), reviewer: criteriaReviewer }
    case "analyzer-agent":
    case "analyzer-heuristic": {
      const analysis = randomAnalysis(random, items.length)
      return {
        _tag: "RecordAnalysis",
        task_id,
        analyzer: order.activity.slice("analyzer-".length),
        started_at: "2026-01-02T03:04:05.000Z",
        analysis
      }
    }
    case "aggregation": {
      const outcome = random.pick(["merged", "merged", "merged", "conflict", "needs_person"] as const)
      const conflicts = outcome === "merged" ? [] : [{ file: "src/a.ts", sources: ["a", "b"] }]
      return {
        _tag: "RecordAggregation",
        task_id,
        duration_ms: 4_000,
        outcome: {
          outcome,
          files_modified: ["src/a.ts"],
          conflicts,
          message: "",
          evidence: [],
          lost: lostProof(random, stateOf(now), task_id)
        }
      }
    }
    case "review":
      return judged(task_id, attempt, random.chance(0.8) ? "PASS" : random.pick(["REJECT", "RETRY"]))
    default:
      if (random.chance(0.06)) return end(task_id, attempt, "LOST", { report: null })
      if (random.chance(0.05)) return endTerminal(task_id, attempt)
      if (random.chance(0.2)) return end(task_id, attempt, random.pick(["ERROR", "TIMEOUT", "INCOMPLETE"]))
      return end(task_id, attempt, "COMPLETE", {
        report: {
          summary: "",
          problems: [],
          checklist: [
            ...items.map(({ item }) => item),
            // evidence for what a reviewer would judge
            ...(task === undefined || !random.chance(0.3) ? [] : acceptanceCriteria(stateOf(now), task))
          ].map((item) =>
            random.chance(0.8)
              ? { item, status: "done", evidence: "src/a.ts:1-2" }
              : random.pick([
                  { item, status: "skipped", reason: "not needed in this case" },
                  { item, status: "pending" }
                ] as const)
          )
        }
      })
  }
}

/** What is left open cannot be done. */
const withCannot = (command: AnyCommand): AnyCommand => {
  if (command._tag !== "EndAttempt") return command
  const { report: said } = command as CommandOf<typeof EndAttempt>
  return said === null || said.checklist === null
    ? command
    : {
        ...command,
        report: {
          ...said,
          checklist: said.checklist.map((one) => (one.status === "pending" ? impossible(one.item) : one))
        }
      }
}

const anAnswer = (random: Random, now: Snapshot): AnyCommand => {
  const { index, task_id } = random.pick(askedIn(stateOf(now)))
  const answer = random.pick(["waive", "waive", "continue", "give_up"] as const)
  return answered(task_id, answer, "like this", random.pick([null, index]))
}

const checksFor = (items: ReadonlyArray<{ readonly item: string; readonly check?: string }>) =>
  items.flatMap(({ check: command }, item_index) => (command === undefined ? [] : [{ command, item_index }]))

const randomChecks = (
  random: Random,
  wanted: ReadonlyArray<{ readonly command: string; readonly item_index: number | null }>
): ReadonlyArray<CheckRun> =>
  wanted
    .filter(() => random.chance(0.97))
    .map((one) => check(random.chance(0.9) ? 0 : random.pick([1, null]), { ...one, timed_out: random.chance(0.02) }))

/** As before, with other settings, or for one of its tasks, whatever that is. */
const aResume = (random: Random, now: Snapshot, config: () => Partial<RunConfig>): AnyCommand => {
  const ids = tasksOf(stateOf(now)).map(({ spec }) => spec.id)
  if (ids.length > 0 && random.chance(0.3)) return resumeFor([random.pick(ids)])
  return random.chance(0.2) ? resume({ ...stateOf(now).run.config, ...config() }) : resume()
}

/** Whatever anybody could send at any time. */
const anyCommand = (random: Random, now: Snapshot, itemOf: (key: string) => string): AnyCommand => {
  const task_id = random.pick([...tasksOf(stateOf(now)).map(({ spec }) => spec.id), "nobody"])
  const attempts = taskOf(stateOf(now), task_id)?.attempts ?? 0
  const attempt = random.pick([attempts, attempts, attempts + 1, attempts - 1, 1])
  return random.pick<AnyCommand>([
    aRun(randomTasks(random, 3)),
    start(task_id, attempt, { item_id: itemOf(workKey("attempt", task_id, attempt, stateOf(now).run.resumes)) }),
    end(task_id, attempt, random.pick(["COMPLETE", "ERROR", "LOST"])),
    endTerminal(task_id, attempt),
    { _tag: "RecordEvidence", task_id, attempt, facts: [fact(0), fact(1)] },
    verified(task_id, attempt, [check(), check(0, { command: "check one", item_index: 0 })]),
    verified(task_id, attempt, []),
    judged(task_id, attempt, random.pick(["PASS", "REJECT"])),
    activityFailed(task_id, attempt, random.pick(["attempt", "review", "other"])),
    revisited(random.below(3), [gone(task_id, attempt)]),
    { _tag: "RecordActivity", name: "other", key: "k", input: { task_id }, result: null },
    { _tag: "SettleAttempt", task_id },
    { _tag: "SkipTask", task_id },
    { _tag: "StartChunking", task_id },
    { _tag: "SkipChunking", task_id },
    { _tag: "SettleChunks", task_id },
    { ...judged(task_id, attempt, random.pick(["PASS", "REJECT"])), reviewer: criteriaReviewer },
    {
      _tag: "RecordAnalysis",
      task_id,
      analyzer: "heuristic",
      started_at: "2026-01-02T03:04:05.000Z",
      analysis: randomAnalysis(random, 1)
    },
    {
      _tag: "RecordAggregation",
      task_id,
      duration_ms: 4_000,
      outcome: { outcome: "merged", files_modified: [], conflicts: [], message: "", evidence: [], lost: [] }
    },
    { _tag: "FinishRun" },
    { _tag: "ExhaustBudget", message: "The time is over." },
    resume()
  ])
}

/** Keys of the work that a task needs now. */
export const wantedKeys = (state: KernelState, task: TaskState): ReadonlyArray<string> =>
  nextWork(state, task).flatMap((intent) => (intent._tag === "Start" && "key" in intent ? intent.key : []))

/** All events of a history, in order. */
export const eventsOf = (history: History): ReadonlyArray<AnyEvent> => history.taken.flatMap((one) => one.step.events)
