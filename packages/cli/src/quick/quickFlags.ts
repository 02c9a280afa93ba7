import { blobsVariable, databaseVariable } from "../base/database.ts"
import { statOf } from "../base/paths.ts"
import { isTraced, telemetrySettings } from "../telemetry/settings.ts"

/** How a flag that the launcher knows is given: alone, or with a value. */
type Kind = "asked" | "text"

type Values<F extends Readonly<Record<string, Kind>>> = {
  readonly [K in keyof F]: F[K] extends "asked" ? boolean : string | undefined
}

/** Whether the environment says what only the command line reads: of the log, of its blobs, or of telemetry where that is sent. */
const isEnvironmentPlain = (command: string): boolean => {
  if (process.env[databaseVariable] || process.env[blobsVariable]) return false
  if (!isTraced(command)) return true
  const telemetry = telemetrySettings(process.env)
  return !telemetry.isOn && telemetry.problems.length === 0
}

/**
 * The values of a command's flags where nothing but these is given, each once and plainly, and nothing by the environment; null: the
 * command line is to read it, which also says what is wrong with it.
 */
export const quickFlags = <const F extends Readonly<Record<string, Kind>>>(
  command: string,
  args: ReadonlyArray<string>,
  flags: F
): Values<F> | null => {
  if (!isEnvironmentPlain(command)) return null
  const values: Record<string, string | boolean> = {}
  for (let i = 0; i < args.length; i++) {
    const [flag = "", inline] = (args[i] ?? "").split(/=(.*)/s, 2)
    const name = flag.slice(2)
    const kind = flag.startsWith("--") && Object.hasOwn(flags, name) ? flags[name] : undefined
    if (kind === undefined || name in values) return null
    if (kind === "asked") {
      if (inline !== undefined) return null
      values[name] = true
      continue
    }
    const value = inline ?? args[++i]
    if (value === undefined || value === "" || value.startsWith("-")) return null
    // what is no directory is told by the command line
    if (name === "cwd" && statOf(value)?.isDirectory() !== true) return null
    values[name] = value
  }
  for (const [name, kind] of Object.entries(flags)) if (kind === "asked") values[name] ??= false
  return values as Values<F>
}
