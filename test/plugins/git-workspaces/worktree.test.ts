import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  contentOf,
  directory,
  fail,
  git,
  lastWins,
  open,
  overwrite,
  ownOf,
  place,
  read,
  repository,
  shell,
  statusOf,
  subtask,
  use,
  write
} from "./support.ts"

describe("the worktree of a subtask", () => {
  it.live("begins as the project is: staged, unstaged and untracked changes, nothing that git ignores", () =>
    Effect.gen(function* () {
      const project = yield* repository({
        ".gitignore": "ignored/\n*.log\n",
        "unchanged.txt": "u\n",
        "changed.txt": "old\n",
        "staged.txt": "old\n",
        "deleted.txt": "d\n",
        "renamed.txt": "a name\n",
        "mode.sh": "echo\n",
        "typed/file.txt": "t\n"
      })
      write(project.root, {
        "changed.txt": "new\n",
        "staged.txt": "staged\n",
        "new ä\n.txt": "untracked\n",
        "mode.sh": "#!/bin/sh\n",
        "ignored/x": "x",
        "a.log": "log"
      })
      git(project.root, "add", "staged.txt")
      write(project.root, { "staged.txt": "staged, then changed\n" })
      git(project.root, "mv", "renamed.txt", "other.txt")
      rmSync(Path.join(project.root, "deleted.txt"))
      rmSync(Path.join(project.root, "typed"), { recursive: true })
      symlinkSync("changed.txt", Path.join(project.root, "typed"))
      git(project.root, "add", "--intent-to-add", "new ä\n.txt")
      const before = [ownOf(project), statusOf(project)]
      const there = yield* open(project, "p-sub-1")
      assert.deepStrictEqual(contentOf(there.directory), {
        ".gitignore": "ignored/\n*.log\n",
        "changed.txt": "new\n",
        "mode.sh": "x #!/bin/sh\n",
        "new ä\n.txt": "untracked\n",
        "other.txt": "a name\n",
        "staged.txt": "staged, then changed\n",
        typed: "-> changed.txt",
        "unchanged.txt": "u\n"
      })
      assert.strictEqual(
        there.directory,
        Path.join(project.stateDir, "worktrees/run_1/p-sub-1"),
        "the place can be foretold"
      )
      assert.strictEqual(git(there.directory, "status", "--porcelain"), "")
      assert.deepStrictEqual([ownOf(project), statusOf(project)], before)
      assert.deepStrictEqual(yield* there.keep, [])
    })
  )

  it.live("keeps whatever the agent did with git there, and says what differs from its beginning", () =>
    Effect.gen(function* () {
      const project = yield* repository({
        ".gitignore": "*.log\n",
        "a.txt": "a\n",
        "b.txt": "b\n",
        "c.txt": "c\n",
        "d.txt": "d\n"
      })
      const before = ownOf(project)
      const there = yield* open(project, "p-sub-1")
      write(there.directory, { "a.txt": "committed\n" })
      git(there.directory, "commit", "--quiet", "--all", "--message", "one")
      git(there.directory, "checkout", "--quiet", "-b", "the-agents-own")
      write(there.directory, { "b.txt": "staged\n", "x/new.txt": "new\n", "b.log": "log" })
      git(there.directory, "add", "b.txt")
      git(there.directory, "rm", "--quiet", "c.txt")
      git(there.directory, "rm", "--quiet", "--cached", "d.txt")
      write(there.directory, { ".gitignore": "*.log\nd.txt\n" })
      assert.deepStrictEqual(yield* there.keep, [".gitignore", "a.txt", "b.txt", "c.txt", "x/new.txt"])
      assert.strictEqual(git(project.top, "show", "refs/proofline/run_1/p/p-sub-1:b.txt"), "staged\n")
      // what git was told to forget was not removed
      assert.strictEqual(git(project.top, "show", "refs/proofline/run_1/p/p-sub-1:d.txt"), "d\n")
      assert.strictEqual(
        git(project.top, "merge-base", "the-agents-own", "refs/proofline/run_1/p/p-sub-1"),
        git(project.top, "rev-parse", "the-agents-own")
      )
      git(there.directory, "checkout", "--quiet", "--detach")
      git(project.top, "branch", "--quiet", "-D", "the-agents-own")
      assert.deepStrictEqual(ownOf(project), before)
    })
  )

  it.live("keeps a change that neither size nor times tell, as git would see it", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "one\n" })
      git(project.top, "config", "core.trustctime", "false")
      const there = yield* open(project, "p-sub-1")
      const file = Path.join(there.directory, "a.txt")
      const index = git(there.directory, "rev-parse", "--git-path", "index").trim()
      utimesSync(file, 1_000_000_000, 1_000_000_000)
      git(there.directory, "update-index", "--refresh")
      write(there.directory, { "a.txt": "two\n" })
      // as within the second in which git wrote its index
      for (const path of [file, index]) utimesSync(path, 1_000_000_000, 1_000_000_000)
      assert.deepStrictEqual(yield* there.keep, ["a.txt"])
    })
  )

  it.live("is found again with what is in it, and made again from what was kept when it is gone", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n" })
      const one = yield* open(project, "p-sub-1")
      write(one.directory, { "a.txt": "kept\n" })
      yield* one.keep
      write(one.directory, { "a.txt": "more\n" })
      const again = yield* open(project, "p-sub-1")
      assert.deepStrictEqual([again.directory, read(again.directory, "a.txt")], [one.directory, "more\n"])
      rmSync(one.directory, { recursive: true })
      const remade = yield* open(project, "p-sub-1")
      assert.strictEqual(read(remade.directory, "a.txt"), "kept\n")
      assert.deepStrictEqual(yield* remade.keep, ["a.txt"])
      assert.strictEqual(git(project.top, "worktree", "list").trim().split("\n").length, 2)
    })
  )

  it.live("is known to git again when the agent or somebody else made git forget it", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n" })
      for (const damage of [
        "rm .git",
        'rm -r "$(git rev-parse --absolute-git-dir)"',
        'rm -r "$(git rev-parse --absolute-git-dir)" .git'
      ]) {
        const there = yield* open(project, "p-sub-1")
        write(there.directory, { "a.txt": `${damage}\n` })
        shell(there.directory, damage)
        const before = ownOf(project)
        assert.deepStrictEqual(yield* (yield* open(project, "p-sub-1")).keep, ["a.txt"], damage)
        assert.strictEqual(git(there.directory, "rev-parse", "--show-toplevel").trim(), there.directory)
        assert.strictEqual(git(there.directory, "status", "--porcelain"), " M a.txt\n", damage)
        assert.deepStrictEqual(ownOf(project), before)
      }
    })
  )

  it.live("is there again, with what was kept of its work, when the agent removed it or the folder it works in", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "in/it/a.txt": "a\n" }, "in/it")
      const removed = Effect.fnUntraced(function* (task: string, folder: string) {
        const there = yield* open(project, task)
        write(there.directory, { "b.txt": "kept\n" })
        yield* there.keep
        write(there.directory, { "c.txt": "not kept\n" })
        const gone = Path.resolve(there.directory, folder)
        const [, { modified }] = yield* there.watched(Effect.sync(() => rmSync(gone, { recursive: true })))
        const again = yield* open(project, task)
        return [modified, again.directory === there.directory, contentOf(again.directory)]
      })
      const kept = { "a.txt": "a\n", "b.txt": "kept\n" }
      assert.deepStrictEqual(yield* removed("p-sub-1", "../.."), [["b.txt", "c.txt"], true, kept])
      assert.deepStrictEqual(yield* removed("p-sub-2", "."), [
        [".proofline/.gitignore", "a.txt", "b.txt", "c.txt"],
        true,
        {}
      ])
      assert.strictEqual(git(project.top, "worktree", "list").trim().split("\n").length, 3)
    })
  )

  it.live("does not take the project for itself while its .git is missing", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n" })
      const there = yield* open(project, "p-sub-1")
      const fingerprint = yield* there.fingerprint
      rmSync(Path.join(there.directory, ".git"))
      write(there.directory, { "b.txt": "b\n" })
      assert.deepStrictEqual(yield* there.changedSince(fingerprint), ["b.txt"])
      assert.deepStrictEqual(yield* there.keep, ["b.txt"])
    })
  )

  it.live("is the project's own folder where the project is one folder of its repository", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "packages/one two/a.txt": "a\n", "outside.txt": "o\n" }, "packages/one two")
      const there = yield* open(project, "p-sub-1")
      assert.strictEqual(read(there.directory, "a.txt"), "a\n")
      assert.strictEqual(read(there.directory, "../../outside.txt"), "o\n")
      const fingerprint = yield* there.fingerprint
      write(there.directory, { "a.txt": "changed\n", "new/b.txt": "b\n", "../../outside.txt": "changed\n" })
      assert.deepStrictEqual(yield* there.changedSince(fingerprint), ["a.txt", "new/b.txt"])
      assert.deepStrictEqual(yield* there.keep, ["a.txt", "new/b.txt"])
    })
  )

  it.live("has the installed packages of the project, which are no work of it", () =>
    Effect.gen(function* () {
      for (const ignored of ["node_modules\n", ""]) {
        const project = yield* repository({ ".gitignore": ignored, "a.txt": "a\n" })
        write(project.root, {
          "node_modules/one/index.js": "1\n",
          "node_modules/.bin/where": `#!/bin/sh\n${project.root}\n`
        })
        const there = yield* open(project, "p-sub-1")
        assert.strictEqual(read(there.directory, "node_modules/one/index.js"), "1\n")
        assert.include(read(there.directory, "node_modules/.bin/where") ?? "", there.directory)
        const fingerprint = yield* there.fingerprint
        write(there.directory, { "node_modules/two/index.js": "2\n" })
        assert.deepStrictEqual(yield* there.changedSince(fingerprint), [])
        assert.deepStrictEqual(yield* there.keep, [])
        assert.isFalse(existsSync(Path.join(project.root, "node_modules/two")))
      }
    })
  )

  it.live("has a place of its own whatever its task is called", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n" })
      const ids = [
        "base",
        "project",
        "../../out",
        "A",
        "a",
        "a.start",
        "認証",
        "x".repeat(400),
        `${"x".repeat(399)}y`,
        "p.merge",
        "-",
        "..",
        "a b",
        "a.lock"
      ]
      const places = yield* Effect.forEach(ids, (id) =>
        open(project, id, { run_id: "../Run", parent_task_id: "Päd/.." })
      )
      const folders = places.map(({ directory }) => directory)
      assert.strictEqual(new Set(folders.map((folder) => folder.toLowerCase())).size, ids.length)
      for (const [i, { directory, keep }] of places.entries()) {
        assert.isTrue(directory.startsWith(`${project.stateDir}/worktrees/`), directory)
        write(directory, { "id.txt": `${ids[i]}` })
        assert.deepStrictEqual(yield* keep, ["id.txt"])
      }
    })
  )

  it.live("is one for each when many are opened at the same time, also by several processes", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n" })
      const before = ownOf(project)
      const ids = Array.from({ length: 6 }, (_, i) => `p-sub-${i % 3}`)
      const opened = yield* Effect.forEach(ids, (id) => open(project, id), { concurrency: "unbounded" })
      assert.strictEqual(new Set(opened.map(({ directory }) => directory)).size, 3)
      for (const { directory } of opened) assert.strictEqual(git(directory, "status", "--porcelain"), "")
      assert.strictEqual(git(project.top, "worktree", "list").trim().split("\n").length, 4)
      assert.deepStrictEqual(ownOf(project), before)
    })
  )

  it.live("leaves submodules and repositories below alone", () =>
    Effect.gen(function* () {
      const other = yield* repository({ "s.txt": "s\n" })
      const project = yield* repository({ "a.txt": "a\n" })
      git(project.top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.top, "sub")
      git(project.top, "commit", "--quiet", "--message", "sub")
      write(project.root, { "sub/s.txt": "changed\n", "own/x.txt": "x\n" })
      git(Path.join(project.root, "own"), "init", "--quiet")
      const before = [ownOf(project), statusOf(project)]
      const there = yield* open(project, "p-sub-1")
      write(there.directory, { "a.txt": "b\n" })
      assert.deepStrictEqual(yield* there.keep, ["a.txt"])
      assert.isTrue(lstatSync(Path.join(there.directory, "sub")).isDirectory())
      assert.deepStrictEqual([ownOf(project), statusOf(project)], before)
    })
  )

  it.live("runs no hook of the user's, and lies where git sees nothing of it", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n" })
      rmSync(Path.join(project.root, ".proofline/.gitignore"))
      git(project.top, "rm", "--quiet", "--cached", ".proofline/.gitignore")
      for (const hook of ["post-checkout", "pre-commit", "post-commit", "reference-transaction", "post-index-change"])
        write(project.top, { [`.git/hooks/${hook}`]: `#!/bin/sh\ntouch "${project.room}/${hook}"\n` })
      const before = statusOf(project)
      for (const name of ["reference-transaction", "post-index-change"])
        rmSync(Path.join(project.room, name), { force: true })
      yield* subtask(project, "p-sub-1", (folder) => write(folder, { "a.txt": "b\n" }))
      assert.isFalse(existsSync(Path.join(project.room, "post-checkout")))
      assert.isFalse(existsSync(Path.join(project.room, "reference-transaction")))
      assert.strictEqual(statusOf(project), before)
    })
  )
})

describe("what a subtask builds on", () => {
  const text = (lines: Readonly<Record<number, string>>) =>
    Array.from({ length: 9 }, (_, i) => `${lines[i + 1] ?? `line ${i + 1}`}\n`).join("")

  it.live("is there: the changes of those it comes after, merged in order, and not those of others", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": text({}), "old.txt": text({}) })
      yield* subtask(project, "p-sub-1", (folder) => write(folder, { "a.txt": text({ 1: "one" }) }))
      yield* subtask(project, "p-sub-2", (folder) => {
        write(folder, { "a.txt": text({ 9: "two" }), "old.txt": text({ 5: "moved" }) })
        git(folder, "mv", "old.txt", "new.txt")
      })
      yield* subtask(project, "p-sub-3", (folder) => write(folder, { "c.txt": "three\n" }))
      const there = yield* open(project, "p-sub-4", { after: ["p-sub-1", "p-sub-2"] })
      assert.strictEqual(read(there.directory, "a.txt"), text({ 1: "one", 9: "two" }))
      assert.strictEqual(read(there.directory, "new.txt"), text({ 5: "moved" }))
      assert.deepStrictEqual([read(there.directory, "old.txt"), read(there.directory, "c.txt")], [null, null])
      write(there.directory, { "d.txt": "four\n" })
      assert.deepStrictEqual(yield* there.keep, ["d.txt"])
      const last = yield* open(project, "p-sub-5", { after: ["p-sub-1", "p-sub-2", "p-sub-3", "p-sub-4"] })
      assert.deepStrictEqual([read(last.directory, "c.txt"), read(last.directory, "d.txt")], ["three\n", "four\n"])
    })
  )

  it.live("is refused or decided by the strategy where two of them changed the same lines", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": text({}) })
      yield* subtask(project, "p-sub-1", (folder) => write(folder, { "a.txt": text({ 1: "one", 5: "one" }) }))
      yield* subtask(project, "p-sub-2", (folder) => write(folder, { "a.txt": text({ 5: "two", 9: "two" }) }))
      const after = ["p-sub-1", "p-sub-2"]
      for (const strategy of [
        fail,
        { ...fail, conflict_resolution: "manual" },
        { ...overwrite, type: "custom" }
      ] as const) {
        const refused = yield* Effect.flip(open(project, "p-sub-3", { after, strategy }))
        assert.strictEqual(refused.code, "workplace_conflict")
        assert.include(refused.message, "a.txt (p-sub-1 and p-sub-2)")
      }
      const lines = yield* open(project, "p-sub-3", { after, strategy: overwrite })
      assert.strictEqual(read(lines.directory, "a.txt"), text({ 1: "one", 5: "two", 9: "two" }))
      const whole = yield* open(project, "p-sub-4", { after, strategy: lastWins })
      assert.strictEqual(read(whole.directory, "a.txt"), text({ 5: "two", 9: "two" }))
    })
  )
})

describe("there is no worktree", () => {
  it.live("without a repository, without a commit, and in a repository nobody can use", () =>
    Effect.gen(function* () {
      const none = yield* directory()
      const refused = yield* Effect.flip(open(none, "a"))
      assert.strictEqual(refused.code, "workplace_no_repository")
      assert.include(refused.message, "git init")
      assert.include(refused.message, "workspace: shared")
      git(none.top, "init", "--quiet")
      const empty = yield* Effect.flip(open(none, "a"))
      assert.strictEqual(empty.code, "workplace_no_repository")
      assert.include(empty.message, "no commit")
      const gone = yield* Effect.flip(open({ ...none, root: Path.join(none.room, "missing") }, "a"))
      assert.strictEqual(gone.code, "workplace_git_failed")
      for (const { message } of [refused, empty, gone]) assert.notMatch(message, /\n\s+at |Error:/)
    })
  )

  it.live.each([
    {
      what: "a branch is damaged",
      damage: ': > ".git/$(git symbolic-ref HEAD)"',
      code: "workplace_git_failed",
      said: "your current branch appears to be broken"
    },
    {
      what: "HEAD names a commit that is not there",
      damage: `echo ${"1".repeat(40)} > .git/HEAD`,
      code: "workplace_git_failed",
      said: "bad object HEAD"
    },
    {
      what: "its path has a line break",
      damage: "mkdir 'a\nb' && mv .git a.txt 'a\nb'",
      below: "a\nb",
      code: "workplace_name",
      said: "has a line break in it"
    }
  ])("where $what, and then that is said", ({ below = "", code, damage, said }) =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n" })
      shell(project.top, damage)
      const refused = yield* Effect.flip(open({ ...project, root: Path.join(project.root, below) }, "a"))
      assert.strictEqual(refused.code, code)
      assert.include(refused.message, said)
      assert.notInclude(refused.message, "no commit yet")
    })
  )

  it.live("with a git that is too old, or none", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n" })
      const real = shell(project.room, "command -v git").trim()
      write(project.room, {
        "old/git": `#!/bin/sh\nfor word; do [ "$word" = version ] && echo "git version 2.37.1" && exit 0; done\nexec ${real} "$@"\n`
      })
      mkdirSync(Path.join(project.room, "none"))
      for (const [folder, code] of [
        ["old", "workplace_old_git"],
        ["none", "workplace_no_git"]
      ] as const) {
        const path = process.env["PATH"]
        yield* Effect.acquireUseRelease(
          Effect.sync(() =>
            Object.assign(process.env, { PATH: Path.join(project.room, folder) + (folder === "old" ? `:${path}` : "") })
          ),
          () =>
            Effect.map(Effect.flip(open(project, "a")), (refused) => {
              assert.strictEqual(refused.code, code)
              assert.include(refused.message, "workspace: shared")
            }),
          () => Effect.sync(() => Object.assign(process.env, { PATH: path }))
        )
      }
    })
  )

  it.live("where a filter of git fails; the project and its repository are as they were", () =>
    Effect.gen(function* () {
      const project = yield* repository({ ".gitattributes": "*.bad filter=bad\n", "x.bad": "x\n" })
      git(project.top, "config", "filter.bad.clean", "cat")
      git(project.top, "config", "filter.bad.smudge", "false")
      git(project.top, "config", "filter.bad.required", "true")
      const before = [ownOf(project), statusOf(project)]
      const refused = yield* Effect.flip(use(project, ({ open }) => open(place("a"))))
      assert.strictEqual(refused.code, "workplace_git_failed")
      assert.deepStrictEqual([ownOf(project), statusOf(project)], before)
      assert.strictEqual(git(project.top, "worktree", "list").trim().split("\n").length, 1)
      assert.isFalse(existsSync(Path.join(project.top, ".git/worktrees")))
      git(project.top, "config", "filter.bad.smudge", "cat")
      assert.strictEqual(readFileSync(Path.join((yield* open(project, "a")).directory, "x.bad"), "utf8"), "x\n")
    })
  )
})
