import type { Effect, Result } from "effect"
import type { Command } from "../domain/Command.ts"
import type { KernelEvent, KernelEventType, PluginEvent } from "../domain/Event.ts"
import type { EventDefinition } from "../domain/EventDefinition.ts"
import type { RunId } from "../domain/Ids.ts"
import type { Intent } from "../domain/Intent.ts"
import type { LogUnavailable } from "../domain/LogUnavailable.ts"
import type { PluginPhase } from "../domain/phase.ts"
import type { Rejection } from "../domain/Rejection.ts"
import type { State } from "../domain/State.ts"
import type { WorkItem } from "../domain/Work.ts"
import type { LanguageRules } from "../port/Syntax.ts"

/** A command owned by a plugin: its tag begins with the plugin's name and a dot. */
export interface PluginCommand {
  readonly _tag: `${string}.${string}`
}

/** Why an activity could not be carried out. Recorded as ACTIVITY_FAILED. */
export interface ActivityFailure {
  readonly _tag: "ActivityFailure"
  readonly code: string
  readonly message: string
  /** The agent that failed, when trying again with it cannot help: it is not started any more. */
  readonly terminalAgent?: string
}

export interface ActivityContext {
  readonly item: WorkItem
  /** Number of the lease under which the work was claimed. */
  readonly lease: number
  readonly worker_id: string
  /** The run as it was when the work was claimed. */
  readonly state: State
  /**
   * Decides a command now, under the lease of this work, for what must be known before the result
   * (an attempt that starts). Fails with the rejection when it is refused.
   */
  readonly dispatch: (command: Command | PluginCommand) => Effect.Effect<State, Rejection | LogUnavailable>
  /**
   * Another run, driven under this one until it has ended. `begin` says, seeing it as it is, by which command it is
   * started or resumed; null: it is not. One piece of work begins it once, however often it is handed out. Its work is
   * handed out like all work, under its own labels: whoever takes the work of this run must take that too, beside the one
   * piece that waits here. When this run ends first, the other one is cancelled.
   */
  readonly drive: (
    run: RunId,
    begin: (found: Found) => Command | null
  ) => Effect.Effect<State, Rejection | LogUnavailable>
}

/** A run as it is now, and what a new one is made with. */
export interface Found {
  readonly state: State
  readonly plugins: ReadonlyArray<{ readonly name: string; readonly version: string }>
}

/**
 * The door to the world. Runs at most once at a time per work item and may be repeated after a crash. Interruption
 * must end whatever it started. Its result is a command, appended under the lease of the work; null: nothing to say.
 */
export type Activity = (
  context: ActivityContext
) => Effect.Effect<Command | PluginCommand | null, ActivityFailure | Rejection | LogUnavailable>

/** The recorded batch of one command, in order. */
export type Batch = readonly [KernelEvent | PluginEvent, ...ReadonlyArray<KernelEvent | PluginEvent>]

/**
 * A small decider on the run's own stream with one door to the world. Everything but `activities` is pure: no clock,
 * no randomness, no IO; a replay calls it again and expects the same answer.
 *
 * How several plugins combine is fixed by the field: a command and an event type have one owner; all guards must
 * agree, in plugin order; all reactions run, in plugin order; an activity name has one owner.
 */
export interface Plugin<Slice = unknown> {
  /** Lower case, unique; the prefix of its own commands and activities. */
  readonly name: string
  /** Recorded in RUN_STARTED. */
  readonly version: string
  /** Its own slice of state, seen by nobody else. */
  readonly initial: Slice
  /** Tags of the commands it decides. Kernel commands left to plugins (`RecordEvidence`) may be claimed here too. */
  readonly commands?: ReadonlyArray<string>
  /** Its own event types. */
  readonly events?: ReadonlyArray<EventDefinition>
  /** Kernel event types that only this plugin writes. */
  readonly writes?: ReadonlyArray<KernelEventType>
  readonly decide?: (
    command: Command | PluginCommand,
    state: State,
    slice: Slice
  ) => Result.Result<ReadonlyArray<KernelEvent | PluginEvent>, Rejection>
  readonly evolve?: (slice: Slice, event: KernelEvent | PluginEvent) => Slice
  readonly guard?: (command: Command | PluginCommand, state: State, slice: Slice) => Result.Result<void, Rejection>
  /** Called for every event, with the state after the whole batch it came in. */
  readonly react?: (
    event: KernelEvent | PluginEvent,
    state: State,
    slice: Slice
  ) => ReadonlyArray<Intent<Command | PluginCommand>>
  /** By event type: rebuilds the command from the batch it wrote, when the batch begins with that type. */
  readonly recall?: Readonly<Record<string, (batch: Batch) => Command | PluginCommand>>
  readonly activities?: Readonly<Record<string, Activity>>
  /** Phases it adds to the contract of every session run. */
  readonly phases?: ReadonlyArray<PluginPhase>
  /** Languages whose source text it teaches Proofline to read. A later one replaces an earlier one of the same name. */
  readonly languages?: ReadonlyArray<LanguageRules>
}

/** Types a plugin and forgets its slice type, so that plugins of different slices fit one list. */
export const definePlugin = <Slice>(plugin: Plugin<Slice>): Plugin => plugin as unknown as Plugin
