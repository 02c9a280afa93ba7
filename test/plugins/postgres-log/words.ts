import type { EventCandidate, WorkItem } from "@proofline/kernel"

/** `n` events of one command. */
export const events = (command: string, n = 1): ReadonlyArray<EventCandidate> =>
  Array.from({ length: n }, (_, i) => ({
    event_type: `FACT_${i}`,
    schema_version: 1,
    timestamp: "2026-01-02T03:04:05.678Z",
    visibility: "full",
    content: { command },
    command_id: command,
    causation_id: null,
    correlation_id: "run_origin"
  }))

export const item = (id: string): WorkItem => ({
  id,
  run: "run_a",
  key: id,
  kind: "attempt",
  activity: "attempt",
  task_id: id,
  is_subtask: false,
  input: {},
  labels: [],
  priority: 0,
  not_before: 0
})
