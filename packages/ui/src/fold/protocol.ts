/** Between the page and the worker that folds the log of a run: no event is folded where it is drawn. */
import type {
  AttemptView,
  FailureView,
  Refusal,
  ReportedItem,
  RunProof,
  ShownAs,
  ShownStatus,
  Spent,
  TaskRow,
  TaskView,
  Verdict
} from "@proofline/kernel"
import type { EventView } from "@proofline/plugins/frontends/http/api"

/** Rows `from` until `to` (not included) of a list that may be long. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** The rows that were asked for; `from` is the index of the first, `total` the length of the whole list. */
export interface Window<Row> {
  readonly from: number
  readonly total: number
  readonly rows: ReadonlyArray<Row>
}

/** The run as it was after event `version`. */
export interface RunNow {
  readonly run_id: string
  readonly kind: string
  readonly name: string
  readonly status: ShownStatus
  readonly shown_as: ShownAs
  /** What it has shown. */
  readonly proof: RunProof
  readonly message: string
  /** Version of the last event that is folded in; 0 before the first. */
  readonly version: number
  /** Version of the last event that is known. */
  readonly head: number
  /** When event `version` was recorded, ISO 8601, and its type; null before the first. */
  readonly at: string | null
  readonly event_type: string | null
  /** Versions of the nearest refusals before and after event `version`; null: there is none. */
  readonly previous_refusal: number | null
  readonly next_refusal: number | null
  /** Events until now that refuse something. */
  readonly refused: number
  /** Versions along the whole log at which something was refused; of many that lie close together one. */
  readonly marks: ReadonlyArray<number>
  /** True while it follows the head; false: it stands at an event that somebody chose. */
  readonly is_live: boolean
  /** That event; null: it is live. A log that cannot be folded so far is shown at an event before it. */
  readonly chosen: number | null
  readonly started_at: string | null
  readonly ended_at: string | null
  readonly tasks_total: number
  readonly tasks_completed: number
  readonly tasks_failed: number
  readonly tasks_skipped: number
  /** Parts of tasks that were split; the tasks above are those that were asked for. */
  readonly subtasks_total: number
  readonly subtasks_completed: number
  /** Tasks and parts that are worked on. */
  readonly tasks_active: number
  /** Claims that were refused so far. */
  readonly refusals: number
  /** Attempts that were begun so far; `spent` begins anew when a run is taken up again. */
  readonly attempts: number
  readonly spent: Spent
  /** The tasks at which it failed. */
  readonly failures: ReadonlyArray<FailureView>
  /** What a resume needs beside the run, as on the command line; empty: nothing. */
  readonly resume_flag: string
  /** Of a session run. */
  readonly phase: string | null
  /** Of a requirements run. */
  readonly loop: LoopNow | null
  /** Event types in the log that this page does not know (of plugins from outside): they are shown and not folded. */
  readonly unknown_types: ReadonlyArray<string>
  /** Why the log cannot be folded further; null: it can. */
  readonly fault: string | null
}

/** A requirements run as it was after that event. */
export interface LoopNow {
  readonly status: string
  readonly iteration: number
  readonly max_iterations: number
  readonly requirements: ReadonlyArray<{
    readonly id: string
    readonly name: string | null
    readonly description: string
    readonly priority: string
    readonly verdict: Verdict
    readonly criteria: ReadonlyArray<{
      readonly id: string
      readonly criterion: string
      readonly verdict: string
      readonly message: string
      readonly tasks: ReadonlyArray<string>
    }>
  }>
  readonly task_runs: ReadonlyArray<{ readonly run_id: string; readonly iteration: number; readonly status: string }>
}

/** A row of the tree. */
export interface TreeRow extends TaskRow {
  readonly has_children: boolean
  readonly is_open: boolean
  /** As the tree names it, e.g. `RUNNING - Chunked 2/3`, `Running (iteration 2)`, `Complete`. */
  readonly label: string
  /** Where the row of its parent is among those that are shown; null: it is part of nothing. */
  readonly parent_row: number | null
  /** Its place among the shown parts of its parent, from 1, and how many those are. */
  readonly rowIndex: number
  readonly siblings: number
}

/** Attempts that are too short to be told apart at this scale are one bar; `merged` counts them, the worst names it. */
export type Bar = Pick<
  AttemptView,
  "task_id" | "attempt" | "agent" | "started_at" | "ended_at" | "outcome" | "cancelled" | "from_version"
> & {
  readonly title: string
  readonly refusals: number
  readonly accepted: number
  /** `running`, `cancelled`, `refuted` (ended well and was not accepted), else its outcome. */
  readonly status: string
  readonly merged: number
}

/** The attempts of one worker; those that overlap are drawn below each other by their `row`. */
export interface Lane {
  readonly worker_id: string
  /** The machine; null: nobody said. */
  readonly host: string | null
  readonly rows: number
  /** Attempts so far, also those that are out of sight. */
  readonly attempts: number
  readonly bars: ReadonlyArray<Bar & { readonly row: number }>
}

/** An event as the list shows it; the whole of it is asked for by its version. */
export interface EventRow extends Pick<EventView, "version" | "timestamp" | "event_type" | "visibility"> {
  /** What it is about, in one line. */
  readonly summary: string
  readonly is_refusal: boolean
}

/** Something that was refused, by its event. */
export interface RefusalRow extends Pick<EventView, "version" | "timestamp" | "event_type"> {
  /** A claim about an item or a report, a command that did not pass, a review, or what a phase or a plugin refused. */
  readonly kind: "claim" | "check" | "review" | "other"
  readonly task_id: string | null
  readonly title: string | null
  readonly attempt: number | null
  /** Null: no single item. */
  readonly item: string | null
  readonly claim: ReportedItem | null
  readonly reasons: ReadonlyArray<Pick<Refusal, "key" | "message">>
  /** What a command printed at its end, or what a review asks for. */
  readonly printed: string
  /** What the next attempt did about it, as far as the log goes; null: there was none. */
  readonly next: {
    readonly attempt: number
    readonly is_over: boolean
    readonly claim: ReportedItem | null
    readonly outcome: "accepted" | "refused" | null
    readonly reasons: ReadonlyArray<Pick<Refusal, "key" | "message">>
  } | null
}

/** Everything that can be asked: with what, and what is answered. Every answer is about the same version of the run. */
export interface Queries {
  readonly run: { readonly params: Record<never, never>; readonly answer: RunNow }
  readonly tree: {
    readonly params: Range & {
      readonly text: string
      /** Task statuses; empty: all. */
      readonly statuses: ReadonlyArray<string>
      /** Ids of tasks whose parts are hidden. */
      readonly closed: ReadonlyArray<string>
      /** The task whose row is looked for; left out or null: none. */
      readonly sought?: string | null
    }
    /**
     * `counts`: the tasks in which the text is found, by status. `whole`: all tasks. `sought`: the row of the task that was
     * looked for; null: it is not shown.
     */
    readonly answer: Window<TreeRow> & {
      readonly counts: ReadonlyArray<{ readonly status: string; readonly count: number }>
      readonly whole: number
      readonly sought: { readonly task_id: string; readonly row: number } | null
    }
  }
  /** What was refused, newest first; beside each what came of it later, also after the moment that is shown. */
  /** `event`: the one of this version is among them, however far back it lies; null: none is meant. */
  readonly refusals: { readonly params: Range & { readonly event: number | null }; readonly answer: Window<RefusalRow> }
  readonly task: { readonly params: { readonly task_id: string }; readonly answer: TaskView | null }
  readonly timeline: {
    readonly params: Range & {
      /** What is in sight, ms since the epoch; null: all of it. */
      readonly begin: number | null
      readonly end: number | null
      /** Bars are drawn no finer than this, ms; 0: every attempt is its own. */
      readonly grain: number
    }
    /** `until`: where the run ended, or the last event so far. */
    readonly answer: Window<Lane> & {
      readonly started_at: string | null
      readonly until: string | null
      readonly is_over: boolean
    }
  }
  readonly events: {
    readonly params: Range & {
      /** Found in type or content, whatever the case. */
      readonly text: string
      readonly types: ReadonlyArray<string>
      readonly visibility: "summary" | "full"
    }
    /**
     * `types`: those that occur, with how often. `whole`: events before filtering. `searched`: events in which the text
     * was looked for so far; the others follow by themselves.
     */
    readonly answer: Window<EventRow> & {
      readonly types: ReadonlyArray<{ readonly type: string; readonly count: number }>
      readonly whole: number
      readonly searched: number
    }
  }
  /** One event as it was recorded; null: there is none with this version. */
  readonly event: { readonly params: { readonly version: number }; readonly answer: EventView | null }
}

export type QueryKind = keyof Queries

/** How the worker is connected with the server. */
export type Connection =
  | { readonly state: "connecting" }
  /** Reading what is there already. */
  | { readonly state: "loading"; readonly loaded: number }
  | { readonly state: "live" }
  | { readonly state: "lost"; readonly message: string; readonly again_at: number }
  /** It will not come back by itself: no such run, or the token is not good any more. `hint`: what to do; may be empty. */
  | {
      readonly state: "refused"
      readonly status: number
      readonly code: string
      readonly message: string
      readonly hint: string
    }

/** To the worker. */
export type Request =
  | { readonly type: "open"; readonly run: string; readonly base: string; readonly token: string }
  | { readonly type: "token"; readonly token: string }
  /** Null: follow the head. */
  | { readonly type: "seek"; readonly version: number | null }
  | { readonly type: "watch"; readonly id: number; readonly kind: QueryKind; readonly params: unknown }
  | { readonly type: "unwatch"; readonly id: number }

/** From the worker. */
export type Response =
  | { readonly type: "answer"; readonly id: number; readonly answer: unknown }
  | { readonly type: "connection"; readonly connection: Connection }
