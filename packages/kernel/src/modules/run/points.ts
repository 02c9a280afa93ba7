import { aList, aRecord, aText, eventsOrRejection, isRecord, orNull, unless, workToStart } from "../../core/answers.ts"
import type { Asked, Batch, Json, Misfit, Start, Worded } from "../../core/contract.ts"
import type { Rejection } from "../../core/Rejection.ts"
import type { RunConfig } from "./config.ts"
import type { Obligation } from "./obligations.ts"
import type { AwaitedBy, Counts, FailedBy, Only, Reopened, ReportedFailure } from "./schemas.ts"
import { type HasRun, Run } from "./state.ts"

/** How a run ends, with what is written before its end. */
export type RunEnd =
  | { readonly outcome: "completed"; readonly counts: Counts; readonly proven: number; readonly waived: number }
  | {
      readonly outcome: "incomplete"
      readonly counts: Counts
      readonly reason: string
      readonly before?: Worded
    }
  | {
      readonly outcome: "failed"
      readonly counts: Counts
      readonly reason: FailedBy
      readonly message: string
      readonly before?: Worded
    }

/** A kind of run: how it begins, what ends it. */
export interface KindSig {
  readonly name: string
  /** Limits of the budget hold for it; agents that come by themselves are not limited. */
  readonly hasBudget: boolean
  /**
   * What is there from the beginning. `args`: the arguments of StartRun beside those of every run; `config`: what governs
   * the run.
   */
  begin(args: Readonly<Record<string, Json>>, completed: ReadonlySet<string>, config: RunConfig): Worded | Rejection
  /** The arguments again, from what `begin` wrote. */
  recall(batch: Batch): Readonly<Record<string, Json>>
  /** What became of its tasks so far; those that are not over count as `skipped` when `isEnding`. */
  counts(isEnding: boolean): Counts
  /** null: it goes on. */
  ends(): RunEnd | null
  /** What its progress shows beside its tasks. */
  progress(): Readonly<Record<string, Json>>
  /** All that has to hold for the run, each once, with what shows it. Left out: nothing, and so nothing is proven. */
  obligations?(): ReadonlyArray<Obligation>
}
const anEnd: Misfit = unless(
  "no end of a run: `outcome` is completed, incomplete or failed, beside `counts`",
  (answer) =>
    isRecord(answer) &&
    ["completed", "incomplete", "failed"].includes(answer["outcome"] as string) &&
    isRecord(answer["counts"])
)
export const kinds = Run.point<KindSig>()("kinds", {
  places: ["kind"],
  fields: {
    name: "string",
    hasBudget: "boolean",
    begin: "function",
    recall: "function",
    counts: "function",
    ends: "function",
    progress: "function",
    obligations: "function?"
  },
  key: "name",
  answers: {
    begin: eventsOrRejection,
    recall: aRecord,
    counts: aRecord,
    ends: orNull(anEnd),
    progress: aRecord,
    obligations: aList
  }
})

/** What has to hold, beside what its kind asks, before a run is completed. */
export interface ConditionSig {
  readonly name: string
  /** Why the run is not completed, as a sentence; null: nothing speaks against it. */
  unmet(): string | null
  /**
   * What is to be done or known before the run may end, completed or incomplete, at a moment at which it would; null: nothing
   * more. The run ends after it, or goes on where it has opened something again. Left out: never anything.
   */
  wants?(): Start | null
}
export const conditions = Run.point<ConditionSig>()("conditions", {
  places: ["condition"],
  fields: { name: "string", unmet: "function", wants: "function?" },
  answers: { unmet: orNull(aText), wants: workToStart }
})

/** All that is to be done before the run may end. */
export const workBeforeEnd = (state: Asked): ReadonlyArray<Start> =>
  conditions(state).flatMap((condition) => condition.wants?.() ?? [])

/** What a resume for some tasks takes up again, and what it leaves as it is. */
export interface TakenUp extends Pick<Only, "left" | "set_aside"> {
  readonly reopened: ReadonlyArray<Reopened>
}

/** What is under way in a run, for those who stop it, resume it or report on its work. What is left out answers nothing. */
export interface UnderwaySig {
  /** Ends everything that is not over. */
  giveUp?(reason: string): Worded
  /** Tasks that a resume takes up again. */
  reopened?(): ReadonlyArray<Reopened>
  /** The same of a resume for these tasks only, under this configuration and with this note for who works on them; a rejection where they cannot be taken up. */
  takesUp?(tasks: ReadonlyArray<string>, config: RunConfig, note: string | null): TakenUp | Rejection
  /** Attempts that nobody can report on any more once the run is resumed. */
  lost?(): Worded
  /** What waits for this work; null: nothing. */
  awaits?(failure: ReportedFailure): AwaitedBy | null
}
export const underway = Run.point<UnderwaySig>()("underway", {
  places: ["underway"],
  fields: {
    giveUp: "function?",
    reopened: "function?",
    takesUp: "function?",
    lost: "function?",
    awaits: "function?"
  }
})

/** The kind of the run; undefined: its plugin is not here. */
export const kindOf = (state: HasRun & Asked) => kinds(state).find(({ name }) => name === state.run.kind)
