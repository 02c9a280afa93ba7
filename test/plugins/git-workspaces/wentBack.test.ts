import { existsSync, renameSync, rmSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { daily } from "../../often.ts"
import {
  aggregate,
  contentOf,
  copiesOf,
  fail,
  git,
  lastWins,
  manual,
  open,
  overwrite,
  type Project,
  read,
  repository,
  shell,
  subtask,
  write
} from "./support.ts"

const committed = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
const users = committed.replace("1\n", "the user's\n")

/** A project in which somebody has worked, and has committed nothing of it. */
const unsaved = copiesOf(
  Effect.gen(function* () {
    const project = yield* repository({ "a.txt": committed, "b.txt": "b\n", "gone.txt": "gone\n" })
    git(project.top, "branch", "trunk")
    write(project.root, { "a.txt": users, "draft/new.txt": "an hour of work\n" })
    rmSync(Path.join(project.root, "gone.txt"))
    return project
  })
)

const mine = { "a.txt": users, "b.txt": "b\n", "draft/new.txt": "an hour of work\n" }

describe("a subtask whose worktree went back to a commit without what the user has not committed", () => {
  it.live.each([
    { how: "git checkout --quiet --detach trunk", strategy: fail },
    { how: "git checkout --quiet --detach trunk", strategy: lastWins },
    { how: "git reset --quiet --hard trunk && git checkout --quiet -b feature", strategy: overwrite },
    {
      how: "git checkout --quiet --detach trunk && touch seen && git add seen && git commit --quiet -m seen",
      strategy: fail
    }
  ])("adds what it did, and takes nothing away: $how", ({ how, strategy }) =>
    Effect.gen(function* () {
      const project = yield* unsaved
      yield* subtask(project, "p-sub-1", (folder) => {
        shell(folder, how)
        assert.isFalse(existsSync(Path.join(folder, "draft")))
        write(folder, { "x.txt": "x\n" })
      })
      yield* subtask(project, "p-sub-2", (folder) => write(folder, { "y.txt": "y\n" }))
      const outcome = yield* aggregate(project, ["p-sub-1", "p-sub-2"], strategy)
      assert.strictEqual(outcome.outcome, "merged")
      const { seen: _, ...content } = contentOf(project.root)
      assert.deepStrictEqual(content, { ...mine, "x.txt": "x\n", "y.txt": "y\n" })
      const sources = ["p-sub-1"]
      assert.deepStrictEqual(
        outcome.left_alone,
        ["a.txt", "draft/new.txt", "gone.txt"].map((file) => ({ file, sources }))
      )
    })
  )

  it.live("has its own lines in a file beside the user's, and subtasks that build on it have both", () =>
    Effect.gen(function* () {
      const project = yield* unsaved
      yield* subtask(project, "p-sub-1", (folder) => {
        git(folder, "checkout", "--quiet", "--detach", "trunk")
        write(folder, { "a.txt": committed.replace("9", "one") })
      })
      const both = users.replace("9", "one")
      yield* subtask(
        project,
        "p-sub-2",
        (folder) => {
          assert.strictEqual(read(folder, "a.txt"), both)
          git(folder, "checkout", "--quiet", "--detach", "trunk")
          write(folder, { "y.txt": "y\n" })
        },
        { after: ["p-sub-1"] }
      )
      const outcome = yield* aggregate(project, ["p-sub-1", "p-sub-2"])
      assert.strictEqual(outcome.outcome, "merged")
      assert.deepStrictEqual(contentOf(project.root), { ...mine, "a.txt": both, "y.txt": "y\n" })
      assert.deepStrictEqual(yield* aggregate(project, ["p-sub-1", "p-sub-2"]), outcome)
    })
  )

  it.live("is known as that also where its worktree was lost and made again", () =>
    Effect.gen(function* () {
      const project = yield* unsaved
      const first = yield* open(project, "p-sub-1")
      git(first.directory, "checkout", "--quiet", "--detach", "trunk")
      yield* first.keep
      rmSync(first.directory, { recursive: true })
      yield* subtask(project, "p-sub-1", (folder) => write(folder, { "x.txt": "x\n" }))
      assert.strictEqual((yield* aggregate(project, ["p-sub-1"])).outcome, "merged")
      assert.deepStrictEqual(contentOf(project.root), { ...mine, "x.txt": "x\n" })
    })
  )

  it.live.each([fail, overwrite, lastWins])(
    "is in conflict with the user where it changed the same lines: $type, $conflict_resolution",
    (strategy) =>
      Effect.gen(function* () {
        const project = yield* unsaved
        yield* subtask(project, "p-sub-1", (folder) => {
          git(folder, "checkout", "--quiet", "--detach", "trunk")
          write(folder, { "a.txt": committed.replace("1", "one"), "x.txt": "x\n" })
        })
        const outcome = yield* aggregate(project, ["p-sub-1"], strategy)
        assert.strictEqual(outcome.outcome, "conflict")
        assert.deepStrictEqual(outcome.conflicts, [{ file: "a.txt", sources: ["p-sub-1", "project"] }])
        assert.deepStrictEqual(contentOf(project.root), mine)
      })
  )

  it.live("takes nothing for missing that it went back to and forth from", () =>
    Effect.gen(function* () {
      const project = yield* unsaved
      yield* subtask(project, "p-sub-1", (folder) => {
        git(folder, "checkout", "--quiet", "--detach", "trunk")
        git(folder, "checkout", "--quiet", "-")
        write(folder, { "draft/new.txt": "an hour of work, and more\n" })
      })
      const outcome = yield* aggregate(project, ["p-sub-1"])
      assert.deepStrictEqual([outcome.outcome, outcome.left_alone], ["merged", undefined])
      assert.deepStrictEqual(contentOf(project.root), { ...mine, "draft/new.txt": "an hour of work, and more\n" })
    })
  )
})

const mergeOf = ({ stateDir }: Project): string => Path.join(stateDir, "worktrees/run_1/p.merge")

describe("a subtask that leaves nothing of what the user has not committed", () => {
  it.live.each(
    daily(
      [
        { what: "removes a new file", how: "rm -r draft", file: "draft/new.txt" },
        { what: "removes a changed file", how: "rm a.txt", file: "a.txt" },
        { what: "takes a file back to the commit", how: "git checkout trunk -- a.txt", file: "a.txt" },
        { what: "brings back a removed file", how: "git checkout trunk -- gone.txt", file: "gone.txt" }
      ],
      2
    )
  )("$what: a person decides", ({ file, how }) =>
    Effect.gen(function* () {
      for (const [strategy, answer] of [
        [fail, null],
        [overwrite, null],
        [manual, "theirs"],
        [manual, "ours"]
      ] as const) {
        const project = yield* unsaved
        let theirs: string | null = null
        yield* subtask(project, "p-sub-1", (folder) => {
          shell(folder, how)
          theirs = read(folder, file)
          write(folder, { "x.txt": "x\n" })
        })
        const asked = yield* aggregate(project, ["p-sub-1"], strategy)
        assert.strictEqual(asked.outcome, answer === null ? "conflict" : "needs_person")
        assert.deepStrictEqual(asked.conflicts, [{ file, sources: ["p-sub-1", "project"] }])
        assert.deepStrictEqual(contentOf(project.root), mine)
        if (answer === null) {
          assert.include(asked.message, "not committed when the task was split")
          // what the message offers: to do the same oneself
          shell(project.root, how)
        } else {
          const wanted = answer === "theirs" ? theirs : read(project.root, file)
          if (wanted === null) rmSync(Path.join(mergeOf(project), file), { force: true })
          else write(mergeOf(project), { [file]: wanted })
          shell(mergeOf(project), "git add -A && git commit --quiet --no-edit --no-verify")
        }
        assert.strictEqual((yield* aggregate(project, ["p-sub-1"], strategy)).outcome, "merged")
        assert.strictEqual(
          read(project.root, file),
          answer === "ours" ? ((mine as Record<string, string>)[file] ?? null) : theirs
        )
        assert.strictEqual(read(project.root, "x.txt"), "x\n")
      }
    })
  )

  it.live("does not where it moves a file, changes the user's lines, or undoes what is committed", () =>
    Effect.gen(function* () {
      const project = yield* unsaved
      yield* subtask(project, "p-sub-1", (folder) => {
        renameSync(Path.join(folder, "draft/new.txt"), Path.join(folder, "final.txt"))
        write(folder, { "a.txt": users.replace("the user's", "the user's, better") })
        rmSync(Path.join(folder, "b.txt"))
      })
      assert.strictEqual((yield* aggregate(project, ["p-sub-1"])).outcome, "merged")
      assert.deepStrictEqual(contentOf(project.root), {
        "a.txt": users.replace("the user's", "the user's, better"),
        "final.txt": "an hour of work\n"
      })
    })
  )
})
