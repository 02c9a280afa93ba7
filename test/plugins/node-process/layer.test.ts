import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { layer } from "@proofline/plugins/adapters/node-process"
import { CommandRunner } from "@proofline/plugins/ports"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { death, directory, escaped, family, familyIn, isAlive, notLinux, pidIn, text } from "./support.ts"

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

  it.live(
    "given a line to keep in the middle of more than it keeps, then it is kept by itself, and within a bound",
    () =>
      Effect.gen(function* () {
        const runner = yield* CommandRunner
        const ran = (command: string) =>
          runner.run({ command, env: {}, timeout_ms: 600_000, keeps: (line) => line.startsWith("not ok") })
        const lines = (n: number) => `yes "ok 1 - a test that has passed" | head -n ${n}`
        const { kept_lines, output } = yield* ran(`${lines(200_000)}; echo "not ok 7 - sorts keys"; ${lines(200_000)}`)
        assert.deepStrictEqual(kept_lines, ["not ok 7 - sorts keys"])
        assert.notInclude(text(output), "sorts keys")
        const many = yield* ran(`${lines(200_000)}; yes "not ok 7 - sorts keys" | head -n 300000`)
        assert.strictEqual(many.kept_lines?.length, 100)
        assert.isUndefined((yield* ran('echo "not ok 7 - sorts keys"')).kept_lines)
      }).pipe(Effect.provide(layer({ root: directory(), grace_ms: 50 })))
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

describe.skipIf(notLinux)("what left the group of a command", () => {
  it.effect("ends with it where it is ended at its limit", () =>
    Effect.gen(function* () {
      const root = directory()
      const fiber = yield* Effect.forkChild(run(root, `${escaped(root)}\nwait`, {}, 60_000))
      const pid = yield* pidIn(join(root, "escaped"))
      yield* TestClock.adjust(60_000)
      yield* Fiber.join(fiber)
      yield* death(pid)
    })
  )

  it.live("given the command has ended by itself, then it is gone too", () =>
    Effect.gen(function* () {
      const root = directory()
      const result = yield* run(root, `${escaped(root)}\nuntil test -s escaped; do :; done; exit 3`)
      const pid = yield* pidIn(join(root, "escaped"))
      assert.strictEqual(result.exit_code, 3)
      yield* death(pid)
    })
  )
})

describe("a command in another directory", () => {
  /** A project with a part and a copy of it, and what a command that runs in the copy of the part sees. */
  const copied = Effect.fnUntraced(function* (env: Record<string, string>, command: string) {
    const room = directory()
    for (const path of ["project/part/bin", "copy/part", "project/env/bin", "copy/env/bin"])
      mkdirSync(join(room, path), { recursive: true })
    const moved = Object.fromEntries(
      Object.entries(env).map(([name, value]) => [
        name,
        value.replaceAll("<room>", room).replaceAll("<path>", process.env["PATH"] ?? "")
      ])
    )
    const before = Object.fromEntries(Object.keys(env).map((name) => [name, process.env[name]]))
    Object.assign(process.env, moved)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const [name, value] of Object.entries(before)) {
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
        }
      })
    )
    const runner = yield* CommandRunner.pipe(Effect.provide(layer({ root: join(room, "project/part"), grace_ms: 50 })))
    const result = yield* runner.run({ command, directory: join(room, "copy/part"), env: {}, timeout_ms: 600_000 })
    return text(result.output).replaceAll(room, "<room>").trim()
  })

  it.live("runs there", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* copied({}, "pwd -P"), "<room>/copy/part")
    })
  )

  it.live("is not led back to the project by its environment", () =>
    Effect.gen(function* () {
      const env = {
        VIRTUAL_ENV: "<room>/project/env",
        PATH: "<room>/project/env/bin:<room>/project/part/bin:<path>",
        X_OUT: "-o <room>/project/part/out --other=<room>/project",
        X_ALIKE: "<room>/project-2/env:/x<room>/project",
        GIT_DIR: "<room>/project/.git",
        GIT_INDEX_FILE: "<room>/project/.git/index"
      }
      const seen = yield* copied(
        env,
        'echo "$VIRTUAL_ENV|$X_OUT|$X_ALIKE|$GIT_DIR$GIT_INDEX_FILE|$PATH" | cut -d: -f1-4'
      )
      assert.deepStrictEqual(
        seen.split("|").map((part) => part.split(":").slice(0, 2).join(":")),
        [
          "<room>/copy/env",
          "-o <room>/copy/part/out --other=<room>/copy",
          "<room>/project-2/env:/x<room>/project",
          "",
          // what the copy does not have is still found
          "<room>/copy/env/bin:<room>/project/part/bin"
        ]
      )
    })
  )

  it.live("keeps the user's own settings where they lie in the project", () =>
    Effect.gen(function* () {
      const env = { HOME: "<room>/project/part/home", X_SETTINGS: "<room>/project/part/home/settings" }
      assert.strictEqual(
        yield* copied(env, 'echo "$HOME|$X_SETTINGS"'),
        "<room>/project/part/home|<room>/project/part/home/settings"
      )
    })
  )

  it.live("keeps an environment that names no project when it runs in the project itself", () =>
    Effect.gen(function* () {
      const root = directory()
      process.env["X_ROOT"] = root
      const result = yield* run(root, 'echo "$X_ROOT"')
      delete process.env["X_ROOT"]
      assert.strictEqual(text(result.output), `${root}\n`)
    })
  )
})
