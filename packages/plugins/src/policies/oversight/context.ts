import {
  type Digest,
  Engine,
  EventLog,
  enumerated,
  type LogUnavailable,
  type LogVerification,
  type Rejection,
  type RunId,
  type RunSummary,
  rejectUnknown
} from "@proofline/kernel"
import { type Context, Effect, Schema } from "effect"
import { atVersion } from "../../operations/inSpan.ts"
import { runsMeant } from "../../options/runsMeant.ts"
import { runIn } from "../sessions/contract.ts"

export interface OversightOptions {
  /** All runs of the project, newest first. */
  readonly runs: Effect.Effect<ReadonlyArray<RunSummary>, LogUnavailable>
  /** Whether the log of a run is as it was written, and everything it proved still holds. Starts nothing. */
  readonly verify: (run: RunId) => Effect.Effect<LogVerification, LogUnavailable | Rejection>
}

/** Somebody who looks after the project asks for something. */
export interface Asking extends OversightOptions {
  readonly engine: Engine["Service"]
  readonly log: EventLog["Service"]
  readonly services: Context.Context<Engine | EventLog | Digest>
  /** The answer of a person may be given. */
  readonly isPerson: boolean
}

export const makeContext = Effect.fnUntraced(function* (options: OversightOptions) {
  const services = yield* Effect.context<Engine | EventLog | Digest>()
  const context: Omit<Asking, "isPerson"> = {
    ...options,
    engine: yield* Engine,
    log: yield* EventLog,
    services
  }
  return context
})

/** The argument that names a run. */
export const run_id = Schema.optionalKey(
  Schema.String.annotate({ description: "Id of the run, or its beginning; the newest one when left out." })
)

/** The named run, as the command line names one, or the newest. */
export const runNamed = Effect.fnUntraced(function* (
  { runs }: Asking,
  given: string = ""
): Effect.fn.Return<RunId, Rejection | LogUnavailable> {
  const named = given.trim()
  const known = yield* runs
  const [run, ...others] = named === "" ? known.slice(0, 1) : runsMeant(named, known)
  if (run !== undefined && others.length > 0) {
    const ids = [run, ...others].map(({ run_id }) => run_id)
    return yield* rejectUnknown(
      "run_ambiguous",
      `${named} may be any of ${ids.length} runs: ${enumerated(ids, 5)}.`,
      "Name one of these ids.",
      ids
    )
  }
  if (run !== undefined) {
    yield* Effect.annotateCurrentSpan({ run: run.run_id })
    return run.run_id
  }
  return yield* named === ""
    ? rejectUnknown(
        "run_missing",
        "Nothing was run in this project so far.",
        "Call get_next_action to begin a session run."
      )
    : rejectUnknown("run_unknown", `There is no run ${named}.`, "Call list_runs for the runs there are.")
})

/** The named run as it stands. */
export const stateNamed = (asking: Asking, named: string | undefined) =>
  runNamed(asking, named).pipe(
    Effect.flatMap(asking.engine.load),
    Effect.tap(({ version }) => atVersion(version)),
    Effect.map(runIn)
  )
