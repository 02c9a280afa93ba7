import { assert, describe, it } from "@effect/vitest"
import { Syntax } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { inertIn } from "../../../packages/plugins/src/policies/evidence/work/inert/index.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"
import { grammars } from "../tree-sitter/support.ts"

const item = "Add a retry with a limit"
const range = { start: 1, end: 1 }

describe("given lines that a program wrote, when it is asked whether anything comes of them", () => {
  it.effect.each([
    ["one name of 100,000 characters", "max_retries".repeat(9_000), null],
    ["the same in a line that is read", "max_retries = 0", /none of what the item asks for/]
  ] as const)("given %s, then it is judged", ([, line, refused]) =>
    Effect.gen(function* () {
      const path = "get.js"
      const text = `${line}\n`
      const { outline } = yield* Syntax
      const file = { path, lines: splitLines(text), outline: yield* outline(path, text) }
      const why = inertIn(item, file, [0], range, { isNew: () => true, wasThere: () => false })
      if (refused === null) assert.isNull(why)
      else assert.match(why ?? "", refused)
    }).pipe(Effect.provide(grammars))
  )
})
