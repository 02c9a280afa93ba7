/** Everything: what authors of plugins may rely on, and what adapters and front-ends use beside it. */

export * from "./base/Blob.ts"
export * from "./base/Driver.ts"
export * from "./base/Ids.ts"
export * from "./base/LogUnavailable.ts"
export { meant } from "./base/meant.ts"
export * from "./base/Recorded.ts"
export * from "./base/Work.ts"
export * from "./composition.ts"
export { anEffect, aText, isRecord, isSaid, orNull, told, wronglyAnswered, yesOrNo } from "./core/answers.ts"
export * from "./core/answerText.ts"
export { type Decided, makeBacktest, type OtherRules, type Turn } from "./core/backtest.ts"
export { type Composition, compose, type Snapshot } from "./core/compose.ts"
export {
  checkContinuation,
  continuationOf,
  faultFinder,
  logFault,
  missingPlugins
} from "./core/continuation.ts"
export * from "./core/contract.ts"
export * from "./core/define.ts"
export { type Difference, differencesOf, eventDifferences } from "./core/differences.ts"
export {
  type Change as EngineChange,
  Engine,
  type ExecuteOptions,
  itemId,
  noStackTrace,
  type Outcome,
  repairText
} from "./core/Engine.ts"
export { brokenByOwnInterrupt, faultOf, isFault } from "./core/faults.ts"
export * from "./core/Locations.ts"
export * from "./core/load.ts"
export {
  orLogNewer,
  orPluginMissing,
  pluginMissing,
  pluginsMissing
} from "./core/logNewer.ts"
export * from "./core/manifest.ts"
export * from "./core/Rejection.ts"
export * from "./core/Runner.ts"
export { makeRecent } from "./core/recent.ts"
export { type Divergence, makeReplay, type Replay, recall } from "./core/replay.ts"
export { makeRetelling, type Retelling, type Retold } from "./core/retell.ts"
export * from "./core/step.ts"
export { effectTwice, strict } from "./core/strict.ts"
export type { State } from "./core/view.ts"
export * from "./core/Worker.ts"
export * from "./core/words.ts"
export * from "./log/away.ts"
export * from "./log/codec.ts"
export * from "./log/EventLog.ts"
export * from "./log/EventLogMemory.ts"
export {
  type FaultFinder,
  faultText,
  type LogFault,
  makeFaultFinder
} from "./log/faults.ts"
export * from "./modules/chunking/Analyzer.ts"
export { isOwnFile, mayBeOwnFile, ownFiles, ranTogether } from "./modules/chunking/attribution.ts"
export { RecordAnalysis, SettleChunks, SkipChunking, StartChunking, wholePrompt } from "./modules/chunking/commands.ts"
export {
  ChunkingAggregation,
  ChunkingAnalysis,
  ChunkingComplete,
  ChunkingSkipped,
  ChunkingStart,
  ReviewLoopEnd,
  ReviewLoopStart,
  SubtaskComplete,
  SubtaskCreated,
  SubtaskFailed,
  SubtaskRetry,
  SubtaskStart
} from "./modules/chunking/events.ts"
export { aggregationActivity } from "./modules/chunking/offers.ts"
export { planOrder } from "./modules/chunking/order.ts"
export { madeOf, subtaskId } from "./modules/chunking/plan.ts"
export { aggregatedReport, carriedBy, lostOf } from "./modules/chunking/report.ts"
export { acceptanceCriteria, analyzerActivity, analyzersOf, buildsOn, isLooped } from "./modules/chunking/rules.ts"
export * from "./modules/chunking/schemas.ts"
export {
  type ChunkingState,
  type ChunkingView,
  type HasChunking,
  isInWorktree,
  type LoopState,
  loopOf,
  rootsOf
} from "./modules/chunking/state.ts"
export {
  type BudgetProblem,
  budgetExceeded,
  budgetProblem,
  holdsCalls,
  remainingBudget,
  unreportedUsage
} from "./modules/run/budget.ts"
export {
  ExhaustBudget,
  ForkRun,
  noteWithoutTask,
  RecordActivityFailure,
  RecordPlugins,
  RecordUsage
} from "./modules/run/commands.ts"
export * from "./modules/run/config.ts"
export { ActivityResult, RunEnding } from "./modules/run/events.ts"
export { type AgentCall, callRecord } from "./modules/run/limits.ts"
export * from "./modules/run/obligations.ts"
export { AnswerPermission, AskPermission, WithdrawPermissions } from "./modules/run/permissions.ts"
export { kindOf, underway } from "./modules/run/points.ts"
export * from "./modules/run/runDriver.ts"
export {
  AwaitedBy,
  Base,
  Counts,
  EarlierTask,
  FailedBy,
  Only,
  Origin,
  ProjectTree,
  Redacted,
  Reopened,
  type ReportedFailure,
  Spent
} from "./modules/run/schemas.ts"
export {
  type Breaker,
  type HasRun,
  noRun,
  nothingSpent,
  type RunStatus,
  type RunView
} from "./modules/run/state.ts"
export { isClosed, isShown } from "./modules/run/verdicts.ts"
export * from "./modules/tasks/AttemptTrees.ts"
export { AnswerPerson, ItemCannot, PersonAnswered, PersonAsked } from "./modules/tasks/asking.ts"
export * from "./modules/tasks/BaseCheck.ts"
export { userCommands } from "./modules/tasks/baseChecks.ts"
export * from "./modules/tasks/CheckRun.ts"
export { becamePart, shelved } from "./modules/tasks/changes.ts"
export {
  becameOf,
  type Check,
  type CommandEnd,
  checkEnding,
  checksOf,
  decidedBy,
  failedChecks,
  failedNamed,
  hasChecks,
  hasEndedWell,
  hasPassed,
  isFailedInWords,
  isGreen,
  missingChecks,
  ranNoTests,
  remarksOn,
  testsNamed,
  unreported
} from "./modules/tasks/checks.ts"
export { RecordBaseChecks, RecordEvidence } from "./modules/tasks/commands.ts"
export {
  AttemptOutput,
  ChecklistCompleted,
  ChecklistRegistered,
  criteriaReviewer,
  EvidenceRevisited,
  evidenceStale
} from "./modules/tasks/events.ts"
export { fileSpans, filesIn, fileUses, isNamed, projectPath } from "./modules/tasks/fileNames.ts"
export { dependenciesOf, isWorkOfOther, touchedFiles } from "./modules/tasks/files.ts"
export { isAtRest, nextWork } from "./modules/tasks/flow.ts"
export { gateMessages } from "./modules/tasks/gateMessages.ts"
export { type Outcome as TaskOutcome, type Stop, walk } from "./modules/tasks/gates.ts"
export * from "./modules/tasks/graph.ts"
export type { Accepted, Rejected } from "./modules/tasks/judgement.ts"
export { beginTasks, countsOf as taskCountsOf, giveUpAll, recallTasks } from "./modules/tasks/kinds.ts"
export { obligationsOf, obligationsOfAll } from "./modules/tasks/obligations.ts"
export { judges, type NamedCheck, namedChecksOf, otherEvidence } from "./modules/tasks/points.ts"
export * from "./modules/tasks/proofOfCommands.ts"
export * from "./modules/tasks/Report.ts"
export * from "./modules/tasks/retry.ts"
export { awaitsRevisit, type HeldItem, heldItems, RecordRevisit } from "./modules/tasks/revisit.ts"
export * from "./modules/tasks/schemas.ts"
export { givenUp, giveUp, SettleAttempt, SkipTask } from "./modules/tasks/settle.ts"
export { whySkipped } from "./modules/tasks/skips.ts"
export { staleMessage } from "./modules/tasks/staleMessage.ts"
export {
  askedOf,
  type HasTasks,
  isLost,
  isSetAside,
  isUnanswered,
  isWaivedByPerson,
  isWorkedOn,
  outermostOf,
  type TasksState,
  type TasksView,
  waitsForPerson
} from "./modules/tasks/state.ts"
export * from "./modules/tasks/TaskSpec.ts"
export { begin, registration } from "./modules/tasks/words.ts"
export { AttemptInput, activities, attemptWork, workKey } from "./modules/tasks/work.ts"
export * from "./plugin.ts"
export * from "./port/Agent.ts"
export * from "./port/Digest.ts"
export * from "./port/IdGenerator.ts"
export * from "./port/Locks.ts"
export * from "./port/Presence.ts"
export * from "./port/RunHeads.ts"
export * from "./port/Workers.ts"
export * from "./port/WorkQueue.ts"
export * from "./view/Answers.ts"
export * from "./view/Asked.ts"
export * from "./view/BacktestShapes.ts"
export * from "./view/Comparison.ts"
export {
  type ClaimDecision,
  type DecisionOutcome,
  decisionsIn,
  judgedIn,
  makeTruths,
  type Truth
} from "./view/Decisions.ts"
export * from "./view/EventShapes.ts"
export * from "./view/Failures.ts"
export * from "./view/fields.ts"
export * from "./view/jsonSchema.ts"
export * from "./view/Problem.ts"
export * from "./view/Progress.ts"
export * from "./view/ProgressShapes.ts"
export * from "./view/Proof.ts"
export * from "./view/Receipts.ts"
export * from "./view/RunDetail.ts"
export { endsRun, foldHistory, historyOf, noHistory, type RunHistory } from "./view/RunHistory.ts"
export * from "./view/RunShapes.ts"
export * from "./view/RunSummary.ts"
export * from "./view/Standing.ts"
export { foldCounts, noCounts, type RunCounts, type StatsCell, statsBy, statsCellsOf } from "./view/Stats.ts"
export * from "./view/StatsShapes.ts"
export { statsCellTexts, statsColumns } from "./view/StatsText.ts"
export { type ShownStep, shownSteps } from "./view/Steps.ts"
export * from "./view/TakingUp.ts"
export * from "./view/TaskShapes.ts"
export * from "./view/Trees.ts"
export * from "./view/VerificationShapes.ts"
