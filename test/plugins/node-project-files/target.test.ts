import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { layer } from "@proofline/plugins/adapters/node-project-files"
import { ProjectFiles, WriteTarget } from "@proofline/plugins/ports"
import { Effect, Schema } from "effect"

/** A project, a folder beside it that nobody may reach, and links of every kind. */
const sandbox = Effect.acquireRelease(
  Effect.sync(() => {
    const outside = mkdtempSync(Path.join(tmpdir(), "proofline-target-"))
    const root = Path.join(outside, "project")
    const at = (path: string) => Path.join(root, path)
    for (const folder of ["src/deep", ".git/hooks", ".proofline/state", "sub/.git"]) {
      mkdirSync(at(folder), { recursive: true })
    }
    mkdirSync(Path.join(outside, "project-2"))
    writeFileSync(at("src/a.ts"), "const a = 1\n")
    writeFileSync(Path.join(outside, "secret.txt"), "secret\n")
    for (const [name, target] of [
      ["code", "src"],
      ["deep", "src/deep"],
      ["a.link", "src/a.ts"],
      ["new.link", "src/new.ts"],
      ["absolute", root],
      ["out", ".."],
      ["out.txt", "../secret.txt"],
      ["out.new", "../nothing.txt"],
      ["chain", "out.new"],
      ["hooks", ".git/hooks"],
      ["kept", ".proofline/state/new.db"],
      ["circle", "circle"]
    ] as const) {
      symlinkSync(target, at(name))
    }
    return { outside, root, at }
  }),
  ({ outside }) => Effect.sync(() => rmSync(outside, { recursive: true, force: true }))
)

const place = (root: string, path: string) =>
  ProjectFiles.pipe(
    Effect.flatMap((projectFiles) => projectFiles.resolveTarget(path)),
    Effect.provide(layer({ root })),
    Effect.tap((target) => Effect.sync(() => assert.deepStrictEqual(recorded(target), target)))
  )

/** As it is read from an event. */
const recorded = (target: WriteTarget) => Schema.decodeUnknownSync(WriteTarget)(JSON.parse(JSON.stringify(target)))

describe("a place inside the project", () => {
  it.effect.each([
    ["src/a.ts", "src/a.ts", "file"],
    ["src/new.ts", "src/new.ts", "missing"],
    ["no/such/folder/new.ts", "no/such/folder/new.ts", "missing"],
    ["./src//deep/./../a.ts", "src/a.ts", "file"],
    ["no/../src/a.ts", "src/a.ts", "file"],
    ["src/a.ts/../b.ts", "src/b.ts", "missing"],
    ["../project/src/a.ts", "src/a.ts", "file"],
    ["src/", "src", "directory"],
    ["src/a.ts/", "src/a.ts", "file"],
    [".", ".", "directory"],
    ["code/a.ts", "src/a.ts", "file"],
    ["code/new.ts", "src/new.ts", "missing"],
    ["code/no/new.ts", "src/no/new.ts", "missing"],
    ["a.link", "src/a.ts", "file"],
    ["new.link", "src/new.ts", "missing"],
    ["absolute/src/a.ts", "src/a.ts", "file"],
    ["absolute/code/new.ts", "src/new.ts", "missing"],
    [" blank .ts", " blank .ts", "missing"],
    ["a\\b.ts", "a\\b.ts", "missing"],
    [".gitignore", ".gitignore", "missing"],
    ["src/.proofline/state", "src/.proofline/state", "missing"],
    [".proofline/task_planning.md", ".proofline/task_planning.md", "missing"]
  ] as const)("%j is %j, a %s", ([path, expected, kind]) =>
    Effect.gen(function* () {
      const { root } = yield* sandbox
      const target = yield* place(root, path)
      assert.deepInclude(target, { path: expected, kind, fault: null })
      assert.include(target.message, expected)
    })
  )

  it.effect("may be named from the top of the disk, by each name of the root", () =>
    Effect.gen(function* () {
      const { at, outside, root } = yield* sandbox
      const alias = Path.join(outside, "alias")
      symlinkSync(root, alias)
      for (const [of, path] of [
        [root, at("src/a.ts")],
        [root, Path.join(alias, "src/a.ts")],
        [alias, at("code/a.ts")],
        [alias, Path.join(alias, "src//a.ts")],
        [`${root}/`, at("src/a.ts")]
      ] as const) {
        assert.deepInclude(yield* place(of, path), { path: "src/a.ts", kind: "file", fault: null })
      }
      assert.deepInclude(yield* place(alias, at("src/new.ts")), { path: "src/new.ts", kind: "missing", fault: null })
    })
  )

  it.effect("may hold what is no file", () =>
    Effect.gen(function* () {
      const { at, root } = yield* sandbox
      execFileSync("mkfifo", [at("pipe")])
      assert.deepInclude(yield* place(root, "pipe"), { path: "pipe", kind: "other", fault: null })
    })
  )

  it.effect("has the name it has on disk: one letter or two, and the case of letters where the disk tells it", () =>
    Effect.gen(function* () {
      const { at, root } = yield* sandbox
      const [composed, decomposed] = ["é", "é"].map((name, i) => `src/${name.normalize(i === 0 ? "NFC" : "NFD")}.ts`)
      assert.isDefined(composed)
      assert.isDefined(decomposed)
      writeFileSync(at(decomposed), "")
      assert.deepInclude(yield* place(root, decomposed), { path: decomposed, kind: "file" })
      const other = yield* place(root, composed)
      if (existsSync(at(composed))) assert.strictEqual(other.kind, "file")
      else {
        assert.deepInclude(other, { path: composed, kind: "missing", fault: null })
        assert.include(other.message, "Unicode normalisation does (NFD)")
      }
      const shouted = yield* place(root, "SRC/A.ts")
      assert.deepInclude(
        shouted,
        existsSync(at("SRC/A.ts")) ? { path: "src/a.ts", kind: "file" } : { path: "SRC/A.ts", kind: "missing" }
      )
    })
  )

  it.effect("is looked up in another directory when the project is", () =>
    Effect.gen(function* () {
      const { outside, root } = yield* sandbox
      const other = (yield* ProjectFiles.pipe(Effect.provide(layer({ root })))).at(Path.join(outside, "project-2"))
      assert.deepInclude(yield* other.resolveTarget("src/a.ts"), { path: "src/a.ts", kind: "missing", fault: null })
      assert.strictEqual((yield* other.resolveTarget(Path.join(root, "src/a.ts"))).fault, "outside_root")
    })
  )
})

describe("a place where nothing may be written", () => {
  it.effect.each([
    "../secret.txt",
    "../nothing.txt",
    "src/../../secret.txt",
    "../project-2/a.ts",
    "..",
    "/",
    "/etc/hosts",
    "/no/such/file",
    "out/secret.txt",
    "out/nothing.txt",
    "out/no/such/folder/new.ts",
    "out.txt",
    "out.new",
    "chain",
    "out/../src/a.ts",
    "deep/../../../secret.txt"
  ])("%j is outside, and nobody learns what is there", (path) =>
    Effect.gen(function* () {
      const { root } = yield* sandbox
      assert.deepStrictEqual(yield* place(root, path), {
        path: null,
        kind: "other",
        fault: "outside_root",
        message: `${path} lies outside the project. Name a file inside.`
      })
    })
  )

  it.effect.each([
    [".git", ".git", "directory"],
    [".git/config", ".git/config", "missing"],
    ["sub/.git/hooks/pre-commit", "sub/.git/hooks/pre-commit", "missing"],
    ["new/.git", "new/.git", "missing"],
    ["new/.GIT/config", "new/.GIT/config", "missing"],
    ["hooks/pre-commit", ".git/hooks/pre-commit", "missing"],
    [".proofline/state", ".proofline/state", "directory"],
    [".proofline/state/proofline.db", ".proofline/state/proofline.db", "missing"],
    ["src/../.proofline//state/x", ".proofline/state/x", "missing"],
    ["kept", ".proofline/state/new.db", "missing"]
  ] as const)("%j is kept by git or Proofline", ([path, expected, kind]) =>
    Effect.gen(function* () {
      const { root } = yield* sandbox
      assert.deepInclude(yield* place(root, path), { path: expected, kind, fault: "housekeeping" })
    })
  )

  it.effect("stays kept when the folder is a link to another one of the project", () =>
    Effect.gen(function* () {
      const { at, root } = yield* sandbox
      rmSync(at(".git"), { recursive: true })
      symlinkSync("src", at(".git"))
      assert.deepInclude(yield* place(root, ".git/a.ts"), { path: "src/a.ts", fault: "housekeeping" })
      assert.deepInclude(yield* place(root, at(".git/a.ts")), { path: "src/a.ts", fault: "housekeeping" })
    })
  )

  it.effect.each([
    ["", "empty"],
    [" \t\n\u3000", "empty"],
    ["a\0b", "characters"],
    ["a\ud800b", "characters"],
    ["circle", "itself"],
    ["circle/a.ts", "itself"],
    ["deep/../a.ts", "two places"]
  ] as const)("%j is no place", ([path, word]) =>
    Effect.gen(function* () {
      const { root } = yield* sandbox
      const target = yield* place(root, path)
      assert.deepInclude(target, { path: null, kind: "other", fault: "invalid" })
      assert.include(target.message, word)
    })
  )

  it.effect("is too long for any disk, and not repeated as a whole", () =>
    Effect.gen(function* () {
      const { root } = yield* sandbox
      for (const path of ["x".repeat(300), "x/".repeat(5_000)]) {
        const target = yield* place(root, path)
        assert.deepInclude(target, { path: null, fault: "invalid" })
        assert.isBelow(target.message.length, 400)
      }
    })
  )

  it.effect("lies in a file", () =>
    Effect.gen(function* () {
      const { root } = yield* sandbox
      for (const path of ["src/a.ts/b/c.ts", "a.link/b/c.ts"]) {
        assert.deepStrictEqual(yield* place(root, path), {
          path: "src/a.ts/b/c.ts",
          kind: "missing",
          fault: "invalid",
          message: "src/a.ts is no directory; nothing can lie in it."
        })
      }
    })
  )

  it.effect("is everywhere when the project itself is gone", () =>
    Effect.gen(function* () {
      const { outside } = yield* sandbox
      const target = yield* place(Path.join(outside, "gone"), "src/a.ts")
      assert.deepInclude(target, { path: null, fault: "invalid" })
      assert.notInclude(target.message, outside)
    })
  )

  it.effect.skipIf(process.getuid?.() === 0)("lies in a folder that nobody may enter", () =>
    Effect.gen(function* () {
      const { at, root } = yield* sandbox
      chmodSync(at("src"), 0)
      const target = yield* place(root, "src/a.ts")
      chmodSync(at("src"), 0o755)
      assert.deepInclude(target, { path: null, fault: "invalid" })
    })
  )
})
