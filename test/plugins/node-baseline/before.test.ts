import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { canonicalJson } from "@proofline/kernel"
import { Baseline, BlobStore } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { git } from "../repositories.ts"
import { capture, type Project, projectIn, sandbox, wasAt } from "./support.ts"

const sha256 = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex")
const text = (text: string) => ({ _tag: "text" as const, text })
const absent = { _tag: "absent" as const }
const unknown = { _tag: "unknown" as const }
const other = (sha: string | null) => ({ _tag: "other" as const, sha256: sha })

/** What another process would say, which knows nothing but the log and the blobs. */
const later = ({ outside }: Project) => projectIn(outside, "project")

describe("what a file was before, in a repository", () => {
  it.effect("given several bases that are asked in turn, then none is read again", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("dirty.ts", "committed\n")
      project.commit()
      yield* Effect.gen(function* () {
        const baseline = yield* Baseline
        const bases = yield* Effect.forEach(["one\n", "two\n", "three\n"], (content) => {
          project.write("dirty.ts", content)
          return Effect.map(baseline.capture, (base) => ({ base, content }))
        })
        const asked = Effect.forEach(bases, ({ base }) => baseline.before(base, "dirty.ts"))
        const answers = yield* asked
        assert.deepStrictEqual(
          answers,
          bases.map(({ content }) => text(content))
        )
        rmSync(Path.join(project.outside, "blobs"), { recursive: true })
        assert.deepStrictEqual(yield* asked, answers)
      }).pipe(Effect.provide(project.services))
    })
  )

  it.effect("given committed, dirty and untracked files, then each is given back as it was, at any later time", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("committed.ts", "one\n")
      project.write("dirty.ts", "one\n")
      project.write("staged.ts", "one\n")
      project.commit()
      project.write("dirty.ts", "mine\n")
      project.write("staged.ts", "staged\n")
      project.git("add", "staged.ts")
      project.write("staged.ts", "staged, and changed since\n")
      project.write("new/untracked.ts", "new, ümlaut\r\n")
      project.write("empty.ts", "")
      const base = yield* capture(project)
      for (const path of ["committed.ts", "dirty.ts", "staged.ts", "new/untracked.ts", "empty.ts"])
        project.write(path, "overwritten\n")
      project.git("add", "-A")
      project.git("commit", "-q", "-m", "second")
      const then = later(project)
      assert.deepStrictEqual(yield* wasAt(then, base, "committed.ts"), text("one\n"))
      assert.deepStrictEqual(yield* wasAt(then, base, "dirty.ts"), text("mine\n"))
      assert.deepStrictEqual(yield* wasAt(then, base, "staged.ts"), text("staged, and changed since\n"))
      assert.deepStrictEqual(yield* wasAt(then, base, "new/untracked.ts"), text("new, ümlaut\r\n"))
      assert.deepStrictEqual(yield* wasAt(then, base, "empty.ts"), text(""))
    })
  )

  it.effect(
    "given files that are deleted or renamed since, then they are still given back; the new name is absent",
    () =>
      Effect.gen(function* () {
        const project = yield* sandbox
        project.write("src/deep/gone.ts", "one\n")
        project.write("old.ts", "two\n")
        project.write("untracked.ts", "three\n")
        project.git("init", "-q")
        project.git("add", "src", "old.ts")
        project.git("commit", "-q", "-m", "first")
        const base = yield* capture(project)
        rmSync(project.at("src"), { recursive: true })
        rmSync(project.at("untracked.ts"))
        renameSync(project.at("old.ts"), project.at("renamed.ts"))
        assert.deepStrictEqual(yield* wasAt(project, base, "src/deep/gone.ts"), text("one\n"))
        assert.deepStrictEqual(yield* wasAt(project, base, "untracked.ts"), text("three\n"))
        assert.deepStrictEqual(yield* wasAt(project, base, "old.ts"), text("two\n"))
        assert.deepStrictEqual(yield* wasAt(project, base, "renamed.ts"), absent)
        assert.deepStrictEqual(yield* wasAt(project, base, "src/deep/never.ts"), absent)
        // a folder was there
        assert.deepStrictEqual(yield* wasAt(project, base, "src/deep"), other(null))
      })
  )

  it.effect("given a file that was deleted before the run and never committed, then it is absent", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("a.ts", "one\n")
      project.commit()
      rmSync(project.at("a.ts"))
      const base = yield* capture(project)
      project.write("a.ts", "one\n")
      assert.deepStrictEqual(yield* wasAt(project, base, "a.ts"), absent)
    })
  )

  it.effect(
    "given binary, large and linked files, then they were there, and their digest is told where it is known",
    () =>
      Effect.gen(function* () {
        const project = yield* sandbox
        const binary = Buffer.from([1, 0, 2])
        const latin = Buffer.from("na\xefve\n", "latin1")
        project.write("committed.bin", binary)
        project.write("target.ts", "one\n")
        symlinkSync("target.ts", project.at("link.ts"))
        project.commit()
        project.write("untracked.bin", binary)
        project.write("latin.txt", latin)
        project.write("large.txt", "x".repeat(1024 * 1024 + 1))
        symlinkSync("target.ts", project.at("other.ts"))
        const base = yield* capture(project)
        for (const path of ["link.ts", "other.ts"]) rmSync(project.at(path))
        assert.deepStrictEqual(yield* wasAt(project, base, "committed.bin"), other(sha256(binary)))
        assert.deepStrictEqual(yield* wasAt(project, base, "untracked.bin"), other(sha256(binary)))
        assert.deepStrictEqual(yield* wasAt(project, base, "latin.txt"), other(sha256(latin)))
        assert.deepStrictEqual(yield* wasAt(project, base, "large.txt"), other(null))
        assert.deepStrictEqual(yield* wasAt(project, base, "link.ts"), other(null))
        assert.deepStrictEqual(yield* wasAt(project, base, "other.ts"), other(null))
      })
  )

  it.effect("given ignored files and those of a submodule, then nobody can tell", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      const library = projectIn(project.outside, "library")
      library.write("lib.ts", "one\n")
      library.commit()
      project.write(".gitignore", "dist\n*.log\n")
      project.write("dist/a.js", "one\n")
      project.write("a.log", "one\n")
      project.commit()
      project.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.root, "sub")
      project.git("commit", "-q", "-m", "submodule")
      const base = yield* capture(project)
      for (const path of ["dist/a.js", "dist/new.js", "a.log", "sub/lib.ts", "sub/new.ts"])
        assert.deepStrictEqual(yield* wasAt(project, base, path), unknown, path)
      assert.deepStrictEqual(yield* wasAt(project, base, "sub"), other(null))
      assert.deepStrictEqual(yield* wasAt(project, base, "../outside.ts"), unknown)
    })
  )

  it.effect("given a project below the top of its repository, then its paths are its own", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      const below = projectIn(project.root, "packages/app")
      below.write("a.ts", "one\n")
      project.write("a.ts", "another\n")
      project.commit()
      below.write("b.ts", "two\n")
      const base = yield* capture(below)
      rmSync(below.at("a.ts"))
      assert.deepStrictEqual(yield* wasAt(below, base, "a.ts"), text("one\n"))
      assert.deepStrictEqual(yield* wasAt(below, base, "b.ts"), text("two\n"))
      assert.deepStrictEqual(yield* wasAt(below, base, "c.ts"), absent)
    })
  )

  it.effect("given contents that are gone, then the file is still known to have been there", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("a.ts", "one\n")
      project.commit()
      project.write("a.ts", "two\n")
      const base = yield* capture(project)
      const blobs = Path.join(project.outside, "blobs")
      for (const name of readdirSync(blobs, { recursive: true, encoding: "utf8" }))
        if (name.endsWith(sha256("two\n"))) rmSync(Path.join(blobs, name))
      assert.deepStrictEqual(yield* wasAt(later(project), base, "a.ts"), other(sha256("two\n")))
    })
  )
})

describe("what a file was before, in a plain directory", () => {
  it.effect("then its files are given back, and what was not there is absent", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("src/a.ts", "one\n")
      project.write("node_modules/x/index.js", "one\n")
      const base = yield* capture(project)
      rmSync(project.at("src"), { recursive: true })
      assert.deepStrictEqual(yield* wasAt(later(project), base, "src/a.ts"), text("one\n"))
      assert.deepStrictEqual(yield* wasAt(project, base, "src/b.ts"), absent)
      assert.deepStrictEqual(yield* wasAt(project, base, "node_modules/x/index.js"), unknown)
    })
  )

  it.effect("given a base of the first version, then only its digests are known", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("a.ts", "one\n")
      const document = {
        format: "proofline-baseline-1",
        complete: true,
        unseen: [],
        files: { "a.ts": { sha256: sha256("one\n"), lines: sha256("one").slice(0, 8) }, "b.png": null }
      }
      const snapshot = yield* Effect.provide(
        Effect.flatMap(BlobStore, (blobs) => blobs.put(canonicalJson(document))),
        project.services
      )
      const base = { commit: null, snapshot }
      assert.deepStrictEqual(yield* wasAt(project, base, "a.ts"), unknown)
      assert.deepStrictEqual(yield* wasAt(project, base, "b.png"), other(null))
      assert.deepStrictEqual(yield* wasAt(project, base, "c.ts"), absent)
      const baseline = yield* Effect.provide(Baseline, project.services)
      const changes = yield* baseline.changes(base, "a.ts", "one\ntwo\n")
      assert.deepStrictEqual([changes?.touched(1, 1), changes?.touched(2, 2)], [false, true])
    })
  )
})

describe("a base that a person names", () => {
  const captureAt = ({ services }: Project, ref: string) =>
    Effect.provide(
      Effect.flatMap(Baseline, (baseline) => baseline.captureAt(ref)),
      services
    )

  it.effect("given files that could be run, committed or not, then that is told", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      for (const name of ["a.sh", "b.sh"]) project.write(name, "one\n")
      chmodSync(Path.join(project.root, "a.sh"), 0o755)
      project.commit()
      project.write("c.sh", "one\n")
      chmodSync(Path.join(project.root, "c.sh"), 0o755)
      const base = yield* capture(project)
      for (const name of ["a.sh", "c.sh"]) chmodSync(Path.join(project.root, name), 0o644)
      for (const name of ["a.sh", "c.sh"])
        assert.deepStrictEqual(yield* wasAt(project, base, name), { ...text("one\n"), executable: true })
      assert.deepStrictEqual(yield* wasAt(project, base, "b.sh"), text("one\n"))
    })
  )

  it.effect("given an older commit, then everything since is work of the run, committed or not", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("a.ts", "one\n")
      project.commit()
      project.write("a.ts", "one\ntwo\n")
      project.git("commit", "-q", "-a", "-m", "second")
      project.write("a.ts", "one\ntwo\nthree\n")
      project.write("new.ts", "one\n")
      const base = yield* captureAt(project, "HEAD~1")
      assert.strictEqual(base.commit, project.git("rev-parse", "HEAD~1").trim())
      assert.strictEqual(base.ref, "HEAD~1")
      assert.deepStrictEqual(yield* wasAt(project, base, "a.ts"), text("one\n"))
      assert.deepStrictEqual(yield* wasAt(project, base, "new.ts"), absent)
      const baseline = yield* Effect.provide(Baseline, project.services)
      const changes = yield* baseline.changes(base, "a.ts", "one\ntwo\nthree\n")
      assert.deepStrictEqual(
        [1, 2, 3].map((line) => changes?.touched(line, line)),
        [false, true, true]
      )
    })
  )

  it.effect("given a name that means no commit, or no repository, then it is refused with a code", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      const nowhere = yield* Effect.flip(captureAt(project, "HEAD"))
      assert.strictEqual(nowhere._tag === "BaseRefused" && nowhere.code, "base_no_repository")
      project.write("a.ts", "one\n")
      project.commit()
      const blob = project.git("rev-parse", "HEAD:a.ts").trim()
      for (const ref of ["nothing", "", "--all", "HEAD~7", blob]) {
        const refused = yield* Effect.flip(captureAt(project, ref))
        assert.strictEqual(refused._tag === "BaseRefused" && refused.code, "base_unknown", ref)
      }
    })
  )
})

describe("making a directory what the project was", () => {
  const restore = (project: Project, base: Parameters<typeof wasAt>[1], paths?: ReadonlyArray<string>) => {
    const directory = Path.join(project.outside, "scratch")
    mkdirSync(directory, { recursive: true })
    return Effect.as(
      Effect.provide(
        Effect.flatMap(Baseline, (baseline) => baseline.restore(base, directory, paths)),
        project.services
      ),
      projectIn(project.outside, "scratch")
    )
  }

  it.effect("given what no commit holds, then all of it is written, with its modes and links", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("gone.ts", "one\n")
      project.write("folder/in.ts", "one\n")
      project.commit()
      rmSync(project.at("gone.ts"))
      rmSync(project.at("folder"), { recursive: true })
      project.write("folder", "now a file\n")
      project.write("check.sh", "exit 0\n")
      chmodSync(project.at("check.sh"), 0o755)
      project.write("a.bin", Buffer.from([0, 1]))
      project.write("large.txt", "x".repeat(1024 * 1024 + 1))
      symlinkSync("check.sh", project.at("link"))
      symlinkSync(project.at("check.sh"), project.at("absolute"))
      const base = yield* capture(project)
      git(project.outside, "clone", "-q", project.root, "scratch")
      project.write("check.sh", "exit 1\n")
      const made = yield* restore(project, base)
      const look = (command: string) => git(made.root, "-c", `alias.look=!${command}`, "look").trim()
      assert.strictEqual(look("ls"), "a.bin\nabsolute\ncheck.sh\nfolder\nlarge.txt\nlink")
      assert.strictEqual(look("cat folder check.sh link"), "now a file\nexit 0\nexit 0")
      assert.strictEqual(look("readlink absolute"), made.at("check.sh"))
      assert.strictEqual(look("./check.sh && echo ran"), "ran")
    })
  )

  it.effect("given a large file that was changed since, then it cannot be had again, and that is said", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("large.txt", "x".repeat(1024 * 1024 + 1))
      const base = yield* capture(project)
      project.write("large.txt", "y".repeat(1024 * 1024 + 1))
      const refused = yield* Effect.flip(restore(project, base))
      assert.include(refused.message, "large.txt")
    })
  )

  it.effect("given paths, then only these become what they were, wherever they are kept", () =>
    Effect.gen(function* () {
      const project = yield* sandbox
      project.write("committed.sh", "one\n")
      project.write("other.ts", "one\n")
      project.commit()
      project.write("kept.sh", "two\n")
      const base = yield* capture(project)
      const scratch = projectIn(project.outside, "scratch")
      for (const path of ["committed.sh", "other.ts", "kept.sh", "new.sh"]) scratch.write(path, "now\n")
      const made = yield* restore(project, base, ["committed.sh", "kept.sh", "new.sh"])
      const look = git(made.root, "-c", "alias.look=!tail -n +1 *", "look")
      assert.strictEqual(look, "==> committed.sh <==\none\n\n==> kept.sh <==\ntwo\n\n==> other.ts <==\nnow\n")
    })
  )
})
