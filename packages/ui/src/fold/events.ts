import type { Visibility } from "@proofline/kernel"
import { isRefusal, type RunLog } from "./log.ts"
import type { EventRow, Queries } from "./protocol.ts"
import { summaryOf } from "./summary.ts"
import { Uints } from "./uints.ts"

type Wanted = Pick<Queries["events"]["params"], "text" | "types" | "visibility">

/** The versions of the events that fit, which grow with the log; looking for them goes on where it was left. */
export interface Filter {
  readonly versions: Uints
  /** Events that were looked at, from the first. */
  readonly searched: number
  /** Looks at more events until all are looked at or `isEnough` says so. */
  readonly go: (isEnough: () => boolean) => void
}

export const makeFilter = (log: RunLog, { text, types, visibility }: Wanted): Filter => {
  const versions = new Uints()
  const wantedTypes = new Set(types)
  const needle = text.toLowerCase()
  // as it stands in JSON, so that a quote or a backslash is found within a text as well as around it
  const escaped = JSON.stringify(needle).slice(1, -1)
  let searched = 0
  const holds = (text: string): boolean => text.includes(needle) || (escaped !== needle && text.includes(escaped))
  const fits = (version: number): boolean =>
    isShown(log.visibilityOf(version), visibility) &&
    (wantedTypes.size === 0 || wantedTypes.has(log.typeOf(version))) &&
    (needle === "" || holds(log.searchable(version)))
  return {
    versions,
    get searched() {
      return searched
    },
    go: (isEnough) => {
      // a look at the clock costs more than a look at an event
      while (searched < log.head) {
        const until = Math.min(log.head, searched + 64)
        while (searched < until) if (fits(++searched)) versions.push(searched)
        if (isEnough()) return
      }
    }
  }
}

const isShown = (visibility: Visibility, wanted: Wanted["visibility"]): boolean =>
  wanted === "full" || visibility === "summary"

/** The events up to a version that fit. */
export const eventsAnswer = (
  log: RunLog,
  filter: Filter,
  { from, to }: Queries["events"]["params"],
  version: number
): Queries["events"]["answer"] => {
  const total = filter.versions.upTo(version)
  const rows: Array<EventRow> = []
  const first = Math.max(0, from)
  for (let i = first; i < Math.min(to, total); i++) rows.push(eventRow(log, filter.versions.at(i)))
  return {
    from: first,
    total,
    rows,
    types: log.types
      .map((type) => ({ type, count: log.versionsOf(type).upTo(version) }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => (a.type < b.type ? -1 : 1)),
    whole: Math.min(version, log.head),
    searched: Math.min(version, filter.searched)
  }
}

const eventRow = (log: RunLog, version: number): EventRow => {
  const event = log.event(version)
  const { event_type, timestamp, visibility } = event
  return { version, timestamp, event_type, visibility, summary: summaryOf(event), is_refusal: isRefusal(event) }
}

/** The nearest refusals before and after an event. */
export const refusalsAround = (
  { refusals }: Pick<RunLog, "refusals">,
  version: number
): { readonly previous: number | null; readonly next: number | null } => {
  const before = refusals.upTo(version - 1)
  const after = refusals.upTo(version)
  return {
    previous: before === 0 ? null : refusals.at(before - 1),
    next: after === refusals.length ? null : refusals.at(after)
  }
}
