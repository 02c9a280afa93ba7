import { createHash } from "node:crypto"
import { mkdirSync, rmSync, symlinkSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { commitTree } from "@proofline/plugins/adapters/project-tree"
import { Effect } from "effect"
import { commit, type Files, git, room, write } from "../repositories.ts"

/** A repository with these files in one commit. */
const repository = Effect.fnUntraced(function* (
  files: Files,
  links: Readonly<Record<string, string>> = {},
  init: ReadonlyArray<string> = []
) {
  const dir = yield* room("proofline-tree-")
  git(dir, "init", "-q", ...init)
  write(dir, files)
  for (const [name, target] of Object.entries(links)) {
    mkdirSync(Path.dirname(Path.join(dir, name)), { recursive: true })
    symlinkSync(target, Path.join(dir, name))
  }
  commit(dir)
  return dir
})

const reasonOf = Effect.fnUntraced(function* (root: string, path: string, maxBytes = 1_000) {
  const { projectFiles } = yield* commitTree({ root, ref: "HEAD", maxBytes })
  return yield* projectFiles.readText(path).pipe(
    Effect.map(({ text }) => `read ${text}`),
    Effect.catch(({ reason }) => Effect.succeed(reason))
  )
})

describe("a commit as a project", () => {
  it.effect("is read as it was, whatever the files are now", () =>
    Effect.gen(function* () {
      const root = yield* repository({ "src/ä b.py": "x = 1\n", "empty.txt": "", "two.txt": "no end" })
      write(root, { "src/ä b.py": "x = 2\n", "new.txt": "new\n" })
      rmSync(Path.join(root, "two.txt"))
      const tree = yield* commitTree({ root, ref: "HEAD" })
      const head = git(root, "rev-parse", "HEAD").trim()
      assert.strictEqual(tree.commit, head)
      // a commit is the same wherever it is looked at
      assert.strictEqual((yield* tree.projectFiles.at("/elsewhere").readText("src/ä b.py")).text, "x = 1\n")
      assert.sameMembers([...(yield* tree.projectFiles.paths)], ["src/ä b.py", "empty.txt", "two.txt"])
      const id = git(root, "rev-parse", "HEAD:src/ä b.py").trim()
      assert.deepStrictEqual(yield* tree.projectFiles.readText("src/ä b.py"), {
        path: "src/ä b.py",
        text: "x = 1\n",
        git_blob: id,
        git_commit: head
      })
      // many at once, through the one process
      const texts = yield* Effect.forEach(
        ["empty.txt", "two.txt", "./empty.txt", "two.txt"],
        (path) => Effect.map(tree.projectFiles.readText(path), ({ text }) => text),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(texts, ["", "no end", "", "no end"])
    }).pipe(Effect.scoped)
  )

  it.effect("may be named as git names commits; anything else is refused", () =>
    Effect.gen(function* () {
      const root = yield* repository({ "a.txt": "a\n" })
      const head = git(root, "rev-parse", "HEAD").trim()
      git(root, "tag", "-a", "v1", "-m", "v1")
      git(root, "branch", "-q", "topic")
      for (const ref of ["v1", "topic", head, head.slice(0, 8), "HEAD@{0}"])
        assert.strictEqual((yield* commitTree({ root, ref })).commit, head, ref)
      for (const ref of ["", "nope", "HEAD:a.txt", "--all", "HEAD~1", "a b", "HEAD\n"])
        assert.strictEqual((yield* Effect.flip(commitTree({ root, ref }))).reason, "ref_unknown", ref)
    }).pipe(Effect.scoped)
  )

  it.effect("follows links as a checkout would, and none out of the project", () =>
    Effect.gen(function* () {
      const root = yield* repository(
        { "inner/real/a.txt": "a\n", "secret.txt": "secret\n" },
        {
          "inner/link.txt": "real/a.txt",
          "inner/folder": "real",
          "inner/again.txt": "folder/../link.txt",
          "inner/out.txt": "../secret.txt",
          "inner/absolute.txt": "/etc/passwd",
          "inner/loop.txt": "loop.txt"
        }
      )
      const inner = Path.join(root, "inner")
      for (const path of ["link.txt", "folder/a.txt", "again.txt"])
        assert.strictEqual(yield* reasonOf(inner, path), "read a\n", path)
      assert.strictEqual(yield* reasonOf(inner, "out.txt"), "outside_root")
      assert.strictEqual(yield* reasonOf(inner, "absolute.txt"), "outside_root")
      assert.strictEqual(yield* reasonOf(inner, "../secret.txt"), "outside_root")
      assert.strictEqual(yield* reasonOf(inner, "/etc/passwd"), "outside_root")
      assert.strictEqual(yield* reasonOf(inner, "loop.txt"), "unreadable")
      assert.strictEqual(yield* reasonOf(inner, "secret.txt"), "not_found")
      assert.strictEqual(yield* reasonOf(inner, "real"), "not_found")
    }).pipe(Effect.scoped)
  )

  it.effect("refuses what is no text, and reads on afterwards", () =>
    Effect.gen(function* () {
      const root = yield* repository({
        "large.txt": "x".repeat(300_000),
        "zero.bin": new Uint8Array([65, 0, 66]),
        "latin.txt": new Uint8Array([0xe4, 10]),
        ".proofline/state/log.txt": "state\n",
        "a.txt": "a\n"
      })
      const { projectFiles } = yield* commitTree({ root, ref: "HEAD", maxBytes: 1_000 })
      const reasons = yield* Effect.forEach(
        ["large.txt", "zero.bin", "latin.txt", ".proofline/state/log.txt", "a.txt"],
        (path) => Effect.result(projectFiles.readText(path))
      )
      assert.deepStrictEqual(
        reasons.map((one) => (one._tag === "Failure" ? one.failure.reason : one.success.text)),
        ["too_large", "not_text", "not_text", "outside_root", "a\n"]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("may be in a repository of SHA-256, and is no other repository's that the environment names", () =>
    Effect.gen(function* () {
      const root = yield* repository({ "a.txt": "a\n" }, {}, ["--object-format=sha256"])
      const other = yield* repository({ "a.txt": "other\n" })
      const before = process.env["GIT_DIR"]
      process.env["GIT_DIR"] = Path.join(other, ".git")
      const found = yield* reasonOf(root, "a.txt").pipe(
        Effect.ensuring(
          Effect.sync(() => {
            if (before === undefined) delete process.env["GIT_DIR"]
            else process.env["GIT_DIR"] = before
          })
        )
      )
      assert.strictEqual(found, "read a\n")
      assert.strictEqual((yield* commitTree({ root, ref: "HEAD" })).commit.length, 64)
    }).pipe(Effect.scoped)
  )

  it.effect("is refused where there is no repository", () =>
    Effect.gen(function* () {
      const root = yield* room("proofline-tree-")
      assert.strictEqual((yield* Effect.flip(commitTree({ root, ref: "HEAD" }))).reason, "not_a_repository")
    }).pipe(Effect.scoped)
  )
})

describe("a file of a commit as a whole", () => {
  it.effect("is told by its digest, and names by what stands there, whatever the files are now", () =>
    Effect.gen(function* () {
      const bytes = Uint8Array.from([0, 1, 2])
      const root = yield* repository({ "d/a.bin": bytes }, { to: "d", away: "/etc" })
      rmSync(Path.join(root, "d"), { recursive: true })
      const { projectFiles } = yield* commitTree({ root, ref: "HEAD" })
      const sha256 = createHash("sha256").update(bytes).digest("hex")
      assert.deepStrictEqual(yield* projectFiles.digest("to/a.bin"), { path: "to/a.bin", bytes: 3, sha256 })
      assert.strictEqual((yield* Effect.flip(projectFiles.digest("d"))).reason, "not_found")
      const entries = yield* Effect.forEach(
        ["d/a.bin", "to/a.bin", "d", "to", "away", "x", "x/y"],
        projectFiles.entryAt
      )
      assert.deepStrictEqual(entries, ["file", "file", "directory", "link", "link", "missing", "missing"])
      assert.strictEqual((yield* Effect.flip(projectFiles.entryAt("away/hosts"))).reason, "outside_root")
    })
  )
})
