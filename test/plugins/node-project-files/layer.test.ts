import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, linkSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { layer } from "@proofline/plugins/adapters/node-project-files"
import { ProjectFiles } from "@proofline/plugins/ports"
import { Effect, Result } from "effect"
import { begin, git, room, write } from "../repositories.ts"

/** A directory with a project in it; what lies beside the project is outside. */
const sandbox = Effect.map(room("proofline-workspace-"), (outside) => {
  const root = Path.join(outside, "project")
  write(outside, { "project/src/a.ts": "const a = 1\n", "secret.txt": "secret\n" })
  return { outside, root, at: (path: string) => Path.join(root, path) }
})

const read = (root: string, path: string, maxBytes?: number) =>
  ProjectFiles.pipe(
    Effect.flatMap((projectFiles) => projectFiles.readText(path)),
    Effect.provide(layer(maxBytes === undefined ? { root } : { root, maxBytes }))
  )

const reasonOf = (root: string, path: string, maxBytes?: number) =>
  read(root, path, maxBytes).pipe(
    Effect.flip,
    Effect.map(({ message, path, reason }) => {
      assert.include(message, path)
      return reason
    })
  )

describe("a file of the project", () => {
  it.effect("is that of another directory where the project is looked at there, with the same bounds", () =>
    Effect.gen(function* () {
      const { at, outside, root } = yield* sandbox
      const other = Path.join(outside, "other")
      mkdirSync(Path.join(other, "src"), { recursive: true })
      writeFileSync(Path.join(other, "src/a.ts"), "const a = 2\n")
      execFileSync("git", ["init", "--quiet"], { cwd: other })
      const projectFiles = (yield* ProjectFiles.pipe(Effect.provide(layer({ root, maxBytes: 100 })))).at(other)
      assert.strictEqual(projectFiles.root, other)
      const file = yield* projectFiles.readText("src/a.ts")
      assert.strictEqual(file.text, "const a = 2\n")
      assert.match(file.git_blob ?? "", /^[0-9a-f]{40}$/)
      writeFileSync(Path.join(other, "long.txt"), "x".repeat(101))
      const reasons = yield* Effect.forEach(["long.txt", "../project/src/a.ts"], (path) =>
        Effect.map(Effect.flip(projectFiles.readText(path)), ({ reason }) => reason)
      )
      assert.deepStrictEqual(reasons, ["too_large", "outside_root"])
      assert.strictEqual((yield* projectFiles.at(root).readText("src/a.ts")).text, readFileSync(at("src/a.ts"), "utf8"))
    })
  )

  it.effect("is read as it is: line ends, byte order mark, any script", () =>
    Effect.gen(function* () {
      const { at, root } = yield* sandbox
      const text = "\ufeffé\r\n😀\n\n"
      writeFileSync(at("src/認証 (1).txt"), text)
      assert.deepStrictEqual(yield* read(root, "src/認証 (1).txt"), {
        path: "src/認証 (1).txt",
        text,
        git_blob: null,
        git_commit: null
      })
      chmodSync(at("src/認証 (1).txt"), 0o755)
      assert.isTrue((yield* read(root, "src/認証 (1).txt")).executable)
    })
  )

  it.effect("is read through links that stay inside, also when the root is a link", () =>
    Effect.gen(function* () {
      const { at, outside, root } = yield* sandbox
      symlinkSync("src", at("link"))
      symlinkSync(at("src/a.ts"), at("absolute.ts"))
      symlinkSync(root, Path.join(outside, "alias"))
      for (const path of ["link/a.ts", "absolute.ts", "src/../src/a.ts", "./src/a.ts"]) {
        assert.strictEqual((yield* read(Path.join(outside, "alias"), path)).text, "const a = 1\n")
      }
    })
  )

  it.effect("may be empty, and as large as the bound", () =>
    Effect.gen(function* () {
      const { at, root } = yield* sandbox
      writeFileSync(at("empty"), "")
      writeFileSync(at("full"), "x".repeat(1_000))
      assert.strictEqual((yield* read(root, "empty")).text, "")
      assert.strictEqual((yield* read(root, "full", 1_000)).text.length, 1_000)
    })
  )
})

describe("what is not read", () => {
  it.effect("is what git and Proofline keep for themselves, also behind a link", () =>
    Effect.gen(function* () {
      const { at, root } = yield* sandbox
      for (const [folder, file] of [
        [".git", ".git/HEAD"],
        ["sub/.git", "sub/.git/config"],
        [".proofline/state", ".proofline/state/proofline.db"]
      ] as const) {
        mkdirSync(at(folder), { recursive: true })
        writeFileSync(at(file), "ref: refs/heads/main\n")
        assert.strictEqual((yield* Effect.flip(read(root, file))).reason, "outside_root", file)
      }
      symlinkSync(at(".git/HEAD"), at("innocent.ts"))
      assert.strictEqual((yield* Effect.flip(read(root, "innocent.ts"))).reason, "outside_root")
      writeFileSync(at(".proofline/task_planning.md"), "# Plan\n")
      assert.strictEqual((yield* read(root, ".proofline/task_planning.md")).text, "# Plan\n")
    })
  )

  it.effect.each([
    ["../secret.txt", "outside_root"],
    ["src/../../secret.txt", "outside_root"],
    ["../nothing.txt", "outside_root"],
    ["../project-2/a.ts", "outside_root"],
    ["/etc/hosts", "outside_root"],
    ["..", "outside_root"],
    ["out/secret.txt", "outside_root"],
    ["out.txt", "outside_root"],
    ["chain.txt", "outside_root"],
    ["a\0b", "outside_root"],
    ["nothing.txt", "not_found"],
    ["src/a.ts/b", "not_found"],
    ["dangling", "not_found"],
    ["x".repeat(300), "unreadable"],
    ["circle", "unreadable"],
    ["src", "not_a_file"],
    [".", "not_a_file"],
    ["", "not_a_file"],
    ["pipe", "not_a_file"],
    ["socket", "not_a_file"],
    ["zero.bin", "not_text"],
    ["latin1.txt", "not_text"],
    ["cut.txt", "not_text"],
    ["surrogate.txt", "not_text"],
    ["large.txt", "too_large"],
    ["sparse.txt", "too_large"]
  ] as const)("%j", ([path, reason]) =>
    Effect.gen(function* () {
      const { at, outside, root } = yield* sandbox
      mkdirSync(Path.join(outside, "project-2"))
      writeFileSync(Path.join(outside, "project-2/a.ts"), "a\n")
      symlinkSync("..", at("out"))
      symlinkSync("../secret.txt", at("out.txt"))
      symlinkSync("out.txt", at("chain.txt"))
      symlinkSync("nowhere", at("dangling"))
      symlinkSync("circle", at("circle"))
      execFileSync("mkfifo", [at("pipe")])
      yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const server = createServer()
          server.listen(at("socket"), () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
      )
      writeFileSync(at("zero.bin"), "a\0b")
      writeFileSync(at("latin1.txt"), new Uint8Array([0x63, 0xe9]))
      writeFileSync(at("cut.txt"), new TextEncoder().encode("é").subarray(0, 1))
      writeFileSync(at("surrogate.txt"), new Uint8Array([0xed, 0xa0, 0x80]))
      writeFileSync(at("large.txt"), "x".repeat(1_001))
      writeFileSync(at("sparse.txt"), "")
      truncateSync(at("sparse.txt"), 2 ** 36)
      assert.strictEqual(yield* reasonOf(root, path, 1_000), reason)
    })
  )

  it.effect("a device, even below the root", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* reasonOf("/dev", "null"), "not_a_file")
    })
  )

  it.effect.skipIf(process.getuid?.() === 0)("a file without permission", () =>
    Effect.gen(function* () {
      const { at, root } = yield* sandbox
      chmodSync(at("src/a.ts"), 0)
      assert.strictEqual(yield* reasonOf(root, "src/a.ts"), "unreadable")
    })
  )

  it.effect("is found out before any of it was read: the bound is 5 MiB when none is given", () =>
    Effect.gen(function* () {
      const { at, root } = yield* sandbox
      writeFileSync(at("large.txt"), "")
      truncateSync(at("large.txt"), 5 * 1024 * 1024 + 1)
      assert.strictEqual(yield* reasonOf(root, "large.txt"), "too_large")
    })
  )
})

describe("git", () => {
  const gitIn =
    (cwd: string) =>
    (...words: ReadonlyArray<string>): string =>
      git(cwd, ...words).trim()

  const committed = Effect.gen(function* () {
    const box = yield* sandbox
    begin(box.root, {})
    return { ...box, git: gitIn(box.root) }
  })

  it.effect("is not there because a folder has its name", () =>
    Effect.gen(function* () {
      const { at, git, root } = yield* committed
      mkdirSync(at("src/.git"))
      const file = yield* read(Path.join(root, "src"), "a.ts")
      assert.strictEqual(file.git_commit, git("rev-parse", "HEAD"))
    })
  )

  it.effect("is the same where nobody asks git, which then says nothing of it", () =>
    Effect.gen(function* () {
      const { at, root } = yield* committed
      const text = Array.from({ length: 40_000 }, (_, i) => `line ${i}\n`).join("")
      writeFileSync(at("src/long.txt"), text)
      const { readText } = yield* Effect.provide(ProjectFiles, layer({ root, asksGit: false }))
      for (const path of ["src/long.txt", "src/a.ts", "src/long.txt"]) {
        const asked = yield* read(root, path)
        assert.isNotNull(asked.git_blob)
        assert.deepStrictEqual(yield* readText(path), { ...asked, git_blob: null, git_commit: null })
      }
      assert.strictEqual((yield* readText("src/long.txt")).text, text)
    })
  )

  it.effect("has no commit before the first one, but names the blob", () =>
    Effect.gen(function* () {
      const { root } = yield* sandbox
      const git = gitIn(root)
      git("init", "-q")
      const file = yield* read(root, "src/a.ts")
      assert.strictEqual(file.git_blob, git("hash-object", "src/a.ts"))
      assert.isNull(file.git_commit)
    })
  )

  it.effect("names the commit of HEAD on a branch, packed, detached, and the file as it is on disk", () =>
    Effect.gen(function* () {
      const { at, git, root } = yield* committed
      const check = Effect.gen(function* () {
        const file = yield* read(root, "src/a.ts")
        assert.strictEqual(file.git_commit, git("rev-parse", "HEAD"))
        assert.strictEqual(file.git_blob, git("hash-object", "--no-filters", "src/a.ts"))
      })
      yield* check
      git("pack-refs", "--all")
      yield* check
      git("checkout", "-q", "-b", "feat/a-b")
      git("commit", "-q", "--allow-empty", "-m", "second")
      yield* check
      git("checkout", "-q", "--detach", "HEAD~1")
      yield* check
      git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
      git("symbolic-ref", "HEAD", "refs/heads/alias")
      yield* check
      writeFileSync(at("src/a.ts"), "changed\r\n")
      yield* check
    })
  )

  it.effect("finds the repository of a worktree, of a project below its top, and of a submodule", () =>
    Effect.gen(function* () {
      const { git, outside, root } = yield* committed
      const tree = Path.join(outside, "tree")
      git("worktree", "add", "-q", "-b", "other", tree)
      gitIn(tree)("commit", "-q", "--allow-empty", "-m", "in the tree")
      assert.strictEqual((yield* read(tree, "src/a.ts")).git_commit, gitIn(tree)("rev-parse", "HEAD"))
      assert.notStrictEqual((yield* read(tree, "src/a.ts")).git_commit, git("rev-parse", "HEAD"))
      gitIn(tree)("pack-refs", "--all")
      assert.strictEqual((yield* read(tree, "src/a.ts")).git_commit, gitIn(tree)("rev-parse", "HEAD"))
      assert.strictEqual((yield* read(Path.join(root, "src"), "a.ts")).git_commit, git("rev-parse", "HEAD"))
      git("-c", "protocol.file.allow=always", "submodule", "add", "-q", root, "sub")
      assert.strictEqual(
        (yield* read(Path.join(root, "sub"), "src/a.ts")).git_commit,
        gitIn(Path.join(root, "sub"))("rev-parse", "HEAD")
      )
    })
  )

  it.effect("speaks SHA-256 where the repository does", () =>
    Effect.gen(function* () {
      const { root } = yield* sandbox
      const git = gitIn(root)
      git("init", "-q", "--object-format=sha256")
      git("add", ".")
      git("commit", "-q", "-m", "first")
      const file = yield* read(root, "src/a.ts")
      assert.strictEqual(file.git_commit, git("rev-parse", "HEAD"))
      assert.strictEqual(file.git_blob, git("hash-object", "src/a.ts"))
    })
  )

  it.effect("is not believed when HEAD is damaged or leads elsewhere", () =>
    Effect.gen(function* () {
      const { at, outside, root } = yield* committed
      writeFileSync(Path.join(outside, "stolen"), `${"a".repeat(40)}\n`)
      for (const head of [
        "",
        "nonsense",
        "ref: refs/heads/nowhere",
        "ref: refs/../../../stolen",
        "ref: ../../stolen"
      ]) {
        writeFileSync(at(".git/HEAD"), head)
        assert.isNull((yield* read(root, "src/a.ts")).git_commit)
      }
      writeFileSync(at(".git/HEAD"), "ref: refs/heads/loop")
      writeFileSync(at(".git/refs/heads/loop"), "ref: refs/heads/loop")
      assert.isNull((yield* read(root, "src/a.ts")).git_commit)
    })
  )
})

it.effect("knows where the project is", () =>
  Effect.gen(function* () {
    const { root } = yield* sandbox
    const projectFiles = yield* ProjectFiles.pipe(Effect.provide(layer({ root })))
    assert.strictEqual(projectFiles.root, root)
  })
)

it.effect("says of a file under two names the same", () =>
  Effect.gen(function* () {
    const { at, root } = yield* sandbox
    linkSync(at("src/a.ts"), at("b.ts"))
    assert.strictEqual((yield* read(root, "b.ts")).text, (yield* read(root, "src/a.ts")).text)
  })
)

describe("a file as a whole, and what stands under a name", () => {
  const asked = <A, E>(root: string, ask: (files: ProjectFiles["Service"]) => Effect.Effect<A, E>) =>
    Effect.result(Effect.provide(Effect.flatMap(ProjectFiles, ask), layer({ root, maxBytes: 10 })))

  it.effect("given any content, when its digest is asked for, then it is that of all its bytes", () =>
    Effect.gen(function* () {
      const { at, root } = yield* sandbox
      const large = Buffer.alloc(3 * 1_024 * 1_024 + 7, 0xff)
      writeFileSync(at("large.bin"), large)
      writeFileSync(at("empty"), "")
      for (const [path, bytes] of [["large.bin", large] as const, ["empty", Buffer.alloc(0)] as const]) {
        const sha256 = createHash("sha256").update(bytes).digest("hex")
        const found = yield* asked(root, (files) => files.digest(path))
        assert.deepStrictEqual(found, Result.succeed({ path, bytes: bytes.length, sha256 }))
      }
    })
  )

  it.effect("given what is no file of the project, when its digest is asked for, then it is refused as when read", () =>
    Effect.gen(function* () {
      const { at, root } = yield* sandbox
      symlinkSync("../secret.txt", at("out"))
      execFileSync("mkfifo", [at("pipe")])
      mkdirSync(at(".git"))
      writeFileSync(at(".git/HEAD"), "")
      const expected = {
        src: "not_a_file",
        pipe: "not_a_file",
        out: "outside_root",
        "../secret.txt": "outside_root",
        ".git/HEAD": "outside_root",
        "nowhere.ts": "not_found"
      }
      for (const [path, reason] of Object.entries(expected)) {
        const found = yield* asked(root, (files) => files.digest(path))
        assert.strictEqual(Result.isFailure(found) ? found.failure.reason : "digested", reason, path)
      }
    })
  )

  it.effect("given names, when they are looked at, then links are told as links, and nothing outside is", () =>
    Effect.gen(function* () {
      const { at, outside, root } = yield* sandbox
      symlinkSync("nowhere", at("dangling"))
      symlinkSync("src", at("folder"))
      symlinkSync(outside, at("out"))
      execFileSync("mkfifo", [at("pipe")])
      const expected = {
        "src/a.ts": "file",
        "folder/a.ts": "file",
        src: "directory",
        folder: "link",
        out: "link",
        dangling: "link",
        pipe: "other",
        "nowhere/x": "missing",
        "src/a.ts/x": "missing",
        "dangling/x": "missing",
        "out/secret.txt": "outside_root",
        "../secret.txt": "outside_root",
        ".git": "outside_root"
      }
      for (const [path, entry] of Object.entries(expected)) {
        const found = yield* asked(root, (files) => files.entryAt(path))
        assert.strictEqual(Result.isFailure(found) ? found.failure.reason : found.success, entry, path)
      }
    })
  )
})
