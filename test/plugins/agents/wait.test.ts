import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { waitNamed } from "../../../packages/plugins/src/agents/wait.ts"

const now = Date.parse("2026-11-24T12:00:00Z")
const minutes = (n: number): number => n * 60_000

describe("the wait that a provider names", () => {
  it.each<[text: string, wait: number | null]>([
    ["Please retry in 34.074824224s.", 34_075],
    ['"retryDelay": "34s"', 34_000],
    ["Rate limit reached. Please try again in 500ms.", 500],
    ["Please try again in 1m26.4s", 86_400],
    ["You have exhausted your capacity on this model. Your quota will reset after 22h5m.", minutes(22 * 60 + 5)],
    ["You've hit your usage limit. Try again in 3 days 2 hours.", minutes(74 * 60)],
    ["or try again in 4 days, 1 hour and 5 minutes.", minutes(97 * 60 + 5)],
    ["retry-after: 30", 30_000],
    ['{"retry_after": 1.5}', 1_500],
    ["retry-after: 5000ms", 5_000],
    ["Claude AI usage limit reached|1795539600", 1_795_539_600_000 - now],
    ["try again at 2026-11-24T15:00:00Z", minutes(180)],
    ["You've hit your limit · resets 3pm (UTC)", minutes(180)],
    ["5-hour limit reached ∙ resets 3:45pm (Europe/Berlin)", minutes(165)],
    ["resets 12am (UTC)", minutes(720)],
    ["resets 11am (UTC)", minutes(23 * 60)],
    ["weekly limit reached · resets Nov 26, 12pm (UTC)", minutes(2 * 24 * 60)],
    ["resets Jan 2nd, 2027 00:30 (UTC)", Date.parse("2027-01-02T00:30:00Z") - now],
    ["resets Nov 20, 12pm (UTC)", null],
    ["resets 3pm (Nowhere/Atall)", null],
    ["API Error: 529 Overloaded", null],
    ["try again later", null],
    ["try again in 99999999999999999999 days", null],
    [`retry-after: ${"9".repeat(400)}`, null],
    ["try again in 0s", null],
    ["resets 3", null],
    ["", null]
  ])("%s", (text, wait) => {
    assert.strictEqual(waitNamed(text, now), wait)
  })

  it("follows the clock of the place where a zone has another one", () => {
    const local = new Date(now + minutes(150))
    const clock = `${local.getHours()}:${String(local.getMinutes()).padStart(2, "0")}`
    assert.strictEqual(waitNamed(`try again at ${clock}`, now), minutes(150))
  })

  it("is quick about texts of any length", () => {
    for (const piece of ["try again in ", "1h", "1 h ", "resets at ", "retry after 1, and ", "9", " "]) {
      waitNamed(piece.repeat(20_000), now)
    }
  })

  it.effect.prop("is never over, whatever the text says", [Schema.String, Schema.Int], ([text, number]) =>
    Effect.sync(() => {
      for (const one of [text, `retry after ${text}`, `resets ${number} ${text}`, `try again in ${number}${text}`]) {
        const wait = waitNamed(one, now)
        assert.isTrue(wait === null || wait >= 0)
      }
    })
  )
})
