import { type Recorded, type TaskId, taskViewOf } from "@proofline/kernel"
import { type Checkpoint, makeCheckpoints } from "./checkpoints.ts"
import { stateOf } from "./compose.ts"
import { eventsAnswer, type Filter, makeFilter } from "./events.ts"
import type { Sent } from "./follow.ts"
import { type Fit, makeRunLog, type RunLog } from "./log.ts"
import type { Queries, QueryKind } from "./protocol.ts"
import { refusalsAnswer } from "./refusals.ts"
import { runAnswer } from "./run.ts"
import { lanesOf, timelineAnswer } from "./timeline.ts"
import { forestOf, shownOf, treeAnswer } from "./tree.ts"

/** The log of one run, folded, and everything that can be asked about it. */
export interface Store {
  /** Version of the last event; 0: there is none. */
  readonly head: number
  /** Position to go on from, so that the last event is sent again; null: the beginning. */
  readonly resumeAt: number | null
  /** Takes events as they were sent, in order, until one is neither the next nor known already; says what that one is. */
  readonly add: (events: ReadonlyArray<Sent>) => "ok" | Extract<Fit, "gap" | "other">
  /** What is shown from now on: the run after this event, or always the newest (null). */
  readonly seek: (version: number | null) => void
  readonly answer: <K extends QueryKind>(kind: K, params: Queries[K]["params"]) => Queries[K]["answer"]
  /** The same as long as the answer cannot have changed. */
  readonly revision: <K extends QueryKind>(kind: K, params: Queries[K]["params"]) => string
  /** Goes on looking for the text of an events query until `isEnough`. True: every event was looked at. */
  readonly search: (params: Queries["events"]["params"], isEnough: () => boolean) => boolean
}

/** Filters whose finds are kept: going back to what was looked for before costs nothing. */
const filtersKept = 6

export const makeStore = (run: string): Store => {
  const log = makeRunLog()
  const checkpoints = makeCheckpoints(log)
  const filterOf = makeFilters(log)
  const shownTree = makeTrees()
  const lanes = remembered(lanesOf)
  let chosen: number | null = null

  const target = (): number => Math.min(chosen ?? log.head, log.head)
  const shown = (): Checkpoint => checkpoints.at(target())
  const faultAt = () => (checkpoints.fault !== null && checkpoints.fault.version <= target() ? checkpoints.fault : null)

  const ask: { readonly [K in QueryKind]: (params: Queries[K]["params"]) => Queries[K]["answer"] } = {
    run: () => runAnswer(run, log, shown(), chosen, faultAt()),
    tree: (params) => treeAnswer(shownTree(shown(), params), params),
    refusals: (params) => refusalsAnswer(log, params, shown().version, checkpoints.last),
    task: ({ task_id }) => {
      const { history, snapshot } = shown()
      return taskViewOf(stateOf(snapshot), history, task_id as TaskId)
    },
    timeline: (params) => timelineAnswer(lanes(shown()), params),
    events: (params) => eventsAnswer(log, filterOf(params), params, target()),
    event: ({ version }) => (version < 1 || version > log.head ? null : log.event(version))
  }

  return {
    get head() {
      return log.head
    },
    get resumeAt() {
      return log.resumeAt
    },
    add: (events) => {
      const { next, result } = taken(log, run, events)
      checkpoints.add(next)
      return result
    },
    seek: (version) => {
      chosen = version === null ? null : Math.max(0, Math.floor(version))
    },
    answer: (kind, params) => ask[kind](params),
    revision: (kind, params) => {
      switch (kind) {
        case "refusals":
          return `${shown().version} ${log.head}`
        case "run":
          return `${target()} ${log.head} ${chosen}`
        case "events":
          return `${target()} ${filterOf(params as Queries["events"]["params"]).searched}`
        case "event":
          return String(ask.event(params as Queries["event"]["params"]) !== null)
        default:
          return String(shown().version)
      }
    },
    search: (params, isEnough) => {
      const filter = filterOf(params)
      filter.go(isEnough)
      return filter.searched === log.head
    }
  }
}

/** Appends events as they were sent, until one is neither the next nor known already; says what that one is. */
const taken = (log: RunLog, run: string, events: ReadonlyArray<Sent>) => {
  const next: Array<Recorded> = []
  const until = (result: ReturnType<Store["add"]>) => ({ next, result })
  for (const sent of events) {
    const event = parsed(sent.text)
    if (event === null) return until("gap")
    const fit = event.stream === run ? log.take(sent, event) : "other"
    if (fit === "next") next.push(event)
    else if (fit !== "repeated") return until(fit)
  }
  return until("ok")
}

/** What is shown of the tree, kept for every filter as long as the same checkpoint is asked for. */
const makeTrees = () => {
  const forest = remembered(forestOf)
  const trees = new Map<string, ReturnType<typeof shownOf>>()
  let treesOf: Checkpoint | null = null
  return (
    checkpoint: Checkpoint,
    { closed, statuses, text }: Queries["tree"]["params"]
  ): ReturnType<typeof shownOf> => {
    if (treesOf !== checkpoint) trees.clear()
    treesOf = checkpoint
    const key = JSON.stringify([text, statuses, closed])
    const known = trees.get(key)
    if (known !== undefined) return known
    const made = shownOf(forest(checkpoint), { closed, statuses, text })
    trees.set(key, made)
    return made
  }
}

/** The filter of an events query, kept with what it has found. */
const makeFilters = (log: RunLog) => {
  const filters = new Map<string, Filter>()
  return ({ text, types, visibility }: Queries["events"]["params"]): Filter => {
    const key = JSON.stringify([text, types, visibility])
    const known = filters.get(key)
    const filter = known ?? makeFilter(log, { text, types, visibility })
    // the last that was asked for is the last to be forgotten
    filters.delete(key)
    filters.set(key, filter)
    for (const oldest of filters.keys()) {
      if (filters.size <= filtersKept) break
      filters.delete(oldest)
    }
    // without a text it is a matter of milliseconds
    if (text === "") filter.go(() => false)
    return filter
  }
}

/** Null: that is no event, something happened to it on its way. */
const parsed = (text: string): Recorded | null => {
  try {
    const event = JSON.parse(text)
    const isEvent = Number.isInteger(event.version) && typeof event.hash === "string"
    return isEvent && typeof event.event_type === "string" ? event : null
  } catch {
    return null
  }
}

/** Computes once for the value it was asked for last. */
const remembered = <A, B>(compute: (value: A) => B): ((value: A) => B) => {
  let last: { readonly value: A; readonly result: B } | null = null
  return (value) => {
    if (last?.value !== value) last = { value, result: compute(value) }
    return last.result
  }
}
