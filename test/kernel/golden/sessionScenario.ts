import { type AnyCommand, definePlugin, type Plugin, plugin, type ReportedItem, Run, Tasks } from "@proofline/kernel"
import { Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { RecordPhaseChecks } from "../../../packages/plugins/src/policies/sessions/rules/commands.ts"
import { sessionsRules } from "../../../packages/plugins/src/policies/sessions/rules/plugin.ts"
import { SessionRun } from "../../../packages/plugins/src/policies/sessions/rules/state.ts"
import {
  aNewTask,
  aPlan,
  aSessionRun,
  asks,
  checksTarget,
  completes,
  creates,
  opens,
  reports,
  submits,
  updates
} from "../../plugins/sessions/rules/playing.ts"
import { letOthersGoOn } from "../support/letOthersGoOn.ts"
import { check } from "../support/words.ts"
import { newLog, newProcess, readRun, workerOptions } from "../support/world.ts"
import { rules, run } from "./scenarios.ts"

/** Fails the first time it verifies a phase, and passes from then on. */
const verification = (): Plugin => {
  let runs = 0
  const Verification = plugin("verification", { state: null, after: [Run, Tasks, SessionRun] })
  const verify = Verification.activity("verification", {
    input: Schema.Struct({ phase: Schema.String, submission: Schema.Int }),
    run: (input) => Effect.succeed(RecordPhaseChecks({ ...input, checks: [check(runs++ === 0 ? 1 : 0)] }))
  })
  return definePlugin(Verification, { version: "1", parts: [verify] })
}

/** What two agents and nobody else ask for, in this order; the work of the run is carried out in between. */
const asked = (commands: ReadonlyArray<AnyCommand>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 0, 2, 3, 4, 5))
    const log = yield* newLog
    const plugins = [...(yield* rules(log, () => Effect.die("Nobody is driven here."))), sessionsRules, verification()]
    const { engine, worker } = yield* newProcess(log, plugins)
    const working = yield* Effect.forkChild(worker.run(workerOptions({ slots: 1 })))
    for (const command of commands) {
      yield* Effect.orDie(engine.execute("run_1", command))
      yield* letOthersGoOn
      yield* TestClock.adjust(1_000)
    }
    yield* Fiber.interrupt(working)
    return yield* readRun(log)
  })

const shown = (evidence: string): ReadonlyArray<ReportedItem> => [
  { item: "add adds", status: "done", evidence },
  { item: "add is documented", status: "skipped", reason: "Its name says it all." }
]

const session: ReadonlyArray<AnyCommand> = [
  { ...aSessionRun({ planning_guide: "# Planning\n" }), base: run.base },
  opens("alice"),
  asks("alice"),
  submits("alice", { findings: [] }),
  submits("alice", { explored_files: ["README.md"], findings: ["README.md: it promises a sum"] }),
  submits(
    "alice",
    aPlan(
      { id: "ledger", description: "Add up in src/ledger.ts.", checklist: ["add adds"] },
      { id: "report", description: "Print the sum.", checklist: null, depends_on: ["ledger"] }
    )
  ),
  checksTarget("alice", "src/ledger.ts"),
  checksTarget("alice", "src/other.ts"),
  creates("alice", aNewTask("read", { parent_task_id: "report", checklist: ["the README says so"], assignee: "bob" })),
  submits("alice", aPlan({ id: "ledger", checklist: ["add adds", "add is documented"] })),
  opens("bob", { of_process: false }),
  asks("bob"),
  asks("bob", "get_my_task"),
  completes("alice", "ledger", shown("src/nowhere.ts:1")),
  completes("alice", "ledger", shown("src/ledger.ts:1-3")),
  completes("bob", "tsk_3", [{ item: "the README says so", status: "done", evidence: "README.md:1-3" }]),
  updates("alice", "report", "in_progress"),
  updates("alice", "report", "blocked", "the printer is out of paper"),
  updates("alice", "report", "in_progress"),
  updates("alice", "report", "done"),
  reports("bob"),
  submits("alice", { summary: "All is done." }),
  submits("alice", {}),
  completes("alice", "ledger", shown("src/ledger.ts:1-3")),
  completes("alice", "tsk_3", [{ item: "the README says so", status: "done", evidence: "README.md:1-3" }]),
  updates("alice", "report", "done"),
  submits("alice", { summary: "All is done again." }),
  submits("alice", {}),
  reports("alice")
]

/** Two agents that come by themselves. */
export const sessionScenario = asked(session)
