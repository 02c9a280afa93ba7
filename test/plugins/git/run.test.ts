import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { afterAll, assert } from "vitest"
import { git, gitBytes } from "../../../packages/plugins/src/git/run.ts"
import { begin, git as plainly, write } from "../repositories.ts"

const root = mkdtempSync(Path.join(tmpdir(), "proofline-git-"))
const escaped: Array<number> = []
afterAll(() => {
  for (const pid of escaped) process.kill(pid, "SIGKILL")
  rmSync(root, { recursive: true, force: true })
})

/** A repository whose filter leaves a process behind, in a session of its own and with the standard error of git, then does `then`. */
const withFilter = (name: string, then: string) => {
  const dir = Path.join(root, name)
  const [pid, begun] = [Path.join(dir, "pid"), Path.join(dir, "begun")]
  begin(dir, { "a.txt": "a\n", ".gitignore": "pid\nbegun\nfilter.sh\n" })
  write(dir, {
    "filter.sh": `#!/bin/sh\nsetsid sh -c 'echo $$ > ${pid}.part; mv ${pid}.part ${pid}; exec sleep 600' >/dev/null &\nwhile [ ! -e ${pid} ]; do sleep 0.01; done\n: > ${begun}\n${then}\n`,
    ".gitattributes": "*.txt filter=leaves\n",
    "b.txt": "b\n"
  })
  plainly(dir, "config", "filter.leaves.clean", Path.join(dir, "filter.sh"))
  const left = () => {
    const found = Number(readFileSync(pid, "utf8"))
    escaped.push(found)
    return found
  }
  return { dir, left, hasBegun: () => existsSync(begun) }
}

const lives = (pid: number) => process.kill(pid, 0)

describe("given a filter that leaves a process behind, which holds the standard error of git", () => {
  it.live("then git has answered when it has ended, with all that it printed", () =>
    Effect.gen(function* () {
      const { dir, left } = withFilter("leaves", "cat")
      yield* git(dir, ["add", "b.txt"])
      assert.isTrue(lives(left()))
      assert.strictEqual(yield* git(dir, ["show", ":b.txt"]), "b\n")
    })
  )

  it.live("when it is interrupted then it ends, whoever goes on", () =>
    Effect.gen(function* () {
      const { dir, hasBegun, left } = withFilter("interrupted", "trap '' TERM; while :; do sleep 1; done")
      const adding = yield* Effect.forkChild(git(dir, ["add", "b.txt"]))
      while (!hasBegun()) yield* Effect.sleep(10)
      yield* Fiber.interrupt(adding)
      assert.isTrue(lives(left()))
    })
  )
})

it.live("gives all that git prints, however much", () =>
  Effect.gen(function* () {
    const dir = Path.join(root, "much")
    const much = Buffer.alloc(20_000_000, "what is printed is read to its end\n")
    begin(dir, { "much.bin": much })
    assert.isTrue((yield* gitBytes(dir, ["cat-file", "blob", "HEAD:much.bin"])).equals(much))
  })
)
