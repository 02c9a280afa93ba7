import { type AwaitedBy, candidatesFor, nothingSpent, plannerOf, type ReportedFailure } from "@proofline/kernel"
import type { ContentOf, Covered } from "./contents.ts"
import type { CompletedTask, GeneratedTask, RequirementDefinition } from "./definition.ts"
import { generatorActivity, names, verifierActivity } from "./inputs.ts"
import {
  coversOf,
  generatingStatus,
  isSameProof,
  type Loop,
  type LoopBIteration,
  Requirements,
  runKey,
  timesAsked,
  verifiedNow
} from "./state.ts"
import { factsOf, missingFor } from "./verdict.ts"

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

/** A run of any kind has begun: how often work is tried again. */
export const begun = (loop: Loop, { config }: { readonly config: Loop["config"] }): Loop => ({ ...loop, config })

export const fileLoaded = (loop: Loop, content: ContentOf<"REQUIREMENTS_LOADED">): Loop => ({
  ...loaded(loop, content),
  changed_meanwhile: null
})

export const confirming = (loop: Loop): Loop => ({ ...verifying(loop), isConfirming: true })

export const iterationStarted = (loop: Loop, { iteration, status }: ContentOf<"ITERATION_STARTED">): Loop => ({
  ...loop,
  iteration,
  status,
  stage: freshPlan,
  failures: 0,
  iterations: [
    ...loop.iterations,
    {
      iteration_number: iteration,
      tasks_yaml_path: null,
      loop_c_history_id: null,
      tasks: [],
      uncovered: [],
      ended: null,
      verification_result: null,
      unmet_requirements: []
    }
  ]
})

export const planned = (
  loop: Loop,
  { iteration, tasks, tasks_yaml_path, uncovered }: ContentOf<"TASKS_GENERATED">
): Loop => ({
  ...withIteration(loop, iteration, { tasks, tasks_yaml_path, uncovered }),
  status: "executing_tasks",
  stage: { _tag: "Executing" },
  failures: 0,
  planned: [
    ...loop.planned,
    ...tasks.map((task) => ({ id: task.id, iteration, covers: coveredBy(loop.definition, task) }))
  ]
})

export const linked = (loop: Loop, { iteration, run_id }: ContentOf<"TASK_RUN_LINKED">): Loop =>
  withIteration(loop, iteration, { loop_c_history_id: run_id })

export const checked = (loop: Loop, { receipts, runs }: ContentOf<"CRITERIA_CHECKED">): Loop =>
  loop.stage._tag !== "Verifying"
    ? loop
    : {
        ...loop,
        stage: { ...loop.stage, facts: { receipts: [...factsOf(loop).receipts, ...receipts] } },
        runs: new Map([...loop.runs, ...runs.map((run) => [runKey(run), run] as const)])
      }

export const requirementVerified = (
  loop: Loop,
  { ask, criteria, met, opinion, requirement_id, verdict }: ContentOf<"REQUIREMENT_VERIFIED">
): Loop =>
  loop.stage._tag !== "Verifying"
    ? loop
    : {
        ...loop,
        hasAsked: loop.hasAsked || ask > 0,
        requirements: new Map([
          ...loop.requirements,
          [requirement_id, { requirement_id, verdict, met, criteria, opinion }]
        ]),
        stage: { ...fromFirst, index: loop.stage.index + 1 },
        failures: 0
      }

export const allVerified = (loop: Loop, content: ContentOf<"REQUIREMENTS_VERIFIED">): Loop =>
  withIteration(loop, content.iteration, {
    verification_result: content,
    unmet_requirements: content.unmet_requirements
  })

export const allMet = (loop: Loop): Loop => ({
  ...loop,
  status: "completed",
  stage: { _tag: "Ended", met: true },
  error: null
})

export const notMet = (loop: Loop, { message, reason }: ContentOf<"REQUIREMENTS_UNMET">): Loop => ({
  ...loop,
  status: "failed",
  // what could not be done is tried again by a resume
  ...(reason === "iterations_used_up" ? { stage: { _tag: "Ended", met: false } as const } : {}),
  halted: { reason: "failed", message },
  error: message
})

/** The same with the words of then. */
const coveredBy = (definition: RequirementDefinition | null, task: GeneratedTask): ReadonlyArray<Covered> => {
  const ids = new Set(coversOf(task))
  return (definition?.requirements ?? []).flatMap(({ acceptance_criteria, id: requirement_id }) =>
    acceptance_criteria.flatMap(({ criterion, id }) => (ids.has(id) ? [{ id, requirement_id, criterion }] : []))
  )
}

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
  if (changed && file.sha256 === loop.sha256 && isSameProof(file.proof, loop))
    return { ...loop, ...file, max_iterations, limit }
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
export const resumed = (loop: Loop, { config }: { readonly config: Loop["config"] }): Loop => {
  const again: Loop = {
    ...loop,
    config: config ?? loop.config,
    halted: null,
    failures: 0,
    spentBelow: nothingSpent,
    error: null
  }
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

export const refused = (loop: Loop, content: ContentOf<"ANSWER_REFUSED">): Loop => {
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

export const ended = (loop: Loop, content: ContentOf<"TASK_RUN_ENDED">): Loop => {
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

/** Somebody else is asked in its place. */
const isFollowed = ({ config }: Loop, agent: string | undefined): boolean => {
  if (config === null || agent === undefined) return false
  const candidates = candidatesFor(config, plannerOf(config))
  return candidates.includes(agent) && candidates.at(-1) !== agent
}

/** What follows for the loop when work that it waits for could not be done. */
const withoutWork = (loop: Loop, { agent, code, message, name, terminal }: ReportedFailure): Loop => {
  if (terminal === true) {
    if (isFollowed(loop, agent)) return loop
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

export const failed = (loop: Loop, failure: ReportedFailure & { readonly awaited_by: AwaitedBy | null }): Loop =>
  failure.awaited_by?.plugin === Requirements.name ? withoutWork(loop, failure) : loop

/** Whether the loop waits for work that could not be done, and goes on without it; null: it does not wait for it. */
export const awaits = (loop: Loop, failure: ReportedFailure): AwaitedBy | null => {
  if (loop.halted !== null || !isOf(loop, failure.name)) return null
  const consequence =
    failure.terminal === true && failure.agent !== undefined
      ? "agent_unavailable"
      : withoutWork(loop, failure).halted === null
        ? "survived"
        : "blocked"
  return { plugin: Requirements.name, task_id: null, consequence }
}

const isGenerator = (name: string): boolean => name.startsWith(generatorActivity(""))
const isVerifier = (name: string): boolean => name.startsWith(verifierActivity(""))
const isAsked = (name: string): boolean => isGenerator(name) || isVerifier(name)

/** What fails late, of a stage that is over, is no failure of this one. */
const isOf = (loop: Loop, name: string): boolean => {
  switch (loop.stage._tag) {
    case "Verifying": {
      const requirement = verifiedNow(loop)
      const isLookedAt = requirement !== undefined && missingFor(loop, requirement) === null
      return isLookedAt ? isVerifier(name) : name === names.facts
    }
    case "Generating":
      return isGenerator(name)
    case "Executing":
      return name === names.execute
    default:
      return false
  }
}
