import { randomBytes, scryptSync } from "node:crypto"

/** What is kept in place of a password. */
export function hashPassword(password, salt) {
  return scryptSync(password, salt, 32, { N: 1024 })
}

/** Adds a user to a house. A name that is taken is a RangeError. */
export function addUser({ users }, name, password) {
  if (users.has(name)) throw new RangeError(`there is a user "${name}" already`)
  const salt = randomBytes(16)
  users.set(name, { name, salt, hash: hashPassword(password, salt) })
}
