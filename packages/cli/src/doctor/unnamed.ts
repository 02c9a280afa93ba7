import * as Path from "node:path"
import { runDirectory } from "@proofline/plugins/adapters/command-agent"
import { worktreesOf } from "@proofline/plugins/adapters/git-workspaces"
import { namesIn, type ProjectPaths } from "../base/paths.ts"
import { count } from "../render/lines.ts"
import type { Finding } from "./Finding.ts"
import type { LogState } from "./log.ts"

/**
 * What is kept beside a log and no event of it names. SQLite opens a file whose write-ahead log was deleted without a word,
 * as it was at the last checkpoint; what lies around may be all that is left to tell.
 */
export const lookAtUnnamed = (
  { database, state }: ProjectPaths,
  log: LogState | null,
  unnamed: number
): ReadonlyArray<Finding> => {
  // archived and damaged events name blobs too, and were told already
  if (log !== null && (log.salvage.away.size > 0 || log.findings.length > 0)) return []
  const known = new Set(log?.runs.map(({ run_id }) => run_id))
  const runs = [runDirectory(state, any), worktreesOf(state, any)]
    .flatMap((directory) => namesIn(Path.dirname(directory)))
    .filter((run, at, all) => run.startsWith("run_") && !known.has(run) && all.indexOf(run) === at)
  if (unnamed === 0 && runs.length === 0) return []
  const what = [
    ...(unnamed === 0 ? [] : [count(unnamed, "blob")]),
    ...(runs.length === 0 ? [] : [`what ${runs.slice(0, 3).join(", ")} left behind`])
  ].join(" and ")
  const isSurer = known.size === 0 || runs.length > 0
  const why = isSurer
    ? "Events may be lost: a log or its -wal file was deleted, perhaps after a process was killed."
    : "A process that was killed before it wrote an event leaves such, and so does a log that has lost its newest events."
  return [
    {
      code: "events_missing",
      severity: isSurer ? "warning" : "note",
      message: `No event of the log names ${what}. ${why}`,
      place: database,
      fix: "Restore the log from a backup, with its -wal file. Where there is none, or nothing is missed, runs can begin as ever: what is left does no harm."
    }
  ]
}

/** Each has a directory of its own beside those of others. */
const any = "run"
