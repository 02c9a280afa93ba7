import { Effect, Schema } from "effect"
import { makeUserCheck } from "../execution/contract.ts"
import { RecordPhaseChecks } from "./rules/commands.ts"
import { verification } from "./rules/offers.ts"
import { commandsOf, phaseOf } from "./rules/phase.ts"
import { SessionRun } from "./rules/state.ts"
import { needsVerifiers } from "./rules/verifiers.ts"

/** Runs the commands that verify a phase, one after the other, all of them. */
export const makeVerification = Effect.gen(function* () {
  const check = yield* makeUserCheck
  return SessionRun.activity(verification, {
    input: Schema.Struct({ phase: Schema.String, submission: Schema.Int }),
    run: Effect.fnUntraced(function* ({ phase: name, submission }, { state }) {
      const { run, sessions } = state
      const { phases } = sessions
      const phase = phases === null ? undefined : phaseOf(phases, name)
      if (phases === null || phase === undefined) return null
      const env = { PROOFLINE_RUN_ID: run.run_id, PROOFLINE_PHASE: name }
      const isShownElse = !needsVerifiers(state)
      const checks = yield* Effect.forEach(commandsOf(phases, phase), (command) =>
        check({ state, env, isShownElse }, command)
      )
      return RecordPhaseChecks({ phase: name, submission, checks })
    })
  })
})
