/**
 * What authors of plugins may rely on: `@proofline/kernel/plugin`. It changes only with a new major version; everything
 * else that `@proofline/kernel` exports is for adapters and front-ends, and may change with any.
 */

// --- the contract
export { BlobRef } from "./base/Blob.ts"
export type { RunId, TaskId, WorkKey } from "./base/Ids.ts"
export { LogUnavailable } from "./base/LogUnavailable.ts"
export {
  type ActivityContext,
  type ActivityFailure,
  type AnyEvent,
  type Batch,
  type Cancel,
  type CommandOf,
  type Decision,
  type EventOf,
  type Fact,
  type Intent,
  type Json,
  NoFields,
  type Plugin,
  PluginFault,
  type ReadsOf,
  type Request,
  type Start,
  type View,
  type Worded
} from "./core/contract.ts"
export { definePlugin, plugin } from "./core/define.ts"
export type { LanguageRules, Patch } from "./core/LanguageRules.ts"
export { configurable } from "./core/load.ts"
export {
  Rejection,
  type RejectionKind,
  reject,
  rejectConflict,
  rejectForbidden,
  rejectUnknown
} from "./core/Rejection.ts"
// --- chunking
export { type AnalysisRequest, type Analyzer, defineAnalyzer } from "./modules/chunking/Analyzer.ts"
export { RecordAggregation } from "./modules/chunking/commands.ts"
export { Aggregation, Analysis } from "./modules/chunking/schemas.ts"
export {
  Chunking,
  type ChunkState,
  chunkOf,
  type SubtaskState,
  subtaskStateOf,
  subtasksOf
} from "./modules/chunking/state.ts"
// --- runs
export { type Asking, askAgent, checkBudget, recordCall, withAskingBack } from "./modules/run/askAgent.ts"
export { CancelRun, FinishRun, RecordActivity, ResumeRun, StartRun } from "./modules/run/commands.ts"
export { defaultRunConfig, type RunConfig } from "./modules/run/config.ts"
export {
  ActivityFailed,
  AgentCalled,
  RunCancelled,
  RunCompleted,
  RunFailed,
  RunIncomplete,
  RunResumed,
  RunStarted
} from "./modules/run/events.ts"
export { spentLimit } from "./modules/run/limits.ts"
export { type ConditionSig, conditions, type KindSig, kinds, type RunEnd } from "./modules/run/points.ts"
export { breakerOf, candidatesFor, plannerOf, Run, type RunState, startableFor } from "./modules/run/state.ts"
export { awaitsBase, baseCheckOf, baseWork } from "./modules/tasks/baseChecks.ts"
export { completed, failed, registered, skipped, started } from "./modules/tasks/changes.ts"
// --- tasks
export {
  agentUnavailable,
  EndAttempt,
  RecordJudgment,
  RecordVerification,
  StartAttempt
} from "./modules/tasks/commands.ts"
export {
  AttemptCancelled,
  AttemptEnded,
  AttemptStarted,
  BaseChecked,
  ChecklistReported,
  EvidenceChecked,
  GateRefused,
  ItemAccepted,
  ItemRejected,
  QualityJudgment,
  TaskCompleted,
  TaskFailed,
  TaskRegistered,
  TaskSkipped,
  TaskStarted,
  TaskStatusChanged,
  VerificationRun
} from "./modules/tasks/events.ts"
export { nextFor } from "./modules/tasks/flow.ts"
export { type GateSig, type GateVerdict, gates, open, passed, refused, unproven } from "./modules/tasks/gates.ts"
export { notes, retries, shownBy, userCommandsBeside, wordings } from "./modules/tasks/points.ts"
export {
  type AttemptState,
  childrenOf,
  dependentsOf,
  type ItemState,
  isDone,
  isOver,
  parentOf,
  type TaskState,
  Tasks,
  taskOf,
  tasksOf,
  waitingFor
} from "./modules/tasks/state.ts"
export { TaskSpec } from "./modules/tasks/TaskSpec.ts"
export { activityWork } from "./modules/tasks/work.ts"
