export * from "./domain/answerText.ts"
export { isOwnFile, mayBeOwnFile, ownFiles, ranTogether } from "./domain/attribution.ts"
export { boardStatusOf, childrenOf, remainingOf, transitions } from "./domain/board.ts"
export {
  type BudgetProblem,
  budgetProblem,
  budgetUsedUp,
  callRecord,
  holdsCalls,
  remainingBudget,
  spentLimit,
  unsaid
} from "./domain/budget.ts"
export * from "./domain/CheckRun.ts"
export * from "./domain/Chunking.ts"
export * from "./domain/Command.ts"
export * from "./domain/checks.ts"
export {
  acceptanceCriteria,
  aggregatedReport,
  buildsOn,
  carriedBy,
  criteriaReviewer,
  isLooped
} from "./domain/chunks.ts"
export { contractProblem } from "./domain/contract.ts"
export * from "./domain/decide.ts"
export * from "./domain/Event.ts"
export * from "./domain/EventDefinition.ts"
export * from "./domain/evolve.ts"
export * from "./domain/Ids.ts"
export * from "./domain/Intent.ts"
export * from "./domain/LogUnavailable.ts"
export { type NextAction, nextActionOf } from "./domain/nextAction.ts"
export * from "./domain/nextStep.ts"
export * from "./domain/PhaseContract.ts"
export * from "./domain/Pull.ts"
export * from "./domain/PullCommand.ts"
export * from "./domain/payload.ts"
export {
  commandsOf,
  type PhaseFailure,
  type PhaseValidator,
  type PluginPhase,
  phaseOf,
  withPhases
} from "./domain/phase.ts"
export { subtaskId } from "./domain/plan.ts"
export * from "./domain/Recorded.ts"
export * from "./domain/Rejection.ts"
export * from "./domain/Report.ts"
export * from "./domain/Requirement.ts"
export * from "./domain/RetryPolicy.ts"
export * from "./domain/State.ts"
export * from "./domain/Task.ts"
export * from "./domain/TaskGraph.ts"
export * from "./domain/Work.ts"
export * from "./domain/words.ts"
export * from "./engine/Attempts.ts"
export { attemptsLayer } from "./engine/attemptsLayer.ts"
export * from "./engine/Caller.ts"
export * from "./engine/Engine.ts"
export { chainFault, mayGoOn, missingPlugins } from "./engine/goingOn.ts"
export * from "./engine/Oversight.ts"
export * from "./engine/operations.ts"
export { type OversightOptions, oversightLayer } from "./engine/oversightLayer.ts"
export type { RunVerification } from "./engine/overviews.ts"
export { answerQuestion, mayWaitForPerson, type Question, questionOf, undecidedTasks } from "./engine/questions.ts"
export * from "./engine/Runner.ts"
export * from "./engine/recall.ts"
export * from "./engine/replay.ts"
export * from "./engine/runDriver.ts"
export * from "./engine/Sessions.ts"
export { type SessionsOptions, sessionsLayer } from "./engine/sessionsLayer.ts"
export * from "./engine/step.ts"
export * from "./engine/Worker.ts"
export * from "./log/codec.ts"
export * from "./log/EventLog.ts"
export * from "./log/EventLogMemory.ts"
export * from "./log/EventManifest.ts"
export * from "./plugin/Analyzer.ts"
export { type Asking, askAgent, checkBudget, recordCall } from "./plugin/askAgent.ts"
export * from "./plugin/compose.ts"
export * from "./plugin/Plugin.ts"
export * from "./plugin/Requirements.ts"
export * from "./port/Agent.ts"
export * from "./port/AttemptReports.ts"
export * from "./port/AttemptTokens.ts"
export * from "./port/Baseline.ts"
export * from "./port/BlobStore.ts"
export * from "./port/CommandRunner.ts"
export * from "./port/Digest.ts"
export * from "./port/IdGenerator.ts"
export * from "./port/Locks.ts"
export * from "./port/OutputFiles.ts"
export * from "./port/Presence.ts"
export * from "./port/Syntax.ts"
export * from "./port/Workplaces.ts"
export * from "./port/WorkQueue.ts"
export * from "./port/Workspace.ts"
export * from "./port/Worktrees.ts"
export * from "./view/Progress.ts"
export * from "./view/Receipts.ts"
export * from "./view/RunDetail.ts"
export * from "./view/RunSummary.ts"
export * from "./view/TaskTree.ts"
