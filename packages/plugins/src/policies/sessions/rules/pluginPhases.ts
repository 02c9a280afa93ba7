import { type Asked, Failure, PluginFault, told } from "@proofline/kernel"
import { Result, Schema } from "effect"
import { emptyPhase, Phase, type PhaseContract, Transition } from "./PhaseContract.ts"
import { SessionRun } from "./state.ts"

/** What a plugin finds wrong with a payload of its phase. */
export interface PhaseFailure {
  /** Stable. */
  readonly key: string
  /** For the sentence of the contract; the field `message` is said where there is none. */
  readonly fields?: Failure["fields"]
  readonly message: string
  readonly item?: string
}

/** A phase that a plugin brings, and where it comes in. */
export interface PhaseSig {
  readonly name: string
  /** What is left out is as in `emptyPhase`; the instruction is not. */
  readonly phase: Partial<Phase> & Pick<Phase, "instruction">
  /** Transitions into it, put before those that the phase `from` has; without a condition it is always entered. */
  readonly enters: ReadonlyArray<Omit<Transition, "to"> & { readonly from: string }>
  /** Sentences for its failures, by key. */
  readonly failures: PhaseContract["failures"][string]
  /** What else is wrong with a payload that fits its notation. Pure: a replay asks it again. */
  validate(payload: Readonly<Record<string, unknown>>): ReadonlyArray<PhaseFailure>
}
export const phases = SessionRun.point<PhaseSig>()("phases", {
  places: ["phase"],
  fields: { name: "string", phase: "object", enters: "array", failures: "object", validate: "function" },
  key: "name"
})

const { instruction: _, ...withoutInstruction } = emptyPhase
const { to: __, ...way } = Transition.fields

/** What a plugin says of a phase, without fields that nobody knows. */
const decodeOffered = Schema.decodeUnknownResult(
  Schema.Struct({ phase: Phase, enters: Schema.Array(Schema.Struct({ ...way, from: Schema.String })) }),
  { onExcessProperty: "error" }
)

/** A phase as the contract holds it; throws a `PluginFault` that names what cannot be one. */
const wholePhase = ({ by, enters, name, phase }: PhaseSig & { readonly by: string }): Phase => {
  const decoded = decodeOffered({ phase: { ...withoutInstruction, ...phase }, enters })
  const faultOf = (why: string): PluginFault => {
    const problem = `A phase of plugin ${by} (${name}) cannot be used: ${why}.`
    return new PluginFault({ plugin: by, where: "phase", problem })
  }
  if (name === "") throw faultOf("it has no name")
  if (Result.isFailure(decoded)) throw faultOf(decoded.failure.message.split("\n").join(" "))
  return decoded.success.phase
}

/** A contract with the phases of plugins. A phase that the contract itself has stays as the contract says. */
export const withPluginPhases = (contract: PhaseContract, state: Asked): PhaseContract =>
  phases(state)
    .map((added) => ({ ...added, whole: wholePhase(added) }))
    .filter(({ name }) => !Object.hasOwn(contract.phases, name))
    .reduce(withPhase, contract)

const withPhase = (
  contract: PhaseContract,
  { enters, failures, name, whole }: Omit<PhaseSig, "validate"> & { readonly whole: Phase }
): PhaseContract => {
  const entered = Object.fromEntries(
    Object.entries(contract.phases).map(([other, one]) => {
      const ways = enters.filter(({ from }) => from === other).map(({ from, ...way }) => ({ ...way, to: name }))
      return [other, { ...one, transitions: [...ways, ...one.transitions] }]
    })
  )
  return {
    ...contract,
    phases: { ...entered, [name]: whole },
    failures: Object.keys(failures).length === 0 ? contract.failures : { ...contract.failures, [name]: failures }
  }
}

/** What the plugin that brought a phase finds wrong with a payload. One that breaks has not found it in order. */
export const validatePayload = (
  state: Asked,
  name: string,
  payload: Readonly<Record<string, unknown>>
): ReadonlyArray<PhaseFailure> => {
  const phase = phases(state).find((one) => one.name === name)
  if (phase === undefined) return []
  const broken = (why: string): ReadonlyArray<PhaseFailure> => {
    const message = `Plugin ${phase.by} could not judge the payload of ${name}: ${why}. Ask the user to mend the plugin.`
    return [{ key: "validator_broken", message }]
  }
  try {
    const found = phase.validate(payload)
    if (!Array.isArray(found)) return broken("it gave back no list of failures")
    const wrong = found.findIndex((one) => !isFailure(one))
    return wrong < 0 ? found : broken(`it gave back ${told(found[wrong])}, no failure: {key, message, fields?, item?}`)
  } catch (error) {
    return broken(error instanceof PluginFault ? error.problem : String(error))
  }
}

/** Without types it may give back anything. */
const isFailure = Schema.is(
  Schema.Struct({
    key: Schema.String,
    message: Schema.String,
    item: Schema.optional(Schema.NullOr(Schema.String)),
    fields: Schema.optional(Failure.fields.fields)
  })
)
