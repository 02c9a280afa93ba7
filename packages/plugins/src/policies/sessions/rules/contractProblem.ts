import { type Rejection, reject } from "@proofline/kernel"
import { Result } from "effect"
import { compilePayload } from "../../../operations/payload.ts"
import type { PhaseContract } from "./PhaseContract.ts"

/**
 * Why no run can be held to a contract; null: one can. Whoever reads contract files tells more, with places; this is
 * for what plugins add and for contracts that come by another way.
 */
export const contractProblem = ({ phases, start }: PhaseContract): Rejection | null => {
  const names = Object.keys(phases)
  const isUnknown = (name: string): boolean => !Object.hasOwn(phases, name)
  const faults = [
    ...(start.length === 0 ? ["It says nowhere where a run begins."] : []),
    ...start.filter(({ to }) => isUnknown(to)).map(({ to }) => `It begins in ${to}, which is no phase.`),
    ...names.flatMap((name) => {
      const { also, expected_payload, kind, transitions } = phases[name] as PhaseContract["phases"][string]
      const compiled = compilePayload(expected_payload)
      return [
        ...(Result.isFailure(compiled)
          ? [`The field ${compiled.failure.field} of ${name} cannot be read: ${compiled.failure.message}`]
          : []),
        ...transitions.filter(({ to }) => isUnknown(to)).map(({ to }) => `${name} leads to ${to}, which is no phase.`),
        ...(kind === "person" && !("answer" in expected_payload || "answer?" in expected_payload)
          ? [`${name} waits for a person, and has no field \`answer\`.`]
          : []),
        ...also
          .filter((other) => ["verify", "person", "end", "stop"].includes(phases[other]?.kind ?? ""))
          .map((other) => `${name} takes payloads of ${other}, which is left in another way than by a payload.`),
        ...also.filter(isUnknown).map((other) => `${name} takes payloads of ${other}, which is no phase.`),
        ...(kind !== "end" && kind !== "stop" && transitions.length === 0 ? [`No way leads out of ${name}.`] : [])
      ]
    }),
    ...(names.some((name) => phases[name]?.kind === "end") ? [] : ["No phase is an end."])
  ]
  return faults.length === 0
    ? null
    : reject(
        "contract_invalid",
        `The phase contract does not hold together. ${faults.join(" ")}`,
        "Mend it, or the plugin that adds to it."
      )
}
