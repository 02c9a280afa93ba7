import { askedOf, isClosed, isShown, type Obligation, type TaskState, tasksOf, waitsForPerson } from "@proofline/kernel"
import type { Missing } from "./missingSchema.ts"
import { isStopped, openEscrowed } from "./phase.ts"
import type { PhasesState, SessionsView } from "./state.ts"
import { isShownByVerifiers, obligationsOf, verifierObligations } from "./verifiers.ts"

const planAgain =
  "Plan what is left of it as a task with a checklist (submit_phase with `tasks`), and report every item with evidence."
const reportAgain = "Report the task again with complete_task, with evidence that shows the item."

/** What keeps the work from being shown, task by task and item by item, each with its reason and what would do. */
export const missingIn = (state: SessionsView): ReadonlyArray<Missing> => {
  const parts = missingParts(state)
  const isEmpty = parts.length === 0 && tasksOf(state).length > 0
  return isEmpty && !isAnyShown(obligationsOf(state)) ? [nothingShown] : parts
}

const isAnyShown = (all: ReadonlyArray<Obligation>): boolean => all.some(({ verdict }) => isShown(verdict))

const nothingShown: Missing = {
  reason: "nothing_shown",
  message: "Every item was left out with a reason: nothing is shown to be done.",
  next_step: planAgain
}

const missingParts = (state: SessionsView): ReadonlyArray<Missing> => {
  const isShownElse = isShownByVerifiers(state)
  return [
    ...tasksOf(state).flatMap((task) => missingOf(task, isShownElse)),
    ...(state.sessions.phases === null ? [] : openEscrowed(state.sessions.phases)).map((command) => ({
      command,
      reason: "escrow_open",
      message: "It has not passed on the work as it is.",
      next_step: "Make what was asked for hold in every case, and hand in the phase that verifies the work."
    })),
    ...verifierObligations(state).flatMap(({ text, verdict, weak }) =>
      isClosed(verdict)
        ? []
        : [
            {
              command: text,
              reason: weak[0] ?? verdict,
              message: commandTexts[weak[0] ?? ""] ?? "It is not known to show the work.",
              next_step: "Show the work by evidence: plan a task with a checklist, and report every item of it."
            }
          ]
    )
  ]
}

const commandTexts: Readonly<Record<string, string>> = {
  was_green: "It passes, and is not known to have failed before the work: it shows nothing by itself.",
  agents_check: "It passes, and runs nothing but what was written in this run: it shows nothing by itself.",
  check_changed: "It passes, and files that it rests on were changed in this run."
}

const missingOf = (task: TaskState, isShownElse: boolean): ReadonlyArray<Missing> => {
  const { items, message, reason, spec, status, verdict } = task
  const task_id = spec.id
  if (status === "skipped" || status === "failed") {
    return [{ task_id, reason: "withdrawn", message: message || reason || "It was withdrawn.", next_step: planAgain }]
  }
  if (waitsForPerson(task)) {
    return askedOf(task).map(({ item, reason: why }) => ({
      task_id,
      item,
      reason: "cannot",
      message: `It cannot be done: ${why}`,
      next_step: "A person says with `proofline answer` how it goes on; whoever finds a way reports the task again."
    }))
  }
  if (status !== "completed") {
    return [{ task_id, reason: "open", message: "It is not done.", next_step: "Complete it with complete_task." }]
  }
  if (items.length === 0) {
    return verdict === "unproven" && !isShownElse
      ? [
          {
            task_id,
            reason: "by_word",
            message: "It has no checklist, and is done by word alone.",
            next_step: planAgain
          }
        ]
      : []
  }
  return items.flatMap(({ item, verdict: shown, weak }): ReadonlyArray<Missing> => {
    const [first] = weak
    return isClosed(shown)
      ? []
      : [
          {
            task_id,
            item,
            reason: first?.reason ?? shown,
            message: first?.message ?? "It is not shown.",
            next_step: reportAgain
          }
        ]
  })
}

/** Everything that has to hold counts as done, and something of it is shown. */
export const isProven = (state: SessionsView, phases: PhasesState): boolean => {
  const all = obligationsOf(state)
  const byWordOnly = tasksOf(state).some(({ status, verdict }) => status === "completed" && verdict === "unproven")
  return (
    !isStopped(phases) &&
    openEscrowed(phases).length === 0 &&
    (!byWordOnly || isShownByVerifiers(state)) &&
    isAnyShown(all) &&
    all.every(({ verdict }) => isClosed(verdict)) &&
    tasksOf(state).every(({ status }) => status === "completed")
  )
}
