import type { WeakReason } from "../run/config.ts"
import { type Obligation, shownVerdict } from "../run/obligations.ts"
import { isClosed, isShown } from "../run/verdicts.ts"
import type { CheckRun } from "./CheckRun.ts"
import { hasPassed } from "./checks.ts"
import { namedChecksOf } from "./points.ts"
import { commandProof, ofCommands } from "./proofOfCommands.ts"
import { type ItemState, isWaivedByPerson, ownItemsOf, type TaskState, type TasksView, tasksOf } from "./state.ts"

/** All that has to hold for a task, in the only place in which this is said: its items, the criteria that are no items, and commands where there is nothing else. */
export const obligationsOf = (state: TasksView, task: TaskState): ReadonlyArray<Obligation> => {
  const items = task.items.map(ofItem)
  const criteria = ofCriteria(state, task)
  const known = [...items, ...criteria]
  return known.some(({ verdict }) => isShown(verdict)) ? known : [...known, ...ofChecks(state, task)]
}

const ofItem = (one: ItemState): Obligation => ({
  kind: "item",
  text: one.item,
  verdict: one.verdict,
  shown_by: isShown(one.verdict) ? "evidence" : isWaivedByPerson(one) ? "person" : null,
  reviewer: null,
  weak: one.weak.map(({ reason }) => reason)
})

/** Only a reviewer whom the user named proves something; the working agent can only reject. */
const ofCriteria = (state: TasksView, { current, items, spec }: TaskState): ReadonlyArray<Obligation> => {
  const { config } = state.run
  const listed = new Set(items.map(({ item }) => item))
  const judgment = current?.judgment ?? null
  const isPassed = judgment?.judgment === "PASS"
  const weak: ReadonlyArray<WeakReason> = isPassed && !config.reviewer_named ? ["self_review"] : []
  const verdict = judgment !== null && !isPassed ? "refuted" : shownVerdict(config.proof, isPassed, "reviewed", weak)
  return spec.validation
    .filter((criterion) => !listed.has(criterion))
    .map((text) => ({
      kind: "criterion",
      text,
      verdict,
      shown_by: isShown(verdict) ? "review" : null,
      reviewer: judgment?.reviewer ?? null,
      weak
    }))
}

/** Commands that passed, where nothing else shows that the task is done. */
const ofChecks = (state: TasksView, task: TaskState): ReadonlyArray<Obligation> =>
  ofCommands(
    [...task.spec.checks, ...namedChecksOf(state, task).map(({ command }) => command)],
    task.current?.verification?.checks ?? [],
    state.run.config.proof,
    (run) => commandProof(state, task, run)
  )

/** All that has to hold for the tasks of a run, each once: what a part shows for its parent is its parent's. */
export const obligationsOfAll = (state: TasksView): ReadonlyArray<Obligation> =>
  tasksOf(state).flatMap((task) => ownObligationsOf(state, task))

/** Commands of a task that did not pass in its last attempt, each once. */
export const failedChecksOf = ({ alternative, current, status }: TaskState): number =>
  alternative || status === "completed" ? 0 : commandsFailed(current?.verification?.checks ?? [])

/** Checks of several items are one command. */
export const commandsFailed = (runs: ReadonlyArray<CheckRun>): number =>
  new Set(runs.flatMap((run) => (hasPassed(run) ? [] : run.command))).size

/** What of that a task shows itself. One of several attempts at the same, made beside each other, owes nothing. */
export const ownObligationsOf = (state: TasksView, task: TaskState): ReadonlyArray<Obligation> =>
  task.alternative
    ? []
    : [
        ...ownItemsOf(task).map(([, item]) => ofItem(item)),
        // items come first
        ...countedOf(state, obligationsOf(state, task)).slice(task.items.length)
      ]

/** Commands stand for a task that has nothing else to show, and for none of what is open beside them. */
const countedOf = (state: TasksView, all: ReadonlyArray<Obligation>): ReadonlyArray<Obligation> => {
  const others = all.filter(({ kind }) => kind !== "command")
  return state.run.config.commands_last === true && others.some(({ verdict }) => !isClosed(verdict)) ? others : all
}

/** Of a task that failed although nothing spoke against it: nothing shows that it is done, whoever judges it again. */
export const unshownReasons: ReadonlySet<string> = new Set([
  "nothing_to_prove",
  "nothing_proven",
  "was_green",
  "agents_check",
  "check_changed"
])

/** Likewise: nobody judged it but the agent that worked. */
export const unjudgedReasons: ReadonlySet<string> = new Set(["no_reviewer", "self_review"])
