import { Cause, Effect } from "effect"
import { PluginFault } from "./contract.ts"

/** Runs a hook; an exception in it has its plugin's name. */
export const attributed = <A>(plugin: string, where: string, run: () => A): A => {
  try {
    return run()
  } catch (error) {
    throw faultOf(plugin, where, error)
  }
}

export const faultOf = (plugin: string, where: string, error: unknown): PluginFault => {
  if (error instanceof PluginFault) return error
  // one that another copy of the kernel has thrown
  if (isFault(error)) {
    const { code, plugin: by, problem, where: at } = error
    return new PluginFault({ plugin: by, where: at, problem, ...(code === undefined ? {} : { code }) })
  }
  return new PluginFault({ plugin, where, problem: problemOf(error) })
}

const problemOf = (error: unknown): string =>
  (error instanceof Error && error.message !== "" ? error.message : String(error)).trim()

/** One of another copy of the kernel too. */
export const isFault = (error: unknown): error is PluginFault =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "PluginFault"

/**
 * Code of a plugin that interrupts itself breaks, as by an exception: nobody else would tell of it. An interruption from
 * outside goes past every handler, and so past this one.
 */
export const brokenByOwnInterrupt = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchCauseIf(effect, Cause.hasInterruptsOnly, () => Effect.die(new Error("It interrupted itself.")))
