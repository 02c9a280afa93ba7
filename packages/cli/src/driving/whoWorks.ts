/** Who does the work of a run: this process, or workers that share its log. */
import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, type Problem, type Stop, stop } from "../base/problems.ts"

/** How workers are to do the work of a run. */
export interface ClusterFlags {
  /** Only workers that offer all of them take the work. */
  readonly labels?: string | undefined
  /** From where workers get the history of the project. */
  readonly remote?: string | undefined
}

/** Stops where something is said of those who work on the run that has no effect there. */
export const checkWhoWorks = (
  { labels, remote, workers }: ClusterFlags & { readonly workers?: number | undefined },
  { databaseUrl }: Pick<ProjectPaths, "databaseUrl">
): Effect.Effect<void, Stop> => {
  if (databaseUrl !== undefined) return workers === undefined ? Effect.void : stop(exitCodes.usage, workersElsewhere)
  const [said] = Object.entries({ labels, remote }).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  return said === undefined ? Effect.void : stop(exitCodes.usage, nobodyElse(said))
}

const workersElsewhere: Problem = {
  code: "workers_elsewhere",
  message:
    "--workers says how many attempts this process makes at the same time, and it makes none: workers of the database do the work, as many attempts as they have slots.",
  hint: "Leave it out. `proofline worker --slots N` and `proofline cluster up --workers N --slots N` start workers."
}

const nobodyElse = (said: string): Problem => ({
  code: "database_url_missing",
  message: `--${said} is for workers of a log that several machines share, and no database was named: this process does the work.`,
  hint: `Name the database with --database-url or PROOFLINE_DATABASE_URL, or leave --${said} out.`
})

/** What only the process that drives a run offers to do, where no workers share the log. */
export const ownLabel = (run: string): string => `run:${run}`

/** What a worker has to offer to take the work of a run. `before`: as it was, for it may have been driven elsewhere. */
export const labelsFor = (
  run: string,
  { databaseUrl }: Pick<ProjectPaths, "databaseUrl">,
  { labels }: ClusterFlags,
  before: ReadonlyArray<string> = []
): ReadonlyArray<string> => {
  if (databaseUrl === undefined) return [ownLabel(run)]
  return labels === undefined ? before.filter((label) => label !== ownLabel(run)) : listOf(labels)
}

/** Words with commas between. */
export const listOf = (said = ""): ReadonlyArray<string> => [
  ...new Set(said.split(",").flatMap((word) => word.trim() || []))
]
