import { type Composition, PluginFault, type Rejection } from "@proofline/kernel"
import {
  contractFaults,
  contractProblem,
  type PhaseContract,
  phases,
  withPluginPhases
} from "@proofline/plugins/policies/sessions"
import { Result } from "effect"
import type { Problem } from "../base/problems.ts"
import { definedIn, namedAt } from "./pluginEntries.ts"
import { brokenPhase } from "./withKernel.ts"

/**
 * What keeps phases of plugins from having their place in a contract: at the file of a plugin what is wrong with its phase, and
 * where the plugin is named what does not fit the contract.
 */
export const phaseProblems = (contract: PhaseContract, composition: Composition): ReadonlyArray<Problem> => {
  const { state } = composition.initial
  const added = phases(state)
  const tried = Result.try(() => withPluginPhases(contract, state))
  if (Result.isFailure(tried)) {
    if (!(tried.failure instanceof PluginFault)) throw tried.failure
    return [{ ...brokenPhase(tried.failure), ...definedIn(composition, tried.failure.plugin) }]
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
        ...namedAt(composition, by),
        hint: "Remove the plugin under `plugins:`, or name in its `enters` a phase that the contract has."
      })),
    ...(fault === null ? [] : [{ ...contractFault(fault), ...definedIn(composition, culpritOf(whole, added)) }])
  ]
}

const contractFault = ({ code, hint, message }: Rejection) => ({ code, message, hint })

/** The plugin whose phase a fault of the whole is about; empty: none is about one. */
const culpritOf = (whole: PhaseContract, added: ReturnType<typeof phases>): string => {
  const about = new Set(contractFaults(whole).flatMap((one) => one.phases))
  return added.find(({ name }) => about.has(name))?.by ?? ""
}
