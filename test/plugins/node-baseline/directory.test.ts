import { execFileSync } from "node:child_process"
import { rmSync, symlinkSync, truncateSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { capture, sandbox, snapshotOf, touched } from "./support.ts"

describe("in a directory that is no repository", () => {
  it.effect("given a file, when the run changes it, then the changed lines are touched", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("src/a.ts", "one\ntwo\nthree\n")
      const base = yield* capture(project)
      assert.isNull(base.commit)
      project.write("src/a.ts", "one\nthree\nfour\n")
      assert.strictEqual(yield* touched(project, base, "src/a.ts"), "-/-+")
    })
  )

  it.effect("given the snapshot, when a file is not in it, then the run made it", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      const base = yield* capture(project)
      project.write("deep/er/a.ts", "one\n")
      assert.strictEqual(yield* touched(project, base, "deep/er/a.ts"), "+")
    })
  )

  it.effect("given what is not read (others' folders, large files, no text), then nobody knows what became of it", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      const paths = ["node_modules/a.js", "b/node_modules/c.js", ".proofline/d.md", "large.txt", "binary.txt"]
      for (const path of paths) project.write(path, "one\n")
      truncateSync(project.at("large.txt"), 1024 * 1024 + 1)
      project.write("binary.txt", "one\0two")
      const base = yield* capture(project)
      const { complete, files, unseen } = yield* snapshotOf(project, base)
      assert.isTrue(complete)
      assert.deepStrictEqual(
        Object.entries(files).map(([path, { kind, sha256 }]) => [path, kind, typeof sha256]),
        [
          ["binary.txt", "other", "string"],
          ["large.txt", "other", "object"]
        ]
      )
      assert.deepStrictEqual(unseen, [".proofline/", "b/node_modules/", "node_modules/"])
      for (const path of [...paths, "node_modules/new.js"]) {
        project.write(path, "two\n")
        assert.strictEqual(yield* touched(project, base, path), "?", path)
      }
    })
  )

  it.effect("given links and pipes, then they are neither followed nor waited for", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("a.ts", "one\n")
      symlinkSync(".", project.at("loop"))
      symlinkSync("/etc", project.at("etc"))
      execFileSync("mkfifo", [project.at("pipe")])
      const base = yield* capture(project)
      const { files } = yield* snapshotOf(project, base)
      assert.deepStrictEqual(
        Object.entries(files).map(([path, { kind }]) => [path, kind]),
        [
          ["a.ts", "text"],
          ["etc", "link"],
          ["loop", "link"]
        ]
      )
      assert.strictEqual(yield* touched(project, base, "loop/a.ts"), "-")
      assert.strictEqual(yield* touched(project, base, "etc/hosts"), "?")
    })
  )

  it.effect(
    "given more files than are read, then those that are not known may have been there",
    () =>
      Effect.gen(function* () {
        const project = yield* sandbox
        project.write("a.ts", "one\n")
        execFileSync("sh", ["-c", "mkdir deep && cd deep && seq 50001 | xargs touch"], { cwd: project.root })
        const base = yield* capture(project)
        const { complete, files } = yield* snapshotOf(project, base)
        assert.isFalse(complete)
        assert.strictEqual(Object.keys(files).length, 50_000)
        project.write("new.ts", "one\n")
        assert.strictEqual(yield* touched(project, base, "new.ts"), "?")
        assert.strictEqual(yield* touched(project, base, "a.ts"), "-")
      }),
    60_000
  )

  it.effect("given a base whose snapshot is gone or is none, then nobody knows", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("a.ts", "one\n")
      const base = yield* capture(project)
      rmSync(`${project.outside}/blobs`, { recursive: true })
      assert.strictEqual(yield* touched(project, base, "a.ts"), "?")
    })
  )

  it.effect("given the same files, then the snapshot has the same name", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      for (const name of ["b", "a", "c"]) project.write(name, `${name}\n`)
      assert.deepStrictEqual(yield* capture(project), yield* capture(project))
    })
  )
})
