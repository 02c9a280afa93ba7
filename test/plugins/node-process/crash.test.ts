import { randomUUID } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { often } from "../../often.ts"
import { ended, program, quiet } from "../programs.ts"
import { death, directory, escaped, family, familyIn, isAlive, notLinux, parentOf, pidIn, script } from "./support.ts"

const rooms = ["task-1", "task-2", "command"]

const project = (): string => {
  const root = directory()
  for (const room of rooms) mkdirSync(join(root, room))
  // Signals to its own group are an agent's right; the watcher, which is part of it, must outlive them.
  script(
    root,
    "family.sh",
    "sh",
    `trap '' TERM INT HUP USR1
for signal in TERM INT HUP USR1; do kill -s $signal 0; done
${family(".")}
${notLinux ? "" : escaped(".")}
while :; do sleep 1000; done`
  )
  return root
}

// a start that is cut off leaves its temporary files; here they go with the project
const parent = (root: string, run_id: string, turns: string, by: string) =>
  program(new URL("./crash-parent.ts", import.meta.url), [root, run_id, turns, by], { env: { TMPDIR: root } })

/** From the first turns of the start to beyond its end. */
const moments = Array.from({ length: often(24) }, (_, i) => i * (72 / often(24)))

describe.each(notLinux ? ["itself"] : ["itself", "another"])(
  "when Proofline is killed, given programs started by %s",
  (by) => {
    it.live("every agent and command dies with all that it started, also what left its group", () =>
      Effect.gen(function* () {
        const root = project()
        const child = parent(root, randomUUID(), "-", by)
        const families = (yield* Effect.all(rooms.map((room) => familyIn(join(root, room))))).flat()
        const others = notLinux ? [] : yield* Effect.all(rooms.map((room) => pidIn(join(root, room, "escaped"))))
        const pids = [...families, ...others]
        assert.strictEqual(families.length, 9)
        assert.deepStrictEqual(
          pids.filter((pid) => !isAlive(pid)),
          []
        )
        child.kill("SIGKILL")
        yield* Effect.all(pids.map(death))
      })
    )

    it.live.skipIf(by === "itself")("the same where the process that starts programs is killed with it", () =>
      Effect.gen(function* () {
        const root = project()
        const child = parent(root, randomUUID(), "-", by)
        const families = yield* Effect.all(rooms.map((room) => familyIn(join(root, room))))
        const others = yield* Effect.all(rooms.map((room) => pidIn(join(root, room, "escaped"))))
        const starter = parentOf(families[0]?.[0] ?? 0)
        assert.strictEqual(parentOf(starter), child.pid)
        child.kill("SIGKILL")
        process.kill(starter, "SIGKILL")
        yield* Effect.all([...families.flat(), ...others].map(death))
      })
    )

    it.live.skipIf(notLinux)(
      "at any moment of the start nothing is left",
      () =>
        Effect.forEach(
          moments,
          (turns) =>
            Effect.gen(function* () {
              const run_id = randomUUID()
              assert.strictEqual(yield* ended(parent(project(), run_id, String(turns), by)), "SIGKILL")
              yield* quiet(run_id)
            }),
          { concurrency: 4 }
        ),
      120_000
    )
  }
)
