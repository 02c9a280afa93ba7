import { makeRecent, type Recorded, type RunSummary, type Summaries } from "@proofline/kernel"

/** Runs whose summary is remembered; a forgotten one costs a read before its next append. */
const remembered = 1_024

/** A run as this process has read it: what its summary is at that version. */
interface Seen {
  readonly version: number
  readonly summary: RunSummary | null
}

/**
 * The summary of a run is a fold of its events, and an append is written only at the version it was decided at. So it
 * carries the summary that follows from that version, and what is stored is never one of another history.
 */
export interface SummaryCache {
  /** Follows what was read or appended, in the order of its versions; what does not continue is left alone. */
  readonly follow: (events: ReadonlyArray<Recorded>) => void
  /** Undefined: not known here. */
  readonly at: (stream: string, version: number) => Seen | undefined
  readonly put: (stream: string, seen: Seen) => void
  readonly summaries: Summaries
}

const nothing: Seen = { version: 0, summary: null }

export const makeSummaryCache = (summaries: Summaries): SummaryCache => {
  const seen = makeRecent<string, Seen>(remembered)
  const at = (stream: string, version: number): Seen | undefined => {
    if (version === 0) return nothing
    const known = seen.get(stream)
    return known?.version === version ? known : undefined
  }
  return {
    summaries,
    put: seen.set,
    at,
    follow: (events) => {
      for (const event of events) {
        const before = at(event.stream, event.version - 1)
        if (before === undefined || (seen.get(event.stream)?.version ?? 0) >= event.version) continue
        const { event_type: type } = event
        const summary = summaries.types.has(type) ? summaries.summarize(before.summary, event) : before.summary
        seen.set(event.stream, { version: event.version, summary })
      }
    }
  }
}
