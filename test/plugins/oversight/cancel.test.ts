import { assert, describe, it } from "@effect/vitest"
import { Engine } from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { cancelRun } from "@proofline/plugins/policies/oversight"
import { Effect } from "effect"
import { cancel, stateOf } from "../../kernel/support/words.ts"
import { newLog, newProcess, works } from "../../kernel/support/world.ts"
import { runsOf } from "../sessions/servers.ts"

describe("a run that is cancelled", () => {
  it.effect("takes with it what goes on below it, and nothing else", () =>
    Effect.gen(function* () {
      const log = yield* newLog
      const { engine } = yield* newProcess(log, works)
      const begin = (run_id: string, parent_run_id: string | null) =>
        engine.execute(run_id, { ...aRun([aTask("task_1")], {}, run_id), parent_run_id })
      yield* begin("whole", null)
      yield* begin("going", "whole")
      yield* begin("over", "whole")
      yield* begin("meanwhile", "whole")
      yield* begin("other", "another")
      yield* engine.execute("over", cancel("before"))
      const runs = yield* runsOf(log)
      // who drives it ends it between the look and the order
      yield* engine.execute("meanwhile", cancel("meanwhile"))
      const snapshot = yield* cancelRun("whole", runs, "It takes too long.").pipe(Effect.provideService(Engine, engine))
      assert.deepInclude(stateOf(snapshot).run, { status: "cancelled", message: "It takes too long." })
      const ends = yield* Effect.forEach(["going", "over", "meanwhile", "other"], (id) =>
        Effect.map(engine.load(id), (found) => [stateOf(found).run.status, stateOf(found).run.message])
      )
      assert.deepStrictEqual(ends, [
        ["cancelled", "parent_ended"],
        ["cancelled", "before"],
        ["cancelled", "meanwhile"],
        ["running", ""]
      ])
    })
  )
})
