import { askedOf, isClosed, isShown, type Obligation, type TaskState, tasksOf, waitsForPerson } from "@proofline/kernel"
import { type InstructionKey, instructed } from "./instructions.ts"
import type { Missing } from "./missingSchema.ts"
import { isStopped, openEscrowed } from "./phase.ts"
import type { PhasesState, SessionsView } from "./state.ts"
import { isShownByVerifiers, obligationsOf, verifierObligations } from "./verifiers.ts"

/** What keeps the work from being shown, task by task and item by item, each with its reason and what would do. */
export const missingIn = (state: SessionsView): ReadonlyArray<Missing> => {
  const parts = missingParts(state)
  const isEmpty = parts.length === 0 && tasksOf(state).length > 0
  return isEmpty && !isAnyShown(obligationsOf(state)) ? [nothingShown(state)] : parts
}

const isAnyShown = (all: ReadonlyArray<Obligation>): boolean => all.some(({ verdict }) => isShown(verdict))

const nothingShown = (state: SessionsView): Missing => ({
  reason: "nothing_shown",
  message: instructed(state, "missing_nothing_shown"),
  next_step: instructed(state, "missing_plan_next")
})

const missingParts = (state: SessionsView): ReadonlyArray<Missing> => {
  const isShownElse = isShownByVerifiers(state)
  return [
    ...tasksOf(state).flatMap((task) => missingOf(state, task, isShownElse)),
    ...(state.sessions.phases === null ? [] : openEscrowed(state.sessions.phases)).map((command) => ({
      command,
      reason: "escrow_open",
      message: instructed(state, "missing_escrow"),
      next_step: instructed(state, "missing_escrow_next")
    })),
    ...verifierObligations(state).flatMap(({ text, verdict, weak }) =>
      isClosed(verdict)
        ? []
        : [
            {
              command: text,
              reason: weak[0] ?? verdict,
              message: instructed(state, commandTexts[weak[0] ?? ""] ?? "missing_command"),
              next_step: instructed(state, "missing_command_next")
            }
          ]
    )
  ]
}

const commandTexts: Readonly<Record<string, InstructionKey>> = {
  was_green: "missing_was_green",
  agents_check: "missing_agents_check",
  check_changed: "missing_check_changed"
}

const missingOf = (state: SessionsView, task: TaskState, isShownElse: boolean): ReadonlyArray<Missing> => {
  const { items, message, reason, spec, status, verdict } = task
  const task_id = spec.id
  if (status === "skipped" || status === "failed") {
    return [
      {
        task_id,
        reason: "withdrawn",
        message: message || reason || instructed(state, "missing_withdrawn"),
        next_step: instructed(state, "missing_plan_next")
      }
    ]
  }
  if (waitsForPerson(task)) {
    return askedOf(task).map(({ item, reason: why }) => ({
      task_id,
      item,
      reason: "cannot",
      message: instructed(state, "missing_cannot", { reason: why }),
      next_step: instructed(state, "missing_cannot_next")
    }))
  }
  if (status !== "completed") {
    return [
      {
        task_id,
        reason: "open",
        message: instructed(state, "missing_open"),
        next_step: instructed(state, "missing_open_next")
      }
    ]
  }
  if (items.length === 0) {
    return verdict === "unproven" && !isShownElse
      ? [
          {
            task_id,
            reason: "by_word",
            message: instructed(state, "missing_by_word"),
            next_step: instructed(state, "missing_plan_next")
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
            message: first?.message ?? instructed(state, "missing_not_shown"),
            next_step: instructed(state, "missing_report_next")
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
