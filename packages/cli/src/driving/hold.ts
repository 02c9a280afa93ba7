import { driveRun, type LockHeld, Locks } from "@proofline/kernel"
import { Effect } from "effect"
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
