import type {
  CompletedTask,
  CriterionVerdict,
  FormerAnswer,
  GeneratedTask,
  KernelEvent,
  LoopBStatus,
  Opinion,
  PluginEvent,
  RequirementDefinition,
  RunConfig,
  Spent
} from "@proofline/kernel"
import { generatorActivity, nothingSpent, verifierActivity } from "@proofline/kernel"
import type { ContentOf, Covered, LoopCheck, LoopEvent, ReceiptCheck } from "./events.ts"

/** A requirement as the last verification left it. */
export interface RequirementState {
  readonly requirement_id: string
  readonly verdict: "proven" | "refuted" | "unproven" | "stale"
  readonly met: boolean
  readonly criteria: ReadonlyArray<CriterionVerdict>
  readonly opinion: Opinion | null
}

/** One turn of the loop. Source: requirements loop, "from its history to that of the task loop". */
export interface LoopBIteration {
  /** From 1. */
  readonly iteration_number: number
  /** Null: none was generated. */
  readonly tasks_yaml_path: string | null
  /** The task run of it; null: none was started. */
  readonly loop_c_history_id: string | null
  readonly tasks: ReadonlyArray<GeneratedTask>
  /** Criteria that the plan left out. */
  readonly uncovered: ReadonlyArray<string>
  /** The end of the task run; null: it has not ended. */
  readonly ended: ContentOf<"TASK_RUN_ENDED"> | null
  /** Null: it was not verified. */
  readonly verification_result: ContentOf<"REQUIREMENTS_VERIFIED"> | null
  readonly unmet_requirements: ReadonlyArray<string>
}

/** What has to happen next. */
export type Stage =
  | { readonly _tag: "Unloaded" }
  | {
      readonly _tag: "Verifying"
      /** Index of the requirement. */
      readonly index: number
      /** What the machine has seen of it; null: it has not looked. */
      readonly facts: { readonly receipts: ReadonlyArray<ReceiptCheck> } | null
      readonly ask: number
      readonly former: FormerAnswer | null
      /** Nobody will say anything of it any more: why, in a sentence. */
      readonly unasked: string | null
    }
  | {
      readonly _tag: "Generating"
      readonly ask: number
      readonly former: FormerAnswer | null
      /** A plan that could be run, but leaves criteria out. */
      readonly kept: { readonly tasks: ReadonlyArray<GeneratedTask>; readonly uncovered: ReadonlyArray<string> } | null
      readonly isAskedForGap: boolean
    }
  | { readonly _tag: "Executing" }
  | { readonly _tag: "Ended"; readonly met: boolean }

/** Why the run stops although there is something to do. */
export interface Halt {
  readonly reason: "failed" | "breaker" | "budget" | "cancelled" | "needs_person"
  readonly message: string
}

/** A task that was ever planned, with the criteria it or one of its items covers. */
export interface PlannedTask {
  readonly id: string
  readonly iteration: number
  readonly covers: ReadonlyArray<Covered>
}

/** The loop of a requirements run. An immutable value: folding an event gives a new one. */
export interface Loop {
  readonly definition: RequirementDefinition | null
  readonly requirements_path: string
  readonly sha256: string
  readonly tasks_output_dir: string
  readonly feature: string
  readonly chunk: ContentOf<"REQUIREMENTS_LOADED">["chunk"]
  readonly max_iterations: number
  /** Number of the last iteration that may be begun. */
  readonly limit: number
  /** Iterations of earlier runs of the same file. */
  readonly offset: number
  readonly status: LoopBStatus
  /** The current one, from 1; what `offset` says before the first. */
  readonly iteration: number
  readonly iterations: ReadonlyArray<LoopBIteration>
  readonly planned: ReadonlyArray<PlannedTask>
  /** Over all iterations, each once. */
  readonly completed: ReadonlyArray<CompletedTask>
  /** By requirement, as far as they were verified under this definition. */
  readonly requirements: ReadonlyMap<string, RequirementState>
  readonly stage: Stage
  readonly halted: Halt | null
  /** Activities in a row that failed in this stage. */
  readonly failures: number
  /** Commands that were run in this round of verification, by `runKey`. */
  readonly runs: ReadonlyMap<string, LoopCheck>
  /** How often everything was verified from the first requirement on. */
  readonly round: number
  /** Somebody was asked in this round. */
  readonly hasAsked: boolean
  /** This round only confirms the one before. */
  readonly isConfirming: boolean
  /** What the file said at the end of a drive, when that is not what was loaded; null: the same. */
  readonly changed_meanwhile: string | null
  /** What was being done when other requirements were loaded: nobody waits for it any more. */
  readonly replaced: Omit<Loop, "replaced"> | null
  /** What task runs have used since this run was started or resumed. */
  readonly spentBelow: Spent
  readonly config: Pick<RunConfig, "max_retries" | "retry_delay_ms" | "backoff_multiplier"> | null
  readonly error: string | null
}

export const noLoop: Loop = {
  definition: null,
  requirements_path: "",
  sha256: "",
  tasks_output_dir: "",
  feature: "",
  chunk: "no",
  max_iterations: 3,
  limit: 3,
  offset: 0,
  status: "verifying_requirements",
  iteration: 0,
  iterations: [],
  planned: [],
  completed: [],
  requirements: new Map(),
  stage: { _tag: "Unloaded" },
  halted: null,
  failures: 0,
  runs: new Map(),
  round: 0,
  hasAsked: false,
  isConfirming: false,
  changed_meanwhile: null,
  replaced: null,
  spentBelow: nothingSpent,
  config: null,
  error: null
}

const fromFirst = { _tag: "Verifying", index: 0, facts: null, ask: 1, former: null, unasked: null } as const
const freshPlan = { _tag: "Generating", ask: 1, former: null, kept: null, isAskedForGap: false } as const

/** Verifies everything from the first requirement on. */
const verifying = (loop: Loop): Loop => ({
  ...loop,
  status: "verifying_requirements",
  stage: fromFirst,
  failures: 0,
  runs: new Map(),
  hasAsked: false,
  isConfirming: false,
  round: loop.round + 1
})

/** What is true of the loop after an event. */
export const evolveLoop = (loop: Loop, { content, type }: KernelEvent | PluginEvent): Loop => {
  const event = { content, type } as KernelEvent | LoopEvent
  switch (event.type) {
    case "RUN_STARTED":
      return { ...loop, config: event.content.config }
    case "RUN_RESUMED":
      return resumed({ ...loop, config: event.content.config ?? loop.config })
    case "REQUIREMENTS_LOADED":
      return { ...loaded(loop, event.content), changed_meanwhile: null }
    case "REQUIREMENTS_FILE_CHANGED":
      return { ...loop, changed_meanwhile: event.content.sha256 }
    case "CONFIRMATION_STARTED":
      return { ...verifying(loop), isConfirming: true }
    case "ITERATION_STARTED":
      return {
        ...loop,
        iteration: event.content.iteration,
        status: event.content.status,
        stage: freshPlan,
        failures: 0,
        iterations: [
          ...loop.iterations,
          {
            iteration_number: event.content.iteration,
            tasks_yaml_path: null,
            loop_c_history_id: null,
            tasks: [],
            uncovered: [],
            ended: null,
            verification_result: null,
            unmet_requirements: []
          }
        ]
      }
    case "ANSWER_REFUSED":
      return refused(loop, event.content)
    case "TASKS_GENERATED": {
      const { iteration, tasks, tasks_yaml_path, uncovered } = event.content
      return {
        ...withIteration(loop, iteration, { tasks, tasks_yaml_path, uncovered }),
        status: "executing_tasks",
        stage: { _tag: "Executing" },
        failures: 0,
        planned: [
          ...loop.planned,
          ...tasks.map((task) => ({ id: task.id, iteration, covers: coveredBy(loop.definition, task) }))
        ]
      }
    }
    case "TASK_RUN_LINKED":
      return withIteration(loop, event.content.iteration, { loop_c_history_id: event.content.run_id })
    case "TASK_RUN_ENDED":
      return ended(loop, event.content)
    case "CRITERIA_CHECKED": {
      const { receipts, runs } = event.content
      return loop.stage._tag !== "Verifying"
        ? loop
        : {
            ...loop,
            stage: { ...loop.stage, facts: { receipts } },
            runs: new Map([...loop.runs, ...runs.map((run) => [runKey(run), run] as const)])
          }
    }
    case "REQUIREMENT_VERIFIED": {
      const { ask, criteria, met, opinion, requirement_id, verdict } = event.content
      if (loop.stage._tag !== "Verifying") return loop
      return {
        ...loop,
        hasAsked: loop.hasAsked || ask > 0,
        requirements: new Map([
          ...loop.requirements,
          [requirement_id, { requirement_id, verdict, met, criteria, opinion }]
        ]),
        stage: { ...fromFirst, index: loop.stage.index + 1 },
        failures: 0
      }
    }
    case "REQUIREMENTS_VERIFIED":
      return withIteration(loop, event.content.iteration, {
        verification_result: event.content,
        unmet_requirements: event.content.unmet_requirements
      })
    case "REQUIREMENTS_MET":
      return { ...loop, status: "completed", stage: { _tag: "Ended", met: true }, error: null }
    case "REQUIREMENTS_UNMET": {
      const { message, reason } = event.content
      return {
        ...loop,
        status: "failed",
        // what could not be done is tried again by a resume
        ...(reason === "iterations_used_up" ? { stage: { _tag: "Ended", met: false } as const } : {}),
        halted: { reason: "failed", message },
        error: message
      }
    }
    case "ACTIVITY_FAILED":
      return failed(loop, event.content)
    default:
      return loop
  }
}

/** The criteria a task is to meet, by itself or by one of its items. */
export const coversOf = (task: Pick<GeneratedTask, "covers" | "checklist">): ReadonlyArray<string> => [
  ...new Set([...task.covers, ...task.checklist.flatMap(({ covers = [] }) => covers)])
]

/** The same with the words of then. */
const coveredBy = (definition: RequirementDefinition | null, task: GeneratedTask): ReadonlyArray<Covered> => {
  const ids = new Set(coversOf(task))
  return (definition?.requirements ?? []).flatMap(({ acceptance_criteria, id: requirement_id }) =>
    acceptance_criteria.flatMap(({ criterion, id }) => (ids.has(id) ? [{ id, requirement_id, criterion }] : []))
  )
}

/** What is run once in a round. */
export const runKey = ({ command, task_id }: Pick<LoopCheck, "command" | "task_id">): string =>
  `${task_id ?? ""} ${command}`

const withIteration = (loop: Loop, number: number, change: Partial<LoopBIteration>): Loop => ({
  ...loop,
  iterations: loop.iterations.map((one) => (one.iteration_number === number ? { ...one, ...change } : one))
})

const loaded = (loop: Loop, content: ContentOf<"REQUIREMENTS_LOADED">): Loop => {
  const { carried, changed, max_iterations, ...file } = content
  const offset = carried?.iteration ?? loop.offset
  const { replaced: _before, ...before } = loop
  // an iteration that has no tasks yet is begun again, by what is wanted now
  const isPlanning = changed && loop.stage._tag === "Generating"
  const limit = Math.max(
    // a run that had used its iterations up gets as many again
    loop.stage._tag === "Ended" ? loop.iteration + max_iterations : loop.iteration,
    offset + max_iterations
  )
  if (changed && file.sha256 === loop.sha256) return { ...loop, ...file, max_iterations, limit }
  const whole: Loop = {
    ...loop,
    ...file,
    max_iterations,
    offset,
    limit,
    replaced: changed ? before : null,
    iteration: changed ? loop.iteration - Number(isPlanning) : offset,
    iterations: isPlanning ? loop.iterations.slice(0, -1) : loop.iterations,
    planned: carried?.planned ?? loop.planned,
    completed: carried?.completed ?? loop.completed,
    // what was shown of other words shows nothing of these
    requirements: new Map()
  }
  // tasks that are under way are finished first
  return loop.stage._tag === "Executing" ? whole : verifying(whole)
}

/** Taken up again: a new budget, and what could not be done is tried again. */
const resumed = (loop: Loop): Loop => {
  const again: Loop = { ...loop, halted: null, failures: 0, spentBelow: nothingSpent, error: null }
  switch (loop.stage._tag) {
    case "Ended":
      // somebody may have mended what was missing
      return verifying({ ...again, limit: loop.iteration + loop.max_iterations })
    case "Generating":
      // what was asked for and not answered is asked for again
      return {
        ...again,
        status: generatingStatus(loop),
        stage: loop.halted?.reason === "failed" ? freshPlan : loop.stage
      }
    case "Verifying":
      // the project may have been changed since it was looked at
      return {
        ...again,
        status: "verifying_requirements",
        stage: { ...loop.stage, facts: null, unasked: null },
        runs: new Map()
      }
    case "Executing":
      return { ...again, status: "executing_tasks" }
    case "Unloaded":
      return again
  }
}

/** S2 has two names for it. */
export const generatingStatus = ({ iteration, offset }: Pick<Loop, "iteration" | "offset">): LoopBStatus =>
  iteration <= offset + 1 ? "generating_tasks" : "generating_additional_tasks"

const refused = (loop: Loop, content: ContentOf<"ANSWER_REFUSED">): Loop => {
  const former = { answer: content.answer ?? "", problems: content.problems }
  const { stage } = loop
  if (content.role === "verify" && stage._tag === "Verifying") {
    return content.ask < timesAsked
      ? { ...loop, hasAsked: true, stage: { ...stage, ask: content.ask + 1, former } }
      : {
          ...loop,
          stage: { ...stage, unasked: `${content.by} gave no answer that can be used: ${content.problems.join(" ")}` }
        }
  }
  if (content.role !== "generate" || stage._tag !== "Generating") return loop
  return {
    ...loop,
    stage: {
      ...stage,
      ask: content.ask + 1,
      former,
      ...(content.reason === "gap"
        ? { kept: { tasks: content.tasks, uncovered: content.uncovered }, isAskedForGap: true }
        : {})
    }
  }
}

/** How often one thing is asked for, with what was wrong before. */
export const timesAsked = 2

const ended = (loop: Loop, content: ContentOf<"TASK_RUN_ENDED">): Loop => {
  const { iteration, message, run_id, spent, stopped, tasks } = content
  const made = new Map(
    (loop.iterations.find((one) => one.iteration_number === iteration)?.tasks ?? []).map((task) => [task.id, task])
  )
  const now = tasks.flatMap(
    (task): ReadonlyArray<CompletedTask> =>
      task.status === "completed" ? [{ ...task, covers: made.get(task.id)?.covers ?? [], iteration, run_id }] : []
  )
  const ids = new Set(now.map(({ id }) => id))
  const after: Loop = {
    ...withIteration(loop, iteration, { ended: content }),
    completed: [...loop.completed.filter(({ id }) => !ids.has(id)), ...now],
    spentBelow: {
      attempts: loop.spentBelow.attempts + spent.attempts,
      calls: loop.spentBelow.calls + spent.calls,
      tokens: loop.spentBelow.tokens + spent.tokens,
      cost_usd: loop.spentBelow.cost_usd + spent.cost_usd
    }
  }
  // its tasks are not over: a resume goes on with them
  return stopped === null ? verifying(after) : { ...after, halted: { reason: stopped, message }, error: message }
}

/** Failures of generators and verifiers that the same again cannot help. */
const final: ReadonlySet<string> = new Set(["plan_missing", "plan_unreadable", "activity_unknown", "activity_broken"])

const failed = (
  loop: Loop,
  { agent, code, message, name, terminal }: Extract<KernelEvent, { readonly type: "ACTIVITY_FAILED" }>["content"]
): Loop => {
  if (loop.halted !== null || !isOf(loop.stage, name)) return loop
  if (terminal === true) {
    return { ...loop, halted: { reason: "breaker", message: `Agent ${agent} cannot work: ${message}` }, error: message }
  }
  if (isAsked(name) && !final.has(code) && loop.failures < (loop.config?.max_retries ?? 0)) {
    return { ...loop, failures: loop.failures + 1 }
  }
  // what nobody could look at stays unproven
  if (loop.stage._tag === "Verifying" && isVerifier(name)) {
    return { ...loop, stage: { ...loop.stage, unasked: message }, failures: 0 }
  }
  return { ...loop, halted: { reason: "failed", message }, error: message }
}

/** Activities of the plugin itself. */
export const names = { facts: "requirements-facts", execute: "requirements-execute" } as const

const isGenerator = (name: string): boolean => name.startsWith(generatorActivity(""))
const isVerifier = (name: string): boolean => name.startsWith(verifierActivity(""))
const isAsked = (name: string): boolean => isGenerator(name) || isVerifier(name)

/** What fails late, of a stage that is over, is no failure of this one. */
const isOf = (stage: Stage, name: string): boolean => {
  switch (stage._tag) {
    case "Verifying":
      return stage.facts === null ? name === names.facts : isVerifier(name)
    case "Generating":
      return isGenerator(name)
    case "Executing":
      return name === names.execute
    default:
      return false
  }
}
