import { existsSync, symlinkSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { layer } from "@proofline/plugins/adapters/node-project-files"
import { ProjectFiles } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { begin, git, room, write } from "../repositories.ts"

const pathsOf = (root: string) =>
  ProjectFiles.pipe(
    Effect.flatMap(({ paths }) => paths),
    Effect.provide(layer({ root }))
  )

describe("the paths of a directory", () => {
  it.effect("are those that git knows or would add, without running what the repository configures", () =>
    Effect.gen(function* () {
      const root = yield* room("proofline-paths-")
      begin(root, { "a.txt": "a\n", ".gitignore": "ignored/\n", "inner/b.txt": "b\n" })
      write(root, { "new file.txt": "", "ignored/c.txt": "" })
      write(root, { "hook.sh": `#!/bin/sh\ntouch ${Path.join(root, "ran")}\n` })
      git(root, "config", "core.fsmonitor", Path.join(root, "hook.sh"))
      assert.sameMembers([...(yield* pathsOf(root))], ["a.txt", ".gitignore", "inner/b.txt", "new file.txt", "hook.sh"])
      assert.isFalse(existsSync(Path.join(root, "ran")))
      assert.deepStrictEqual(yield* pathsOf(Path.join(root, "inner")), ["b.txt"])
    }).pipe(Effect.scoped)
  )

  it.effect("are all but dependencies and state without git", () =>
    Effect.gen(function* () {
      const root = yield* room("proofline-paths-")
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
