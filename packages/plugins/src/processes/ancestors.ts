import { execFileSync } from "node:child_process"
import { hasProc, readStat } from "./proc.ts"

/** The process that has started a process; null: nobody tells. */
type ParentOf = (pid: number) => number | null

const byProc: ParentOf = (pid) => readStat(pid)?.parent ?? null

/** Where there is no `/proc`. */
const byPs = (): ParentOf => {
  try {
    const printed = execFileSync("ps", ["-A", "-o", "pid=,ppid="], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"]
    })
    const parents = new Map(
      printed.split("\n").flatMap((line) => {
        const [, pid, parent] = /^\s*(\d+)\s+(\d+)\s*$/.exec(line) ?? []
        return pid === undefined ? [] : [[Number(pid), Number(parent)] as const]
      })
    )
    return (pid) => parents.get(pid) ?? null
  } catch {
    return () => null
  }
}

/** By process: itself, and those that have started one another down to it, without the first of the machine. */
export const makeAncestors = (): ((pid: number) => ReadonlyArray<number>) => {
  const parentOf = hasProc() ? byProc : byPs()
  return (pid) => {
    const line: Array<number> = []
    for (let at: number | null = pid; at !== null && at > 1 && !line.includes(at); at = parentOf(at)) line.push(at)
    return line
  }
}
