import { existsSync, rmSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Files } from "../repositories.ts"
import {
  aggregate,
  close,
  contentOf,
  copiesOf,
  git,
  leftOf,
  manual,
  open,
  ownOf,
  type Project,
  read,
  repository,
  shell,
  subtask,
  write
} from "./support.ts"

const mergeOf = ({ stateDir }: Project): string => Path.join(stateDir, "worktrees/run_1/p.merge")

const conflicting = copiesOf(
  Effect.gen(function* () {
    const project = yield* repository({ "a.txt": "a\n", "b.txt": "b\n" })
    yield* subtask(project, "p-sub-1", (folder) => write(folder, { "a.txt": "one\n", "one.txt": "1\n" }))
    yield* subtask(project, "p-sub-2", (folder) => write(folder, { "a.txt": "two\n" }))
    yield* subtask(project, "p-sub-3", (folder) => write(folder, { "b.txt": "three\n" }))
    return project
  })
)

const all = ["p-sub-1", "p-sub-2", "p-sub-3"]

/** What the message tells the person to run, without the last line, which is Proofline's own. */
const commandsIn = (message: string): string =>
  message
    .split("\n")
    .filter((line) => /^ {2}(?!proofline )/.test(line))
    .join("\n")

/** What the person does who was told so. */
const decide = (project: Project, { message }: { readonly message: string }, files: Files) => {
  write(mergeOf(project), files)
  shell(project.room, commandsIn(message))
}

describe("a conflict that a person decides", () => {
  it.live("is not decided while the marks of both sides are left in a file", () =>
    Effect.gen(function* () {
      const project = yield* conflicting
      const before = contentOf(project.root)
      const asked = yield* aggregate(project, all, manual)
      shell(project.room, commandsIn(asked.message))
      const marked = yield* aggregate(project, all, manual)
      assert.strictEqual(marked.outcome, "needs_person")
      assert.include(marked.message, "are left in a.txt")
      assert.deepStrictEqual(contentOf(project.root), before)
      decide(project, marked, { "a.txt": "one and two\n" })
      assert.strictEqual((yield* aggregate(project, all, manual)).outcome, "merged")
      assert.strictEqual(read(project.root, "a.txt"), "one and two\n")
    })
  )

  it.live("waits with a merge in progress, and goes on once it is committed with the commands that were shown", () =>
    Effect.gen(function* () {
      const project = yield* conflicting
      const before = [ownOf(project), contentOf(project.root)]
      const asked = yield* aggregate(project, all, manual)
      assert.strictEqual(asked.outcome, "needs_person")
      assert.deepStrictEqual(asked.conflicts, [{ file: "a.txt", sources: ["p-sub-1", "p-sub-2"] }])
      assert.include(asked.message, "proofline resume run_1")
      const there = mergeOf(project)
      assert.include(read(there, "a.txt") ?? "", "<<<<<<<")
      assert.strictEqual(read(there, "one.txt"), "1\n")
      assert.deepStrictEqual([ownOf(project), contentOf(project.root)], before)
      const marked = read(there, "a.txt") ?? ""
      write(there, { "a.txt": `half done\n${marked}` })
      assert.deepStrictEqual(yield* aggregate(project, all, manual), asked)
      assert.strictEqual(read(there, "a.txt"), `half done\n${marked}`)
      decide(project, asked, { "a.txt": "one and two\n" })
      const outcome = yield* aggregate(project, all, manual)
      assert.deepStrictEqual([outcome.outcome, outcome.message], ["merged", ""])
      assert.deepStrictEqual(contentOf(project.root), {
        "a.txt": "one and two\n",
        "b.txt": "three\n",
        "one.txt": "1\n"
      })
      assert.deepStrictEqual(ownOf(project), before[0])
      assert.isFalse(existsSync(there))
      assert.deepStrictEqual(yield* aggregate(project, all, manual), outcome)
      assert.deepStrictEqual(yield* close(project), [])
      assert.deepStrictEqual(leftOf(project), [])
    })
  )

  it.live("names what is left to be decided, and then that the commit alone is missing", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n", "b.bin": "b\0\n", "c.txt": "c\n" })
      yield* subtask(project, "p-sub-1", (folder) => {
        write(folder, { "a.txt": "one\n", "b.bin": "one\0\n" })
        rmSync(Path.join(folder, "c.txt"))
      })
      yield* subtask(project, "p-sub-2", (folder) =>
        write(folder, { "a.txt": "two\n", "b.bin": "two\0\n", "c.txt": "two\n" })
      )
      const both = ["p-sub-1", "p-sub-2"]
      const first = yield* aggregate(project, both, manual)
      assert.include(first.message, "Both sides changed a.txt, b.bin, c.txt.")
      const there = mergeOf(project)
      write(there, { "a.txt": "one and two\n" })
      assert.include((yield* aggregate(project, both, manual)).message, "Both sides changed b.bin, c.txt.")
      // kept as it is, which only git was told
      git(there, "add", "b.bin")
      assert.include((yield* aggregate(project, both, manual)).message, "Both sides changed c.txt.")
      rmSync(Path.join(there, "c.txt"))
      const last = yield* aggregate(project, both, manual)
      assert.strictEqual(last.outcome, "needs_person")
      assert.notInclude(last.message, "Both sides changed")
      assert.include(last.message, "the merge is not committed")
      shell(project.room, commandsIn(last.message))
      assert.strictEqual((yield* aggregate(project, both, manual)).outcome, "merged")
      assert.deepStrictEqual(contentOf(project.root), { "a.txt": "one and two\n", "b.bin": "one\0\n" })
    })
  )

  it.live("is asked for again for the next subtask, and no answer is asked for twice", () =>
    Effect.gen(function* () {
      const project = yield* conflicting
      yield* subtask(project, "p-sub-2", (folder) => write(folder, { "b.txt": "three\n" }))
      const first = yield* aggregate(project, all, manual)
      decide(project, first, { "a.txt": "first\n" })
      const second = yield* aggregate(project, all, manual)
      assert.deepStrictEqual([second.outcome, second.conflicts.map(({ file }) => file)], ["merged", []])
      const other = yield* conflicting
      yield* subtask(other, "p-sub-4", (folder) => write(folder, { "b.txt": "four\n" }))
      const four = [...all, "p-sub-4"]
      const both = yield* aggregate(other, four, manual)
      decide(other, both, { "a.txt": "one and two\n" })
      const again = yield* aggregate(other, four, manual)
      assert.deepStrictEqual(again.conflicts, [{ file: "b.txt", sources: ["p-sub-3", "p-sub-4"] }])
      decide(other, again, { "b.txt": "three and four\n" })
      assert.strictEqual((yield* aggregate(other, four, manual)).outcome, "merged")
      assert.strictEqual(read(other.root, "b.txt"), "three and four\n")
    })
  )

  it.live("is decided on what the user changed too, and what changes while the person works is merged", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n", "b.txt": "b\n" })
      yield* subtask(project, "p-sub-1", (folder) => write(folder, { "a.txt": "one\n" }))
      write(project.root, { "a.txt": "user\n" })
      const before = ownOf(project)
      const asked = yield* aggregate(project, ["p-sub-1"], manual)
      assert.deepStrictEqual(asked.conflicts, [{ file: "a.txt", sources: ["p-sub-1", "project"] }])
      assert.strictEqual(read(project.root, "a.txt"), "user\n")
      write(project.root, { "b.txt": "user, later\n" })
      assert.strictEqual((yield* aggregate(project, ["p-sub-1"], manual)).outcome, "needs_person")
      decide(project, asked, { "a.txt": "user and one\n" })
      assert.strictEqual((yield* aggregate(project, ["p-sub-1"], manual)).outcome, "merged")
      assert.deepStrictEqual(contentOf(project.root), { "a.txt": "user and one\n", "b.txt": "user, later\n" })
      assert.deepStrictEqual(ownOf(project), before)
    })
  )

  it.live("begins anew when it was given up, and what a person left there is never thrown away", () =>
    Effect.gen(function* () {
      const project = yield* conflicting
      const asked = yield* aggregate(project, all, manual)
      const there = mergeOf(project)
      git(there, "merge", "--abort")
      assert.deepStrictEqual(yield* aggregate(project, all, manual), asked)
      assert.include(read(there, "a.txt") ?? "", "<<<<<<<")
      git(there, "merge", "--abort")
      write(there, { "notes.txt": "mine\n" })
      const other = yield* aggregate(project, all, manual)
      assert.include(other.message, "git worktree remove --force")
      assert.strictEqual(read(there, "notes.txt"), "mine\n")
      assert.lengthOf(yield* close(project), 1)
      assert.strictEqual(read(there, "notes.txt"), "mine\n")
      shell(project.root, commandsIn(other.message))
      const third = yield* aggregate(project, all, manual)
      decide(project, third, { "a.txt": "both\n" })
      write(there, { "a.txt": "both, and more\n" })
      const unfinished = yield* aggregate(project, all, manual)
      assert.include(unfinished.message, "changes that are not")
      shell(project.room, commandsIn(unfinished.message))
      assert.strictEqual((yield* aggregate(project, all, manual)).outcome, "merged")
      assert.strictEqual(read(project.root, "a.txt"), "both, and more\n")
    })
  )

  for (const when of ["when the others are put together again", "when it is opened"])
    it.live(`holds also for a subtask that builds on both sides, noted ${when}`, () =>
      Effect.gen(function* () {
        const project = yield* conflicting
        const join = { after: ["p-sub-1", "p-sub-2"], strategy: manual }
        const refused = yield* Effect.flip(open(project, "p-sub-4", join))
        assert.strictEqual(refused.code, "workplace_conflict")
        assert.include(refused.message, "a.txt (p-sub-1 and p-sub-2)")
        assert.include(refused.message, "once the other subtasks are put together")
        assert.notInclude(refused.message, "overwrite")
        const asked = yield* aggregate(project, all, manual)
        // asked, and not answered yet: nothing of what the person does is touched
        write(mergeOf(project), { "a.txt": "half done\n" })
        assert.strictEqual((yield* Effect.flip(open(project, "p-sub-4", join))).code, "workplace_conflict")
        assert.strictEqual(read(mergeOf(project), "a.txt"), "half done\n")
        decide(project, asked, { "a.txt": "one and two\n" })
        if (when !== "when it is opened") assert.strictEqual((yield* aggregate(project, all, manual)).outcome, "merged")
        const there = yield* open(project, "p-sub-4", join)
        // what a third subtask did, which it does not build on, is not there
        assert.deepStrictEqual(contentOf(there.directory), {
          "a.txt": "one and two\n",
          "b.txt": "b\n",
          "one.txt": "1\n"
        })
        write(there.directory, { "a.txt": "one and two, joined\n" })
        assert.deepStrictEqual(yield* there.keep, ["a.txt"])
        assert.strictEqual((yield* aggregate(project, [...all, "p-sub-4"], manual)).outcome, "merged")
        assert.deepStrictEqual(contentOf(project.root), {
          "a.txt": "one and two, joined\n",
          "b.txt": "three\n",
          "one.txt": "1\n"
        })
        assert.deepStrictEqual(yield* close(project), [])
        assert.deepStrictEqual(leftOf(project), [])
      })
    )

  it.live("does not hold where one of the sides has become another since", () =>
    Effect.gen(function* () {
      const project = yield* conflicting
      const asked = yield* aggregate(project, all, manual)
      decide(project, asked, { "a.txt": "one and two\n" })
      assert.strictEqual((yield* aggregate(project, all, manual)).outcome, "merged")
      yield* subtask(project, "p-sub-2", (folder) => write(folder, { "a.txt": "two, again\n" }))
      const join = { after: ["p-sub-1", "p-sub-2"], strategy: manual }
      assert.strictEqual((yield* Effect.flip(open(project, "p-sub-4", join))).code, "workplace_conflict")
    })
  )
})
