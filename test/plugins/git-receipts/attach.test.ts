import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import {
  attach,
  attachedIn,
  isLines,
  nearestWithNote,
  notedElsewhere,
  notesRef,
  push,
  receiptsOfRun,
  receiptsRef
} from "@proofline/plugins/adapters/git-receipts"
import { Effect } from "effect"
import { begin, commit, contentOf, git, room, shell, write } from "../repositories.ts"

/** Of lines of one run the longest. */
const combine = (lines: ReadonlyArray<string>) => {
  const all = [...new Set(lines)]
  const run = (line: string) => line.split(" ")[0]
  return all.filter((line) => !all.some((other) => run(other) === run(line) && other.length > line.length))
}

const put = (root: string, at: string, run: string, says = "x") =>
  attach(root, { commit: at, run, line: `${run} ${says}` }, combine)

/** What a commit has, as git itself shows it. */
const noteOf = (root: string, at: string) =>
  git(root, "notes", "--ref", "proofline", "show", at)
    .split("\n")
    .filter((line) => line !== "")
    .toSorted()

/** All of a repository that is none of our refs. */
const rest = (root: string) => ({
  files: contentOf(root),
  refs: git(root, "for-each-ref", "refs/heads", "refs/tags", "refs/remotes"),
  own: ["HEAD", "config", "index"].map((name) =>
    readFileSync(
      git(root, "rev-parse", "--git-path", name)
        .trim()
        .replace(/^(?!\/)/, `${root}/`),
      "latin1"
    )
  ),
  status: git(root, "status", "--porcelain")
})

const runs = Array.from({ length: 5 }, (_, i) => `run_${i}`)

describe("receipts that are attached", () => {
  it.live.each([
    ["a checkout", (dir: string) => ({ root: dir, at: begin(dir, { "a.txt": "a\n" }) })],
    [
      "a repository of SHA-256",
      (dir: string) => {
        git(dir, "init", "-q", "--object-format=sha256")
        write(dir, { "a.txt": "a\n" })
        return { root: dir, at: commit(dir) }
      }
    ],
    [
      "a worktree",
      (dir: string) => {
        mkdirSync(join(dir, "main"))
        const at = begin(join(dir, "main"), { "a.txt": "a\n" })
        git(join(dir, "main"), "worktree", "add", "-q", join(dir, "tree"))
        return { root: join(dir, "tree"), at }
      }
    ]
  ] as const)("given many at once for one commit of %s, then all are there, and nothing else has changed", ([, make]) =>
    Effect.gen(function* () {
      const { at, root } = make(yield* room("proofline-attach-"))
      write(root, { "a.txt": "changed\n", "new.txt": "new\n" })
      git(root, "add", "new.txt")
      const before = rest(root)
      const changed = yield* Effect.forEach(runs, (run) => put(root, at, run), { concurrency: "unbounded" })
      assert.deepStrictEqual(
        changed,
        runs.map(() => true)
      )
      assert.deepStrictEqual(
        noteOf(root, at),
        runs.map((run) => `${run} x`)
      )
      for (const run of runs) assert.strictEqual(git(root, "cat-file", "blob", receiptsRef(run)), `${run} x\n`)
      assert.deepStrictEqual(rest(root), before)

      // once more changes nothing, what says more takes the place of what says less
      const tip = git(root, "rev-parse", notesRef)
      assert.isFalse(yield* put(root, at, "run_1"))
      assert.strictEqual(git(root, "rev-parse", notesRef), tip)
      assert.isTrue(yield* put(root, at, "run_1", "xyz"))
      assert.isFalse(yield* put(root, at, "run_1", "xy"))
      assert.include(noteOf(root, at), "run_1 xyz")
      assert.lengthOf(noteOf(root, at), runs.length)
      assert.strictEqual(git(root, "fsck", "--strict", "--no-dangling"), "")
    })
  )

  it.live("given a bare repository with many notes in folders, then the others stay, and each is found", () =>
    Effect.gen(function* () {
      const root = yield* room("proofline-attach-")
      git(root, "init", "-q", "--bare", "--initial-branch", "main")
      const by = "committer A <a@b> 1 +0000\n"
      const bytes = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
      const history = Array.from({ length: 600 }, (_, i) => `commit refs/heads/main\n${by}${bytes(`${i}`)}`)
      write(root, { import: history.join("") })
      shell(root, "git fast-import --quiet < import")
      const all = git(root, "rev-list", "HEAD").trim().split("\n")
      const at = all.at(-1) ?? ""
      const noted = all.filter((id) => id !== at).slice(0, 595)
      const imported = noted.map((id) => `N inline ${id}\n${bytes(`of ${id}\u00ff\n`)}`).join("")
      write(root, { import: `commit ${notesRef}\n${by}${bytes("m")}${imported}` })
      shell(root, "git fast-import --quiet < import")
      assert.match(git(root, "ls-tree", "--name-only", notesRef), /^[0-9a-f]{2}$/m)

      const [other = ""] = noted
      yield* put(root, at, "run_1")
      yield* put(root, other, "run_2")
      yield* put(root, all.at(-3) ?? "", "run_3")
      assert.deepStrictEqual(noteOf(root, at), ["run_1 x"])
      assert.deepStrictEqual(noteOf(root, other), [`of ${other}\u00ff`, "run_2 x"])
      const { notes, read } = yield* attachedIn(root)
      assert.strictEqual(notes.size, new Set([...noted, at, other, all.at(-3)]).size)
      assert.deepStrictEqual(yield* read(notes.get(at)?.[0] ?? ""), ["run_1 x"])
      assert.strictEqual(git(root, "fsck", "--strict", "--no-dangling"), "")
    })
  )

  it.live("given notes that are none, then nothing is attached and they stay", () =>
    Effect.gen(function* () {
      const root = yield* room("proofline-attach-")
      const at = begin(root, { "a.txt": "a\n" })
      git(root, "update-ref", notesRef, git(root, "rev-parse", "HEAD:a.txt").trim())
      const before = git(root, "for-each-ref")
      const failed = yield* Effect.flip(put(root, at, "run_1"))
      assert.strictEqual(failed._tag === "NotAttached" ? failed.reason : failed.message, "notes_unreadable")
      assert.strictEqual(git(root, "for-each-ref"), before)
    })
  )
})

describe("receipts that are pushed", () => {
  it.live(
    "given two clones that attach to the same commits, then the remote has those of both, and each has its own",
    () =>
      Effect.gen(function* () {
        const dir = yield* room("proofline-push-")
        const first = begin(join(dir, "one"), { "a.txt": "a\n" })
        const second = commit(join(dir, "one"))
        git(dir, "clone", "-q", "--bare", "one", "o.git")
        git(dir, "clone", "-q", "o.git", "two")
        const [one, two] = [join(dir, "one"), join(dir, "two")]
        git(one, "remote", "add", "origin", join(dir, "o.git"))
        // a user who fetches notes by force must not lose what was not pushed yet
        git(two, "config", "--add", "remote.origin.fetch", "+refs/notes/*:refs/notes/*")
        yield* put(one, first, "run_a")
        yield* put(one, second, "run_s", "x")
        yield* put(two, first, "run_b")
        yield* put(two, second, "run_s", "xyz")
        const runsOf = [
          [one, ["run_a", "run_s"]],
          [two, ["run_b", "run_s"]]
        ] as const
        yield* Effect.forEach(
          runsOf,
          ([root, own]) => Effect.forEach(own, (run) => push(root, "origin", run, combine)),
          { concurrency: "unbounded" }
        )
        const remote = join(dir, "o.git")
        assert.deepStrictEqual(noteOf(remote, first), ["run_a x", "run_b x"])
        assert.deepStrictEqual(noteOf(remote, second), ["run_s xyz"])
        assert.strictEqual(git(remote, "cat-file", "blob", receiptsRef("run_s")), "run_s xyz\n")
        assert.include(noteOf(one, first), "run_a x")
        assert.include(noteOf(two, first), "run_b x")
        const tip = git(remote, "rev-parse", notesRef)
        yield* push(one, remote, "run_a", combine)
        yield* push(two, remote, "run_b", combine)
        assert.deepStrictEqual([noteOf(one, first), noteOf(two, first)], [noteOf(remote, first), noteOf(remote, first)])
        assert.include(git(remote, "rev-list", notesRef), tip.trim())
      })
  )

  it.live("given somebody who pushes between the look and the push, then theirs is taken in", () =>
    Effect.gen(function* () {
      const dir = yield* room("proofline-push-")
      const at = begin(join(dir, "one"), { "a.txt": "a\n" })
      git(dir, "clone", "-q", "--bare", "one", "o.git")
      git(dir, "clone", "-q", "o.git", "two")
      const [one, two, remote] = [join(dir, "one"), join(dir, "two"), join(dir, "o.git")]
      yield* put(one, at, "run_a")
      yield* put(two, at, "run_b")
      const theirs = `git -C ${remote} fetch -q ${two} +${notesRef}:${notesRef}`
      write(dir, {
        late: `#!/bin/sh\nif mkdir ${dir}/once 2>/dev/null; then ${theirs}; fi\nexec git receive-pack "$@"\n`
      })
      git(one, "remote", "add", "origin", remote)
      git(one, "config", "remote.origin.receivepack", join(dir, "late"))
      yield* push(one, "origin", "run_a", combine)
      assert.deepStrictEqual(noteOf(remote, at), ["run_a x", "run_b x"])
    })
  )

  it.live("given a remote that refuses or is none, then that is said without its password, and it stays attached", () =>
    Effect.gen(function* () {
      const dir = yield* room("proofline-push-")
      const at = begin(join(dir, "one"), { "a.txt": "a\n" })
      git(dir, "clone", "-q", "--bare", "one", "o.git")
      write(join(dir, "o.git"), { "hooks/pre-receive": "#!/bin/sh\nexit 1\n" })
      const one = join(dir, "one")
      yield* put(one, at, "run_a")
      for (const remote of [join(dir, "o.git"), join(dir, "none.git"), "http://me:secret@127.0.0.1:1/x.git"]) {
        const failed = yield* Effect.flip(push(one, remote, "run_a", combine))
        assert.strictEqual(failed._tag === "NotAttached" ? failed.reason : failed.message, "remote_failed")
        assert.notInclude(failed.message, "secret")
      }
      assert.deepStrictEqual(noteOf(one, at), ["run_a x"])
    })
  )
})

describe("receipts that are looked for", () => {
  it.live("given a merge, then the nearest of each side are found, and those that were rewritten are elsewhere", () =>
    Effect.gen(function* () {
      const root = yield* room("proofline-find-")
      const base = begin(root, { "a.txt": "a\n" })
      const [left, later] = [commit(root, "left"), commit(root, "later")]
      git(root, "checkout", "-q", "-b", "side", base)
      const right = commit(root, "right")
      git(root, "checkout", "-q", "main")
      shell(root, "git merge -q --no-ff -m merge side")
      const merge = git(root, "rev-parse", "HEAD").trim()
      git(root, "checkout", "-q", "-b", "squashed", base)
      const squashed = commit(root, "squashed")
      git(root, "checkout", "-q", "main")
      git(root, "branch", "-D", "squashed")
      for (const [i, at] of [base, left, right, squashed].entries()) yield* put(root, at, `run_${i}`)

      const found = yield* attachedIn(root)
      const { notes, read } = found
      assert.sameMembers([...(yield* nearestWithNote(root, merge, notes))], [left, right])
      assert.deepStrictEqual(yield* nearestWithNote(root, later, notes), [left])
      assert.deepStrictEqual(yield* nearestWithNote(root, right, notes), [right])
      assert.sameMembers([...(yield* notedElsewhere(root, notes, merge))], [squashed])
      assert.sameMembers([...(yield* notedElsewhere(root, notes, left))], [right, squashed])
      const lines = yield* read(receiptsOfRun(found, "run_1") ?? "")
      assert.deepStrictEqual(isLines(lines) ? lines : [], ["run_1 x"])
      assert.isUndefined(receiptsOfRun(found, "run_9"))
      const missing = yield* read("0".repeat(40))
      assert.strictEqual(isLines(missing) ? "" : missing.reason, "missing")
    })
  )
})
