import { type Recorded, toExport, type Visibility } from "@proofline/kernel"
import type { Sent } from "./follow.ts"
import { Uints } from "./uints.ts"

/** What an event that comes in is to the log that is there. */
export type Fit =
  /** The one that follows. */
  | "next"
  /** It is there already, and is the same. */
  | "repeated"
  /** Something between is missing. */
  | "gap"
  /** It is of another log: what is there already is not what comes before it. */
  | "other"

/** The events of one run, as they came. Versions count from 1, without a hole. */
export interface RunLog {
  /** Version of the last event; 0: there is none. */
  readonly head: number
  /**
   * Position of the event before the last: whoever goes on from there is sent the last one again, and can be seen to
   * speak of the same log. Null: from the beginning.
   */
  readonly resumeAt: number | null
  /** What the event is to this log; appended when it is the next. */
  readonly take: (sent: Sent, event: Recorded) => Fit
  /** Type of the event with this version. */
  readonly typeOf: (version: number) => string
  readonly visibilityOf: (version: number) => Visibility
  /** The event with this version, from 1 to `head`. */
  readonly event: (version: number) => Recorded
  /** Type and content in lower case, to look for text in. */
  readonly searchable: (version: number) => string
  /** Types that occur, in the order in which they first did. */
  readonly types: ReadonlyArray<string>
  /** Versions of the events of a type, ascending. */
  readonly versionsOf: (type: string) => Uints
  /** Versions of the events that refuse something, ascending. */
  readonly refusals: Uints
}

const blockBytes = 1 << 20

export const makeRunLog = (): RunLog => {
  const texts = makeTexts()
  const types = makeTypes()
  const typeIds = new Uints()
  const refusals = new Uints()
  let lastHash = ""
  let positions: readonly [number | null, number | null] = [null, null]

  const typeOf = (version: number): string => types.names[typeIds.at(version - 1) >>> 1] as string
  const event = (version: number): Recorded => JSON.parse(texts.at(version - 1))

  return {
    get head() {
      return typeIds.length
    },
    get resumeAt() {
      return positions[0]
    },
    take: ({ position, text }, next) => {
      const head = typeIds.length
      if (next.version <= head) {
        const hash = next.version === head ? lastHash : event(next.version).hash
        return hash === next.hash ? "repeated" : "other"
      }
      if (next.version > head + 1) return "gap"
      if (head > 0 && next.prev_hash !== lastHash) return "other"
      texts.push(isInOrder(next) ? text : JSON.stringify(toExport(next)))
      const id = types.add(next.event_type, next.version)
      typeIds.push(id * 2 + Number(next.visibility === "summary"))
      if (isRefusal(next)) refusals.push(next.version)
      positions = [positions[1], position]
      lastHash = next.hash
      return "next"
    },
    typeOf,
    visibilityOf: (version) => (typeIds.at(version - 1) % 2 === 1 ? "summary" : "full"),
    event,
    searchable: (version) => `${typeOf(version)}\n${contentOf(texts.at(version - 1))}`.toLowerCase(),
    types: types.names,
    versionsOf: types.versionsOf,
    refusals
  }
}

/**
 * Keeps texts in large blocks of bytes: 200,000 events are no 200,000 objects, and what is not looked at costs nothing
 * but its bytes.
 */
const makeTexts = () => {
  const encoder = new TextEncoder()
  const decoder = new TextDecoder()
  const blocks: Array<Uint8Array> = []
  const blockOf = new Uints()
  const startOf = new Uints()
  const lengthOf = new Uints()
  let capacity = 0
  let used = 0
  return {
    push: (text: string): void => {
      // a UTF-16 unit has at most three bytes
      const most = text.length * 3
      if (used + most > capacity) {
        capacity = Math.max(blockBytes, most)
        blocks.push(new Uint8Array(capacity))
        used = 0
      }
      const { written } = encoder.encodeInto(text, (blocks.at(-1) as Uint8Array).subarray(used))
      blockOf.push(blocks.length - 1)
      startOf.push(used)
      lengthOf.push(written)
      used += written
    },
    at: (index: number): string => {
      const start = startOf.at(index)
      const block = blocks[blockOf.at(index)] as Uint8Array
      return decoder.decode(block.subarray(start, start + lengthOf.at(index)))
    }
  }
}

/** The types that occur, by number, with the versions of their events. */
const makeTypes = () => {
  const names: Array<string> = []
  const idOf = new Map<string, number>()
  const versions: Array<Uints> = []
  const idFor = (type: string): number => {
    const known = idOf.get(type)
    if (known !== undefined) return known
    idOf.set(type, names.length)
    names.push(type)
    versions.push(new Uints())
    return names.length - 1
  }
  return {
    names,
    /** The number of the type of one more event. */
    add: (type: string, version: number): number => {
      const id = idFor(type)
      ;(versions[id] as Uints).push(version)
      return id
    },
    versionsOf: (type: string): Uints => versions[idOf.get(type) ?? -1] ?? nothing
  }
}

/** What stands in the text of an event between the visibility and the position. */
const contentOf = (text: string): string => {
  // no text in an event can hold these words with their quotes as they are
  const from = text.indexOf('"content":')
  const to = text.lastIndexOf(',"position":')
  return text.slice(from + '"content":'.length, to)
}

const nothing = new Uints()

/** It says that a claim, a payload or an answer was not accepted, that a gate or a judge refused, or that checks failed. */
export const isRefusal = ({ content, event_type }: Pick<Recorded, "content" | "event_type">): boolean => {
  switch (event_type) {
    case "CHECKLIST_ITEM_REJECTED":
    case "GATE_REFUSED":
    case "PHASE_REJECTED":
    case "ANSWER_REFUSED":
      return true
    case "VERIFICATION_RUN":
    case "PHASE_VERIFIED":
      return (content as { readonly passed?: unknown } | null)?.passed === false
    case "QUALITY_JUDGMENT":
      return (content as { readonly judgment?: unknown } | null)?.judgment !== "PASS"
    default:
      return false
  }
}

/** Keys as they are exported: the content between the visibility and the position. */
const isInOrder = (event: Recorded): boolean => {
  const keys = Object.keys(event)
  return keys[3] === "content" && keys[4] === "position" && keys.length === 13
}
