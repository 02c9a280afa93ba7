import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { checkPassword, login } from "../src/login.js"
import { findSession } from "../src/sessions.js"
import { addUser } from "../src/users.js"

const houseOfAda = () => {
  const house = { users: new Map(), sessions: new Map() }
  addUser(house, "ada", "correct horse")
  return house
}

describe("checkPassword", () => {
  it("knows the password, and nothing that is like it", () => {
    const ada = houseOfAda().users.get("ada")
    assert.equal(checkPassword(ada, "correct horse"), true)
    for (const wrong of ["", "correct", "Correct horse", "correct horse "]) {
      assert.equal(checkPassword(ada, wrong), false)
    }
  })
})

describe("login", () => {
  it("gives the token of a new session", () => {
    const house = houseOfAda()
    const token = login(house, "ada", "correct horse", 0)
    assert.equal(findSession(house.sessions, token, 0).user, "ada")
    assert.notEqual(login(house, "ada", "correct horse", 0), token)
  })

  it("answers a wrong password as it answers an unknown user", () => {
    const house = houseOfAda()
    assert.equal(login(house, "ada", "battery staple", 0), null)
    assert.equal(login(house, "eve", "correct horse", 0), null)
    assert.equal(house.sessions.size, 0)
  })
})
