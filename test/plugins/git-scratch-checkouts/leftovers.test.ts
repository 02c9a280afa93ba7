import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { git, leftOf, type Place, printOf, repository, until, within } from "./support.ts"

const maker = ({ root, temporary }: Place, commit: string, turns = "-"): ChildProcess =>
  spawn(
    process.execPath,
    ["--conditions=@proofline/source", Path.join(import.meta.dirname, "maker.ts"), root, temporary, commit, turns],
    { stdio: ["ignore", "ignore", "inherit"] }
  )

const ended = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
  })

/** Gits that the killed process has left to themselves work on for a moment. */
const quiet = (place: Place) =>
  until(() => !readdirSync("/proc").some((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(place.temporary)))

const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

const killed = Effect.fnUntraced(function* (place: Place, commit: string) {
  const child = maker(place, commit)
  const made = Path.join(place.temporary, "../made")
  yield* until(() => existsSync(made) && readFileSync(made, "utf8").endsWith("\n"))
  const directory = readFileSync(made, "utf8").trim()
  child.kill("SIGKILL")
  yield* ended(child)
  assert.strictEqual(child.signalCode, "SIGKILL")
  return directory
})

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
        // from before git is started to after it has ended: a turn is short while it works
        [50, 150, 200, 250, 300, 400, 600, 1_000, 2_000, 8_000, 64_000],
        (turns) =>
          Effect.gen(function* () {
            const place = yield* repository({ "a.txt": "a\n" })
            const child = maker(place, place.base, String(turns))
            yield* ended(child)
            assert.strictEqual(child.signalCode, "SIGKILL")
            yield* quiet(place)
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
