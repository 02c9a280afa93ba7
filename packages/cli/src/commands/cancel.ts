import { cancelRun } from "@proofline/plugins/policies/oversight"
import { Effect } from "effect"
import { exitCodes } from "../problems.ts"
import { type RunChoice, readRows, withRun } from "./history.ts"
import { report } from "./reportRun.ts"
import { loadRun, withKernel } from "./shared.ts"

export interface CancelOptions extends RunChoice {
  readonly reason?: string | undefined
  readonly json: boolean
}

/** `proofline cancel [run]`: ends a run and, of a requirements run, the task run that is under way; what is proven stays. */
export const cancel = (options: CancelOptions) =>
  withRun(options, (run, paths) =>
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        yield* loadRun(run, paths)
        yield* cancelRun(run, yield* readRows(paths), options.reason ?? "cancelled by a person")
        yield* report(yield* loadRun(run, paths), paths, options.json)
        return exitCodes.proven
      })
    )
  )
