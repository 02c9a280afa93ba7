import { chmodSync, existsSync, mkdirSync, readdirSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber, Scope } from "effect"
import { newName } from "../../../../packages/plugins/src/processes/names.ts"
import { live } from "../../../effects.ts"
import { daily } from "../../../often.ts"
import { git, ownOf, shell, statusOf, write } from "../support.ts"
import { begun, found, type Machine, machine, machines, worked } from "./support.ts"

const base = { "a.txt": "a\n", ".gitignore": "packages/\n" }

/** Where the next piece of work is done. */
const placeOf = (on: Machine, run = "run_1") =>
  Effect.map(on.open(run), ({ begun }) => begun.checkout.top).pipe(Effect.scoped)

describe("given a checkout in which work was done", () => {
  const rows: Readonly<Record<string, (top: string) => void>> = {
    "files that it did not know": (top) => write(top, { "new.txt": "new\n", "folder/x": "x\n" }),
    "a lock, and changes that it staged": (top) => shell(top, "echo x > x; git add x; touch .git/index.lock"),
    "a merge that it did not end": (top) =>
      shell(
        top,
        "git checkout -q -b other; echo x > a.txt; git commit -qam x; git checkout -q -; echo y > a.txt; git commit -qam y; git merge -q other || true"
      ),
    "branches, tags and a stash": (top) => shell(top, "git branch mine; git tag t; echo x > a.txt; git stash -q"),
    "another branch, settings and a hook": (top) =>
      shell(
        top,
        "git checkout -q -b mine; git config user.name me; mkdir -p .git/hooks; echo exit 1 > .git/hooks/pre-commit"
      ),
    "a file that git was told to ignore by a note of its own": (top) =>
      shell(top, "mkdir -p .git/info; echo secret.txt > .git/info/exclude; echo s > secret.txt"),
    "a file that git was told not to look at": (top) =>
      shell(top, "git update-index --skip-worktree a.txt; echo x > a.txt"),
    "another repository": (top) =>
      shell(top, "mkdir nested; cd nested; git init -q; echo x > x; git add x; git commit -qm x"),
    "a folder that nobody may write": (top) => {
      write(top, { "closed/x": "x\n" })
      chmodSync(Path.join(top, "closed"), 0o500)
    },
    "no repository": (top) => shell(top, "rm -rf .git"),
    "a file as its repository": (top) => shell(top, "rm -rf .git; echo 'gitdir: /nowhere' > .git"),
    "nothing at all": (top) => shell(top, "rm -rf .git * .gitignore .proofline")
  }
  live("when it has left anything, then the next finds nothing of it, but what git ignores", function* () {
    const all = yield* machines(base)
    yield* begun(all)
    const [own, status] = [ownOf(all.project), statusOf(all.project)]
    const on = yield* machine(all)
    const before = yield* placeOf(on)
    for (const [what, leave] of daily(Object.entries(rows), 4)) {
      // work that failed is not merged
      yield* Effect.map(on.open("run_1"), ({ begun }) => {
        write(begun.root, { "packages/p.js": "installed\n" })
        leave(begun.checkout.top)
      }).pipe(Effect.scoped)
      const top = yield* placeOf(on)
      assert.strictEqual(top, before, what)
      assert.strictEqual(git(top, "status", "--porcelain", "--untracked-files=all"), "", what)
      const packages = what === "nothing at all" ? [] : ["packages"]
      assert.deepStrictEqual(readdirSync(top).sort(), [".git", ".gitignore", ".proofline", "a.txt", ...packages], what)
      assert.strictEqual(git(top, "for-each-ref", "--format=%(refname)").trim(), "refs/heads/proofline", what)
      assert.strictEqual(git(top, "rev-parse", "--abbrev-ref", "HEAD").trim(), "proofline", what)
      assert.notInclude(git(top, "config", "--list", "--local"), "user.name", what)
      assert.deepStrictEqual(
        readdirSync(Path.join(top, ".git")).sort(),
        ["HEAD", "config", "index", "objects", "refs"],
        what
      )
      assert.deepStrictEqual([ownOf(all.project), statusOf(all.project)], [own, status], what)
    }
  })

  live(
    "when it has changed nothing, then the next is there at once, also where others have merged meanwhile",
    function* () {
      const all = yield* machines(base)
      yield* begun(all)
      const [one, two] = [yield* machine(all, "one"), yield* machine(all, "two")]
      assert.isNull(yield* worked(all, one, (root) => write(root, { "packages/p.js": "installed\n" })))
      yield* worked(all, two, (root) => write(root, { "b.txt": "b\n" }))
      assert.deepStrictEqual(yield* found(one), { ...base, "b.txt": "b\n", "packages/p.js": "installed\n" })
    }
  )

  live("when it was interrupted, then the checkout is thrown away", function* () {
    const all = yield* machines(base)
    yield* begun(all)
    const on = yield* machine(all)
    const there = yield* Deferred.make<string>()
    const working = yield* Effect.forkChild(
      Effect.flatMap(on.open("run_1"), ({ begun }) => Deferred.succeed(there, begun.checkout.top)).pipe(
        Effect.andThen(Effect.never),
        Effect.scoped
      )
    )
    const top = yield* Deferred.await(there)
    yield* Fiber.interrupt(working)
    assert.isFalse(existsSync(top))
    assert.notStrictEqual(yield* placeOf(on), top)
  })

  live("when two work at the same time, then each has one of its own, and both are used again", function* () {
    const all = yield* machines(base)
    yield* begun(all)
    const on = yield* machine(all)
    const pair = Effect.map(Effect.all([on.open("run_1"), on.open("run_1")]), (both) =>
      both.map(({ begun }) => begun.checkout.top).sort()
    ).pipe(Effect.scoped)
    const first = yield* pair
    assert.strictEqual(new Set(first).size, 2)
    assert.deepStrictEqual(yield* pair, first)
  })

  live("when many runs are worked on, then those of the last are kept, and of the others nothing is", function* () {
    const all = yield* machines(base)
    const on = yield* machine(all)
    const runs = Array.from({ length: 12 }, (_, i) => `run_${i + 1}`)
    const tops: Array<string> = []
    for (const run of runs) {
      yield* begun(all, null, run)
      tops.push(yield* placeOf(on, run))
    }
    assert.deepStrictEqual(
      tops.map((top) => existsSync(top)),
      runs.map((_, i) => i >= 4)
    )
    const kept = Path.dirname(Path.dirname(Path.dirname(tops.at(-1) ?? "")))
    assert.strictEqual(readdirSync(kept).length, 8)
    assert.strictEqual(yield* placeOf(on, "run_12"), tops.at(-1))
    assert.deepStrictEqual(yield* found(on, "run_1"), base)
  })
})

describe("given directories of workers", () => {
  live("when a worker ends, then its checkouts are gone; those of one that was killed go with the next", function* () {
    const all = yield* machines(base)
    yield* begun(all)
    const folder = Path.join(all.project.stateDir, "one")
    // a number that no process has
    const dead = newName("checkout").replace(/-\d+-\d+-(?=[0-9a-f]{12}$)/, "-4194999-1-")
    mkdirSync(Path.join(folder, dead, "x"), { recursive: true })
    mkdirSync(Path.join(folder, newName("checkout")), { recursive: true })
    mkdirSync(Path.join(folder, "not ours"), { recursive: true })
    const scope = yield* Scope.make()
    const on = yield* Scope.provide(machine(all), scope)
    const top = yield* placeOf(on)
    assert.isFalse(existsSync(Path.join(folder, dead)))
    assert.isTrue(existsSync(top))
    yield* Scope.close(scope, yield* Effect.exit(Effect.void))
    assert.isFalse(existsSync(top))
    assert.strictEqual(readdirSync(folder).length, 3)
  })
})
