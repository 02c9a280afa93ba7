import { notBroughtHome } from "@proofline/plugins/adapters/git-workspaces"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import { Effect } from "effect"
import type { ProjectPaths } from "../paths.ts"

/** Completed runs of workers whose work is not in this project: whoever watched one may have died before it was over. */
export const notHome = Effect.fnUntraced(function* (
  rows: ReadonlyArray<RunOverview>,
  { databaseUrl, root, state }: ProjectPaths
) {
  const over = rows.filter(
    // whoever still drives it brings it home
    ({ away, driver, parent_run_id, status }) =>
      status === "completed" && driver === null && away == null && parent_run_id === null
  )
  if (databaseUrl === undefined || over.length === 0) return []
  const found = notBroughtHome(
    { root, stateDir: state },
    over.map(({ run_id }) => run_id)
  )
  // a project that git cannot read has handed over nothing
  const runs = new Set(yield* Effect.orElseSucceed(found, () => []))
  return over.filter(({ run_id }) => runs.has(run_id))
})
