export type { SessionsOptions } from "./context.ts"
export { sessionsLayer } from "./layer.ts"
export { type Identity, type OpenedSession, type SessionRef, Sessions } from "./Sessions.ts"
