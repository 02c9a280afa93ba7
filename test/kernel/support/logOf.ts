import { type AnyCommand, composePlugins, type Recorded } from "@proofline/kernel"
import { given } from "@proofline/kernel/testing"
import { judge } from "./judge.ts"
import { recordedOf } from "./recorded.ts"

/** The log of a run in which this was asked for, every command accepted. */
export const logOf = (...commands: ReadonlyArray<AnyCommand>): ReadonlyArray<Recorded> => {
  let now = given([], [judge])
  const batches = commands.map((command) => {
    const then = now.when(command)
    if (then.rejected !== null) throw then.rejected
    now = now.after(command)
    return then.events
  })
  return recordedOf(composePlugins([judge]), batches)
}
