import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { layer } from "@proofline/plugins/adapters/git-scratch-checkouts"
import { ScratchCheckouts } from "@proofline/plugins/ports"
import { Deferred, Effect, Fiber } from "effect"
import { noteConnection } from "../../../packages/plugins/src/log/openHere.ts"
import {
  commit,
  contentOf,
  git,
  isAlive,
  leftOf,
  printOf,
  refusal,
  repository,
  until,
  within,
  write
} from "./support.ts"

const shell = (directory: string, command: string): string =>
  execFileSync("sh", ["-c", command], { cwd: directory, encoding: "utf8" })

describe("a checkout of a commit", () => {
  it.live("has the log of this process as it was committed, for copying it would end the locks on it", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "one\n", "st/log.db": "committed\n" })
      write(place.root, { "a.txt": "two\n", "st/log.db": "changed\n" })
      yield* Effect.acquireRelease(
        Effect.sync(() => noteConnection(Path.join(place.root, "st/log.db"))),
        (ended) => Effect.sync(ended)
      )
      yield* within(place, { commit: place.base, overlay: true }, ({ directory }) =>
        Effect.sync(() => {
          assert.strictEqual(readFileSync(Path.join(directory, "a.txt"), "utf8"), "two\n")
          assert.strictEqual(readFileSync(Path.join(directory, "st/log.db"), "utf8"), "committed\n")
        })
      )
    })
  )

  it.live("is the commit, whatever the project has become since", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "old\n", "run.sh": "#!/bin/sh\n", "gone.txt": "gone\n" })
      write(place.root, { "a.txt": "new\n", "b.txt": "b\n" })
      rmSync(Path.join(place.root, "gone.txt"))
      commit(place.root)
      write(place.root, { "a.txt": "newest\n", "c.txt": "c\n" })
      yield* within(place, { commit: place.base, overlay: false }, ({ directory }) =>
        Effect.sync(() => {
          assert.deepStrictEqual(contentOf(directory), {
            "a.txt": "old\n",
            "gone.txt": "gone\n",
            "run.sh": "x #!/bin/sh\n"
          })
          assert.strictEqual(git(directory, "rev-parse", "HEAD").trim(), place.base)
          assert.strictEqual(git(directory, "status", "--porcelain"), "")
        })
      )
    })
  )

  it.live("is another place each time, which nobody else can look into", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "a\n" })
      const options = { commit: place.base, overlay: false }
      yield* within(place, options, (one) =>
        within(place, options, (other) =>
          Effect.sync(() => {
            assert.notStrictEqual(one.directory, other.directory)
            assert.strictEqual(statSync(one.directory).mode & 0o077, 0)
          })
        )
      )
      assert.deepStrictEqual(leftOf(place), [])
    })
  )

  it.live("has the project's own directory, also when the commit is older than it", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "a\n", "packages/one/b.txt": "b\n" })
      const one = { ...place, root: Path.join(place.root, "packages/one") }
      yield* within(one, { commit: place.base, overlay: false }, ({ directory }) =>
        Effect.sync(() => {
          assert.deepStrictEqual(contentOf(directory), { "b.txt": "b\n" })
          assert.strictEqual(readFileSync(Path.join(directory, "../../a.txt"), "utf8"), "a\n")
        })
      )
      write(place.root, { "packages/two/c.txt": "c\n" })
      const two = { ...place, root: Path.join(place.root, "packages/two") }
      yield* within(two, { commit: place.base, overlay: false }, ({ directory }) =>
        Effect.sync(() => assert.deepStrictEqual(contentOf(directory), {}))
      )
      yield* within(two, { commit: place.base, overlay: true }, ({ directory }) =>
        Effect.sync(() => assert.deepStrictEqual(contentOf(directory), { "c.txt": "c\n" }))
      )
    })
  )

  it.live("can be made of a worktree of the user's, and of a project reached through a link", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "a\n" })
      const own = Path.join(place.room, "own")
      git(place.root, "worktree", "add", "--quiet", "--detach", own)
      symlinkSync(own, Path.join(place.room, "alias"))
      write(own, { "a.txt": "mine\n" })
      const alias = { root: Path.join(place.room, "alias"), temporary: place.temporary }
      yield* within(alias, { commit: place.base, overlay: true }, ({ directory }) =>
        Effect.sync(() => assert.deepStrictEqual(contentOf(directory), { "a.txt": "mine\n" }))
      )
      assert.strictEqual(git(place.root, "worktree", "list").trim().split("\n").length, 2)
      assert.deepStrictEqual(leftOf(place), ["own"])
    })
  )
})

describe("a checkout of another checkout as it is now", () => {
  it.live("has what was changed there, and of the project only the commit and the installed packages", () =>
    Effect.gen(function* () {
      const place = yield* repository({ ".gitignore": "node_modules\n", "sub/a.txt": "a\n", "b.txt": "b\n" })
      write(place.root, { "sub/a.txt": "the user's\n", "sub/node_modules/one/index.js": "1\n" })
      const own = Path.join(place.room, "own")
      git(place.root, "worktree", "add", "--quiet", "--detach", own)
      write(own, { "b.txt": "changed\n", "sub/new.txt": "new\n", "sub/node_modules/two/index.js": "2\n" })
      const sub = { ...place, root: Path.join(place.root, "sub") }
      const options = { commit: place.base, overlay: true, root: Path.join(own, "sub") }
      yield* within(sub, options, ({ directory }) =>
        Effect.sync(() => {
          assert.strictEqual(readFileSync(Path.join(directory, "a.txt"), "utf8"), "a\n")
          assert.strictEqual(readFileSync(Path.join(directory, "new.txt"), "utf8"), "new\n")
          assert.strictEqual(readFileSync(Path.join(directory, "../b.txt"), "utf8"), "changed\n")
          assert.strictEqual(readFileSync(Path.join(directory, "node_modules/two/index.js"), "utf8"), "2\n")
        })
      )
      assert.deepStrictEqual(leftOf(place), ["own"])
    })
  )

  it.live("is refused when it is none of the project's repository any more", () =>
    Effect.gen(function* () {
      const place = yield* repository({ ".gitignore": "below\n", "a.txt": "a\n" })
      const own = Path.join(place.root, "below/own")
      git(place.root, "worktree", "add", "--quiet", "--detach", own)
      rmSync(Path.join(own, ".git"))
      const options = { commit: place.base, overlay: true, root: own }
      const error = yield* Effect.flip(within(place, options, () => Effect.void))
      assert.include((error as Error).message, "no worktree of the repository")
    })
  )
})

describe("a checkout of the project as it is now", () => {
  it.live("has commits since, staged, unstaged and untracked changes, and nothing that git ignores", () =>
    Effect.gen(function* () {
      const place = yield* repository({
        ".gitignore": "ignored/\n*.log\n",
        "unchanged.txt": "u\n",
        "deleted.txt": "d\n",
        "removed.txt": "r\n",
        "deep/only/file.txt": "f\n",
        "staged.txt": "s\n",
        "unstaged.txt": "u\n",
        "both.txt": "b\n",
        "mode.sh": "echo\n",
        "tofile/inner.txt": "i\n",
        todirectory: "t\n",
        tolink: "t\n",
        "once.log.txt": "o\n"
      })
      const { root } = place
      const at = (path: string) => Path.join(root, path)
      write(root, { "committed.txt": "c\n", "unstaged.txt": "committed since\n" })
      const head = commit(root)
      write(root, { "staged.txt": "staged\n", "both.txt": "staged\n", "added.txt": "added\n" })
      git(root, "add", "staged.txt", "both.txt", "added.txt")
      write(root, { "both.txt": "and changed again\n", "unstaged.txt": "unstaged\n" })
      rmSync(at("deleted.txt"))
      git(root, "rm", "--quiet", "removed.txt", "deep/only/file.txt")
      git(root, "rm", "--quiet", "--cached", "once.log.txt")
      chmodSync(at("mode.sh"), 0o755)
      rmSync(at("tofile"), { recursive: true })
      rmSync(at("todirectory"))
      rmSync(at("tolink"))
      symlinkSync("unchanged.txt", at("tolink"))
      write(root, {
        tofile: "a file now\n",
        "todirectory/inner.txt": "a directory now\n",
        "untracked/ünïcode \n name.txt": "n\n",
        "ignored/big.bin": "x",
        "debug.log": "x",
        "nested/file.txt": "part of another repository\n"
      })
      git(at("nested"), "init", "--quiet")
      symlinkSync("nowhere", at("dangling"))
      execFileSync("mkfifo", [at("pipe")])
      const expected = {
        ".gitignore": "ignored/\n*.log\n",
        "added.txt": "added\n",
        "both.txt": "and changed again\n",
        "committed.txt": "c\n",
        dangling: "-> nowhere",
        "mode.sh": "x echo\n",
        "once.log.txt": "o\n",
        "staged.txt": "staged\n",
        "todirectory/inner.txt": "a directory now\n",
        tofile: "a file now\n",
        tolink: "-> unchanged.txt",
        "unchanged.txt": "u\n",
        "unstaged.txt": "unstaged\n",
        "untracked/ünïcode \n name.txt": "n\n"
      }
      // from whatever commit it is made
      for (const from of [head, place.base]) {
        yield* within(place, { commit: from, overlay: true }, ({ directory }) =>
          Effect.sync(() => {
            assert.deepStrictEqual(contentOf(directory), expected)
            assert.isFalse(existsSync(Path.join(directory, "deep")))
          })
        )
      }
    })
  )

  it.live("has a conflict as it stands in the file", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "base\n" })
      git(place.root, "checkout", "--quiet", "-b", "other")
      write(place.root, { "a.txt": "theirs\n" })
      commit(place.root)
      git(place.root, "checkout", "--quiet", "main")
      write(place.root, { "a.txt": "ours\n" })
      const head = commit(place.root)
      assert.throws(() => git(place.root, "merge", "other"))
      yield* within(place, { commit: head, overlay: true }, ({ directory }) =>
        Effect.sync(() =>
          assert.strictEqual(
            readFileSync(Path.join(directory, "a.txt"), "utf8"),
            readFileSync(Path.join(place.root, "a.txt"), "utf8")
          )
        )
      )
      assert.include(readFileSync(Path.join(place.root, "a.txt"), "utf8"), "<<<<<<<")
    })
  )

  it.live("converts line ends as git does, and copies what is not committed as it is", () =>
    Effect.gen(function* () {
      const place = yield* repository({ ".gitattributes": "*.bat text eol=crlf\n", "a.bat": "a\n", "b.txt": "b\r\n" })
      write(place.root, { "b.txt": "c\r\nd\n" })
      yield* within(place, { commit: place.base, overlay: true }, ({ directory }) =>
        Effect.sync(() => {
          assert.strictEqual(readFileSync(Path.join(directory, "a.bat"), "utf8"), "a\r\n")
          assert.strictEqual(readFileSync(Path.join(directory, "b.txt"), "utf8"), "c\r\nd\n")
        })
      )
    })
  )
})

describe("writing into a checkout", () => {
  it.live("changes the file there and nowhere else, also a read-only one", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "src/a.js": "a\n", "run.sh": "#!/bin/sh\n" })
      chmodSync(Path.join(place.root, "run.sh"), 0o555)
      yield* within(place, { commit: place.base, overlay: true }, ({ directory, write }) =>
        Effect.gen(function* () {
          yield* write("src/a.js", "\ufeffneutral\r\n")
          yield* write("./run.sh", "#!/bin/sh\nexit 1\n")
          assert.deepStrictEqual(contentOf(directory), {
            "run.sh": "x #!/bin/sh\nexit 1\n",
            "src/a.js": "\ufeffneutral\r\n"
          })
        })
      )
      assert.deepStrictEqual(contentOf(place.root), { "run.sh": "x #!/bin/sh\n", "src/a.js": "a\n" })
    })
  )

  it.live("goes through links that stay inside, and through no other", () =>
    Effect.gen(function* () {
      const place = yield* repository({ ".gitignore": "node_modules\nbuilt.js\n", "a.js": "a\n" })
      write(place.root, { "node_modules/dep/index.js": "dep\n", "built.js": "built\n", "../outside.js": "outside\n" })
      symlinkSync("a.js", Path.join(place.root, "inside.js"))
      symlinkSync(Path.join(place.root, "a.js"), Path.join(place.root, "absolute.js"))
      const before = printOf(place.room)
      yield* within(place, { commit: place.base, overlay: true }, ({ directory, write }) =>
        Effect.gen(function* () {
          yield* write("inside.js", "changed\n")
          assert.strictEqual(readFileSync(Path.join(directory, "a.js"), "utf8"), "changed\n")
          for (const path of ["absolute.js", "node_modules/dep/index.js", "built.js", "none.js"]) {
            const error = yield* Effect.flip(write(path, "bad\n"))
            assert.include((error as Error).message, path)
          }
        })
      )
      assert.deepStrictEqual(printOf(place.room), before)
    })
  )
})

describe("the user's own repository", () => {
  it.live("stays what it is to the last byte and time, whatever is done in the checkouts", () =>
    Effect.gen(function* () {
      const place = yield* repository({
        ".gitignore": "node_modules\n",
        "a.txt": "a\n",
        "b.txt": "b\n",
        "c.txt": "c\n"
      })
      const { root } = place
      git(root, "tag", "v1")
      write(root, { "b.txt": "stashed\n" })
      git(root, "-c", "user.name=A", "-c", "user.email=a@example.org", "stash", "--quiet")
      write(root, { "a.txt": "staged\n", "node_modules/dep/index.js": "dep\n" })
      git(root, "add", "a.txt")
      write(root, { "a.txt": "changed\n", "new.txt": "new\n" })
      // newer than the index says: whoever refreshes the index would write it
      utimesSync(Path.join(root, "c.txt"), new Date(), new Date(Date.now() + 5_000))
      for (const hook of ["post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman"])
        write(root, { [`.git/hooks/${hook}`]: `#!/bin/sh\necho ${hook} >> "${place.room}/hooks"\n` })
      git(root, "config", "core.fsmonitor", ".git/hooks/fsmonitor-watchman")
      git(root, "config", "worktree.useRelativePaths", "true")
      const before = printOf(root)
      for (const overlay of [false, true]) {
        yield* within(place, { commit: place.base, overlay }, ({ directory, write }) =>
          Effect.gen(function* () {
            yield* write("a.txt", "neutral\n")
            shell(directory, "rm -rf b.txt node_modules/dep; echo x > node_modules/new; echo y > c.txt")
          })
        )
      }
      assert.deepStrictEqual(printOf(root), before)
      assert.isFalse(existsSync(Path.join(root, ".git/worktrees")))
      assert.isFalse(existsSync(Path.join(place.room, "hooks")), "a hook was run")
      assert.deepStrictEqual(leftOf(place), [])
    })
  )

  it.live("keeps its branch, index and changes when a check commits in the checkout", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "a\n" })
      write(place.root, { "a.txt": "changed\n" })
      const before = printOf(place.root).filter((line) => !line.startsWith(".git/objects/"))
      yield* within(place, { commit: place.base, overlay: true }, ({ directory }) =>
        Effect.sync(() => assert.notStrictEqual(commit(directory), place.base))
      )
      assert.deepStrictEqual(
        printOf(place.root).filter((line) => !line.startsWith(".git/objects/")),
        before
      )
    })
  )

  it.live("keeps its worktrees, also one on a disk that is not there", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "a\n" })
      const away = Path.join(place.room, "away")
      git(place.root, "worktree", "add", "--quiet", "--detach", away)
      renameSync(away, `${away}-unmounted`)
      yield* within(place, { commit: place.base, overlay: false }, () => Effect.void)
      assert.deepStrictEqual(leftOf(place), ["away"])
    })
  )

  it.live("is found by the directory, not by what a hook of git has set", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "a\n" })
      const other = yield* repository({ "other.txt": "o\n" })
      process.env["GIT_DIR"] = Path.join(other.root, ".git")
      process.env["GIT_INDEX_FILE"] = Path.join(other.root, ".git/index")
      yield* within(place, { commit: place.base, overlay: true }, ({ directory }) =>
        Effect.sync(() => assert.deepStrictEqual(contentOf(directory), { "a.txt": "a\n" }))
      ).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            delete process.env["GIT_DIR"]
            delete process.env["GIT_INDEX_FILE"]
          })
        )
      )
    })
  )
})

describe("removing a checkout", () => {
  it.live("takes away what a check has left there, read-only directories and links included", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "a\n" })
      write(place.room, { "precious/file": "precious\n" })
      yield* within(place, { commit: place.base, overlay: false }, ({ directory }) =>
        Effect.sync(() => {
          write(directory, { "cache/deep/file": "x" })
          chmodSync(Path.join(directory, "cache/deep"), 0o555)
          chmodSync(Path.join(directory, "cache"), 0o555)
          symlinkSync(Path.join(place.room, "precious"), Path.join(directory, "link"))
          rmSync(Path.join(directory, ".git"))
        })
      )
      assert.deepStrictEqual(leftOf(place), [])
      assert.isTrue(existsSync(Path.join(place.room, "precious/file")))
    })
  )

  it.live("happens when the work in it fails, and when it is interrupted", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "a\n" })
      const options = { commit: place.base, overlay: true }
      yield* Effect.flip(within(place, options, () => Effect.fail("broken")))
      const there = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        within(place, options, () => Effect.andThen(Deferred.succeed(there, undefined), Effect.never))
      )
      yield* Deferred.await(there)
      assert.strictEqual(leftOf(place).length, 2)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(leftOf(place), [])
    })
  )

  it.live("happens when it is interrupted while git is still at work, and ends git with its filters", () =>
    Effect.gen(function* () {
      const place = yield* repository({ ".gitattributes": "slow.txt filter=slow\n", "slow.txt": "s\n" })
      const pid = Path.join(place.room, "pid")
      write(place.room, {
        "slow.sh": `#!/bin/sh\necho $$ > "${pid}.part"; mv "${pid}.part" "${pid}"; while :; do sleep 1000; done\n`
      })
      git(place.root, "config", "filter.slow.smudge", Path.join(place.room, "slow.sh"))
      const fiber = yield* Effect.forkChild(within(place, { commit: place.base, overlay: false }, () => Effect.void))
      yield* until(() => existsSync(pid))
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(leftOf(place), [])
      // one that was killed is there until the system has taken it away
      yield* until(() => !isAlive(Number(readFileSync(pid, "utf8"))))
    })
  )

  it.live("leaves nothing when many are made and removed at the same time", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "a\n" })
      const checkouts = yield* ScratchCheckouts.pipe(Effect.provide(layer(place)))
      yield* Effect.forEach(
        Array.from({ length: 8 }, (_, index) => index),
        (index) =>
          Effect.scoped(
            Effect.gen(function* () {
              const { directory } = yield* checkouts.make({ commit: place.base, overlay: index % 2 === 0 })
              assert.strictEqual(readFileSync(Path.join(directory, "a.txt"), "utf8"), "a\n")
            })
          ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(leftOf(place), [])
    })
  )
})

describe("no checkout", () => {
  it.live("outside of a repository, of no commit and of an unknown one: each says why", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "a\n" })
      const none = Path.join(place.room, "none")
      mkdirSync(none)
      assert.include(yield* refusal({ ...place, root: none }, place.base), "not in a git repository")
      assert.include(yield* refusal({ ...place, root: Path.join(none, "missing") }, place.base), "does not exist")
      assert.include(yield* refusal(place, "--orphan"), '"--orphan" is not the id of a commit')
      assert.include(yield* refusal(place, "0".repeat(40)), "git worktree add")
      assert.include(yield* refusal({ ...place, temporary: place.root }, place.base), "Set TMPDIR")
      assert.include(yield* refusal({ ...place, temporary: Path.join(none, "tmp") }, place.base), "cannot be used")
      assert.deepStrictEqual(leftOf(place), [])
    })
  )

  it.live("when a filter of the project fails, in git's words", () =>
    Effect.gen(function* () {
      const place = yield* repository({ ".gitattributes": "a.txt filter=bad\n", "a.txt": "a\n" })
      git(place.root, "config", "filter.bad.smudge", "false")
      git(place.root, "config", "filter.bad.required", "true")
      assert.include(yield* refusal(place, place.base), "smudge filter bad failed")
      assert.deepStrictEqual(leftOf(place), [])
    })
  )

  it.live.skipIf(process.platform !== "linux")("when a changed file has a name that is not UTF-8", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "a.txt": "a\n" })
      writeFileSync(Buffer.from(`${place.root}/\xff.txt`, "latin1"), "x")
      assert.include(yield* refusal(place, place.base), "not valid UTF-8")
    })
  )
})

describe("installed packages", () => {
  it.live("are there, and what is changed in the checkout does not change the user's", () =>
    Effect.gen(function* () {
      const place = yield* repository({
        ".gitignore": "node_modules/\n",
        "package.json": '{"type":"module","workspaces":["packages/*"]}',
        "packages/one/package.json": '{"name":"@mine/one","exports":"./index.js","type":"module"}',
        "packages/one/index.js": 'export default "old"\n',
        "main.js": 'import one from "@mine/one"\nimport dep from "dep"\nconsole.log(one, dep)\n'
      })
      const at = (path: string) => Path.join(place.root, path)
      write(place.root, {
        "node_modules/dep/package.json": '{"name":"dep","exports":"./index.js","type":"module"}',
        "node_modules/dep/index.js": 'export default "dep"\n',
        "node_modules/@other/scoped/index.js": "scoped\n",
        "node_modules/.cache/tool/data": "cached\n",
        "node_modules/.vite/deps/data": "cached\n",
        "node_modules/.package-lock.json": "{}\n",
        "packages/one/node_modules/inner/index.js": "inner\n",
        "packages/one/cli.js": "#!/usr/bin/env node\nconsole.log(import.meta.dirname)\n",
        "../beside/index.js": "beside\n"
      })
      mkdirSync(at("node_modules/@mine"))
      mkdirSync(at("node_modules/.bin"))
      symlinkSync("../../packages/one", at("node_modules/@mine/one"))
      symlinkSync("../@mine/one/cli.js", at("node_modules/.bin/cli"))
      symlinkSync("../../beside", at("node_modules/beside"))
      symlinkSync(at("packages/one"), at("node_modules/absolute"))
      const before = printOf(place.root)
      yield* within(place, { commit: place.base, overlay: true }, ({ directory, write }) =>
        Effect.gen(function* () {
          yield* write("packages/one/index.js", 'export default "new"\n')
          assert.strictEqual(shell(directory, "node main.js"), "new dep\n")
          assert.strictEqual(shell(directory, "node_modules/.bin/cli"), `${Path.join(directory, "packages/one")}\n`)
          const modules = Path.join(directory, "node_modules")
          assert.strictEqual(readFileSync(Path.join(modules, "beside/index.js"), "utf8"), "beside\n")
          assert.strictEqual(readFileSync(Path.join(modules, "@other/scoped/index.js"), "utf8"), "scoped\n")
          assert.strictEqual(
            readFileSync(Path.join(directory, "packages/one/node_modules/inner/index.js"), "utf8"),
            "inner\n"
          )
          assert.strictEqual(realpathSync(Path.join(modules, "absolute")), Path.join(directory, "packages/one"))
          for (const cache of [".cache", ".vite"]) assert.isFalse(existsSync(Path.join(modules, cache)), cache)
          shell(
            directory,
            "mkdir -p node_modules/.cache node_modules/@mine/two; echo x > node_modules/.cache/x; echo y > node_modules/.package-lock.json; rm -r node_modules/dep node_modules/.bin/cli; echo z > node_modules/@other/z"
          )
        })
      )
      assert.deepStrictEqual(printOf(place.root), before)
    })
  )

  it.live(
    "are never taken for sources where nobody has told git to ignore them, and are not mixed with committed ones",
    () =>
      Effect.gen(function* () {
        const place = yield* repository({ "vendor/own/a.txt": "committed\n", "a.txt": "a\n" })
        write(place.root, {
          "node_modules/dep/index.js": "dep\n",
          "vendor/own/a.txt": "changed\n",
          "vendor/new/b.txt": "untracked\n"
        })
        yield* within(place, { commit: place.base, overlay: true }, ({ directory }) =>
          Effect.sync(() => {
            assert.isTrue(lstatSync(Path.join(directory, "node_modules/dep")).isSymbolicLink())
            assert.strictEqual(readFileSync(Path.join(directory, "vendor/own/a.txt"), "utf8"), "changed\n")
            assert.isFalse(lstatSync(Path.join(directory, "vendor/new")).isSymbolicLink())
          })
        )
      })
  )

  it.live("are put beside those that are committed", () =>
    Effect.gen(function* () {
      const ignored = { ".gitignore": "node_modules/*\n!node_modules/mine\n" }
      const place = yield* repository({ ...ignored, "node_modules/mine/index.js": "committed\n" })
      write(place.root, { "node_modules/mine/index.js": "changed\n", "node_modules/dep/index.js": "dep\n" })
      for (const [overlay, mine] of [
        [false, "committed\n"],
        [true, "changed\n"]
      ] as const) {
        yield* within(place, { commit: place.base, overlay }, ({ directory }) =>
          Effect.sync(() => {
            assert.strictEqual(readFileSync(Path.join(directory, "node_modules/mine/index.js"), "utf8"), mine)
            assert.isFalse(lstatSync(Path.join(directory, "node_modules/mine")).isSymbolicLink())
            assert.strictEqual(readFileSync(Path.join(directory, "node_modules/dep/index.js"), "utf8"), "dep\n")
          })
        )
      }
    })
  )

  it.live("of a virtual environment of Python lead to the checkout, not back to the project", () =>
    Effect.gen(function* () {
      const place = yield* repository({ ".gitignore": "env/\n", "src/mine.py": 'VALUE = "old"\n' })
      const { root } = place
      write(root, { "src/mine.py": 'VALUE = "new"\n' })
      // as an editable installation leaves it
      write(root, {
        "env/pyvenv.cfg": "home = /usr/bin\n",
        "env/bin/tool": `#!/bin/sh\nPYTHONPATH="$(cat ${root}/env/lib/python3.11/site-packages/mine.pth)" exec python3 -c 'import mine; print(mine.VALUE)'\n`,
        "env/lib/python3.11/site-packages/mine.pth": `${root}/src\n`,
        "env/lib/python3.11/site-packages/elsewhere.pth": `${root}-2/src\n`,
        "env/lib/python3.11/site-packages/dep/__init__.py": "DEP = 1\n"
      })
      const before = printOf(root)
      for (const [overlay, value] of [
        [false, "old"],
        [true, "new"]
      ] as const) {
        yield* within(place, { commit: place.base, overlay }, ({ directory }) =>
          Effect.sync(() => {
            assert.strictEqual(shell(directory, "env/bin/tool"), `${value}\n`)
            const packages = Path.join(directory, "env/lib/python3.11/site-packages")
            assert.strictEqual(readFileSync(Path.join(packages, "elsewhere.pth"), "utf8"), `${root}-2/src\n`)
            assert.isTrue(lstatSync(Path.join(packages, "dep")).isSymbolicLink())
          })
        )
      }
      assert.deepStrictEqual(printOf(root), before)
    })
  )
})
