import { cancelRun } from "@proofline/plugins/policies/oversight"
import { Effect } from "effect"
import { exitCodes } from "../base/problems.ts"
import { removeFilesLeft } from "../driving/filesLeft.ts"
import { tellWritten } from "../driving/runEnd.ts"
import { stateOf } from "../project/state.ts"
import { withKernel } from "../project/withKernel.ts"
import { report } from "../reading/reportRun.ts"
import { readRows } from "../reading/rows.ts"
import { type RunChoice, withRun } from "../reading/withRun.ts"

export interface CancelOptions extends RunChoice {
  readonly reason?: string | undefined
  readonly json: boolean
}

/** `proofline cancel [run]`: ends a run and, of a requirements run, the task run that is under way; what is proven stays. */
export const cancel = (options: CancelOptions) =>
  withRun(options, (run, paths, none) =>
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        const rows = yield* readRows(paths)
        if (!rows.some(({ run_id }) => run_id === run)) return yield* none
        const cancelled = yield* cancelRun(run, rows, options.reason ?? "cancelled by a person")
        yield* report(stateOf(cancelled), paths, options.json)
        yield* tellWritten(run, paths)
        // one that is at work removes them itself
        yield* removeFilesLeft(paths)
        return exitCodes.proven
      })
    )
  )
