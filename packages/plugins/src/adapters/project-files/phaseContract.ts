/**
 * phase_contract.yml: the contract a run is held to, or what a project says differently from one that is shipped. What it
 * may say is in `contractFile`.
 *
 * A transition is `PHASE` or `{to, when, unless, count, reset}`; what `when` and `unless` name is the kernel's `Condition`.
 * Of a phase that the extended contract has, the keys that are given replace its own one by one; a new phase needs all it
 * is to have. Phases may also stand at the top of the file, without `phases:` above them.
 *
 * A notation needs no quotes (see phaseContractText.ts), may go on over several lines, and may be written as a mapping.
 * Quotes around the whole of it are YAML's: `"str"` is the type `str`.
 * A sentence may hold the placeholders of its key; keys that are not known here may hold any.
 */

import { closest, quoted } from "../../options/words.ts"
import { instructionPlaceholders, type PhaseContract } from "../../policies/sessions/contract.ts"
import { decodeFile } from "./decodeFile.ts"
import type { Entry, MappingNode, Node } from "./Node.ts"
import { listProblems, type Problem, refuse, warn } from "./Problem.ts"
import { type ContractFault, contractFaults } from "./phaseContractFaults.ts"
import { contractFile } from "./phaseContractFile.ts"
import { type ContractPart, emptyContract, mergeContract } from "./phaseContractMerge.ts"
import {
  type Compile,
  type ContractReading,
  contractPartOf,
  entryOf,
  readFailures,
  readInstructions,
  readingOf,
  withPayloads
} from "./phaseContractParts.ts"
import { type Placeholders, readMessages, warnOfNearMiss } from "./phaseContractSentences.ts"
import { readContractText } from "./phaseContractText.ts"

export interface PhaseContractResult {
  readonly problems: ReadonlyArray<Problem>
  readonly warnings: ReadonlyArray<Problem>
  /** Sentences by failure key, in the order of the known keys; null exactly when there are problems. */
  readonly messages: Readonly<Record<string, string>> | null
}

/**
 * Reads the sentences of a phase_contract.yml for failures of a report, and nothing else of it; tells everything that is
 * wrong with them at once. `allowed` are the failure keys with their placeholders. Never throws.
 */
export const parsePhaseContract = (content: string, file: string, allowed: Placeholders): PhaseContractResult => {
  const { source, text } = readContractText(content)
  const messages =
    source.root === null ? {} : readMessages(source.root, allowed, { content: text, findings: source.findings })
  const { problems, warnings } = listProblems(source, file)
  return { problems, warnings, messages: problems.length === 0 ? messages : null }
}

export interface ContractOptions {
  /** Known failure keys with their placeholders, whose sentences are held to them. */
  readonly placeholders: Placeholders
  /** The contracts a file may extend, by name; `default` is what it extends when it does not say. */
  readonly bases: Readonly<Record<string, PhaseContract>>
  readonly compile: Compile
}

export interface ContractResult {
  readonly problems: ReadonlyArray<Problem>
  readonly warnings: ReadonlyArray<Problem>
  /** What the file says; null exactly when there are problems. */
  readonly contract: ContractPart | null
  /** What a run is held to: the file over the contract it extends. Null exactly when there are problems. */
  readonly merged: PhaseContract | null
}

const defaultBase = "default"

const baseOf = ({ base }: ContractPart, { bases }: ContractOptions): PhaseContract =>
  base !== null && Object.hasOwn(bases, base) ? (bases[base] ?? emptyContract) : emptyContract

/**
 * Reads the text of a whole phase_contract.yml and tells everything that is wrong with it at once, also with what it
 * makes of the contract it extends. Never throws.
 */
export const parseContract = (content: string, file: string, options: ContractOptions): ContractResult => {
  const text = readContractText(content)
  const reading = readingOf(text, options.compile)
  const contract = readContract(text.source.root, reading, options)
  const { problems, warnings } = listProblems(text.source, file)
  const isSound = problems.length === 0
  return {
    problems,
    warnings,
    contract: isSound ? contract : null,
    merged: isSound ? mergeContract(baseOf(contract, options), contract) : null
  }
}

const nothing: ContractPart = { base: defaultBase, phases: {} }

const readContract = (root: Node | null, reading: ContractReading, options: ContractOptions): ContractPart => {
  const { file, findings } = reading
  const schema = contractFile(Object.keys(options.bases))
  if (root === null) return nothing
  const sorted = root.kind === "mapping" ? sortedRoot(root, Object.keys(schema.fields), reading, options) : root
  const decoded = decodeFile(schema, sorted, file.source, "yaml")
  if (decoded.found === undefined) return nothing
  // faults of notations and sentences say nothing against the ways through the phases
  const isWhole = findings.problems.length === 0
  const { extends: base = defaultBase, phases, ...sections } = contractPartOf(decoded, reading)
  const failures = readFailures(sorted, options.placeholders, reading)
  const instructions = readInstructions(sorted, instructionPlaceholders, reading)
  const part: ContractPart = {
    ...sections,
    base: base === "none" ? null : base,
    phases: withPayloads(phases, sorted, reading),
    ...(Object.keys(failures).length === 0 ? {} : { failures }),
    ...(Object.keys(instructions).length === 0 ? {} : { instructions })
  }
  const merged = mergeContract(baseOf(part, options), part)
  for (const fault of contractFaults(merged, isWhole)) {
    if (!fault.restsOn?.some((path) => wasRefused(path, sorted, part))) tell(fault, sorted, reading)
  }
  warnOfUnusedFailures(sorted, merged, options, reading)
  return part
}

const sectionKeys = [
  "start",
  "phases",
  "limits",
  "flags",
  "intents",
  "write_targets",
  "failures",
  "common_failures",
  "instructions"
]

/** A section without content says nothing. */
const isLeftBlank = ({ key, value }: Entry): boolean => value.kind === "null" && sectionKeys.includes(key)

/** Keys by which a phase is told from a section of another kind. */
const phaseKeys = ["expected_payload", "instruction", "transitions", "next", "kind"]

/**
 * The known sections, with phases from the top of the file under `phases`. A key nobody knows is warned of: the file may
 * have sections for other readers.
 */
const sortedRoot = (
  root: MappingNode,
  fields: ReadonlyArray<string>,
  { findings }: ContractReading,
  { bases }: ContractOptions
): MappingNode => {
  const known = new Set(Object.values(bases).flatMap((base) => Object.keys(base.phases)))
  const sections: Array<Entry> = []
  const phases: Array<Entry> = []
  for (const entry of root.entries) {
    if (fields.includes(entry.key)) sections.push(...(isLeftBlank(entry) ? [] : [entry]))
    else if (known.has(entry.key) || isNewPhase(entry, [...fields, ...known])) phases.push(entry)
    else tellUnknownSection(entry, fields, known, findings)
  }
  if (phases.length === 0) return { ...root, entries: sections }
  const written = sections.find(({ key }) => key === "phases")
  const under = written?.value.kind === "mapping" ? written.value.entries : []
  const twice = phases.filter(({ key }) => under.some((entry) => entry.key === key))
  for (const { key, keyEnd, keyStart } of twice) {
    refuse(findings, {
      code: "phase_twice",
      message: `Phase ${quoted(key)} is given at the top of the file and under \`phases\`.`,
      hint: "Keep the one under `phases`.",
      start: keyStart,
      end: keyEnd
    })
  }
  if (written !== undefined && written.value.kind !== "mapping") return { ...root, entries: sections }
  const entries = [...under, ...phases.filter((entry) => !twice.includes(entry))]
  const position = written ?? { keyStart: root.start, keyEnd: root.start }
  const section: Entry = {
    key: "phases",
    keyStart: position.keyStart,
    keyEnd: position.keyEnd,
    value: { kind: "mapping", start: written?.value.start ?? root.start, end: root.end, entries }
  }
  return { ...root, entries: [...sections.filter((entry) => entry !== written), section] }
}

const isPhase = ({ value }: Entry): boolean =>
  value.kind === "mapping" && value.entries.some((inner) => phaseKeys.includes(inner.key))

/** It says what a phase says, and is no slip of the pen for a name that is known. */
const isNewPhase = (entry: Entry, names: ReadonlyArray<string>): boolean =>
  isPhase(entry) && closest(entry.key, names) === undefined

const tellUnknownSection = (
  entry: Entry,
  sections: ReadonlyArray<string>,
  phases: ReadonlySet<string>,
  findings: ContractReading["findings"]
): void => {
  const { key, keyEnd, keyStart } = entry
  const position = { start: keyStart, end: keyEnd }
  if (isPhase(entry)) {
    refuse(findings, {
      code: "phase_misplaced",
      message: `Phase ${quoted(key)} stands at the top of the file and is none of the contract that it extends.`,
      hint: () => {
        const near = closest(key, phases)
        return near === undefined
          ? "Write it under `phases`."
          : `Write it under \`phases\`, or did you mean \`${near}\`?`
      },
      ...position
    })
    return
  }
  warn(findings, {
    code: "unknown_key",
    message: `The key ${quoted(key)} is not known here, so what it says is not used.`,
    hint: () => {
      const near = closest(key, [...sections, ...phases])
      return near === undefined ? "Remove it unless another program reads it." : `Did you mean \`${near}\`?`
    },
    ...position
  })
}

/** The file gives what the keys lead to, but it could not be read, or not all of it. */
const wasRefused = (path: ReadonlyArray<string>, root: Node, part: ContractPart): boolean => {
  let node: Node | undefined = root
  let value: unknown = part
  for (const key of path) {
    node = stepInto(node, key)?.value
    if (node === undefined) return false
    const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, key)
    if (!isThere) return true
    value = Reflect.get(value as object, key)
  }
  return node?.kind === "list" && Array.isArray(value) && value.length < node.items.length
}

/** The entry of a key, or what is short for it. */
const stepInto = (node: Node | undefined, key: string): Entry | undefined =>
  entryOf(node, key) ?? (key === "transitions" ? entryOf(node, "next") : undefined)

/** Tells a fault at its place in the file. One that lies in the extended contract alone is not the file's. */
const tell = (
  { code, hint, isWarning, message, path }: ContractFault,
  root: Node,
  { findings, places }: ContractReading
) => {
  const start = startOf(path, root, places)
  if (start === undefined) return
  const to = isWarning ? warn : refuse
  // it rests on everything that it compares
  to(findings, { code, message, hint, start, end: Number.POSITIVE_INFINITY })
}

/** Keys below which every key is a name, so that a fault is shown at the key. */
const namesAbove = new Set<string | object | undefined>(["payload", "min_chars"])

/** Where a path leads in the file; of what is left out there, the key it would stand under. */
const startOf = (path: ContractFault["path"], root: Node, places: ContractReading["places"]): number | undefined => {
  let node = root
  let { start } = root
  for (const [index, step] of path.entries()) {
    if (typeof step === "object") {
      node = places.get(step) ?? node
      start = node.start
    } else if (node.kind === "list") {
      node = node.items.find((item) => item.kind === "text" && item.value.trim() === step) ?? node
      start = node.start
    } else if (node.kind === "mapping") {
      const entry = stepInto(node, step)
      if (entry === undefined) return index < 2 ? besidesFile(path, root) : start
      node = entry.value
      const isGroup = node.kind === "mapping" || node.kind === "list"
      start = isGroup || namesAbove.has(path[index - 1]) ? entry.keyStart : node.start
    }
  }
  return start
}

/** The place of a start that is missing. What else no section of the file holds is of the extended contract alone. */
const besidesFile = (path: ContractFault["path"], root: Node): number | undefined =>
  path.length === 1 ? (entryOf(root, "phases")?.keyStart ?? root.start) : undefined

/** Sentences for phases that no contract has are never said. */
const warnOfUnusedFailures = (
  root: Node,
  merged: PhaseContract,
  { bases }: ContractOptions,
  reading: ContractReading
) => {
  const failures = entryOf(root, "failures")?.value
  const all = [merged, ...Object.values(bases)].flatMap(({ phases }) => Object.keys(phases))
  const known = new Set(["READY", "common", ...all])
  for (const entry of failures?.kind === "mapping" ? failures.entries : []) {
    if (!known.has(entry.key)) warnOfNearMiss(entry, known, { content: reading.file.text, findings: reading.findings })
  }
}
