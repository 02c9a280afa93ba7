import { type Composition, PluginFault } from "@proofline/kernel"
import { contractProblem, type PhaseContract, phases, withPluginPhases } from "@proofline/plugins/policies/sessions"
import { Result } from "effect"
import type { Problem } from "../base/problems.ts"
import { brokenPhase } from "./withKernel.ts"

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
