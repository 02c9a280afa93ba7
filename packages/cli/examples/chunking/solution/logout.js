import { endSession } from "./sessions.js"

/** Ends the session of a token; false when there was none. */
export function logout({ sessions }, token) {
  return endSession(sessions, token)
}

/** Ends every session of a user, and says how many there were. */
export function logoutEverywhere({ sessions }, name) {
  const tokens = [...sessions].filter(([, { user }]) => user === name).map(([token]) => token)
  for (const token of tokens) endSession(sessions, token)
  return tokens.length
}
