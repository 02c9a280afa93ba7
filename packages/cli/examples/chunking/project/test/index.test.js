import assert from "node:assert/strict"
import { it } from "node:test"
import * as gatehouse from "../src/index.js"

it("everything is in one place", () => {
  assert.deepEqual(Object.keys(gatehouse).sort(), [
    "addUser",
    "checkPassword",
    "createSession",
    "endSession",
    "findSession",
    "hashPassword",
    "login",
    "logout",
    "logoutEverywhere"
  ])
})
