import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/** What `/proc/<pid>/stat` says. Linux only, like everything in this file. */
export interface ProcessStat {
  readonly pid: number
  /** One letter; `Z` and `X` are dead and only wait to be collected. */
  readonly state: string
  readonly parent: number
  readonly group: number
  /** When it was started, in ticks since the machine was: it tells a new process with an old number from the old one. */
  readonly started: string
}

/** Null when the text is not a stat line. The name in brackets may itself hold blanks and brackets. */
const parseStat = (text: string): ProcessStat | null => {
  const named = text.lastIndexOf(")")
  const fields = text.slice(named + 2).split(" ")
  const [state, parent, group] = fields
  const started = fields[19]
  if (named < 0 || state === undefined || started === undefined) return null
  return { pid: Number.parseInt(text, 10), state, parent: Number(parent), group: Number(group), started }
}

export const isDead = (stat: ProcessStat): boolean => stat.state === "Z" || stat.state === "X"

/** Null when the process is gone or hidden: it may end between any two looks. */
export const readProc = (
  pid: number | "self",
  file: "stat" | "cmdline" | "comm" | "environ" | "io" | `fdinfo/${string}`
): string | null => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return null
  }
}

/** Whether there is a `/proc` here. */
export const hasProc = (): boolean => readProc("self", "stat") !== null

export const readStat = (pid: number): ProcessStat | null => {
  const text = readProc(pid, "stat")
  return text === null ? null : parseStat(text)
}

/** All processes at this moment; empty where there is no `/proc`. */
export const processIds = (): ReadonlyArray<number> => {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

/** A moment, by the processes that had been made until then. */
export interface Moment {
  /** How many had been, of the whole machine. */
  readonly made: number
  /** The number of the last one. */
  readonly last: number
}

/** Null where that is not told. */
export const momentNow = (): Moment | null => {
  // in this order: the number is never newer than the count that it is compared by
  const made = madeSoFar()
  const last = lastNumber()
  return made === null || last === null ? null : { made, last }
}

const numberIn = (found: RegExpExecArray | null): number | null => (found === null ? null : Number(found[1]))

const madeSoFar = (): number | null => numberIn(/^processes (\d+)$/m.exec(textOf("/proc/stat")))

const lastNumber = (): number | null => numberIn(/ (\d+)\n$/.exec(textOf("/proc/loadavg")))

const textOf = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

let numbers: number | null = null

/** How many numbers there are for processes; they are given in order, and from the beginning again. */
const allNumbers = (): number => {
  numbers ??= numberIn(/^(\d+)\n$/.exec(textOf("/proc/sys/kernel/pid_max"))) ?? 0
  return numbers
}

/** The processes that may have been made since then: all where that cannot be told. */
export const processesSince = (since: Moment | null): ReadonlyArray<number> => {
  const all = processIds()
  if (since === null) return all
  const last = lastNumber()
  const made = madeSoFar()
  // half of them: the numbers have not come around
  if (last === null || made === null || made - since.made > allNumbers() / 2) return all
  return last >= since.last
    ? all.filter((pid) => pid > since.last && pid <= last)
    : all.filter((pid) => pid > since.last || pid <= last)
}

/** An end of a pipe that a process has open. */
export interface PipeEnd {
  /** The same for both ends, whoever has them. */
  readonly pipe: string
  readonly reads: boolean
  readonly writes: boolean
}

/** Access modes of `open`. */
const READ_ONLY = 0
const WRITE_ONLY = 1

/** Empty when the process is gone or hidden. */
export const pipeEnds = (pid: number): ReadonlyArray<PipeEnd> =>
  descriptors(pid).flatMap((descriptor) => {
    const pipe = targetOf(pid, descriptor)
    const flags = pipe?.startsWith("pipe:") === true ? readProc(pid, `fdinfo/${descriptor}`) : null
    if (pipe === null || flags === null) return []
    const mode = Number.parseInt(/^flags:\s*([0-7]+)/m.exec(flags)?.[1] ?? "", 8) & 3
    return Number.isNaN(mode) ? [] : [{ pipe, reads: mode !== WRITE_ONLY, writes: mode !== READ_ONLY }]
  })

const descriptors = (pid: number): ReadonlyArray<string> => {
  try {
    return readdirSync(`/proc/${pid}/fd`)
  } catch {
    return []
  }
}

const targetOf = (pid: number, descriptor: string): string | null => {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`)
  } catch {
    return null
  }
}

/** How many bytes a process has read so far; null where that is not told. */
export const bytesRead = (pid: number): number | null => {
  const [, count] = /^rchar: (\d+)/m.exec(readProc(pid, "io") ?? "") ?? []
  return count === undefined ? null : Number(count)
}
