/** The files of a user's project: reading them, and telling what is wrong with them. */
export type { AgentDefinition } from "./agents.ts"
export { type CheckDefinition, ChecksFile, type ChecksResult, type KnownIds, parseChecks } from "./checks.ts"
export { ChunkingFile, type ChunkingResult, type ChunkingSettings, parseChunking } from "./chunking.ts"
export {
  type ConfigDocument,
  ConfigFile,
  type ConfigResult,
  type PluginEntry,
  parseConfig,
  pluginOptionProblems,
  type SessionRunSettings
} from "./config.ts"
export { type GeneratedTasks, generatedTasksOf, parseGeneratedTasks } from "./generatedTasks.ts"
export { keysIn, type WrittenKey } from "./keysIn.ts"
export { type FileKind, fileKindOf, isRequirementsFile } from "./kind.ts"
export { type ChunkingFault, mergeChunking } from "./mergeChunking.ts"
export type { Problem } from "./Problem.ts"
export {
  type ContractOptions,
  type ContractResult,
  type PhaseContractResult,
  parseContract,
  parsePhaseContract
} from "./phaseContract.ts"
export { ContractFile } from "./phaseContractFile.ts"
export { type ContractPart, mergeContract } from "./phaseContractMerge.ts"
export type { Placeholders } from "./phaseContractSentences.ts"
export { FileUnreadable, readTextFile } from "./readTextFile.ts"
export {
  parseRequirements,
  type RequirementsDocument,
  RequirementsFile,
  type RequirementsResult
} from "./requirements.ts"
export { parseTasks, type TasksDocument, TasksFile, type TasksOptions, type TasksResult } from "./tasks.ts"
export { type TasksTextInput, tasksText } from "./tasksText.ts"
