/** What adapters, other policies and the front-ends may know of attempts. */
export { AttemptReports } from "./AttemptReports.ts"
export { type AttemptRef, Attempts } from "./Attempts.ts"
export { type AgentCall, AttemptTokens } from "./AttemptTokens.ts"
export { attemptOperations } from "./operations/index.ts"
