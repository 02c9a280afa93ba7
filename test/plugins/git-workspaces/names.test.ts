import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { aggregate, git, open, ownOf, read, repository, subtask, write } from "./support.ts"

/** A file whose name is no text. */
const writeOdd = (folder: string, content = "x\n") =>
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/bad`), Buffer.from([0xff]), Buffer.from(".txt")]), content)

const oddIn = (folder: string): number =>
  readdirSync(folder, { encoding: "buffer" }).filter((name) => name.includes(0xff)).length

// other systems have no such names
describe.skipIf(process.platform !== "linux")("a name that is not valid UTF-8", () => {
  it.live("in the project is no hindrance to what is looked at there, new or committed", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n", "b.txt": "b\n" })
      const { changedSince, fingerprint } = yield* open(project, "p-sub-1", { workspace: "shared" })
      const first = yield* fingerprint
      write(project.root, { "a.txt": "changed\n" })
      writeOdd(project.root)
      assert.deepStrictEqual(yield* changedSince(first), ["a.txt"])
      const second = yield* fingerprint
      git(project.top, "add", "--all")
      git(project.top, "commit", "--quiet", "--message", "odd")
      write(project.root, { "b.txt": "changed\n" })
      writeOdd(project.root, "y\n")
      assert.deepStrictEqual(yield* changedSince(first), ["a.txt", "b.txt"])
      assert.deepStrictEqual(yield* changedSince(second), ["b.txt"])
    })
  )

  it.live("in the project is no hindrance to worktrees, and is never touched", () =>
    Effect.gen(function* () {
      for (const isCommitted of [false, true]) {
        const project = yield* repository({ "a.txt": "a\n", "b.txt": "b\n" })
        writeOdd(project.root)
        if (isCommitted) {
          git(project.top, "add", "--all")
          git(project.top, "commit", "--quiet", "--message", "odd")
          writeOdd(project.root, "the user's\n")
        }
        const before = ownOf(project)
        const there = yield* open(project, "p-sub-1")
        const fingerprint = yield* there.fingerprint
        write(there.directory, { "a.txt": "changed\n", "new.txt": "new\n" })
        git(there.directory, "rm", "--quiet", "b.txt")
        git(there.directory, "commit", "--quiet", "--all", "--message", "one")
        assert.deepStrictEqual(yield* there.changedSince(fingerprint), ["a.txt", "b.txt", "new.txt"])
        assert.deepStrictEqual(yield* there.keep, ["a.txt", "b.txt", "new.txt"])
        assert.strictEqual((yield* aggregate(project, ["p-sub-1"])).outcome, "merged")
        assert.strictEqual(read(project.root, "a.txt"), "changed\n")
        assert.strictEqual(oddIn(project.root), 1)
        assert.deepStrictEqual(ownOf(project), before)
      }
    })
  )

  it.live("in a worktree is refused where it was made, so that it is not lost, and nowhere else", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n" })
      const there = yield* open(project, "p-sub-1")
      const fingerprint = yield* there.fingerprint
      mkdirSync(Path.join(there.directory, "x"))
      writeOdd(Path.join(there.directory, "x"))
      write(there.directory, { "a.txt": "one\n" })
      assert.deepStrictEqual(yield* there.changedSince(fingerprint), ["a.txt"])
      assert.strictEqual((yield* Effect.flip(there.keep)).code, "workplace_name")
      yield* subtask(project, "p-sub-2", (folder) => write(folder, { "b.txt": "two\n" }))
      assert.deepStrictEqual((yield* aggregate(project, ["p-sub-2"])).files_modified, ["b.txt"])
    })
  )
})
