import {
  budgetProblem,
  type Cancel,
  candidatesFor,
  holdsCalls,
  type Json,
  plannerOf,
  type RunEnd,
  type RunState,
  remainingBudget,
  retryDelayMs,
  type Spent,
  type Start,
  startableFor
} from "@proofline/kernel"
import { HashMap } from "effect"
import { type CriterionVerdict, isMetBy, type Requirement, type RequirementDefinition } from "./definition.ts"
import { gateOf } from "./gate.ts"
import {
  type ExecuteInput,
  type FactsInput,
  type GenerationRequest,
  generatorActivity,
  names,
  type VerificationRequest,
  verifierActivity
} from "./inputs.ts"
import { type Loop, Requirements, verifiedNow } from "./state.ts"
import { criteriaOf, factsOf, isShownByTasks, missingFor, opinionTask } from "./verdict.ts"

/** What the loop needs now. It follows from the state alone: a crash, a resume and a second worker all come to the same. */
export type Next =
  | { readonly _tag: "Nothing" }
  | Start
  /** Nothing has to be looked at or asked: decide what follows. */
  | { readonly _tag: "Advance" }
  /** The run is over. */
  | End
export interface End {
  readonly _tag: "End"
  readonly end: RunEnd
}

const nothing: Next = { _tag: "Nothing" }
const advance: Next = { _tag: "Advance" }

export const isMet = (loop: Loop, { id }: Requirement): boolean => loop.requirements.get(id)?.met === true

/** What the whole has spent since it was started or resumed, its task runs included. */
export const spentOf = (loop: Loop, { spent }: Pick<RunState, "spent">): Spent => ({
  attempts: spent.attempts + loop.spentBelow.attempts,
  calls: spent.calls + loop.spentBelow.calls,
  tokens: spent.tokens + loop.spentBelow.tokens,
  cost_usd: spent.cost_usd + loop.spentBelow.cost_usd
})

export const nextOf = (loop: Loop, run: RunState): Next => {
  const { definition, halted, stage } = loop
  if (run.status !== "running" || run.kind !== Requirements.name || definition === null) return nothing
  if (halted !== null) {
    // S2's own words for it come first
    if (halted.reason === "failed" && loop.status !== "failed") return advance
    // a task run knows only of what was left for it
    return (halted.reason === "budget" ? budgetExceeded(loop, run, definition) : null) ?? conclusion(loop, definition)
  }
  switch (stage._tag) {
    case "Unloaded":
      return nothing
    case "Verifying":
      return verification(loop, run, definition)
    case "Generating":
      return budgetExceeded(loop, run, definition) ?? generation(loop, run, definition)
    case "Executing":
      return budgetExceeded(loop, run, definition) ?? execution(loop, run, definition)
    case "Ended":
      return conclusion(loop, definition)
  }
}

/** The end of the run, when the loop has ended. Requirements are counted, not tasks. */
const conclusion = (loop: Loop, { requirements }: RequirementDefinition): End => {
  const met = requirements.filter((requirement) => isMet(loop, requirement))
  const counts = { total: requirements.length, completed: met.length, failed: 0, skipped: 0 }
  if (loop.stage._tag === "Ended" && loop.stage.met) {
    const proven = met.reduce((sum, { acceptance_criteria }) => sum + acceptance_criteria.length, 0)
    return { _tag: "End", end: { outcome: "completed", counts, proven, waived: 0 } }
  }
  const reason = loop.halted?.reason ?? "failed"
  const message = loop.halted?.message ?? loop.error ?? ""
  // somebody has stopped it, or has to decide
  if (reason === "cancelled" || reason === "needs_person" || (met.length > 0 && reason === "failed")) {
    return { _tag: "End", end: { outcome: "incomplete", counts, reason: message } }
  }
  const failed = { ...counts, failed: requirements.length - met.length }
  return { _tag: "End", end: { outcome: "failed", counts: failed, reason, message } }
}

/** Nothing more may be spent: on agents at all, or where only attempts are used up, on what leads to attempts. */
const budgetExceeded = (
  loop: Loop,
  run: RunState,
  definition: RequirementDefinition,
  isForAttempts = true
): End | null => {
  const problem = budgetProblem(run.config.budget, spentOf(loop, run))
  return problem === null || !(isForAttempts || holdsCalls(problem))
    ? null
    : conclusion({ ...loop, halted: { reason: "budget", message: problem.message } }, definition)
}

const work = (
  { config, resumes }: RunState,
  loop: Loop,
  activity: string,
  key: ReadonlyArray<string | number>,
  input: Json
): Start => ({
  _tag: "Start",
  key: [activity, ...key, ...(loop.failures === 0 ? [] : [`f${loop.failures}`]), `r${resumes}`].join("/"),
  kind: "activity",
  activity,
  task_id: null,
  input,
  delay_ms: loop.failures === 0 ? 0 : retryDelayMs(config, loop.failures - 1),
  priority: 0
})

const verification = (loop: Loop, run: RunState, definition: RequirementDefinition): Next => {
  const { stage } = loop
  const requirement = verifiedNow(loop)
  if (stage._tag !== "Verifying" || requirement === undefined) return advance
  const { iteration, round } = loop
  const missing = missingFor(loop, requirement)
  if (missing !== null) {
    const input: FactsInput = {
      iteration,
      round,
      requirement_id: requirement.id,
      commands: missing.commands,
      receipts: missing.receipts.flatMap(({ item_index, task_id }) => {
        const receipt =
          task_id === opinionTask
            ? loop.requirements.get(requirement.id)?.opinion?.facts[item_index]?.receipt
            : loop.completed.find(({ id }) => id === task_id)?.items[item_index]?.receipt
        return receipt == null ? [] : [{ task_id, item_index, receipt }]
      })
    }
    const key = [round, requirement.id, ...(stage.facts === null ? [] : ["tasks"])]
    return work(run, loop, names.facts, key, input)
  }
  if (!needsOpinion(loop, requirement, definition)) return advance
  const stopped = budgetExceeded(loop, run, definition, false)
  if (stopped !== null) return stopped
  const { verifier } = definition.verification
  const input: VerificationRequest = {
    run_id: run.run_id,
    iteration,
    round,
    ask: stage.ask,
    requirements: definition,
    requirement_id: requirement.id,
    criteria: withoutOpinion(loop, requirement),
    completed_tasks: loop.completed,
    former: stage.former,
    ...asked(run)
  }
  const key = [round, requirement.id, stage.ask, ...byWhom(run)]
  return work(run, loop, verifierActivity(verifier), key, input)
}

const asked = (run: RunState) => {
  const { config, root } = run
  return {
    agent: startableFor({ run }, plannerOf(config)),
    root,
    timeout_ms: config.timeout_ms,
    idle_timeout_ms: config.idle_timeout_ms
  }
}

/** What the machine has seen says of a requirement, and an opinion of before whose code is still there. */
export const withoutOpinion = (loop: Loop, requirement: Requirement): ReadonlyArray<CriterionVerdict> => {
  const facts = factsOf(loop)
  return criteriaOf(loop, requirement, facts, null, false)
}

/** The opinion of an earlier round, while nothing speaks against it: a met requirement is not asked about again. */
export const standingOpinion = (loop: Loop, { id }: Requirement) => {
  const before = loop.requirements.get(id)
  if (before?.met !== true || before.opinion === null) return null
  const { receipts } = factsOf(loop)
  const isGone = receipts.some(
    ({ status, task_id }) => task_id === opinionTask && status !== "proven" && status !== "re_anchored"
  )
  return isGone ? null : before.opinion
}

/** Somebody has to be asked: nothing speaks against the requirement, and something of it is not shown by a check. */
const needsOpinion = (loop: Loop, requirement: Requirement, definition: RequirementDefinition): boolean => {
  const { trust_agent, verifier } = definition.verification
  if (verifier === "none" || loop.isConfirming || (loop.stage._tag === "Verifying" && loop.stage.unasked !== null))
    return false
  if (standingOpinion(loop, requirement) !== null) return false
  const criteria = withoutOpinion(loop, requirement)
  const restsOnTasks = criteria.some(isShownByTasks)
  // before anything was done, an opinion that proves nothing is not worth a call
  if (loop.iteration === loop.offset && !trust_agent && !(restsOnTasks && loop.proof.verifier_named)) return false
  return (
    (restsOnTasks || criteria.some(({ verdict }) => verdict === "unproven")) &&
    criteria.every((one) => one.verdict === "unproven" || isMetBy(one))
  )
}

/** Ids of the criteria that are not proven; `isGate`: only of requirements that gate success. */
export const unmetCriteria = (loop: Loop, definition: RequirementDefinition, isGate: boolean): ReadonlyArray<string> =>
  (isGate ? gateOf(definition) : definition.requirements).flatMap((requirement) => {
    const criteria = loop.requirements.get(requirement.id)?.criteria
    return requirement.acceptance_criteria.flatMap(({ id }) =>
      criteria?.some((one) => one.id === id && isMetBy(one)) === true ? [] : [id]
    )
  })

const generation = (loop: Loop, run: RunState, definition: RequirementDefinition): Next => {
  const { iteration, stage } = loop
  if (stage._tag !== "Generating") return nothing
  const { generator } = definition.generation
  const input: GenerationRequest = {
    run_id: run.run_id,
    iteration,
    round: loop.round,
    ask: stage.ask,
    requirements: definition,
    unmet: unmetCriteria(loop, definition, false),
    completed_tasks: loop.completed,
    taken_ids: loop.planned.map(({ id }) => id),
    previous_feedback: feedbackOf(loop, definition),
    former: stage.former,
    ...asked(run)
  }
  return work(run, loop, generatorActivity(generator), [loop.round, iteration, stage.ask, ...byWhom(run)], input)
}

/** What is asked of another agent than before is other work. */
const byWhom = (run: RunState): ReadonlyArray<string> => {
  const { agent } = asked(run)
  return agent === plannerOf(run.config) ? [] : [`by-${agent}`]
}

/** What is not met and why, for whoever plans the next tasks; null: nothing was planned so far. */
export const feedbackOf = (loop: Loop, definition: RequirementDefinition): string | null =>
  loop.planned.length === 0 ? null : openOf(loop, definition)

/** What is not met and why. */
export const openOf = (loop: Loop, definition: RequirementDefinition): string =>
  definition.requirements
    .flatMap((requirement) => {
      if (isMet(loop, requirement)) return []
      const criteria = loop.requirements.get(requirement.id)?.criteria ?? []
      const open = criteria.filter((one) => !isMetBy(one))
      const text = (id: string) => requirement.acceptance_criteria.find((one) => one.id === id)?.criterion ?? id
      return open.map(({ id, message, verdict }) => `- ${id} (${verdict}): ${text(id)} ${message}`)
    })
    .concat(lostTasks(loop))
    .join("\n")

/** Tasks of the last iteration that came to nothing. */
const lostTasks = ({ iterations }: Loop): ReadonlyArray<string> =>
  (iterations.findLast(({ ended }) => ended !== null)?.ended?.tasks ?? []).flatMap(({ id, message, status }) =>
    status === "completed" ? [] : [`- task ${id} is ${status}: ${message}`]
  )

const execution = (loop: Loop, run: RunState, definition: RequirementDefinition): Next => {
  const { iteration } = loop
  const current = loop.iterations.find(({ iteration_number }) => iteration_number === iteration)
  if (current?.tasks_yaml_path == null) return nothing
  const input: ExecuteInput = {
    iteration,
    run_id: childId(run.run_id, iteration),
    name: `${definition.name} (iteration ${iteration})`,
    tasks_yaml_path: current.tasks_yaml_path,
    header: headerOf(loop, run),
    tasks: current.tasks,
    chunk: loop.chunk,
    goal: goalOf(definition),
    completed: loop.completed.map(({ files, id, shown, summary, title }) => ({
      task_id: id,
      title,
      summary,
      files,
      ...(shown === undefined ? {} : { shown })
    })),
    budget: remainingBudget(run.config.budget, spentOf(loop, run))
  }
  return work(run, loop, names.execute, [iteration], input)
}

/** The task run of an iteration: the same iteration has the same one, whoever drives it. */
export const childId = (run: string, iteration: number): string => `${run}-iter${iteration}`

const headerOf = (loop: Loop, run: RunState): ReadonlyArray<string> => {
  const earlier = loop.completed.filter(({ iteration }) => iteration < loop.iteration).map(({ id }) => id)
  return [
    `Tasks of iteration ${loop.iteration}, made from ${loop.requirements_path} (run ${run.run_id}).`,
    ...(earlier.length === 0 ? [] : [`Completed before: ${earlier.join(", ")}`, "Only new tasks:"])
  ]
}

const goalOf = ({ constraints, context, name, requirements }: RequirementDefinition): string =>
  [
    `The goal: ${name}.`,
    context.trim(),
    ["Its requirements:", ...requirements.map(({ description, id }) => `- ${id}: ${description.trim()}`)].join("\n"),
    constraints.length === 0 ? "" : ["Constraints:", ...constraints.map((text) => `- ${text}`)].join("\n")
  ]
    .filter((part) => part !== "")
    .join("\n\n")

/** Work that may still lie in the queue, under every name it can have had. Unknown names are harmless. */
export const withdrawn = (loop: Loop, run: RunState, resumes: number): ReadonlyArray<Cancel> => {
  const { stage } = loop
  const stages: ReadonlyArray<Loop["stage"]> =
    stage._tag === "Verifying" ? [{ ...stage, facts: null }, { ...stage, facts: { receipts: [] } }, stage] : [stage]
  const runs = candidatesFor(run.config, plannerOf(run.config)).map((_, index, all) =>
    askingAfter(run, all.slice(0, index))
  )
  const keys = stages.flatMap((one) =>
    runs.flatMap((asking) =>
      Array.from({ length: run.config.max_retries + 1 }, (_, failures) => {
        const next = nextOf({ ...loop, stage: one, failures, halted: null }, { ...asking, status: "running", resumes })
        return next._tag === "Start" ? [next.key] : []
      }).flat()
    )
  )
  return [...new Set(keys)].map((key) => ({ _tag: "Cancel", work: { key } }))
}

/** The run as it is once these agents cannot be started any more. */
const askingAfter = (run: RunState, agents: ReadonlyArray<string>): RunState => ({
  ...run,
  breakers: HashMap.fromIterable(agents.map((agent) => [agent, { code: "", message: "" }] as const))
})
