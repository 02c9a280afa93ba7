import {
  canonicalJson,
  Digest,
  type Divergence,
  Engine,
  EventLog,
  faultFinder,
  type LogFault,
  makeReplay,
  type Snapshot
} from "@proofline/kernel"
import { type LoopBIteration, loopOf, outcomeOf } from "@proofline/plugins/policies/requirements"
import { Effect, Stream } from "effect"
import { replayDocument } from "../documents/proof.ts"
import { print, printDocument } from "../output.ts"
import { exitCodes } from "../problems.ts"
import { count } from "../render/lines.ts"
import { stateOf } from "../state.ts"
import { type RunChoice, withRun } from "./history.ts"
import { checkPlugins, withKernel } from "./shared.ts"

export interface ReplayOptions extends RunChoice {
  readonly json: boolean
}

/** What a replay of one run has found. */
interface Replayed {
  readonly run_id: string
  readonly events: number
  readonly divergence: Divergence | null
  readonly integrity: LogFault | null
  /** The run as today's rules have it; of a run that diverges, up to there. */
  readonly snapshot: Snapshot
}

/**
 * `proofline replay [run]`: checks the hash chain and decides everything again with today's rules. Of a requirements run
 * its task runs too, and whether it has recorded of them what their logs say.
 */
export const replay = (options: ReplayOptions) =>
  withRun(options, (run, paths, none) =>
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        const whole = yield* replayOne(run)
        if (whole.events === 0) return yield* none
        const isLoop = stateOf(whole.snapshot).run.kind === "requirements"
        const iterations = isLoop ? loopOf(whole.snapshot).iterations : []
        const children = yield* Effect.forEach(
          iterations.filter(({ loop_c_history_id }) => loop_c_history_id !== null),
          Effect.fnUntraced(function* ({ ended, iteration_number, loop_c_history_id }) {
            const child = yield* replayOne(loop_c_history_id ?? "")
            return { ...child, divergence: child.divergence ?? misreported(child, iteration_number, ended) }
          })
        )
        const all = [whole, ...children]
        yield* options.json
          ? printDocument(replayDocument, {
              ...document(whole),
              ...(isLoop ? { task_runs: children.map(document) } : {})
            })
          : print(all.map(replayText).join("\n"))
        if (all.some(({ integrity }) => integrity !== null)) return exitCodes.integrity
        return all.some(({ divergence }) => divergence !== null) ? exitCodes.unmet : exitCodes.proven
      })
    )
  )

const document = ({ divergence, events, integrity, run_id }: Replayed) => ({ run_id, events, divergence, integrity })

const replayOne = Effect.fnUntraced(function* (run_id: string) {
  const log = yield* EventLog
  const digest = yield* Digest
  const { composition } = yield* Engine
  yield* checkPlugins(run_id)
  const again = makeReplay(composition, digest.uuid5)
  const { add, end } = yield* faultFinder(run_id)
  yield* log.read(run_id).pipe(
    Stream.runForEach((event) =>
      Effect.sync(() => {
        again.add(event)
        add(event)
      })
    )
  )
  return { run_id, integrity: end(), ...again.end() } satisfies Replayed
})

/** The requirements run has taken its verdicts from what it recorded of its task runs. */
const misreported = (
  { events, snapshot }: Replayed,
  iteration: number,
  recorded: LoopBIteration["ended"]
): Divergence | null => {
  const state = stateOf(snapshot)
  // one that was taken up again has not ended again, or was not looked at since
  if (recorded === null || state.run.status === "running") return null
  const expected = outcomeOf(state, iteration)
  return canonicalJson(expected as never) === canonicalJson(recorded as never)
    ? null
    : {
        version: snapshot.version,
        reason: "different",
        message:
          events === 0
            ? "The requirements run has an end of this task run, and its log is gone."
            : "The requirements run has recorded another end of this task run than its log has.",
        recorded: { type: "TASK_RUN_ENDED", content: recorded as never },
        expected: { type: "TASK_RUN_ENDED", content: expected as never }
      }
}

const replayText = ({ divergence, events, integrity: broken, run_id: run }: Replayed): string =>
  [
    broken === null
      ? `The hash chain of ${run} is intact over ${count(events, "event")}.`
      : broken.code === "log_changed"
        ? `The hash chain of ${run} is broken at version ${broken.version}: ${broken.message}`
        : broken.message,
    divergence === null
      ? "Today's rules make every decision as it was recorded."
      : [
          `Today's rules part from the log at version ${divergence.version}: ${divergence.message}`,
          ...(divergence.recorded === null ? [] : [`  recorded: ${JSON.stringify(divergence.recorded)}`]),
          ...(divergence.expected === null ? [] : [`  today:    ${JSON.stringify(divergence.expected)}`])
        ].join("\n"),
    ""
  ].join("\n")
