import { isShown, type Obligation, type Verdict } from "../run/obligations.ts"
import { hasPassed } from "./checks.ts"
import { commandProof } from "./proofOfCommands.ts"
import { type ItemState, ownItemsOf, type TaskState, type TasksView, tasksOf } from "./state.ts"

/** All that has to hold for a task, in the only place in which this is said: its items, the criteria that are no items, and commands where there is nothing else. */
export const obligationsOf = (state: TasksView, task: TaskState): ReadonlyArray<Obligation> => {
  const items = task.items.map(ofItem)
  const criteria = ofCriteria(state, task)
  const known = [...items, ...criteria]
  return known.some(({ verdict }) => isShown(verdict)) ? known : [...known, ...ofCommands(state, task)]
}

const ofItem = ({ item, verdict, weak }: ItemState): Obligation => ({
  kind: "item",
  text: item,
  verdict,
  shown_by: isShown(verdict) ? "evidence" : null,
  reviewer: null,
  weak: weak.map(({ reason }) => reason)
})

/** Only a reviewer whom the user named proves something; the working agent can only reject. */
const ofCriteria = (state: TasksView, { current, items, spec }: TaskState): ReadonlyArray<Obligation> => {
  const { proof, reviewer_named } = state.run.config
  const listed = new Set(items.map(({ item }) => item))
  const judgment = current?.judgment ?? null
  const isPassed = judgment?.judgment === "PASS"
  const isAccepted = proof?.accept.includes("self_review") === true
  const verdict: Verdict =
    judgment !== null && !isPassed
      ? "refuted"
      : !isPassed
        ? "unproven"
        : reviewer_named
          ? "reviewed"
          : isAccepted
            ? "weak"
            : "unproven"
  return spec.validation
    .filter((criterion) => !listed.has(criterion))
    .map((text) => ({
      kind: "criterion",
      text,
      verdict,
      shown_by: isShown(verdict) ? "review" : null,
      reviewer: judgment?.reviewer ?? null,
      weak: isPassed && !reviewer_named ? ["self_review"] : []
    }))
}

/** Commands that passed, where nothing else shows that the task is done. */
const ofCommands = (state: TasksView, task: TaskState): ReadonlyArray<Obligation> => {
  const { proof } = state.run.config
  const { current, spec } = task
  const runs = current?.verification?.checks ?? []
  return [...new Set(spec.checks)].map((text) => {
    const run = runs.find(({ command }) => command === text)
    const weak = run === undefined ? [] : commandProof(state, task, run)
    const isAccepted = weak.every((reason) => proof?.accept.includes(reason))
    const verdict: Verdict =
      run === undefined || !hasPassed(run)
        ? "unproven"
        : weak.length === 0
          ? "proven"
          : isAccepted
            ? "weak"
            : "unproven"
    return { kind: "command", text, verdict, shown_by: isShown(verdict) ? "check" : null, reviewer: null, weak }
  })
}

/** All that has to hold for the tasks of a run, each once: what a part shows for its parent is its parent's. */
export const obligationsOfAll = (state: TasksView): ReadonlyArray<Obligation> =>
  tasksOf(state).flatMap((task) => [
    ...ownItemsOf(task).map(([, item]) => ofItem(item)),
    // items come first
    ...obligationsOf(state, task).slice(task.items.length)
  ])
