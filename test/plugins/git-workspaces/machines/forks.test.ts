import { assert, describe } from "@effect/vitest"
import { ForkRun } from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { bringHome, type RecordedTree } from "@proofline/plugins/adapters/git-workspaces"
import { RecordTree } from "@proofline/plugins/policies/checkouts"
import { Effect } from "effect"
import { live } from "../../../effects.ts"
import { commit } from "../../repositories.ts"
import { contentOf, git, write } from "../support.ts"
import { again, begun, found, home, type Machines, machine, machines, refsOf, refusalOf, worked } from "./support.ts"

const base = { "a.txt": "a\nb\nc\nd\ne\n" }
const one = { "one.txt": "one\n" }
const two = { "two.txt": "two\n" }

/** A run with two pieces of work, as which forks begin: `trees` are what it stood on. */
const origin = Effect.gen(function* () {
  const all = yield* machines(base)
  const on = yield* machine(all)
  const trees: Array<RecordedTree> = [yield* begun(all)]
  const work = (files: Readonly<Record<string, string>>) =>
    Effect.map(
      worked(all, on, (root) => write(root, files)),
      (tree) => {
        if (tree !== null) trees.push(tree)
      }
    )
  yield* work(one)
  return { all, trees, work }
})

/** A run that begins as `run_1` did, up to the last of these trees. */
const fork = Effect.fnUntraced(function* (
  { engine }: Machines,
  trees: ReadonlyArray<RecordedTree>,
  run = "run_2",
  of = "run_1"
) {
  const [first, ...rest] = trees
  yield* engine.execute(run, aRun([aTask("a")], {}, run), { also: RecordTree(first as RecordedTree) })
  for (const tree of rest) yield* engine.execute(run, RecordTree(tree))
  yield* engine.execute(run, ForkRun({ run_id: of, version: 3, hash: "h" }))
})

/** What the work of a run finds once it goes on, and what that brings home. */
const goesOn = Effect.fnUntraced(function* (all: Machines, run = "run_2") {
  yield* again(all, run)
  const on = yield* machine(all, `of ${run}`)
  const finds = yield* found(on, run)
  yield* worked(all, on, (root) => write(root, { "next.txt": "next\n" }), run)
  return { finds, brought: yield* bringHome(all.sources, all.project, run, true) }
})

describe("given a fork, in the project where the run that it is of was begun", () => {
  live(
    "when nothing of that was brought home, then it goes on with what it was forked with, beside what the user has changed",
    function* () {
      const { all, trees } = yield* origin
      write(all.project.root, { "user.txt": "user\n" })
      yield* fork(all, trees)
      const { brought, finds } = yield* goesOn(all)
      assert.deepStrictEqual(finds, { ...base, ...one, "user.txt": "user\n" })
      assert.deepStrictEqual(brought?.files, ["next.txt", "one.txt"])
      assert.isNull(yield* home(all))
    }
  )

  live("when all of that was brought home, then what the user has changed there since stays", function* () {
    const { all, trees } = yield* origin
    yield* home(all)
    write(all.project.root, { "one.txt": "the user's\n" })
    yield* fork(all, trees)
    const { brought, finds } = yield* goesOn(all)
    assert.deepStrictEqual(finds, { ...base, "one.txt": "the user's\n" })
    assert.deepStrictEqual(brought?.files, ["next.txt"])
  })

  for (const isOver of [false, true]) {
    live(
      `when more of it was brought home than it was forked with, ${isOver ? "at the end" : "and it may go on"}, then nothing of that is taken back`,
      function* () {
        const { all, trees, work } = yield* origin
        const before = [...trees]
        yield* work({ ...two, "one.txt": "later\n" })
        yield* home(all, isOver)
        yield* fork(all, before)
        const { brought, finds } = yield* goesOn(all)
        assert.deepStrictEqual(finds, { ...base, ...two, "one.txt": "later\n" })
        assert.deepStrictEqual(brought?.files, ["next.txt"])
      }
    )
  }

  live("when what the user had changed was handed over behind the fork, then it is not taken back", function* () {
    const { all, trees } = yield* origin
    yield* home(all)
    write(all.project.root, { "user.txt": "user\n" })
    assert.isNotNull(yield* again(all))
    yield* worked(all, yield* machine(all, "later"), (root) => write(root, two))
    yield* fork(all, trees)
    const { finds } = yield* goesOn(all)
    assert.deepStrictEqual(finds, { ...base, ...one, "user.txt": "user\n" })
    assert.strictEqual(contentOf(all.project.root)["user.txt"], "user\n")
  })

  live("when it is a fork of a fork, then it goes on too", function* () {
    const { all, trees } = yield* origin
    yield* fork(all, trees)
    yield* fork(all, trees, "run_3", "run_2")
    // as it is told of a fork: both are named
    yield* all.engine.execute("run_3", ForkRun({ run_id: "run_1", version: 3, hash: "h" }))
    const { finds } = yield* goesOn(all, "run_3")
    assert.deepStrictEqual(finds, { ...base, ...one })
  })
})

describe("given a run that another clone of the project has handed over", () => {
  live(
    "when its commit is merged, as the refusal says, then it goes on there; a project with no commit in common is told so",
    function* () {
      const { all, trees } = yield* origin
      yield* fork(all, trees)
      for (const [run, where] of [
        ["run_1", "the directory where the run was begun"],
        ["run_2", "the directory where run_1, from which it was forked, was begun"]
      ] as const) {
        const { project: clone } = yield* machines({ "of.txt": run })
        const there = { ...all, project: clone }
        const asked = [Effect.asVoid(again(there, run)), Effect.asVoid(bringHome(all.sources, clone, run, false))]
        for (const one of asked) {
          const { code, message } = yield* refusalOf(one)
          assert.strictEqual(code, "checkout_not_handed")
          assert.include(message, where)
          assert.notInclude(message, "git merge")
          assert.deepStrictEqual(refsOf(clone), [])
        }
        git(clone.top, "fetch", "--quiet", all.project.top, "main")
        git(clone.top, "reset", "--quiet", "--hard", "FETCH_HEAD")
        write(clone.root, { "clone.txt": "clone\n" })
        commit(clone.top)
        for (const one of asked) {
          const { code, message } = yield* refusalOf(one)
          assert.strictEqual(code, "checkout_not_handed")
          assert.include(message, where)
          const [, merged = ""] = /`git merge ([0-9a-f]+)`/.exec(message) ?? []
          assert.strictEqual(merged, trees.at(-1)?.commit)
          git(clone.top, "gc", "--quiet", "--prune=now")
        }
        git(clone.top, "merge", "--quiet", "-m", "merged", trees.at(-1)?.commit ?? "")
        write(clone.root, { "a.txt": "of the user\n" })
        const { brought, finds } = yield* goesOn(there, run)
        assert.deepStrictEqual(finds, { "a.txt": "of the user\n", "clone.txt": "clone\n", ...one })
        assert.deepStrictEqual(brought?.files, ["next.txt"])
      }
    }
  )
})

describe("given work that stands in the way of what the user has changed", () => {
  live("when its commit is merged by hand, as it says, then the run goes on with that", function* () {
    const { all, work } = yield* origin
    yield* work({ "a.txt": "a\nrun\nc\nd\ne\n" })
    write(all.project.root, { "a.txt": "a\nuser\nc\nd\ne\n" })
    commit(all.project.top)
    const { code, message } = yield* refusalOf(again(all))
    assert.strictEqual(code, "workplace_conflict")
    const [, merged = ""] = /merge ([0-9a-f]{40,})/.exec(message) ?? []
    git(all.project.top, "merge", "--quiet", "--strategy-option=ours", "-m", "merged", merged)
    write(all.project.root, { "a.txt": "a\nboth\nc\nd\ne\n" })
    const { brought, finds } = yield* goesOn(all, "run_1")
    assert.deepStrictEqual(finds, { ...one, "a.txt": "a\nboth\nc\nd\ne\n" })
    assert.deepStrictEqual(brought?.files, ["next.txt"])
  })
})
