import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { layer as tokens } from "@proofline/plugins/adapters/attempt-tokens"
import { liveOutput } from "@proofline/plugins/adapters/command-agent"
import { type AgentCall, AttemptTokens } from "@proofline/plugins/policies/attempts"
import { Effect, Fiber, Schema } from "effect"
import {
  concealing,
  MAX_PIECE_BYTES,
  readPiece
} from "../../../packages/plugins/src/adapters/command-agent/liveFiles.ts"
import { often } from "../../often.ts"
import { sharedDirectory } from "../node-process/support.ts"
import { ask, type Project, project, runId } from "./support.ts"

const call: AgentCall = { run_id: runId, task_id: "task-1", attempt: 1, role: "work" }

/** Looks until there is a piece that fits. */
const until = (
  { stateDir }: Project,
  stream: "stdout" | "stderr",
  fits: (text: string) => boolean
): Effect.Effect<string> =>
  Effect.suspend(function look(): Effect.Effect<string> {
    return Effect.flatMap(liveOutput(stateDir, call, stream, 0), (piece) =>
      piece !== null && fits(piece.text) ? Effect.succeed(piece.text) : Effect.delay(Effect.suspend(look), 5)
    )
  })

const letters = Schema.Array(Schema.Literals(["a", "b", "c"])).check(Schema.isMaxLength(40))
const cuts = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })))

/** The bytes in pieces that begin at these places. */
const cutAt = (bytes: Uint8Array, places: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const ends = [...new Set([...places.filter((at) => at < bytes.length), bytes.length])].toSorted((a, b) => a - b)
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end))
}

describe("what an agent prints while it works", () => {
  it.live("given one that goes on, then it grows, is found by the attempt alone, and is gone at its end", () =>
    Effect.gen(function* () {
      const at = project()
      const command = `printf 'one\\n'; printf 'grün' >&2; while [ ! -e next ]; do sleep 0.02; done
        printf 'two\\n'; while [ ! -e end ]; do sleep 0.02; done`
      const agent = yield* Effect.forkChild(ask(at, { command }))
      assert.strictEqual(yield* until(at, "stdout", (text) => text !== ""), "one\n")
      assert.strictEqual(yield* until(at, "stderr", (text) => text.endsWith("n")), "grün")
      assert.isNull(yield* liveOutput(at.stateDir, { ...call, attempt: 2 }, "stdout", 0))
      assert.isNull(yield* liveOutput(at.stateDir, { ...call, role: "review" }, "stdout", 0))
      writeFileSync(join(at.root, "next"), "")
      assert.strictEqual(yield* until(at, "stdout", (text) => text.includes("two")), "one\ntwo\n")
      assert.deepStrictEqual(yield* liveOutput(at.stateDir, call, "stdout", 4), {
        from: 4,
        next: 8,
        total: 8,
        text: "two\n"
      })
      writeFileSync(join(at.root, "end"), "")
      const { outcome } = yield* Fiber.join(agent)
      assert.strictEqual(outcome, "COMPLETE")
      assert.isNull(yield* liveOutput(at.stateDir, call, "stdout", 0))
    })
  )

  it.live("given one that prints its token in two halves, then it is not there, and all else is", () =>
    Effect.gen(function* () {
      const at = project()
      const command = `half=\${PROOFLINE_TOKEN%??????????}
        printf 'token: %s' "$half"; sleep 0.1; printf '%s!\\n%s\\n' "\${PROOFLINE_TOKEN#$half}" "$half"
        while [ ! -e end ]; do sleep 0.02; done`
      const agent = yield* Effect.forkChild(ask(at, { command }))
      const token = yield* AttemptTokens.pipe(
        Effect.flatMap(({ mint }) => mint(call)),
        Effect.provide(tokens({ stateDir: at.stateDir }))
      )
      const half = token.slice(0, -10)
      const text = yield* until(at, "stdout", (shown) => shown.endsWith(`${half}\n`))
      assert.strictEqual(text, `token: [PROOFLINE_TOKEN]!\n${half}\n`)
      writeFileSync(join(at.root, "end"), "")
      yield* Fiber.join(agent)
    })
  )

  it.live("given more than is kept, then it says where it ends, and the agent is not held up", () =>
    Effect.gen(function* () {
      const at = project()
      // the first part fills it to the last byte
      const command = `head -c 8388608 /dev/zero | tr '\\0' x; sleep 0.1; echo more; while [ ! -e end ]; do sleep 0.02; done`
      const agent = yield* Effect.forkChild(ask(at, { command }))
      const last = yield* Effect.suspend(function look(): Effect.Effect<string> {
        return Effect.flatMap(liveOutput(at.stateDir, call, "stdout", -80), (piece) =>
          piece?.text.endsWith("]\n") ? Effect.succeed(piece.text) : Effect.delay(Effect.suspend(look), 5)
        )
      })
      assert.match(last, /^x+\n\[\.\.\. what comes after 8388608 bytes is kept at the end \.\.\.\]\n$/)
      writeFileSync(join(at.root, "end"), "")
      assert.isAbove((yield* Fiber.join(agent)).stdout.length, 8_388_608)
    })
  )

  it.live(
    "given one that takes its files away or puts a link in their place, then it works, and nothing is followed",
    () =>
      Effect.gen(function* () {
        const at = project()
        const secret = join(at.root, "secret")
        writeFileSync(secret, "not for you")
        const command = `here=$(dirname "$PROOFLINE_REPORT_FILE"); rm "$here/stdout" "$here/stderr"; ln -s ${secret} "$here/stdout"
        mkfifo "$here/stderr"; echo said; touch done; while [ ! -e end ]; do sleep 0.02; done`
        const agent = yield* Effect.forkChild(ask(at, { command }))
        while (!existsSync(join(at.root, "done"))) yield* Effect.sleep(5)
        assert.isNull(yield* liveOutput(at.stateDir, call, "stdout", 0))
        assert.isNull(yield* liveOutput(at.stateDir, call, "stderr", 0))
        writeFileSync(join(at.root, "end"), "")
        const { outcome, stdout } = yield* Fiber.join(agent)
        assert.deepStrictEqual([outcome, new TextDecoder().decode(stdout)], ["COMPLETE", "said\n"])
        assert.deepStrictEqual(
          readdirSync(join(at.stateDir)).includes("tmp") && readdirSync(join(at.stateDir, "tmp")),
          []
        )
      })
  )
})

describe("a secret in chunks", () => {
  it.prop(
    "given any text, cut anywhere, then what is shown and held back is the text with every secret replaced",
    [letters, cuts],
    ([some, places]) => {
      const text = some.join("")
      for (const secret of ["ab", "aab", "abcab"]) {
        const conceal = concealing(secret, "#")
        const shown = cutAt(Buffer.from(text), places).map((chunk) => Buffer.from(conceal(chunk)).toString())
        const whole = text.replaceAll(secret, "#")
        const given = shown.join("")
        assert.isTrue(whole.startsWith(given), `${given} of ${whole}`)
        // only the beginning of a secret is held back
        assert.isTrue(secret.startsWith(whole.slice(given.length)) && whole.length - given.length < secret.length)
      }
    }
  )
})

describe("a piece of output", () => {
  const root = sharedDirectory()
  const file = join(root, "out")

  it.effect.prop(
    "given any text that grows and is read on from where one was, then nothing is lost, doubled or cut",
    [Schema.String, Schema.String],
    ([before, after]) =>
      Effect.promise(async () => {
        const bytes = Buffer.from(`${before}€😀${after}`)
        let text = ""
        let from = 0
        for (let size = 0; size <= bytes.length; size++) {
          writeFileSync(file, bytes.subarray(0, size))
          const piece = await readPiece(file, from)
          assert.isTrue(piece !== null && piece.from === from && piece.next === piece.total && piece.total <= size)
          text += piece?.text
          from = piece?.next ?? 0
        }
        assert.strictEqual(text, bytes.toString())
      }),
    { arbitrary: { runs: often(20) } }
  )

  it("given a large file, then it is read in bounded pieces, each of whole characters", async () => {
    const whole = "añ€😀".repeat(20_000)
    writeFileSync(file, whole)
    let [text, from] = ["", 0]
    for (;;) {
      const piece = await readPiece(file, from)
      assert.isNotNull(piece)
      if (piece === null || piece.text === "") break
      assert.isAtMost(piece.next - piece.from, MAX_PIECE_BYTES)
      text += piece.text
      from = piece.next
    }
    assert.strictEqual(text, whole)
    assert.strictEqual((await readPiece(file, -6))?.text, "😀")
    assert.strictEqual((await readPiece(file, -1e9))?.from, 0)
    assert.deepStrictEqual(await readPiece(file, 1e9), { from: from, next: from, total: from, text: "" })
  })

  it("given what is no file, then it is none", async () => {
    rmSync(file, { force: true })
    assert.isNull(await readPiece(file, 0))
    symlinkSync("/etc/passwd", file)
    assert.isNull(await readPiece(file, 0))
    rmSync(file)
    mkdirSync(file)
    assert.isNull(await readPiece(file, 0))
    rmSync(file, { recursive: true })
  })
})
