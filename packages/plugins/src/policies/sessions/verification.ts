import { Effect, Schema } from "effect"
import { BlobStore, CommandRunner } from "../../port/index.ts"
import { commandRun, makeSecondLook } from "../execution/contract.ts"
import { RecordPhaseChecks } from "./rules/commands.ts"
import { verification } from "./rules/offers.ts"
import { commandsOf, phaseOf } from "./rules/phase.ts"
import { SessionRun } from "./rules/state.ts"
import { needsVerifiers } from "./rules/verifiers.ts"

/** Runs the commands that verify a phase, one after the other, all of them. */
export const makeVerification = Effect.gen(function* () {
  const commands = yield* CommandRunner
  const blobs = yield* BlobStore
  const lookAgain = yield* makeSecondLook
  return SessionRun.activity(verification, {
    input: Schema.Struct({ phase: Schema.String, submission: Schema.Int }),
    run: Effect.fnUntraced(function* ({ phase: name, submission }, { state }) {
      const { run, sessions } = state
      const { phases } = sessions
      const phase = phases === null ? undefined : phaseOf(phases, name)
      if (phases === null || phase === undefined) return null
      const env = { PROOFLINE_RUN_ID: run.run_id, PROOFLINE_PHASE: name }
      const timeout_ms = run.config.check_timeout_ms
      const isShownElse = !needsVerifiers(state)
      const checks = yield* Effect.forEach(commandsOf(phases, phase), (command) =>
        Effect.flatMap(commandRun({ commands, blobs }, null, { command, env, timeout_ms }), (ran) =>
          lookAgain({ state, env, isShownElse }, ran)
        )
      )
      return RecordPhaseChecks({ phase: name, submission, checks })
    })
  })
})
