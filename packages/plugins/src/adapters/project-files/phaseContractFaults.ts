/** What is wrong with a contract whose values are sound one by one: how its parts refer to one another. */

import { closest, enumerate, quoted } from "../../options/words.ts"
import type { Condition, Phase, PhaseContract, Transition } from "../../policies/sessions/contract.ts"
import { fieldsOf } from "./phaseContractMerge.ts"

export interface ContractFault {
  readonly code: string
  readonly message: string
  readonly hint: string | (() => string)
  /** Keys and items from the root on; a transition or condition stands for itself. */
  readonly path: ReadonlyArray<string | object>
  /** Paths to what it rests on; where the file gives one that was refused, the fault is no news. */
  readonly restsOn?: ReadonlyArray<ReadonlyArray<string>>
  readonly isWarning?: true
}

/** The counter that the machine itself keeps. */
const taskFailures = "task_failures"

interface Known {
  readonly contract: PhaseContract
  readonly phases: ReadonlySet<string>
  readonly counted: ReadonlySet<string>
}

/** `isWhole`: every transition could be read, so that it can be told which phase none leads to. */
export const contractFaults = (contract: PhaseContract, isWhole: boolean): ReadonlyArray<ContractFault> => {
  const phases = Object.entries(contract.phases)
  const all = [...contract.start, ...phases.flatMap(([, phase]) => phase.transitions)]
  const known: Known = {
    contract,
    phases: new Set(phases.map(([name]) => name)),
    counted: new Set([taskFailures, ...all.flatMap(({ count }) => (count === undefined ? [] : [count]))])
  }
  return [
    ...startFaults(known),
    ...phases.flatMap(([name, phase]) => phaseFaults(name, phase, known)),
    ...(isWhole ? wayFaults(known) : [])
  ]
}

const nearOr = (word: string, candidates: Iterable<string>, otherwise: string) => () => {
  const near = closest(word, candidates)
  return near === undefined ? otherwise : `Did you mean \`${near}\`?`
}

const startFaults = (known: Known): ReadonlyArray<ContractFault> => {
  const { start } = known.contract
  return [
    ...(start.length === 0
      ? [
          {
            code: "start_missing",
            message: "The contract does not say in which phase a run begins.",
            hint: "Add `start:` with the name of a phase.",
            path: ["start"],
            restsOn: [["start"]]
          }
        ]
      : []),
    ...transitionFaults({ title: "`start`", name: "", path: ["start"], phase: null }, start, known)
  ]
}

const isEndKind = ({ kind }: Phase): boolean => kind === "end" || kind === "stop"

/** Those that run commands, wait for a person or end the run are not done by a payload that comes elsewhere. */
const mayBeTakenAlso = (phase: Phase | undefined): boolean =>
  phase === undefined || !(phase.kind === "verify" || phase.kind === "person" || isEndKind(phase))

/** A phase, and where in the contract it stands. */
interface Placed {
  readonly name: string
  readonly phase: Phase
  readonly path: ReadonlyArray<string>
  /** How sentences call it. */
  readonly title: string
}

const phaseFaults = (name: string, phase: Phase, known: Known): ReadonlyArray<ContractFault> => {
  const path = ["phases", name]
  const title = `phase ${quoted(name)}`
  const placed: Placed = { name, phase, path, title }
  return [
    ...payloadFaults(placed),
    ...wayOutFaults(placed),
    ...checkFaults(placed),
    ...phase.also.flatMap((other) => alsoFaults(other, placed, known)),
    ...ruleFaults(placed),
    ...transitionFaults({ title, name, path: [...path, "transitions"], phase }, phase.transitions, known)
  ]
}

/** What the payload of a kind of phase must hold, and what a person cannot give. */
const payloadFaults = ({ name, path, phase }: Placed): ReadonlyArray<ContractFault> => {
  const faults: Array<ContractFault> = []
  if (phase.kind === "plan" && !fieldsOf(phase.expected_payload).has("tasks")) {
    faults.push({
      code: "plan_without_tasks",
      message: `Phase ${quoted(name)} is of the kind \`plan\`, but its payload has no field \`tasks\`.`,
      hint: "Add it to `expected_payload`, e.g. `tasks: list[{id, description}]`.",
      path: [...path, "expected_payload"],
      restsOn: [[...path, "expected_payload"]]
    })
  }
  if (phase.kind === "person" && !fieldsOf(phase.expected_payload).has("answer")) {
    faults.push({
      code: "person_without_answer",
      message: `Phase ${quoted(name)} is of the kind \`person\`, but its payload has no field \`answer\`.`,
      hint: "Add it to `expected_payload`, e.g. `answer: continue|stop`; a person gives it with `proofline answer`.",
      path: [...path, "expected_payload"],
      restsOn: [[...path, "expected_payload"]]
    })
  }
  const asked = Object.keys(phase.expected_payload).filter((field) => field !== "answer" && !field.endsWith("?"))
  if (phase.kind === "person" && fieldsOf(phase.expected_payload).has("answer") && asked.length > 0) {
    faults.push({
      code: "person_asked_too_much",
      message: `Phase ${quoted(name)} asks a person for ${asked.map(quoted).join(", ")}, which \`proofline answer\` cannot give.`,
      hint: "Ask for `answer`; let `comment?` be the only other field, or make the others optional.",
      path: [...path, "expected_payload"],
      restsOn: [[...path, "expected_payload"]]
    })
  }
  return faults
}

const wayOutFaults = ({ name, path, phase }: Placed): ReadonlyArray<ContractFault> => {
  const isEnd = isEndKind(phase)
  const faults: Array<ContractFault> = []
  if (phase.instruction === "" && !isEnd) {
    faults.push({
      code: "instruction_missing",
      message: `Phase ${quoted(name)} has no \`instruction\`, so nobody is told what to do in it.`,
      hint: "Add `instruction:` with a sentence for the agent.",
      path,
      restsOn: [
        [...path, "instruction"],
        [...path, "kind"]
      ]
    })
  }
  if (isEnd && phase.transitions.length > 0) {
    faults.push({
      code: "end_with_transitions",
      message: `Phase ${quoted(name)} is an end, but transitions lead out of it.`,
      hint: "Remove its transitions, or give it another kind.",
      path: [...path, "transitions"]
    })
  }
  if (!isEnd && phase.transitions.length === 0) {
    faults.push({
      code: "no_way_out",
      message: `No transition leads out of phase ${quoted(name)}.`,
      hint: "Add `next:` with the name of a phase, or `kind: end` if a run ends in it.",
      path,
      restsOn: [
        [...path, "transitions"],
        [...path, "kind"]
      ]
    })
  }
  return faults
}

const checkFaults = ({ name, path, phase }: Placed): ReadonlyArray<ContractFault> =>
  phase.checks.length === 0 || phase.kind === "verify"
    ? []
    : [
        {
          code: "checks_unused",
          message: `The \`checks\` of phase ${quoted(name)} are not run, because its kind is \`${phase.kind}\`.`,
          hint: "Write `kind: verify`, or remove them.",
          path: [...path, "checks"],
          restsOn: [[...path, "kind"]],
          isWarning: true
        }
      ]

const alsoFaults = (other: string, { name, path, title }: Placed, known: Known): ReadonlyArray<ContractFault> => {
  const at = [...path, "also", other]
  if (other === name) {
    return [
      {
        code: "also_itself",
        message: `\`also\` of ${title} names the phase itself.`,
        hint: "Remove it; a phase takes its own payload in any case.",
        path: at
      }
    ]
  }
  if (mayBeTakenAlso(known.contract.phases[other])) return phaseUnknown(other, `\`also\` of ${title}`, at, known)
  return [
    {
      code: "also_unfit",
      message: `\`also\` of ${title} names ${quoted(other)}, which is left in another way than by a payload.`,
      hint: "Name phases of the kinds `submit`, `plan`, `tasks` and `complete` only.",
      path: at
    }
  ]
}

/** Rules about fields that the payload does not have. */
const ruleFaults = ({ name, path, phase, title }: Placed): ReadonlyArray<ContractFault> =>
  [
    { key: "not_empty", fields: phase.not_empty },
    { key: "min_chars", fields: Object.keys(phase.min_chars) },
    { key: "explores", fields: phase.explores }
  ].flatMap(({ fields, key }) =>
    fields.flatMap((field) => fieldUnknown(field, `\`${key}\` of ${title}`, { name, phase }, [...path, key, field]))
  )

const phaseUnknown = (
  phase: string,
  by: string,
  path: ContractFault["path"],
  { phases }: Known
): ReadonlyArray<ContractFault> =>
  phases.has(phase)
    ? []
    : [
        {
          code: "phase_unknown",
          message: `${upper(by)} names the phase ${quoted(phase)}, which does not exist.`,
          hint: nearOr(phase, phases, "Define it under `phases`."),
          path,
          restsOn: [["phases", phase]]
        }
      ]

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** What a field of a payload is named by: a phase, or the start of a run, which has no payload. */
interface Named {
  readonly phase: Phase | null
  /** The phase's; empty for the start. */
  readonly name: string
}

const fieldUnknown = (
  field: string,
  by: string,
  { name, phase }: Named,
  path: ContractFault["path"]
): ReadonlyArray<ContractFault> => {
  const fields = phase === null ? new Set<string>() : fieldsOf(phase.expected_payload)
  if (fields.has(field)) return []
  const all = enumerate(Array.from(fields))
  return [
    {
      code: "field_unknown",
      message: `${upper(by)} names the field ${quoted(field)}, which the payload does not have.`,
      hint:
        phase === null
          ? "Remove it: when a run begins there is no payload yet."
          : nearOr(
              field,
              fields,
              all === ""
                ? "Add it to `expected_payload`, which is empty."
                : `Add it to \`expected_payload\`; its fields are ${all}.`
            ),
      path,
      restsOn: [["phases", name, "expected_payload"]]
    }
  ]
}

/** What transitions belong to. */
interface Owner extends Named {
  /** In sentences. */
  readonly title: string
  readonly path: ReadonlyArray<string>
}

const isEmpty = (condition: Condition | undefined): boolean =>
  condition === undefined || Object.keys(condition).length === 0

const transitionFaults = (
  owner: Owner,
  transitions: ReadonlyArray<Transition>,
  known: Known
): ReadonlyArray<ContractFault> => {
  const always = transitions.findIndex(({ unless, when }) => isEmpty(when) && unless === undefined)
  return transitions.flatMap((transition, index) => {
    const path = [...owner.path, transition]
    const by = `a transition of ${owner.title}`
    const faults = [...phaseUnknown(transition.to, by, [...path, "to"], known)]
    const isNever = transition.unless !== undefined && isEmpty(transition.unless)
    if (isNever || (always !== -1 && index > always)) {
      faults.push({
        code: "transition_unreachable",
        message: isNever
          ? `The transition of ${owner.title} to ${quoted(transition.to)} is never taken, because an \`unless\` that names nothing always holds.`
          : `The transition of ${owner.title} to ${quoted(transition.to)} is never taken, because one above it always is.`,
        hint: isNever ? "Say in `unless` what must not hold." : "Move it up, or give the one above it a `when`.",
        path,
        isWarning: true
      })
    }
    for (const counter of transition.reset ?? []) {
      if (known.counted.has(counter)) continue
      faults.push({
        code: "counter_unknown",
        message: `${upper(by)} resets the counter ${quoted(counter)}, which nothing counts.`,
        hint: nearOr(counter, known.counted, "Name it in `count` of a transition, or remove it."),
        path: [...path, "reset", counter]
      })
    }
    for (const key of ["when", "unless"] as const) {
      const condition = transition[key]
      if (condition === undefined) continue
      faults.push(...conditionFaults(condition, `\`${key}\` of ${by}`, owner, known))
    }
    return faults
  })
}

const conditionFaults = (
  condition: Condition,
  by: string,
  owner: Owner,
  { contract, counted }: Known
): ReadonlyArray<ContractFault> => {
  const path = [...owner.path, condition]
  const fields = [
    ...Object.keys(condition.payload ?? {}).map((field) => ["payload", field] as const),
    ...(condition.empty ?? []).map((field) => ["empty", field] as const),
    ...(condition.filled ?? []).map((field) => ["filled", field] as const)
  ]
  const faults = fields.flatMap(([key, field]) => fieldUnknown(field, by, owner, [...path, key, field]))
  const tell = (
    fault: Pick<ContractFault, "code" | "message" | "hint">,
    at: ReadonlyArray<string>,
    restsOn: ReadonlyArray<string>
  ) => faults.push({ ...fault, message: `${upper(by)} ${fault.message}`, path: [...path, ...at], restsOn: [restsOn] })
  for (const flag of condition.flags ?? []) {
    if (Object.hasOwn(contract.flags, flag)) continue
    const hint = nearOr(flag, Object.keys(contract.flags), "Declare it under `flags`, with what it does.")
    const message = `names the flag ${quoted(flag)}, which is not declared.`
    tell({ code: "flag_unknown", message, hint }, ["flags", flag], ["flags", flag])
  }
  for (const intent of condition.intent ?? []) {
    if (contract.intents.includes(intent)) continue
    const hint = nearOr(intent, contract.intents, "Add it to `intents`.")
    const message = `names the intent ${quoted(intent)}, which nobody can have.`
    tell({ code: "intent_unknown", message, hint }, ["intent", intent], ["intents"])
  }
  for (const counter of condition.reached ?? []) {
    const at = ["reached", counter]
    if (!Object.hasOwn(contract.limits, counter)) {
      const hint = nearOr(counter, Object.keys(contract.limits), "Add it to `limits`, with the count to be reached.")
      const message = `names the counter ${quoted(counter)}, which has no limit.`
      tell({ code: "limit_missing", message, hint }, at, ["limits", counter])
    } else if (!counted.has(counter)) {
      const hint = nearOr(counter, counted, "Name it in `count` of a transition.")
      const message = `waits for the counter ${quoted(counter)}, which nothing counts.`
      tell({ code: "counter_unknown", message, hint }, at, [])
    }
  }
  if (condition.outcome !== undefined && owner.phase?.kind !== "verify") {
    const hint = owner.phase === null ? "Remove it." : "Write `kind: verify` if commands are to be run in the phase."
    const message = "asks how commands ended, but none are run there."
    tell({ code: "outcome_unknown", message, hint }, ["outcome"], ["phases", owner.name, "kind"])
  }
  return faults
}

/** Phases no way leads to, and a machine without an end. */
const wayFaults = ({ contract, phases }: Known): ReadonlyArray<ContractFault> => {
  const reached = reachedPhases(contract, phases)
  if (reached === undefined || contract.start.length === 0) return []
  const faults: Array<ContractFault> = []
  for (const name of phases) {
    if (reached.has(name)) continue
    faults.push({
      code: "phase_unreachable",
      message: `No way leads from \`start\` to phase ${quoted(name)}.`,
      hint: "Add a transition to it, or remove it; a contract of its own begins with `extends: none`.",
      path: ["phases", name]
    })
  }
  const hasEnd = Array.from(reached).some((name) => {
    const phase = contract.phases[name]
    return phase !== undefined && isEndKind(phase)
  })
  if (!hasEnd) {
    faults.push({
      code: "end_unreachable",
      message: "No way leads from `start` to a phase of the kind `end`, so no run would ever be over.",
      hint: "Add a phase with `kind: end`, and a transition to it.",
      path: ["start"]
    })
  }
  return faults
}

/**
 * Undefined: there is a cause that was told, a phase without a way out or a transition to a phase that is not there, and
 * none has nearly its name.
 */
const reachedPhases = (contract: PhaseContract, phases: ReadonlySet<string>): ReadonlySet<string> | undefined => {
  const reached = new Set<string>()
  const waiting = contract.start.map(({ to }) => to)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    // a slip in a name, which is told, is not told again as a phase that no way leads to
    const name = phases.has(next) ? next : closest(next, phases)
    if (name === undefined) return undefined
    const phase = contract.phases[name]
    if (reached.has(name) || phase === undefined) continue
    if (!isEndKind(phase) && phase.transitions.length === 0) return undefined
    reached.add(name)
    waiting.push(...phase.transitions.map(({ to }) => to), ...phase.also)
  }
  return reached
}
