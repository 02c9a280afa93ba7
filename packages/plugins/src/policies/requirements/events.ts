import { counted, type EventOf } from "@proofline/kernel"
import { contents } from "./contents.ts"
import {
  allMet,
  allVerified,
  checked,
  confirming,
  ended,
  fileLoaded,
  iterationStarted,
  linked,
  notMet,
  planned,
  refused,
  requirementVerified
} from "./evolve.ts"
import { intentChangeText } from "./intent.ts"
import { Requirements } from "./state.ts"

const named = (ids: ReadonlyArray<string>): string => (ids.length === 0 ? "none" : ids.join(", "))

export const RequirementsLoaded = Requirements.event("REQUIREMENTS_LOADED", {
  schema: contents.REQUIREMENTS_LOADED,
  visibility: "summary",
  evolve: fileLoaded,
  sentence: ({ changed, definition, requirements_path }) =>
    `${counted(definition.requirements.length, "requirement")} of ${requirements_path} were loaded${changed ? " anew" : ""}.`
})

export const IntentChanged = Requirements.event("INTENT_CHANGED", {
  schema: contents.INTENT_CHANGED,
  visibility: "summary",
  evolve: (loop, { changes }) => ({ ...loop, intent_changes: [...loop.intent_changes, ...changes] }),
  sentence: ({ changes }) =>
    `A person decided that something else is required than when the run began: ${changes.map(intentChangeText).join("; ")}.`
})

export const RequirementsFileChanged = Requirements.event("REQUIREMENTS_FILE_CHANGED", {
  schema: contents.REQUIREMENTS_FILE_CHANGED,
  visibility: "summary",
  evolve: (loop, { sha256 }) => ({ ...loop, changed_meanwhile: sha256 }),
  sentence: () => "The requirements file says something else than what was loaded."
})

export const ConfirmationStarted = Requirements.event("CONFIRMATION_STARTED", {
  schema: contents.CONFIRMATION_STARTED,
  visibility: "full",
  evolve: confirming,
  sentence: () => "All requirements seem met; everything is verified once more."
})

export const IterationStarted = Requirements.event("ITERATION_STARTED", {
  schema: contents.ITERATION_STARTED,
  visibility: "summary",
  evolve: iterationStarted,
  sentence: ({ iteration, unmet }) => `Iteration ${iteration} was started; criteria that are not met: ${named(unmet)}.`
})

export const TasksGenerated = Requirements.event("TASKS_GENERATED", {
  schema: contents.TASKS_GENERATED,
  visibility: "summary",
  evolve: planned,
  sentence: ({ generator, iteration, tasks }) =>
    `${generator} planned ${counted(tasks.length, "task")} for iteration ${iteration}.`
})

export const AnswerRefused = Requirements.event("ANSWER_REFUSED", {
  schema: contents.ANSWER_REFUSED,
  visibility: "summary",
  evolve: refused,
  sentence: ({ by, problems, role }) => `An answer of ${by} (${role}) was refused: ${problems.join(" ")}`
})

export const TaskRunLinked = Requirements.event("TASK_RUN_LINKED", {
  schema: contents.TASK_RUN_LINKED,
  visibility: "summary",
  evolve: linked,
  sentence: ({ iteration, run_id }) => `The tasks of iteration ${iteration} are run as ${run_id}.`
})

export const TaskRunEnded = Requirements.event("TASK_RUN_ENDED", {
  schema: contents.TASK_RUN_ENDED,
  visibility: "summary",
  evolve: ended,
  sentence: ({ message, run_id, status }) =>
    `The task run ${run_id} is over: ${status}${message === "" ? "." : `. ${message}`}`
})

export const CriteriaChecked = Requirements.event("CRITERIA_CHECKED", {
  schema: contents.CRITERIA_CHECKED,
  visibility: "full",
  evolve: checked,
  sentence: ({ receipts, requirement_id, runs }) =>
    `Requirement ${requirement_id} was looked at: ${counted(runs.length, "command")}, ${counted(receipts.length, "receipt")}.`
})

export const RequirementVerified = Requirements.event("REQUIREMENT_VERIFIED", {
  schema: contents.REQUIREMENT_VERIFIED,
  visibility: "summary",
  evolve: requirementVerified,
  sentence: ({ requirement_id, verdict }) => `Requirement ${requirement_id} is ${verdict}.`
})

export const RequirementsVerified = Requirements.event("REQUIREMENTS_VERIFIED", {
  schema: contents.REQUIREMENTS_VERIFIED,
  visibility: "summary",
  evolve: allVerified,
  sentence: ({ summary }) => summary.trim() || "The requirements were verified."
})

export const IterationEnded = Requirements.event("ITERATION_ENDED", {
  schema: contents.ITERATION_ENDED,
  visibility: "summary",
  sentence: ({ iteration, unmet_requirements }) =>
    `Iteration ${iteration} is over; requirements that are not met: ${named(unmet_requirements)}.`
})

export const RequirementsMet = Requirements.event("REQUIREMENTS_MET", {
  schema: contents.REQUIREMENTS_MET,
  visibility: "summary",
  evolve: allMet,
  sentence: ({ met, unmet }) =>
    `The requirements are met: ${named(met)}.${unmet.length === 0 ? "" : ` Optional and not met: ${named(unmet)}.`}`
})

export const RequirementsUnmet = Requirements.event("REQUIREMENTS_UNMET", {
  schema: contents.REQUIREMENTS_UNMET,
  visibility: "summary",
  evolve: notMet,
  sentence: ({ message }) => message.trim() || "The requirements are not met."
})

export const events = [
  IntentChanged,
  RequirementsLoaded,
  RequirementsFileChanged,
  ConfirmationStarted,
  IterationStarted,
  TasksGenerated,
  AnswerRefused,
  TaskRunLinked,
  TaskRunEnded,
  CriteriaChecked,
  RequirementVerified,
  RequirementsVerified,
  IterationEnded,
  RequirementsMet,
  RequirementsUnmet
] as const

/** An event of the plugin, by its type. */
export type LoopEvent = EventOf<(typeof events)[number]>
