import { createHmac } from "node:crypto"
import {
  type AnyEvent,
  type Composition,
  canonicalJson,
  type EventCandidate,
  itemId,
  type Json,
  makeManifest,
  makeRetelling,
  originOf,
  type Recorded,
  type Redacted,
  type Start,
  sealChain
} from "@proofline/kernel"
import { makePseudonyms, type Pseudonyms } from "./pseudonyms.ts"
import { makeWording } from "./wording.ts"

/** A run with pseudonyms in the place of its texts, a chain of its own. */
export interface RedactedRun {
  readonly run_id: string
  readonly events: ReadonlyArray<Recorded>
  /** To be kept as a blob: what its first event commits to. */
  readonly commitments: string
  readonly departs: ReadonlyArray<number>
}

export interface Hashing {
  readonly sha256: (data: Uint8Array | string) => string
  readonly uuid5: (name: string) => string
}

const hmac = (key: string | Uint8Array, text: string): string => createHmac("sha256", key).update(text).digest("hex")

/** The id of a run that is redacted with this key. */
export const redactedId = (key: Uint8Array, run: string): string =>
  `redacted_${hmac(key, `proofline/run/${run}`).slice(0, 20)}`

/** With this an outsider can check one commitment, and no other one. */
const openingOf = (key: Uint8Array, redacted: string, version: number): string =>
  hmac(key, `proofline/opening/${redacted}/${version}`)

/** To the hash of an event, so that it cannot be found out by trying what the event may have said. */
const commitmentTo = (opening: string, hash: string): string => hmac(Buffer.from(opening, "hex"), hash)

/**
 * Tells runs again with pseudonyms; the same text has the same one in all of them. `named` are the ids in their events;
 * `published` what is in every Proofline, and nobody's own.
 */
export const makeRedaction = (
  composition: Composition,
  hashing: Hashing,
  key: Uint8Array,
  { named, published, runs }: Given
) => {
  const pseudonyms = makePseudonyms(key, named)
  for (const run of runs) pseudonyms.name(run, redactedId(key, run))
  const wording = makeWording(composition, pseudonyms, named, published)
  /** All events of one of the runs, in order; their chain was checked. */
  return (events: ReadonlyArray<Recorded>): RedactedRun =>
    redactRun({ composition, key, pseudonyms, wording, ...hashing }, events)
}

interface Given {
  readonly runs: ReadonlyArray<string>
  readonly named: ReadonlySet<string>
  readonly published: ReadonlySet<string>
}

interface Redaction extends Hashing {
  readonly composition: Composition
  readonly key: Uint8Array
  readonly pseudonyms: Pseudonyms
  readonly wording: ReturnType<typeof makeWording>
}

const redactRun = (
  { composition, key, pseudonyms, sha256, uuid5, wording }: Redaction,
  events: ReadonlyArray<Recorded>
): RedactedRun => {
  const run = events[0]?.stream ?? ""
  const run_id = redactedId(key, run)
  const commitments = canonicalJson({
    proofline_commitments: 1,
    run_id,
    events: events.map(({ hash, version }) => ({
      version,
      commitment: commitmentTo(openingOf(key, run_id, version), hash)
    }))
  })
  const redacted: Redacted = {
    method: "hmac-sha256",
    commitments: { sha256: sha256(commitments), bytes: Buffer.byteLength(commitments) },
    departs: []
  }
  const itemOf = (of: string, { key: work }: Start): string => itemId(uuid5, of, work)
  const marked = (content: unknown): object => ({ ...(content as object), redacted })
  const retelling = makeRetelling(composition, {
    command: (command) => {
      const { _tag, ...args } = wording.command(command)
      return _tag === "StartRun" ? { _tag, ...marked(args) } : { _tag, ...args }
    },
    event: (event) => {
      const { content, type } = wording.event(event)
      return { type, content: type === "RUN_STARTED" ? (marked(content) as Json) : content }
    },
    isSame: makeComparison(wording.declared, pseudonyms),
    ordered: (before, told) => {
      for (const [i, start] of before.entries()) {
        const other = told[i]
        if (other === undefined) continue
        pseudonyms.name(start.key, other.key)
        pseudonyms.name(itemOf(run, start), itemOf(run_id, other))
      }
    }
  })
  for (const recorded of events) retelling.add(recorded)
  const { departs, events: told } = retelling.end()
  return {
    run_id,
    events: sealed(composition, sha256, pseudonyms, run_id, events, told, departs),
    commitments,
    departs
  }
}

/** Adds the ids that people and agents have given: where they stand they are no words of ours. */
export const addNames = (found: Set<string>, { content }: Pick<Recorded, "content">): void => {
  const look = (value: unknown, field: string): void => {
    if (typeof value === "string") {
      if (nameField.test(field) || otherNames.has(field)) found.add(value)
    } else if (Array.isArray(value)) for (const one of value) look(one, field)
    else if (typeof value === "object" && value !== null) {
      for (const [key, one] of Object.entries(value)) look(one, key)
    }
  }
  look(content, "")
}

/** A code, and nothing that people or agents write. */
const code = /^[a-z]+(?:_[a-z]+)+$/

/** Fields that hold names of things, which rules give too. */
const nameField = /(?:^|_)ids?$|^depends_on$|^dependencies$/
const otherNames: ReadonlySet<string> = new Set(["assignee", "agent", "reviewer", "planner", "fallback", "labels"])

/** Whether other words come to the same: the same shape and figures, and the words of rules where they were. */
const makeComparison = (declared: ReadonlySet<string>, pseudonyms: Pseudonyms) => {
  const learned = new Map<string, string>()
  const isOurs = (word: string): boolean => declared.has(word) || code.test(word)
  const isSameText = (before: string, told: string, field: string): boolean => {
    // a word of ours that somebody has used too
    if (before === told && isOurs(before)) return true
    // what rules put together of other words is no pseudonym of any text
    if (pseudonyms.knows(before)) {
      return pseudonyms.of(before).endsWith(told) || !(pseudonyms.isOne(told) || isOurs(told))
    }
    // a name that rules have given, as they would give it now
    if (nameField.test(field)) learned.set(before, told)
    return before === told || !isOurs(before)
  }
  const isSame = (before: unknown, told: unknown, field: string): boolean => {
    if (typeof before === "string" && typeof told === "string") return isSameText(before, told, field)
    if (typeof before !== "object" || before === null || typeof told !== "object" || told === null)
      return before === told
    if (Array.isArray(before) !== Array.isArray(told)) return false
    if (Array.isArray(before) && isReordered(before, told as ReadonlyArray<unknown>)) return true
    const [a, b] = [Object.entries(before), Object.entries(told).filter(([key]) => key !== "redacted")]
    return (
      a.length === b.length &&
      a.every(([key, one], i) => {
        const other = Object.hasOwn(told, key) ? (told as Record<string, unknown>)[key] : b[i]?.[1]
        return isSame(one, other, Array.isArray(before) ? field : key)
      })
    )
  }
  /** Texts that rules have put in order have another one then. */
  const isReordered = (before: ReadonlyArray<unknown>, told: ReadonlyArray<unknown>): boolean => {
    const texts = (all: ReadonlyArray<unknown>) => all.filter((one) => typeof one === "string")
    const [a, b] = [texts(before), texts(told)]
    if (a.length !== before.length || b.length !== a.length || !a.every(pseudonyms.knows)) return false
    const sorted = b.toSorted()
    return a
      .map(pseudonyms.of)
      .toSorted()
      .every((one, i) => one === sorted[i])
  }
  return (before: ReadonlyArray<AnyEvent>, told: ReadonlyArray<AnyEvent>): boolean => {
    learned.clear()
    const same =
      before.length === told.length &&
      before.every(({ content, type }, i) => type === told[i]?.type && isSame(content, told[i]?.content, ""))
    if (same) for (const [name, other] of learned) pseudonyms.name(name, other)
    return same
  }
}

/** As a chain of its own, with the first event committing to all of the other one. */
const sealed = (
  composition: Composition,
  sha256: Hashing["sha256"],
  pseudonyms: Pseudonyms,
  run_id: string,
  events: ReadonlyArray<Recorded>,
  told: ReadonlyArray<AnyEvent>,
  departs: ReadonlyArray<number>
): ReadonlyArray<Recorded> => {
  const manifest = makeManifest(composition)
  const all = events.map((recorded, i) => {
    const { content, type } = told[i] as AnyEvent
    const { redacted } = content as { readonly redacted?: Redacted }
    const { causation_id, command_id, timestamp, visibility } = recorded
    const candidate: EventCandidate = {
      event_type: type,
      schema_version: manifest.schemaVersionOf(type),
      timestamp,
      visibility,
      content:
        type === "RUN_STARTED" && redacted !== undefined
          ? { ...(content as object), redacted: { ...redacted, departs } }
          : content,
      command_id: `cmd_${pseudonyms.of(command_id)}`,
      causation_id: causation_id === null ? null : `cmd_${pseudonyms.of(causation_id)}`,
      correlation_id: run_id
    }
    return [candidate, originOf(recorded)] as const
  })
  return sealChain(run_id, all, sha256)
}
