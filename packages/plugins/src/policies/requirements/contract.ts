/** What others may know of the requirements loop: policies, adapters, front-ends and the command line. */
export * from "./contents.ts"
export { Load, NoteFile, narrowed, RecordOpinion, RecordPlan } from "./decide.ts"
export * from "./definition.ts"
export { events, type LoopEvent } from "./events.ts"
export { gateOf } from "./gate.ts"
export {
  type AgentCallFailure,
  defineGenerator,
  defineVerifier,
  type Generated,
  type Generator,
  type Verified,
  type Verifier
} from "./generatorsAndVerifiers.ts"
export {
  earlierIds,
  type FormerAnswer,
  GenerationRequest,
  generatorActivity,
  VerificationRequest,
  verifierActivity
} from "./inputs.ts"
export { type IntentChange, intentChanges } from "./intent.ts"
export { childId, spentOf } from "./next.ts"
export { hasEnded, needsPerson, outcomeOf } from "./outcome.ts"
export {
  type Loop,
  type LoopBIteration,
  noLoop,
  type RequirementState,
  Requirements,
  type RequirementsView
} from "./state.ts"
export { LoopProgress, LoopSummary, loopProgressOf, loopSummary, loopSummaryOf } from "./summary.ts"
export { coveredIds, linkedItems } from "./verdict.ts"
