import type { HookOptions } from "./commands/hook.ts"
import { quickFlags } from "./quick/quickFlags.ts"

/** Of `hook`, for the log beside the project and flags that stand for themselves; null: the command line is to read it. */
export const stopHookOptions = ([hook, ...args]: ReadonlyArray<string>): HookOptions | null => {
  if (hook !== "claude-stop") return null
  const flags = quickFlags("hook", args, { cwd: "text", state: "text", agent: "text", "max-blocks": "text" })
  if (flags === null) return null
  const { "max-blocks": most, ...options } = flags
  if (most === undefined) return options
  return /^[1-9]\d{0,8}$/.test(most) ? { ...options, maxBlocks: Number(most) } : null
}
