import { type ChainHead, Digest, Engine, EventLog, makeReplay, verifyNext } from "@proofline/kernel"
import { Effect, Result, Stream } from "effect"
import { print, printDocument } from "../output.ts"
import { exitCodes } from "../problems.ts"
import { count } from "../render/lines.ts"
import { type RunChoice, withRun } from "./history.ts"
import { checkPlugins, withKernel } from "./shared.ts"

export interface ReplayOptions extends RunChoice {
  readonly json: boolean
}

/** `proofline replay [run]`: checks the hash chain and decides everything again with today's rules. */
export const replay = (options: ReplayOptions) =>
  withRun(options, (run, paths, none) =>
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        const log = yield* EventLog
        const digest = yield* Digest
        const { composition } = yield* Engine
        yield* checkPlugins(run)
        const again = makeReplay(composition, digest.uuid5)
        let head: ChainHead | null = null
        let broken: { readonly version: number; readonly message: string } | null = null
        yield* log.read(run).pipe(
          Stream.runForEach((event) =>
            Effect.sync(() => {
              again.add(event)
              if (broken !== null) return
              const next = verifyNext(head, event, digest.sha256)
              if (Result.isSuccess(next)) head = next.success
              else broken = { version: next.failure.version, message: next.failure.message }
            })
          )
        )
        const { divergence, events } = again.end()
        if (events === 0) return yield* none
        yield* options.json
          ? printDocument("replay", { run_id: run, events, divergence, integrity: broken })
          : print(replayText(run, events, divergence, broken))
        return broken !== null ? exitCodes.integrity : divergence !== null ? exitCodes.unmet : exitCodes.proven
      })
    )
  )

const replayText = (
  run: string,
  events: number,
  divergence: ReturnType<ReturnType<typeof makeReplay>["end"]>["divergence"],
  broken: { readonly version: number; readonly message: string } | null
): string =>
  [
    broken === null
      ? `The hash chain of ${run} is intact over ${count(events, "event")}.`
      : `The hash chain of ${run} is broken at version ${broken.version}: ${broken.message}`,
    divergence === null
      ? "Today's rules make every decision as it was recorded."
      : [
          `Today's rules part from the log at version ${divergence.version}: ${divergence.message}`,
          ...(divergence.recorded === null ? [] : [`  recorded: ${JSON.stringify(divergence.recorded)}`]),
          ...(divergence.expected === null ? [] : [`  today:    ${JSON.stringify(divergence.expected)}`])
        ].join("\n"),
    ""
  ].join("\n")
