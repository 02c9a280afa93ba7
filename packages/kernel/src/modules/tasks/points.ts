import type { TaskId } from "../../base/Ids.ts"
import { aList, aRecord, aText, events, oneOf, orNull } from "../../core/answers.ts"
import type { Asked, Worded } from "../../core/contract.ts"
import type { RetryCondition, RetryConfig } from "../run/config.ts"
import type { Reopened } from "../run/schemas.ts"
import type { Outcome } from "./gates.ts"
import type { Accepted, Rejected } from "./judgement.ts"
import type { AskedItem, EvidenceFact } from "./schemas.ts"
import { type TaskState, Tasks } from "./state.ts"

/** In whose words an outcome is recorded. The first who answers tells it; the outcome itself is not theirs to change. */
export interface WordingSig {
  /** Instead of the events of tasks. */
  word(task: TaskState, outcome: Outcome): Worded | null
  /** Before them. */
  before(task: TaskState, outcome: Outcome): Worded | null
}
export const wordings = Tasks.point<WordingSig>()("wordings", {
  places: ["wording"],
  fields: { word: "function", before: "function" },
  answers: { word: orNull(events), before: orNull(events) }
})

/** How an attempt that was refused is tried again. */
export interface RetrySig {
  /**
   * Why the task goes on with another attempt although no retry is spent, as the reason that is recorded; null: the
   * usual rules. `condition` is null for what is only unproven.
   */
  goesOn(
    task: TaskState,
    refusal: { readonly condition: RetryCondition | null; readonly reason: string }
  ): string | null
  /** Its own figures; null: those of the run. */
  config(task: TaskState): RetryConfig | null
  /** Where it is taken up again after it was over; null: as any task. */
  reopensFrom(task: TaskState): Reopened["from"] | null
  /** The task that shows in its place what it has shown and what does not hold any more; null: itself. Left out: itself. */
  shownAgainBy?(task: TaskState): TaskId | null
}
export const retries = Tasks.point<RetrySig>()("retries", {
  places: ["retry"],
  fields: { goesOn: "function", config: "function", reopensFrom: "function", shownAgainBy: "function?" },
  answers: {
    goesOn: orNull(aText),
    config: orNull(aRecord),
    reopensFrom: orNull(oneOf("start", "judgement", "parts")),
    shownAgainBy: orNull(aText)
  }
})

/** What shows that a task is done, beside its own checklist. */
export interface ShownSig {
  /** Criteria that it was given beyond what was registered; evidence may be offered for them. */
  criteria(task: TaskState): ReadonlyArray<string>
  /** What a task without anything to show is, when it is done; null: it is none of theirs. */
  verdict(task: TaskState): "proven" | "unproven" | null
}
export const shownBy = Tasks.point<ShownSig>()("shownBy", {
  places: ["shown"],
  fields: { criteria: "function", verdict: "function" },
  answers: { criteria: aList, verdict: orNull(oneOf("proven", "unproven")) }
})

/** A check of the user that agents are told by its criterion only. */
export interface NamedCheck {
  /** The name under which it is run and recorded, where others have their command. */
  readonly command: string
  readonly criterion: string
}

/** Commands that the user wrote beside those of the tasks. */
export interface UserCommandsSig {
  /** All of them, such as those that verify the whole: they are run at the base too. */
  commands(): ReadonlyArray<string>
  /** Those of them that decide about a task; they are run once its own have passed. Left out: none. */
  ofTask?(task: TaskState): ReadonlyArray<NamedCheck>
}
export const userCommandsBeside = Tasks.point<UserCommandsSig>()("userCommandsBeside", {
  places: ["commands"],
  fields: { commands: "function", ofTask: "function?" },
  answers: { commands: aList, ofTask: aList }
})

/** Checks that decide about a task beside its own commands. */
export const namedChecksOf = (state: Asked, task: TaskState): ReadonlyArray<NamedCheck> =>
  userCommandsBeside(state).flatMap((one) => one.ofTask?.(task) ?? [])

/** What is known of a task by whoever gives it out. */
export interface NoteSig {
  /** Whom it is assigned to; null: nobody, or it is none of theirs. */
  assignee(task: TaskState): string | null
  /** Why it rests or was withdrawn; empty: nothing is said of that. */
  reason(task: TaskState): string
}
export const notes = Tasks.point<NoteSig>()("notes", {
  places: ["note"],
  fields: { assignee: "function", reason: "function" },
  answers: { assignee: orNull(aText), reason: aText }
})

/** Who judges what is on disk. Exactly one policy of a composition does. */
export interface JudgeSig {
  /** What the facts show of the checklist of a task, by the report of its current attempt. */
  judge(
    task: TaskState,
    facts: ReadonlyArray<EvidenceFact>
  ): {
    readonly accepted: ReadonlyArray<Accepted>
    readonly rejected: ReadonlyArray<Rejected>
    /** Left out: none. */
    readonly cannot?: ReadonlyArray<AskedItem>
  }
  /** What evidence may be beside lines of files, each as an agent is told. Left out: nothing else. */
  accepts?(): ReadonlyArray<string>
}
export const judges = Tasks.point<JudgeSig>()("judges", {
  places: ["judge"],
  fields: { judge: "function", accepts: "function?" },
  answers: { judge: aRecord, accepts: aList }
})

/** What a task of this run may cite beside lines of files, each as an agent is told. */
export const otherEvidence = (state: Asked): ReadonlyArray<string> =>
  judges(state).flatMap((judge) => judge.accepts?.() ?? [])
