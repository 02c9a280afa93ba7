import {
  type Base,
  type LogUnavailable,
  type LogVerification,
  type ProjectTree,
  type Receipt,
  type Rejection,
  RejectionKind,
  type RunId,
  type RunReceipts,
  type RunSummary
} from "@proofline/kernel"
import { Context, type Effect, Schema } from "effect"
import type { ReportView } from "./reportView.ts"
import {
  type ChangesView,
  type CitedView,
  type EvidenceView,
  type InputFile,
  type OutputStream,
  ProblemItem,
  type ResumeRequest,
  type StartRequest,
  type TextView
} from "./schemas.ts"

/** Something that was asked and cannot be done, with every fault and its place; at least one. */
export class NotDone extends Schema.TaggedError<NotDone>()("NotDone", {
  kind: RejectionKind,
  problems: Schema.Array(ProblemItem)
}) {}

/** From one moment of the project to another. */
export interface ChangeSpan {
  readonly before: Base | ProjectTree
  readonly after: Base | ProjectTree | "now"
  /** Those that may have changed; null: those that are not as they were at `base`. */
  readonly files: ReadonlyArray<string> | null
  /** What the run began with; null: nobody looked. */
  readonly base: Base | null
}

/** What the front-end asks of the project beside its log: files, other processes, what is started and looked up. */
export class Project extends Context.Service<
  Project,
  {
    readonly name: string
    readonly version: string
    /** The project directory, absolute. */
    readonly root: string
    readonly agents: ReadonlyArray<string>
    /** All runs, newest first. */
    readonly runs: Effect.Effect<ReadonlyArray<RunSummary>, LogUnavailable>
    /** Files that can be run, by path. */
    readonly inputs: Effect.Effect<ReadonlyArray<InputFile>>
    /** Null: nothing is started here. */
    readonly start: ((request: StartRequest) => Effect.Effect<RunId, NotDone | LogUnavailable>) | null
    readonly resume: ((run: RunId, request: ResumeRequest) => Effect.Effect<RunId, NotDone | LogUnavailable>) | null
    /** Whether the log of a run is as it was written, and everything it proved still holds. Starts nothing. */
    readonly verify: (run: RunId) => Effect.Effect<LogVerification, LogUnavailable | Rejection>
    /** The receipts of a run; those of a requirements run stand in its task runs. */
    readonly receipts: (run: RunId) => Effect.Effect<RunReceipts, LogUnavailable | Rejection>
    readonly report: (run: RunId) => Effect.Effect<ReportView, LogUnavailable | NotDone>
    /** What the files say now of a receipt, with the lines then and now; `in_worktree`: of a task that works in one. */
    readonly evidenceNow: (
      item: { readonly receipt: Receipt } & Pick<EvidenceView, "task_id" | "in_worktree">
    ) => Effect.Effect<Pick<EvidenceView, "status" | "now" | "reason" | "accepted" | "current">, LogUnavailable>
    /** Null: it cannot be told. */
    readonly changes: (span: ChangeSpan) => Effect.Effect<ChangesView | null>
    /** What stands in cited lines: in a tree of the past (null: nobody kept one), and in the files now. */
    readonly citedLines: (evidence: string, then: Base | ProjectTree | null) => Effect.Effect<CitedView>
    /**
     * What the agent of an attempt prints, while it works: from a byte on, or so many before the end where `from` is
     * negative. Null: nothing of it stands here (it has ended, has not begun, or works on another machine).
     */
    readonly liveOutput: (
      attempt: { readonly run_id: RunId; readonly task_id: string; readonly attempt: number },
      stream: OutputStream,
      from: number
    ) => Effect.Effect<Omit<TextView, "is_live"> | null>
    /** Somebody drives the run, or the one that it is a part of; also where that cannot be told. */
    readonly isDriven: (run: RunId) => Effect.Effect<boolean>
  }
>()("@proofline/plugins/frontends/http/Project") {}
