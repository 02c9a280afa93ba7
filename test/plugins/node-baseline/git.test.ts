import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Baseline } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { git } from "../repositories.ts"
import { capture, projectIn, sandbox, snapshotOf, touched } from "./support.ts"

describe("in a repository, given a committed file", () => {
  it.effect("when the run changes a line, then that line is touched and no other", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("a.ts", "one\ntwo\nthree\n")
      project.write("b.ts", "one\n")
      project.commit()
      const base = yield* capture(project)
      assert.strictEqual(base.commit, project.git("rev-parse", "HEAD").trim())
      project.write("a.ts", "one\nTWO\nthree\n")
      assert.strictEqual(yield* touched(project, base, "a.ts"), "-+-")
      assert.strictEqual(yield* touched(project, base, "b.ts"), "-")
    })
  )

  it.effect("when lines are taken out, then only a range around the place is touched", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("a.ts", "one\ntwo\nthree\nfour\n")
      project.commit()
      const base = yield* capture(project)
      project.write("a.ts", "one\nfour\n")
      assert.strictEqual(yield* touched(project, base, "a.ts"), "-/-")
      project.write("a.ts", "two\nthree\n")
      assert.strictEqual(yield* touched(project, base, "a.ts"), "--")
    })
  )

  it.effect("when the run commits, then its work still counts as touched", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("a.ts", "one\n")
      project.commit()
      const base = yield* capture(project)
      project.write("a.ts", "one\ntwo\n")
      project.write("new.ts", "x\n")
      project.git("add", "-A")
      project.git("commit", "-q", "-m", "second")
      assert.strictEqual(yield* touched(project, base, "a.ts"), "-+")
      assert.strictEqual(yield* touched(project, base, "new.ts"), "+")
    })
  )

  it.effect("when only its line ends or the missing last one change, then nothing is touched", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("a.ts", "one\ntwo")
      project.commit()
      const base = yield* capture(project)
      project.write("a.ts", "one\r\ntwo\r\n")
      assert.strictEqual(yield* touched(project, base, "a.ts"), "--")
    })
  )

  it.effect("when many files are asked for at once, then each is compared with its own text of before", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      const paths = Array.from({ length: 60 }, (_, i) => `src/${i}.ts`)
      // several of the same text are one object to git
      for (const [i, path] of paths.entries()) project.write(path, `${i % 50}\n`.repeat((i % 50) + 1))
      project.write("empty.ts", "")
      project.commit()
      const base = yield* capture(project)
      for (const [i, path] of paths.entries()) project.write(path, `new\n${`${i % 50}\n`.repeat((i % 50) + 1)}`)
      project.write("empty.ts", "one\n")
      const found = yield* Baseline.pipe(
        Effect.flatMap((baseline) =>
          Effect.forEach(
            [...paths, "empty.ts"],
            (path) => baseline.changes(base, path, readFileSync(project.at(path), "utf8")),
            { concurrency: 20 }
          )
        ),
        Effect.provide(project.services)
      )
      for (const [i, changes] of found.entries()) {
        assert.isTrue(changes?.touched(1, 1), `${i}`)
        assert.isFalse(changes?.touched(2, 100), `${i}`)
      }
    })
  )

  it.effect("when a link leads to it, then the file behind the link counts", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("src/a.ts", "one\n")
      project.commit()
      const base = yield* capture(project)
      symlinkSync("src", project.at("link"))
      symlinkSync("src/a.ts", project.at("b.ts"))
      assert.strictEqual(yield* touched(project, base, "link/a.ts"), "-")
      assert.strictEqual(yield* touched(project, base, "b.ts"), "-")
    })
  )

  it.effect("when its commit is gone, then nobody knows", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("a.ts", "one\n")
      project.commit()
      const base = yield* capture(project)
      assert.strictEqual(yield* touched(project, { ...base, commit: "0".repeat(40) }, "a.ts"), "?")
      rmSync(project.at(".git"), { recursive: true })
      assert.strictEqual(yield* touched(project, base, "a.ts"), "?")
    })
  )
})

describe("in a repository, given work that was not committed when the run began", () => {
  it.effect("then it is no work of the run: changed, staged and untracked files are as they were", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("changed.ts", "one\ntwo\n")
      project.write("staged.ts", "one\n")
      project.commit()
      project.write("changed.ts", "one\nTWO\n")
      project.write("staged.ts", "one\ntwo\n")
      project.write("added.ts", "one\n")
      project.git("add", "staged.ts", "added.ts")
      project.write("untracked.ts", "one\n")
      const base = yield* capture(project)
      for (const path of ["changed.ts", "staged.ts", "added.ts", "untracked.ts"]) {
        assert.notInclude(yield* touched(project, base, path), "+", path)
      }
      project.write("changed.ts", "one\ntwo\n")
      project.write("untracked.ts", "zero\none\n")
      assert.strictEqual(yield* touched(project, base, "changed.ts"), "-+")
      assert.strictEqual(yield* touched(project, base, "untracked.ts"), "+-")
    })
  )

  it.effect("when the run writes a file that was deleted, or replaces a link by a file, then it is all its work", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("gone.ts", "one\n")
      project.write("file.ts", "one\n")
      symlinkSync("file.ts", project.at("link.ts"))
      project.commit()
      rmSync(project.at("gone.ts"))
      const base = yield* capture(project)
      project.write("gone.ts", "one\n")
      rmSync(project.at("link.ts"))
      project.write("link.ts", "one\n")
      assert.strictEqual(yield* touched(project, base, "gone.ts"), "+")
      assert.strictEqual(yield* touched(project, base, "link.ts"), "+")
    })
  )

  it.effect("when a file is new, then all of it is touched; when it may have been there, then nobody knows", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write(".gitignore", "dist/\n*.log\n")
      project.write("dist/old.js", "one\n")
      project.write("old.log", "one\n")
      project.commit()
      const nested = projectIn(project.root, "nested")
      nested.write("a.ts", "one\n")
      nested.commit()
      project.write("image.bin", new Uint8Array([1, 0, 2]))
      const base = yield* capture(project)
      for (const path of ["src/new.ts", "dist/new.js", "new.log", "nested/new.ts", "image.bin"])
        project.write(path, "x\n")
      assert.strictEqual(yield* touched(project, base, "src/new.ts"), "+")
      assert.strictEqual(yield* touched(project, base, "new.log"), "+")
      for (const path of ["dist/old.js", "dist/new.js", "old.log", "nested/a.ts", "nested/new.ts", "image.bin"]) {
        assert.strictEqual(yield* touched(project, base, path), "?", path)
      }
    })
  )

  it.effect("then untracked packages of others are not read, tracked ones are", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("node_modules/mine/a.js", "one\n")
      project.commit()
      project.write("node_modules/other/a.js", "one\n")
      project.write("node_modules/mine/a.js", "one\ntwo\n")
      const base = yield* capture(project)
      assert.deepStrictEqual(Object.keys((yield* snapshotOf(project, base)).files), ["node_modules/mine/a.js"])
      assert.strictEqual(yield* touched(project, base, "node_modules/mine/a.js"), "--")
      assert.strictEqual(yield* touched(project, base, "node_modules/other/a.js"), "?")
    })
  )
})

describe("wherever the project lies", () => {
  it.effect("given names that git would quote, then they are read as they are", () =>
    Effect.gen(function* () {
      const names = [
        "sp ace.ts",
        "認証/é.ts",
        'quo"te.ts',
        "line\nend.ts",
        "tab\t.ts",
        "-n",
        ":!x.ts",
        "*.ts",
        "__proto__"
      ]
      const project = yield* sandbox
      for (const name of names) project.write(`known/${name}`, "one\n")
      project.commit()
      for (const name of names) project.write(`other/${name}`, "one\n")
      const base = yield* capture(project)
      for (const name of names) {
        for (const path of [`known/${name}`, `other/${name}`]) {
          assert.strictEqual(yield* touched(project, base, path), "-", path)
          project.write(path, "one\ntwo\n")
          assert.strictEqual(yield* touched(project, base, path), "-+", path)
        }
      }
    })
  )

  it.effect("given a subdirectory of a repository as root, then paths count from there", () =>
    Effect.gen(function* () {
      const repository = yield* sandbox
      repository.write("a.ts", "other\n")
      repository.write("sub [x]/a.ts", "one\n")
      repository.commit()
      const project = projectIn(repository.root, "sub [x]")
      project.write("b.ts", "one\n")
      repository.write("c.ts", "outside\n")
      const base = yield* capture(project)
      assert.deepStrictEqual(Object.keys((yield* snapshotOf(project, base)).files), ["b.ts"])
      project.write("a.ts", "one\ntwo\n")
      project.write("c.ts", "outside\n")
      assert.strictEqual(yield* touched(project, base, "a.ts"), "-+")
      assert.strictEqual(yield* touched(project, base, "b.ts"), "-")
      assert.strictEqual(yield* touched(project, base, "c.ts"), "+")
      assert.strictEqual(yield* touched(project, base, "../a.ts"), "?")
    })
  )

  it.effect("given a directory that its repository ignores, then its files are the snapshot", () =>
    Effect.gen(function* () {
      const repository = yield* sandbox
      repository.write(".gitignore", "tmp/\n")
      repository.commit()
      const project = projectIn(repository.root, "tmp/project")
      project.write("a.ts", "one\n")
      const base = yield* capture(project)
      assert.isNull(base.commit)
      project.write("b.ts", "one\n")
      assert.strictEqual(yield* touched(project, base, "a.ts"), "-")
      assert.strictEqual(yield* touched(project, base, "b.ts"), "+")
    })
  )

  it.effect("given a worktree, then its own HEAD and files count", () =>
    Effect.gen(function* () {
      const main = yield* sandbox
      main.write("a.ts", "one\n")
      main.commit()
      main.git("worktree", "add", "-q", "-b", "other", "../tree")
      const project = projectIn(main.outside, "tree")
      project.write("a.ts", "one\ntwo\n")
      project.git("commit", "-q", "-a", "-m", "second")
      const base = yield* capture(project)
      assert.strictEqual(base.commit, project.git("rev-parse", "HEAD").trim())
      assert.notStrictEqual(base.commit, main.git("rev-parse", "HEAD").trim())
      assert.strictEqual(yield* touched(project, base, "a.ts"), "--")
    })
  )

  it.effect("given no commit yet, then every file is in the snapshot", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.git("init", "-q")
      project.write("a.ts", "one\n")
      project.write("b.ts", "one\n")
      project.git("add", "a.ts")
      const base = yield* capture(project)
      assert.isNull(base.commit)
      project.write("a.ts", "zero\none\n")
      project.write("c.ts", "one\n")
      assert.strictEqual(yield* touched(project, base, "a.ts"), "+-")
      assert.strictEqual(yield* touched(project, base, "b.ts"), "-")
      assert.strictEqual(yield* touched(project, base, "c.ts"), "+")
    })
  )

  it.effect("given a submodule, then it is skipped, and nobody knows what is in it", () =>
    Effect.gen(function* () {
      const library = yield* sandbox
      library.write("a.ts", "one\n")
      library.commit()
      const project = projectIn(library.outside, "main")
      project.git("init", "-q")
      project.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.root, "lib")
      project.git("commit", "-q", "-m", "first")
      project.write("lib/a.ts", "one\ntwo\n")
      const base = yield* capture(project)
      assert.deepStrictEqual((yield* snapshotOf(project, base)).files, {})
      project.write("lib/b.ts", "one\n")
      assert.strictEqual(yield* touched(project, base, "lib/a.ts"), "?")
      assert.strictEqual(yield* touched(project, base, "lib/b.ts"), "?")
    })
  )

  it.effect("given sha256 as object format, then unchanged files are known by it too", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.git("init", "-q", "--object-format=sha256")
      project.write("a.ts", "one\n")
      project.git("add", "-A")
      project.git("commit", "-q", "-m", "first")
      const base = yield* capture(project)
      assert.strictEqual(base.commit?.length, 64)
      assert.strictEqual(yield* touched(project, base, "a.ts"), "-")
      project.write("a.ts", "one\ntwo\n")
      assert.strictEqual(yield* touched(project, base, "a.ts"), "-+")
    })
  )
})

describe("whoever looks", () => {
  it.effect("writes nothing: neither files nor the index, also where git would refresh it", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("a.ts", "one\n")
      project.commit()
      // the same content with another time: a refresh of the index would be due
      renameSync(project.at("a.ts"), project.at("old.ts"))
      project.write("a.ts", "one\n")
      rmSync(project.at("old.ts"))
      const index = () => {
        const { ino, mtimeNs } = statSync(project.at(".git/index"), { bigint: true })
        return [readFileSync(project.at(".git/index")).toString("hex"), ino, mtimeNs]
      }
      const before = index()
      const base = yield* capture(project)
      yield* touched(project, base, "a.ts")
      assert.deepStrictEqual(index(), before)
      assert.isFalse(existsSync(project.at(".git/index.lock")))
      // another one does refresh it: the test can tell the difference
      project.git("update-index", "--refresh")
      assert.notDeepEqual(index(), before)
    })
  )

  it.effect("runs nothing that the repository names: hooks, monitors", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("a.ts", "one\n")
      project.commit()
      const trap = Path.join(project.outside, "trap.sh")
      const sprung = Path.join(project.outside, "sprung")
      writeFileSync(trap, `#!/bin/sh\necho "$0" >> '${sprung}'\n`)
      chmodSync(trap, 0o755)
      mkdirSync(project.at("hooks"))
      for (const hook of ["post-index-change", "post-checkout", "fsmonitor-watchman"]) {
        symlinkSync(trap, project.at(`hooks/${hook}`))
      }
      project.git("config", "core.hooksPath", "hooks")
      project.git("config", "core.fsmonitor", trap)
      project.write("a.ts", "one\ntwo\n")
      const base = yield* capture(project)
      project.write("a.ts", "one\n")
      yield* touched(project, base, "a.ts")
      assert.isFalse(existsSync(sprung))
      project.git("status")
      assert.isTrue(existsSync(sprung), "the trap works")
    })
  )

  it.effect("is not led astray by the variables of a hook that runs it", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("a.ts", "one\n")
      project.commit()
      const other = projectIn(project.outside, "other")
      other.write("b.ts", "one\n")
      other.commit()
      const base = yield* withEnvironment(
        { GIT_DIR: other.at(".git"), GIT_WORK_TREE: other.root, GIT_INDEX_FILE: other.at(".git/index") },
        capture(project)
      )
      assert.strictEqual(base.commit, project.git("rev-parse", "HEAD").trim())
      assert.notStrictEqual(base.commit, git(other.root, "rev-parse", "HEAD").trim())
    })
  )

  it.effect("does without git when there is none on the machine", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("a.ts", "one\n")
      project.commit()
      const base = yield* withEnvironment({ PATH: project.outside }, capture(project))
      assert.isNull(base.commit)
      project.write("a.ts", "one\ntwo\n")
      assert.strictEqual(yield* touched(project, base, "a.ts"), "-+")
    })
  )
})

/** With these variables in the environment of this process. */
const withEnvironment = <A, E>(variables: Readonly<Record<string, string>>, use: Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
      Object.assign(process.env, variables)
      return before
    }),
    () => use,
    (before) =>
      Effect.sync(() => {
        for (const [name, value] of before) {
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
        }
      })
  )
