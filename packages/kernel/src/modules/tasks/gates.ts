import type { TaskId, WorkKey } from "../../base/Ids.ts"
import { aList, isRecord, passedOn, told, yesOrNo } from "../../core/answers.ts"
import type { Misfit, Passed } from "../../core/contract.ts"
import { type Rejection, reject, rejectUnknown } from "../../core/Rejection.ts"
import type { RetryCondition } from "../run/config.ts"
import type { Verdict } from "../run/obligations.ts"
import type { Completion } from "./schemas.ts"
import { type TaskState, Tasks, type TasksView, taskOf } from "./state.ts"

/** What a gate says of a task. */
export type GateVerdict =
  /** Something is still to be done or known. */
  | { readonly _tag: "open" }
  | { readonly _tag: "passed" }
  /** The attempt does not hold; another one may. */
  | {
      readonly _tag: "refused"
      readonly condition: RetryCondition
      readonly reason: string
      readonly message: string
      /** The log says already what speaks against the attempt; else GATE_REFUSED does, and the next attempt is told. */
      readonly isRecorded: boolean
    }
  /** Nothing speaks against it, but nothing proves it either, and another attempt would not, unless `mayRetry` says so. */
  | { readonly _tag: "unproven"; readonly reason: string; readonly message: string; readonly mayRetry?: true }
  /** Only a person can say how it goes on: nothing speaks against the attempt, and no retry is spent. */
  | { readonly _tag: "asks" }
  /** A person has said how it goes on: with another attempt, or with what is done. */
  | { readonly _tag: "answered"; readonly to: "retrying" | "in_progress" }
  /** A person has given it up. */
  | { readonly _tag: "given_up"; readonly message: string }
  /** A crash took the attempt: it is tried again and does not count. */
  | { readonly _tag: "lost" }
  /** Its agent cannot work: the attempt does not count. */
  /** The attempt does not count. `wait_ms`: the next one is made after so long at least; left out: nobody knows when. */
  | { readonly _tag: "deferred"; readonly reason: string; readonly wait_ms?: number }

export const open: GateVerdict = { _tag: "open" }
export const passed: GateVerdict = { _tag: "passed" }
/** `reason`: a stable code. `message`: for the agent that makes the next attempt. */
export const refused = (reason: string, message: string, condition: RetryCondition = "INCOMPLETE"): Refused => ({
  _tag: "refused",
  condition,
  reason,
  message,
  isRecorded: false
})
type Refused = Extract<GateVerdict, { readonly _tag: "refused" }>
export const unproven = (reason: string, message: string): Unproven => ({ _tag: "unproven", reason, message })
type Unproven = Extract<GateVerdict, { readonly _tag: "unproven" }>

type Tag = GateVerdict["_tag"]
const isText = (value: unknown): boolean => typeof value === "string"

/** What each verdict says beside its name. */
const said: { readonly [T in Tag]: Readonly<Record<string, (value: unknown) => boolean>> } = {
  open: {},
  passed: {},
  refused: { reason: isText, message: isText, condition: isText },
  unproven: { reason: isText, message: isText },
  asks: {},
  answered: { to: isText },
  given_up: { message: isText },
  lost: {},
  deferred: { reason: isText }
}

const verdictMisfit: Misfit = (answer) => {
  if (answer === open || answer === passed) return null
  const fields = isRecord(answer) ? (said[answer["_tag"] as Tag] as (typeof said)[Tag] | undefined) : undefined
  if (fields === undefined || !isRecord(answer))
    return `${told(answer)}, no verdict: open, passed, refused(reason, message) or unproven(reason, message)`
  for (const [field, fits] of Object.entries(fields)) {
    if (!fits(answer[field])) return `${told(answer)}, a verdict without its \`${field}\``
  }
  return null
}

/** One thing that has to hold before a task is done. */
export interface GateSig {
  readonly name: string
  verdict(task: TaskState): GateVerdict
  /** What is needed while the verdict is open; null: it waits for something else. Left out: always. */
  wants?(task: TaskState): Passed | null
  /** Keys of work that it may have ordered for the task, after so many resumes of the run. Left out: none. */
  ordered?(task: TaskState, resumes: number): ReadonlyArray<WorkKey>
  /** It takes note of work that failed, and goes on without it. Left out: it does not. */
  survives?(task: TaskState): boolean
}

/**
 * The ordered chain that decides "done". `asked`: whether the run asks for the task at all; `ready`: what comes before
 * it is done; the others in the order in which an attempt is judged.
 */
export const gates = Tasks.point<GateSig>()("gates", {
  places: ["asked", "ready", "parts", "attempt", "evidence", "checks", "criteria", "review", "last"],
  fields: { name: "string", verdict: "function", wants: "function?", ordered: "function?", survives: "function?" },
  answers: { verdict: verdictMisfit, wants: passedOn, ordered: aList, survives: yesOrNo }
})

/** The first gate that has not passed, with its verdict; null: all have. */
export interface Stop {
  readonly gate: ReturnType<typeof gates>[number]
  readonly verdict: Exclude<GateVerdict, { readonly _tag: "passed" }>
}

/** What is needed to get past a gate that is open; null: nothing, or the gate has its verdict already. */
export const wantsOf = (stop: Stop | null, task: TaskState): Passed | null =>
  stop?.verdict._tag === "open" ? (stop.gate.wants?.(task) ?? null) : null

/** Both questions have this one answer: what a task needs next, and what is decided about it. */
export const walk = (state: TasksView, task: TaskState): Stop | null => {
  for (const gate of gates(state)) {
    const verdict = gate.verdict(task)
    if (verdict._tag !== "passed") return { gate, verdict }
  }
  return null
}

/** Why a task cannot be called completed; null: it can. What is done by word alone has to pass the last gates only. */
export const refusedWhileOpen = (state: TasksView, id: TaskId, verdict: Verdict): Rejection | null => {
  const known = taskOf(state, id)
  if (known === undefined) return rejectUnknown("task_unknown", `There is no task ${id}.`, "Name a registered task.")
  // an agent that works by itself has moved it before it is called completed
  const task: TaskState = { ...known, status: "in_progress" }
  const isByWord = verdict === "unproven"
  const stop = gates(state).find(
    (gate) => (!isByWord || (gate.place === "last" && gate.by !== "tasks")) && gate.verdict(task)._tag !== "passed"
  )
  return stop === undefined
    ? null
    : reject(
        "task_not_proven",
        `Task ${id} is not done: the gate "${stop.name}" of ${stop.by} has not passed.`,
        "Show what it asks for.",
        [stop.name]
      )
}

/** What becomes of a task, for those who tell it in their own words. */
export type Outcome =
  | { readonly _tag: "Started"; readonly attempt: number; readonly worker_id: string }
  | ({ readonly _tag: "Completed" } & typeof Completion.Type)
  | {
      readonly _tag: "Failed"
      readonly verdict: "refuted" | "unproven"
      readonly reason: string
      readonly message: string
      /** How its last attempt ended, as a review loop says it. */
      readonly loop: "INCOMPLETE" | "ERROR"
    }
  | {
      readonly _tag: "Retrying"
      readonly condition: RetryCondition
      readonly reason: string
      readonly message: string
      /** Retries used, this one included. */
      readonly retry_count: number
      readonly delay_ms: number
    }
  | { readonly _tag: "GivenUp"; readonly reason: string; readonly waiting_for: ReadonlyArray<TaskId> }
