import { existsSync, mkdirSync, rmSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  aggregate,
  close,
  closed,
  contentOf,
  directory,
  git,
  leftOf,
  open,
  ownOf,
  repository,
  shell,
  subtask,
  write
} from "./support.ts"

const placeOf = ({ stateDir }: { readonly stateDir: string }, name: string) =>
  Path.join(stateDir, "worktrees/run_1", name)

describe("closing a run", () => {
  it.live("removes its worktrees and refs, and nothing of the user's or of another run", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n" })
      const own = Path.join(project.room, "own")
      git(project.top, "worktree", "add", "--quiet", "--detach", own)
      git(project.top, "worktree", "add", "--quiet", "--detach", Path.join(project.room, "unplugged"))
      rmSync(Path.join(project.room, "unplugged"), { recursive: true })
      const before = [ownOf(project), leftOf(project)]
      yield* subtask(project, "p-sub-1", (folder) => write(folder, { "b.txt": "b\n", "closed/c.txt": "c\n" }))
      yield* open(project, "p-sub-2")
      yield* aggregate(project, ["p-sub-1"])
      const other = yield* open(project, "q", { run_id: "run_2", parent_task_id: "q" })
      const content = contentOf(project.root)
      assert.deepStrictEqual(yield* close(project), [])
      assert.deepStrictEqual(contentOf(project.root), content)
      assert.strictEqual(git(other.directory, "status", "--porcelain"), "")
      assert.isFalse(existsSync(placeOf(project, "")))
      git(project.top, "worktree", "remove", other.directory)
      rmSync(Path.join(project.stateDir, "worktrees/run_2"), { recursive: true })
      git(project.top, "update-ref", "-d", "refs/proofline/run_2/q/base")
      git(project.top, "update-ref", "-d", "refs/proofline/run_2/q/q.start")
      assert.deepStrictEqual([ownOf(project), leftOf(project)], before)
      assert.deepStrictEqual(yield* close(project), [])
    })
  )

  it.live("leaves the head of the run, for which room is made where it has ended before", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n" })
      const blob = git(project.top, "hash-object", "-w", "a.txt").trim()
      git(project.top, "update-ref", "refs/proofline/run_1", blob)
      git(project.top, "pack-refs", "--all")
      yield* subtask(project, "p-sub-1", (folder) => write(folder, { "b.txt": "b\n" }))
      const head = () => git(project.top, "rev-parse", "refs/proofline/run_1/_head").trim()
      assert.strictEqual(head(), blob)
      yield* aggregate(project, ["p-sub-1"])
      assert.deepStrictEqual(yield* close(project), [])
      assert.strictEqual(head(), blob)
      assert.strictEqual(
        git(project.top, "for-each-ref", "--format=%(refname)", "refs/proofline/run_1").trim(),
        "refs/proofline/run_1/_head"
      )
    })
  )

  it.live("leaves what holds work that was not kept, or is locked, and names it", () =>
    Effect.gen(function* () {
      const project = yield* repository({ ".gitignore": "*.log\n", "a.txt": "a\n" })
      const write1 = (text: string) => (folder: string) => write(folder, { "a.txt": text })
      for (const name of ["kept", "changed", "deleted", "locked", "nested", "untracked", "staged", "ignored"])
        yield* subtask(project, name, write1(`${name}\n`))
      write(placeOf(project, "changed"), { "a.txt": "CHANGED\n" })
      rmSync(Path.join(placeOf(project, "deleted"), "a.txt"))
      git(project.top, "worktree", "lock", placeOf(project, "locked"))
      write(placeOf(project, "nested"), { "own/x.txt": "x\n" })
      git(Path.join(placeOf(project, "nested"), "own"), "init", "--quiet")
      write(placeOf(project, "untracked"), { "new.txt": "n\n" })
      write(placeOf(project, "staged"), { "new.txt": "n\n" })
      git(placeOf(project, "staged"), "add", "new.txt")
      write(placeOf(project, "ignored"), { "x.log": "log\n" })
      mkdirSync(placeOf(project, "somebody's"))
      const stay = yield* close(project)
      const names = ["changed", "deleted", "locked", "nested", "somebody's", "staged", "untracked"]
      assert.deepStrictEqual(
        stay.map((sentence) => names.find((name) => sentence.includes(`${placeOf(project, name)} stays`))),
        names
      )
      const why = (name: string) =>
        name === "locked"
          ? "because it is locked. Unlock it with `git worktree unlock`, then remove it with `git worktree remove`."
          : `because it holds work${name === "nested" ? " in own/" : ""} that was not kept. Look at it, then remove it with \`git worktree remove --force\`.`
      for (const [i, name] of names.entries()) assert.include(stay[i], why(name))
      for (const name of names) assert.isTrue(existsSync(placeOf(project, name)))
      for (const name of ["kept", "ignored"]) assert.isFalse(existsSync(placeOf(project, name)))
      assert.isNotEmpty(git(project.top, "for-each-ref", "refs/proofline/run_1"))
      git(project.top, "worktree", "unlock", placeOf(project, "locked"))
      for (const name of names.filter((name) => name !== "locked")) rmSync(placeOf(project, name), { recursive: true })
      assert.deepStrictEqual(yield* close(project), [])
      assert.deepStrictEqual(
        leftOf(project).filter((name) => !name.startsWith("proofline-worktree-")),
        []
      )
    })
  )

  it.live("names what git ignores of what it removes, but no installed packages and no caches", () =>
    Effect.gen(function* () {
      const ignored = "dist/\nsecret.env\nnode_modules/\n__pycache__/\n.venv2/\n*.log\n"
      const project = yield* repository({ ".gitignore": ignored, "a.txt": "a\n" }, "below")
      write(project.top, { "node_modules/p/index.js": "", "dist/old.js": "" })
      yield* subtask(project, "p-sub-1", (folder) => {
        write(folder, { "dist/app.js": "built\n", "dist/more/b.js": "built\n", "secret.env": "S=1\n" })
        write(folder, { "node_modules/p/index.js": "", "lib/__pycache__/x.pyc": "", ".venv2/pyvenv.cfg": "" })
      })
      yield* subtask(project, "p-sub-2", (folder) => write(folder, { "dist/app.js": "", "b.txt": "b\n" }))
      yield* subtask(project, "p-sub-3", (folder) => write(folder, { "c.txt": "c\n" }))
      // what stays is not removed
      yield* subtask(project, "p-sub-4", (folder) => write(folder, { "x.log": "" }))
      write(placeOf(project, "p-sub-4"), { "later.txt": "" })
      const { removed, stays } = yield* closed(project)
      assert.lengthOf(stays, 1)
      assert.deepStrictEqual(removed, [
        "What git ignores is not brought into the project, and was removed with the worktrees: dist/ (p-sub-1, p-sub-2), secret.env (p-sub-1)."
      ])
      rmSync(placeOf(project, "p-sub-4"), { recursive: true })
      assert.deepStrictEqual(yield* closed(project), { stays: [], removed: [] })
    })
  )

  it.live("names the first of many that git ignores", () =>
    Effect.gen(function* () {
      const project = yield* repository({ ".gitignore": "*.log\n", "a.txt": "a\n" })
      const names = Array.from({ length: 12 }, (_, i) => `${i + 10}.log`)
      yield* subtask(project, "p-sub-1", (folder) => write(folder, Object.fromEntries(names.map((name) => [name, ""]))))
      const { removed } = yield* closed(project)
      assert.lengthOf(removed, 1)
      assert.include(removed[0], ": 10.log (p-sub-1), 11.log")
      assert.include(removed[0], "19.log (p-sub-1) and 2 more.")
    })
  )

  it.live("leaves what holds work in a submodule, which no commit of the project can hold, and names that", () =>
    Effect.gen(function* () {
      const commit = "git -c user.name=A -c user.email=a@example.org commit --quiet --allow-empty --message made"
      const library = yield* repository({ "s.txt": "s\n" })
      git(library.top, "tag", "v1")
      shell(library.top, commit)
      const project = yield* repository({ "a.txt": "a\n" })
      const file = ["-c", "protocol.file.allow=always", "submodule", "--quiet"]
      git(project.top, ...file, "add", library.top, "lib")
      git(project.top, "commit", "--quiet", "--message", "lib")
      const brought = (folder: string) => git(folder, ...file, "update", "--init")
      const works: Readonly<Record<string, (folder: string) => void>> = {
        empty: () => {},
        unchanged: brought,
        written: (folder) => write(folder, { "lib/new.txt": "n\n" }),
        changed: (folder) => {
          brought(folder)
          write(folder, { "lib/s.txt": "S\n" })
        },
        untracked: (folder) => {
          brought(folder)
          write(folder, { "lib/new.txt": "n\n" })
        },
        committed: (folder) => {
          brought(folder)
          shell(Path.join(folder, "lib"), commit)
        },
        branched: (folder) => {
          brought(folder)
          shell(
            Path.join(folder, "lib"),
            `git checkout --quiet -b side && ${commit} && git checkout --quiet --detach -`
          )
        },
        moved: (folder) => {
          brought(folder)
          git(Path.join(folder, "lib"), "checkout", "--quiet", "--detach", "v1")
        }
      }
      for (const [name, work] of Object.entries(works)) yield* subtask(project, name, work)
      const names = Object.keys(works).filter((name) => name !== "empty" && name !== "unchanged")
      const stay = yield* close(project)
      assert.deepStrictEqual(
        stay.toSorted(),
        names
          .map((name) => placeOf(project, name))
          .map(
            (top) =>
              `The worktree ${top} stays, because it holds work in lib/ that was not kept. Look at it, then remove it with \`git worktree remove --force\`.`
          )
          .toSorted()
      )
      for (const name of Object.keys(works))
        assert.strictEqual(existsSync(placeOf(project, name)), names.includes(name), name)
      for (const name of names) git(project.top, "worktree", "remove", "--force", placeOf(project, name))
      assert.deepStrictEqual(yield* close(project), [])
      assert.deepStrictEqual(leftOf(project), [])
    })
  )

  it.live("has nothing to do where no worktree ever was, with a repository or without", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* close(yield* directory()), [])
      const project = yield* repository({ "a.txt": "a\n" })
      assert.deepStrictEqual(yield* close(project), [])
      assert.deepStrictEqual(leftOf(project), [])
    })
  )

  it.live("says so where the repository cannot be asked any more", () =>
    Effect.gen(function* () {
      const project = yield* repository({ "a.txt": "a\n" })
      yield* open(project, "p-sub-1")
      rmSync(Path.join(project.top, ".git"), { recursive: true })
      const stay = yield* close(project)
      assert.lengthOf(stay, 1)
      assert.include(stay[0], "run_1 stay")
    })
  )
})
