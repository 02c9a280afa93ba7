import { existsSync } from "node:fs"
import { removeRunFiles, runDirectory } from "@proofline/plugins/adapters/command-agent"
import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { isDrivenByNobody } from "../quick/listing.ts"
import { readRows } from "../reading/rows.ts"
import { holdRun } from "./hold.ts"

/**
 * Removes what the agents of killed runs had for the time of their attempts; of a run that is taken up again it is done before.
 * Those of a shared log may be at work on other machines.
 */
export const removeFilesLeft = Effect.fnUntraced(function* (paths: ProjectPaths) {
  if (paths.databaseUrl !== undefined) return
  const rows = yield* readRows(paths)
  const left = rows.filter(({ run_id }) => existsSync(runDirectory(paths.state, run_id)))
  for (const { parent_run_id, run_id } of left) {
    const whole = rows.find((row) => row.run_id === (parent_run_id ?? run_id))
    if (whole === undefined || !isDrivenByNobody(whole)) continue
    // nobody takes it up meanwhile
    yield* Effect.andThen(holdRun(whole.run_id, null), removeRunFiles(paths.state, run_id)).pipe(
      Effect.scoped,
      Effect.catchTag("RunIsDriven", () => Effect.void)
    )
  }
})
