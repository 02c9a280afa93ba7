/** What others may know of session runs: their slice, phases and commands, and how a phase contract is written. */

export * from "../../operations/payload.ts"
export { repairAtEnd } from "./missing.ts"
export { checkWriteTarget, notAllowed } from "./operations/checkWriteTarget.ts"
export { completeTask, reportArguments, reportIn } from "./operations/completeTask.ts"
export { createTasks } from "./operations/createTasks.ts"
export { getMyTask } from "./operations/getMyTask.ts"
export { getMyTaskProgress } from "./operations/getMyTaskProgress.ts"
export { getNextAction } from "./operations/getNextAction.ts"
export { sessionOperations } from "./operations/index.ts"
export { reportCompleted } from "./operations/reportCompleted.ts"
export { submitPhase } from "./operations/submitPhase.ts"
export { updateTaskStatus } from "./operations/updateTaskStatus.ts"
export { assignmentStatusOf, remainingOf, transitions } from "./rules/assignment.ts"
export {
  AnswerPhase,
  CheckWriteTarget,
  CloseSession,
  CreateTasks,
  IssueNextAction,
  OpenSession,
  RecordPhaseChecks,
  ReportCompleted,
  SubmitPhase,
  UpdateTaskStatus
} from "./rules/commands.ts"
export { contractFaults, contractProblem } from "./rules/contractProblem.ts"
export {
  CompletionReported,
  ContractAdopted,
  events as sessionEvents,
  NextActionIssued,
  PhaseEntered,
  PhaseRejected,
  PhaseSubmitted,
  PhaseVerified,
  SessionClosed,
  SessionOpened,
  TaskAssigned,
  TasksCreated,
  WriteTargetChecked
} from "./rules/events.ts"
export { instructionPlaceholders, instructionTexts } from "./rules/instructions.ts"
export { missingIn } from "./rules/missing.ts"
export { type NextAction, nextActionOf } from "./rules/nextAction.ts"
export * from "./rules/PhaseContract.ts"
export { type PersonAnswers, personAnswersOf } from "./rules/personAnswers.ts"
export { commandsOf, isAtEnd, isEndAwaited, phaseOf } from "./rules/phase.ts"
export { sentences as failureSentences } from "./rules/phaseTexts.ts"
export { type PhaseFailure, type PhaseSig, phases, withPluginPhases } from "./rules/pluginPhases.ts"
export { AssignmentPriority, NewTask } from "./rules/schemas.ts"
export {
  type Assignment,
  assignmentOf,
  type PhasesState,
  SessionRun,
  type SessionState,
  type SessionsState,
  type SessionsView
} from "./rules/state.ts"
export { questionId } from "./rules/submit.ts"
export { sessionSummary } from "./rules/summary.ts"
export { placeProblem } from "./rules/targets.ts"
export { reportedId } from "./rules/taskReport.ts"
export { allTaskTrees, type TaskNode, taskTreesOf } from "./rules/taskTree.ts"
export { type Identity, type OpenedSession, type SessionRef, Sessions } from "./Sessions.ts"
export { type AnyRun, runIn } from "./state.ts"
export { withTrees } from "./taskTrees.ts"
