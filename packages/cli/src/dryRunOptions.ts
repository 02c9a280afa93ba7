import { checksVariable } from "./base/takenEnvironment.ts"
import { quickFlags } from "./quick/quickFlags.ts"

export interface DryRunOptions {
  readonly file: string
  readonly dryRun: true
  readonly json: false
  readonly cwd?: string | undefined
  readonly state?: string | undefined
  readonly agent?: string | undefined
}

/** Of `run FILE --dry-run`, for flags that stand for themselves; null: the command line is to read it. */
export const dryRunOptions = (args: ReadonlyArray<string>): DryRunOptions | null => {
  const at = args.findIndex((arg) => !arg.startsWith("-"))
  const [file = "", ...flags] = at === 0 ? args : [args.at(-1) ?? "", ...args.slice(0, -1)]
  if (file === "" || file.startsWith("-") || process.env[checksVariable]) return null
  const said = quickFlags("run", flags, {
    "dry-run": "asked",
    cwd: "text",
    state: "text",
    agent: "text"
  })
  if (said === null || !said["dry-run"]) return null
  const { "dry-run": dryRun, ...options } = said
  return { file, dryRun, json: false, ...options }
}
