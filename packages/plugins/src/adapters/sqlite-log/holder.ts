import { hostname } from "node:os"
import { isDead, readStat } from "../../processes/proc.ts"

/** A process that holds something: enough to find it again and to tell whether it still lives. */
export interface Holder {
  readonly pid: number
  readonly host: string
  /** Start time in kernel ticks since boot, so that a new process with an old number is not taken for the old one. */
  readonly started: string | null
}

export const thisProcess = (): Holder => ({
  pid: process.pid,
  host: hostname(),
  started: readStat(process.pid)?.started ?? null
})

/** The holder as it is stored, always the same text for the same process. */
export const holderText = ({ pid, host, started }: Holder): string => JSON.stringify({ pid, host, started })

export const parseHolder = (text: string): Holder => JSON.parse(text)

/** `unknown`: it lives on another host, where only its heartbeat tells. */
export const lifeOf = (holder: Holder): "alive" | "dead" | "unknown" => {
  if (holder.host !== hostname()) return "unknown"
  const stat = readStat(holder.pid)
  // no /proc, or one that hides the processes of others
  if (stat === null) return answersSignals(holder.pid) ? "alive" : "dead"
  return isDead(stat) || (holder.started !== null && stat.started !== holder.started) ? "dead" : "alive"
}

/** A process on another host that was silent for so long, in ms, is taken for dead. */
const silenceMs = 15_000

/** Whether the process has ended, as far as can be told at `now`; `keptAt` is its last sign, both ms since the epoch. */
export const isGone = (holder: Holder, keptAt: number, now: number): boolean => {
  const life = lifeOf(holder)
  return life === "dead" || (life === "unknown" && now - keptAt >= silenceMs)
}

const answersSignals = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it is there, and not ours
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}
