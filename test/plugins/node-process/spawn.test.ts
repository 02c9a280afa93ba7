import { execFileSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type ProcessRequest, spawn } from "../../../packages/plugins/src/adapters/node-process/spawn.ts"
import { death, directory, family, familyIn, isAlive, notLinux, pidIn, script, text, written } from "./support.ts"

const LONG = 600_000

const run = (command: string, more: Partial<ProcessRequest> = {}) =>
  spawn({ command, cwd: more.cwd ?? directory(), timeout_ms: LONG, ...more })

const gone = (pids: ReadonlyArray<number>) =>
  assert.deepStrictEqual(
    pids.filter((pid) => isAlive(pid)),
    []
  )

describe("a process that ends by itself", () => {
  it.live("gives its exit code and both streams", () =>
    Effect.gen(function* () {
      const result = yield* run("echo out; echo err >&2; exit 3")
      assert.deepStrictEqual(
        { ...result, duration_ms: 0, stdout: text(result.stdout), stderr: text(result.stderr) },
        { exit_code: 3, signal: null, ended_by: "itself", duration_ms: 0, stdout: "out\n", stderr: "err\n" }
      )
    })
  )

  it.live("gives the signal that ended it", () =>
    Effect.gen(function* () {
      const { exit_code, signal, ended_by } = yield* run("kill -s USR1 $$")
      assert.deepStrictEqual(
        { exit_code, signal, ended_by },
        { exit_code: null, signal: "SIGUSR1", ended_by: "itself" }
      )
    })
  )

  it.live("gets its input, to the end", () =>
    Effect.gen(function* () {
      const input = "line\n".repeat(200_000)
      const result = yield* run("wc -c", { stdin: new TextEncoder().encode(input) })
      assert.strictEqual(text(result.stdout).trim(), String(input.length))
    })
  )

  it.live("may leave its input unread", () =>
    Effect.gen(function* () {
      const result = yield* run("exec 0<&-; echo done", { stdin: new Uint8Array(5_000_000) })
      assert.strictEqual(result.exit_code, 0)
      assert.strictEqual(text(result.stdout), "done\n")
    })
  )

  it.live("has an empty input when there is none", () =>
    Effect.gen(function* () {
      assert.strictEqual(text((yield* run("cat; echo end")).stdout), "end\n")
    })
  )

  it.live("can open its streams by name, as in a terminal", () =>
    Effect.gen(function* () {
      const result = yield* run("cat /dev/stdin > /dev/stdout; echo err > /dev/stderr", {
        stdin: new TextEncoder().encode("in\n")
      })
      assert.deepStrictEqual([text(result.stdout), text(result.stderr)], ["in\n", "err\n"])
    })
  )

  it.live("keeps the order of the two streams when they are merged", () =>
    Effect.gen(function* () {
      const result = yield* run("for i in 1 2 3; do echo out$i; echo err$i >&2; done", { merge_stderr: true })
      assert.strictEqual(text(result.stdout), "out1\nerr1\nout2\nerr2\nout3\nerr3\n")
      assert.strictEqual(result.stderr.length, 0)
    })
  )

  it.live("prints bytes, not text", () =>
    Effect.gen(function* () {
      const result = yield* run(String.raw`printf '\377\000\376'`)
      assert.deepStrictEqual([...result.stdout], [255, 0, 254])
    })
  )

  it.live("may print nothing", () =>
    Effect.gen(function* () {
      const result = yield* run("true")
      assert.deepStrictEqual([result.exit_code, result.stdout.length, result.stderr.length], [0, 0, 0])
    })
  )

  it.live("keeps head and tail of a huge output", () =>
    Effect.gen(function* () {
      const printed = 40_000_000
      const result = yield* run(`echo start; head -c ${printed} /dev/zero; echo end`, { output_limit_bytes: 1_000_000 })
      const output = text(result.stdout)
      assert.isTrue(output.startsWith("start\n"))
      assert.isTrue(output.endsWith("end\n"))
      const cut = printed + "start\nend\n".length - 1_000_000
      assert.include(output, `[... ${cut} bytes cut ...]`)
      assert.isBelow(result.stdout.length, 1_000_100)
    })
  )

  it.live("gives all of a large output that it prints just before its end", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 20; round++) {
        const result = yield* run("head -c 60000 /dev/zero; head -c 60000 /dev/zero >&2")
        assert.deepStrictEqual([result.stdout.length, result.stderr.length], [60_000, 60_000])
      }
    })
  )

  it.live("may close its output and go on", () =>
    Effect.gen(function* () {
      const folder = directory()
      const result = yield* run(`exec >&- 2>&-; echo worked > "${folder}/done"; exit 4`)
      assert.strictEqual(result.exit_code, 4)
      assert.strictEqual(yield* written(join(folder, "done")), "worked")
    })
  )

  it.live("adds to our environment and takes from it", () =>
    Effect.gen(function* () {
      const result = yield* run('echo "$ADDED $HOME ."', { env: { ADDED: "a b", HOME: undefined } })
      assert.strictEqual(text(result.stdout), "a b  .\n")
    })
  )

  it.live("leaves no file of ours behind", () =>
    Effect.gen(function* () {
      const folder = directory()
      const cwd = directory()
      const before = process.env["TMPDIR"]
      process.env["TMPDIR"] = folder
      yield* Effect.ensuring(
        run("cat", { cwd, stdin: new TextEncoder().encode("x") }),
        Effect.sync(() => {
          if (before === undefined) delete process.env["TMPDIR"]
          else process.env["TMPDIR"] = before
        })
      )
      // pipes may be made there for later: their directory goes when they are made
      for (let asked = 0; readdirSync(folder).length > 0 && asked < 500; asked++) yield* Effect.sleep(10)
      assert.deepStrictEqual(readdirSync(folder), [])
    })
  )
})

describe("a process that cannot start", () => {
  it.live("says that the directory does not exist", () =>
    Effect.gen(function* () {
      const cwd = join(directory(), "none")
      const error = yield* Effect.flip(run("true", { cwd }))
      assert.deepStrictEqual(
        [error.reason, error.message],
        ["directory_missing", `The directory ${cwd} does not exist.`]
      )
    })
  )

  it.live("says that the directory is none", () =>
    Effect.gen(function* () {
      const cwd = script(directory(), "file", "sh", "")
      assert.strictEqual((yield* Effect.flip(run("true", { cwd }))).reason, "directory_missing")
    })
  )

  it.live("says that there is no such shell", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(run("true", { shell: "/no/such/shell" }))
      assert.deepStrictEqual(
        [error.reason, error.message],
        ["shell_missing", "The shell /no/such/shell could not be started (ENOENT)."]
      )
    })
  )

  it.live("says that command and environment are too long", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(run("true", { env: { LONG: "x".repeat(4_000_000) } }))
      assert.strictEqual(error.reason, "too_long")
    })
  )

  it.live("says so in the shell's words when there is no such program", () =>
    Effect.gen(function* () {
      const result = yield* run("no-such-program-at-all")
      assert.strictEqual(result.exit_code, 127)
      assert.match(text(result.stderr), /^sh: .*no-such-program-at-all/)
    })
  )
})

describe("what a process leaves behind", () => {
  it.live("is killed when it ends, also what ignores TERM and holds its pipes", () =>
    Effect.gen(function* () {
      const folder = directory()
      const result = yield* run(
        `sh -c 'trap "" TERM HUP INT; echo $$ > "${folder}/left"; while :; do sleep 1000; done' &
while ! [ -s "${folder}/left" ]; do :; done; echo done`
      )
      gone([yield* pidIn(join(folder, "left"))])
      assert.deepStrictEqual([result.exit_code, text(result.stdout)], [0, "done\n"])
    })
  )

  it.live.skipIf(notLinux)("does not hold us when it escaped with the pipes", () =>
    Effect.gen(function* () {
      const folder = directory()
      const result = yield* run(
        `setsid sh -c 'echo $$ > "${folder}/escaped"; while :; do echo noise; done' &
while ! [ -s "${folder}/escaped" ]; do :; done; exit 5`
      )
      assert.strictEqual(result.exit_code, 5)
      // Its pipe has no reader any more.
      yield* death(yield* pidIn(join(folder, "escaped")))
    })
  )
})

describe("the watcher", () => {
  it.live("is no child, no job and no open file of the command", () =>
    Effect.gen(function* () {
      const program = script(
        directory(),
        "look.cjs",
        "node",
        `const lines = require("node:child_process").execFileSync("ps", ["-A", "-o", "ppid=,args="], { encoding: "utf8" }).split("\\n")
console.log(lines.map((line) => line.trim()).filter((line) => line.startsWith(process.pid + " ")).map((line) => line.split(" ").slice(1, 2).join()).join())`
      )
      const result = yield* run(
        `jobs; echo "last=[$!]"; wait; echo "wait=$?"; (: <&3) 2>/dev/null && echo open; exec "${program}"`
      )
      assert.strictEqual(text(result.stdout), "last=[]\nwait=0\nps\n")
    })
  )

  it.live("does not repeat the command in the list of processes", () =>
    Effect.gen(function* () {
      // what a shell starts looks like the shell until it has taken its place, so it is looked at until that has passed
      const count = "list=$(ps -A -o args=); n=$(printf '%s\\n' \"$list\" | grep -c '[a]-word-only-here')"
      const loop = `i=0; n=0; while [ $n != 1 ] && [ $i -lt 50 ]; do i=$((i + 1)); ${count}; done; echo $n`
      const result = yield* run(`: a-word-only-here; ${loop}`)
      assert.strictEqual(text(result.stdout).trim(), "1")
    })
  )

  it.live("is gone when the command has ended", () =>
    Effect.gen(function* () {
      const result = yield* run("echo $$")
      const members = execFileSync("ps", ["-A", "-o", "pgid=,stat="], { encoding: "utf8" })
        .split("\n")
        .map((line) => line.trim().split(/\s+/))
        .filter(([group, state]) => group === text(result.stdout).trim() && !state?.startsWith("Z"))
      assert.deepStrictEqual(members, [])
    })
  )
})

describe("a limit", () => {
  it.effect("ends the process and all that it started", () =>
    Effect.gen(function* () {
      const folder = directory()
      const fiber = yield* Effect.forkChild(run(`${family(folder)}; echo working; wait`, { timeout_ms: 60_000 }))
      const pids = yield* familyIn(folder)
      yield* TestClock.adjust(60_000)
      const result = yield* Fiber.join(fiber)
      gone(pids)
      assert.deepStrictEqual([result.ended_by, result.signal], ["timeout", "SIGTERM"])
      assert.strictEqual(text(result.stdout), "working\n")
    })
  )

  it.effect("lets the process end itself upon TERM, in its own way", () =>
    Effect.gen(function* () {
      const folder = directory()
      const fiber = yield* Effect.forkChild(
        run(`trap 'echo saved; exit 7' TERM; echo $$ > "${folder}/agent"; while :; do sleep 0.01; done`, {
          timeout_ms: 60_000
        })
      )
      yield* written(join(folder, "agent"))
      yield* TestClock.adjust(60_000)
      const result = yield* Fiber.join(fiber)
      assert.deepStrictEqual([result.ended_by, result.exit_code], ["timeout", 7])
      assert.include(text(result.stdout), "saved\n")
    })
  )

  it.effect("kills what ignores TERM", () =>
    Effect.gen(function* () {
      const folder = directory()
      const fiber = yield* Effect.forkChild(
        run(`trap '' TERM; ${family(folder)}; while :; do sleep 1000; done`, { timeout_ms: 60_000, grace_ms: 50 })
      )
      const pids = yield* familyIn(folder)
      yield* TestClock.adjust(60_000)
      const result = yield* Fiber.join(fiber)
      gone(pids)
      assert.deepStrictEqual([result.ended_by, result.signal], ["timeout", "SIGKILL"])
    })
  )

  it.effect.skipIf(notLinux)("gives the grace to those behind a shell that dies at once", () =>
    Effect.gen(function* () {
      const folder = directory()
      const worker = script(
        folder,
        "worker.cjs",
        "node",
        `process.on("SIGTERM", () => setTimeout(() => { require("node:fs").writeFileSync("${folder}/saved", "yes\\n"); process.exit(0) }, 200))
setInterval(() => {}, 1000)
require("node:fs").writeFileSync("${folder}/ready", "yes\\n")`
      )
      const fiber = yield* Effect.forkChild(run(`"${worker}"; true`, { timeout_ms: 60_000, grace_ms: 30_000 }))
      yield* written(join(folder, "ready"))
      yield* TestClock.adjust(60_000)
      const result = yield* Fiber.join(fiber)
      assert.strictEqual(result.signal, "SIGTERM")
      assert.strictEqual(yield* written(join(folder, "saved")), "yes")
    })
  )

  it.effect("of silence counts from the last output", () =>
    Effect.gen(function* () {
      const folder = directory()
      const until = (name: string) => `while ! [ -e "${folder}/${name}" ]; do sleep 0.01; done`
      const spoke = Promise.withResolvers<void>()
      const fiber = yield* Effect.forkChild(
        run(`echo 1 > "${folder}/one"; ${until("speak")}; echo still here; ${until("leave")}`, {
          idle_timeout_ms: 10_000,
          on_output: () => spoke.resolve()
        })
      )
      yield* written(join(folder, "one"))
      yield* TestClock.adjust(9_999)
      script(folder, "speak", "sh", "")
      yield* Effect.promise(() => spoke.promise)
      yield* TestClock.adjust(9_999)
      script(folder, "leave", "sh", "")
      const result = yield* Fiber.join(fiber)
      assert.deepStrictEqual([result.ended_by, text(result.stdout)], ["itself", "still here\n"])
    })
  )

  it.effect("of silence ends the process", () =>
    Effect.gen(function* () {
      const folder = directory()
      const fiber = yield* Effect.forkChild(run(`${family(folder)}; wait`, { idle_timeout_ms: 10_000 }))
      const pids = yield* familyIn(folder)
      yield* TestClock.adjust(10_000)
      assert.strictEqual((yield* Fiber.join(fiber)).ended_by, "idle")
      gone(pids)
    })
  )
})

describe("an interruption", () => {
  it.live("completes only when everything is gone", () =>
    Effect.gen(function* () {
      const folder = directory()
      const fiber = yield* Effect.forkChild(run(`${family(folder)}; wait`))
      const pids = yield* familyIn(folder)
      yield* Fiber.interrupt(fiber)
      gone(pids)
    })
  )

  it.live("also ends what ignores TERM", () =>
    Effect.gen(function* () {
      const folder = directory()
      const fiber = yield* Effect.forkChild(
        run(`trap '' TERM INT HUP; ${family(folder)}; while :; do sleep 1000; done`, { grace_ms: 50 })
      )
      const pids = yield* familyIn(folder)
      yield* Fiber.interrupt(fiber)
      gone(pids)
    })
  )

  it.live("before the start leaves nothing", () =>
    Effect.gen(function* () {
      const folder = directory()
      for (let round = 0; round < 10; round++) {
        const fiber = yield* Effect.forkChild(run(`echo $$ > "${folder}/${round}"; exec sleep 1000`, { grace_ms: 50 }))
        yield* Fiber.interrupt(fiber)
      }
      gone(yield* Effect.all(readdirSync(folder).map((name) => pidIn(join(folder, name)))))
    })
  )
})
