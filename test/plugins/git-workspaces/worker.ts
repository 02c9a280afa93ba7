/*
 * Test fixture: a program that does one step of a chunked task and kills itself in the middle of it.
 * Its arguments: the project, the state directory, the step, and how many turns of the event loop it lives, or the file
 * with whose removal it ends.
 */
import { existsSync } from "node:fs"
import { setImmediate as nextTurn } from "node:timers/promises"
import { layer } from "@proofline/plugins/adapters/git-workspaces"
import { Workspaces } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { fail, place } from "./support.ts"

const [root = "", stateDir = "", step = "", end = "0"] = process.argv.slice(2)

const work = Effect.gen(function* () {
  const workspaces = yield* Workspaces
  if (step === "open") return yield* workspaces.open(place("p-sub-3"))
  if (step === "keep") return yield* (yield* workspaces.open(place("p-sub-1"))).keep
  if (step === "close") return yield* workspaces.close("run_1", [])
  const subtasks = ["p-sub-1", "p-sub-2"]
  return yield* workspaces.aggregate({ run_id: "run_1", parent_task_id: "p", subtasks, strategy: fail })
})

Effect.runFork(work.pipe(Effect.provide(layer({ root, stateDir })), Effect.ensuring(Effect.sync(() => process.exit()))))

for (let turn = 0; /^\d+$/.test(end) ? turn < Number(end) : existsSync(end); turn++) await nextTurn()
process.kill(process.pid, "SIGKILL")
