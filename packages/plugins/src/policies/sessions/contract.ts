/** What others may know of session runs: their slice, phases and commands, and how a phase contract is written. */
export { boardStatusOf, remainingOf, transitions } from "./rules/board.ts"
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
export { contractProblem } from "./rules/contractProblem.ts"
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
export { type NextAction, nextActionOf } from "./rules/nextAction.ts"
export * from "./rules/PhaseContract.ts"
export * from "./rules/payload.ts"
export { commandsOf, isAtEnd, phaseOf } from "./rules/phase.ts"
export { type PhaseFailure, type PhaseSig, phases, withPluginPhases } from "./rules/pluginPhases.ts"
export { BoardPriority, NewTask } from "./rules/schemas.ts"
export {
  type Assignment,
  assignmentOf,
  type PhasesState,
  Sessions,
  type SessionState,
  type SessionsState,
  type SessionsView
} from "./rules/state.ts"
export { questionId } from "./rules/submit.ts"
export { sessionSummary } from "./rules/summary.ts"
export { allTaskTrees, type TaskNode, taskTreesOf } from "./rules/taskTree.ts"
