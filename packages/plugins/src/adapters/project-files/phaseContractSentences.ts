/** The sentences of a phase_contract.yml, and what they may hold in braces. */

import { capital, closest, enumerate, quoted } from "../../options/words.ts"
import { type FailureText, failureSentences } from "../../policies/sessions/contract.ts"
import { decodeAt } from "./decodeFile.ts"
import { text } from "./fileSchema.ts"
import type { Entry, MappingNode, Node } from "./Node.ts"
import { type Findings, refuse, warn } from "./Problem.ts"

/** What a sentence may hold in braces, by failure key. */
export type Placeholders = Readonly<Record<string, ReadonlyArray<string>>>

/** Characters of a sentence: it is recorded with every run and sent with every refusal. */
const maxMessage = 4_000

/** What a failure may say; all but the first two are for other readers of the file. */
const entryKeys = ["message", "error", "instruction", "requires_user_intervention"]

const failureCode = text("the code of the failure")
const sentenceText = text("the sentence")

/** Where sentences are read. */
export interface SentenceContext {
  readonly findings: Findings
  /** The file as it is written, for the places of placeholders. */
  readonly content: string
}

/** The sentences of `failures.READY` for the allowed keys, in their order. */
export const readMessages = (
  root: Node,
  allowed: Placeholders,
  sentenceContext: SentenceContext
): Readonly<Record<string, string>> => {
  const ready = section(section(root, "the file", "failures", sentenceContext), "`failures`", "READY", sentenceContext)
  const found = new Map<string, string>()
  for (const entry of mappingOf(ready, "`failures.READY`", sentenceContext)?.entries ?? []) {
    const names = Object.hasOwn(allowed, entry.key) ? allowed[entry.key] : undefined
    if (names === undefined) warnOfNearMiss(entry, Object.keys(allowed), sentenceContext)
    else {
      const message = messageOf(entry, names, sentenceContext)
      if (message !== undefined) found.set(entry.key, message)
    }
  }
  return Object.fromEntries(
    Object.keys(allowed).flatMap((key) => {
      const message = found.get(key)
      return message === undefined ? [] : [[key, message]]
    })
  )
}

/** A failure as the project words it; `allowed` are the placeholders of its key, null: any. Undefined: refused. */
export const failureOf = (
  entry: Entry,
  allowed: ReadonlyArray<string> | null,
  sentenceContext: SentenceContext
): typeof FailureText.Type | undefined => {
  const message = messageOf(entry, allowed, sentenceContext)
  const inside = entry.value.kind === "mapping" ? entry.value.entries : []
  for (const part of inside) {
    if (entryKeys.includes(part.key)) continue
    warn(sentenceContext.findings, {
      code: "unknown_key",
      message: `The key ${quoted(part.key)} of ${quoted(entry.key)} is not known, so what it says is not used.`,
      hint: () => {
        const near = closest(part.key, entryKeys)
        return near === undefined ? `Remove it; known keys are ${enumerate(entryKeys)}.` : `Did you mean \`${near}\`?`
      },
      start: part.keyStart,
      end: part.keyEnd
    })
  }
  const error = inside.find(({ key }) => key === "error")
  const spot = { name: `\`error\` of \`${entry.key}\``, otherwise: ", or leave the key out" }
  const code =
    error === undefined
      ? codeOf(entry.key)
      : decodeAt(failureCode, { ...spot, node: error.value }, sentenceContext.findings)?.trim()
  if (message === undefined || code === undefined) return undefined
  // other keys may be another program's, and so may their codes
  if (allowed === null && !Object.hasOwn(failureSentences, entry.key)) return { error: code, message }
  if (error !== undefined && code !== codeOf(entry.key)) tellOtherCode(error, entry.key, code, sentenceContext)
  return { error: codeOf(entry.key), message }
}

/** The code of a refusal that says the sentence of a key. Programs rely on it, so no contract changes it. */
const codeOf = (key: string): string => (Object.hasOwn(otherCodes, key) ? (otherCodes[key] ?? "") : "payload_mismatch")

const otherCodes: Readonly<Record<string, string>> = {
  phase_mismatch: "phase_mismatch",
  phase_mismatch_complete: "phase_mismatch",
  person_required: "person_required"
}

/** The code that stands in the file is not the one that agents are answered with. */
const tellOtherCode = ({ value }: Entry, key: string, said: string, { findings }: SentenceContext): void =>
  warn(findings, {
    code: "error_fixed",
    message: `\`error\` of \`${key}\` is ${quoted(said)}, but agents are answered with the code \`${codeOf(key)}\`: codes are fixed, so that programs can rely on them.`,
    hint: `Write \`error: ${codeOf(key)}\`, or leave the key out; the sentence is used as it stands.`,
    start: value.start,
    end: value.end
  })

/** The value of one key of a mapping in which every other key is allowed; null where there is none. */
const section = (node: Node | null, name: string, key: string, sentenceContext: SentenceContext): Node | null => {
  const entries = mappingOf(node, name, sentenceContext)?.entries ?? []
  const found = entries.find((entry) => entry.key === key)
  if (found === undefined) for (const entry of entries) warnOfNearMiss(entry, [key], sentenceContext)
  return found?.value ?? null
}

/** The node as a mapping; null where it is none, which is told unless it is left out. */
const mappingOf = (node: Node | null, name: string, { findings }: SentenceContext): MappingNode | null => {
  if (node === null || node.kind === "null") return null
  if (node.kind === "mapping") return node
  if (node.kind === "other" && node.told) return null
  refuse(findings, {
    code: "wrong_type",
    message: capital(`${name} must be a mapping.`),
    hint: "Write lines of `key: value`.",
    start: node.start,
    end: node.end
  })
  return null
}

/** Warns of a key whose value is not used when it is probably a slip. */
export const warnOfNearMiss = (
  { key, keyEnd, keyStart }: Entry,
  known: Iterable<string>,
  { findings }: SentenceContext
): void => {
  const near = closest(key, known)
  if (near === undefined) return
  warn(findings, {
    code: "unknown_key",
    message: `The key ${quoted(key)} is not known here, so what it says is not used.`,
    hint: `Did you mean \`${near}\`?`,
    start: keyStart,
    end: keyEnd
  })
}

/** Warns of a key of a section in which nobody else has keys. */
export const warnOfUnknown = (
  { key, keyEnd, keyStart }: Entry,
  known: Iterable<string>,
  { findings }: SentenceContext
): void => {
  warn(findings, {
    code: "unknown_key",
    message: `The key ${quoted(key)} is not known here, so what it says is not used.`,
    hint: () => {
      const near = closest(key, known)
      return near === undefined ? "Remove it; the schema of this file names all keys." : `Did you mean \`${near}\`?`
    },
    start: keyStart,
    end: keyEnd
  })
}

/** The sentence of an entry: its text, or `message` in it. Undefined: refused. */
const messageOf = (
  { key, keyEnd, keyStart, value }: Entry,
  names: ReadonlyArray<string> | null,
  sentenceContext: SentenceContext
) => {
  const { findings } = sentenceContext
  if (value.kind !== "mapping") return sentenceAt(value, `\`${key}\``, names, sentenceContext)
  const message = value.entries.find((entry) => entry.key === "message")
  if (message !== undefined) return sentenceAt(message.value, `\`message\` of \`${key}\``, names, sentenceContext)
  refuse(findings, {
    code: "missing_key",
    message: `\`${key}\` has no \`message\`.`,
    hint: "Add `message:` with the sentence, or remove the entry; then the built-in sentence is used.",
    start: keyStart,
    end: keyEnd
  })
  return undefined
}

/** A sentence that holds no other placeholders than these; null: any. Undefined: refused. */
export const sentenceAt = (
  node: Node,
  name: string,
  names: ReadonlyArray<string> | null,
  sentenceContext: SentenceContext
): string | undefined => {
  const { content, findings } = sentenceContext
  const message = decodeAt(sentenceText, { node, name, otherwise: ", or remove the entry" }, findings)?.trim()
  if (message === undefined) return undefined
  if (message.length > maxMessage) {
    refuse(findings, {
      code: "message_too_long",
      message: `${capital(name)} is longer than ${maxMessage} characters.`,
      hint: "Say it in a sentence or two; longer instructions belong to the task.",
      start: node.start,
      end: node.end
    })
    return undefined
  }
  if (names === null) return message
  const source = content.slice(node.start, node.end)
  let from = 0
  for (const { fault, text } of braceFaults(message, names)) {
    const at = source.indexOf(text, from)
    if (at !== -1) from = at + text.length
    refuse(findings, {
      code: "placeholder_unknown",
      message: `${capital(name)} holds ${quoted(text)}, ${fault}.`,
      hint: () => hintFor(text, names),
      start: at === -1 ? node.start : node.start + at,
      end: node.end
    })
  }
  return message
}

const hintFor = (text: string, names: ReadonlyArray<string>): string => {
  const marked = names.map((name) => `{${name}}`)
  if (names.length === 0) return "Write it without braces: this sentence has no placeholders."
  const near = closest(text.replaceAll(/[^\p{L}\p{N}_]/gu, ""), names)
  const all = `Allowed here: ${enumerate(marked)}`
  return near === undefined ? `${all}; write other words without braces.` : `Did you mean \`{${near}}\`? ${all}.`
}

const braces = /\{\{([^{}]*)\}\}|\{([^{}]*)(\}?)|\}/gu
const word = /^\s*[\p{L}_$][\p{L}\p{N}_.\-[\]()!:<>$]*\s*$/u

interface BraceFault {
  /** As it stands in the sentence. */
  readonly text: string
  readonly fault: string
}

/** What is wrong with the braces of a sentence, in their order. Braces around anything but a word, as in JSON, are text. */
const braceFaults = (message: string, names: ReadonlyArray<string>): ReadonlyArray<BraceFault> =>
  Array.from(message.matchAll(braces)).flatMap((match) => {
    const [text, doubled, inside, close] = match
    if (doubled !== undefined) return word.test(doubled) ? [{ text, fault: "where one pair of braces is meant" }] : []
    if (inside === undefined) return neverBegun(message.slice(Math.max(0, match.index - 40), match.index), names)
    if (close === "") return neverEnded(inside, names)
    return word.test(inside) && !names.includes(inside) ? [{ text, fault: "which is no placeholder of it" }] : []
  })

const neverBegun = (before: string, names: ReadonlyArray<string>): ReadonlyArray<BraceFault> => {
  const name = /[\p{L}\p{N}_]*$/u.exec(before)?.[0] ?? ""
  return names.includes(name) ? [{ text: `${name}}`, fault: "whose opening brace is missing" }] : []
}

const neverEnded = (after: string, names: ReadonlyArray<string>): ReadonlyArray<BraceFault> => {
  const [text = "", name = ""] = /^\s*([\p{L}\p{N}_]*)/u.exec(after) ?? []
  const isMeant = name !== "" && (text === name || names.includes(name))
  return isMeant ? [{ text: `{${text}`, fault: "whose closing brace is missing" }] : []
}
