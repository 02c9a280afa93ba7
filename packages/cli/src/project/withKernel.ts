import { Engine, EventLog, type LogUnavailable, orLogNewer, orPluginMissing, PluginFault } from "@proofline/kernel"
import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, type Problem, type Stop, stop } from "../base/problems.ts"
import type { CommandSettings } from "./compose.ts"
import { projectConfig } from "./files.ts"
import type { Agents } from "./settings.ts"

/** Runs with the kernel and every plugin, those of the project included. A log can be read without any agent. */
export const withKernel = <A, E, R>(
  paths: ProjectPaths,
  agents: Agents,
  use: Effect.Effect<A, E, R>,
  commands: CommandSettings = {}
) =>
  Effect.gen(function* () {
    const { plugins } = yield* projectConfig(paths)
    const { kernel } = yield* Effect.promise(() => import("./compose.ts"))
    const told = Effect.gen(function* () {
      return yield* orPluginMissing(use, yield* EventLog, (yield* Engine).composition)
    })
    return yield* Effect.provide(told, kernel(paths, agents, plugins, commands))
  }).pipe(tellingFaults)

/** Where a plugin breaks, that is said, with its name; and so is an event that nobody here can read. */
export const tellingFaults = <A, E, R>(use: Effect.Effect<A, E, R>): Effect.Effect<A, E | Stop | LogUnavailable, R> =>
  Effect.catchDefect(orLogNewer(use), (defect) =>
    defect instanceof PluginFault ? Effect.fail(broken(defect)) : Effect.die(defect)
  )

/** A plugin that broke while it was asked something, or has a phase that cannot be one. */
const broken = (fault: PluginFault): Stop =>
  fault.where === "phase"
    ? stop(exitCodes.usage, brokenPhase(fault))
    : stop(exitCodes.unmet, {
        code: "plugin_broken",
        message: fault.message,
        hint: "Mend the plugin; what was recorded before stands, and `proofline resume` goes on."
      })

/** A phase that cannot be one. */
export const brokenPhase = ({ message }: PluginFault): Problem => ({
  code: "offer_invalid",
  message,
  hint: "Mend the phase, or remove its plugin under `plugins:`."
})
