import type { CheckRun, LogUnavailable } from "@proofline/kernel"
import { Effect } from "effect"
import { escrowedIn } from "../../../escrow/contract.ts"
import { commandRun, running } from "../../commandRun.ts"
import { makeSecondLook, type PassedCommand } from "../again/activities.ts"
import { makeEscrowed } from "../escrow/activities.ts"

/** Runs a command of the user that belongs to no task, in the project and then in the clean room; one that agents do not see there alone. */
export const makeUserCheck = Effect.gen(function* () {
  const services = yield* running
  const lookAgain = yield* makeSecondLook
  const escrowed = yield* makeEscrowed

  return (request: PassedCommand, command: string): Effect.Effect<CheckRun, LogUnavailable> => {
    const { env, state } = request
    const { config, root } = state.run
    const hidden = escrowedIn(state, command)
    const settings = { root, timeout_ms: config.check_timeout_ms, reports: config.proof.test_reports ?? [] }
    return hidden === undefined
      ? Effect.flatMap(commandRun(services, null, { command, env, ...settings }), (ran) => lookAgain(request, ran))
      : escrowed(request, hidden)
  }
})
