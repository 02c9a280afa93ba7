import { readFileSync } from "node:fs"
import { hostname } from "node:os"

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
  started: procStat(process.pid).started
})

/** The holder as it is stored, always the same text for the same process. */
export const holderText = ({ pid, host, started }: Holder): string => JSON.stringify({ pid, host, started })

export const parseHolder = (text: string): Holder => JSON.parse(text)

/** `unknown`: it lives on another host, where only its heartbeat tells. */
export const lifeOf = (holder: Holder): "alive" | "dead" | "unknown" => {
  if (holder.host !== hostname()) return "unknown"
  const { known, started, zombie } = procStat(holder.pid)
  // no /proc, or one that hides the processes of others
  if (!known || started === null) return answersSignals(holder.pid) ? "alive" : "dead"
  return zombie || (holder.started !== null && started !== holder.started) ? "dead" : "alive"
}

/** A process on another host that was silent for so long, in ms, is taken for dead. */
const silenceMs = 15_000

/** Whether the process has ended, as far as can be told at `now`; `keptAt` is its last sign, both ms since the epoch. */
export const isGone = (holder: Holder, keptAt: number, now: number): boolean => {
  const life = lifeOf(holder)
  return life === "dead" || (life === "unknown" && now - keptAt >= silenceMs)
}

interface ProcStat {
  /** False where there is no /proc. */
  readonly known: boolean
  /** Null when there is no such process. */
  readonly started: string | null
  readonly zombie: boolean
}

const procStat = (pid: number): ProcStat => {
  const own = statFields("self")
  if (own === null) return { known: false, started: null, zombie: false }
  const fields = statFields(pid)
  // after the name: state is the first field, the start time the 20th
  return { known: true, started: fields?.[19] ?? null, zombie: fields?.[0] === "Z" || fields?.[0] === "X" }
}

/** The fields after the name, which is in brackets and may hold anything. */
const statFields = (pid: number | "self"): ReadonlyArray<string> | null => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1")
    return text.slice(text.lastIndexOf(")") + 2).split(" ")
  } catch {
    return null
  }
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
