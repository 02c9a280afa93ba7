import { type Composition, Engine, PluginFault } from "@proofline/kernel"
import { contractProblem, type PhaseContract, phases, withPluginPhases } from "@proofline/plugins/policies/sessions"
import { Effect, Result } from "effect"
import type { ProjectPaths } from "../paths.ts"
import { exitCodes, type Problem, stop } from "../problems.ts"
import { runningSession } from "./sessions.ts"
import { brokenPhase, checkChain, checkPlugins } from "./shared.ts"

/**
 * Stops unless a session run can go on or begin here. One that goes on needs its log as it was written and every plugin it
 * was made with, for without its rules nothing is the same; a new one needs phases of plugins that fit its contract.
 */
export const checkSessionPlugins = Effect.fnUntraced(function* (paths: ProjectPaths, contract: PhaseContract) {
  const run = yield* runningSession(paths)
  if (run !== undefined) return yield* Effect.andThen(checkChain(run), checkPlugins(run))
  const problems = phaseProblems(contract, (yield* Engine).composition)
  if (problems.length > 0) return yield* stop(exitCodes.usage, ...problems)
})

type Place = Pick<Problem, "column" | "file" | "line">
const somewhere = (_: string): Place => ({ file: "proofline.yaml" })

/** What keeps phases of plugins from having their place in a contract. `placeOf`: where a plugin is named. */
export const phaseProblems = (
  contract: PhaseContract,
  { initial: { state } }: Pick<Composition, "initial">,
  placeOf: (plugin: string) => Place = somewhere
): ReadonlyArray<Problem> => {
  const added = phases(state)
  const tried = Result.try(() => withPluginPhases(contract, state))
  if (Result.isFailure(tried)) {
    if (!(tried.failure instanceof PluginFault)) throw tried.failure
    return [{ ...brokenPhase(tried.failure), ...placeOf(tried.failure.plugin) }]
  }
  const whole = tried.success
  const isPhase = (name: string): boolean => Object.hasOwn(whole.phases, name)
  const fault = contractProblem(whole)
  return [
    ...added
      // one that the contract brings itself is entered as the contract says
      .filter(({ name }) => !Object.hasOwn(contract.phases, name))
      .filter(({ enters }) => !enters.some(({ from }) => isPhase(from)))
      .map(({ by, enters, name }) => ({
        code: "plugin_phase_unreachable",
        message: `No way leads into the phase "${name}" of a plugin: the contract "${contract.name}" has no phase ${enters.map(({ from }) => `"${from}"`).join(" or ")}.`,
        ...placeOf(by),
        hint: "Remove the plugin under `plugins:`, or name in its `enters` a phase that the contract has."
      })),
    ...(fault === null ? [] : [{ code: fault.code, message: fault.message, file: "proofline.yaml", hint: fault.hint }])
  ]
}
