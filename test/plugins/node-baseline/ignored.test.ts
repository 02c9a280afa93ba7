import { mkdirSync, symlinkSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { counting, withPath } from "../countedGit.ts"
import { isIgnored, projectIn, sandbox } from "./support.ts"

describe("whether git ignores a file", () => {
  it.effect(
    "given rules of the project and of the repository, then what they name is ignored unless it is tracked",
    () =>
      Effect.gen(function* () {
        const project = yield* sandbox
        project.write(".gitignore", "dist/\n*.log\n")
        project.write("tracked.log", "one\n")
        project.git("init", "-q")
        project.git("add", "-f", ".gitignore", "tracked.log")
        project.git("commit", "-q", "-m", "first")
        project.write(".git/info/exclude", "private.ts\n")
        project.write("dist/a.js", "one\n")
        project.write("a.log", "one\n")
        project.write("private.ts", "one\n")
        project.write("a.ts", "one\n")
        project.write("sub/.gitignore", "b.ts\n")
        project.write("sub/b.ts", "one\n")
        for (const path of ["dist/a.js", "a.log", "gone.log", "private.ts", "sub/b.ts", ".git/config"])
          assert.isTrue(yield* isIgnored(project, path), path)
        for (const path of ["tracked.log", "a.ts", "gone.ts", "../a.log"])
          assert.isFalse(yield* isIgnored(project, path), path)
      })
  )

  it.effect("given a file in a folder, then git is asked once, and twice where the folder is another repository", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("sub/a.ts", "one\n")
      project.write("other/b.ts", "one\n")
      project.commit()
      project.git("init", "-q", "other")
      project.write("other/.git/info/exclude", "b.ts\n")
      assert.isFalse(yield* isIgnored(project, "sub/a.ts"))
      const { path, started } = counting(project.at("sub"))
      yield* withPath(path, isIgnored(project, "sub/a.ts"))
      const once = started()
      yield* withPath(path, isIgnored(project, "sub/a.ts"))
      assert.strictEqual(started() - once, 1)
      assert.isTrue(yield* withPath(path, isIgnored(project, "other/b.ts")))
      assert.strictEqual(started() - once, 3)
    })
  )

  it.effect("given a link to an ignored file, then what it leads to counts", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write(".gitignore", "dist/\n")
      project.write("dist/a.js", "one\n")
      symlinkSync("dist/a.js", project.at("a.js"))
      symlinkSync("dist", project.at("out"))
      project.commit()
      assert.isTrue(yield* isIgnored(project, "a.js"))
      assert.isTrue(yield* isIgnored(project, "out/a.js"))
    })
  )

  it.effect("given Proofline's own state, then it is ignored wherever it lies, the other files beside it are not", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write(".proofline/state/proofline.db", "x")
      project.write(".proofline/phase_contract.yml", "x")
      assert.isTrue(yield* isIgnored(project, ".proofline/state/proofline.db"))
      assert.isFalse(yield* isIgnored(project, ".proofline/phase_contract.yml"))
    })
  )

  it.effect("given a worktree in the state of its project, when it is the root, then its files are not ignored", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write(".gitignore", ".proofline\n*.log\n")
      project.commit()
      const state = project.at(".proofline/state")
      project.git("worktree", "add", "-q", Path.join(state, "worktrees/one"))
      const worktree = projectIn(state, "worktrees/one", state)
      worktree.write("a.ts", "one\n")
      worktree.write("a.log", "one\n")
      assert.isFalse(yield* isIgnored(worktree, "a.ts"))
      assert.isTrue(yield* isIgnored(worktree, "a.log"))
    })
  )

  it.effect("given no repository, or one that ignores the whole project, then nothing is ignored", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("a.log", "one\n")
      assert.isFalse(yield* isIgnored(project, "a.log"))
      project.write(".gitignore", "scratch/\n")
      const below = projectIn(project.root, "scratch/app")
      below.write("a.ts", "one\n")
      project.commit()
      assert.isFalse(yield* isIgnored(below, "a.ts"))
    })
  )

  it.effect("given a repository within the project, then its own rules count too", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.commit()
      mkdirSync(project.at("inner"))
      const inner = projectIn(project.root, "inner")
      inner.write(".gitignore", "b.ts\n")
      inner.commit()
      inner.write("b.ts", "one\n")
      assert.isTrue(yield* isIgnored(project, Path.join("inner", "b.ts")))
      assert.isFalse(yield* isIgnored(project, Path.join("inner", "a.ts")))
    })
  )
})
