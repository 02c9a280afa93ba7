import { type Composing, type Composition, compose, type Snapshot } from "./core/compose.ts"
import type { AnyEvent, Asked, CommandOf, EventOf, Plugin } from "./core/contract.ts"
import type * as chunkingEvents from "./modules/chunking/events.ts"
import { chunking } from "./modules/chunking/plugin.ts"
import type { HasChunking } from "./modules/chunking/state.ts"
import type * as runCommands from "./modules/run/commands.ts"
import type * as runEvents from "./modules/run/events.ts"
import { run } from "./modules/run/plugin.ts"
import type { HasRun } from "./modules/run/state.ts"
import type * as asking from "./modules/tasks/asking.ts"
import type * as tasksEvents from "./modules/tasks/events.ts"
import { tasks } from "./modules/tasks/plugin.ts"
import type { HasTasks } from "./modules/tasks/state.ts"
import type { TaskSpec } from "./modules/tasks/TaskSpec.ts"

/** The kernel's own rules, on the same contract as any plugin. */
export const modules: ReadonlyArray<Plugin> = [run, tasks, chunking]

/** The kernel's modules and these plugins, as one. Throws a `PluginFault` when they do not fit together. */
export const composePlugins = (plugins: ReadonlyArray<Plugin>, options?: Composing): Composition =>
  compose([...modules, ...plugins], options)

/** What every composition of the kernel's modules knows of a run. */
export type KernelState = HasRun & HasTasks & HasChunking & Asked

/** What the kernel's modules know of a run that `composePlugins` has composed; `More`: the slices of plugins that it has too. */
export const kernelStateOf = <More = unknown>({ state }: Pick<Snapshot, "state">): KernelState & More =>
  state as unknown as KernelState & More

/** An event of the kernel's modules, by its type. */
export type KernelEvent = EventOf<
  | (typeof runEvents.events)[number]
  | (typeof tasksEvents.events)[number]
  | (typeof asking.askingEvents)[number]
  | (typeof chunkingEvents.events)[number]
>

/** Narrows an event to those of the kernel's modules, by its type. Any other falls to the default of a switch. */
export const asKernelEvent = (event: AnyEvent): KernelEvent => event as KernelEvent

/** The command that starts a run of tasks. */
export type StartTasks = CommandOf<typeof runCommands.StartRun> & { readonly tasks: ReadonlyArray<TaskSpec> }
