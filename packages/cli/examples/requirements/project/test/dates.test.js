import assert from "node:assert/strict"
import { it } from "node:test"
import { addDays } from "../src/dates.js"

it("counts days over the end of a month and of a year", () => {
  assert.equal(addDays("2026-05-04", 3), "2026-05-07")
  assert.equal(addDays("2024-02-27", 3), "2024-03-01")
  assert.equal(addDays("2026-12-31", 1), "2027-01-01")
})
