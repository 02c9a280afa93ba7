import { type Recorded, toNdjson } from "@proofline/kernel"
import { Effect } from "effect"
import { readEvents } from "../archiveFile.ts"
import type { RedactedRun } from "./redactRun.ts"

interface Commitments {
  readonly events: ReadonlyArray<{ readonly version: number; readonly commitment: string }>
}

/** What a file holds of a redacted run, beside what comes of its original now. */
export const compareRedacted = Effect.fnUntraced(function* (file: string, again: RedactedRun) {
  const held: Array<Recorded> = []
  const blobs = new Map<string, Uint8Array>()
  yield* readEvents(file, {
    header: () => Effect.void,
    event: (event) => Effect.sync(() => void (event.stream === again.run_id && held.push(event))),
    blob: (name, bytes) => Effect.sync(() => void blobs.set(name, bytes))
  })
  const length = Math.max(held.length, again.events.length)
  const firstOf = (differs: (i: number) => boolean): number | null => {
    for (let i = 0; i < length; i++) if (differs(i)) return i + 1
    return null
  }
  const [mine, theirs] = [commitmentsIn(committed(held[0], blobs)), commitmentsIn(again.commitments)]
  return {
    commitments_differ_at: firstOf((i) => mine[i] === undefined || mine[i] !== theirs[i]),
    events_differ_at: firstOf((i) => lineOf(held[i]) !== lineOf(again.events[i]))
  }
})

const lineOf = (event: Recorded | undefined): string => (event === undefined ? "" : toNdjson(event))

/** What the first event commits to. */
const committed = (first: Recorded | undefined, blobs: ReadonlyMap<string, Uint8Array>): string => {
  const { redacted } = (first?.content ?? {}) as { readonly redacted?: { readonly commitments?: { sha256?: string } } }
  return new TextDecoder().decode(blobs.get(redacted?.commitments?.sha256 ?? ""))
}

const commitmentsIn = (text: string): ReadonlyArray<string> => {
  try {
    return (JSON.parse(text) as Commitments).events.map(({ commitment }) => commitment)
  } catch {
    return []
  }
}
