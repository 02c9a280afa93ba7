import { execFileSync } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Baseline } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"
import { projectPaths } from "../../packages/cli/src/base/paths.ts"
import { makeChanges } from "../../packages/cli/src/serving/changes.ts"
import { project } from "./proofline.ts"

const git = (dir: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: dir, encoding: "utf8" }).trim()

describe("what changed since a commit", () => {
  it.effect("is told as new or gone only where it is, and of what is no text there is no patch", () =>
    Effect.gen(function* () {
      const dir = project({ "edited.sql": "-- x\nselect 1\n", "gone.txt": "a\n", "text.dat": "a\n", "same.txt": "a\n" })
      git(dir, "init", "-q")
      git(dir, "add", ".")
      git(dir, "commit", "-qm", "first")
      const before = { commit: git(dir, "rev-parse", "HEAD") }
      rmSync(Path.join(dir, "gone.txt"))
      writeFileSync(Path.join(dir, "edited.sql"), "select 1\n")
      writeFileSync(Path.join(dir, "text.dat"), Buffer.from([0, 255, 254]))
      writeFileSync(Path.join(dir, "new.txt"), "b\n")
      const names = ["edited.sql", "gone.txt", "text.dat", "same.txt", "new.txt", "never.txt"]
      const changes = makeChanges(projectPaths(dir))
      const found = yield* changes({ before, after: "now", base: null, files: names })
      const shown = found?.files.map(({ added, patch, path, removed }) => [
        path,
        added,
        removed,
        patch?.split("\n").slice(0, 2)
      ])
      assert.deepStrictEqual(shown, [
        ["edited.sql", 0, 1, ["--- a/edited.sql", "+++ b/edited.sql"]],
        ["gone.txt", 0, 1, ["--- a/gone.txt", "+++ /dev/null"]],
        ["text.dat", null, null, undefined],
        ["new.txt", 1, 0, ["--- /dev/null", "+++ b/new.txt"]]
      ])
      assert.include(found?.files[0]?.patch, "\n--- x\n")
      const lost = yield* changes({ before: { commit: "0".repeat(40) }, after: "now", base: null, files: ["same.txt"] })
      assert.deepStrictEqual(lost?.files, [{ path: "same.txt", added: null, removed: null, patch: null }])
    }).pipe(Effect.provide(Layer.mock(Baseline, {})))
  )
})
