import { readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setImmediate as nextTurn } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { layer } from "@proofline/plugins/adapters/attempt-tokens"
import { type AgentCall, AttemptTokens } from "@proofline/plugins/policies/attempts"
import { Effect, Fiber, Schema } from "effect"
import { often } from "../../often.ts"
import { directory, sharedDirectory } from "../node-process/support.ts"
import { program } from "../programs.ts"

const tokensAt = (stateDir: string) => AttemptTokens.pipe(Effect.provide(layer({ stateDir })))

const call: AgentCall = { run_id: "run-1", task_id: "task-1", attempt: 1, role: "work" }

const Call = Schema.Struct({
  run_id: Schema.String,
  task_id: Schema.String,
  attempt: Schema.Int.check(Schema.isGreaterThan(0)),
  role: Schema.Literals(["work", "review", "analyze", "generate", "verify"])
})
const stateDir = sharedDirectory()
const runs = { arbitrary: { runs: often(200) } }

describe("a token of an attempt", () => {
  it.effect.prop(
    "given any call, then it is read again as it was, is one word, and has the form of a token",
    [Call],
    ([minted]) =>
      Effect.gen(function* () {
        const { isToken, mint, read } = yield* tokensAt(stateDir)
        const given = { ...minted, run_id: minted.run_id.toWellFormed(), task_id: minted.task_id.toWellFormed() }
        const token = yield* mint(given)
        assert.match(token, /^att_[\w-]+\.[\w-]{43}$/)
        assert.isTrue(isToken(token))
        assert.strictEqual(yield* mint(given), token)
        assert.deepStrictEqual(yield* read(token), given)
      }),
    runs
  )

  it.effect.prop(
    "given a token of which one character is another, then it was not minted here",
    [Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 })), Schema.Literals(["A", "b", "_", ".", "é"])],
    ([at, character]) =>
      Effect.gen(function* () {
        const { mint, read } = yield* tokensAt(stateDir)
        const token = yield* mint(call)
        const i = at % token.length
        const other = `${token.slice(0, i)}${character}${token.slice(i + 1)}`
        assert.deepStrictEqual(yield* read(other), other === token ? call : null)
      }),
    runs
  )

  it.effect("given no token, then it is none, and no key is made for the look", () =>
    Effect.gen(function* () {
      const fresh = directory()
      const { isToken, read } = yield* tokensAt(fresh)
      for (const text of ["", "att_", "att_x", "att_x.y z", "ses_x.y", "q3Zt_dot-less-token-of-a-session-43-chars"]) {
        assert.isFalse(isToken(text), text)
        assert.isNull(yield* read(text))
      }
      assert.isNull(yield* read("att_x.y"))
      assert.deepStrictEqual(readdirSync(fresh), [])
    })
  )
})

describe("the key of a project", () => {
  it.live("given whoever asks for it is interrupted at any moment, then nothing is left beside it", () =>
    Effect.gen(function* () {
      for (let turns = 0; turns < 24; turns++) {
        const fresh = directory()
        const { mint } = yield* tokensAt(fresh)
        const asking = yield* Effect.forkChild(mint(call), { startImmediately: true })
        for (let turn = 0; turn < turns; turn++) yield* Effect.promise(() => nextTurn())
        yield* Fiber.interrupt(asking)
        assert.deepStrictEqual(readdirSync(fresh), ["attempts.key"], `${turns} turns`)
      }
    })
  )

  it.effect(
    "given its first token, then it is made once, whole, for its owner alone, and nothing is left beside it",
    () =>
      Effect.gen(function* () {
        const fresh = directory()
        const { mint } = yield* tokensAt(fresh)
        yield* mint(call)
        assert.deepStrictEqual(readdirSync(fresh), ["attempts.key"])
        const { mode, mtimeMs, size } = statSync(join(fresh, "attempts.key"))
        assert.deepStrictEqual([mode & 0o777, size], [0o600, 32])
        yield* mint({ ...call, attempt: 2 })
        assert.strictEqual(statSync(join(fresh, "attempts.key")).mtimeMs, mtimeMs)
      })
  )

  it.live("given processes that make it at the same moment, then all of them have the same", () =>
    Effect.gen(function* () {
      const fresh = directory()
      const minters = Array.from({ length: 4 }, () => {
        const child = program(new URL("minter.ts", import.meta.url), [fresh], { stdin: "pipe", stdout: "pipe" })
        const input = child.stdout as NodeJS.ReadableStream
        return { child, lines: createInterface({ input })[Symbol.asyncIterator]() }
      })
      const said = () =>
        Effect.promise(() => Promise.all(minters.map(async ({ lines }) => String((await lines.next()).value))))
      assert.deepStrictEqual(new Set(yield* said()), new Set(["ready"]))
      for (const { child } of minters) child.stdin?.write("go\n")
      const tokens = yield* said()
      assert.strictEqual(new Set(tokens).size, 1)
      const { read } = yield* tokensAt(fresh)
      assert.deepStrictEqual(yield* read(tokens[0] ?? ""), { run_id: "r", task_id: "t", attempt: 1, role: "work" })
      assert.deepStrictEqual(readdirSync(fresh), ["attempts.key"])
    })
  )

  it.effect("given one that was cut off, then nothing is minted with it, and it says what to do", () =>
    Effect.gen(function* () {
      const fresh = directory()
      writeFileSync(join(fresh, "attempts.key"), "short")
      const { mint, read } = yield* tokensAt(fresh)
      for (const failing of [Effect.asVoid(mint(call)), Effect.asVoid(read("att_x.y"))]) {
        const failed = yield* Effect.flip(failing)
        assert.match(failed.hint, /Remove it/)
        assert.notInclude(failed.message, "short")
      }
    })
  )
})
