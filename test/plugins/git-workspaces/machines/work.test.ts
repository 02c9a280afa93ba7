import { chmodSync, renameSync, rmSync, symlinkSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe } from "@effect/vitest"
import { live } from "../../../effects.ts"
import { daily } from "../../../often.ts"
import { begin } from "../../repositories.ts"
import { contentOf, git, ownOf, shell, statusOf, write } from "../support.ts"
import { begun, found, home, machine, machines, refsOf, worked } from "./support.ts"

const base = { "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "b.txt": "b\n", ".gitignore": "out/\n" }

describe("given a project with changes that are not committed", () => {
  live(
    "when it is handed over, then the work has them, without what git ignores, and nothing of the user's is other",
    function* () {
      const all = yield* machines(base)
      const { project } = all
      write(project.root, {
        "a.txt": "changed\n",
        "new file ü.txt": "new\n",
        "out/built.js": "built\n",
        "staged.txt": "staged\n"
      })
      git(project.top, "add", "staged.txt")
      rmSync(Path.join(project.root, "b.txt"))
      const [own, status] = [ownOf(project), statusOf(project)]
      yield* begun(all)
      const there = yield* found(yield* machine(all))
      const { "out/built.js": ignored, ...rest } = contentOf(project.root)
      assert.strictEqual(ignored, "built\n")
      assert.deepStrictEqual(there, rest)
      assert.deepStrictEqual([ownOf(project), statusOf(project)], [own, status])
      assert.deepStrictEqual(refsOf(project), ["refs/proofline/_handed/run_1"])
    }
  )

  live(
    "when it lies below the top of its repository, then the work is done in the same directory of its checkout",
    function* () {
      const all = yield* machines({ "app/x.txt": "x\n", "lib.txt": "lib\n" }, "app")
      write(all.project.root, { "new.txt": "new\n" })
      const tree = yield* begun(all)
      assert.strictEqual(tree.prefix, "app")
      const on = yield* machine(all)
      yield* worked(all, on, (root, top) => {
        assert.strictEqual(Path.relative(top, root), "app")
        assert.deepStrictEqual(contentOf(root), { "x.txt": "x\n", "new.txt": "new\n" })
        write(root, { "x.txt": "y\n" })
        write(top, { "lib.txt": "changed\n" })
      })
      const brought = yield* home(all)
      assert.deepStrictEqual(brought?.files, ["../lib.txt", "x.txt"])
      assert.strictEqual(contentOf(all.project.top)["lib.txt"], "changed\n")
      assert.strictEqual(contentOf(all.project.root)["x.txt"], "y\n")
    }
  )
})

describe("given repositories of their own in the project and in what work leaves", () => {
  live("then trees name them, and so does what comes home, also where nothing else was changed", function* () {
    const all = yield* machines(base)
    begin(Path.join(all.project.root, "own"), { "x.txt": "x\n" })
    const tree = yield* begun(all)
    assert.deepStrictEqual(tree.left_out, ["own/"])
    const on = yield* machine(all)
    assert.notProperty(yield* found(on), "own/x.txt")
    const work = yield* worked(all, on, (root) => begin(Path.join(root, "deep/inner"), { "y.txt": "y\n" }))
    assert.deepStrictEqual([work?.commit, work?.left_out], [tree.commit, ["deep/inner/"]])
    const later = yield* worked(all, on, (root) => write(root, { "b.txt": "changed\n" }))
    assert.notProperty(later, "left_out")
    const { files, leftOut } = (yield* home(all)) ?? {}
    assert.deepStrictEqual([files, leftOut], [["b.txt"], ["deep/inner/"]])
  })
})

describe("given a piece of work that has changed files", () => {
  const script = "#!/bin/sh\n"
  const rows: ReadonlyArray<readonly [what: string, change: (root: string) => void]> = [
    [
      "changed files of every kind",
      (root) => {
        write(root, { "run me": script, "bytes.bin": Uint8Array.from([0, 255, 1, 254, 10, 13, 0]) })
        write(root, { "ä ö/ü ß.txt": "1\n", "a'b\"c.txt": "2\n", "new\nline": "3\n", "-x": "4\n", ":(top)y": "5\n" })
        write(root, { "old.bin": Uint8Array.from([0, 1, 2]) })
        chmodSync(Path.join(root, "a.txt"), 0o755)
        chmodSync(Path.join(root, "tool"), 0o644)
        symlinkSync("a.txt", Path.join(root, "link"))
        symlinkSync("../nowhere", Path.join(root, "link that leads nowhere"))
        rmSync(Path.join(root, "folder"), { recursive: true })
        renameSync(Path.join(root, "b.txt"), Path.join(root, "c.txt"))
      }
    ],
    [
      "put files where folders were, and folders where files were",
      (root) => shell(root, "rm -r folder; echo file > folder; rm b.txt; mkdir b.txt; echo in > b.txt/in")
    ],
    ["put a link where a folder was", (root) => shell(root, "mv folder other; ln -s other folder")],
    ["committed all of it", (root) => shell(root, "echo own > own.txt; git add -A; git commit -qm own")],
    [
      "committed some of it",
      (root) => shell(root, "echo own > own.txt; git add -A; git commit -qm own; echo more > more.txt")
    ],
    ["staged some of it", (root) => shell(root, "echo own > own.txt; git add own.txt; echo more > more.txt")],
    [
      "amended the commit it began with",
      (root) => shell(root, "echo own > own.txt; git add -A; git commit -q --amend -m own")
    ],
    [
      "made a branch of its own",
      (root) => shell(root, "git checkout -q -b other; echo own > own.txt; git add -A; git commit -qm own")
    ],
    [
      "detached its head",
      (root) => shell(root, "git checkout -q --detach; echo own > own.txt; git add -A; git commit -qm own")
    ],
    [
      "left a merge that conflicts",
      (root) =>
        shell(
          root,
          "git checkout -q -b other; echo x > b.txt; git commit -qam x; git checkout -q -; echo y > b.txt; git commit -qam y; git merge -q other || true"
        )
    ],
    ["left a lock", (root) => shell(root, "echo own > own.txt; touch .git/index.lock")],
    [
      "begun the repository anew",
      (root) => shell(root, "rm -rf .git; git init -q; echo own > own.txt; git add -A; git commit -qm own")
    ],
    ["removed the repository", (root) => shell(root, "rm -rf .git; echo own > own.txt")],
    ["removed the index", (root) => shell(root, "rm .git/index; echo own > own.txt")],
    [
      "packed and cleaned the repository",
      (root) => shell(root, "echo own > own.txt; git add -A; git commit -qm own; git gc -q --prune=now")
    ]
  ]
  for (const [what, change] of daily(rows, 3)) {
    live(`when it has ${what}, then the next finds that, and so does the user`, function* () {
      const all = yield* machines({ ...base, tool: script, "old.bin": Uint8Array.from([0, 9]), "folder/x.txt": "x\n" })
      yield* begun(all)
      const own = ownOf(all.project)
      const [one, two] = [yield* machine(all, "one"), yield* machine(all, "two")]
      let left = {}
      const tree = yield* worked(all, one, (root) => {
        change(root)
        left = contentOf(root)
      })
      assert.isNotNull(tree)
      assert.deepStrictEqual(yield* found(two), left)
      assert.deepStrictEqual(yield* found(one), left)
      assert.isNotNull(yield* home(all))
      assert.deepStrictEqual(contentOf(all.project.root), left)
      assert.strictEqual(ownOf(all.project), own)
      // the project's history goes on
      git(all.project.top, "merge-base", "--is-ancestor", "HEAD", `${tree?.commit}`)
    })
  }
})
