import {
  type Begin,
  type Command,
  type CriterionVerdict,
  type GeneratedTask,
  graphProblem,
  type KernelEvent,
  type PluginCommand,
  type PluginEvent,
  type RecordOpinion,
  type RecordPlan,
  type Rejection,
  type Requirement,
  type RequirementDefinition,
  reject,
  type State
} from "@proofline/kernel"
import { Result } from "effect"
import type { ContentOf, LoopCheck, LoopEvent, LoopEventType, ReceiptCheck } from "./events.ts"
import {
  factsOf,
  feedbackOf,
  gateOf,
  isMet,
  nextOf,
  openOf,
  standingOpinion,
  unmetCriteria,
  withoutOpinion
} from "./next.ts"
import { coversOf, evolveLoop, generatingStatus, type Loop, timesAsked } from "./state.ts"
import { criteriaOf, verdictOf } from "./verdict.ts"

type Decision = Result.Result<ReadonlyArray<LoopEvent>, Rejection>

/** The requirements of a run, at its beginning or when their file has changed. */
export interface Load extends PluginCommand, Omit<ContentOf<"REQUIREMENTS_LOADED">, "changed"> {
  readonly _tag: "requirements.Load"
}

/** The task run of an iteration is about to be driven. */
export interface LinkRun extends PluginCommand, ContentOf<"TASK_RUN_LINKED"> {
  readonly _tag: "requirements.LinkRun"
}

export interface RecordRun extends PluginCommand, ContentOf<"TASK_RUN_ENDED"> {
  readonly _tag: "requirements.RecordRun"
}

export interface RecordFacts extends PluginCommand {
  readonly _tag: "requirements.RecordFacts"
  readonly iteration: number
  readonly round: number
  readonly requirement_id: string
  readonly runs: ReadonlyArray<LoopCheck>
  readonly receipts: ReadonlyArray<ReceiptCheck>
}

/** Decides what follows from what is known. */
export interface Advance extends PluginCommand {
  readonly _tag: "requirements.Advance"
}

/** What its file says now, at the end of a drive: other than what was loaded, somebody changed it meanwhile. */
export interface NoteFile extends PluginCommand {
  readonly _tag: "requirements.NoteFile"
  readonly sha256: string
}

export type LoopCommand =
  | Load
  | NoteFile
  | Begin
  | LinkRun
  | RecordRun
  | RecordFacts
  | RecordPlan
  | RecordOpinion
  | Advance

export const commandTags: ReadonlyArray<LoopCommand["_tag"]> = [
  "requirements.Load",
  "requirements.NoteFile",
  "requirements.Begin",
  "requirements.LinkRun",
  "requirements.RecordRun",
  "requirements.RecordFacts",
  "requirements.RecordPlan",
  "requirements.RecordOpinion",
  "requirements.Advance"
]

const event = <T extends LoopEventType>(type: T, content: ContentOf<T>): LoopEvent => ({ type, content }) as LoopEvent

const notWaitedFor = (what: string): Decision =>
  Result.fail(reject("task_not_ready", `The run does not wait for ${what}.`, "Drop this result."))

export const decideLoop = (
  command: Command | PluginCommand,
  state: State,
  loop: Loop
): Result.Result<ReadonlyArray<KernelEvent | PluginEvent>, Rejection> =>
  decide(command as LoopCommand, state, loop) as Result.Result<ReadonlyArray<PluginEvent>, Rejection>

const decide = (command: LoopCommand, state: State, loop: Loop): Decision => {
  if (state.kind !== "requirements" || state.status === "none") {
    return Result.fail(
      reject("run_not_requirements", `Run ${state.run_id} has no requirements.`, "Start it from a requirements.yaml.")
    )
  }
  if (command._tag === "requirements.Load") return load(command, state, loop)
  if (command._tag === "requirements.NoteFile") {
    const { sha256 } = command
    const isKnown = sha256 === loop.sha256 || sha256 === loop.changed_meanwhile
    return Result.succeed(isKnown ? [] : [event("REQUIREMENTS_FILE_CHANGED", { sha256 })])
  }
  if (state.status !== "running") return notWaitedFor("anything")
  switch (command._tag) {
    case "requirements.Begin":
      return isAwaited(command, loop) ? Result.succeed([]) : notWaitedFor("this answer")
    case "requirements.LinkRun": {
      const { _tag, ...content } = command
      const known = loop.iterations.find(({ iteration_number }) => iteration_number === content.iteration)
      if (loop.stage._tag !== "Executing" || content.iteration !== loop.iteration) return notWaitedFor("this task run")
      return Result.succeed(known?.loop_c_history_id === content.run_id ? [] : [event("TASK_RUN_LINKED", content)])
    }
    case "requirements.RecordRun": {
      const { _tag, ...content } = command
      return loop.stage._tag === "Executing" && content.iteration === loop.iteration && loop.halted === null
        ? Result.succeed([event("TASK_RUN_ENDED", content)])
        : notWaitedFor("the end of this task run")
    }
    case "requirements.RecordFacts": {
      const { _tag, ...content } = command
      return awaited(loop, content, false)
        ? Result.succeed([event("CRITERIA_CHECKED", content)])
        : notWaitedFor("a look at this requirement")
    }
    case "requirements.RecordPlan":
      return recordPlan(command, loop)
    case "requirements.RecordOpinion":
      return recordOpinion(command, loop)
    case "requirements.Advance":
      return Result.succeed(advance(state, loop))
  }
}

const load = ({ _tag, ...content }: Load, state: State, loop: Loop): Decision => {
  if (state.status === "completed") {
    return Result.fail(
      reject("run_completed", `Run ${state.run_id} is completed; its requirements are met.`, "Start a new run.")
    )
  }
  const isFirst = loop.definition === null
  const isSame =
    loop.sha256 === content.sha256 &&
    loop.max_iterations === content.max_iterations &&
    loop.tasks_output_dir === content.tasks_output_dir
  if (!isFirst && isSame) return Result.succeed([])
  return Result.succeed([
    event("REQUIREMENTS_LOADED", { ...content, carried: isFirst ? content.carried : null, changed: !isFirst })
  ])
}

const isAwaited = ({ ask, iteration, requirement_id, role, round }: Begin, loop: Loop): boolean => {
  const { stage } = loop
  if (role !== "generate") {
    const about = { iteration, requirement_id: requirement_id ?? "", round }
    if (role === "look") return awaited(loop, about, false) !== null
    return awaited(loop, about, true) !== null && stage._tag === "Verifying" && stage.ask === ask
  }
  return (
    stage._tag === "Generating" &&
    loop.halted === null &&
    stage.ask === ask &&
    iteration === loop.iteration &&
    round === loop.round
  )
}

/** The requirement that is being verified, when it waits for facts, or has them and waits for an opinion. */
const awaited = (
  loop: Loop,
  { iteration, requirement_id, round }: Pick<RecordFacts, "iteration" | "requirement_id" | "round">,
  hasFacts: boolean
): Requirement | null => {
  const { definition, stage } = loop
  const requirement = stage._tag === "Verifying" ? definition?.requirements[stage.index] : undefined
  if (stage._tag !== "Verifying" || requirement?.id !== requirement_id || loop.halted !== null) return null
  if (iteration !== loop.iteration || round !== loop.round) return null
  return (stage.facts !== null) === hasFacts ? requirement : null
}

// --- plans --------------------------------------------------------------------------------------------------------

const recordPlan = (command: RecordPlan, loop: Loop): Decision => {
  const { definition, stage } = loop
  const { answer, ask, generator, iteration, output, tasks } = command
  if (stage._tag !== "Generating" || definition === null || loop.halted !== null) return notWaitedFor("a plan")
  if (iteration !== loop.iteration || command.round !== loop.round || ask !== stage.ask)
    return notWaitedFor("this plan")
  const unreadable = command.problems.length > 0
  const problems = unreadable ? command.problems : planProblems(loop, definition, tasks)
  const uncovered = problems.length > 0 ? [] : gapOf(loop, definition, tasks)
  // a file says the same however often it is read
  const isAskedAgain = generator !== "files"
  const isRefused = problems.length > 0 || (uncovered.length > 0 && !stage.isAskedForGap && isAskedAgain)
  if (!isRefused) {
    const best = stage.kept === null ? { tasks, uncovered } : better(loop, definition, stage.kept, { tasks, uncovered })
    return Result.succeed([generated(loop, command, best.tasks, best.uncovered)])
  }
  const refused = event("ANSWER_REFUSED", {
    role: "generate",
    by: generator,
    iteration,
    round: loop.round,
    ask,
    requirement_id: null,
    reason: unreadable ? "unreadable" : problems.length > 0 ? "invalid" : "gap",
    problems: problems.length > 0 ? problems : uncovered.map((id) => `No task covers the criterion ${id}.`),
    uncovered,
    answer,
    tasks,
    output
  })
  if (problems.length === 0) return Result.succeed([refused])
  // a plan that could be run is better than none
  if (stage.kept !== null) {
    return Result.succeed([refused, generated(loop, command, stage.kept.tasks, stage.kept.uncovered)])
  }
  if (ask < timesAsked && isAskedAgain) return Result.succeed([refused])
  const message = `${generator} gave no plan that can be used${ask === 1 ? "" : `, asked ${ask} times`}: ${problems.join(" ")}`
  return Result.succeed([refused, unmet(evolveLoop(loop, refused), "generation_failed", message)])
}

const generated = (
  loop: Loop,
  { ask, generator, iteration, output }: RecordPlan,
  tasks: ReadonlyArray<GeneratedTask>,
  uncovered: ReadonlyArray<string>
): LoopEvent =>
  event("TASKS_GENERATED", {
    iteration,
    round: loop.round,
    ask,
    generator,
    tasks,
    uncovered,
    tasks_yaml_path: `${loop.tasks_output_dir}/${loop.feature}-tasks-iter${iteration}.yaml`,
    output
  })

interface Plan {
  readonly tasks: ReadonlyArray<GeneratedTask>
  readonly uncovered: ReadonlyArray<string>
}

/** Asked for what is missing, some answer with that alone: of both plans, and both together, what leaves out the least. */
const better = (loop: Loop, definition: RequirementDefinition, kept: Plan, fresh: Plan): Plan => {
  const both = [...kept.tasks, ...fresh.tasks]
  const together =
    planProblems(loop, definition, both).length === 0 ? [{ tasks: both, uncovered: gapOf(loop, definition, both) }] : []
  return [kept, ...together].reduce(
    (best, plan) => (plan.uncovered.length < best.uncovered.length ? plan : best),
    fresh
  )
}

/** As in tasks files. */
const idPattern = /^(?!\.{1,2}$)[\p{L}\p{M}\p{N}_.-]{1,100}$/u

/** Why a plan cannot be run, in sentences. */
export const planProblems = (
  loop: Loop,
  definition: RequirementDefinition,
  tasks: ReadonlyArray<GeneratedTask>
): ReadonlyArray<string> => {
  if (tasks.length === 0) return ["The plan has no task."]
  const completed = new Set(loop.completed.map(({ id }) => id))
  const taken = new Map(loop.planned.map(({ id, iteration }) => [id, iteration]))
  const criteria = new Set(
    definition.requirements.flatMap(({ acceptance_criteria }) => acceptance_criteria.map(({ id }) => id))
  )
  const own = tasks.flatMap((task): ReadonlyArray<string> => {
    const { checklist, checks, depends_on, id, instruction, title, validation } = task
    if (!idPattern.test(id)) return [`A task cannot have the id ${JSON.stringify(id).slice(0, 120)}.`]
    const before = taken.get(id)
    const lost = depends_on.filter((one) => taken.has(one) && !completed.has(one))
    const unknown = coversOf(task).filter((one) => !criteria.has(one))
    return [
      ...(before === undefined
        ? []
        : [`Task ${id} has the id of a task of iteration ${before}; ids are unique over all iterations.`]),
      ...(title.trim() === "" || instruction.trim() === ""
        ? [`Task ${id} says nothing: its name or instruction is blank.`]
        : []),
      ...lost.map((one) => `Task ${id} depends on ${one}, which was not completed: plan its work anew.`),
      ...unknown.map((one) => `Task ${id} covers ${one}, and no criterion has that id.`),
      ...(checklist.length + checks.length + validation.length === 0
        ? [`Nothing could prove that task ${id} is done: give it a checklist or checks.`]
        : [])
    ]
  })
  if (own.length > 0) return own
  const graph = graphProblem(tasks, completed)
  return graph === null ? [] : [graph.message]
}

/** Unmet criteria of requirements that gate success which no task covers. */
const gapOf = (
  loop: Loop,
  definition: RequirementDefinition,
  tasks: ReadonlyArray<GeneratedTask>
): ReadonlyArray<string> => {
  const covered = new Set(tasks.flatMap(coversOf))
  return unmetCriteria(loop, definition, true).filter((id) => !covered.has(id))
}

// --- verification -------------------------------------------------------------------------------------------------

const recordOpinion = (command: RecordOpinion, loop: Loop): Decision => {
  const { answer, ask, evidence, facts, iteration, met, output, problems, requirement_id, verifier } = command
  const requirement = awaited(loop, command, true)
  if (requirement === null || loop.definition === null || loop.stage._tag !== "Verifying" || ask !== loop.stage.ask) {
    return notWaitedFor("an opinion of this requirement")
  }
  if (problems.length > 0) {
    return Result.succeed([
      event("ANSWER_REFUSED", {
        role: "verify",
        by: verifier,
        iteration,
        round: loop.round,
        ask,
        requirement_id,
        reason: "unreadable",
        problems,
        uncovered: [],
        answer,
        tasks: [],
        output
      })
    ])
  }
  const opinion = { verifier, met, evidence, facts, output }
  const { trust_agent } = loop.definition.verification
  const criteria = criteriaOf(loop, requirement, factsOf(loop), opinion, trust_agent)
  return Result.succeed([verified(loop, requirement, criteria, opinion, ask)])
}

const verified = (
  loop: Loop,
  { id }: Requirement,
  criteria: ReadonlyArray<CriterionVerdict>,
  opinion: ContentOf<"REQUIREMENT_VERIFIED">["opinion"],
  ask: number
): LoopEvent => {
  const verdict = verdictOf(criteria)
  return event("REQUIREMENT_VERIFIED", {
    iteration: loop.iteration,
    round: loop.round,
    requirement_id: id,
    verdict,
    met: verdict === "proven",
    criteria,
    opinion,
    ask
  })
}

// --- what follows by itself ---------------------------------------------------------------------------------------

const advance = (state: State, loop: Loop): ReadonlyArray<LoopEvent> => {
  const { definition, halted, stage } = loop
  if (definition === null || nextOf(loop, state)._tag !== "Advance") return []
  if (halted !== null) {
    const reason = stage._tag === "Generating" ? "generation_failed" : "execution_failed"
    return [unmet(loop, reason, halted.message)]
  }
  if (stage._tag !== "Verifying") return []
  const requirement = definition.requirements[stage.index]
  return requirement === undefined ? afterRound(loop, definition) : [judged(loop, definition, requirement)]
}

/** Without anybody's new opinion. */
const judged = (loop: Loop, definition: RequirementDefinition, requirement: Requirement): LoopEvent => {
  const standing = standingOpinion(loop, requirement)
  const { trust_agent } = definition.verification
  const criteria =
    standing === null
      ? withoutOpinion(loop, requirement)
      : criteriaOf(loop, requirement, factsOf(loop), standing, trust_agent)
  const why = loop.stage._tag === "Verifying" ? loop.stage.unasked : null
  const told = why === null ? criteria : criteria.map((one) => unasked(one, why))
  return verified(loop, requirement, told, standing, 0)
}

const unasked = (criterion: CriterionVerdict, why: string): CriterionVerdict =>
  criterion.verdict === "unproven" ? { ...criterion, message: `${criterion.message} ${why}` } : criterion

/** Every requirement was looked at: met, given up, or once more. */
const afterRound = (loop: Loop, definition: RequirementDefinition): ReadonlyArray<LoopEvent> => {
  const { iteration, limit, offset } = loop
  const open = definition.requirements.filter((requirement) => !isMet(loop, requirement))
  const gate = gateOf(definition)
  // a missing status is unmet, and 0 of 0 is never met
  const all_requirements_met = gate.length > 0 && gate.every((requirement) => isMet(loop, requirement))
  // who was asked may have changed what others rest on: before it counts, the machine looks at everything once more
  if (all_requirements_met && loop.hasAsked && !loop.isConfirming) {
    return [event("CONFIRMATION_STARTED", { iteration, round: loop.round + 1 })]
  }
  const unmet_requirements = open.map(({ id }) => id)
  const count = definition.requirements.length
  const feedback_for_additional_tasks = openOf(loop, definition)
  const result: ReadonlyArray<LoopEvent> = [
    event("REQUIREMENTS_VERIFIED", {
      iteration,
      all_requirements_met,
      requirement_status: definition.requirements.map(({ id }) => statusOf(loop, id)),
      unmet_requirements,
      summary: `${count - open.length} of ${count} requirements are met.`,
      feedback_for_additional_tasks
    }),
    ...(iteration === offset ? [] : [event("ITERATION_ENDED", { iteration, unmet_requirements })])
  ]
  if (all_requirements_met) {
    const met = definition.requirements.filter((requirement) => isMet(loop, requirement)).map(({ id }) => id)
    return [...result, event("REQUIREMENTS_MET", { iteration, met, unmet: unmet_requirements })]
  }
  if (iteration >= limit) {
    const ids = gate.filter((requirement) => !isMet(loop, requirement)).map(({ id }) => id)
    const message = `Not met after ${iteration - offset} ${iteration - offset === 1 ? "iteration" : "iterations"}: ${ids.join(", ")}.`
    return [...result, unmet(loop, "iterations_used_up", message)]
  }
  const next = iteration + 1
  return [
    ...result,
    event("ITERATION_STARTED", {
      iteration: next,
      status: generatingStatus({ iteration: next, offset }),
      unmet: unmetCriteria(loop, definition, false),
      previous_feedback: feedbackOf(loop, definition)
    })
  ]
}

const statusOf = (loop: Loop, id: string) => {
  const known = loop.requirements.get(id)
  return {
    requirement_id: id,
    met: known?.met === true,
    evidence: (known?.criteria ?? []).map((one) => `${one.id} ${one.verdict}: ${one.message}`).join("\n")
  }
}

const unmet = (loop: Loop, reason: ContentOf<"REQUIREMENTS_UNMET">["reason"], message: string): LoopEvent =>
  event("REQUIREMENTS_UNMET", {
    iteration: loop.iteration,
    reason,
    message,
    unmet: (loop.definition?.requirements ?? []).filter((requirement) => !isMet(loop, requirement)).map(({ id }) => id)
  })
