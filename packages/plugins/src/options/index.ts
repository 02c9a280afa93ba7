export { duration, durationFault, durationMs, durationText, longestMs } from "./duration.ts"
export { momentHint, momentOf } from "./moment.ts"
export { runKinds } from "./runKinds.ts"
export {
  aboutOption,
  asFlags,
  fieldsOf,
  fileOptions,
  flagName,
  loopOptions,
  type ModelApi,
  modelApis,
  type Permissions,
  type Preset,
  permissionAnswers,
  presets,
  promptOptions,
  proofOptions,
  type RunDefaults,
  type RunOption,
  type RunOptions,
  resumeOptions,
  retryOptions,
  runDefaultsOf,
  runOptions,
  type Said,
  settingOptions,
  splitOptions,
  startOptions,
  taskOptions,
  usualText
} from "./runOptions.ts"
export { runsMeant } from "./runsMeant.ts"
export { type About, type Fault, given, isWhole, sayingOfAst, wordsOf } from "./values.ts"
export { closest, plainlyExpected, quoted } from "./words.ts"
