import type { RunConfig, WeakReason } from "../run/config.ts"
import { isShown, type Obligation, type Verdict } from "../run/obligations.ts"
import { hasPassed } from "./checks.ts"
import { commandProof } from "./proofOfCommands.ts"
import { type ItemState, type TaskState, type TasksView, tasksOf } from "./state.ts"

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

/** What has passed comes to `shown`, unless something speaks against it that the user does not accept. */
const shownVerdict = (
  { proof }: Pick<RunConfig, "proof">,
  hasPassed: boolean,
  shown: "proven" | "reviewed",
  weak: ReadonlyArray<WeakReason>
): Verdict => {
  if (!hasPassed) return "unproven"
  if (weak.length === 0) return shown
  return weak.every((reason) => (proof?.accept as ReadonlyArray<string> | undefined)?.includes(reason))
    ? "weak"
    : "unproven"
}

/** Only a reviewer whom the user named proves something; the working agent can only reject. */
const ofCriteria = (state: TasksView, { current, items, spec }: TaskState): ReadonlyArray<Obligation> => {
  const { config } = state.run
  const listed = new Set(items.map(({ item }) => item))
  const judgment = current?.judgment ?? null
  const isPassed = judgment?.judgment === "PASS"
  const weak: ReadonlyArray<WeakReason> = isPassed && !config.reviewer_named ? ["self_review"] : []
  const verdict = judgment !== null && !isPassed ? "refuted" : shownVerdict(config, isPassed, "reviewed", weak)
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
const ofCommands = (state: TasksView, task: TaskState): ReadonlyArray<Obligation> => {
  const { current, spec } = task
  const runs = current?.verification?.checks ?? []
  return [...new Set(spec.checks)].map((text) => {
    const run = runs.find(({ command }) => command === text)
    const weak = run === undefined ? [] : commandProof(state, task, run)
    const verdict = shownVerdict(state.run.config, run !== undefined && hasPassed(run), "proven", weak)
    return { kind: "command", text, verdict, shown_by: isShown(verdict) ? "check" : null, reviewer: null, weak }
  })
}

/** All that has to hold for the tasks of a run, each once: what a part shows for its parent is its parent's. */
export const obligationsOfAll = (state: TasksView): ReadonlyArray<Obligation> =>
  // items come first, and of them those that are carried
  tasksOf(state).flatMap((task) => obligationsOf(state, task).slice(task.carried))
