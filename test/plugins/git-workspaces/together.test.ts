import { rmSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { layer } from "@proofline/plugins/adapters/git-workspaces"
import { type Workspace, type WorkspaceChanges, Workspaces } from "@proofline/plugins/ports"
import { Deferred, Effect, Fiber } from "effect"
import { directory, git, type Project, place, read, repository, write } from "./support.ts"

/** Work that is begun and ended by the test. */
const worker = Effect.fnUntraced(function* (workspace: Workspace) {
  const begun = yield* Deferred.make<void>()
  const over = yield* Deferred.make<void>()
  const work = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(over))
  const fiber = yield* Effect.forkChild(workspace.watched(work))
  yield* Deferred.await(begun)
  return {
    end: Effect.andThen(
      Deferred.succeed(over, undefined),
      Effect.map(Fiber.join(fiber), ([, changes]): WorkspaceChanges => changes)
    ),
    interrupt: Fiber.interrupt(fiber)
  }
})

const inProject = <A, E>({ root, stateDir }: Project, use: (workspace: Workspace) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const workspaces = yield* Workspaces
    return yield* use(yield* workspaces.open(place("p-sub-1", { workspace: "shared" })))
  }).pipe(Effect.provide(layer({ root, stateDir })))

const both = {
  "with git": repository({ "old.txt": "old\n" }),
  "without git": Effect.tap(directory(), ({ root }) => Effect.sync(() => write(root, { "old.txt": "old\n" })))
}

for (const [how, made] of Object.entries(both))
  describe(`given several that work in one directory, ${how}`, () => {
    it.live("when one is at work alone, then all that changes is its work, and nothing from before or after", () =>
      Effect.gen(function* () {
        const project = yield* made
        yield* inProject(
          project,
          Effect.fnUntraced(function* (workspace) {
            write(project.root, { "before.txt": "b\n" })
            const one = yield* worker(workspace)
            write(project.root, { "old.txt": "new\n", "one.txt": "1\n" })
            assert.deepStrictEqual(yield* one.end, { modified: ["old.txt", "one.txt"], undecided: [] })
            write(project.root, { "between.txt": "b\n" })
            const two = yield* worker(workspace)
            write(project.root, { "two.txt": "2\n" })
            assert.deepStrictEqual(yield* two.end, { modified: ["two.txt"], undecided: [] })
          })
        )
      })
    )

    it.live("when two overlap, then what changed while both were at work is undecided, and the rest is not", () =>
      Effect.gen(function* () {
        const project = yield* made
        yield* inProject(
          project,
          Effect.fnUntraced(function* (workspace) {
            const one = yield* worker(workspace)
            write(project.root, { "first.txt": "1\n", "both.txt": "1\n" })
            const two = yield* worker(workspace)
            write(project.root, { "middle.txt": "?\n", "both.txt": "2\n" })
            assert.deepStrictEqual(yield* one.end, {
              modified: ["both.txt", "first.txt"],
              undecided: ["both.txt", "middle.txt"]
            })
            write(project.root, { "last.txt": "2\n" })
            rmSync(Path.join(project.root, "first.txt"))
            assert.deepStrictEqual(yield* two.end, {
              modified: ["first.txt", "last.txt"],
              undecided: ["both.txt", "middle.txt"]
            })
          })
        )
      })
    )

    it.live("when one is taken off its work, then what it may have left is nobody's alone", () =>
      Effect.gen(function* () {
        const project = yield* made
        yield* inProject(
          project,
          Effect.fnUntraced(function* (workspace) {
            const one = yield* worker(workspace)
            const two = yield* worker(workspace)
            write(project.root, { "one.txt": "1\n" })
            yield* one.interrupt
            const three = yield* worker(workspace)
            write(project.root, { "later.txt": "?\n" })
            yield* three.end
            write(project.root, { "two.txt": "2\n" })
            assert.deepStrictEqual(yield* two.end, { modified: ["two.txt"], undecided: ["later.txt", "one.txt"] })
          })
        )
      })
    )

    it.live("when somebody works beside them, then what he changes is not taken for theirs", () =>
      Effect.gen(function* () {
        const project = yield* made
        yield* inProject(
          project,
          Effect.fnUntraced(function* (workspace) {
            const one = yield* worker(workspace)
            write(project.root, { "one.txt": "1\n" })
            yield* workspace.beside(Effect.sync(() => write(project.root, { "built.txt": "b\n" })))
            write(project.root, { "more.txt": "1\n" })
            assert.deepStrictEqual(yield* one.end, { modified: ["more.txt", "one.txt"], undecided: ["built.txt"] })
          })
        )
      })
    )
  })

describe("given a worktree of its own", () => {
  it.live("when others work in the project meanwhile, then only its own work counts", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "old.txt": "old\n" })
      write(project.root, { "mine.txt": "not committed\n" })
      yield* Effect.gen(function* () {
        const workspaces = yield* Workspaces
        const workspace = yield* workspaces.open(place("p-sub-1"))
        assert.strictEqual(read(workspace.directory, "mine.txt"), "not committed\n")
        const one = yield* worker(workspace)
        write(project.root, { "old.txt": "by a person\n", "mine.txt": "by a person\n" })
        write(workspace.directory, { "one.txt": "1\n" })
        assert.deepStrictEqual(yield* one.end, { modified: ["one.txt"], undecided: [] })
        assert.include(git(project.root, "status", "--porcelain"), "old.txt")
      }).pipe(Effect.provide(layer({ root: project.root, stateDir: project.stateDir })))
    })
  )
})
