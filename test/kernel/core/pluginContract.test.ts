import { assert, describe, it } from "@effect/vitest"
import { modules } from "@proofline/kernel"
import { pluginContract } from "@proofline/kernel/testing"
import { Effect } from "effect"
import diary from "../support/diary.ts"

describe("a plugin whose event was written in earlier schema versions", () => {
  const written = [
    { event_type: "NOTED", schema_version: 1, content: { note: "It is begun." } },
    { event_type: "NOTED", schema_version: 2, content: { note: "It is begun.", number: 1 } }
  ]
  for (const { name, run } of pluginContract(diary, [], written)) it.effect(name, () => run)

  /** What the cases for an earlier version say where these lines are given. */
  const said = (lines: typeof written) =>
    Effect.map(
      Effect.forEach(
        pluginContract(diary, [], lines).filter(({ name }) => name.includes("is lifted")),
        ({ run }) => Effect.match(run, { onFailure: ({ message }) => message, onSuccess: () => "" })
      ),
      (all) => all.filter((message) => message !== "")
    )

  it.effect("is not known to read them where nothing that was written then is given", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(written), [])
      assert.deepStrictEqual(yield* said(written.slice(1)), [
        "No NOTED of schema version 1 is given: that it can be read is not known."
      ])
    })
  )

  it.effect("is told which line it does not lift to what its schema asks for", () =>
    Effect.gen(function* () {
      const [one, two] = written
      const wrong = [one, { ...two, content: { note: "It is begun.", number: "one" } }] as typeof written
      const [message, ...others] = yield* said(wrong)
      assert.include(message, "(NOTED v2) cannot be read: its content does not fit the schema (")
      assert.isEmpty(others)
    })
  )
})

describe("the kernel's own modules, as any plugin", () => {
  for (const plugin of modules) for (const { name, run } of pluginContract(plugin)) it.effect(name, () => run)
})
