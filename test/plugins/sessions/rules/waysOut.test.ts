import { assert, describe, it } from "@effect/vitest"
import { step } from "@proofline/kernel"
import { Result } from "effect"
import { sentences } from "../../../../packages/plugins/src/policies/sessions/rules/phaseTexts.ts"
import { forSeeds } from "../../../kernel/support/random.ts"
import { often } from "../../../often.ts"
import { likeBuiltIn, randomSessionRun } from "./histories.ts"

/** Tells somebody to do something, or what would be taken. */
const advice =
  /\b(?:Add|Ask|Call|Cancel|Complete|Explain|Fill|Follow|Give|Go on|Hand|Include|Keep|Leave|Move|Name|Remove|Report|report|Submit|Tell|Withdraw)\b|expected: |at least \{min\}|is 'pending'/

describe("a refusal in a session", () => {
  it.each(Object.entries(sentences))("given %s, then its sentence says what to do", (_, sentence) => {
    assert.match(sentence, advice)
  })

  it("given whatever is asked in whatever order, then every rejection names the next step", () => {
    const codes = new Set<string>()
    forSeeds(often(60), (random) => {
      const { composition, refused } = randomSessionRun(random, { setup: likeBuiltIn(random), commands: 60 })
      for (const { before, command } of refused) {
        const decided = step(composition, before, command)
        if (Result.isSuccess(decided)) continue
        const { code, hint, message } = decided.failure
        codes.add(code)
        assert.isNotEmpty(message.trim(), code)
        assert.isNotEmpty(hint.trim(), code)
      }
    })
    assert.isAbove(codes.size, 10)
  })
})
