import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { daily } from "../../often.ts"
import { honest } from "./honest.ts"
import { runOf } from "./sessions.ts"

/** An item of which nothing was accepted is told with what was said of it. */
const faultsOf = ({ sessions }: Effect.Success<ReturnType<typeof runOf>>): ReadonlyArray<string> =>
  sessions.flatMap(({ items, said, status }) =>
    status === "completed" && items.every(({ verdict }) => verdict === "proven") ? [] : said
  )

describe("real work, shown with honest evidence", () => {
  it.live.each(daily(honest, 3))("when it is run, then all of it is proven: $name", (session) =>
    Effect.gen(function* () {
      const run = yield* runOf([session])
      assert.deepStrictEqual(faultsOf(run), [])
      assert.strictEqual(run.status, "completed")
    })
  )

  it.live.each(
    daily(
      honest.filter(({ name }) => /^(?:TypeScript|Python|Configuration)/.test(name)),
      3
    )
  )("when it was done before, then it is proven since a commit: $name", (session) =>
    Effect.gen(function* () {
      const run = yield* runOf([session], { isDoneBefore: true })
      assert.deepStrictEqual(faultsOf(run), [])
      assert.strictEqual(run.status, "completed")
    })
  )
})
