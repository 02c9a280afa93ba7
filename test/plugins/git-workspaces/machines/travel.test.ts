import { randomBytes } from "node:crypto"
import { globSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe } from "@effect/vitest"
import { aRun, aTask } from "@proofline/kernel/testing"
import { handOver, headOfTrees, layer, mergedTree } from "@proofline/plugins/adapters/git-workspaces"
import { RecordTree } from "@proofline/plugins/policies/checkouts"
import { Workspaces } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { live } from "../../../effects.ts"
import { daily } from "../../../often.ts"
import { commit as committed } from "../../repositories.ts"
import { contentOf, directory, fail, git, ownOf, place, shell, write } from "../support.ts"
import {
  again,
  begun,
  found,
  home,
  type Machine,
  type Machines,
  machine,
  machines,
  machinesOf,
  refusalOf,
  reported,
  worked
} from "./support.ts"

const base = { "a.txt": "a\n", "big.bin": randomBytes(200_000) }

const opening = (all: Machines) => Effect.flatMap(machine(all), (on) => found(on))

const blobsOf = ({ blobs }: Machines) => globSync(`${blobs}/??/*`)

describe("given a bundle that is not what it was", () => {
  const rows: Readonly<Record<string, readonly [change: (file: string) => void, code: string]>> = {
    "is gone": [(file) => rmSync(file), "checkout_bundle_missing"],
    "was cut": [(file) => writeFileSync(file, readFileSync(file).subarray(0, 100)), "checkout_bundle_damaged"],
    "was changed": [(file) => writeFileSync(file, readFileSync(file).fill(7, 300, 400)), "checkout_bundle_damaged"],
    "is empty": [(file) => writeFileSync(file, ""), "checkout_bundle_damaged"]
  }
  for (const [what, [change, code]] of daily(Object.entries(rows), 4)) {
    live(`when it ${what}, then the work is refused with ${code}, and begins once it is back`, function* () {
      const all = yield* machines(base)
      yield* begun(all)
      const [file = ""] = blobsOf(all)
      const bytes = readFileSync(file)
      change(file)
      const on = yield* machine(all)
      const refused = yield* refusalOf(found(on))
      assert.strictEqual(refused.code, code)
      assert.include(refused.message, Path.basename(file))
      writeFileSync(file, bytes)
      assert.deepStrictEqual(Object.keys(yield* found(on)), Object.keys(base))
    })
  }

  live("when what it builds on is in no bundle, then the work is refused with the commit", function* () {
    const all = yield* machines(base)
    const { engine, project, sources } = all
    const tree = yield* handOver(sources, project, "run_1", null)
    write(project.root, { "a.txt": "b\n" })
    const commit = committed(project.root)
    for (const bundle of [null, yield* bundleOnly(all, commit)]) {
      const run = `run_${bundle === null ? "none" : "thin"}`
      yield* engine.execute(run, aRun([aTask("a")], {}, run), { also: RecordTree({ ...tree, commit, bundle }) })
      const refused = yield* refusalOf(Effect.flatMap(machine(all), (on) => found(on, run)))
      assert.strictEqual(refused.code, "checkout_commit_missing")
      assert.include(refused.message, commit)
    }
  })
})

/** What a remote has not, without the remote. */
const bundleOnly = Effect.fnUntraced(function* ({ project, sources }: Machines, commit: string) {
  const file = Path.join(project.room, "thin.bundle")
  git(project.top, "bundle", "create", "--quiet", file, `${commit}^..main`)
  return yield* sources.blobs.put(readFileSync(file))
})

describe("given a remote that has the project's history", () => {
  const remoteOf = Effect.fnUntraced(function* () {
    const all = yield* machines(base)
    const { project } = all
    const remote = Path.join(project.room, "remote.git")
    git(project.room, "init", "--quiet", "--bare", remote)
    git(project.top, "push", "--quiet", remote, "main")
    return { all, project, remote }
  })

  live("when nothing else is in the project, then nothing is put into a bundle", function* () {
    const { all, remote } = yield* remoteOf()
    const tree = yield* begun(all, remote)
    assert.deepStrictEqual([tree.bundle, tree.remote], [null, remote])
    assert.deepStrictEqual(Object.keys(yield* opening(all)), Object.keys(base))
  })

  live("when it has commits and changes of its own, then the bundle has them alone", function* () {
    const { all, project, remote } = yield* remoteOf()
    write(project.root, { "b.txt": "b\n" })
    committed(project.root)
    write(project.root, { "c.txt": "c\n" })
    const own = ownOf(project)
    const tree = yield* begun(all, remote)
    assert.isBelow(tree.bundle?.bytes ?? 0, 2_000)
    assert.isAbove(tree.bundle?.bytes ?? 0, 0)
    const on = yield* machine(all)
    yield* worked(all, on, (root) => write(root, { "d.txt": "d\n" }))
    assert.deepStrictEqual((yield* home(all))?.files, ["d.txt"])
    assert.strictEqual(ownOf(project), own)
    for (const file of blobsOf(all)) assert.isBelow(statSync(file).size, 2_000)
  })

  live("when a run that was begun without workers is handed over, then nothing is put into a bundle", function* () {
    const { all, remote } = yield* remoteOf()
    yield* all.engine.execute("run_1", aRun([aTask("a")]))
    const tree = yield* again(all, "run_1", remote)
    assert.deepStrictEqual([tree?.bundle, tree?.remote], [null, remote])
    assert.deepStrictEqual(Object.keys(yield* opening(all)), Object.keys(base))
  })

  live("when the remote has not got it any more, then the work is refused with the commit", function* () {
    const { all, project, remote } = yield* remoteOf()
    const { commit: handed } = yield* begun(all, remote)
    shell(project.top, `git push -q --force ${remote} "$(git commit-tree -m other "HEAD^{tree}")":main`)
    git(remote, "gc", "--quiet", "--prune=now")
    const refused = yield* refusalOf(opening(all))
    assert.strictEqual(refused.code, "checkout_commit_missing")
    assert.include(refused.message, handed)
    assert.include(refused.message, "remote")
  })

  live("when the remote is gone, then the work is refused with its address, and so is handing over", function* () {
    const { all, project, remote } = yield* remoteOf()
    yield* begun(all, remote)
    rmSync(remote, { recursive: true })
    for (const asked of [Effect.asVoid(opening(all)), Effect.asVoid(handOver(all.sources, project, "run_2", remote))]) {
      const refused = yield* refusalOf(asked)
      assert.strictEqual(refused.code, "checkout_remote_failed")
      assert.include(refused.message, remote)
    }
  })

  live("when branches of it were renamed to folders, then what is new is had nevertheless", function* () {
    const { all, project, remote } = yield* remoteOf()
    yield* begun(all, remote)
    const on = yield* machine(all)
    yield* found(on)
    git(remote, "branch", "-m", "main", "main/one")
    write(project.root, { "b.txt": "b\n" })
    git(project.top, "push", "--quiet", remote, `${committed(project.root)}:refs/heads/two`)
    yield* begun(all, remote, "run_2")
    assert.include(Object.keys(yield* found(on, "run_2")), "b.txt")
  })

  live("when its address has a password, then it is refused, and the password is not repeated", function* () {
    const { all, project } = yield* remoteOf()
    const refused = yield* refusalOf(handOver(all.sources, project, "run_1", "https://me:secret@example.invalid/x.git"))
    assert.strictEqual(refused.code, "checkout_remote_secret")
    assert.notInclude(refused.message, "secret@")
  })
})

describe("given a run that was begun without a database", () => {
  live("when its work is to be done in a checkout, then that says what to do, and nothing comes home", function* () {
    const all = yield* machines(base)
    yield* all.engine.execute("run_1", aRun([aTask("a")]))
    const refused = yield* refusalOf(opening(all))
    assert.strictEqual(refused.code, "checkout_no_tree")
    assert.include(refused.message, "`proofline resume run_1`")
    assert.isNull(yield* home(all))
    assert.isNotNull(yield* again(all))
    assert.deepStrictEqual(Object.keys(yield* opening(all)), Object.keys(base))
  })
})

describe("given a repository of another kind", () => {
  const rows: Readonly<Record<string, string>> = {
    "names its objects by SHA-256": "git init -q --object-format=sha256 . && git add -A && git commit -qm base",
    "is a worktree of another":
      "git init -q ../main && git -C ../main commit -q --allow-empty -m x && git -C ../main worktree add -q ../w && mv ../w/.git . && git worktree repair && git add -A && git commit -qm base",
    "is a shallow clone":
      "git init -q ../main && cp -r . ../main && cd ../main && git add -A && git commit -qm one && git commit -q --allow-empty -m two && cd - && git clone -q --depth 1 file://$(realpath ../main) ../clone && mv ../clone/.git . && git reset -q"
  }
  for (const [what, make] of daily(Object.entries(rows), 3)) {
    live(`when it ${what}, then work goes there and comes back`, function* () {
      const project = yield* directory()
      write(project.top, { "a.txt": "a\n" })
      shell(project.top, make)
      const all = yield* machinesOf(project)
      write(project.root, { "b.txt": "b\n" })
      yield* begun(all)
      const own = ownOf(project)
      const [one, two] = [yield* machine(all, "one"), yield* machine(all, "two")]
      yield* worked(all, one, (root) => shell(root, "echo c > c.txt; git add -A; git commit -qm c; git log --oneline"))
      yield* worked(all, two, (root) => shell(root, "echo d > d.txt; git log --oneline"))
      assert.deepStrictEqual((yield* home(all))?.files, ["c.txt", "d.txt"])
      assert.deepStrictEqual(contentOf(project.root), {
        "a.txt": "a\n",
        "b.txt": "b\n",
        "c.txt": "c\n",
        "d.txt": "d\n"
      })
      assert.strictEqual(ownOf(project), own)
    })
  }

  live(
    "when a name that work has left is not valid UTF-8, then the work is refused, and not lost in silence",
    function* () {
      const all = yield* machines(base)
      yield* begun(all)
      const refused = yield* Effect.flip(
        worked(all, yield* machine(all), (root) =>
          writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff])]), "x")
        )
      )
      assert.include((refused as Error).message, "not valid UTF-8")
    }
  )
})

describe("given subtasks that have worktrees of a checkout", () => {
  const inWorktree = (all: Machines, on: Machine, task: string, work: (directory: string) => void) =>
    Effect.gen(function* () {
      const opened = yield* on.open("run_1")
      const { checkout, root } = opened.begun
      yield* Effect.gen(function* () {
        const workspaces = yield* Workspaces
        const workspace = yield* workspaces.open(place(task))
        work(workspace.directory)
        yield* workspace.keep
      }).pipe(Effect.provide(layer({ root, stateDir: checkout.state })))
      return yield* reported(all, on, opened)
    }).pipe(Effect.scoped)

  live("when one is kept, then another machine has it, and can put it together with what was done there", function* () {
    const all = yield* machines(base)
    yield* begun(all)
    const [one, two] = [yield* machine(all, "one"), yield* machine(all, "two")]
    const first = yield* inWorktree(all, one, "p-sub-1", (directory) => write(directory, { "one.txt": "1\n" }))
    assert.include(
      (first?.refs ?? []).map(({ name }) => name),
      "refs/proofline/run_1/p/p-sub-1"
    )
    let seen: ReadonlyArray<string> = []
    yield* inWorktree(all, two, "p-sub-1", (directory) => {
      seen = readdirSync(directory)
    })
    assert.include(seen, "one.txt")
    yield* inWorktree(all, two, "p-sub-2", (directory) => write(directory, { "two.txt": "2\n" }))
    yield* Effect.gen(function* () {
      const opened = yield* one.open("run_1")
      const { checkout, root } = opened.begun
      const request = { run_id: "run_1", parent_task_id: "p", subtasks: ["p-sub-1", "p-sub-2"], strategy: fail }
      yield* Effect.flatMap(Workspaces, ({ aggregate }) => aggregate(request)).pipe(
        Effect.provide(layer({ root, stateDir: checkout.state }))
      )
      return yield* reported(all, one, opened)
    }).pipe(Effect.scoped)
    assert.deepStrictEqual(Object.keys(yield* found(two)), [...Object.keys(base), "one.txt", "two.txt"])
  })

  live("when another has gone on with one meanwhile, then what was there before does not come back", function* () {
    const all = yield* machines(base)
    yield* begun(all)
    const [one, two] = [yield* machine(all, "one"), yield* machine(all, "two")]
    yield* inWorktree(all, one, "p-sub-1", (directory) => write(directory, { "one.txt": "1\n" }))
    const last = yield* Effect.gen(function* () {
      const opened = yield* one.open("run_1")
      yield* inWorktree(all, two, "p-sub-1", (directory) => write(directory, { "one.txt": "2\n" }))
      write(opened.begun.root, { "other.txt": "other\n" })
      return yield* reported(all, one, opened)
    }).pipe(Effect.scoped)
    assert.deepStrictEqual(last?.refs, [])
  })
})

describe("given work that drives another run", () => {
  live("when that has ended, then what it has come to is merged, wherever it was done", function* () {
    const all = yield* machines(base)
    const { engine, sources } = all
    yield* begun(all)
    const [one, two] = [yield* machine(all, "one"), yield* machine(all, "two")]
    yield* Effect.gen(function* () {
      const { begun } = yield* one.open("run_1")
      const by = { item: "item", lease: 1 }
      const start = { ...begun.start, onto: null, bundle: null, remote: null, by }
      yield* engine.execute(
        "run_2",
        { ...aRun([aTask("a")], {}, "run_2"), parent_run_id: "run_1" },
        { also: RecordTree(start) }
      )
      yield* worked(all, two, (root) => write(root, { "child.txt": "child\n" }), "run_2")
      const head = headOfTrees(yield* one.trees("run_2"))
      const tree = yield* mergedTree(
        sources,
        begun,
        yield* one.trees("run_1"),
        { commit: head?.commit ?? "", refs: [], leftOut: [] },
        by
      )
      yield* engine.execute("run_1", RecordTree(tree))
    }).pipe(Effect.scoped)
    assert.include(Object.keys(yield* found(two)), "child.txt")
  })
})
