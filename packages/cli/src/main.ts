// What is asked often does not wait for the kernel, or for the command line, to load; all else is a file of its own.
import { keepCompiledCode } from "./compileCache.ts"
import { quickHelp } from "./quickHelp.ts"
import { listOptions, quickHistory } from "./quickHistory.ts"
import { status, statusOptions } from "./status.ts"
import { stopHookOptions } from "./stopHookOptions.ts"

const args = process.argv.slice(2)
const [command, ...rest] = args

/** What is printed for an exit code of 0; null: that takes more. */
const text = (): string | null => {
  const help = quickHelp(args)
  if (help !== null || command !== "history") return help
  const options = listOptions(rest)
  return options === null ? null : quickHistory(options)
}

/** The exit code; null, and nothing printed: that takes more. */
const quickly = (): number | null => {
  const options = command === "status" ? statusOptions(rest) : null
  if (options !== null) return status(options)
  const printed = text()
  if (printed === null) return null
  // a reader that went away has seen enough
  process.stdout.on("error", () => process.exit(0))
  process.stdout.write(printed)
  return 0
}

const exitCode = quickly()
if (exitCode !== null) process.exitCode = exitCode
else {
  keepCompiledCode()
  const hook = command === "hook" ? stopHookOptions(rest) : null
  if (hook === null) import("./app.ts").then(({ start }) => start(args))
  else import("./stopHook.ts").then(({ start }) => start(args, hook))
}
