import {
  type AnyCommand,
  type AnyEvent,
  composePlugins,
  type EventCandidate,
  emptySnapshot,
  makeManifest,
  type Snapshot,
  step
} from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { Result } from "effect"
import { judge } from "../../kernel/support/judge.ts"
import { done, endReporting, evidence, start, verified } from "../../kernel/support/words.ts"

const composition = composePlugins([judge])
const manifest = makeManifest(composition)

/** The run that is measured. */
export const bigRun = "run_big"

/**
 * The events of one large run, made by the rules themselves: every task is tried twice, at first with a claim that is
 * refused. `workers` of them are at work at once; `open` tasks at the end are left for later.
 */
export function* bigRunEvents(tasks: number, workers = 8): Generator<ReadonlyArray<AnyEvent>> {
  let now: Snapshot = emptySnapshot(composition)
  const carryOut = (command: AnyCommand): ReadonlyArray<AnyEvent> => {
    const result = step(composition, now, command)
    if (Result.isFailure(result)) throw result.failure
    now = result.success.after
    return result.success.events
  }
  const ids = Array.from({ length: tasks }, (_, i) => `task-${String(i + 1).padStart(5, "0")}`)
  const specs = ids.map((id, i) =>
    aTask(id, { title: `Part ${i + 1} of a large piece of work`, checklist: [{ item: "one" }, { item: "two" }] })
  )
  yield carryOut({ ...aRun(specs, { workers, max_retries: 3 }), run_id: bigRun })
  for (const [i, id] of ids.entries()) {
    const worker = { worker_id: `host:1/${(i % workers) + 1}` }
    yield carryOut(start(id, 1, worker))
    yield carryOut(endReporting(id, 1, [done("one"), done("two")]))
    yield carryOut(evidence(id, 1, 0))
    yield carryOut(start(id, 2, worker))
    yield carryOut(endReporting(id, 2, [done("one"), done("two")]))
    yield carryOut(evidence(id, 2, 0, 1))
    yield carryOut(verified(id, 2))
  }
}

/** As they are appended; a tenth of a second lies between two batches. */
export const candidates = (events: ReadonlyArray<AnyEvent>, batch: number): ReadonlyArray<EventCandidate> =>
  events.map((event) => ({
    event_type: event.type,
    schema_version: manifest.schemaVersionOf(event.type),
    timestamp: new Date(Date.UTC(2026, 0, 1) + batch * 100).toISOString(),
    visibility: manifest.visibilityOf(event.type),
    content: event.content as EventCandidate["content"],
    command_id: `cmd_${batch}`,
    causation_id: null,
    correlation_id: bigRun
  }))
