import { renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { commitOf, prefixOf } from "@proofline/plugins/adapters/git-receipts"
import { Effect } from "effect"
import { counting, withPath } from "../countedGit.ts"
import { begin, commit, git, room } from "../repositories.ts"

const prefix = (directory: string) =>
  Effect.match(prefixOf(directory), { onFailure: () => null, onSuccess: (it) => it })

/** What git says that nobody has asked before. */
const asked = (directory: string, ...args: ReadonlyArray<string>): string | null => {
  try {
    return git(directory, "rev-parse", ...args).replace(/\n$/, "")
  } catch {
    return null
  }
}

const rooms = room("proofline-remembered-")

describe("what git has said of a repository", () => {
  it.effect("given nothing that changed but files, branches and commits, then it is asked once", () =>
    Effect.gen(function* () {
      const place = yield* rooms
      const top = Path.join(place, "project")
      const id = begin(top, { "app/a.txt": "a\n" })
      const { path, started } = counting(place)
      yield* withPath(
        path,
        Effect.gen(function* () {
          for (const name of ["b", "c", "d"]) {
            expect(yield* prefixOf(Path.join(top, "app"))).toBe("app/")
            expect(yield* commitOf(top, id)).toBe(id)
            writeFileSync(Path.join(top, name), name)
            git(top, "tag", name)
          }
        })
      )
      expect(started()).toBe(2)
    })
  )

  it.effect("given a directory of which another repository takes hold, then git is asked again", () =>
    Effect.gen(function* () {
      const place = yield* rooms
      const [top, app] = [Path.join(place, "project"), Path.join(place, "project/app")]
      begin(top, { "app/deep/a.txt": "a\n" })
      begin(Path.join(place, "other"), { "a.txt": "a\n" })
      const directory = Path.join(place, "link")
      symlinkSync(Path.join(app, "deep"), directory)
      const steps: Readonly<Record<string, () => unknown>> = {
        "as it was": () => {},
        "a repository between": () => git(app, "init", "--quiet"),
        "no longer": () => rmSync(Path.join(app, ".git"), { recursive: true }),
        "a worktree of another": () =>
          git(Path.join(place, "other"), "worktree", "add", "--quiet", Path.join(app, "deep", "w")),
        "that is in its place": () => {
          rmSync(directory)
          symlinkSync(Path.join(app, "deep", "w"), directory)
        },
        "that leads to another": () => writeFileSync(Path.join(app, "deep/w/.git"), `gitdir: ${top}/.git\n`),
        "that leads nowhere": () => writeFileSync(Path.join(app, "deep/w/.git"), `gitdir: ${place}/nowhere\n`),
        "back to the project": () => {
          rmSync(directory)
          symlinkSync(Path.join(app, "deep"), directory)
        },
        "with its files elsewhere": () => git(top, "config", "core.worktree", app),
        "and at home again": () => git(top, "config", "--unset", "core.worktree"),
        "without files": () => git(top, "config", "core.bare", "true"),
        "with files": () => git(top, "config", "core.bare", "false"),
        "without a HEAD": () => renameSync(Path.join(top, ".git/HEAD"), Path.join(top, ".git/head-away")),
        "with one again": () => renameSync(Path.join(top, ".git/head-away"), Path.join(top, ".git/HEAD")),
        "moved away": () => renameSync(Path.join(top, ".git"), Path.join(place, "away")),
        "around all of it": () => renameSync(Path.join(place, "away"), Path.join(place, ".git"))
      }
      const said: Record<string, string | null> = {}
      const expected: Record<string, string | null> = {}
      for (const [name, change] of Object.entries(steps)) {
        change()
        expected[name] = asked(directory, "--show-prefix")
        said[name] = yield* prefix(directory)
        expect(yield* prefix(directory)).toBe(said[name])
      }
      expect(said).toEqual(expected)
      expect(new Set(Object.values(said)).size).toBeGreaterThan(4)
    })
  )

  it.effect("given a commit that is gone, then it is not said to be there", () =>
    Effect.gen(function* () {
      const top = yield* rooms
      const first = begin(top, { "a.txt": "a\n" })
      writeFileSync(Path.join(top, "a.txt"), "b\n")
      const second = commit(top)
      const both = () => Effect.all([commitOf(top, first), commitOf(top, second)])
      expect(yield* both()).toEqual([first, second])
      expect(yield* both()).toEqual([first, second])
      git(top, "reset", "--quiet", "--hard", first)
      git(top, "reflog", "expire", "--expire=now", "--all")
      git(top, "prune", "--expire=now")
      expect(yield* both()).toEqual([first, null])
      // into a pack, and out of it
      git(top, "gc", "--quiet", "--prune=now")
      expect(yield* both()).toEqual([first, null])
      rmSync(Path.join(top, ".git"), { recursive: true })
      begin(top, { "c.txt": "c\n" })
      expect(yield* both()).toEqual([null, null])
    })
  )
})
