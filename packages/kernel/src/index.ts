export * from "./domain/answerText.ts"
export { isOwnFile, mayBeOwnFile, ownFiles, ranTogether } from "./domain/attribution.ts"
// What the operations of agents and people need of the rules.
export { boardStatusOf, childrenOf, isBeingChecked, parentOf, remainingOf, transitions } from "./domain/board.ts"
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
  isAtEnd,
  isEnd,
  type PhaseFailure,
  type PhaseValidator,
  type PluginPhase,
  phaseOf,
  withPhases
} from "./domain/phase.ts"
export { subtaskId } from "./domain/plan.ts"
export { idsOfBatch } from "./domain/planning.ts"
export * from "./domain/Recorded.ts"
export * from "./domain/Rejection.ts"
export * from "./domain/Report.ts"
export * from "./domain/Requirement.ts"
export * from "./domain/RetryPolicy.ts"
export * from "./domain/State.ts"
export { sessionClosed, sessionOf } from "./domain/session.ts"
export { questionId } from "./domain/submit.ts"
export * from "./domain/Task.ts"
export * from "./domain/TaskGraph.ts"
export { placeProblem, writeProblem } from "./domain/targets.ts"
export { reportedId } from "./domain/taskReport.ts"
export * from "./domain/Work.ts"
export * from "./domain/words.ts"
export * from "./engine/Engine.ts"
export { chainFault, mayGoOn, missingPlugins } from "./engine/goingOn.ts"
export * from "./engine/Runner.ts"
export * from "./engine/recall.ts"
export * from "./engine/replay.ts"
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
export * from "./port/Baseline.ts"
export * from "./port/BlobStore.ts"
export * from "./port/CommandRunner.ts"
export * from "./port/Digest.ts"
export * from "./port/IdGenerator.ts"
export * from "./port/OutputFiles.ts"
export * from "./port/RunDrivers.ts"
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
