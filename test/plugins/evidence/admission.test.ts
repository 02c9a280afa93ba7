import { assert, describe, it } from "@effect/vitest"
import { admissionIn } from "../../../packages/plugins/src/policies/evidence/admission.ts"

const file = (comment: string, path = "store.py") => ({
  path,
  lines: `def save(items):\n    # ${comment}\n    items.append(len(items))\n    return {"saved": len(items)}\n`.split(
    /(?<=\n)/
  ),
  outline: null
})
const before = { path: "store.py", lines: [], outline: null }
const whole = { start: 1, end: 4 }

describe("a new comment that says that the real thing is missing", () => {
  it.each([
    "In a real implementation, this would write to the database.",
    "For now, we just return what was given",
    "mock implementation",
    "TODO: actually write to the database",
    "simulate the network delay",
    "This would normally call the payment service",
    "Just pretend it worked",
    "The real implementation should retry"
  ])("then it is told: %s", (comment) => {
    const said = admissionIn("Implement save(items)", file(comment), before, whole)
    assert.isTrue(said !== null && comment.startsWith(said.replace("…", "")))
  })

  it.each([
    "TODO: page through more than 100 items",
    "Not implemented on Windows, where there is none",
    "The placeholder of the input",
    "It would normally end here, but a lock may be left",
    "Returns the number of items for now",
    "Real numbers only"
  ])("when it says something else, then nothing is told: %s", (comment) => {
    assert.isNull(admissionIn("Implement save(items)", file(comment), before, whole))
  })

  it("when it was there before, is elsewhere, is in a test or a mock, or is asked for, then nothing is told", () => {
    const now = file("mock implementation")
    assert.isNull(admissionIn("Implement save(items)", now, now, whole))
    assert.isNull(admissionIn("Implement save(items)", now, before, { start: 3, end: 4 }))
    assert.isNull(admissionIn("Implement save(items)", { ...now, path: "test_store.py" }, before, whole))
    assert.isNull(admissionIn("Implement save(items)", { ...now, path: "src/mocks/store.py" }, before, whole))
    assert.isNull(admissionIn("Add a mock of save(items)", now, before, whole))
  })
})
