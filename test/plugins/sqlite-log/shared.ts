import { type EventCandidate, EventLog, type WorkItem } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as sqliteLog } from "@proofline/plugins/adapters/sqlite-log"
import { Effect, Layer, Stream } from "effect"

export const logAt = (file: string) => sqliteLog({ file }).pipe(Layer.provideMerge(nodeDigest))

/** One event of a command. */
export const fact = (command: string, content: EventCandidate["content"] = { command }): EventCandidate => ({
  event_type: "FACT",
  schema_version: 1,
  timestamp: "2026-01-02T03:04:05.678Z",
  visibility: "full",
  content,
  command_id: command,
  causation_id: null,
  correlation_id: "run_origin"
})

export const everything = Effect.flatMap(EventLog, (log) => Stream.runCollect(log.readAll()))

export const workItem = (id: string, over: Partial<WorkItem> = {}): WorkItem => ({
  id,
  run: "run_a",
  key: id,
  kind: "attempt",
  activity: "attempt",
  task_id: null,
  is_subtask: false,
  input: null,
  labels: [],
  priority: 0,
  not_before: 0,
  ...over
})
