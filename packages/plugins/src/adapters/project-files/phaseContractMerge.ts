import { emptyPhase, type Phase, type PhaseContract } from "../../policies/sessions/contract.ts"

/** What a file says of a phase. */
export type PhasePart = Partial<Phase>

/** What a phase_contract.yml says, and nothing that it leaves out. */
export interface ContractPart extends Partial<Omit<PhaseContract, "phases" | "write_targets">> {
  /** The name of the contract it changes; null: it is a whole contract of its own. */
  readonly base: string | null
  /** Empty: the file has no such section. */
  readonly phases: Readonly<Record<string, PhasePart>>
  readonly write_targets?: Partial<PhaseContract["write_targets"]>
}

/** A contract that says nothing yet; a whole contract of a project's own is merged over it. */
export const emptyContract: PhaseContract = {
  name: "project",
  start: [],
  phases: {},
  limits: {},
  flags: {},
  intents: [],
  write_targets: { existing: "any", fresh: "any", required: false },
  failures: {}
}

/** The names of the fields of a payload, without what marks those that may be left out. */
export const fieldsOf = (payload: Phase["expected_payload"]): ReadonlySet<string> =>
  new Set(Object.keys(payload).map((field) => field.replace(/\?$/, "")))

/** What is demanded of fields goes with the fields. */
const mergePhase = (base: Phase | undefined, part: PhasePart): Phase => {
  if (base === undefined) return { ...emptyPhase, ...part }
  if (part.expected_payload === undefined) return { ...base, ...part }
  const fields = fieldsOf(part.expected_payload)
  const isLeft = (field: string) => fields.has(field)
  return {
    ...base,
    not_empty: base.not_empty.filter(isLeft),
    explores: base.explores.filter(isLeft),
    min_chars: Object.fromEntries(Object.entries(base.min_chars).filter(([field]) => isLeft(field))),
    ...part
  }
}

const own = <A>(values: Readonly<Record<string, A>>, key: string): A | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined

/**
 * The base as a file changes it: limits, flags and write targets one by one, sentences by key, those of failures by phase and key, phases by key;
 * everything else as a whole. Phases that the base does not have come behind its own.
 */
export const mergeContract = (base: PhaseContract, part: ContractPart): PhaseContract => ({
  name: part.name ?? base.name,
  start: part.start ?? base.start,
  phases: {
    ...base.phases,
    ...Object.fromEntries(
      Object.entries(part.phases).map(([name, phase]) => [name, mergePhase(own(base.phases, name), phase)])
    )
  },
  limits: { ...base.limits, ...part.limits },
  flags: { ...base.flags, ...part.flags },
  intents: part.intents ?? base.intents,
  write_targets: { ...base.write_targets, ...part.write_targets },
  failures: {
    ...base.failures,
    ...Object.fromEntries(
      Object.entries(part.failures ?? {}).map(([phase, sentences]) => [
        phase,
        { ...own(base.failures, phase), ...sentences }
      ])
    )
  },
  ...((part.instructions ?? base.instructions) === undefined
    ? {}
    : { instructions: { ...base.instructions, ...part.instructions } })
})
