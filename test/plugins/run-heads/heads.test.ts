import { execFileSync } from "node:child_process"
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type RunHead, RunHeads } from "@proofline/kernel"
import { layer } from "@proofline/plugins/adapters/run-heads"
import { Effect } from "effect"
import { afterAll } from "vitest"
import { newName } from "../../../packages/plugins/src/processes/names.ts"

const places = mkdtempSync(join(tmpdir(), "proofline-heads-"))
afterAll(() => rmSync(places, { recursive: true, force: true }))
let made = 0

/** An empty directory for a project; without a repository. */
const newProject = (): string => {
  const root = join(places, `${++made}`)
  mkdirSync(root)
  return root
}

/** Git as a user has it who never told it a name. */
const git = (root: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, {
    cwd: root,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: places, GIT_CONFIG_NOSYSTEM: "1" }
  }).trim()

const newRepository = (): string => {
  const root = newProject()
  git(root, "init", "-q")
  return root
}

const placesOf = (root: string) => ({
  root,
  stateDir: join(root, ".proofline/state"),
  directory: join(root, ".proofline/heads")
})

/** Does something with the heads of a project, as a process of its own would. */
const at = <A, E>(root: string, use: (heads: (typeof RunHeads)["Service"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(RunHeads, use).pipe(Effect.provide(layer(placesOf(root))))

const head = (version: number, run_id = "run_1"): RunHead => ({ run_id, version, hash: `${version}`.repeat(64) })

const keep = (root: string, ...heads: ReadonlyArray<RunHead>) =>
  at(root, ({ keep }) => Effect.forEach(heads, keep, { discard: true }))
const of = (root: string, run = "run_1") => at(root, (heads) => heads.of(run))

describe.each([
  ["in a repository", newRepository],
  ["in a project without one", newProject]
])("given a head that is kept %s", (_, project) => {
  it.effect("then it is there for whoever comes next, and no other run has it", () =>
    Effect.gen(function* () {
      const root = project()
      assert.isNull(yield* of(root))
      yield* keep(root, head(7), head(3, "Run/2: ä"))
      assert.deepStrictEqual(yield* of(root), head(7))
      assert.deepStrictEqual(yield* of(root, "Run/2: ä"), head(3, "Run/2: ä"))
      assert.isNull(yield* of(root, "run_2"))
      const all = yield* at(root, (heads) => heads.all)
      assert.sameDeepMembers([...all], [head(7), head(3, "Run/2: ä")])
    })
  )

  it.effect("when the run ends again then the later head counts, whichever is kept last", () =>
    Effect.gen(function* () {
      const root = project()
      yield* keep(root, head(7), head(9), head(8), { ...head(9), hash: "0".repeat(64) })
      assert.deepStrictEqual(yield* of(root), head(9))
    })
  )

  it.live("when many processes keep one at once then the last version stays", () =>
    Effect.gen(function* () {
      const root = project()
      const order = [4, 1, 5, 3, 2]
      yield* Effect.forEach(order, (version) => keep(root, head(version)), { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* of(root), head(5))
    })
  )

  it.effect("when the state is cleared and reached by another name then it is still of this log", () =>
    Effect.gen(function* () {
      const root = project()
      mkdirSync(placesOf(root).stateDir, { recursive: true })
      yield* keep(root, head(7))
      rmSync(placesOf(root).stateDir, { recursive: true })
      const link = `${root}-link`
      symlinkSync(root, link)
      assert.deepStrictEqual(yield* at(link, (heads) => heads.all), [head(7)])
    })
  )

  it.effect("when the project was moved then it is still of this log; of a copy it is not", () =>
    Effect.gen(function* () {
      const root = project()
      mkdirSync(placesOf(root).stateDir, { recursive: true })
      yield* keep(root, head(7))
      const [copy, moved] = [`${root}-copy`, `${root}-moved`]
      cpSync(root, copy, { recursive: true })
      assert.deepStrictEqual(yield* at(copy, (heads) => heads.all), [])
      renameSync(root, moved)
      assert.deepStrictEqual(yield* at(moved, (heads) => heads.all), [head(7)])
    })
  )

  it.effect("when it cannot be read then that is said: nothing stands for a whole log", () =>
    Effect.gen(function* () {
      const root = project()
      yield* keep(root, head(7))
      const file = join(placesOf(root).directory, "run_1.json")
      if (project === newProject) writeFileSync(file, "{")
      else
        git(
          root,
          "update-ref",
          "refs/proofline/run_1",
          execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: root, input: "{", encoding: "utf8" }).trim()
        )
      const refused = yield* Effect.flip(of(root))
      assert.strictEqual(refused.code, "log_corrupt")
      assert.include(refused.message, "run_1")
    })
  )
})

describe("given a repository", () => {
  it.effect("then a head is a blob under refs/proofline, and nothing else of the repository changes", () =>
    Effect.gen(function* () {
      const root = newRepository()
      writeFileSync(join(root, "a.txt"), "a\n")
      git(root, "add", "a.txt")
      const before = [git(root, "status", "--porcelain"), readFileSync(join(root, ".git/index")).toString("hex")]
      yield* keep(root, head(7))
      assert.deepStrictEqual(
        [git(root, "status", "--porcelain"), readFileSync(join(root, ".git/index")).toString("hex")],
        before
      )
      assert.strictEqual(git(root, "for-each-ref", "--format=%(refname) %(objecttype)"), "refs/proofline/run_1 blob")
      assert.deepStrictEqual(JSON.parse(git(root, "cat-file", "blob", "refs/proofline/run_1")), {
        ...head(7),
        place: ".proofline/state",
        state: placesOf(root).stateDir
      })
      assert.deepStrictEqual(readdirSync(root).sort(), [".git", "a.txt"])
      assert.strictEqual(git(root, "fsck", "--strict"), "")
    })
  )

  it.effect(
    "when a checkout beside it was removed, or another folder of it, then what they have left is not of this log",
    () =>
      Effect.gen(function* () {
        const root = newRepository()
        git(root, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "a")
        const [beside, below] = [`${root}-beside`, join(root, "below")]
        git(root, "worktree", "add", "-q", beside)
        mkdirSync(below)
        yield* keep(beside, head(7))
        yield* keep(below, head(3, "run_2"))
        for (const folder of [beside, below]) rmSync(folder, { recursive: true })
        assert.deepStrictEqual(yield* at(root, (heads) => heads.all), [])
      })
  )

  it.effect("when it is cleaned and its garbage is collected then the head stays", () =>
    Effect.gen(function* () {
      const root = newRepository()
      yield* keep(root, head(7))
      git(root, "clean", "-fdxq")
      git(root, "gc", "-q", "--prune=now")
      assert.deepStrictEqual(yield* of(root), head(7))
    })
  )

  it.effect("when refs of the run's worktrees stand there then the head stands beside them", () =>
    Effect.gen(function* () {
      const root = newRepository()
      const tree = git(root, "hash-object", "-t", "tree", "-w", "/dev/null")
      git(root, "update-ref", "refs/proofline/run_1/task-001/base", tree)
      yield* keep(root, head(7), head(9))
      assert.deepStrictEqual(yield* of(root), head(9))
      assert.deepStrictEqual(yield* at(root, (heads) => heads.all), [head(9)])
    })
  )

  it.effect("when git does not let anybody in then a file keeps the head", () =>
    Effect.gen(function* () {
      const root = newRepository()
      writeFileSync(join(root, ".git/config"), "this is no configuration")
      yield* keep(root, head(7))
      assert.deepStrictEqual(yield* of(root), head(7))
      assert.deepStrictEqual(readdirSync(placesOf(root).directory).sort(), [".gitignore", "run_1.json"])
    })
  )
})

describe("given a process that was killed while it wrote a head into a file", () => {
  it.effect("when another keeps one there then what was half written is gone, and that of a living process stays", () =>
    Effect.gen(function* () {
      const root = newProject()
      const { directory } = placesOf(root)
      mkdirSync(directory, { recursive: true })
      const living = newName("temporary")
      const dead = living.replace(/-\d+-\d+-(?=[0-9a-f]{12}$)/, "-4194999-1-")
      for (const name of [living, dead]) writeFileSync(join(directory, name), "{")
      yield* keep(root, head(7))
      assert.deepStrictEqual(yield* of(root), head(7))
      assert.deepStrictEqual(readdirSync(directory).sort(), [".gitignore", living, "run_1.json"])
    })
  )
})
