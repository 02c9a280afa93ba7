import { once } from "node:events"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { beforeEach } from "vitest"
import { type ProcessRequest, spawn } from "../../../packages/plugins/src/adapters/node-process/spawn.ts"
import { type Child, startChild } from "../../../packages/plugins/src/processes/child.ts"
import { openPipes } from "../../../packages/plugins/src/processes/pipes.ts"
import { beginStarter, readyStarter } from "../../../packages/plugins/src/processes/starter.ts"
import { death, directory, family, familyIn, isAlive, notLinux, parentOf, text } from "../node-process/support.ts"

const run = (command: string, more: Partial<ProcessRequest> = {}) =>
  spawn({ command, cwd: "/", timeout_ms: 600_000, ...more })

/** The process that starts programs for us. */
const starterPid = Effect.map(run("echo $PPID"), ({ stdout }) => Number(text(stdout)))

const said = async (child: Child): Promise<string> => {
  const chunks: Array<Buffer> = []
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk))
  await once(child, "close")
  return Buffer.concat(chunks).toString()
}

describe.skipIf(notLinux)("a process that starts programs for us", () => {
  beforeEach(async () => {
    await beginStarter()
    // so that there are pipes for what is started at once
    for (const { read } of (await openPipes(1)) ?? []) read.destroy()
    assert.isNotNull(readyStarter())
  })

  it.live("is their parent, and each leads a group of its own", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run("echo $PPID $$; ps -o pgid= -p $$")
      const [parent, pid, group] = text(stdout).trim().split(/\s+/).map(Number)
      assert.notStrictEqual(parent, process.pid)
      assert.strictEqual(parentOf(parent ?? 0), process.pid)
      assert.strictEqual(group, pid)
    })
  )

  it.live("tells how they end", () =>
    Effect.gen(function* () {
      const results = yield* Effect.all(
        ["exit 0", "exit 137", "kill -s KILL $$", "kill -s USR1 $$"].map((command) => run(command)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        results.map(({ exit_code, signal }) => exit_code ?? signal),
        [0, 137, "SIGKILL", "SIGUSR1"]
      )
    })
  )

  it.live("gives them our pipes: all that is written and read goes through", () =>
    Effect.gen(function* () {
      const input = "line\n".repeat(200_000)
      const { stderr, stdout } = yield* run("cat; echo err > /dev/stderr", { stdin: new TextEncoder().encode(input) })
      assert.strictEqual(text(stdout), input)
      assert.strictEqual(text(stderr), "err\n")
    })
  )

  it.live("starts what is told nothing more before it runs", () =>
    Effect.gen(function* () {
      const start = () => startChild("cat", [], { cwd: "/", env: process.env, stdio: ["pipe", "pipe", "ignore"] })
      const words = yield* Effect.promise(() =>
        Promise.all(
          ["a", "b", "c"].map((word) => {
            const child = start()
            child.stdin?.end(word)
            return said(child)
          })
        )
      )
      assert.deepStrictEqual(words, ["a", "b", "c"])
    })
  )

  it.live("gives them the environment as it is now", () =>
    Effect.gen(function* () {
      process.env["PROOFLINE_TEST_LATE"] = "late"
      const env = { ADDED: "a b\n'c'", HOME: undefined }
      const { stdout } = yield* run(
        'printf "%s|%s|%s" "$PROOFLINE_TEST_LATE" "$ADDED" "$(env | grep -cE "^(HOME|NODE_CHANNEL_FD)=")"',
        { env }
      ).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            delete process.env["PROOFLINE_TEST_LATE"]
          })
        )
      )
      assert.strictEqual(text(stdout), "late|a b\n'c'|0")
    })
  )

  it.live("says why one cannot start", () =>
    Effect.gen(function* () {
      const errors = yield* Effect.all([
        Effect.flip(run("true", { cwd: join(directory(), "none") })),
        Effect.flip(run("true", { shell: "/no/such/shell" })),
        Effect.flip(run("true", { env: { LONG: "x".repeat(4_000_000) } }))
      ])
      assert.deepStrictEqual(
        errors.map(({ reason }) => reason),
        ["directory_missing", "shell_missing", "too_long"]
      )
    })
  )

  it.live("given its end before it says what became of a program, then that is told, and no want of room", () =>
    Effect.gen(function* () {
      const starter = yield* starterPid
      process.kill(starter, "SIGSTOP")
      const lost = startChild("true", [], { cwd: "/", env: process.env, stdio: ["ignore", "ignore", "ignore"] })
      const error = once(lost, "error")
      process.kill(starter, "SIGKILL")
      assert.deepInclude((yield* Effect.promise(() => error))[0], { code: "STARTER_ENDED" })
    })
  )

  it.live("given its end, then what it had started ends too, and the next program is started", () =>
    Effect.gen(function* () {
      const starter = yield* starterPid
      const folder = directory()
      const fiber = yield* Effect.forkChild(run(`${family(folder)}\nwait`, { cwd: folder }))
      const pids = yield* familyIn(folder)
      process.kill(starter, "SIGKILL")
      assert.strictEqual((yield* Fiber.join(fiber)).signal, "SIGKILL")
      yield* Effect.all(pids.map(death))
      assert.strictEqual(text((yield* run("echo next")).stdout), "next\n")
      assert.isFalse(isAlive(starter))
    })
  )
})
