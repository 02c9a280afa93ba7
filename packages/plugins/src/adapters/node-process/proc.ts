import { readdirSync, readFileSync } from "node:fs"

/** What `/proc/<pid>/stat` says. Linux only, like everything in this file. */
export interface ProcessStat {
  readonly pid: number
  /** One letter; `Z` and `X` are dead and only wait to be collected. */
  readonly state: string
  readonly parent: number
  readonly group: number
}

/** Null when the text is not a stat line. The name in brackets may itself hold blanks and brackets. */
const parseStat = (text: string): ProcessStat | null => {
  const named = text.lastIndexOf(")")
  const [state, parent, group] = text.slice(named + 2).split(" ")
  if (named < 0 || state === undefined || parent === undefined || group === undefined) return null
  return { pid: Number.parseInt(text, 10), state, parent: Number(parent), group: Number(group) }
}

export const isDead = (stat: ProcessStat): boolean => stat.state === "Z" || stat.state === "X"

/** Null when the process is gone or hidden: it may end between any two looks. */
export const readProc = (pid: number, file: "stat" | "cmdline" | "environ"): string | null => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return null
  }
}

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
