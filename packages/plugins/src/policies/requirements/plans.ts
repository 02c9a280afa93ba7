import { type Fact, graphProblem, type Rejection } from "@proofline/kernel"
import type { GeneratedTask, RequirementDefinition } from "./definition.ts"
import { AnswerRefused, TasksGenerated } from "./events.ts"
import { unmetCriteria } from "./next.ts"
import type { PlanArgs } from "./requests.ts"
import { coversOf, type Loop, timesAsked } from "./state.ts"
import { unmet } from "./unmet.ts"
import { notWaitedFor } from "./waiting.ts"

type LoopFact = Fact<"requirements">
type Decision = ReadonlyArray<LoopFact> | Rejection

export const recordPlan = (command: PlanArgs, loop: Loop): Decision => {
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
    return [generated(loop, command, best.tasks, best.uncovered)]
  }
  const refused = AnswerRefused({
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
  if (problems.length === 0) return [refused]
  // a plan that could be run is better than none
  if (stage.kept !== null) {
    return [refused, generated(loop, command, stage.kept.tasks, stage.kept.uncovered)]
  }
  if (ask < timesAsked && isAskedAgain) return [refused]
  const message = `${generator} gave no plan that can be used${ask === 1 ? "" : `, asked ${ask} times`}: ${problems.join(" ")}`
  return [refused, unmet(loop, "generation_failed", message)]
}

const generated = (
  loop: Loop,
  { ask, generator, iteration, output }: PlanArgs,
  tasks: ReadonlyArray<GeneratedTask>,
  uncovered: ReadonlyArray<string>
): LoopFact =>
  TasksGenerated({
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
const planProblems = (
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
      ...(before === undefined ? [] : [takenText(id, before, completed.has(id))]),
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

const takenText = (id: string, iteration: number, isCompleted: boolean): string =>
  isCompleted
    ? `Task ${id} has the id of a task of iteration ${iteration}; ids are unique over all iterations.`
    : `Task ${id} has the id of a task of iteration ${iteration} that was not completed: plan what is left of it as a new task with an id that no task has had. [id_of_failed_task]`

/** Unmet criteria of requirements that gate success which no task covers. */
const gapOf = (
  loop: Loop,
  definition: RequirementDefinition,
  tasks: ReadonlyArray<GeneratedTask>
): ReadonlyArray<string> => {
  const covered = new Set(tasks.flatMap(coversOf))
  return unmetCriteria(loop, definition, true).filter((id) => !covered.has(id))
}
