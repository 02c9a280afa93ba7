import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { logout, logoutEverywhere } from "../src/logout.js"
import { createSession, findSession } from "../src/sessions.js"

const makeHouse = () => ({ users: new Map(), sessions: new Map() })

describe("logout", () => {
  it("ends this session and no other one", () => {
    const house = makeHouse()
    const [phone, desk] = [createSession(house.sessions, "ada", 0), createSession(house.sessions, "ada", 0)]
    assert.equal(logout(house, phone), true)
    assert.equal(findSession(house.sessions, phone, 0), null)
    assert.equal(findSession(house.sessions, desk, 0).user, "ada")
  })

  it("says so when there was no session", () => {
    assert.equal(logout(makeHouse(), "made-up"), false)
  })
})

describe("logoutEverywhere", () => {
  it("ends every session of a user, and says how many", () => {
    const house = makeHouse()
    for (const user of ["ada", "ben", "ada"]) createSession(house.sessions, user, 0)
    assert.equal(logoutEverywhere(house, "ada"), 2)
    assert.deepEqual(
      [...house.sessions.values()].map(({ user }) => user),
      ["ben"]
    )
    assert.equal(logoutEverywhere(house, "ada"), 0)
  })
})
