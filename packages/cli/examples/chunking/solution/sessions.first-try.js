import { randomBytes } from "node:crypto"

/** How long a session lasts, in ms. */
const lifetime = 30 * 60_000

/** A new session of a user, under a token that nobody can guess. */
export function createSession(sessions, user, now = Date.now()) {
  const token = randomBytes(32).toString("base64url")
  sessions.set(token, { user, endsAt: now + lifetime })
  return token
}

/** The session of a token; null when there is none or its time is over. */
export function findSession(sessions, token) {
  // TODO: look at endsAt
  return sessions.get(token) ?? null
}

/** Ends the session of a token; false when there was none. */
export function endSession(sessions, token) {
  return sessions.delete(token)
}
