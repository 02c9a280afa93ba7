import { Result } from "effect"
import type { Composition, Snapshot } from "../core/compose.ts"
import type { AnyCommand } from "../core/contract.ts"
import { frozen } from "../core/frozen.ts"
import { emptySnapshot, step } from "../core/step.ts"
import { aRun, aTask } from "./given.ts"

/** One attempt at a task, from its start to what its checks say. */
const attempt = (task_id: string, exit_code: number, n: number): ReadonlyArray<AnyCommand> => [
  {
    _tag: "StartAttempt",
    task_id,
    attempt: n,
    agent: "command",
    worker_id: "w",
    item_id: `${task_id}/${n}`,
    lease: 1,
    prompt: { sha256: "0".repeat(64), bytes: 0 }
  },
  {
    _tag: "EndAttempt",
    task_id,
    attempt: n,
    outcome: "COMPLETE",
    exit_code: 0,
    signal: null,
    duration_ms: 1,
    error: null,
    output: null,
    report: { summary: "It is done.", checklist: null, problems: [] },
    files_modified: [`${task_id}.ts`]
  },
  {
    _tag: "RecordVerification",
    task_id,
    attempt: n,
    checks: [
      {
        command: "true",
        item_index: null,
        exit_code,
        signal: null,
        timed_out: false,
        duration_ms: 1,
        output: null,
        output_tail: "",
        ablation: null
      }
    ]
  }
]

/** A run of two tasks: one is tried again, work beside it fails, and it is resumed once it has ended. */
const commands: ReadonlyArray<AnyCommand> = [
  aRun([aTask("a"), aTask("b", { depends_on: ["a"] })], { retry_delay_ms: 0 }),
  ...attempt("a", 1, 1),
  ...attempt("a", 0, 2),
  {
    _tag: "RecordActivityFailure",
    name: "beside",
    key: "beside/a",
    input: null,
    code: "broken",
    message: "No."
  },
  ...attempt("b", 0, 1),
  { _tag: "CancelRun", reason: "by hand" },
  { _tag: "ResumeRun", driver: null, config: null },
  ...attempt("b", 0, 2)
]

/**
 * The states of a run that the rules of a composition have been through, frozen: who changes what it is given is found,
 * and so is what breaks on the way. A refusal is no fault: a guard may have its reasons. Throws a `PluginFault`.
 */
export const rehearsed = (composition: Composition): ReadonlyArray<Snapshot> => {
  const states = [frozen(emptySnapshot(composition))]
  for (const command of commands) {
    const decided = step(composition, states.at(-1) as Snapshot, frozen(command))
    if (Result.isSuccess(decided)) states.push(frozen(decided.success.after))
  }
  return states
}
