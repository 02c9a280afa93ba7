import { chmodSync, lstatSync, mkdirSync, rmSync, statSync, symlinkSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  aggregate,
  contentOf,
  fail,
  git,
  lastWins,
  manual,
  open,
  overwrite,
  ownOf,
  read,
  repository,
  statusOf,
  subtask,
  write
} from "./support.ts"

const text = (lines: Readonly<Record<number, string>>, end = "\n") =>
  Array.from({ length: 9 }, (_, i) => `${lines[i + 1] ?? `line ${i + 1}`}${end}`).join("")

describe("putting together what subtasks did", () => {
  it.live("brings all of it into the project, and touches nothing else of the user's", () =>
    Effect.gen(function* () {
      const project = yield* repository({
        ".gitignore": "*.log\n",
        "a.txt": text({}),
        "b.txt": "b\n",
        "old name.txt": text({ 2: "to be renamed" }),
        "gone/deep/d.txt": "d\n",
        "run.sh": "echo\n",
        link: "",
        "picture.bin": new Uint8Array([0, 1, 2, 255]),
        "staged.txt": "old\n",
        "user.txt": text({})
      })
      write(project.root, { "staged.txt": "staged\n", "user.txt": text({ 1: "the user's" }), "untracked ä.txt": "u\n" })
      git(project.root, "add", "staged.txt")
      chmodSync(Path.join(project.root, "a.txt"), 0o600)
      const before = ownOf(project)
      yield* subtask(project, "p-sub-1", (folder) => {
        write(folder, { "a.txt": text({ 1: "one" }), "new/é x.txt": "new\n", "run.sh": "#!/bin/sh\n", "x.log": "log" })
        rmSync(Path.join(folder, "gone"), { recursive: true })
        rmSync(Path.join(folder, "link"))
        symlinkSync("a.txt", Path.join(folder, "link"))
        write(folder, { "picture.bin": new Uint8Array([0, 9, 255]) })
      })
      yield* subtask(project, "p-sub-2", (folder) => {
        write(folder, { "a.txt": text({ 9: "two" }), "old name.txt": text({ 2: "to be renamed", 8: "two" }) })
        git(folder, "mv", "old name.txt", "new name.txt")
        write(folder, { "untracked ä.txt": "u\nand more\n" })
      })
      const outcome = yield* aggregate(project, ["p-sub-1", "p-sub-2"])
      assert.deepStrictEqual(outcome, {
        outcome: "merged",
        conflicts: [],
        message: "",
        files_modified: [
          "a.txt",
          "gone/deep/d.txt",
          "link",
          "new name.txt",
          "new/é x.txt",
          "old name.txt",
          "picture.bin",
          "run.sh",
          "untracked ä.txt"
        ]
      })
      const after = {
        ".gitignore": "*.log\n",
        "a.txt": text({ 1: "one", 9: "two" }),
        "b.txt": "b\n",
        link: "-> a.txt",
        "new name.txt": text({ 2: "to be renamed", 8: "two" }),
        "new/é x.txt": "new\n",
        "picture.bin": "\u0000\tÿ",
        "run.sh": "x #!/bin/sh\n",
        "staged.txt": "staged\n",
        "untracked ä.txt": "u\nand more\n",
        "user.txt": text({ 1: "the user's" })
      }
      const seen = contentOf(project.root)
      assert.deepStrictEqual(seen, after)
      assert.strictEqual(statSync(Path.join(project.root, "a.txt")).mode & 0o777, 0o600)
      assert.deepStrictEqual(ownOf(project), before)
      const status = statusOf(project)
      const inode = lstatSync(Path.join(project.root, "a.txt")).ino
      assert.deepStrictEqual(yield* aggregate(project, ["p-sub-1", "p-sub-2"]), outcome)
      assert.deepStrictEqual([contentOf(project.root), statusOf(project)], [seen, status])
      assert.strictEqual(lstatSync(Path.join(project.root, "a.txt")).ino, inode, "nothing was written again")
    })
  )

  it.live("is refused whole where they conflict, with the files and who changed them", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": text({}), "b.txt": "b\n", "c.bin": new Uint8Array([0, 1]) }, "")
      yield* subtask(project, "p-sub-1", (folder) => {
        write(folder, { "a.txt": text({ 5: "one" }), "c.bin": new Uint8Array([0, 2]), "only.txt": "one\n" })
        rmSync(Path.join(folder, "b.txt"))
      })
      yield* subtask(project, "p-sub-2", (folder) => write(folder, { "other.txt": "two\n" }))
      yield* subtask(project, "p-sub-3", (folder) =>
        write(folder, { "a.txt": text({ 5: "three" }), "b.txt": "three\n", "c.bin": new Uint8Array([0, 3]) })
      )
      const before = [ownOf(project), statusOf(project), contentOf(project.root)]
      const sources = ["p-sub-1", "p-sub-3"]
      for (const type of ["merge_all", "custom"] as const) {
        const outcome = yield* aggregate(project, ["p-sub-1", "p-sub-2", "p-sub-3"], { ...fail, type })
        assert.strictEqual(outcome.outcome, "conflict")
        assert.deepStrictEqual(outcome.conflicts, [
          { file: "a.txt", sources },
          { file: "b.txt", sources },
          { file: "c.bin", sources }
        ])
        assert.include(outcome.message, "a.txt (p-sub-1 and p-sub-3)")
        assert.include(outcome.message, "`proofline resume run_1 --conflict-resolution overwrite`")
      }
      assert.deepStrictEqual([ownOf(project), statusOf(project), contentOf(project.root)], before)
    })
  )

  it.live("takes the later one's lines, or its whole file, where it is told to overwrite", () =>
    Effect.gen(function* () {
      const project = yield* repository({
        "a.txt": text({}),
        "deleted.txt": "d\n",
        "changed.txt": "c\n",
        "c.bin": new Uint8Array([0, 1]),
        kind: "file\n",
        "renamed.txt": text({})
      })
      yield* subtask(project, "p-sub-1", (folder) => {
        write(folder, {
          "a.txt": text({ 1: "one", 5: "one" }),
          "c.bin": new Uint8Array([0, 2]),
          "deleted.txt": "one\n"
        })
        write(folder, { "added.txt": "one\n", "folder/x.txt": "one\n", kind: "one\n" })
        rmSync(Path.join(folder, "changed.txt"))
        git(folder, "mv", "renamed.txt", "one.txt")
      })
      yield* subtask(project, "p-sub-2", (folder) => {
        write(folder, {
          "a.txt": text({ 5: "two", 9: "two" }),
          "c.bin": new Uint8Array([0, 3]),
          "changed.txt": "two\n"
        })
        rmSync(Path.join(folder, "deleted.txt"))
        rmSync(Path.join(folder, "kind"))
        write(folder, { "added.txt": "two\n", folder: "a file\n", "kind/y.txt": "two\n" })
        git(folder, "mv", "renamed.txt", "two.txt")
      })
      const { conflicts, outcome } = yield* aggregate(project, ["p-sub-1", "p-sub-2"], overwrite)
      assert.strictEqual(outcome, "merged")
      assert.include(
        conflicts.map(({ file }) => file),
        "a.txt"
      )
      const { ".proofline/.gitignore": _, ...seen } = contentOf(project.root)
      assert.deepStrictEqual(seen, {
        "a.txt": text({ 1: "one", 5: "two", 9: "two" }),
        "added.txt": "two\n",
        "c.bin": "\u0000\u0003",
        "changed.txt": "two\n",
        folder: "a file\n",
        "kind/y.txt": "two\n",
        "two.txt": text({})
      })
    })
  )

  it.live("takes the later one's whole file without a conflict where the last one wins", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": text({}), "b.txt": "b\n", "c/d.txt": "d\n" })
      yield* subtask(project, "p-sub-1", (folder) => {
        write(folder, { "a.txt": text({ 1: "one" }), "b.txt": "one\n", "c/e.txt": "e\n" })
      })
      yield* subtask(project, "p-sub-2", (folder) => {
        write(folder, { "a.txt": text({ 9: "two" }) })
        rmSync(Path.join(folder, "b.txt"))
        rmSync(Path.join(folder, "c"), { recursive: true })
        write(folder, { c: "a file\n" })
      })
      const outcome = yield* aggregate(project, ["p-sub-1", "p-sub-2"], lastWins)
      assert.deepStrictEqual([outcome.outcome, outcome.conflicts], ["merged", []])
      assert.deepStrictEqual(contentOf(project.root), { "a.txt": text({ 9: "two" }), c: "a file\n" })
      const sources = ["p-sub-1", "p-sub-2"]
      assert.deepStrictEqual(
        outcome.given_up,
        ["a.txt", "b.txt", "c/e.txt"].map((file) => ({ file, sources }))
      )
    })
  )

  it.live("gives nothing up where the last one wins and builds on the others, or came to the same", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n", "b.txt": "b\n" })
      yield* subtask(project, "p-sub-1", (folder) => write(folder, { "a.txt": "one\n", "b.txt": "same\n" }))
      yield* subtask(project, "p-sub-2", (folder) => write(folder, { "a.txt": "one\nand two\n" }), {
        after: ["p-sub-1"]
      })
      yield* subtask(project, "p-sub-3", (folder) => write(folder, { "b.txt": "same\n" }))
      const outcome = yield* aggregate(project, ["p-sub-1", "p-sub-2", "p-sub-3"], lastWins)
      assert.notProperty(outcome, "given_up")
      assert.deepStrictEqual(contentOf(project.root), { "a.txt": "one\nand two\n", "b.txt": "same\n" })
    })
  )

  it.live("does not put in what a subtask that is not named did, nor what was never kept", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n" })
      yield* subtask(project, "p-sub-1", (folder) => write(folder, { "one.txt": "1\n" }))
      yield* subtask(project, "p-sub-2", (folder) => write(folder, { "two.txt": "2\n" }))
      write(project.stateDir, { "worktrees/run_1/p-sub-1/late.txt": "after it was judged\n" })
      assert.deepStrictEqual((yield* aggregate(project, ["p-sub-1"])).files_modified, ["one.txt"])
      assert.deepStrictEqual(contentOf(project.root), { "a.txt": "a\n", "one.txt": "1\n" })
      const none = { outcome: "merged", files_modified: [], conflicts: [], message: "" } as const
      const empty = yield* repository({ "a.txt": "a\n" })
      assert.deepStrictEqual(yield* aggregate(empty, []), none)
      // nor of a parent beside others of the run
      yield* open(empty, "q-sub-1", { parent_task_id: "q" })
      assert.deepStrictEqual(yield* aggregate(empty, []), none)
    })
  )

  it.live("works where the project is one folder of its repository, and also for what lies beside it", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "one two/a.txt": "a\n", "shared.txt": "s\n" }, "one two")
      const before = ownOf(project)
      yield* subtask(project, "p-sub-1", (folder) => {
        rmSync(Path.join(folder, "a.txt"))
        write(folder, { "../shared.txt": "changed\n", "b/c.txt": "c\n" })
      })
      const { files_modified, outcome } = yield* aggregate(project, ["p-sub-1"])
      assert.deepStrictEqual([outcome, files_modified], ["merged", ["../shared.txt", "a.txt", "b/c.txt"]])
      assert.deepStrictEqual([read(project.top, "shared.txt"), read(project.root, "b/c.txt")], ["changed\n", "c\n"])
      assert.deepStrictEqual(ownOf(project), before)
    })
  )

  it.live("keeps ends of lines and filters as git checks files out", () =>
    Effect.gen(function* () {
      const project = yield* repository({
        ".gitattributes": "*.txt text eol=crlf\n*.up filter=up\n",
        "a.txt": "a\r\n",
        "x.up": "x\n"
      })
      git(project.top, "config", "filter.up.clean", "tr A-Z a-z")
      git(project.top, "config", "filter.up.smudge", "tr a-z A-Z")
      const before = ownOf(project)
      const kept = yield* subtask(project, "p-sub-1", (folder) => {
        assert.strictEqual(read(folder, "a.txt"), "a\r\n")
        write(folder, { "a.txt": "a\r\nb\r\n", "new.txt": "n\n", "y.up": "HELLO\n" })
      })
      assert.deepStrictEqual(kept, ["a.txt", "new.txt", "y.up"])
      assert.strictEqual((yield* aggregate(project, ["p-sub-1"])).outcome, "merged")
      assert.deepStrictEqual(
        [read(project.root, "a.txt"), read(project.root, "new.txt"), read(project.root, "y.up")],
        ["a\r\nb\r\n", "n\r\n", "HELLO\n"]
      )
      assert.deepStrictEqual(ownOf(project), before)
    })
  )

  it.live("works in a worktree of the user's and in a sparse checkout, whose index stays what it is", () =>
    Effect.gen(function* () {
      const main = yield* repository({ "in/a.txt": "a\n", "out/b.txt": "b\n" })
      const top = Path.join(main.room, "own")
      git(main.top, "worktree", "add", "--quiet", "--detach", top)
      const project = { ...main, top, root: top, stateDir: Path.join(top, ".proofline/state") }
      mkdirSync(project.stateDir, { recursive: true })
      git(top, "sparse-checkout", "set", "--no-cone", "/in/", "/.proofline/")
      assert.isNull(read(top, "out/b.txt"))
      const before = ownOf(project)
      yield* subtask(project, "p-sub-1", (folder) =>
        write(folder, { "in/a.txt": "changed\n", "out/c.txt": "c\n", "out/b.txt": "changed\n" })
      )
      assert.strictEqual((yield* aggregate(project, ["p-sub-1"])).outcome, "merged")
      assert.deepStrictEqual(
        [read(top, "in/a.txt"), read(top, "out/c.txt"), read(top, "out/b.txt")],
        ["changed\n", "c\n", "changed\n"]
      )
      assert.deepStrictEqual(ownOf(project), before)
      assert.strictEqual(git(main.top, "status", "--porcelain"), "")
    })
  )
})

describe("what the user does meanwhile", () => {
  it.live("is merged with what the subtasks did, staged or not", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": text({}), "b.txt": text({}), "c.txt": "c\n" })
      yield* subtask(project, "p-sub-1", (folder) =>
        write(folder, { "a.txt": text({ 1: "one" }), "b.txt": text({ 1: "one" }) })
      )
      write(project.root, { "a.txt": text({ 9: "user" }), "c.txt": "user\n", "mine.txt": "mine\n" })
      git(project.root, "add", "a.txt")
      git(project.root, "commit", "--quiet", "--message", "the user's", "a.txt")
      write(project.root, { "b.txt": text({ 9: "user" }) })
      git(project.root, "add", "b.txt")
      const before = ownOf(project)
      assert.strictEqual((yield* aggregate(project, ["p-sub-1"])).outcome, "merged")
      assert.deepStrictEqual(contentOf(project.root), {
        "a.txt": text({ 1: "one", 9: "user" }),
        "b.txt": text({ 1: "one", 9: "user" }),
        "c.txt": "user\n",
        "mine.txt": "mine\n"
      })
      assert.deepStrictEqual(ownOf(project), before)
    })
  )

  it.live("is never overwritten, whatever the strategy: then nothing is written", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": text({}), "b.txt": "b\n", "d.txt": "d\n" })
      yield* subtask(project, "p-sub-1", (folder) => {
        write(folder, { "a.txt": text({ 5: "one" }), "b.txt": "one\n", "new.txt": "one\n", "fine.txt": "fine\n" })
        rmSync(Path.join(folder, "d.txt"))
      })
      write(project.root, { "a.txt": text({ 5: "user" }), "new.txt": "user\n", "d.txt": "user\n" })
      rmSync(Path.join(project.root, "b.txt"))
      const before = [ownOf(project), statusOf(project), contentOf(project.root)]
      for (const strategy of [fail, overwrite, lastWins]) {
        const outcome = yield* aggregate(project, ["p-sub-1"], strategy)
        assert.strictEqual(outcome.outcome, "conflict")
        assert.deepStrictEqual(
          outcome.conflicts,
          ["a.txt", "b.txt", "d.txt", "new.txt"].map((file) => ({ file, sources: ["p-sub-1", "project"] }))
        )
        assert.deepStrictEqual([ownOf(project), statusOf(project), contentOf(project.root)], before)
      }
    })
  )

  it.live(
    "is not overwritten where git does not see it: ignored files, folders with other things, hidden changes",
    () =>
      Effect.gen(function* () {
        const project = yield* repository({
          ".gitignore": "*.env\nfolder/\n",
          "assumed.txt": "a\n",
          "link/x.txt": "x\n"
        })
        yield* subtask(project, "p-sub-1", (folder) => {
          write(folder, {
            ".gitignore": "",
            "secret.env": "one\n",
            folder: "a file\n",
            "assumed.txt": "one\n",
            "fine.txt": "fine\n"
          })
        })
        write(project.root, { "secret.env": "the user's\n", "folder/y.txt": "y\n" })
        git(project.root, "update-index", "--assume-unchanged", "assumed.txt")
        write(project.root, { "assumed.txt": "the user's\n" })
        const before = [ownOf(project), statusOf(project), contentOf(project.root)]
        const outcome = yield* aggregate(project, ["p-sub-1"], overwrite)
        assert.strictEqual(outcome.outcome, "conflict")
        assert.deepStrictEqual(
          outcome.conflicts.map(({ file, sources }) => [file, ...sources]),
          ["assumed.txt", "folder", "secret.env"].map((file) => [file, "p-sub-1", "project"])
        )
        assert.strictEqual((yield* aggregate(project, ["p-sub-1"], manual)).outcome, "needs_person")
        assert.deepStrictEqual([ownOf(project), statusOf(project), contentOf(project.root)], before)
        // what is the same already is in nobody's way
        write(project.root, { "secret.env": "one\n", "assumed.txt": "one\n" })
        rmSync(Path.join(project.root, "folder"), { recursive: true })
        assert.strictEqual((yield* aggregate(project, ["p-sub-1"])).outcome, "merged")
        assert.strictEqual(read(project.root, "folder"), "a file\n")
      })
  )

  it.live(
    "given another task of the run changed the same lines there, then that one is named, and nothing is to be taken back",
    () =>
      Effect.gen(function* () {
        const project = yield* repository({ "a.txt": text({}), "b.txt": "b\n" })
        yield* subtask(project, "p-sub-1", (folder) => write(folder, { "a.txt": text({ 5: "one" }), "b.txt": "one\n" }))
        write(project.root, { "a.txt": text({ 5: "other" }) })
        const others = [{ task_id: "q", files: ["a.txt"] }]
        const refused = yield* aggregate(project, ["p-sub-1"], fail, others)
        assert.deepStrictEqual(refused.conflicts, [{ file: "a.txt", sources: ["p-sub-1", "q", "project"] }])
        assert.include(
          refused.message,
          "another task of this run changed the same lines meanwhile: a.txt (p-sub-1 and q)."
        )
        assert.include(refused.message, "`proofline resume run_1 --conflict-resolution manual`")
        assert.notInclude(refused.message, "Take those changes back")
        // of a file that no other task has changed somebody else has to be asked
        write(project.root, { "b.txt": "user\n" })
        const both = yield* aggregate(project, ["p-sub-1"], fail, others)
        assert.match(
          both.message,
          /somebody changed it meanwhile .*: b\.txt \(p-sub-1 and project\)\. Take those changes back/
        )
        assert.include(both.message, "a.txt (p-sub-1 and q)")
      })
  )

  it.live("is not written through: a folder that has become a link", () =>
    Effect.gen(function* () {
      const project = yield* repository({ ".gitignore": "out\n", "a.txt": "a\n" })
      mkdirSync(Path.join(project.room, "elsewhere"))
      yield* subtask(project, "p-sub-1", (folder) => {
        write(folder, { ".gitignore": "" })
        write(folder, { "out/x.txt": "x\n" })
      })
      symlinkSync(Path.join(project.room, "elsewhere"), Path.join(project.root, "out"))
      const outcome = yield* aggregate(project, ["p-sub-1"])
      assert.deepStrictEqual([outcome.outcome, outcome.conflicts.map(({ file }) => file)], ["conflict", ["out/x.txt"]])
      assert.deepStrictEqual(contentOf(Path.join(project.room, "elsewhere")), {})
    })
  )

  it.live("after everything was put in stays as it is when it is put in again", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": text({}) })
      yield* subtask(project, "p-sub-1", (folder) => write(folder, { "a.txt": text({ 5: "one" }) }))
      yield* aggregate(project, ["p-sub-1"])
      write(project.root, { "a.txt": text({ 5: "the user changed it again" }) })
      assert.strictEqual((yield* aggregate(project, ["p-sub-1"])).outcome, "merged")
      assert.strictEqual(read(project.root, "a.txt"), text({ 5: "the user changed it again" }))
      yield* subtask(project, "p-sub-2", (folder) => write(folder, { "b.txt": "two\n" }))
      assert.strictEqual((yield* aggregate(project, ["p-sub-1", "p-sub-2"])).outcome, "merged")
      assert.deepStrictEqual(contentOf(project.root), {
        "a.txt": text({ 5: "the user changed it again" }),
        "b.txt": "two\n"
      })
    })
  )

  it.live("does not lose its submodule, and a subtask that changes one is told so", () =>
    Effect.gen(function* () {
      const other = yield* repository({ "s.txt": "s\n" })
      const project = yield* repository({ "a.txt": "a\n" })
      git(project.top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.top, "sub")
      git(project.top, "commit", "--quiet", "--message", "sub")
      yield* subtask(project, "p-sub-1", (folder) => write(folder, { "a.txt": "one\n" }))
      assert.strictEqual((yield* aggregate(project, ["p-sub-1"])).outcome, "merged")
      assert.strictEqual(read(project.root, "sub/s.txt"), "s\n")
      yield* subtask(project, "p-sub-2", (folder) => {
        git(folder, "rm", "--quiet", "--force", "sub")
      })
      const outcome = yield* aggregate(project, ["p-sub-1", "p-sub-2"])
      assert.deepStrictEqual([outcome.outcome, outcome.conflicts.map(({ file }) => file)], ["conflict", ["sub"]])
      assert.strictEqual(read(project.root, "sub/s.txt"), "s\n")
    })
  )

  it.live.each([
    {
      what: "is merged also when it comes",
      user: { 9: "user" },
      outcome: "merged",
      after: { "a.txt": text({ 1: "one" }), "b.txt": text({ 1: "one", 9: "user" }), "z.txt": "z\n" }
    },
    {
      what: "is not overwritten when it comes, and then nothing is written,",
      user: { 1: "user" },
      outcome: "conflict",
      after: { "a.txt": text({}), "b.txt": text({ 1: "user" }) }
    }
  ])("$what at the very moment of writing", ({ after, outcome, user }) =>
    Effect.gen(function* () {
      const attributes = { ".gitattributes": "z.txt filter=late\n" }
      const project = yield* repository({ ...attributes, "a.txt": text({}), "b.txt": text({}) })
      yield* subtask(project, "p-sub-1", (folder) =>
        write(folder, { "a.txt": text({ 1: "one" }), "b.txt": text({ 1: "one" }), "z.txt": "z\n" })
      )
      // a filter of git runs after everything was looked at and before anything is written
      write(project.room, {
        late: text(user),
        "late.sh": `#!/bin/sh\n[ -e "${project.room}/late" ] && mv "${project.room}/late" "${project.root}/b.txt"\ncat\n`
      })
      git(project.top, "config", "filter.late.smudge", `"${project.room}/late.sh"`)
      assert.strictEqual((yield* aggregate(project, ["p-sub-1"])).outcome, outcome)
      assert.deepStrictEqual(contentOf(project.root), { ...attributes, ...after })
    })
  )

  it.live("makes nothing half done: what was begun is taken back when something cannot be written", () =>
    Effect.gen(function* () {
      const project = yield* repository({
        ".gitattributes": "z.txt filter=late\n",
        "a.txt": "a\n",
        "gone/b.txt": "b\n"
      })
      yield* subtask(project, "p-sub-1", (folder) => {
        rmSync(Path.join(folder, "gone"), { recursive: true })
        write(folder, { "a.txt": "one\n", "new/c.txt": "c\n", "y/z.txt": "z\n" })
      })
      write(project.room, { "late.sh": `#!/bin/sh\necho "in the way" > "${project.root}/y"\ncat\n` })
      git(project.top, "config", "filter.late.smudge", `"${project.room}/late.sh"`)
      const refused = yield* Effect.flip(aggregate(project, ["p-sub-1"]))
      assert.strictEqual(refused.code, "workplace_files")
      assert.include(refused.message, "Nothing was changed")
      const before = { ".gitattributes": "z.txt filter=late\n", "a.txt": "a\n", "gone/b.txt": "b\n" }
      assert.deepStrictEqual(contentOf(project.root), { ...before, y: "in the way\n" })
      git(project.top, "config", "--unset", "filter.late.smudge")
      rmSync(Path.join(project.root, "y"))
      assert.strictEqual((yield* aggregate(project, ["p-sub-1"])).outcome, "merged")
      assert.deepStrictEqual(contentOf(project.root), {
        ".gitattributes": "z.txt filter=late\n",
        "a.txt": "one\n",
        "new/c.txt": "c\n",
        "y/z.txt": "z\n"
      })
    })
  )
})
