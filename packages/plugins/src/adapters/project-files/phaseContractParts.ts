/** The values of a contract that the sections of a phase_contract.yml are. */
import { type Result, Schema } from "effect"
import { capital, quoted } from "../../options/words.ts"
import type { Condition, Phase, Scalar, Transition } from "../../policies/sessions/contract.ts"
import { type Decoded, decodeAt, eachOf, type Found, type Path } from "./decodeFile.ts"
import { byName, given, text } from "./fileSchema.ts"
import type { Entry, MappingNode, Node } from "./Node.ts"
import { type Finding, type Findings, refuse } from "./Problem.ts"
import {
  type ConditionPart,
  type ContractFile,
  fieldPattern,
  namePattern,
  type PhaseFile,
  type TransitionPart
} from "./phaseContractFile.ts"
import type { ContractPart, PhasePart } from "./phaseContractMerge.ts"
import { failureOf, type Placeholders, sentenceAt, warnOfNearMiss, warnOfUnknown } from "./phaseContractSentences.ts"
import { type ContractText, maxNotation } from "./phaseContractText.ts"
import type { Spot } from "./tellIssues.ts"

/** Tells whether a notation of a payload can be read, and if not, why, where (offset from 0), and what to do. */
export type Compile = (
  notation: string
) => Result.Result<unknown, { readonly message: string; readonly at: number; readonly hint: string }>

/** A file while it is read. */
export interface ContractReading {
  readonly file: ContractText
  readonly findings: Findings
  readonly compile: Compile
  /** Where transitions and conditions stand that the file gives. */
  readonly places: Map<object, Node>
  /** By the entries of a mapping: its notation, so that aliases do not multiply the work. */
  readonly composed: Map<MappingNode["entries"], string | undefined>
}

export const readingOf = (file: ContractText, compile: Compile): ContractReading => ({
  file,
  findings: file.source.findings,
  compile: eachOnce(compile),
  places: new Map(),
  composed: new Map()
})

const eachOnce = (compile: Compile): Compile => {
  const compiled = new Map<string, ReturnType<Compile>>()
  return (notation) => {
    const known = compiled.get(notation)
    if (known !== undefined) return known
    const result = compile(notation)
    compiled.set(notation, result)
    return result
  }
}

/** The names of a list, or of one. */
const namesIn = (value: Found<string | ReadonlyArray<string>>): ReadonlyArray<string> =>
  eachOf<string>(value).map(({ item }) => item.trim())

const someNames = (value: Found<string | ReadonlyArray<string>>) => (value === undefined ? undefined : namesIn(value))
const someFields = (value: Found<string | ReadonlyArray<string>>) => someNames(value)?.map(plainField)

const plainField = (name: string): string => name.trim().replace(/\?$/, "")

/** A mapping by names, less what was refused. */
const recordOf = <A, B>(
  values: { readonly [name: string]: A | undefined } | null | undefined,
  pattern: RegExp,
  to: (value: NonNullable<A>, name: string) => B,
  nameOfKey = (key: string) => key.trim()
): { readonly [name: string]: B } | undefined =>
  values === undefined || values === null
    ? undefined
    : Object.fromEntries(
        Object.entries(values).flatMap(([key, value]) =>
          value === undefined || value === null || !pattern.test(key) ? [] : [[nameOfKey(key), to(value, key)]]
        )
      )

/** Makes the values of a contract of what was read, and keeps where transitions and conditions stand. */
export const contractPartOf = (
  { at, found }: Decoded<ContractFile>,
  { places }: ContractReading
): Omit<ContractPart, "base"> & { readonly extends?: string | undefined } => {
  const kept = <A extends object>(value: A, path: Path): A => {
    places.set(value, at(...path))
    return value
  }
  const condition = (written: Found<ConditionPart>, path: Path): Condition | undefined => {
    if (written === undefined) return undefined
    const { gate, outcome, payload, tasks } = written
    const values = (value: Scalar | ReadonlyArray<Scalar | undefined>) =>
      Array.isArray(value) ? value.filter((item) => item !== undefined) : (value as Scalar)
    return kept(
      given({
        payload: recordOf(payload, fieldPattern, values, plainField),
        empty: someFields(written.empty),
        filled: someFields(written.filled),
        flags: someNames(written.flags),
        intent: someNames(written.intent),
        gate: gate === undefined ? undefined : eachOf<"auto" | "full">(gate).map(({ item }) => item),
        outcome,
        tasks,
        reached: someNames(written.reached)
      }),
      path
    )
  }
  const transition = (written: Found<TransitionPart>, path: Path): ReadonlyArray<Transition> => {
    if (typeof written === "string") return [kept({ to: written.trim() }, path)]
    if (written?.to === undefined) return []
    const when = condition(written.when, [...path, "when"])
    const unless = condition(written.unless, [...path, "unless"])
    const more = given({ when, unless, count: written.count?.trim(), reset: someNames(written.reset) })
    return [kept({ to: written.to.trim(), ...more }, path)]
  }
  const transitions = (written: Found<PhaseFile["transitions"]> | null, ...path: Path) =>
    written === undefined || written === null
      ? undefined
      : eachOf<TransitionPart>(written, ...path).flatMap(({ item, path: own }) => transition(item, own))
  const phase = (written: NonNullable<Found<PhaseFile>>, name: string): PhasePart => {
    const path = ["phases", name]
    return given({
      kind: written.kind,
      instruction: written.instruction?.trim(),
      not_empty: someFields(written.not_empty),
      min_chars: recordOf(written.min_chars, fieldPattern, Number, plainField),
      writes: written.writes,
      explores: someFields(written.explores),
      also: someNames(written.also),
      checks: written.checks === undefined ? undefined : eachOf<string>(written.checks).map(({ item }) => item),
      transitions:
        transitions(written.transitions, ...path, "transitions") ?? transitions(written.next, ...path, "next")
    })
  }
  const { flags, intents, limits, name, phases, start, write_targets } = found ?? {}
  return {
    phases: recordOf(phases, namePattern, phase) ?? {},
    ...given({
      extends: found?.extends,
      name: name?.trim(),
      start: transitions(start, "start"),
      limits: recordOf(limits, namePattern, Number),
      flags: recordOf(flags, namePattern, (said) => said.trim()),
      intents: intents === null ? undefined : someNames(intents),
      write_targets: write_targets === null || write_targets === undefined ? undefined : given(write_targets)
    })
  }
}

/** What is wrong with a notation, at its place in the file. False: something is. */
const isNotation = (
  notation: string,
  name: string,
  span: { readonly at: (offset: number) => number; readonly end: number },
  contract: ContractReading
): boolean => {
  const tell = (finding: Pick<Finding, "code" | "message" | "hint">, start: number) =>
    refuse(contract.findings, { ...finding, start, end: span.end })
  if (notation.length > maxNotation) {
    const message = `${capital(name)} is longer than ${maxNotation} characters.`
    tell({ code: "notation_too_long", message, hint: "Ask for less in one phase." }, span.at(0))
    return false
  }
  const compiled = contract.compile(notation)
  if (compiled._tag === "Success") return true
  const { at, hint, message } = compiled.failure
  tell({ code: "notation_invalid", message: `${capital(name)}: ${message}`, hint }, span.at(at))
  return false
}

/** A notation on one line. */
const onOneLine = (notation: string): string => notation.trim().replaceAll(/[ \t]*\r?\n\s*/g, " ")

const notationText = text("a notation, e.g. `str` or `list[{item, status}]`")

/** What a value says of a field; undefined: refused. */
const notationAt = (spot: Spot, contract: ContractReading): string | undefined => {
  const { file, findings } = contract
  const { name, node } = spot
  if (node.kind === "null") return "any"
  if (node.kind === "mapping") return composedNotation(node, name, contract)
  const bare = file.notations.get(node.start)
  if (bare !== undefined) {
    const at = (offset: number) => node.start + Math.min(offset, bare.text.length)
    return isNotation(bare.text, name, { at, end: node.end }, contract) ? onOneLine(bare.text) : undefined
  }
  const value = decodeAt(notationText, spot, findings)?.trim()
  if (value === undefined) return undefined
  const within = file.text.slice(node.start, node.end).indexOf(value)
  const at = (offset: number) => (within === -1 ? node.start : node.start + within + Math.min(offset, value.length))
  return isNotation(value, name, { at, end: node.end }, contract) ? onOneLine(value) : undefined
}

/** The notation of what is written as a mapping over several lines. */
const composedNotation = (node: MappingNode, name: string, contract: ContractReading): string | undefined => {
  const { composed } = contract
  if (composed.has(node.entries)) return composed.get(node.entries)
  composed.set(node.entries, undefined)
  const fields = node.entries.map(({ key, value }) => {
    const notation = notationAt({ node: value, name: `\`${key}\` of ${name}`, otherwise: "" }, contract)
    return notation === undefined ? undefined : value.kind === "null" ? key : `${key}: ${notation}`
  })
  if (fields.includes(undefined)) return undefined
  const notation = `{${fields.join(", ")}}`
  const isSound = isNotation(notation, name, { at: () => node.start, end: node.end }, contract)
  if (isSound) composed.set(node.entries, notation)
  return isSound ? notation : undefined
}

/** Fields that are refused are left out; `any` stands for those whose notation is, so that they are known. */
const payloadOf = (node: MappingNode, owner: string, contract: ContractReading): Phase["expected_payload"] => {
  const fields = new Map<string, string>()
  const names = new Set<string>()
  const payload = `\`expected_payload\` of ${owner}`
  for (const { key, keyEnd, keyStart, value } of node.entries) {
    if (!fieldPattern.test(key)) continue
    const field = key.trim()
    const name = plainField(field)
    const read = notationAt({ node: value, name: `\`${field}\` of ${payload}`, otherwise: "" }, contract)
    if (names.has(name)) {
      refuse(contract.findings, {
        code: "field_twice",
        message: `${capital(payload)} has the field ${quoted(name)} twice.`,
        hint: "Keep one of the two; `?` behind a name says that it may be left out.",
        start: keyStart,
        end: keyEnd
      })
    } else fields.set(field, read ?? "any")
    names.add(name)
  }
  return Object.fromEntries(fields)
}

/** The phases of the file with what they expect. */
export const withPayloads = (
  phases: ContractPart["phases"],
  root: Node,
  contract: ContractReading
): ContractPart["phases"] => {
  const section = entryOf(root, "phases")?.value
  const written = new Map(
    (section?.kind === "mapping" ? section.entries : []).flatMap(({ key, value }) => {
      const payload = entryOf(value, "expected_payload")?.value
      return payload?.kind === "mapping"
        ? [[key.trim(), payloadOf(payload, `phase ${quoted(key)}`, contract)] as const]
        : []
    })
  )
  return Object.fromEntries(
    Object.entries(phases).map(([name, phase]) => {
      const expected_payload = written.get(name)
      return [name, expected_payload === undefined ? phase : { ...phase, expected_payload }]
    })
  )
}

/** The value under a key of a mapping, with its key. */
export const entryOf = (node: Node | undefined, key: string): Entry | undefined =>
  node?.kind === "mapping" ? node.entries.find((entry) => entry.key === key) : undefined

/** By phase and key: the failures that a section gives. */
type Failures = NonNullable<ContractPart["failures"]>

/** The entries of what must be a mapping of names; empty where it is none, which is told. */
const entriesIn = (node: Node, name: string, expects: string, { findings }: ContractReading): ReadonlyArray<Entry> => {
  const byKey = byName(text("a key"), Schema.Unknown, expects)
  if (node.kind === "null") return []
  decodeAt(byKey, { node, name, otherwise: "" }, findings)
  return node.kind === "mapping" ? node.entries.filter(({ key }) => key.trim() !== "") : []
}

/** The failures of one phase. */
const failuresOf = (
  { key, value }: Pick<Entry, "key" | "value">,
  placeholders: Placeholders,
  contract: ContractReading
): Failures[string] => {
  const sentenceContext = { content: contract.file.text, findings: contract.findings }
  const entries = entriesIn(value, `\`${key}\``, "failure keys, each with its sentence", contract)
  return Object.fromEntries(
    entries.flatMap((entry) => {
      const allowed = Object.hasOwn(placeholders, entry.key) ? (placeholders[entry.key] ?? null) : null
      // other parts of a project may have keys of their own
      if (allowed === null) warnOfNearMiss(entry, Object.keys(placeholders), sentenceContext)
      const failure = failureOf(entry, allowed, sentenceContext)
      return failure === undefined ? [] : [[entry.key, failure] as const]
    })
  )
}

/** `failures` and `common_failures` by phase. */
export const readFailures = (root: Node, placeholders: Placeholders, contract: ContractReading): Failures => {
  const section = entryOf(root, "failures")?.value
  const common = entryOf(root, "common_failures")
  const phases =
    section === undefined ? [] : entriesIn(section, "`failures`", "phases, each with its failures", contract)
  const read = new Map(phases.map((entry) => [entry.key, failuresOf(entry, placeholders, contract)]))
  if (common !== undefined) {
    read.set("common", { ...read.get("common"), ...failuresOf(common, placeholders, contract) })
  }
  return Object.fromEntries(Array.from(read).filter(([, sentences]) => Object.keys(sentences).length > 0))
}

/** `instructions` by key. */
export const readInstructions = (
  root: Node,
  placeholders: Placeholders,
  contract: ContractReading
): Readonly<Record<string, string>> => {
  const section = entryOf(root, "instructions")?.value
  const sentenceContext = { content: contract.file.text, findings: contract.findings }
  const entries =
    section === undefined
      ? []
      : entriesIn(section, "`instructions`", "keys of instructions, each with its sentence", contract)
  return Object.fromEntries(
    entries.flatMap((entry) => {
      const allowed = Object.hasOwn(placeholders, entry.key) ? placeholders[entry.key] : undefined
      if (allowed === undefined) {
        warnOfUnknown(entry, Object.keys(placeholders), sentenceContext)
        return []
      }
      const said = sentenceAt(entry.value, `\`${entry.key}\``, allowed, sentenceContext)
      return said === undefined ? [] : [[entry.key, said] as const]
    })
  )
}
