import { Effect, Layer, Result, Stream } from "effect"
import type { RunId } from "../domain/Ids.ts"
import type { LogUnavailable } from "../domain/LogUnavailable.ts"
import type { Recorded } from "../domain/Recorded.ts"
import { type Rejection, reject } from "../domain/Rejection.ts"
import { taskOf } from "../domain/State.ts"
import { EventLog } from "../log/EventLog.ts"
import type { Digest } from "../port/Digest.ts"
import type { RunSummary } from "../view/RunSummary.ts"
import { accepted, mismatch, noting, refused, small } from "./answers.ts"
import { Engine } from "./Engine.ts"
import { eventsBody, lastPage, maxEvents } from "./eventPage.ts"
import { mayGoOn } from "./goingOn.ts"
import { Oversight } from "./Oversight.ts"
import {
  conflictsOf,
  questionBody,
  type RunVerification,
  runBody,
  runsBody,
  subtasksBody,
  verificationBody
} from "./overviews.ts"
import { answerQuestion, mayWaitForPerson, questionOf } from "./questions.ts"
import { readArguments, textOf, textOrNull } from "./requests.ts"
import { inRoom, maxAnswer, withList } from "./room.ts"

export interface OversightOptions {
  /** All runs of the project, newest first. */
  readonly runs: Effect.Effect<ReadonlyArray<RunSummary>, LogUnavailable>
  /** Whether the log of a run is as it was written, and everything it proved still holds. Starts nothing. */
  readonly verify: (run: RunId) => Effect.Effect<RunVerification, LogUnavailable | Rejection>
}

/** So many of the newest runs are looked at for what waits for a person. */
const maxLookedAt = 20

const maxRuns = 10

/** Oversight over the engine and the log of a project. */
export const oversightLayer = (options: OversightOptions): Layer.Layer<Oversight, never, Engine | EventLog | Digest> =>
  Layer.effect(Oversight, make(options))

const make = Effect.fnUntraced(function* (options: OversightOptions) {
  const engine = yield* Engine
  const log = yield* EventLog
  const services = yield* Effect.context<Engine | EventLog | Digest>()

  /** The named run, or the newest. */
  const runNamed = Effect.fnUntraced(function* (args: Args) {
    const named = textOf(args["run_id"]).trim()
    const runs = yield* options.runs
    const run = named === "" ? runs[0] : runs.find(({ run_id }) => run_id === named)
    if (run !== undefined) return run.run_id
    return yield* Effect.fail(
      named === ""
        ? reject(
            "run_missing",
            "Nothing was run in this project so far.",
            "Call get_next_action to begin a session run."
          )
        : reject("run_unknown", `There is no run ${named}.`, "Call list_runs for the runs there are.")
    )
  })

  const events = Effect.fnUntraced(function* (run: RunId, args: Args) {
    const { version } = yield* engine.load(run)
    const limit = numberOr(args["limit"], maxEvents)
    const from = args["from"] === undefined || args["from"] === null ? null : numberOr(args["from"], 1)
    if (from !== null && from > version + 1) {
      return yield* Effect.fail(
        reject("from_out_of_range", `Run ${run} has ${version} events.`, `Name a version from 1 to ${version + 1}.`)
      )
    }
    const first = from ?? Math.max(1, version - limit + 1)
    const read: ReadonlyArray<Recorded> =
      first > version
        ? []
        : yield* log.read(run, first).pipe(Stream.take(Math.min(limit, version - first + 1)), Stream.runCollect)
    return accepted(eventsBody(run, version, from === null ? lastPage(read) : read, first))
  })

  const approvals = Effect.gen(function* () {
    const waiting = (yield* options.runs).filter(mayWaitForPerson)
    const found = yield* Effect.forEach(waiting.slice(0, maxLookedAt), ({ run_id }) =>
      Effect.map(engine.load(run_id), ({ state }) => {
        const question = questionOf(state)
        return question === null ? conflictsOf(state) : [questionBody(state, question)]
      })
    )
    // one that is larger than an answer would not be shown at all
    const shown = found.flat().map((one) => inRoom(one, maxAnswer - 200))
    const unseen = waiting.length - maxLookedAt
    return accepted(
      withList({ success: true, ...(unseen > 0 ? { runs_not_looked_at: unseen } : {}) }, "approvals", shown)
    )
  })

  const answer = Effect.fnUntraced(function* (args: Args) {
    const named = textOf(args["run_id"]).trim()
    const runs = yield* options.runs
    const goesOn = runs.find(({ kind, status }) => kind === "session" && status === "running")
    if (named === "" && goesOn === undefined) return yield* Effect.fail(noSessionRun)
    const run = named === "" && goesOn !== undefined ? goesOn.run_id : yield* runNamed(args)
    yield* mayGoOn(run)
    const after = yield* answerQuestion(run, textOf(args["answer"]).trim(), textOrNull(args["comment"]))
    return accepted({ success: true, run_id: run, run_status: after.status, phase: after.pull?.phase ?? null })
  })

  const carryOut = Effect.fnUntraced(function* (operation: string, args: Args) {
    switch (operation) {
      case "list_runs":
        return accepted(runsBody(yield* options.runs, numberOr(args["limit"], maxRuns)))
      case "get_run":
        return accepted(runBody((yield* engine.load(yield* runNamed(args))).state))
      case "get_subtasks": {
        const { state } = yield* engine.load(yield* runNamed(args))
        const id = textOf(args["task_id"]).trim()
        const task = taskOf(state, id)
        if (task !== undefined) return accepted(subtasksBody(state, task))
        return yield* Effect.fail(
          reject("task_unknown", `Run ${state.run_id} has no task ${id}.`, "Call get_run for the tasks there are.")
        )
      }
      case "get_events":
        return yield* events(yield* runNamed(args), args)
      case "verify_run":
        return accepted(verificationBody(yield* options.verify(yield* runNamed(args))))
      case "list_approvals":
        return yield* approvals
      case "answer_approval":
        return yield* answer(args)
      default:
        return yield* Effect.fail(reject("operation_unknown", `There is no operation ${operation}.`, "Call list_runs."))
    }
  })

  const call = (operation: string, sent: unknown, { isPerson }: { readonly isPerson: boolean }) =>
    Effect.gen(function* () {
      if (operation === "answer_approval" && !isPerson) return refused(personOnly, {})
      const read = readArguments(operation, sent)
      if (Result.isFailure(read)) return mismatch(read.failure, {})
      return noting(yield* carryOut(operation, read.success.args), read.success.unexpected)
    }).pipe(
      Effect.catchTag("Rejection", (rejection) => Effect.succeed(refused(rejection, {}))),
      Effect.map(small),
      Effect.provide(services)
    )

  return Oversight.of({ call })
})

type Args = Readonly<Record<string, unknown>>

const numberOr = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise)

const noSessionRun = reject(
  "session_run_missing",
  "No session run goes on in this project: nobody is asked anything.",
  "Call list_approvals for what waits for a person."
)

const personOnly = reject(
  "person_only",
  "Only a person may answer this, and over this connection nobody can tell that one does.",
  "Show the user the question with list_approvals; they answer it with `proofline answer`."
)
