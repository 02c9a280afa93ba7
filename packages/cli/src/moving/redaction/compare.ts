import { type Recorded, toNdjson } from "@proofline/kernel"
import { Effect } from "effect"
import { readEvents } from "../archiveFile.ts"
import type { RedactedRun } from "./redactRun.ts"

interface Commitments {
  readonly events: ReadonlyArray<{ readonly version: number; readonly commitment: string }>
}

/** How far a redacted run of a file was compared with what comes of its original now. */
interface Comparing {
  readonly again: RedactedRun
  readonly first: Recorded
  read: number
  differsAt: number | null
}

/**
 * What a file holds of redacted runs, beside what comes of their originals now. `again` tells a run anew, as soon as the file
 * comes to it; null: it is not compared.
 */
export const compareRedacted = Effect.fnUntraced(function* <E, R>(
  file: string,
  again: (run: string) => Effect.Effect<RedactedRun, E, R> | null
) {
  const runs = new Map<string, Comparing>()
  const blobs = new Map<string, Uint8Array>()
  const compare = (one: Comparing, event: Recorded): void => {
    if (lineOf(event) !== lineOf(one.again.events[one.read++])) one.differsAt ??= one.read
  }
  yield* readEvents<E, R>(file, {
    header: () => Effect.void,
    event: (event) => {
      const known = runs.get(event.stream)
      if (known !== undefined) return Effect.sync(() => compare(known, event))
      const told = again(event.stream)
      return told === null
        ? Effect.void
        : Effect.map(told, (again) => {
            const one: Comparing = { again, first: event, read: 0, differsAt: null }
            runs.set(event.stream, one)
            compare(one, event)
          })
    },
    blob: (name, bytes) => Effect.sync(() => void blobs.set(name, bytes))
  })
  return new Map([...runs].map(([run, one]) => [run, differencesIn(one, blobs)]))
})

const differencesIn = ({ again, differsAt, first, read }: Comparing, blobs: ReadonlyMap<string, Uint8Array>) => {
  const [mine, theirs] = [commitmentsIn(committed(first, blobs)), commitmentsIn(again.commitments)]
  const length = Math.max(read, again.events.length)
  const at = Array.from({ length }).findIndex((_, i) => mine[i] === undefined || mine[i] !== theirs[i])
  return {
    commitments_differ_at: at < 0 ? null : at + 1,
    events_differ_at: differsAt ?? (read < again.events.length ? read + 1 : null)
  }
}

const lineOf = (event: Recorded | undefined): string => (event === undefined ? "" : toNdjson(event))

/** What the first event commits to. */
const committed = ({ content }: Recorded, blobs: ReadonlyMap<string, Uint8Array>): string => {
  const { redacted } = content as { readonly redacted?: { readonly commitments?: { sha256?: string } } }
  return new TextDecoder().decode(blobs.get(redacted?.commitments?.sha256 ?? ""))
}

const commitmentsIn = (text: string): ReadonlyArray<string> => {
  try {
    return (JSON.parse(text) as Commitments).events.map(({ commitment }) => commitment)
  } catch {
    return []
  }
}
