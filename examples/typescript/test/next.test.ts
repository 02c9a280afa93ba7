import assert from "node:assert/strict"
import { test } from "node:test"
import { next, wait } from "../src/next.ts"
import { parse } from "../src/parse.ts"

const departures = parse("08:15 Kyoto\n09:00 Nara\n09:20 Kyoto\n")

test("the first to a place that has not left", () => {
  assert.equal(next(departures, "Kyoto", "08:15")?.at, 495)
  assert.equal(next(departures, "Kyoto", "08:16")?.at, 560)
  assert.equal(next(departures, "Kyoto", "09:21"), null)
})

test("how long one waits", () => {
  assert.equal(wait({ at: 560, to: "Kyoto" }, "08:55"), "25 min")
  assert.equal(wait({ at: 560, to: "Kyoto" }, "08:15"), "1 h 05 min")
})
