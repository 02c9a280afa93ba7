import { BlobStore, CommandRunner, type HasRun } from "@proofline/kernel"
import { Effect, Schema } from "effect"
import { commandRun } from "../execution/contract.ts"
import { RecordPhaseChecks } from "./contract.ts"
import { commandsOf, phaseOf } from "./rules/phase.ts"

const PhaseInput = Schema.Struct({ phase: Schema.String, submission: Schema.Int })

interface Context {
  readonly state: HasRun & { readonly sessions: Parameters<typeof phaseOf>[0] | null }
}

/** What carries out the activity `verification`: runs the commands that verify a phase, one after the other, all of them. */
export const makeVerification = Effect.gen(function* () {
  const commands = yield* CommandRunner
  const blobs = yield* BlobStore
  return {
    input: PhaseInput,
    run: Effect.fnUntraced(function* ({ phase: name, submission }: typeof PhaseInput.Type, { state }: Context) {
      const { run, sessions: pull } = state
      const phase = pull === null ? undefined : phaseOf(pull, name)
      if (pull === null || phase === undefined) return null
      const env = { PROOFLINE_RUN_ID: run.run_id, PROOFLINE_PHASE: name }
      const timeout_ms = run.config.check_timeout_ms
      const checks = yield* Effect.forEach(commandsOf(pull, phase), (command) =>
        commandRun({ commands, blobs }, null, { command, env, timeout_ms })
      )
      return RecordPhaseChecks({ phase: name, submission, checks })
    })
  }
})
