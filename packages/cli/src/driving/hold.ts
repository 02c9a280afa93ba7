import { driveRun, type LockHeld, Locks } from "@proofline/kernel"
import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, type Stop, stop } from "../base/problems.ts"

/**
 * Holds a run for this process, and the file it came from, or says who has it: two drivers of one file would work on
 * the same project at the same time.
 */
export const holdRun = Effect.fnUntraced(function* (run: string, input: string | null) {
  const driver = yield* driveRun(run)
  if (input !== null) {
    const locks = yield* Locks
    yield* locks
      .acquire(`input:${input}`, 0)
      .pipe(Effect.catchTag("LockHeld", (error) => Effect.fail(inputIsDriven(input, error))))
  }
  return driver
})

const inputIsDriven = (input: string, { holder }: LockHeld): Stop =>
  stop(exitCodes.usage, {
    code: "run_is_driven",
    kind: "conflict",
    message: `${input} is being run already, by process ${holder.pid} on ${holder.host} since ${holder.since}.`,
    hint: "Wait until it has ended, or stop that process first; `proofline status` shows how far it is."
  })

/** How workers are to do the work of a run. */
export interface ClusterFlags {
  /** Only workers that offer all of them take the work. */
  readonly labels?: string | undefined
  /** From where workers get the history of the project. */
  readonly remote?: string | undefined
}

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
