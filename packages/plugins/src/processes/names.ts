import { readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { hasProc, isDead, readStat } from "./proc.ts"

/*
 * What is only there for a while is named after the process that made it: nothing else has to be kept to tell, after a
 * crash, what nobody uses any more.
 */

/**
 * `checkout`: thrown away in the end; `worktree`: one that is being made or removed; `scratch`: indexes and the like;
 * `checks`: private copies of checks; `temporary`: whatever else a process wants for a moment.
 */
export type Kind = "checkout" | "worktree" | "scratch" | "checks" | "temporary"

const pattern =
  /^proofline-(checkout|worktree|scratch|checks|temporary)-([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]{12}(?:\.lock)?$/

/** `status` must not wait for what it does not use: this takes longer to load than all else of it. */
const crypto = () => process.getBuiltinModule("node:crypto")

/** A name that nothing else has. */
export const newName = (kind: Kind): string =>
  `proofline-${kind}-${here()}-${process.pid}-${startOf(process.pid) ?? "0"}-${crypto().randomBytes(6).toString("hex")}`

/** True when it names something of that kind, of a process of this machine that does not live any more. */
export const isAbandoned = (name: string, kind: Kind): boolean => {
  const [, found, host, pid, start] = pattern.exec(name) ?? []
  return found === kind && host === here() && pid !== undefined && !lives(Number(pid), start ?? "0")
}

/** Numbers of processes mean something only on one machine, and there within one namespace. */
const here = (): string => crypto().hash("sha256", `${hostname()} ${namespace()}`).slice(0, 8)

const namespace = (): string => {
  try {
    return readlinkSync("/proc/self/ns/pid")
  } catch {
    return ""
  }
}

const lives = (pid: number, start: string): boolean => {
  if (hasProc()) return startOf(pid) === start
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** When the process was started; null when it does not live, or where nothing tells. */
const startOf = (pid: number): string | null => {
  const stat = readStat(pid)
  return stat === null || isDead(stat) ? null : stat.started
}
