import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { AttemptTrees } from "@proofline/kernel"
import type { WorkspaceSpec } from "@proofline/plugins/ports"
import { Effect, Stream } from "effect"
import { git, ownOf, type Project, place, repository, shell, statusOf, use, write } from "./support.ts"

const shared: Partial<WorkspaceSpec> = { workspace: "shared" }

/** What git itself would commit of the checkout, without what is Proofline's. */
const treeByGit = ({ room, top }: Project): string => {
  const index = Path.join(room, "index-of-git")
  rmSync(index, { force: true })
  return shell(
    top,
    `cp "$(git rev-parse --git-path index)" '${index}' 2>/dev/null; export GIT_INDEX_FILE='${index}'
    git add --all 2>/dev/null; git write-tree`
  ).trim()
}

const treeOf = ({ top }: Project, commit: string | null | undefined): string =>
  git(top, "rev-parse", `${commit}^{tree}`).trim()

/** What attempts leave in the project, one after the other: their trees. */
const worked = (project: Project, works: ReadonlyArray<() => void>, between: ReadonlyArray<() => void> = []) =>
  use(project, ({ open }) =>
    Effect.forEach(works, (work, i) =>
      Effect.gen(function* () {
        between[i]?.()
        const workspace = yield* open(place(`t${i}`, shared))
        const watching = { isFirst: i === 0, steps: Stream.never, told: () => 0 }
        const [, { trees }] = yield* workspace.watched(Effect.sync(work), watching)
        return { trees, byGit: treeByGit(project) }
      })
    )
  )

const files = { "a.txt": "a\n", "b/c.txt": "c\n", "run.sh": "#!/bin/sh\n", ".gitignore": "ignored\n" }

describe("the tree after an attempt", () => {
  it.effect("is what git would commit, whatever was done to files, and nothing of the user's is written", () =>
    Effect.gen(function* () {
      const project = yield* repository({ ...files, gone: "x", "folder/f": "f" })
      const { top } = project
      const at = (name: string) => Path.join(top, name)
      // staged and unstaged before anybody works
      write(top, { "a.txt": "staged\n" })
      git(top, "add", "a.txt")
      write(top, { "a.txt": "dirty\n" })
      const before = ownOf(project)
      const works = [
        () => write(top, { "new ü.txt": "new\n", 'quo"te\\d': "q\n", "tab\there": "t\n", "two\nlines": "n\n" }),
        () => {
          rmSync(at("gone"))
          rmSync(at("folder"), { recursive: true })
          write(top, { folder: "a file now\n" })
        },
        () => {
          rmSync(at("a.txt"))
          mkdirSync(at("a.txt"))
          write(top, { "a.txt/inside": "i\n" })
        },
        () => chmodSync(at("run.sh"), 0o644),
        () => symlinkSync("run.sh", at("link")),
        () => {
          rmSync(at("b"), { recursive: true })
          mkdirSync(at("ignored"))
          write(top, { "ignored/c.txt": "nobody's\n" })
          symlinkSync("ignored", at("b"))
        },
        () => write(top, { empty: "", binary: "\u0000\u0001" }),
        // known by now, and ignored from now on
        () => write(top, { ".gitignore": "ignored\nempty\n" }),
        () => rmSync(at("new ü.txt")),
        // as it was at first
        () => {
          rmSync(at("folder"))
          write(top, { gone: "x", "folder/f": "f" })
        }
      ]
      const found = yield* worked(project, works)
      for (const [i, { byGit, trees }] of found.entries())
        assert.strictEqual(treeOf(project, trees?.after?.commit), byGit, `work ${i}`)
      assert.strictEqual(ownOf(project), before)
    })
  )

  it.effect("is as git keeps files that it converts", () =>
    Effect.gen(function* () {
      const project = yield* repository({ ...files, ".gitattributes": "*.txt text eol=crlf\n*.up filter=up\n" })
      const { top } = project
      git(top, "config", "filter.up.clean", "tr a-z A-Z")
      const [lines, filtered] = yield* worked(project, [
        () => writeFileSync(Path.join(top, "crlf.txt"), "one\r\ntwo\r\n"),
        () => write(top, { "x.up": "shout\n" })
      ])
      assert.strictEqual(treeOf(project, lines?.trees?.after?.commit), lines?.byGit)
      assert.strictEqual(treeOf(project, filtered?.trees?.after?.commit), filtered?.byGit)
      assert.strictEqual(git(top, "show", `${filtered?.trees?.after?.commit}:x.up`), "SHOUT\n")
    })
  )

  it.effect("goes on over commits that are made meanwhile, and in a repository without any", () =>
    Effect.gen(function* () {
      const project = yield* repository(files)
      const { top } = project
      const commit = (message: string) => {
        git(top, "add", "a.txt", "b")
        git(top, "commit", "--quiet", "--message", message)
      }
      const found = yield* worked(project, [
        () => write(top, { "a.txt": "one\n" }),
        () => commit("one"),
        () => {
          write(top, { "b/c.txt": "two\n", other: "o\n" })
          commit("two")
        },
        () => git(top, "reset", "--quiet", "--hard", "HEAD~2")
      ])
      for (const [i, { byGit, trees }] of found.entries())
        assert.strictEqual(treeOf(project, trees?.after?.commit), byGit, `work ${i}`)
      rmSync(Path.join(top, ".git"), { recursive: true })
      git(top, "init", "--quiet")
      const [first] = yield* worked(project, [() => write(top, { first: "1\n" })])
      assert.strictEqual(treeOf(project, first?.trees?.after?.commit), first?.byGit)
    })
  )

  it.effect("is kept only where something has changed, with what others have changed before apart", () =>
    Effect.gen(function* () {
      const project = yield* repository(files)
      const { top } = project
      const nothing = () => {}
      const [idle, first, , again] = yield* worked(
        project,
        [nothing, () => write(top, { x: "1\n" }), nothing, () => write(top, { x: "3\n" })],
        [nothing, nothing, nothing, () => write(top, { x: "2\n" })]
      )
      assert.isUndefined(idle?.trees)
      assert.isUndefined(first?.trees?.before)
      const at = (tree: AttemptTrees["after"]) => git(top, "show", `${tree?.commit}:x`)
      assert.deepStrictEqual([first?.trees?.after, again?.trees?.before, again?.trees?.after].map(at), [
        "1\n",
        "2\n",
        "3\n"
      ])
      assert.strictEqual(git(top, "rev-list", "--count", "refs/proofline/_trees/run_1"), "3\n")
    })
  )

  it.effect("is told as not kept where git cannot keep it, and no report of that is left in the repository", () =>
    Effect.gen(function* () {
      const project = yield* repository(files)
      const { top } = project
      const kept = () => git(top, "for-each-ref", "--format=%(objectname)", "refs/proofline").trim()
      const [, lost] = yield* worked(
        project,
        [() => write(top, { "a.txt": "one\n" }), () => write(top, { "a.txt": "two\n" })],
        // the next one is made from it
        [() => {}, () => rmSync(Path.join(top, ".git/objects", kept().replace(/^../, "$&/")))]
      )
      assert.match(lost?.trees?.problem ?? "", /^`git [\w-]+ .*` ended with exit code 128: /)
      assert.deepStrictEqual(
        readdirSync(Path.join(top, ".git")).filter((name) => name.startsWith("fast_import_crash")),
        []
      )
    })
  )

  it.effect("leaves repositories within the project out, and says so", () =>
    Effect.gen(function* () {
      const project = yield* repository(files)
      const { top } = project
      const [found] = yield* worked(project, [
        () => {
          write(top, { "lib/own.txt": "own\n", x: "1\n" })
          git(Path.join(top, "lib"), "init", "--quiet")
        }
      ])
      assert.deepStrictEqual(found?.trees?.left_out, ["lib/"])
      assert.strictEqual(git(top, "ls-tree", "--name-only", found?.trees?.after?.commit ?? "", "x", "lib"), "x\n")
    })
  )

  it.effect("is kept beside those of another process, whoever comes first", () =>
    Effect.gen(function* () {
      const project = yield* repository(files)
      const { top } = project
      const one = (task: string, isFirst: boolean, work: Effect.Effect<unknown, unknown>) =>
        use(project, ({ open }) =>
          Effect.flatMap(open(place(task, shared)), (workspace) =>
            workspace.watched(work, { isFirst, steps: Stream.never, told: () => 0 })
          )
        )
      const write_ = (name: string) => Effect.sync(() => write(top, { [name]: `${name}\n` }))
      const [[, inner], { trees: outer }] = yield* Effect.map(
        one(
          "outer",
          true,
          // what another process has added is found, and built on
          Effect.andThen(write_("outer"), one("inner", false, write_("inner")))
        ),
        ([inner, outer]) => [inner as readonly [unknown, { readonly trees?: AttemptTrees }], outer] as const
      )
      assert.strictEqual(treeOf(project, outer?.after?.commit), treeByGit(project))
      const chain = git(top, "rev-list", "refs/proofline/_trees/run_1").trim().split("\n")
      assert.include(chain, inner.trees?.after?.commit)
      assert.strictEqual(chain[0], outer?.after?.commit)
      assert.notStrictEqual(statusOf(project), "")
    })
  )
})
