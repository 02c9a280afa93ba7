import {
  type BaseCheck,
  Chunking,
  nothingSpent,
  plugin,
  type ReadsOf,
  Run,
  type RunConfig,
  type Spent,
  Tasks
} from "@proofline/kernel"
import type { ContentOf, Covered, LoopCheck, Proof, ReceiptCheck } from "./contents.ts"
import type {
  CompletedTask,
  CriterionVerdict,
  GeneratedTask,
  LoopBStatus,
  Opinion,
  Requirement,
  RequirementDefinition
} from "./definition.ts"
import type { FormerAnswer } from "./inputs.ts"
import type { IntentChange } from "./intent.ts"

/** A requirement as the last verification left it. */
export interface RequirementState {
  readonly requirement_id: string
  readonly verdict: CriterionVerdict["verdict"]
  readonly met: boolean
  readonly criteria: ReadonlyArray<CriterionVerdict>
  readonly opinion: Opinion | null
}

/** One turn of the loop. Source: requirements loop, "from its history to that of the task loop". */
export interface LoopBIteration {
  /** From 1. */
  readonly iteration_number: number
  /** Null: none was generated. */
  readonly tasks_yaml_path: string | null
  /** The task run of it; null: none was started. */
  readonly loop_c_history_id: string | null
  readonly tasks: ReadonlyArray<GeneratedTask>
  /** Criteria that the plan left out. */
  readonly uncovered: ReadonlyArray<string>
  /** The end of the task run; null: it has not ended. */
  readonly ended: ContentOf<"TASK_RUN_ENDED"> | null
  /** Null: it was not verified. */
  readonly verification_result: ContentOf<"REQUIREMENTS_VERIFIED"> | null
  readonly unmet_requirements: ReadonlyArray<string>
}

/** What has to happen next. */
export type Stage =
  | { readonly _tag: "Unloaded" }
  | {
      readonly _tag: "Verifying"
      /** Index of the requirement. */
      readonly index: number
      /** What the machine has seen of it; null: it has not looked. */
      readonly facts: { readonly receipts: ReadonlyArray<ReceiptCheck> } | null
      readonly ask: number
      readonly former: FormerAnswer | null
      /** Nobody will say anything of it any more: why, in a sentence. */
      readonly unasked: string | null
    }
  | {
      readonly _tag: "Generating"
      readonly ask: number
      readonly former: FormerAnswer | null
      /** A plan that could be run, but leaves criteria out. */
      readonly kept: { readonly tasks: ReadonlyArray<GeneratedTask>; readonly uncovered: ReadonlyArray<string> } | null
      readonly isAskedForGap: boolean
    }
  | { readonly _tag: "Executing" }
  | { readonly _tag: "Ended"; readonly met: boolean }

/** Why the run stops although there is something to do. */
export interface Halt {
  readonly reason: "failed" | "breaker" | "budget" | "cancelled" | "needs_person"
  readonly message: string
}

/** A task that was ever planned, with the criteria it or one of its items covers. */
export interface PlannedTask {
  readonly id: string
  readonly iteration: number
  readonly covers: ReadonlyArray<Covered>
}

/** The loop of a requirements run. An immutable value: folding an event gives a new one. */
export interface Loop {
  readonly definition: RequirementDefinition | null
  readonly requirements_path: string
  readonly sha256: string
  readonly tasks_output_dir: string
  readonly feature: string
  readonly chunk: ContentOf<"REQUIREMENTS_LOADED">["chunk"]
  readonly proof: Proof
  readonly max_iterations: number
  /** Number of the last iteration that may be begun. */
  readonly limit: number
  /** Iterations of earlier runs of the same file. */
  readonly offset: number
  readonly status: LoopBStatus
  /** The current one, from 1; what `offset` says before the first. */
  readonly iteration: number
  readonly iterations: ReadonlyArray<LoopBIteration>
  readonly planned: ReadonlyArray<PlannedTask>
  /** Over all iterations, each once. */
  readonly completed: ReadonlyArray<CompletedTask>
  /** By requirement, as far as they were verified under this definition. */
  readonly requirements: ReadonlyMap<string, RequirementState>
  readonly stage: Stage
  readonly halted: Halt | null
  /** Activities in a row that failed in this stage. */
  readonly failures: number
  /** Commands that were run in this round of verification, by `runKey`. */
  readonly runs: ReadonlyMap<string, LoopCheck>
  /** How often everything was verified from the first requirement on. */
  readonly round: number
  /** Somebody was asked in this round. */
  readonly hasAsked: boolean
  /** This round only confirms the one before. */
  readonly isConfirming: boolean
  /** What the file said at the end of a drive, when that is not what was loaded; null: the same. */
  readonly changed_meanwhile: string | null
  /** What a person has decided to ask for no more, or in other words, since the run began. */
  readonly intent_changes: ReadonlyArray<IntentChange>
  /** What was being done when other requirements were loaded: nobody waits for it any more. */
  readonly replaced: Omit<Loop, "replaced"> | null
  /** What task runs have used since this run was started or resumed. */
  readonly spentBelow: Spent
  readonly config: Pick<
    RunConfig,
    "agent" | "fallback" | "planner" | "reviewer" | "max_retries" | "retry_delay_ms" | "backoff_multiplier" | "proof"
  > | null
  /** How the commands of the file ended before the work. */
  readonly base_checks: ReadonlyArray<BaseCheck>
  readonly error: string | null
}

export const noLoop: Loop = {
  definition: null,
  requirements_path: "",
  sha256: "",
  tasks_output_dir: "",
  feature: "",
  chunk: "no",
  proof: { verifier_named: false, user_commands: [] },
  max_iterations: 3,
  limit: 3,
  offset: 0,
  status: "verifying_requirements",
  iteration: 0,
  iterations: [],
  planned: [],
  completed: [],
  requirements: new Map(),
  stage: { _tag: "Unloaded" },
  halted: null,
  failures: 0,
  runs: new Map(),
  round: 0,
  hasAsked: false,
  isConfirming: false,
  changed_meanwhile: null,
  intent_changes: [],
  replaced: null,
  spentBelow: nothingSpent,
  config: null,
  base_checks: [],
  error: null
}

/** The requirement that is being verified; undefined: none is, or all were. */
export const verifiedNow = ({ definition, stage }: Loop): Requirement | undefined =>
  stage._tag === "Verifying" ? definition?.requirements[stage.index] : undefined

/** Turns requirements into tasks, runs them, verifies, and goes on until all are met. */
export const Requirements = plugin("requirements", { state: noLoop, after: [Run, Tasks, Chunking] })
export type RequirementsView = ReadsOf<typeof Requirements>

/** The criteria a task is to meet, by itself or by one of its items. */
export const coversOf = (task: Pick<GeneratedTask, "covers" | "checklist">): ReadonlyArray<string> => [
  ...new Set([...task.covers, ...task.checklist.flatMap(({ covers = [] }) => covers)])
]

/** Whether two loads of a file are judged by the same rules. */
export const isSameProof = (proof: Proof | undefined, loop: Pick<Loop, "proof">): boolean =>
  JSON.stringify(proof ?? loop.proof) === JSON.stringify(loop.proof)

/** What is run once in a round. */
export const runKey = ({ command, task_id }: Pick<LoopCheck, "command" | "task_id">): string =>
  `${task_id ?? ""} ${command}`

/** S2 has two names for it. */
export const generatingStatus = ({ iteration, offset }: Pick<Loop, "iteration" | "offset">): LoopBStatus =>
  iteration <= offset + 1 ? "generating_tasks" : "generating_additional_tasks"

/** How often one thing is asked for, with what was wrong before. */
export const timesAsked = 2
