import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { daily } from "../../often.ts"
import { claims, judgedClaims, outcomeOf } from "./claims.ts"

describe("what items are shown by", () => {
  it.live.each(claims)("given %s, when it is judged, then it is accepted or refused as it should be", ([, whole]) =>
    Effect.gen(function* () {
      const all = daily(whole, 8)
      const { sessions } = yield* judgedClaims(all)
      const wrong = all.flatMap(({ evidence, item, outcome }, i) => {
        const { items, said } = sessions[i] ?? { items: [], said: [] }
        const found = outcomeOf(items[0]?.refused ?? ["missing"])
        return found === outcome ? [] : [`${item} (${evidence}): ${found} instead of ${outcome}: ${said.join(" ")}`]
      })
      assert.deepStrictEqual(wrong, [])
    })
  )
})
