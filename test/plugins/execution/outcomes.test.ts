import { assert, describe, it } from "@effect/vitest"
import { outcomeOf } from "../../../packages/plugins/src/policies/execution/commands/outcomes.ts"

describe("a command that was run at the base", () => {
  const ended = { exit_code: 0, signal: null, timed_out: false }

  it.each<[string, object, string, string]>([
    ["passes", {}, "green", ""],
    ["fails", { exit_code: 2 }, "red", ""],
    ["is ended by a signal", { exit_code: null, signal: "SIGKILL" }, "red", ""],
    ["is not found there", { exit_code: 127 }, "unknown", "It was not found there"],
    ["cannot be run there", { exit_code: 126 }, "unknown", "could not be run"],
    ["cannot be started", { exit_code: null }, "unknown", "no shell"],
    ["runs out of time", { exit_code: null, signal: "SIGKILL", timed_out: true }, "unknown", "out of time"]
  ])("given that it %s, then that is what is known of it", (_, so, outcome, said) => {
    const found = outcomeOf({ ...ended, ...so }, "no shell")
    assert.strictEqual(found.outcome, outcome)
    assert.include(found.message, said)
  })
})
