import { Result } from "effect"
import { composePlugins, type StartTasks } from "../composition.ts"
import type { Snapshot } from "../core/compose.ts"
import type { AnyCommand, AnyEvent, Plugin } from "../core/contract.ts"
import type { Rejection } from "../core/Rejection.ts"
import { emptySnapshot, foldEvent, type Step, step } from "../core/step.ts"
import { defaultRunConfig, type ProofConfig, type RunConfig, WeakReason } from "../modules/run/config.ts"
import type { TaskSpec } from "../modules/tasks/TaskSpec.ts"

/** A task with nothing but an id; give what the test is about. */
export const aTask = (id: string, spec: Partial<TaskSpec> = {}): TaskSpec => ({
  id,
  title: id,
  instruction: `Do ${id}.`,
  validation: [],
  checks: ["true"],
  depends_on: [],
  checklist: [],
  chunk: "no",
  ...spec
})

/** Nothing is refused for being weak: for tests of other rules. */
export const acceptsWeak: ProofConfig = { accept: WeakReason.literals, max_waived: 1 }

/** The command that starts a run of these tasks. Left out of `config` is `proof: acceptsWeak`. */
export const aRun = (
  tasks: ReadonlyArray<TaskSpec>,
  config: Partial<RunConfig> = {},
  run_id = "run_1"
): StartTasks => ({
  _tag: "StartRun",
  run_id,
  kind: "tasks",
  name: "a run",
  root: "/project",
  input: null,
  parent_run_id: null,
  completed_task_ids: [],
  config: { ...defaultRunConfig, proof: acceptsWeak, ...config },
  plugins: [],
  driver: null,
  base: null,
  tasks
})

export interface Then {
  /** Empty when the command was refused. */
  readonly events: ReadonlyArray<AnyEvent>
  readonly rejected: Rejection | null
  readonly step: Step | null
}

export interface Given {
  readonly snapshot: Snapshot
  /** Decides one more command on what is given, with everything that follows from it. */
  readonly when: (command: AnyCommand) => Then
  /** Carries the commands out; throws when one is refused. */
  readonly after: (...commands: ReadonlyArray<AnyCommand>) => Given
}

/** The rules by themselves: facts, then a command, then facts. `plugins` decide and react as in a run. */
export const given = (events: ReadonlyArray<AnyEvent> = [], plugins: ReadonlyArray<Plugin> = []): Given => {
  const composition = composePlugins(plugins, { freezes: true })
  const from = (snapshot: Snapshot): Given => ({
    snapshot,
    when: (command) => {
      const decided = step(composition, snapshot, command)
      return Result.isSuccess(decided)
        ? { events: decided.success.events, rejected: null, step: decided.success }
        : { events: [], rejected: decided.failure, step: null }
    },
    after: (...commands) =>
      from(
        commands.reduce((now, command) => {
          const decided = step(composition, now, command)
          if (Result.isFailure(decided)) throw decided.failure
          return decided.success.after
        }, snapshot)
      )
  })
  return from(events.reduce((now, event) => foldEvent(composition, now, event), emptySnapshot(composition)))
}
