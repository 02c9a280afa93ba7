import { Context } from "effect"

/** The words behind `proofline`, as they were given: where `--` stands, no parsed argument tells. */
export const invocation: Context.Reference<ReadonlyArray<string>> = Context.Reference("proofline/cli/invocation", {
  defaultValue: (): ReadonlyArray<string> => []
})
