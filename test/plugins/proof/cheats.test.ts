import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ofLanguages } from "./cheats/ofLanguages.ts"
import { runOf } from "./sessions.ts"

describe("work that is only pretended", () => {
  it.live.each(ofLanguages)("when it is run, then every item is refused, with its reason: $name", ({ items, ...session }) =>
    Effect.gen(function* () {
      const run = yield* runOf([{ ...session, items: items.map(([item, shown]) => [item, shown] as const) }])
      const [ended] = run.sessions
      assert.notStrictEqual(run.status, "completed")
      const wrong = items.flatMap(([item, shown, reasons], i) => {
        const { refused = [] } = ended?.items[i] ?? {}
        return refused.length > 0 && refused.every((reason) => reasons.includes(reason))
          ? []
          : [`${item} (${JSON.stringify(shown)}): ${refused.join(", ") || "accepted"}`]
      })
      assert.deepStrictEqual(wrong, [])
    })
  )
})
