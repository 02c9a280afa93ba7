import { EventLog, endsRun, faultFinder, toNdjson } from "@proofline/kernel"
import { Effect, Stream } from "effect"
import { exitCodes } from "../base/problems.ts"
import { print } from "../process/output.ts"
import { logChanged } from "../reading/oneRun.ts"
import { type RunChoice, withRunToRead } from "../reading/withRun.ts"

export interface EventsOptions extends RunChoice {
  readonly follow: boolean
  /** Only events of this visibility; all when left out or `full`. */
  readonly visibility?: "summary" | "full" | undefined
}

/**
 * `proofline events [run]`: the whole stream as NDJSON, in version order, also while it is written. What is there is printed
 * whatever it is; where it is not as it was written, that is said at the end.
 */
export const events = (options: EventsOptions) =>
  withRunToRead(options, (run, _paths, none) =>
    Effect.gen(function* () {
      const log = yield* EventLog
      let last = 0
      let position = 0
      let ended = false
      // an end that lies in the past may have been followed by a resume
      let following = false
      const { add, end } = yield* faultFinder(run)
      const write = (stream: ReturnType<typeof log.read>) =>
        stream.pipe(
          Stream.filter((event) => event.stream === run && event.version > last),
          Stream.takeUntil((event) => following && endsRun(event.event_type)),
          Stream.chunks,
          Stream.runForEach((chunk) => {
            for (const event of chunk) add(event)
            const newest = chunk[chunk.length - 1]
            if (newest !== undefined) {
              last = newest.version
              position = newest.position
              ended = endsRun(newest.event_type)
            }
            const shown = chunk.filter(({ visibility }) => options.visibility !== "summary" || visibility === "summary")
            return print(shown.map((event) => `${toNdjson(event)}`).join(""))
          })
        )
      yield* write(log.read(run))
      if (last === 0) return yield* none
      if (options.follow && !ended) {
        following = true
        yield* write(log.follow(position + 1))
      }
      const fault = end()
      if (fault !== null) return yield* logChanged(run, fault)
      return exitCodes.proven
    })
  )
