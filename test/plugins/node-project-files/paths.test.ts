import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { layer } from "@proofline/plugins/adapters/node-project-files"
import { ProjectFiles } from "@proofline/plugins/ports"
import { Effect } from "effect"

const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t.t", ...args], { cwd, encoding: "utf8" }).trim()

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(Path.join(tmpdir(), "proofline-paths-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
)

const write = (dir: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(Path.dirname(Path.join(dir, name)), { recursive: true })
    writeFileSync(Path.join(dir, name), content)
  }
}

const pathsOf = (root: string) =>
  ProjectFiles.pipe(
    Effect.flatMap(({ paths }) => paths),
    Effect.provide(layer({ root }))
  )

describe("the paths of a directory", () => {
  it.effect("are those that git knows or would add, without running what the repository configures", () =>
    Effect.gen(function* () {
      const root = yield* folder
      git(root, "init", "-q")
      write(root, { "a.txt": "a\n", ".gitignore": "ignored/\n", "inner/b.txt": "b\n" })
      git(root, "add", "-A")
      git(root, "commit", "-qm", "one")
      write(root, { "new file.txt": "", "ignored/c.txt": "" })
      write(root, { "hook.sh": `#!/bin/sh\ntouch ${Path.join(root, "ran")}\n` })
      execFileSync("chmod", ["+x", Path.join(root, "hook.sh")])
      git(root, "config", "core.fsmonitor", Path.join(root, "hook.sh"))
      assert.sameMembers([...(yield* pathsOf(root))], ["a.txt", ".gitignore", "inner/b.txt", "new file.txt", "hook.sh"])
      assert.isFalse(existsSync(Path.join(root, "ran")))
      assert.deepStrictEqual(yield* pathsOf(Path.join(root, "inner")), ["b.txt"])
    }).pipe(Effect.scoped)
  )

  it.effect("are all but dependencies and state without git", () =>
    Effect.gen(function* () {
      const root = yield* folder
      write(root, {
        "a.txt": "",
        "src/deep/b.txt": "",
        "node_modules/m/c.txt": "",
        "src/node_modules/m/c.txt": "",
        ".proofline/state/d.txt": ""
      })
      symlinkSync("/", Path.join(root, "everything"))
      assert.deepStrictEqual(yield* pathsOf(root), ["a.txt", "src/deep/b.txt"])
      assert.deepStrictEqual(yield* pathsOf(Path.join(root, "nowhere")), [])
    }).pipe(Effect.scoped)
  )
})
