import { spawn as startChild } from "node:child_process"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { killLeftovers, type Marker } from "@proofline/plugins/adapters/node-process"
import { Effect } from "effect"
import { holds, markerEnvironment } from "../../../packages/plugins/src/adapters/node-process/leftovers.ts"
import { death, directory, isAlive, notLinux, pidIn } from "./support.ts"

/** A process in a session of its own that carries the marker and would run for ever. Ended by the test's scope. */
const escaped = (marker: Marker) => {
  const file = join(directory(), "pid")
  return Effect.acquireRelease(
    Effect.gen(function* () {
      const child = startChild("/bin/sh", ["-c", `echo $$ > "${file}"; exec sleep 1000`], {
        detached: true,
        stdio: "ignore",
        env: { ...process.env, ...markerEnvironment(marker) }
      })
      child.unref()
      return yield* pidIn(file)
    }),
    (pid) =>
      Effect.sync(() => {
        if (isAlive(pid)) process.kill(pid, "SIGKILL")
      })
  )
}

describe("killLeftovers", () => {
  it("compares whole variables", () => {
    const carries = (environ: string, marker: Marker) => holds(environ, markerEnvironment(marker))
    const environ = "A=1\0PROOFLINE_RUN_ID=run1\0PROOFLINE_TASK_ID=a\0PROOFLINE_ATTEMPT=1\0"
    assert.isTrue(carries(environ, { run_id: "run1" }))
    assert.isTrue(carries(environ, { run_id: "run1", task_id: "a", attempt: 1 }))
    assert.isFalse(carries(environ, { run_id: "run" }))
    assert.isFalse(carries(environ, { run_id: "run1", task_id: "a", attempt: 11 }))
    assert.isFalse(carries(environ, { run_id: "run1", task_id: "a", attempt: 1, role: "work" }))
    assert.isFalse(carries("X=PROOFLINE_RUN_ID=run1\0", { run_id: "run1" }))
  })

  it.live.skipIf(notLinux)("kills what left its group, of this attempt and no other", () =>
    Effect.gen(function* () {
      const run_id = randomUUID()
      const own = yield* escaped({ run_id, task_id: "a", attempt: 1 })
      const others = yield* Effect.all([
        escaped({ run_id, task_id: "a", attempt: 11 }),
        escaped({ run_id, task_id: "a2", attempt: 1 }),
        escaped({ run_id: randomUUID(), task_id: "a", attempt: 1 })
      ])
      assert.strictEqual(yield* killLeftovers({ run_id, task_id: "a", attempt: 1 }), 1)
      yield* death(own)
      assert.deepStrictEqual(others.map(isAlive), [true, true, true])
    })
  )

  it.live.skipIf(notLinux)("kills all that is left of a run", () =>
    Effect.gen(function* () {
      const run_id = randomUUID()
      const pids = yield* Effect.all([
        escaped({ run_id, task_id: "a", attempt: 1 }),
        escaped({ run_id, task_id: "b", attempt: 2 })
      ])
      assert.strictEqual(yield* killLeftovers({ run_id }), 2)
      yield* Effect.all(pids.map(death))
    })
  )

  it.live("finds nothing when nothing is left, and never acts without a run", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* killLeftovers({ run_id: randomUUID() }), 0)
      assert.strictEqual(yield* killLeftovers({ run_id: "" }), 0)
    })
  )

  it.live.skipIf(notLinux)("spares itself and those above it", () =>
    Effect.gen(function* () {
      const run_id = randomUUID()
      const file = join(directory(), "killed")
      const module = new URL("../../../packages/plugins/src/adapters/node-process/leftovers.ts", import.meta.url).href
      const program = `import { writeFileSync } from "node:fs"
import { Effect } from "effect"
import { killLeftovers } from ${JSON.stringify(module)}
writeFileSync(${JSON.stringify(file)}, (await Effect.runPromise(killLeftovers({ run_id: ${JSON.stringify(run_id)} }))) + "\\n")`
      // Parent and child both carry the marker; the child looks for it.
      const child = startChild(
        "/bin/sh",
        ["-c", '"$0" --conditions=@proofline/source --input-type=module -e "$1"; exit 0', process.execPath, program],
        { stdio: "inherit", cwd: import.meta.dirname, env: { ...process.env, ...markerEnvironment({ run_id }) } }
      )
      const code = yield* Effect.callback<number | null>((resume) => {
        child.once("exit", (exit_code) => resume(Effect.succeed(exit_code)))
      })
      assert.strictEqual(code, 0)
      assert.strictEqual(yield* pidIn(file), 0)
    })
  )
})
