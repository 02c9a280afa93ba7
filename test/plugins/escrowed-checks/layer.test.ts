import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { digestOf, keep, kept, layer, manifestName } from "@proofline/plugins/adapters/escrowed-checks"
import { EscrowedChecks } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { room, write } from "../repositories.ts"

const check = { criterion: "it holds", command: "sh $PROOFLINE_CHECKS/run.sh", timeout_ms: 5 }

/** A directory of checks, a project and a directory for temporary files, beside each other. */
const staged = Effect.map(room("proofline-checks-"), (place) => {
  const directory = Path.join(place, "hidden")
  const options = {
    root: Path.join(place, "project"),
    state: Path.join(place, "project/.proofline/state"),
    home: Path.join(place, "home"),
    temporary: Path.join(place, "tmp"),
    manifest: (text: string) => (text.startsWith("checks") ? [check] : null)
  }
  mkdirSync(options.root)
  mkdirSync(options.temporary)
  write(directory, { [manifestName]: "checks", "run.sh": "exit 0\n", "data/a.txt": "a\n" })
  symlinkSync("data/a.txt", Path.join(directory, "link"))
  chmodSync(Path.join(directory, "run.sh"), 0o755)
  return { directory, options }
})

const opened = <A>(
  options: Parameters<typeof layer>[0],
  sha256: string,
  use: (copy: Effect.Success<ReturnType<EscrowedChecks["Service"]["open"]>>) => A
) =>
  Effect.scoped(Effect.flatMap(EscrowedChecks, ({ open }) => Effect.map(open(sha256), use))).pipe(
    Effect.provide(layer(options))
  )

describe("a private copy of checks", () => {
  it.live("given the directory is as it was, then its owner alone can read it, and it is gone afterwards", () =>
    Effect.gen(function* () {
      const { directory, options } = yield* staged
      const sha256 = yield* Effect.promise(() => digestOf(directory))
      yield* Effect.promise(() => keep(options, sha256, directory))
      yield* opened(options, sha256, (copy) => {
        const modes = [copy.directory, `${copy.directory}/data/a.txt`, `${copy.directory}/run.sh`]
        assert.deepStrictEqual(
          modes.map((path) => statSync(path).mode & 0o777),
          [0o700, 0o600, 0o700]
        )
        assert.strictEqual(readFileSync(`${copy.directory}/link`, "utf8"), "a\n")
        assert.deepStrictEqual(copy.checkOf("it holds"), { command: check.command, timeout_ms: 5 })
        assert.isUndefined(copy.checkOf("another"))
      })
      assert.deepStrictEqual(readdirSync(options.temporary), [])
    })
  )

  it.live("given one that a killed process has left, then it goes with the next one", () =>
    Effect.gen(function* () {
      const { directory, options } = yield* staged
      const sha256 = yield* Effect.promise(() => digestOf(directory))
      yield* Effect.promise(() => keep(options, sha256, directory))
      const name = yield* opened(options, sha256, (copy) => Path.basename(copy.directory))
      // as of a process with a number that no process has
      const left = Path.join(options.temporary, name.replace(/-\d+-\d+-/, "-4194305-1-"))
      mkdirSync(left)
      yield* opened(options, sha256, () => undefined)
      assert.deepStrictEqual(readdirSync(options.temporary), [])
    })
  )

  const changes: ReadonlyArray<readonly [what: string, change: (directory: string) => void, why: RegExp]> = [
    ["a file says something else", (at) => write(at, { "data/a.txt": "b\n" }), /were changed since/],
    ["a file is new", (at) => write(at, { "data/b.txt": "" }), /were changed since/],
    ["a file cannot be run any more", (at) => chmodSync(`${at}/run.sh`, 0o644), /were changed since/],
    [
      "a link leads elsewhere",
      (at) => {
        rmSync(`${at}/link`)
        symlinkSync("run.sh", `${at}/link`)
      },
      /were changed since/
    ],
    ["it is gone", (at) => rmSync(at, { recursive: true }), /not there any more/]
  ]
  it.live.each(changes)("given that %s, then it is refused in words that do not name the place", ([, change, why]) =>
    Effect.gen(function* () {
      const { directory, options } = yield* staged
      const sha256 = yield* Effect.promise(() => digestOf(directory))
      yield* Effect.promise(() => keep(options, sha256, directory))
      change(directory)
      const { message } = yield* Effect.flip(opened(options, sha256, () => undefined))
      assert.match(message, why)
      assert.notInclude(message, directory)
      assert.deepStrictEqual(readdirSync(options.temporary), [])
    })
  )

  it.live("given what git and Python keep beside them, then they are the same checks", () =>
    Effect.gen(function* () {
      const { directory } = yield* staged
      const before = yield* Effect.promise(() => digestOf(directory))
      write(directory, { ".git/index": "x", "data/__pycache__/a.pyc": "x" })
      assert.strictEqual(yield* Effect.promise(() => digestOf(directory)), before)
    })
  )

  it.live("given another project, then it does not know where they lie", () =>
    Effect.gen(function* () {
      const { directory, options } = yield* staged
      yield* Effect.promise(() => keep(options, "a".repeat(64), directory))
      const known = yield* Effect.promise(() => kept(options, "a".repeat(64)))
      assert.strictEqual(known, directory)
      assert.isNull(yield* Effect.promise(() => kept({ ...options, state: "/elsewhere" }, "a".repeat(64))))
      const { message } = yield* Effect.flip(opened({ ...options, state: "/elsewhere" }, "a".repeat(64), () => null))
      assert.match(message, /not known here/)
    })
  )
})
