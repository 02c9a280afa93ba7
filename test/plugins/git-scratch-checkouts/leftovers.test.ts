import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inTurn } from "../../often.ts"
import { ended, program, quiet } from "../programs.ts"
import { git, leftOf, type Place, printOf, repository, until, within } from "./support.ts"

const maker = ({ root, temporary }: Place, commit: string, turns = "-") =>
  program(new URL("./maker.ts", import.meta.url), [root, temporary, commit, turns])

const killed = Effect.fnUntraced(function* (place: Place, commit: string) {
  const child = maker(place, commit)
  const made = Path.join(place.temporary, "../made")
  yield* until(() => existsSync(made) && readFileSync(made, "utf8").endsWith("\n"))
  const directory = readFileSync(made, "utf8").trim()
  child.kill("SIGKILL")
  assert.strictEqual(yield* ended(child), "SIGKILL")
  return directory
})

// from before git is started to after it has ended: a turn is short while it works
const moments = inTurn(
  [
    [50, 250, 1_000],
    [150, 300, 2_000],
    [200, 400, 8_000, 64_000]
  ],
  1
).flat()

describe("when a process is killed that has a checkout", () => {
  it.live("the next one leaves no trace of it, and nothing of the project has changed", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "a\n" })
      const before = printOf(place.root)
      const directory = yield* killed(place, place.base)
      assert.isTrue(existsSync(directory))
      assert.strictEqual(leftOf(place).length, 2)
      yield* within(place, { commit: place.base, overlay: false }, () =>
        Effect.sync(() => assert.isFalse(existsSync(directory)))
      )
      assert.deepStrictEqual(leftOf(place), [])
      assert.deepStrictEqual(printOf(place.root), before)
      assert.strictEqual(git(place.root, "worktree", "list").trim().split("\n").length, 1)
    })
  )

  it.live("it is found by what git has noted, wherever the directory for temporary files was", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "a\n" })
      const other = Path.join(place.room, "other")
      mkdirSync(other)
      const directory = yield* killed({ root: place.root, temporary: other }, place.base)
      yield* within(place, { commit: place.base, overlay: false }, () => Effect.void)
      assert.isFalse(existsSync(directory))
      assert.deepStrictEqual(leftOf(place), [])
    })
  )

  it.live("what git has noted goes also when the checkout is gone already", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "a\n" })
      rmSync(yield* killed(place, place.base), { recursive: true })
      assert.strictEqual(leftOf(place).length, 1)
      yield* within(place, { commit: place.base, overlay: false }, () => Effect.void)
      assert.deepStrictEqual(leftOf(place), [])
    })
  )

  it.live.skipIf(process.platform !== "linux")(
    "at whatever moment it was killed",
    () =>
      Effect.forEach(
        moments,
        (turns) =>
          Effect.gen(function* () {
            const place = yield* repository({ "a.txt": "a\n" })
            assert.strictEqual(yield* ended(maker(place, place.base, String(turns))), "SIGKILL")
            yield* quiet(place.temporary)
            yield* within(place, { commit: place.base, overlay: true }, () => Effect.void)
            assert.deepStrictEqual(leftOf(place), [], `${turns} turns`)
            assert.strictEqual(git(place.root, "worktree", "list").trim().split("\n").length, 1)
          }),
        { concurrency: 2 }
      ),
    120_000
  )
})

describe("the checkout of a process that lives", () => {
  it.live("stays, and so does whatever only looks like one", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "a\n" })
      const child = maker(place, place.base)
      yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
      const made = Path.join(place.room, "made")
      yield* until(() => existsSync(made) && readFileSync(made, "utf8").endsWith("\n"))
      const directory = readFileSync(made, "utf8").trim()
      const lookalikes = ["proofline-checkout-mine", "proofline-checkout-00000000-1-1-000000000000"]
      for (const name of lookalikes) {
        mkdirSync(Path.join(place.temporary, name))
        writeFileSync(Path.join(place.temporary, name, "file"), "x")
      }
      yield* within(place, { commit: place.base, overlay: false }, () => Effect.void)
      assert.deepStrictEqual(leftOf(place).toSorted(), [
        ...[...lookalikes, Path.basename(directory), Path.basename(directory)].toSorted()
      ])
      assert.strictEqual(readFileSync(Path.join(directory, "a.txt"), "utf8"), "a\n")
    })
  )
})
