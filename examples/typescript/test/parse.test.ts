import assert from "node:assert/strict"
import { test } from "node:test"
import { minutes, parse } from "../src/parse.ts"

test("minutes since midnight", () => {
  assert.equal(minutes("08:15"), 495)
  assert.equal(minutes("00:00"), 0)
})

test("what is no time is refused", () => {
  for (const time of ["8:15", "24:00", "12:60", "noon", ""]) assert.throws(() => minutes(time), RangeError, time)
})

test("a timetable, in the order of its times", () => {
  assert.deepEqual(parse("09:00 Nara\n\n08:15 Kyoto\n"), [
    { at: 495, to: "Kyoto" },
    { at: 540, to: "Nara" }
  ])
})
