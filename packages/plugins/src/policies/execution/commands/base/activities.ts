import {
  type Base,
  type BaseCheck,
  baseCheckOf,
  type KernelState,
  RecordBaseChecks,
  tasksOf,
  userCommands
} from "@proofline/kernel"
import { Effect, Schema } from "effect"
import { ScratchProjects } from "../../../../port/index.ts"
import { escrowedIn } from "../../../escrow/contract.ts"
import { countedRun, running } from "../../commandRun.ts"
import { Execution } from "../../state.ts"
import { makeEscrowedAtBase } from "../escrow/activities.ts"
import { atBase, notRun, outcomeOf } from "../outcomes.ts"
import { makeRestsOn } from "./readFacts.ts"

/** Runs the user's commands once on the project as it was before the run, each in a directory of its own. */
export const makeBaseChecks = Effect.gen(function* () {
  const services = yield* running
  const projects = yield* ScratchProjects
  const restsOn = yield* makeRestsOn
  const escrowed = yield* makeEscrowedAtBase

  const checkAt = Effect.fnUntraced(function* (state: KernelState, base: Base, command: string) {
    const hidden = escrowedIn(state, command)
    if (hidden !== undefined) return yield* escrowed(state, base, hidden)
    const rests_on = yield* restsOn(base, command, state.run.root)
    if (command.includes(state.run.root)) return notRun(command, rests_on, atBase.namesProject)
    const ran = yield* Effect.scoped(
      Effect.flatMap(projects.make({ at: base }), ({ directory }) =>
        countedRun(services, {
          command,
          directory,
          root: directory,
          env: baseEnvironment(state, command),
          timeout_ms: state.run.config.check_timeout_ms,
          reports: state.run.config.proof.test_reports ?? []
        })
      )
    ).pipe(Effect.catchTag("CheckoutRefused", ({ message }) => Effect.succeed(message)))
    if (typeof ran === "string") return notRun(command, rests_on, ran)
    return {
      command,
      ...outcomeOf(ran, ran.output_tail),
      ...ran,
      rests_on
    } satisfies BaseCheck
  })

  return Execution.activity("base_checks", {
    input: Schema.Struct({}),
    run: Effect.fnUntraced(function* (_, { state }) {
      const { base } = state.run
      if (base === null) return null
      const unknown = userCommands(state).filter((command) => baseCheckOf(state, command) === undefined)
      const checks = yield* Effect.forEach(unknown, (command) => checkAt(state, base, command))
      return RecordBaseChecks({ checks })
    })
  })
})

/** The first task that has the command stands for all of them. */
const baseEnvironment = (state: KernelState, command: string): Readonly<Record<string, string>> => {
  const task = tasksOf(state).find(
    ({ spec }) => spec.checks.includes(command) || spec.checklist.some(({ check }) => check === command)
  )
  return {
    PROOFLINE_RUN_ID: state.run.run_id,
    PROOFLINE_TASK_ID: task?.spec.id ?? "",
    PROOFLINE_ATTEMPT: "0"
  }
}
