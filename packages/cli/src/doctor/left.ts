import { readdirSync, rmSync } from "node:fs"
import { worktreesOf } from "@proofline/plugins/adapters/git-workspaces"
import {
  dropHoldsLeft,
  holdsLeft,
  type RunOverview,
  runOverviews
} from "@proofline/plugins/adapters/sqlite-log/summary"
import { Effect } from "effect"
import { urlFilesLeft } from "../base/database.ts"
import type { ProjectPaths } from "../base/paths.ts"
import { hasWorktrees, hasWorktreesLeft } from "../driving/worktreesLeft.ts"
import { commandFor } from "../process/output.ts"
import { isLeft } from "../quick/listing.ts"
import { count } from "../render/lines.ts"
import type { Finding } from "./Finding.ts"

/** What processes have left behind that were ended: runs that nobody drives, worktrees, locks, files with secrets. */
export const lookAtLeft = (paths: ProjectPaths): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.sync(() => [
    ...orNone(() => ofRuns(runOverviews(paths.database), paths)),
    ...orNone(() => heldByNobody(paths)),
    ...orNone(() => secrets(paths))
  ])

/** A log that cannot be read is told by who looks at it. */
const orNone = <A>(look: () => ReadonlyArray<A>): ReadonlyArray<A> => {
  try {
    return look()
  } catch {
    return []
  }
}

const ofRuns = (rows: ReadonlyArray<RunOverview>, paths: ProjectPaths): ReadonlyArray<Finding> => [
  ...interrupted(rows, paths),
  ...withWorktrees(rows, paths),
  ...withUnusedWorktrees(rows, paths)
]

/** Between two calls of its agents a session run has no driver. */
const interrupted = (rows: ReadonlyArray<RunOverview>, paths: ProjectPaths): ReadonlyArray<Finding> =>
  rows
    .filter((row) => isLeft(row))
    .map(({ name, run_id }) => ({
      code: "run_interrupted",
      severity: "warning",
      message: `The run ${run_id} (${name}) has not ended, and no process works on it.`,
      place: run_id,
      fix: `${commandFor(paths)(`resume ${run_id}`)} goes on where its log ends; ${commandFor(paths)(`cancel ${run_id}`)} gives it up.`
    }))

const withWorktrees = (rows: ReadonlyArray<RunOverview>, paths: ProjectPaths): ReadonlyArray<Finding> =>
  rows
    .filter((row) => hasWorktreesLeft(row, paths))
    .map(({ run_id }) => ({
      code: "worktrees_left",
      severity: "note",
      message: `The run ${run_id} is completed, and worktrees of it are there still.`,
      place: worktreesOf(paths.state, run_id),
      fix: `${commandFor(paths)(`resume ${run_id}`)} removes them, and says which it keeps.`
    }))

/** An iteration that did not complete keeps its worktrees for a resume; its loop needs none where a later one met everything. */
const withUnusedWorktrees = (rows: ReadonlyArray<RunOverview>, paths: ProjectPaths): ReadonlyArray<Finding> => {
  const completed = new Set(rows.filter(({ status }) => status === "completed").map(({ run_id }) => run_id))
  return rows
    .filter(
      (row) =>
        row.status !== "completed" &&
        row.parent_run_id !== null &&
        completed.has(row.parent_run_id) &&
        hasWorktrees(row, paths) &&
        readdirSync(worktreesOf(paths.state, row.run_id)).length > 0
    )
    .map(({ parent_run_id, run_id }) => ({
      code: "worktrees_unused",
      severity: "note",
      message: `The run ${run_id} did not complete, ${parent_run_id} did without it, and the worktrees of its subtasks are there still. What was done in them may be nowhere else.`,
      place: worktreesOf(paths.state, run_id),
      fix: "Save what you need of it, then remove each of its directories: `git worktree remove --force DIRECTORY`."
    }))
}

const heldByNobody = ({ database }: ProjectPaths): ReadonlyArray<Finding> => {
  const left = holdsLeft(database)
  const processes = [...new Set(left.map(({ host, pid }) => `${pid} on ${host}`))]
  return left.length === 0
    ? []
    : [
        {
          code: "holds_left",
          severity: "note",
          message: `${count(left.length, "row")} of the log ${left.length === 1 ? "names" : "name"} a process that has ended (${processes.slice(0, 3).join(", ")}) as the holder of a run, a session or a lock. Nobody waits for it.`,
          place: database,
          fix: "`proofline doctor --fix` takes them out; whoever needs what they hold does so too.",
          mend: Effect.try({ try: () => dropHoldsLeft(database), catch: (cause) => (cause as Error).message })
        }
      ]
}

const secrets = ({ state }: ProjectPaths): ReadonlyArray<Finding> =>
  urlFilesLeft(state).map((file) => ({
    code: "secret_left",
    severity: "warning",
    message: "A process that has ended has left the URL of its database here, and with it a password.",
    place: file,
    fix: `rm ${file}`,
    mend: Effect.try({ try: () => rmSync(file, { force: true }), catch: (cause) => (cause as Error).message })
  }))
