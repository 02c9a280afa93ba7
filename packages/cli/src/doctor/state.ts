import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs"
import * as Path from "node:path"
import { notRegular } from "@proofline/plugins/adapters/sqlite-log/explain"
import { isLogThere, notFileOf } from "@proofline/plugins/adapters/sqlite-log/inPlace"
import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import type { Finding } from "./Finding.ts"

/** Bytes: with less left on the disk, a run will hardly come to its end. */
const littleSpace = 64 * 1_024 * 1_024

/** Whether something stands in the place of the log that is no file: reading it might never end. */
export const isNoFile = ({ database }: ProjectPaths): boolean => notFileOf(database) !== undefined

/** Bytes: with less left, not even a log can be begun. */
const noSpace = 64 * 1_024

/** Whether a run could write its state. `isGone`: the log was there before. */
export const lookAtState = (paths: ProjectPaths, isGone: boolean): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.sync(() => {
    const { database, state } = paths
    const findings: Array<Finding> = []
    const other = notFileOf(database)
    if (other !== undefined) {
      const { code, hint, message } = notRegular(other)
      findings.push({ code, severity: "error", message, place: other, fix: hint })
    }
    const there = nearest(state)
    if (!isLogThere(database) && !isGone) {
      findings.push({
        code: "log_none",
        severity: "note",
        message: "There is no log so far: nothing was run with this state directory.",
        place: database,
        fix: "Nothing is to be done: the first run makes it."
      })
    }
    if (!statSync(there).isDirectory()) {
      findings.push({
        code: "state_not_directory",
        severity: "error",
        message: "A file is where the directory of the log should be: no run can begin.",
        place: there,
        fix: "Take it away, or name another state directory with --state."
      })
    }
    const closed = [there, ...(existsSync(database) ? [database] : [])].find((path) => !isWritable(path))
    if (closed !== undefined) {
      findings.push({
        code: "state_unwritable",
        severity: "error",
        message: "It may be read and not written: runs can be looked at, and none can begin or go on.",
        place: closed,
        fix: "Make it writable for this user, or name another state directory with --state."
      })
    }
    const { bavail, bsize } = statfsSync(there)
    const left = bavail * bsize
    if (left < noSpace) {
      findings.push({
        code: "disk_full",
        severity: "error",
        message: `${left === 0 ? "Nothing is" : `Only ${Math.floor(left / 1_024)} KiB are`} left on this disk: no run can begin or go on.`,
        place: there,
        fix: "Free some space, or name a state directory on another disk with --state."
      })
    } else if (left < littleSpace) {
      findings.push({
        code: "disk_nearly_full",
        severity: "warning",
        message: `Less than ${littleSpace / 2 ** 20} MiB are left on this disk.`,
        place: there,
        fix: "Free some space. A run for which there is none stops with log_disk_full, and `proofline resume` goes on with it."
      })
    }
    return findings
  })

/** The directory itself, or the one above it that is there. */
const nearest = (directory: string): string => {
  let at = directory
  while (!existsSync(at) && Path.dirname(at) !== at) at = Path.dirname(at)
  return at
}

const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
