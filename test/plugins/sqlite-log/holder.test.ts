import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { hostname } from "node:os"
import { createInterface } from "node:readline"
import { setImmediate as turn } from "node:timers/promises"
import { assert, it } from "vitest"
import { lifeOf, thisProcess } from "../../../packages/plugins/src/adapters/sqlite-log/holder.ts"

it("takes this process for alive, a number that nobody has for dead, and another host's for unknown", () => {
  assert.strictEqual(lifeOf(thisProcess()), "alive")
  assert.strictEqual(lifeOf({ ...thisProcess(), started: null }), "alive")
  // above the largest number Linux gives out
  assert.strictEqual(lifeOf({ pid: 2 ** 22 + 1, host: hostname(), started: null }), "dead")
  assert.strictEqual(lifeOf({ ...thisProcess(), host: "elsewhere.example" }), "unknown")
})

it.skipIf(!existsSync("/proc/self/stat"))("takes a process for dead that has ended and was not collected", async () => {
  // the shell becomes a sleep, which does not collect the child it did not know of
  const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "inherit"] })
  try {
    const { value } = await createInterface({ input: parent.stdout })[Symbol.asyncIterator]().next()
    const pid = Number(value)
    while (readFileSync(`/proc/${parent.pid}/comm`, "utf8") !== "sleep\n") await turn()
    assert.strictEqual(lifeOf({ pid, host: hostname(), started: null }), "alive")
    process.kill(pid, "SIGKILL")
    while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) await turn()
    assert.strictEqual(lifeOf({ pid, host: hostname(), started: null }), "dead")
  } finally {
    parent.kill("SIGKILL")
  }
})
