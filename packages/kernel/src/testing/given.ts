import { Result } from "effect"
import type { StartRun } from "../domain/Command.ts"
import type { KernelEvent, PluginEvent } from "../domain/Event.ts"
import type { Rejection } from "../domain/Rejection.ts"
import { defaultRunConfig, type RunConfig, type TaskSpec } from "../domain/Task.ts"
import { type AnyCommand, emptySnapshot, foldEvent, type Step, step } from "../engine/step.ts"
import { composePlugins } from "../plugin/compose.ts"
import type { Plugin } from "../plugin/Plugin.ts"

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

/** The command that starts a run of these tasks. */
export const aRun = (tasks: ReadonlyArray<TaskSpec>, config: Partial<RunConfig> = {}, run_id = "run_1"): StartRun => ({
  _tag: "StartRun",
  run_id,
  kind: "tasks",
  name: "a run",
  root: "/project",
  input: null,
  parent_run_id: null,
  completed_task_ids: [],
  config: { ...defaultRunConfig, ...config },
  plugins: [],
  driver: null,
  base: null,
  tasks
})

export interface Then {
  /** Empty when the command was refused. */
  readonly events: ReadonlyArray<KernelEvent | PluginEvent>
  readonly rejected: Rejection | null
  readonly step: Step | null
}

export interface Given {
  /** Decides one more command on what is given, with everything that follows from it. */
  readonly when: (command: AnyCommand) => Then
  /** Carries the commands out; throws when one is refused. */
  readonly after: (...commands: ReadonlyArray<AnyCommand>) => Given
}

/** The rules by themselves: facts, then a command, then facts. `plugins` decide and react as in a run. */
export const given = (
  events: ReadonlyArray<KernelEvent | PluginEvent> = [],
  plugins: ReadonlyArray<Plugin> = []
): Given => {
  const composition = composePlugins(plugins)
  const from = (snapshot: ReturnType<typeof emptySnapshot>): Given => ({
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
