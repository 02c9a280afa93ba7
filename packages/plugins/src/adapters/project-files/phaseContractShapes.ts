/** The sections of a phase_contract.yml: what each may say, read into the values of a contract. */

import type { Result } from "effect"
import type { Condition, Phase, Scalar, Transition } from "../../policies/sessions/contract.ts"
import type { Entry, MappingNode, Node } from "./Node.ts"
import { type Finding, refuse } from "./Problem.ts"
import type { ContractPart, PhasePart } from "./phaseContractMerge.ts"
import { failureOf, type Placeholders, warnOfNearMiss } from "./phaseContractSentences.ts"
import { type ContractText, maxNotation } from "./phaseContractText.ts"
import {
  byName,
  type Field,
  list,
  listOrOne,
  mapped,
  mapping,
  maxValues,
  number,
  oneOf,
  optional,
  type Read,
  type Reading,
  refined,
  required,
  type Shape,
  type Subject,
  text,
  textOr,
  trimmed,
  trueOrFalse
} from "./shape.ts"
import { capital, quoted } from "./words.ts"

/** Tells whether a notation of a payload can be read, and if not, why, where (offset from 0), and what to do. */
export type Compile = (
  notation: string
) => Result.Result<unknown, { readonly message: string; readonly at: number; readonly hint: string }>

/** A file while it is read. */
export interface ContractReading {
  readonly file: ContractText
  readonly reading: Reading
  readonly compile: Compile
  /** Where transitions and conditions stand that the file gives. */
  readonly places: Map<object, Node>
  /** Problems of notations: they say nothing against the way through the phases. */
  notationProblems: number
  /** By the entries of a mapping: its notation, so that aliases do not multiply the work. */
  readonly composed: Map<MappingNode["entries"], string | undefined>
}

export const readingOf = (file: ContractText, compile: Compile): ContractReading => ({
  file,
  reading: { findings: file.source.findings, budget: maxValues, syntax: "yaml" },
  compile: eachOnce(compile),
  places: new Map(),
  notationProblems: 0,
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

const namePattern = /^\p{L}[\p{L}\p{M}\p{N}_.-]{0,99}$/u
/** As notations name fields; a digit at the start would change the order of the fields. */
const fieldPattern = /^(?!__proto__)[\p{L}_$][\p{L}\p{M}\p{N}_$.-]{0,99}\??$/u

const nameOf = (what: string): Shape<string> =>
  refined(trimmed(what), (name, subject) =>
    namePattern.test(name)
      ? undefined
      : {
          code: "name_invalid",
          message: `${subject.name} cannot be ${quoted(name)}.`,
          hint: "Begin it with a letter and use letters, digits, `_`, `.` and `-` only, at most 100."
        }
  )

const phaseName = nameOf("the name of a phase")
const counterName = nameOf("the name of a counter")
const flagName = nameOf("the name of a flag")
const intentName = nameOf("the name of an intent")

const fieldName = refined(trimmed("the name of a field"), (name, subject) =>
  fieldPattern.test(name)
    ? undefined
    : {
        code: "field_invalid",
        message: `${subject.name} cannot be ${quoted(name)}.`,
        hint: "Write `name: type`, with a question mark behind the name of a field that may be left out."
      }
)
const plainField = mapped(fieldName, (name) => name.replace(/\?$/, ""))

const asNode: Shape<Node> = { expects: "a value", read: (node) => node }

/** The entries of a mapping of names whose name holds. */
const entriesBy = (name: Shape<string>, expects: string): Shape<ReadonlyArray<Entry>> => {
  const named = byName(name, asNode, expects)
  return {
    expects,
    read: (node, subject, reading) => {
      const values = named.read(node, subject, reading)
      if (values === undefined || node.kind !== "mapping") return undefined
      return node.entries.filter(({ key }) => values.has(key.trim()))
    }
  }
}

const record = <A>(name: Shape<string>, value: Shape<A>, expects: string): Shape<Readonly<Record<string, A>>> =>
  mapped(byName(name, value, expects), (values) => Object.fromEntries(values))

const scalar: Shape<Scalar> = {
  expects: "a text, a number, true or false",
  read: (node, subject, reading) => {
    if (node.kind === "boolean") return node.value
    if (node.kind === "number") return number({ whole: false, min: -1e15, max: 1e15 }).read(node, subject, reading)
    return text("a text, a number, true or false").read(node, subject, reading)
  }
}
const scalars = list(scalar, "the values")

const conditionFields = {
  payload: optional(
    record<Scalar | ReadonlyArray<Scalar>>(
      plainField,
      {
        expects: "a value or a list of values",
        read: (node, subject, reading) => (node.kind === "list" ? scalars : scalar).read(node, subject, reading)
      },
      "fields of the payload, each with its value"
    )
  ),
  empty: optional(listOrOne(plainField, "fields of the payload")),
  filled: optional(listOrOne(plainField, "fields of the payload")),
  flags: optional(listOrOne(flagName, "flags")),
  intent: optional(listOrOne(intentName, "intents")),
  gate: optional(listOrOne(oneOf(["auto", "full"]), "`auto` or `full`")),
  outcome: optional(oneOf(["passed", "failed"], { pass: "Write `passed`.", fail: "Write `failed`." })),
  tasks: optional(oneOf(["none", "open", "done"])),
  reached: optional(listOrOne(counterName, "counters"))
}

const conditionRules = mapping({
  fields: conditionFields,
  expects: "what must hold, e.g. `outcome: passed`",
  synonyms: { flags: ["flag"], intent: ["intents"], payload: ["field", "fields"], reached: ["limit", "limits"] }
})

const conditionShape = (places: Map<object, Node>): Shape<Condition> =>
  mapped(conditionRules, (condition: Read<typeof conditionFields>, node) => {
    places.set(condition, node)
    return condition
  })

const transitionShape = (places: Map<object, Node>): Shape<Transition> => {
  const condition = conditionShape(places)
  const keep = (transition: Transition, node: Node): Transition => {
    places.set(transition, node)
    return transition
  }
  return textOr(
    mapped(phaseName, (to, node) => keep({ to }, node)),
    {
      fields: {
        to: required(phaseName),
        when: optional(condition),
        unless: optional(condition),
        count: optional(counterName),
        reset: optional(listOrOne(counterName, "counters"))
      },
      expects: "`to` with the name of a phase",
      synonyms: { to: ["next", "goto", "target"], when: ["if"], unless: ["except"] }
    },
    ({ to, ...more }, node) => (to === undefined ? undefined : keep({ to, ...more }, node))
  )
}

/** What is wrong with a notation, at its place in the file. False: something is. */
const isNotation = (
  notation: string,
  subject: Subject,
  span: { readonly at: (offset: number) => number; readonly end: number },
  contract: ContractReading
): boolean => {
  const tell = (finding: Pick<Finding, "code" | "message" | "hint">, start: number) => {
    contract.notationProblems += 1
    refuse(contract.reading.findings, { ...finding, start, end: span.end })
  }
  if (notation.length > maxNotation) {
    const message = `${capital(subject.name)} is longer than ${maxNotation} characters.`
    tell({ code: "notation_too_long", message, hint: "Ask for less in one phase." }, span.at(0))
    return false
  }
  const compiled = contract.compile(notation)
  if (compiled._tag === "Success") return true
  const { at, hint, message } = compiled.failure
  tell({ code: "notation_invalid", message: `${capital(subject.name)}: ${message}`, hint }, span.at(at))
  return false
}

/** A notation on one line. */
const onOneLine = (notation: string): string => notation.trim().replaceAll(/[ \t]*\r?\n\s*/g, " ")

const notationText = text("a notation, e.g. `str` or `list[{item, status}]`")

/** What a value says of a field; undefined: refused. */
const notationAt = (node: Node, subject: Subject, contract: ContractReading): string | undefined => {
  const { file, reading } = contract
  if (node.kind === "null") return "any"
  if (node.kind === "mapping") return composedNotation(node, subject, contract)
  const bare = file.notations.get(node.start)
  if (bare !== undefined) {
    const at = (offset: number) => node.start + Math.min(offset, bare.text.length)
    return isNotation(bare.text, subject, { at, end: node.end }, contract) ? onOneLine(bare.text) : undefined
  }
  const value = notationText.read(node, subject, reading)?.trim()
  if (value === undefined) return undefined
  const within = file.text.slice(node.start, node.end).indexOf(value)
  const at = (offset: number) => (within === -1 ? node.start : node.start + within + Math.min(offset, value.length))
  return isNotation(value, subject, { at, end: node.end }, contract) ? onOneLine(value) : undefined
}

/** The notation of what is written as a mapping over several lines. */
const composedNotation = (node: MappingNode, subject: Subject, contract: ContractReading): string | undefined => {
  const { composed } = contract
  if (composed.has(node.entries)) return composed.get(node.entries)
  composed.set(node.entries, undefined)
  const fields = node.entries.map(({ key, value }) => {
    const notation = notationAt(value, { name: `\`${key}\` of ${subject.name}`, otherwise: "" }, contract)
    return notation === undefined ? undefined : value.kind === "null" ? key : `${key}: ${notation}`
  })
  if (fields.includes(undefined)) return undefined
  const notation = `{${fields.join(", ")}}`
  const span = { at: () => node.start, end: node.end }
  const isSound = isNotation(notation, subject, span, contract)
  if (isSound) composed.set(node.entries, notation)
  return isSound ? notation : undefined
}

/** Fields that are refused are left out; `any` stands for those whose notation is, so that they are known. */
const payloadShape = (contract: ContractReading): Shape<Phase["expected_payload"]> => {
  const entries = entriesBy(fieldName, "the fields of the payload, each with its notation")
  return {
    expects: entries.expects,
    read: (node, subject, reading) => {
      if (node.kind === "mapping" && node.entries.length === 0) return {}
      const written = entries.read(node, subject, reading)
      if (written === undefined) return undefined
      const fields = new Map<string, string>()
      const names = new Set<string>()
      for (const { key, keyEnd, keyStart, value } of written) {
        const field = key.trim()
        const name = field.replace(/\?$/, "")
        const read = notationAt(value, { name: `\`${field}\` of ${subject.name}`, otherwise: "" }, contract)
        if (names.has(name)) {
          refuse(reading.findings, {
            code: "field_twice",
            message: `${capital(subject.name)} has the field ${quoted(name)} twice.`,
            hint: "Keep one of the two; `?` behind a name says that it may be left out.",
            start: keyStart,
            end: keyEnd
          })
        } else fields.set(field, read ?? "any")
        names.add(name)
      }
      return Object.fromEntries(fields)
    }
  }
}

const phaseFields = (contract: ContractReading) => {
  const transition = transitionShape(contract.places)
  return {
    kind: optional(
      oneOf(["submit", "plan", "tasks", "complete", "verify", "person", "end", "stop"], {
        implement: "Write `tasks`.",
        task: "Write `tasks`.",
        human: "Write `person`.",
        user: "Write `person`.",
        done: "Write `end`.",
        final: "Write `end`.",
        abort: "Write `stop`.",
        cancelled: "Write `stop`."
      })
    ),
    expected_payload: optional(payloadShape(contract)),
    instruction: optional(trimmed("the instruction for the agent")),
    not_empty: optional(listOrOne(plainField, "fields of the payload")),
    min_chars: optional(
      record(plainField, number({ whole: true, min: 0, max: 100_000 }), "fields of the payload, each with a number")
    ),
    writes: optional(trueOrFalse),
    explores: optional(listOrOne(plainField, "fields of the payload")),
    also: optional(listOrOne(phaseName, "names of phases")),
    checks: optional(listOrOne(text("a shell command"), "shell commands")),
    next: optional(mapped(transitionTo(transition), (only): ReadonlyArray<Transition> => [only])),
    transitions: optional(listOrOne(transition, "the ways out of the phase"))
  }
}

/** Only the name of a phase. */
const transitionTo = (transition: Shape<Transition>): Shape<Transition> => ({
  expects: "the name of a phase",
  read: (node, subject, reading) => {
    if (node.kind === "text") return transition.read(node, subject, reading)
    phaseName.read(node, subject, reading)
    return undefined
  }
})

const phaseShape = (contract: ContractReading): Shape<PhasePart> => {
  const rules = mapping({
    fields: phaseFields(contract),
    expects: "what the phase expects and where it leads",
    synonyms: {
      expected_payload: ["payload", "expects"],
      instruction: ["instructions"],
      transitions: ["goto", "to"],
      checks: ["commands", "verifiers"],
      min_chars: ["min_length"]
    }
  })
  return mapped(rules, ({ next, ...phase }, node) => {
    if (next === undefined) return phase
    if (phase.transitions === undefined) return { ...phase, transitions: next }
    refuse(contract.reading.findings, {
      code: "key_conflict",
      message: "`next` and `transitions` both say where the phase leads.",
      hint: "Keep `transitions`; `next: X` is short for `transitions: [X]`.",
      start: entryOf(node, "next")?.keyStart ?? node.start,
      end: node.end
    })
    return phase
  })
}

/** The value under a key of a mapping, with its key. */
export const entryOf = (node: Node | undefined, key: string): Entry | undefined =>
  node?.kind === "mapping" ? node.entries.find((entry) => entry.key === key) : undefined

const phasesShape = (contract: ContractReading): Shape<Readonly<Record<string, PhasePart>>> => {
  const entries = entriesBy(phaseName, "the phases, each under its name")
  const phase = phaseShape(contract)
  return {
    expects: entries.expects,
    read: (node, subject, reading) => {
      const read = entries.read(node, subject, reading)?.flatMap(({ key, value }) => {
        const part = phase.read(value, { name: `phase ${quoted(key)}`, otherwise: "" }, reading)
        return part === undefined ? [] : [[key.trim(), part] as const]
      })
      return read === undefined ? undefined : Object.fromEntries(read)
    }
  }
}

/** The sections of the machine: what it does, beside what it says when something is wrong. */
export const machineFields = (contract: ContractReading, bases: ReadonlyArray<string>) => ({
  extends: optional(oneOf([...bases, "none"], { null: "Write `none`." })),
  name: optional(trimmed("the name of the contract")),
  start: optional(listOrOne(transitionShape(contract.places), "the name of a phase")),
  phases: optional(phasesShape(contract)),
  limits: optional(
    record(counterName, number({ whole: true, min: 0, max: 1_000_000 }), "counters, each with its limit")
  ),
  flags: optional(record(flagName, trimmed("what the flag does"), "flags, each with what it does")),
  intents: optional(listOrOne(intentName, "names of intents")),
  write_targets: optional(
    mapping({
      fields: {
        existing: optional(oneOf(["any", "explored"])),
        fresh: optional(oneOf(["any", "explored", "none"])),
        required: optional(trueOrFalse)
      },
      expects: "which files may be written",
      synonyms: { fresh: ["new", "new_files"], existing: ["existing_files"] }
    })
  )
})

/** By phase and key: the failures that a section gives. */
type Failures = NonNullable<ContractPart["failures"]>

const anyKey = text("a key")

/** The failures of one phase. */
const failuresOf = (
  { key, value }: Pick<Entry, "key" | "value">,
  placeholders: Placeholders,
  { file, reading }: ContractReading
): Failures[string] => {
  if (value.kind === "null") return {}
  const sentenceContext = { content: file.text, reading }
  const subject = { name: `\`${key}\``, otherwise: "" }
  const entries = entriesBy(anyKey, "failure keys, each with its sentence").read(value, subject, reading) ?? []
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
export const readFailures = (
  sections: { readonly failures: Entry | undefined; readonly common: Entry | undefined },
  placeholders: Placeholders,
  contract: ContractReading
): Failures => {
  const { common, failures } = sections
  const subject = { name: "`failures`", otherwise: "" }
  const phases =
    failures === undefined || failures.value.kind === "null"
      ? []
      : (entriesBy(anyKey, "phases, each with its failures").read(failures.value, subject, contract.reading) ?? [])
  const read = new Map(phases.map((entry) => [entry.key, failuresOf(entry, placeholders, contract)]))
  if (common !== undefined) {
    read.set("common", { ...read.get("common"), ...failuresOf(common, placeholders, contract) })
  }
  return Object.fromEntries(Array.from(read).filter(([, sentences]) => Object.keys(sentences).length > 0))
}

export type MachineFields = ReturnType<typeof machineFields>
/** The known keys beside the machine's, whatever they hold. */
export const otherFields: Readonly<Record<"failures" | "common_failures", Field<Node>>> = {
  failures: optional(asNode),
  common_failures: optional(asNode)
}
