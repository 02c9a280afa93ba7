/**
 * Identifiers. All are plain strings; the aliases say which one is meant.
 *
 * - run: `run_…`, one event stream
 * - task: chosen by the user, unique within its run
 * - command: `cmd_…`, the same id twice is the same request
 * - item: UUID v5 of run and work key, so that dispatching twice is a no-op
 */
export type RunId = string
export type TaskId = string
export type CommandId = string
export type ItemId = string

/** Names one piece of work within its run, e.g. `attempt/login/2` or `evidence/login/2`. */
export type WorkKey = string
