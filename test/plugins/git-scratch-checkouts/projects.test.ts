import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Base } from "@proofline/kernel"
import { layer as blobs } from "@proofline/plugins/adapters/file-blobs"
import { projects } from "@proofline/plugins/adapters/git-scratch-checkouts"
import { layer as baseline } from "@proofline/plugins/adapters/node-baseline"
import { layer as digest } from "@proofline/plugins/adapters/node-digest"
import { Baseline, ScratchProjects } from "@proofline/plugins/ports"
import { Effect, Fiber, Layer } from "effect"
import { commit, contentOf, git, leftOf, type Place, printOf, repository, write } from "./support.ts"

const stateOf = (root: string) => Path.join(root, ".proofline/state")

const worldOf = ({ root, temporary }: Place) =>
  projects({ root, temporary, state: stateOf(root) }).pipe(
    Layer.provideMerge(baseline({ root, state: stateOf(root) })),
    Layer.provideMerge(Layer.provide(blobs({ directory: Path.join(temporary, "../blobs") }), digest))
  )

const capture = (place: Place) =>
  Effect.provide(
    Effect.flatMap(Baseline, (one) => one.capture),
    worldOf(place)
  )

/** What is in a scratch directory, which is then removed. */
const within = <A>(place: Place, at: Base | "now", use: (directory: string) => A, root?: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const made = yield* (yield* ScratchProjects).make(root === undefined ? { at } : { at, root })
      return use(made.directory)
    })
  ).pipe(Effect.provide(worldOf(place)))

/** A directory that is no repository. */
const plain = (files: Readonly<Record<string, string>>) =>
  Effect.map(repository({ "first.txt": "" }), (place) => {
    for (const name of [".git", "first.txt"]) rmSync(Path.join(place.root, name), { recursive: true })
    write(place.root, files)
    return place
  })

describe("a copy of the project, in a repository", () => {
  it.effect("given committed, dirty, new, deleted and ignored files, then each is as it was, or as it is", () =>
    Effect.gen(function* () {
      const place = yield* repository({
        ".gitignore": "dist\nnode_modules\n.proofline\n",
        "a.txt": "committed\n",
        "gone.txt": "committed\n",
        "kept.txt": "crlf\r\n"
      })
      const { root } = place
      write(root, {
        "a.txt": "dirty\n",
        "new/b.txt": "new\n",
        "check.sh": "#!/bin/sh\n",
        "dist/built.js": "built\n",
        "node_modules/x/index.js": "x\n",
        "packages/p/node_modules/y/index.js": "y\n",
        ".proofline/state/proofline.db": "state",
        ".proofline/phase_contract.yml": "contract\n"
      })
      rmSync(Path.join(root, "gone.txt"))
      const base = yield* capture(place)
      const before = {
        ".gitignore": "dist\nnode_modules\n.proofline\n",
        ".proofline/phase_contract.yml": "contract\n",
        "a.txt": "dirty\n",
        "check.sh": "x #!/bin/sh\n",
        "dist/built.js": "built\n",
        "kept.txt": "crlf\r\n",
        "new/b.txt": "new\n",
        "node_modules/x/index.js": "x\n",
        "packages/p/node_modules/y/index.js": "y\n"
      }
      write(root, { "a.txt": "work\n", "work.txt": "work\n" })
      rmSync(Path.join(root, "new"), { recursive: true })
      commit(root, "work")
      write(root, { "later.txt": "later\n" })
      const print = printOf(root)
      assert.deepStrictEqual(yield* within(place, base, contentOf), before)
      const { "new/b.txt": _, ...rest } = before
      assert.deepStrictEqual(yield* within(place, "now", contentOf), {
        ...rest,
        "a.txt": "work\n",
        "later.txt": "later\n",
        "work.txt": "work\n"
      })
      assert.deepStrictEqual(printOf(root), print)
      assert.deepStrictEqual(leftOf(place), [])
    })
  )

  it.effect("given links and programs that name the project, then they lead to the copy", () =>
    Effect.gen(function* () {
      const place = yield* repository({ ".gitignore": "node_modules\n.venv\n", "pkg/index.js": "1\n" })
      const { room, root } = place
      write(root, {
        "node_modules/real/index.js": "1\n",
        ".venv/bin/tool": `#!${root}/.venv/bin/python\n`,
        ".venv/lib/site-packages/p.pth": `${root}/pkg\n`
      })
      symlinkSync("../pkg", Path.join(root, "node_modules/relative"))
      symlinkSync(Path.join(root, "pkg"), Path.join(root, "node_modules/absolute"))
      symlinkSync("../../tmp", Path.join(root, "node_modules/outside"))
      yield* within(place, "now", (directory) => {
        const at = (path: string) => Path.join(directory, path)
        assert.strictEqual(readlinkSync(at("node_modules/relative")), "../pkg")
        assert.strictEqual(readlinkSync(at("node_modules/absolute")), at("pkg"))
        assert.strictEqual(readlinkSync(at("node_modules/outside")), Path.join(room, "tmp"))
        assert.isFalse(lstatSync(at("node_modules/real")).isSymbolicLink())
        const content = contentOf(directory)
        assert.strictEqual(content[".venv/bin/tool"], `x #!${directory}/.venv/bin/python\n`)
        assert.strictEqual(content[".venv/lib/site-packages/p.pth"], `${directory}/pkg\n`)
      })
    })
  )

  it.effect("given a submodule, then its files are there", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "a\n" })
      const library = yield* repository({ "lib.txt": "lib\n" })
      git(place.root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.root, "sub")
      commit(place.root)
      const base = yield* capture(place)
      const content = yield* within(place, base, contentOf)
      assert.strictEqual(content["sub/lib.txt"], "lib\n")
    })
  )

  it.effect("given a worktree of a subtask, then the copy holds what is in that", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "a\n" })
      const worktree = Path.join(place.room, "worktree")
      git(place.root, "worktree", "add", "--quiet", "--detach", worktree)
      write(worktree, { "b.txt": "b\n" })
      const content = yield* within(place, "now", contentOf, worktree)
      assert.deepStrictEqual(content, { "a.txt": "a\n", "b.txt": "b\n" })
    })
  )

  it.effect("given a repository without a commit, then what was there is copied", () =>
    Effect.gen(function* () {
      const place = yield* plain({ "a.txt": "a\n", ".gitignore": "dist\n", "dist/b.txt": "b\n" })
      git(place.root, "init", "--quiet")
      const base = yield* capture(place)
      write(place.root, { "a.txt": "work\n" })
      commit(place.root)
      const content = yield* within(place, base, contentOf)
      assert.deepStrictEqual(content, { ".gitignore": "dist\n", "a.txt": "a\n", "dist/b.txt": "b\n" })
    })
  )
})

describe("a copy of the project, in a plain directory", () => {
  it.effect("then it is as it was, or as it is; Proofline's own state is never copied", () =>
    Effect.gen(function* () {
      const place = yield* plain({
        "a.txt": "a\n",
        "deep/b.txt": "b\n",
        "node_modules/x/index.js": "x\n",
        ".proofline/state/proofline.db": "state"
      })
      const base = yield* capture(place)
      write(place.root, { "a.txt": "work\n", "c.txt": "c\n" })
      rmSync(Path.join(place.root, "deep"), { recursive: true })
      const packages = { "node_modules/x/index.js": "x\n" }
      const print = printOf(place.root)
      assert.deepStrictEqual(yield* within(place, base, contentOf), {
        "a.txt": "a\n",
        "deep/b.txt": "b\n",
        ...packages
      })
      assert.deepStrictEqual(yield* within(place, "now", contentOf), { "a.txt": "work\n", "c.txt": "c\n", ...packages })
      assert.deepStrictEqual(printOf(place.root), print)
      assert.deepStrictEqual(leftOf(place), [])
    })
  )
})

describe("a copy of the project", () => {
  it.effect("given too much to be copied, then there is none, and that is said", () =>
    Effect.gen(function* () {
      const place = yield* repository({ ".gitignore": "big\n" })
      const file = Path.join(place.root, "big")
      writeFileSync(file, "")
      // a hole: nothing is written
      yield* Effect.promise(async () => (await import("node:fs/promises")).truncate(file, 3 * 1024 ** 3))
      const refused = yield* Effect.flip(within(place, "now", () => {}))
      assert.include(refused.message, "too much")
      assert.deepStrictEqual(leftOf(place), [])
    })
  )

  it.effect("given a directory for temporary files in the project, then there is none", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "a\n" })
      const temporary = Path.join(place.root, "tmp")
      mkdirSync(temporary)
      const refused = yield* Effect.flip(within({ ...place, temporary }, "now", () => {}))
      assert.include(refused.message, "TMPDIR")
    })
  )

  it.live("when whoever uses it is interrupted, then nothing of it is left", () =>
    Effect.gen(function* () {
      const place = yield* repository({ ".gitignore": "node_modules\n", "a.txt": "a\n" })
      write(place.root, Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`node_modules/${i}/a.js`, "x"])))
      for (const turns of [1, 20, 100, 300]) {
        const fiber = yield* Effect.forkChild(
          Effect.scoped(
            Effect.gen(function* () {
              const { directory } = yield* (yield* ScratchProjects).make({ at: "now" })
              chmodSync(directory, 0o500)
              return yield* Effect.never
            })
          ).pipe(Effect.provide(worldOf(place)))
        )
        for (let turn = 0; turn < turns; turn++) yield* Effect.promise(() => new Promise((next) => setImmediate(next)))
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(leftOf(place), [], `${turns}`)
      }
      assert.isTrue(existsSync(Path.join(place.root, "node_modules/1/a.js")))
      assert.strictEqual(statSync(place.root).mode & 0o777, 0o755)
    })
  )
})
