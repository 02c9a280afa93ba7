import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, assert } from "vitest"
import { git, gitBytes } from "../../../packages/plugins/src/git/run.ts"
import { begin, isAlive, git as plainly, until, write } from "../repositories.ts"

const root = mkdtempSync(Path.join(tmpdir(), "proofline-git-"))
const escaped = Path.join(root, "escaped")
afterAll(() => {
  for (const pid of readFileSync(escaped, "utf8").split("\n").filter(Boolean)) {
    if (isAlive(Number(pid))) process.kill(Number(pid), "SIGKILL")
  }
  rmSync(root, { recursive: true, force: true })
})

/**
 * A repository whose filter leaves a process behind, in a session of its own, which does what `left` says and keeps those
 * outputs that are not redirected; then it does `then`.
 */
const withFilter = (name: string, then: string, { left = "exec sleep 600", redirected = ">/dev/null" } = {}) => {
  const dir = Path.join(root, name)
  const at = (file: string) => Path.join(dir, file)
  begin(dir, { "a.txt": "a\n", ".gitignore": "pid*\nbegun\nfilter\ngo\nfilter.sh\n" })
  write(dir, {
    "filter.sh": `#!/bin/sh\necho $$ > ${at("filter")}
setsid sh -c 'echo $$ >> ${escaped}; echo $$ > ${at("pid.part")}; mv ${at("pid.part")} ${at("pid")}; ${left}' ${redirected} &
while [ ! -e ${at("pid")} ]; do sleep 0.01; done\n: > ${at("begun")}\n${then}\n`,
    ".git/info/attributes": "*.txt filter=leaves\n",
    "b.txt": "b\n"
  })
  for (const way of ["clean", "smudge"]) plainly(dir, "config", `filter.leaves.${way}`, at("filter.sh"))
  const pidIn = (file: string) => Number(readFileSync(at(file), "utf8"))
  return {
    dir,
    go: () => writeFileSync(at("go"), ""),
    left: () => pidIn("pid"),
    hasBegun: () => existsSync(at("begun")),
    hasEnded: () => existsSync(at("begun")) && !isAlive(pidIn("filter"))
  }
}

/** Lets so many looks at a git go by. */
const looks = (count: number) => Effect.repeat(TestClock.adjust("5 seconds"), { times: count - 1 })

describe("given a filter that leaves a process behind, which holds the standard error of git", () => {
  it.live("then git has answered when it has ended, with all that it printed", () =>
    Effect.gen(function* () {
      const { dir, left } = withFilter("leaves", "cat")
      yield* git(dir, ["add", "b.txt"])
      assert.isTrue(isAlive(left()))
      assert.strictEqual(yield* git(dir, ["show", ":b.txt"]), "b\n")
    })
  )

  it.live("when it is interrupted then it ends, whoever goes on", () =>
    Effect.gen(function* () {
      const { dir, hasBegun, left } = withFilter("interrupted", "trap '' TERM; while :; do sleep 1; done")
      const adding = yield* Effect.forkChild(git(dir, ["add", "b.txt"]))
      yield* until(hasBegun)
      yield* Fiber.interrupt(adding)
      assert.isTrue(isAlive(left()))
    })
  )
})

describe("given a filter that ends and leaves a process behind, which holds the output that git reads", () => {
  for (const args of [
    ["add", "b.txt"],
    // git lets another git do it
    ["worktree", "add", "elsewhere"]
  ])
    it.effect.skipIf(process.platform !== "linux")(
      `when that is read by \`git ${args[0]}\` then it is ended after a minute, and it is said who held it`,
      () =>
        Effect.gen(function* () {
          const { dir, hasEnded, left } = withFilter(`held-${args[0]}`, "cat", { redirected: "" })
          const held = yield* Effect.forkChild(Effect.flip(git(dir, args)))
          yield* until(hasEnded)
          yield* looks(14)
          const { message, reason } = yield* Fiber.join(held)
          assert.strictEqual(reason, "slow")
          assert.include(message, `\`git ${args[0]} ${args[1]}\` waits for process ${left()} (sleep), which a filter`)
        })
    )

  it.effect("when that writes the rest of it later then nothing of it is missing", () =>
    Effect.gen(function* () {
      const rest = `while [ ! -e ${Path.join(root, "later", "go")} ]; do sleep 0.01; done; echo rest`
      const { dir, go, hasEnded } = withFilter("later", "echo first", { left: rest, redirected: "" })
      const adding = yield* Effect.forkChild(git(dir, ["add", "b.txt"]))
      yield* until(hasEnded)
      yield* looks(10)
      go()
      yield* Fiber.join(adding)
      assert.strictEqual(yield* git(dir, ["show", ":b.txt"]), "first\nrest\n")
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
