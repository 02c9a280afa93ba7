import { bytesRead, isDead, type PipeEnd, pipeEnds, processIds, readProc, readStat } from "../processes/proc.ts"

/** Who keeps a git waiting. */
export interface Held {
  /** The process that has the other end of the pipe. */
  readonly by: number
  /** Its program, as the system names it. */
  readonly program: string
  /** The same as long as nothing comes. */
  readonly mark: string
}

/**
 * Whether a git, or what it has started, reads a pipe into which nobody of these can write any more, and somebody else can: a
 * filter that has ended has left that one running, with its output. Null: not so, or nothing tells (Linux alone has `/proc`).
 */
export const heldBy = (git: number): Held | null => {
  const living = processIds().flatMap((pid) => {
    const stat = readStat(pid)
    return stat === null || isDead(stat) ? [] : [stat]
  })
  const children = Map.groupBy(living, ({ parent }) => parent)
  const family = new Set([git])
  for (const pid of family) for (const child of children.get(pid) ?? []) family.add(child.pid)
  const ends = [...family].flatMap((pid) => pipeEnds(pid).map((end) => ({ ...end, pid })))
  // what was inherited from us says nothing
  const known = new Set([...pipesWritten(ends), ...pipeEnds(process.pid).map(({ pipe }) => pipe)])
  const waiting = ends.filter(({ pipe, reads }) => reads && !known.has(pipe))
  if (waiting.length === 0) return null
  for (const { pid } of living) {
    const written = family.has(pid) ? null : pipesWritten(pipeEnds(pid))
    const held = waiting.find(({ pipe }) => written?.has(pipe))
    if (held !== undefined)
      return {
        by: pid,
        program: (readProc(pid, "comm") ?? "").trim(),
        mark: [pid, held.pid, held.pipe, bytesRead(held.pid)].join(" ")
      }
  }
  return null
}

const pipesWritten = (ends: ReadonlyArray<PipeEnd>): ReadonlySet<string> =>
  new Set(ends.flatMap(({ pipe, writes }) => (writes ? [pipe] : [])))
