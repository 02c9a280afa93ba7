/** The vocabulary of the cases that every `EventLog` must pass. */
import { Effect, type Schema, type Scope, Stream } from "effect"
import type { EventCandidate } from "../base/Recorded.ts"
import type { WorkItem } from "../base/Work.ts"
import { type AppendOptions, EventLog } from "../log/EventLog.ts"
import type { Digest } from "../port/Digest.ts"
import type { WorkQueue } from "../port/WorkQueue.ts"
import { onHandClock, same } from "./vocabulary.ts"

export interface ContractCase {
  /** What must hold, as a sentence. */
  readonly name: string
  readonly run: Effect.Effect<void, unknown, EventLog | WorkQueue | Digest>
}

export type Env = EventLog | WorkQueue | Digest | Scope.Scope

/** `command` names the command; `n` events of it. */
export const events = (
  command: string,
  n = 1,
  content: Schema.Json = { task_id: command }
): ReadonlyArray<EventCandidate> =>
  Array.from({ length: n }, (_, i) => ({
    event_type: `FACT_${i}`,
    // a log keeps events of whatever version, and lifts none
    schema_version: i + 1,
    timestamp: "2026-01-02T03:04:05.678Z",
    visibility: i % 2 === 0 ? "summary" : "full",
    content,
    command_id: `cmd_${command}`,
    causation_id: i === 0 ? null : "cmd_cause",
    correlation_id: "run_origin"
  }))

export const item = (id: string, over: Partial<WorkItem> = {}): WorkItem => ({
  id,
  run: "run_a",
  key: `attempt/${id}/1`,
  kind: "attempt",
  activity: "attempt",
  task_id: id,
  is_subtask: false,
  input: { prompt: id },
  labels: [],
  priority: 0,
  not_before: 0,
  ...over
})

export const append = (
  stream: string,
  expected: number,
  candidates: ReadonlyArray<EventCandidate>,
  options?: AppendOptions
) => Effect.flatMap(EventLog, (log) => log.append(stream, expected, candidates, options))

export const readStream = (stream: string, from?: number) =>
  Effect.flatMap(EventLog, (log) => Stream.runCollect(log.read(stream, from)))

export const readEverything = (from?: number) => Effect.flatMap(EventLog, (log) => Stream.runCollect(log.readAll(from)))

/** Everything a reader can see, to prove that a refused append left nothing behind. */
export const unchanged = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = yield* readEverything()
    const answer = yield* effect
    yield* same(yield* readEverything(), before, "the log after a refused append")
    return answer
  })

export const given = (name: string, run: Effect.Effect<void, unknown, Env>): ContractCase => ({
  name,
  run: onHandClock(Effect.scoped(run))
})
