import { type Rejection, reject } from "@proofline/kernel"
import { Result } from "effect"
import { compilePayload } from "../../../operations/payload.ts"
import type { PhaseContract } from "./PhaseContract.ts"

/** What does not hold together in a contract. */
interface ContractFault {
  /** In a sentence. */
  readonly text: string
  /** The phases that it is about. */
  readonly phases: ReadonlyArray<string>
}

/** All that does not hold together in a contract. */
export const contractFaults = ({ phases, start }: PhaseContract): ReadonlyArray<ContractFault> => {
  const names = Object.keys(phases)
  const isUnknown = (name: string): boolean => !Object.hasOwn(phases, name)
  const fault = (text: string, ...about: ReadonlyArray<string>): ContractFault => ({ text, phases: about })
  return [
    ...(start.length === 0 ? [fault("It says nowhere where a run begins.")] : []),
    ...start.filter(({ to }) => isUnknown(to)).map(({ to }) => fault(`It begins in ${to}, which is no phase.`, to)),
    ...names.flatMap((name) => {
      const { also, expected_payload, kind, transitions } = phases[name] as PhaseContract["phases"][string]
      const compiled = compilePayload(expected_payload)
      return [
        ...(Result.isFailure(compiled)
          ? [fault(`The field ${compiled.failure.field} of ${name} cannot be read: ${compiled.failure.message}`, name)]
          : []),
        ...transitions
          .filter(({ to }) => isUnknown(to))
          .map(({ to }) => fault(`${name} leads to ${to}, which is no phase.`, name, to)),
        ...(kind === "person" && !("answer" in expected_payload || "answer?" in expected_payload)
          ? [fault(`${name} waits for a person, and has no field \`answer\`.`, name)]
          : []),
        ...also
          .filter((other) => ["verify", "person", "end", "stop"].includes(phases[other]?.kind ?? ""))
          .map((other) =>
            fault(`${name} takes payloads of ${other}, which is left in another way than by a payload.`, name, other)
          ),
        ...also
          .filter(isUnknown)
          .map((other) => fault(`${name} takes payloads of ${other}, which is no phase.`, name, other)),
        ...(kind !== "end" && kind !== "stop" && transitions.length === 0
          ? [fault(`No way leads out of ${name}.`, name)]
          : [])
      ]
    }),
    ...(names.some((name) => phases[name]?.kind === "end") ? [] : [fault("No phase is an end.")])
  ]
}

/**
 * Why no run can be held to a contract; null: one can. Whoever reads contract files tells more, with places; this is
 * for what plugins add and for contracts that come by another way.
 */
export const contractProblem = (contract: PhaseContract): Rejection | null => {
  const faults = contractFaults(contract)
  return faults.length === 0
    ? null
    : reject(
        "contract_invalid",
        `The phase contract does not hold together. ${faults.map(({ text }) => text).join(" ")}`,
        "Mend it, or the plugin that adds to it."
      )
}
