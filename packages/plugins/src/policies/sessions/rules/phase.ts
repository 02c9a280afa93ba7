import { awaitsRevisit, isOver, tasksOf } from "@proofline/kernel"
import { HashMap, HashSet, Option } from "effect"
import type { Condition, Phase, Scalar, SessionRunSetup, Transition } from "./PhaseContract.ts"
import type { NewTask } from "./schemas.ts"
import { assignmentOf, type PhasesState, type State } from "./state.ts"

export const phaseOf = (phases: PhasesState, name: string): Phase | undefined =>
  Object.hasOwn(phases.setup.contract.phases, name) ? phases.setup.contract.phases[name] : undefined

/** Names of the phases of the contract that are so. */
export const phasesWith = ({ setup }: PhasesState, is: (phase: Phase) => boolean): ReadonlyArray<string> =>
  Object.entries(setup.contract.phases).flatMap(([name, phase]) => (is(phase) ? [name] : []))

/** The commands that verify a phase: its own, or those of the project where it has none; and the checks that agents do not see. */
export const commandsOf = ({ setup }: PhasesState, phase: Phase): ReadonlyArray<string> => {
  if (phase.kind !== "verify") return []
  return [...(phase.checks.length > 0 ? phase.checks : setup.verifiers), ...(setup.escrowed ?? [])]
}

/** Checks that agents do not see and that have not passed on the work as it is. */
export const openEscrowed = ({ passed, setup }: PhasesState): ReadonlyArray<string> =>
  (setup.escrowed ?? []).filter((name) => !passed.some(({ command }) => command === name))

/** A run that comes to it is over. */
export const isEnd = ({ kind }: Pick<Phase, "kind">): boolean => kind === "end" || kind === "stop"

/** The run is at its end. */
export const isAtEnd = (phases: PhasesState): boolean => {
  const phase = phaseOf(phases, phases.phase)
  return phase !== undefined && isEnd(phase)
}

/** The phases are done, and before the run ends what was accepted is judged again. */
export const isEndAwaited = (state: Pick<State, "run" | "sessions" | "tasks">): boolean =>
  state.sessions.phases !== null && isAtEnd(state.sessions.phases) && awaitsRevisit(state)

/** The run was given up. */
export const isStopped = (phases: PhasesState): boolean => phaseOf(phases, phases.phase)?.kind === "stop"

/** Names a batch of tasks: the same batch twice of one agent is the same request. */
export const batchKey = (agent: string, tasks: ReadonlyArray<NewTask>): string => `${agent} ${JSON.stringify(tasks)}`

/** A count by name; a name that nobody counted is 0, whatever it is. */
export const countOf = (counts: Readonly<Record<string, number>>, name: string): number =>
  Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0

/** What an agent may write for the task it works on. */
export const writableOf = ({ writable }: PhasesState, agent: string): HashSet.HashSet<string> =>
  Option.getOrElse(HashMap.get(writable, agent), () => HashSet.empty<string>())

/** What a condition is asked about. */
export interface ConditionContext {
  readonly setup: SessionRunSetup
  readonly payload: Readonly<Record<string, unknown>>
  readonly outcome: "passed" | "failed" | null
  readonly tasks: "none" | "open" | "done"
  /** By counter, `task_failures` among them. */
  readonly counters: Readonly<Record<string, number>>
}

/** The transition that is taken; undefined: the contract gives no way out. */
export const transitionOf = (
  transitions: ReadonlyArray<Transition>,
  context: ConditionContext
): Transition | undefined =>
  transitions.find(
    ({ unless, when }) =>
      (when === undefined || holds(when, context)) && (unless === undefined || !holds(unless, context))
  )

const holds = (condition: Condition, { counters, outcome, payload, setup, tasks }: ConditionContext): boolean => {
  const { empty, filled, flags, gate, intent, reached } = condition
  return (
    Object.entries(condition.payload ?? {}).every(([field, expected]) =>
      (Array.isArray(expected) ? (expected as ReadonlyArray<Scalar>) : [expected as Scalar]).includes(
        payload[field] as Scalar
      )
    ) &&
    (empty ?? []).every((field) => isEmpty(payload[field])) &&
    (filled ?? []).every((field) => !isEmpty(payload[field])) &&
    (flags === undefined || flags.some((flag) => setup.flags.includes(flag))) &&
    (intent === undefined || intent.includes(setup.intent)) &&
    (gate === undefined || gate.includes(setup.gate)) &&
    (condition.outcome === undefined || condition.outcome === outcome) &&
    (condition.tasks === undefined || condition.tasks === tasks) &&
    (reached === undefined ||
      reached.some(
        (name) =>
          Object.hasOwn(setup.contract.limits, name) && countOf(counters, name) >= (setup.contract.limits[name] ?? 0)
      ))
  )
}

export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === "string" && value.trim() === "") ||
  (typeof value === "object" && Object.keys(value).length === 0)

/** What stands now; `task_failures` may be known to become higher. */
export const conditionContextOf = (
  state: State,
  phases: PhasesState,
  payload: Readonly<Record<string, unknown>>,
  outcome: ConditionContext["outcome"] = null,
  failing: ReadonlyArray<string> = []
): ConditionContext => {
  // a task that was given up and planned anew under another name starts no new count
  const inRow = phases.failed_in_row + Number(outcome === "failed")
  const tasks = tasksOf(state)
  const failures = tasks.map(
    (task) => (assignmentOf(state, task)?.failures ?? 0) + Number(failing.includes(task.spec.id))
  )
  return {
    setup: phases.setup,
    payload,
    outcome,
    tasks: tasks.length === 0 ? "none" : tasks.every(isOver) ? "done" : "open",
    counters: { ...phases.counters, task_failures: Math.max(inRow, ...failures) }
  }
}
