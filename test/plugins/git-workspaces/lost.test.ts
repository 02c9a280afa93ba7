import { rmSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  aggregate,
  contentOf,
  copiesOf,
  open,
  ownOf,
  type Project,
  read,
  repository,
  shell,
  statusOf,
  subtask,
  write
} from "./support.ts"

const ref = (name: string) => `refs/proofline/run_1/p/${name}`
const topOf = ({ stateDir }: Project, name: string) => Path.join(stateDir, "worktrees/run_1", name)

const remove = ({ top }: Project, ...names: ReadonlyArray<string>) =>
  shell(top, names.map((name) => `git update-ref -d ${ref(name)}`).join("; "))

const removeAll = ({ top }: Project) =>
  shell(top, "git for-each-ref --format='delete %(refname)' refs/proofline | git update-ref --stdin")

const both = copiesOf(
  Effect.gen(function* () {
    const project = yield* repository({ "a.txt": "a\n" })
    yield* subtask(project, "p-sub-1", (folder) => write(folder, { "one.txt": "1\n" }))
    yield* subtask(project, "p-sub-2", (folder) => write(folder, { "two.txt": "2\n" }))
    return project
  })
)

const all = ["p-sub-1", "p-sub-2"]

describe("when somebody has removed what git kept of a completed subtask", () => {
  it.live("nothing is put together without it: it is named with the place of its files, and nothing is written", () =>
    Effect.gen(function* () {
      const damages: ReadonlyArray<readonly [(project: Project) => void, ReadonlyArray<string>]> = [
        [(project) => remove(project, "p-sub-1", "p-sub-1.start"), ["p-sub-1"]],
        [(project) => remove(project, "p-sub-2.start"), ["p-sub-2"]],
        [(project) => removeAll(project), all],
        [
          (project) => {
            remove(project, "p-sub-1")
            rmSync(topOf(project, "p-sub-1"), { recursive: true })
          },
          ["p-sub-1"]
        ]
      ]
      for (const [damage, names] of damages) {
        const project = yield* both
        damage(project)
        const before = [ownOf(project), statusOf(project), contentOf(project.root)]
        const refused = yield* Effect.flip(aggregate(project, all))
        assert.strictEqual(refused.code, "workplace_lost")
        assert.include(refused.message, `What ${names.join(", ")} began with`)
        assert.include(refused.message, "Begin a new run for the task")
        for (const name of all) {
          const isToBeFound = names.includes(name) && read(topOf(project, name), "a.txt") !== null
          assert.strictEqual(refused.message.includes(topOf(project, name)), isToBeFound, name)
        }
        assert.deepStrictEqual([ownOf(project), statusOf(project), contentOf(project.root)], before)
      }
    })
  )

  it.live("a subtask of which nothing was ever opened, or a run whose beginning is gone, is refused too", () =>
    Effect.gen(function* () {
      const project = yield* both
      assert.strictEqual((yield* Effect.flip(aggregate(project, [...all, "p-sub-3"]))).code, "workplace_lost")
      remove(project, "base")
      assert.strictEqual((yield* Effect.flip(aggregate(project, all))).code, "workplace_lost")
      removeAll(project)
      assert.strictEqual((yield* Effect.flip(aggregate(project, []))).code, "workplace_lost")
      assert.deepStrictEqual(contentOf(project.root), { "a.txt": "a\n" })
    })
  )

  it.live("what its worktree holds is kept again while it is known what it began with", () =>
    Effect.gen(function* () {
      const project = yield* both
      remove(project, "p-sub-1", "p-sub-2")
      const there = yield* open(project, "p-sub-3", { after: ["p-sub-1"] })
      assert.strictEqual(read(there.directory, "one.txt"), "1\n")
      assert.deepStrictEqual((yield* aggregate(project, all)).files_modified, ["one.txt", "two.txt"])
      assert.deepStrictEqual(contentOf(project.root), { "a.txt": "a\n", "one.txt": "1\n", "two.txt": "2\n" })
    })
  )

  it.live("nobody builds on it, as if it had done nothing", () =>
    Effect.gen(function* () {
      const project = yield* both
      remove(project, "p-sub-1", "p-sub-1.start")
      const refused = yield* Effect.flip(open(project, "p-sub-3", { after: all }))
      assert.strictEqual(refused.code, "workplace_lost")
      assert.include(refused.message, topOf(project, "p-sub-1"))
      assert.notInclude(refused.message, "p-sub-2")
      assert.isNull(read(topOf(project, "p-sub-3"), "a.txt"))
    })
  )

  it.live("its worktree is not opened again as if it had begun with what the project is now", () =>
    Effect.gen(function* () {
      const project = yield* both
      removeAll(project)
      write(project.root, { "a.txt": "the user's, later\n" })
      const refused = yield* Effect.flip(open(project, "p-sub-1"))
      assert.strictEqual(refused.code, "workplace_lost")
      assert.include(refused.message, topOf(project, "p-sub-1"))
      assert.strictEqual(read(topOf(project, "p-sub-1"), "one.txt"), "1\n")
    })
  )

  it.live("while it is worked on, then keeping it notes again what it began with", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n" })
      const there = yield* open(project, "p-sub-1")
      write(there.directory, { "one.txt": "1\n" })
      removeAll(project)
      assert.deepStrictEqual(yield* there.keep, ["one.txt"])
      assert.strictEqual((yield* aggregate(project, ["p-sub-1"])).outcome, "merged")
      assert.deepStrictEqual(contentOf(project.root), { "a.txt": "a\n", "one.txt": "1\n" })
    })
  )
})
