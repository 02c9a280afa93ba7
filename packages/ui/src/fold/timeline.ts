import { type AttemptView, attemptsOf, taskOf } from "@proofline/kernel"
import type { Checkpoint } from "./checkpoints.ts"
import { stateOf } from "./compose.ts"
import type { Bar, Lane, Queries } from "./protocol.ts"

type Answer = Queries["timeline"]["answer"]

/** Times in ms since the epoch. `end`: of an attempt that is under way, where the run is. */
interface Placed {
  readonly attempt: AttemptView
  readonly begin: number
  readonly end: number
  readonly row: number
}

/** The attempts of each worker up to a moment, laid out so that none covers another. */
export interface Lanes {
  readonly checkpoint: Checkpoint
  readonly lanes: ReadonlyArray<{
    readonly worker_id: string
    readonly host: string | null
    readonly rows: number
    /** In order of beginning. */
    readonly placed: ReadonlyArray<Placed>
  }>
}

/** Workers in the order in which they began. */
export const lanesOf = (checkpoint: Checkpoint): Lanes => {
  const { history } = checkpoint
  const now = time(history.ended_at ?? history.updated_at ?? "")
  const byWorker = new Map<string, Array<Omit<Placed, "row">>>()
  for (const attempt of attemptsOf(history)) {
    const begin = time(attempt.started_at)
    // an attempt that nobody ended was under way until its run ended
    const end = Math.max(begin, attempt.ended_at === null ? now : time(attempt.ended_at))
    const lane = byWorker.get(attempt.worker_id)
    const placed = { attempt, begin, end }
    if (lane === undefined) byWorker.set(attempt.worker_id, [placed])
    else lane.push(placed)
  }
  const lanes = [...byWorker].map(([worker_id, all]) => {
    const placed = inRows(all.sort((a, b) => a.begin - b.begin || a.attempt.from_version - b.attempt.from_version))
    const host = placed[0]?.attempt.host ?? null
    return { worker_id, host, placed, rows: placed.reduce((most, { row }) => Math.max(most, row + 1), 1) }
  })
  const first = (lane: (typeof lanes)[number]) => lane.placed[0]?.attempt.from_version ?? 0
  return { checkpoint, lanes: lanes.sort((a, b) => first(a) - first(b)) }
}

const time = (iso: string): number => {
  const ms = Date.parse(iso)
  return Number.isNaN(ms) ? 0 : ms
}

/** Each into the first row that is free when it begins. */
const inRows = (sorted: ReadonlyArray<Omit<Placed, "row">>): ReadonlyArray<Placed> => {
  const free: Array<number> = []
  return sorted.map((one) => {
    const found = free.findIndex((end) => end <= one.begin)
    const row = found < 0 ? free.length : found
    // one that took no time still takes its place
    free[row] = Math.max(one.end, one.begin + 1)
    return { ...one, row }
  })
}

export const timelineAnswer = ({ lanes, checkpoint }: Lanes, params: Queries["timeline"]["params"]): Answer => {
  const from = Math.max(0, params.from)
  const { history } = checkpoint
  return {
    from,
    total: lanes.length,
    rows: lanes.slice(from, Math.max(from, params.to)).map(
      ({ host, placed, rows, worker_id }): Lane => ({
        worker_id,
        host,
        rows,
        attempts: placed.length,
        bars: Array.from({ length: rows }, (_, row) => barsOf(checkpoint, placed, row, params)).flat()
      })
    ),
    started_at: history.started_at,
    until: history.ended_at ?? history.updated_at,
    is_over: history.ended_at !== null
  }
}

const barsOf = (
  checkpoint: Checkpoint,
  placed: ReadonlyArray<Placed>,
  row: number,
  { begin, end, grain }: Queries["timeline"]["params"]
): ReadonlyArray<Bar & { readonly row: number }> => {
  const groups: Array<Array<Placed>> = []
  for (const one of placed) {
    if (one.row !== row || (begin !== null && one.end < begin) || (end !== null && one.begin > end)) continue
    const group = groups.at(-1)
    const before = group?.at(-1)
    const isShort = one.end - one.begin < grain
    const isNear =
      group !== undefined &&
      before !== undefined &&
      before.end - before.begin < grain &&
      // measured from the first of them, so that a long row of short ones is not one bar
      one.end - (group[0] as Placed).begin < grain * 2
    if (isShort && isNear) group.push(one)
    else groups.push([one])
  }
  return groups.map((group) => barOf(checkpoint, group, row))
}

const barOf = (checkpoint: Checkpoint, group: ReadonlyArray<Placed>, row: number): Bar & { readonly row: number } => {
  const [first] = group as readonly [Placed, ...ReadonlyArray<Placed>]
  const worst = group.reduce((a, b) => (badness(statusOf(b.attempt)) > badness(statusOf(a.attempt)) ? b : a))
  const { agent, attempt, cancelled, from_version, outcome, task_id } = worst.attempt
  const isOpen = group.some((one) => one.attempt.ended_at === null && one.attempt.cancelled === null)
  return {
    task_id,
    attempt,
    agent,
    started_at: first.attempt.started_at,
    ended_at: isOpen ? null : new Date(Math.max(...group.map((one) => one.end))).toISOString(),
    outcome,
    cancelled,
    from_version,
    title: taskOf(stateOf(checkpoint.snapshot), task_id)?.spec.title ?? task_id,
    refusals: group.reduce((sum, one) => sum + one.attempt.refusals.length, 0),
    accepted: group.reduce((sum, one) => sum + one.attempt.accepted.length, 0),
    status: statusOf(worst.attempt),
    merged: group.length,
    row
  }
}

const statusOf = ({ cancelled, ended_at, judgment, outcome, passed, refusals }: AttemptView): string => {
  if (cancelled !== null) return "cancelled"
  if (outcome === null) return ended_at === null ? "running" : "LOST"
  if (outcome !== "COMPLETE") return outcome
  const isRefused = refusals.length > 0 || passed === false || (judgment !== null && judgment.judgment !== "PASS")
  return isRefused ? "refuted" : "COMPLETE"
}

const order = ["COMPLETE", "running", "cancelled", "LOST", "INCOMPLETE", "TIMEOUT", "ERROR", "refuted"]
const badness = (status: string): number => order.indexOf(status)
