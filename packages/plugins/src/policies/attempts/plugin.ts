export { AttemptReports } from "./AttemptReports.ts"
export { type AttemptRef, Attempts } from "./Attempts.ts"
export { type AgentCall, AttemptTokens } from "./AttemptTokens.ts"
export { attemptsLayer } from "./layer.ts"
