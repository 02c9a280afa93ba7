import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createSession, endSession, findSession } from "../src/sessions.js"

const minutes = 60_000

describe("createSession", () => {
  it("gives a token under which the session is found", () => {
    const sessions = new Map()
    const token = createSession(sessions, "ada", 0)
    assert.equal(findSession(sessions, token, 0).user, "ada")
  })

  it("gives tokens that nobody can guess", () => {
    const sessions = new Map()
    const tokens = Array.from({ length: 100 }, () => createSession(sessions, "ada", 0))
    assert.equal(new Set(tokens).size, 100)
    for (const token of tokens) assert.match(token, /^[\w-]{43}$/)
  })
})

describe("findSession", () => {
  it("finds a session for 30 minutes and not a moment longer", () => {
    const sessions = new Map()
    const token = createSession(sessions, "ada", 0)
    assert.equal(findSession(sessions, token, 30 * minutes - 1).user, "ada")
    assert.equal(findSession(sessions, token, 30 * minutes), null)
  })

  it("forgets a session whose time is over", () => {
    const sessions = new Map()
    findSession(sessions, createSession(sessions, "ada", 0), 30 * minutes)
    assert.equal(sessions.size, 0)
  })

  it("finds nothing under a token that was never given", () => {
    assert.equal(findSession(new Map(), "made-up", 0), null)
  })
})

describe("endSession", () => {
  it("ends a session, once", () => {
    const sessions = new Map()
    const token = createSession(sessions, "ada", 0)
    assert.equal(endSession(sessions, token), true)
    assert.equal(findSession(sessions, token, 0), null)
    assert.equal(endSession(sessions, token), false)
  })
})
