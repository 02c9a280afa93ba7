import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { CommandRunner } from "@proofline/kernel"
import { layer } from "@proofline/plugins/adapters/node-process"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { directory, family, familyIn, isAlive, text } from "./support.ts"

const run = (root: string, command: string, env: Record<string, string> = {}, timeout_ms = 600_000) =>
  Effect.gen(function* () {
    const runner = yield* CommandRunner
    return yield* runner.run({ command, env, timeout_ms })
  }).pipe(Effect.provide(layer({ root, grace_ms: 50 })))

describe("the command runner", () => {
  it.live("runs in the project directory with the environment it is given", () =>
    Effect.gen(function* () {
      const root = directory()
      const result = yield* run(root, 'pwd -P; echo "$CHECK" >&2; exit 2', { CHECK: "yes" })
      assert.deepStrictEqual(
        { ...result, duration_ms: 0, output: text(result.output) },
        { exit_code: 2, signal: null, timed_out: false, duration_ms: 0, output: `${root}\nyes\n` }
      )
      assert.isTrue(Number.isInteger(result.duration_ms))
    })
  )

  it.live("never reports a success when the directory is missing", () =>
    Effect.gen(function* () {
      const root = join(directory(), "none")
      const result = yield* run(root, "true")
      assert.deepStrictEqual([result.exit_code, result.signal, result.timed_out], [null, null, false])
      assert.strictEqual(text(result.output), `The directory ${root} does not exist.\n`)
    })
  )

  it.effect("ends a command at its limit with everything it started", () =>
    Effect.gen(function* () {
      const root = directory()
      const fiber = yield* Effect.forkChild(run(root, `${family(root)}; wait`, {}, 60_000))
      const pids = yield* familyIn(root)
      yield* TestClock.adjust(60_000)
      const result = yield* Fiber.join(fiber)
      assert.deepStrictEqual([result.timed_out, result.exit_code, pids.filter(isAlive)], [true, null, []])
    })
  )
})
