import {
  type AnyEvent,
  type CheckRun,
  type Composition,
  Digest,
  Engine,
  EventLog,
  endsRun,
  faultText,
  foldReceipts,
  type KernelEvent,
  logFault,
  noReceipts,
  type Recorded,
  type RunReceipts,
  receiptsOf
} from "@proofline/kernel"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import { type ContentOf, type Loop, type LoopEvent, loopOf } from "@proofline/plugins/policies/requirements"
import { Effect, Stream } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, type Stop, stop } from "../base/problems.ts"
import { type State, stateOf } from "../project/state.ts"
import { unknownRun } from "./oneRun.ts"

/** A command that was run to verify requirements, and when. */
export interface CheckSeen {
  readonly run: CheckRun
  /** ISO 8601, UTC. */
  readonly at: string
}

/** A run as its log has it. */
export interface RunRecord {
  readonly run_id: string
  readonly state: State
  /** Never loaded in a run of another kind. */
  readonly loop: Loop
  readonly receipts: RunReceipts
  /** ISO 8601, UTC, of its first and its last event. */
  readonly started_at: string
  readonly updated_at: string
  /** Null while it runs. */
  readonly ended_at: string | null
  /** How often every command that verifies requirements ended last, by command. */
  readonly checks: ReadonlyMap<string, CheckSeen>
  /** By requirement: what was looked up when it was verified last. */
  readonly looked: ReadonlyMap<string, ContentOf<"CRITERIA_CHECKED">["receipts"]>
  /** By requirement: when it was verified last. */
  readonly verified: ReadonlyMap<string, string>
  /** By task: the end of what its agent printed last. */
  readonly outputs: ReadonlyMap<string, string>
}

/** Is told every event that a record is made of, in order: what else is made of them is of the same moment. */
export type Listener = (event: Recorded) => void

/** The run; refused when there is none, or when its log is not as it was written. */
export const readRecord = Effect.fnUntraced(function* (run: string, paths: ProjectPaths, listen: Listener = () => {}) {
  const fault = yield* logFault(run)
  if (fault !== null) {
    return yield* stop(exitCodes.integrity, {
      code: fault.code,
      message: faultText(run, fault),
      hint: "Restore it from a backup; what a changed log says shows nothing."
    })
  }
  const { composition, load, manifest } = yield* Engine
  const { sha256 } = yield* Digest
  const snapshot = yield* load(run)
  const state = stateOf(snapshot)
  if (state.run.status === "none") return yield* unknownRun(run, paths)
  const log = yield* EventLog
  const seen = nothing(composition)
  yield* log.read(run).pipe(
    // what is appended meanwhile is left for the next time: all of a record is of one moment
    Stream.takeWhile(({ version }) => version <= snapshot.version),
    Stream.runForEach((recorded) =>
      Effect.sync(() => {
        // the engine has read it already: nothing in it is unknown
        const event = manifest.decode(recorded, () => seen.fold.snapshot)
        seen.fold = foldReceipts(composition, seen.fold, recorded, event)
        note(seen, event, recorded)
        listen(recorded)
      })
    )
  )
  const { checks, ended_at, fold, looked, outputs, started_at, updated_at, verified } = seen
  const record: RunRecord = {
    run_id: run,
    state,
    loop: loopOf(snapshot),
    receipts: receiptsOf(fold, sha256),
    started_at,
    updated_at,
    ended_at: state.run.status === "running" ? null : ended_at,
    checks,
    looked,
    verified,
    outputs
  }
  return record
})

const nothing = (composition: Composition) => ({
  fold: noReceipts(composition),
  started_at: "",
  updated_at: "",
  ended_at: null as string | null,
  checks: new Map<string, CheckSeen>(),
  looked: new Map<string, ContentOf<"CRITERIA_CHECKED">["receipts"]>(),
  verified: new Map<string, string>(),
  outputs: new Map<string, string>()
})

/** What neither the state of a run nor its loop keeps. */
const note = (seen: ReturnType<typeof nothing>, { content, type }: AnyEvent, { timestamp }: Recorded): void => {
  seen.started_at ||= timestamp
  seen.updated_at = timestamp
  if (endsRun(type)) seen.ended_at = timestamp
  const event = { content, type } as unknown as KernelEvent | LoopEvent
  switch (event.type) {
    case "ATTEMPT_OUTPUT_SUMMARIZED":
      seen.outputs.set(event.content.task_id, event.content.output_tail)
      return
    case "CRITERIA_CHECKED":
      seen.looked.set(event.content.requirement_id, event.content.receipts)
      for (const run of event.content.runs) seen.checks.set(run.command, { run, at: timestamp })
      return
    case "REQUIREMENT_VERIFIED":
      seen.verified.set(event.content.requirement_id, timestamp)
      return
  }
}

/** The task runs of a requirements run, in the order of their iterations. */
export const childrenOf = (rows: ReadonlyArray<RunOverview>, run: string): ReadonlyArray<RunOverview> =>
  rows.filter(({ parent_run_id }) => parent_run_id === run).toReversed()

/** The row of a requirements run, or the refusal that there is none of this id, or that it is of another kind. */
export const requirementsRow = (
  rows: ReadonlyArray<RunOverview>,
  run: string,
  paths: ProjectPaths
): Effect.Effect<RunOverview, Stop> => {
  const row = rows.find(({ run_id }) => run_id === run)
  if (row === undefined) return Effect.fail(unknownRun(run, paths))
  return row.kind === "requirements"
    ? Effect.succeed(row)
    : Effect.fail(
        stop(exitCodes.usage, {
          code: "run_not_requirements",
          message: `${run} is no requirements run, but one of the kind ${row.kind}.`,
          hint: `${row.parent_run_id === null ? "" : `It belongs to ${row.parent_run_id}: name that one. `}See \`proofline show ${run}\`, or all requirements runs with \`proofline history --kind requirements\`.`
        })
      )
}
