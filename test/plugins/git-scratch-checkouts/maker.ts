/*
 * Test fixture: a program that makes a checkout, says where, and stays until somebody kills it.
 * Its arguments: the project, the directory for temporary files, the commit, and how many turns of the event loop it
 * lives ("-": for ever).
 */
import { writeFileSync } from "node:fs"
import { setImmediate as nextTurn } from "node:timers/promises"
import { layer } from "@proofline/plugins/adapters/git-scratch-checkouts"
import { ScratchCheckouts } from "@proofline/plugins/ports"
import { Effect } from "effect"

const [root = "", temporary = "", commit = "", turns = "-"] = process.argv.slice(2)

Effect.runFork(
  Effect.scoped(
    Effect.gen(function* () {
      const { directory } = yield* (yield* ScratchCheckouts).make({ commit, overlay: true })
      yield* Effect.sync(() => writeFileSync(`${temporary}/../made`, `${directory}\n`))
      return yield* Effect.never
    })
  ).pipe(Effect.provide(layer({ root, temporary })))
)

// a fiber that waits for ever does not keep a program running
setInterval(() => {}, 60_000)

if (turns !== "-") {
  for (let turn = 0; turn < Number(turns); turn++) await nextTurn()
  process.kill(process.pid, "SIGKILL")
}
