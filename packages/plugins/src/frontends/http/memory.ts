import type { Recorded } from "@proofline/kernel"

/** Events that are kept in memory for those who follow closely, and how many more may gather before they are cut off. */
const remembered = 2_000
const slack = 500

/** The end of the log, in memory: positions ascend, with holes where a run was archived. */
export interface Memory {
  /** What follows at the end of what is remembered. */
  readonly add: (page: ReadonlyArray<Recorded>) => void
  /** Begins with the end of the log; before, nothing is known. */
  readonly begin: (tail: ReadonlyArray<Recorded>) => void
  readonly isKnown: () => boolean
  /** Position of the last event; 0: there is none, or nothing is known. */
  readonly head: () => number
  /** The events right after a position, at most 1,000; null: what came right after it is forgotten. */
  readonly after: (position: number) => ReadonlyArray<Recorded> | null
  /** Version of the newest event that was seen of a run; 0: none so far. */
  readonly lastOf: (run: string) => number
  /** The events of a run that follow a version, if the next one is remembered; else empty. */
  readonly ofRun: (run: string, version: number) => ReadonlyArray<Recorded>
  /** How many events of a run stand at a position or before; null: that is not remembered. */
  readonly versionAt: (run: string, position: number) => number | null
}

export const makeMemory = (): Memory => {
  const kept: Kept = { events: [], head: null, last: new Map() }
  return {
    add: (page) => add(kept, page),
    begin: (tail) => {
      kept.head = 0
      add(kept, tail)
    },
    isKnown: () => kept.head !== null,
    head: () => kept.head ?? 0,
    after: (position) => {
      const index = indexAfter(kept, position)
      return index === null ? null : kept.events.slice(index, index + 1_000)
    },
    lastOf: (run) => kept.last.get(run) ?? 0,
    ofRun: (run, version) => ofRun(kept, run, version),
    versionAt: (run, position) => versionAt(kept, run, position)
  }
}

interface Kept {
  events: Array<Recorded>
  head: number | null
  /** Version of the newest event of each run. */
  readonly last: Map<string, number>
}

const add = (kept: Kept, page: ReadonlyArray<Recorded>): void => {
  for (const event of page) {
    kept.events.push(event)
    kept.last.set(event.stream, event.version)
  }
  kept.head = page.at(-1)?.position ?? kept.head
  // now and then, not for every event
  if (kept.events.length > remembered + slack) kept.events = kept.events.slice(-remembered)
}

/** Where the first event after a position stands; null: what came right after it is forgotten. */
const indexAfter = ({ events, head }: Kept, position: number): number | null => {
  const first = events[0]?.position ?? (head ?? 0) + 1
  if (position + 1 < first) return null
  let [low, high] = [0, events.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle] as Recorded).position <= position) low = middle + 1
    else high = middle
  }
  return low
}

const ofRun = ({ events }: Kept, run: string, version: number): ReadonlyArray<Recorded> => {
  const found: Array<Recorded> = []
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events[i] as Recorded
    if (event.stream !== run) continue
    if (event.version <= version) break
    found.push(event)
  }
  return found.at(-1)?.version === version + 1 ? found.reverse() : []
}

const versionAt = (kept: Kept, run: string, position: number): number | null => {
  const index = indexAfter(kept, position)
  if (index === null) return null
  const before = kept.events.slice(0, index).findLast(({ stream }) => stream === run)
  if (before !== undefined) return before.version
  const next = kept.events.slice(index).find(({ stream }) => stream === run)
  return next === undefined ? null : next.version - 1
}
