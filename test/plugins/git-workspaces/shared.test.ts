import { chmodSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { contentOf, directory, git, open, ownOf, type Project, repository, statusOf, use, write } from "./support.ts"

const shared = (project: Project) => open(project, "p-sub-1", { workspace: "shared" })

/** What a change of the project is found to be. */
const found = (project: Project, change: (root: string) => void) =>
  Effect.gen(function* () {
    const { changedSince, fingerprint } = yield* shared(project)
    const before = yield* fingerprint
    assert.deepStrictEqual(yield* changedSince(before), [])
    change(project.root)
    return yield* changedSince(before)
  })

const both = {
  "with git": repository({ "a.txt": "a\n", "b.txt": "b\n", "c/d.txt": "d\n", "run.sh": "echo\n" }),
  "without git": Effect.tap(directory(), ({ root }) =>
    Effect.sync(() => write(root, { "a.txt": "a\n", "b.txt": "b\n", "c/d.txt": "d\n", "run.sh": "echo\n" }))
  )
}

for (const [how, made] of Object.entries(both))
  describe(`changes in the project itself, ${how}`, () => {
    it.live("are files that were added, changed and removed, of any name", () =>
      Effect.gen(function* () {
        const project = yield* made
        const { directory } = yield* shared(project)
        assert.strictEqual(directory, project.root)
        const changed = yield* found(project, (root) => {
          write(root, { "a.txt": "A\n", 'new ä\n".txt': "n\n", "run.sh": "#!/bin/sh\n", '"quoted.txt': "q\n" })
          rmSync(Path.join(root, "b.txt"))
          symlinkSync("a.txt", Path.join(root, "link"))
        })
        assert.deepStrictEqual(changed, ['"quoted.txt', "a.txt", "b.txt", "link", 'new ä\n".txt', "run.sh"].sort())
      })
    )

    it.live("are found where only the content is another: the same size, the same times", () =>
      Effect.gen(function* () {
        const project = yield* made
        const file = Path.join(project.root, "new.txt")
        write(project.root, { "new.txt": "one\n" })
        const { atime, mtime } = statSync(file)
        const again = (text: string) => (root: string) => {
          write(root, { "new.txt": text, "a.txt": `${text.slice(0, 1)}\n` })
          utimesSync(file, atime, mtime)
        }
        assert.deepStrictEqual(yield* found(project, again("two\n")), ["a.txt", "new.txt"])
        assert.deepStrictEqual(yield* found(project, again("tri\n")), ["new.txt"])
        assert.deepStrictEqual(yield* found(project, again("tri\n")), [])
      })
    )

    it.live("are not what is as it was again, or of the same content under new times", () =>
      Effect.gen(function* () {
        const project = yield* made
        write(project.root, { "b.txt": "changed\n", "new.txt": "n\n" })
        const changed = yield* found(project, (root) => {
          write(root, { "a.txt": "x\n" })
          write(root, { "a.txt": "a\n", "b.txt": "changed\n", "new.txt": "n\n" })
          renameSync(Path.join(root, "c"), Path.join(root, "e"))
          renameSync(Path.join(root, "e"), Path.join(root, "c"))
        })
        assert.deepStrictEqual(changed, [])
      })
    )

    it.live("are none of Proofline's state, of installed packages or behind links", () =>
      Effect.gen(function* () {
        const project = yield* made
        rmSync(Path.join(project.root, ".proofline/.gitignore"))
        mkdirSync(Path.join(project.room, "elsewhere"))
        symlinkSync(Path.join(project.room, "elsewhere"), Path.join(project.root, "out"))
        const changed = yield* found(project, (root) => {
          write(root, { ".proofline/state/log": "x", "node_modules/x/index.js": "x", "out/x.txt": "x" })
          write(root, { ".venv/x.py": "x" })
        })
        assert.deepStrictEqual(changed, [])
      })
    )
  })

describe("changes in a repository", () => {
  it.live("are found whatever the agent does with git, and nothing is written to the repository", () =>
    Effect.gen(function* () {
      const project = yield* repository({ ".gitignore": "*.log\n", "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" })
      write(project.root, { "b.txt": "the user's\n", "mine.txt": "m\n" })
      const { changedSince, keep, fingerprint } = yield* shared(project)
      const before = [ownOf(project), statusOf(project), git(project.top, "count-objects", "-v")]
      const one = yield* fingerprint
      assert.deepStrictEqual(yield* changedSince(one), [])
      assert.deepStrictEqual([ownOf(project), statusOf(project), git(project.top, "count-objects", "-v")], before)
      write(project.root, { "a.txt": "committed\n", "x.log": "log\n" })
      git(project.top, "add", "a.txt", "b.txt")
      git(project.top, "rm", "--quiet", "--cached", "c.txt")
      git(project.top, "commit", "--quiet", "--message", "the agent's")
      assert.deepStrictEqual(yield* changedSince(one), ["a.txt"])
      const two = yield* fingerprint
      git(project.top, "reset", "--quiet", "--hard", "HEAD~1")
      assert.deepStrictEqual(yield* changedSince(two), ["a.txt", "b.txt"])
      assert.deepStrictEqual(yield* changedSince(one), ["b.txt"])
      git(project.top, "stash", "--quiet", "--include-untracked")
      assert.deepStrictEqual(yield* changedSince(two), ["a.txt", "b.txt", "mine.txt"])
      assert.deepStrictEqual(yield* keep, [])
    })
  )

  it.live("are those of the project, where it is one folder of the repository or has no commit", () =>
    Effect.gen(function* () {
      const below = yield* repository({ "one two/a.txt": "a\n", "b.txt": "b\n" }, "one two")
      const changed = yield* found(below, (root) =>
        write(root, { "a.txt": "A\n", "../b.txt": "B\n", "x/y.txt": "y\n" })
      )
      assert.deepStrictEqual(changed, ["a.txt", "x/y.txt"])
      const empty = yield* directory()
      git(empty.top, "init", "--quiet")
      assert.deepStrictEqual(yield* found(empty, (root) => write(root, { "a.txt": "a\n" })), ["a.txt"])
      const first = yield* found(empty, (root) => {
        git(root, "add", "a.txt")
        git(root, "commit", "--quiet", "--message", "one")
        write(root, { "b.txt": "b\n" })
        git(root, "add", "b.txt")
        git(root, "commit", "--quiet", "--message", "two")
      })
      assert.deepStrictEqual(first, ["b.txt"])
    })
  )

  it.live("are found in a project that its repository ignores", () =>
    Effect.gen(function* () {
      const project = yield* repository({ ".gitignore": "ignored/\n" }, "ignored")
      git(project.top, "rm", "--quiet", "-r", "--cached", "--ignore-unmatch", "ignored")
      assert.deepStrictEqual(yield* found(project, (root) => write(root, { "a.txt": "a\n" })), ["a.txt"])
    })
  )

  it.live("are not the ends of lines that git itself changes", () =>
    Effect.gen(function* () {
      const project = yield* repository({
        ".gitattributes": "*.txt text eol=crlf\n",
        "a.txt": "a\r\n",
        "b.txt": "b\r\n"
      })
      const changed = yield* found(project, (root) => {
        git(root, "rm", "--quiet", "--cached", "a.txt")
        write(root, { "b.txt": "b\r\nmore\r\n" })
        chmodSync(Path.join(root, "a.txt"), 0o644)
      })
      assert.deepStrictEqual(changed, ["b.txt"])
    })
  )

  it.live("of another process's fingerprint are refused", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n" })
      const { changedSince } = yield* shared(project)
      assert.strictEqual((yield* Effect.flip(changedSince({ _tag: "Fingerprint" }))).code, "workplace_mark")
      const gone = yield* Effect.flip(shared({ ...project, root: Path.join(project.room, "missing") }))
      assert.strictEqual(gone.code, "workplace_files")
      assert.deepStrictEqual(Object.keys(contentOf(project.root)), ["a.txt"])
      assert.deepStrictEqual(yield* use(project, ({ close }) => close("run_1", [])), { stays: [], removed: [] })
    })
  )
})

describe("changes in the project itself of what git no longer knows", () => {
  it.live("are told against the commit: taken out of the index, put back as it was, and committed in between", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n", "b.txt": "b\n", "run.sh": "echo\n" })
      const forgotten = yield* found(project, (root) => {
        git(root, "rm", "--quiet", "--cached", "a.txt", "b.txt")
        write(root, { "b.txt": "B\n" })
      })
      assert.deepStrictEqual(forgotten, ["b.txt"])
      const executable = yield* found(project, (root) => chmodSync(Path.join(root, "run.sh"), 0o755))
      assert.deepStrictEqual(executable, ["run.sh"])
      const { changedSince, fingerprint } = yield* shared(project)
      const before = yield* fingerprint
      git(project.root, "add", "run.sh")
      git(project.root, "commit", "--quiet", "--message", "run")
      write(project.root, { "c.txt": "c\n" })
      assert.deepStrictEqual(yield* changedSince(before), ["c.txt"])
    })
  )
})
