import { randomBytes, timingSafeEqual } from "node:crypto"
import { createSession } from "./sessions.js"
import { hashPassword } from "./users.js"

/** Stands in for users that are not known, so that they take as long as the others. */
const nobody = { salt: randomBytes(16), hash: randomBytes(32) }

/** Whether this is the password of a user; takes as long for a wrong one as for the right one. */
export function checkPassword(user, password) {
  return timingSafeEqual(hashPassword(password, user.salt), user.hash)
}

/** The token of a new session; null for a wrong password as for an unknown user. */
export function login({ users, sessions }, name, password, now = Date.now()) {
  const isRight = checkPassword(users.get(name) ?? nobody, password)
  return isRight ? createSession(sessions, name, now) : null
}
